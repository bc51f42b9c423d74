//! Work on all threads, where there is enough of it: waking them costs more than a little work does.

use rayon::prelude::*;

/// What becomes of each item, in order. Fewer items than `few` are done on this thread.
pub(crate) fn map<'t, T: Sync, R: Send>(items: &'t [T], few: usize, each: impl Fn(&'t T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < few { items.iter().map(each).collect() } else { items.par_iter().map(each).collect() }
}

/// The same for lists that come of so many neighbours at a time, one after the other.
pub(crate) fn flat_map_chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    each: impl Fn(&[T]) -> Vec<R> + Sync + Send,
) -> Vec<R> {
    if items.is_empty() {
        return Vec::new();
    }
    if items.len() <= size { each(items) } else { items.par_chunks(size).flat_map_iter(each).collect() }
}

/// What becomes of two pieces of work that don't ask each other anything; one after the other where there is little to do.
pub(crate) fn join<A: Send, B: Send>(
    is_little: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if is_little { (one(), other()) } else { rayon::join(one, other) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_the_same_however_many_there_are() {
        let numbers: Vec<u32> = (0..100).collect();
        let twice: Vec<u32> = numbers.iter().map(|number| number * 2).collect();
        for few in [0, 50, 1000] {
            assert_eq!(super::map(&numbers, few, |number| number * 2), twice);
            let chunk = |chunk: &[u32]| chunk.iter().map(|number| number * 2).collect();
            assert_eq!(super::flat_map_chunks(&numbers, few.max(7), chunk), twice);
        }
        assert_eq!(super::flat_map_chunks(&[0; 0], 7, <[u8]>::to_vec), [0; 0]);
    }
}
