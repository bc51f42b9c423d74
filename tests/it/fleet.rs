//! Changes and lines of work, through the program, in real repositories; git is the oracle.

mod oracle;
mod stories;
