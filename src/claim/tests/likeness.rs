//! How alike two test bodies are.

/// How many tokens one shingle holds.
const LENGTH: usize = 5;

/// Most shingles that are kept of one body: the smallest hashes, so that both sides of a comparison keep the same ones.
const MOST: usize = 4096;

/// Hashes of all runs of five tokens, sorted, each once. A shorter body is one shingle; an empty one has none.
pub(super) fn shingles(tokens: &[u64]) -> Vec<u64> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let hash = |window: &[u64]| {
        let mut bytes = [0; 8 * LENGTH];
        bytes.chunks_exact_mut(8).zip(window).for_each(|(slot, token)| slot.copy_from_slice(&token.to_le_bytes()));
        xxhash_rust::xxh3::xxh3_64(&bytes[..8 * window.len()])
    };
    let mut all: Vec<u64> = match tokens.len() {
        ..LENGTH => vec![hash(tokens)],
        _ => tokens.windows(LENGTH).map(hash).collect(),
    };
    all.sort_unstable();
    all.dedup();
    all.truncate(MOST);
    all
}

/// The Jaccard index of two sets of shingles, in thousandths: how much of all that either body holds is in both. Two empty
/// bodies are not alike: they say nothing.
pub fn likeness(a: &[u64], b: &[u64]) -> u32 {
    let (mut left, mut right, mut both) = (a, b, 0_usize);
    while let ([first, rest @ ..], [other, others @ ..]) = (left, right) {
        match first.cmp(other) {
            std::cmp::Ordering::Less => left = rest,
            std::cmp::Ordering::Greater => right = others,
            std::cmp::Ordering::Equal => {
                (left, right) = (rest, others);
                both += 1;
            }
        }
    }
    let either = a.len() + b.len() - both;
    (both * 1000).checked_div(either).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_alike_as_far_as_their_runs_of_tokens_are() {
        let all: Vec<u64> = (0..44).collect(); // 40 shingles
        let mut other = all.clone();
        other[43] = 99;
        assert_eq!(likeness(&shingles(&all), &shingles(&all)), 1000);
        assert_eq!(likeness(&shingles(&all), &shingles(&other)), 39 * 1000 / 41);
        other[20] = 98;
        assert!(likeness(&shingles(&all), &shingles(&other)) < 800);
        assert_eq!(likeness(&shingles(&all[..3]), &shingles(&all[..3])), 1000);
        assert_eq!(likeness(&shingles(&[]), &shingles(&[])), 0);
    }
}
