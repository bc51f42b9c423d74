//! Texts: from byte offsets to lines and columns, and the few lines around a site.
