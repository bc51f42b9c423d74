//! Work on many things, each thread on one at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs some work for each of so many things, and gives the results in order. Each thread starts with something of its own.
///
/// A thread that waits for a part of its thing helps with parts of others, but never begins another thing: so no more is in memory than one
/// thing a thread, however unequal they are.
pub(super) fn each<S, T: Send>(
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    if count == 0 {
        return Vec::new();
    }
    let next = AtomicUsize::new(0);
    let parts = rayon::broadcast(|_| {
        let mut own = start();
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, work(&mut own, at)));
        }
    });
    let mut done: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_come_in_order_and_each_thing_is_worked_on_once() {
        let squares = each(
            1000,
            || 0,
            |own, at| {
                *own += 1;
                at * at
            },
        );
        assert_eq!(squares, (0..1000).map(|at| at * at).collect::<Vec<_>>());
        assert_eq!(each(0, || (), |(), at| at), Vec::<usize>::new());
    }
}
