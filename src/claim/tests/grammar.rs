//! The grammars that `rules/tests/` may name.

use tree_sitter::Language;

/// The grammar of this name.
pub(super) fn grammar(name: &str) -> Option<Language> {
    let function = match name {
        "c-sharp" => tree_sitter_c_sharp::LANGUAGE,
        "dart" => tree_sitter_dart::LANGUAGE,
        "elixir" => tree_sitter_elixir::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "javascript" => tree_sitter_javascript::LANGUAGE,
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE,
        "php" => tree_sitter_php::LANGUAGE_PHP,
        "python" => tree_sitter_python::LANGUAGE,
        "ruby" => tree_sitter_ruby::LANGUAGE,
        "rust" => tree_sitter_rust::LANGUAGE,
        "swift" => tree_sitter_swift::LANGUAGE,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        _ => return None,
    };
    Some(function.into())
}
