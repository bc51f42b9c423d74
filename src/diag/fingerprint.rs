//! The stable identity of a finding.

use super::Diagnostic;

/// 32 hexadecimal digits from code, namespace, partition, key and the sorted, distinct paths of the sites. Lines, commits
/// and holders are left out, so that a finding keeps its identity when a file grows or a branch is rebased.
pub fn fingerprint(found: &Diagnostic) -> String {
    let mut paths: Vec<&[u8]> = found.sites.iter().map(|site| site.path.as_bytes()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut bytes = Vec::new();
    let mut field = |text: &[u8]| {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes()); // lengths keep ("a", "bc") apart from ("ab", "c")
        bytes.extend_from_slice(text);
    };
    field(found.code.as_bytes());
    for part in [&found.namespace, &found.partition, &found.key] {
        field(part.as_deref().unwrap_or_default().as_bytes());
    }
    paths.into_iter().for_each(&mut field);
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes))
}
