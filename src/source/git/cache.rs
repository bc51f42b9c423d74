//! Objects that were read lately, and the memory of those that were read before.

use std::{hash::Hash, sync::Arc};

use foldhash::{HashMap, HashMapExt};

use super::objects::Object;

/// What was read lately, in two generations: what nobody asks for while the younger one fills up is forgotten with the older one.
pub(super) struct Generations<K> {
    young: HashMap<K, Object>,
    old: HashMap<K, Object>,
    /// Bytes that the younger one holds.
    weight: usize,
    /// Bytes that each may hold.
    most: usize,
}

impl<K: Hash + Eq> Generations<K> {
    pub(super) fn new(most: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), weight: 0, most }
    }

    pub(super) fn get(&mut self, key: K, shelf: &mut Shelf) -> Option<Object> {
        if let Some(object) = self.young.get(&key) {
            return Some(object.clone());
        }
        let object = self.old.remove(&key)?;
        self.put(key, object.clone(), shelf);
        Some(object)
    }

    pub(super) fn put(&mut self, key: K, object: Object, shelf: &mut Shelf) {
        let weight = object.bytes.capacity();
        if weight > self.most {
            return;
        }
        if self.weight + weight > self.most {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.drain().for_each(|(_, object)| shelf.take_back(object.bytes));
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(key, object);
    }

    pub(super) fn clear(&mut self, shelf: &mut Shelf) {
        self.young.drain().chain(self.old.drain()).for_each(|(_, object)| shelf.take_back(object.bytes));
        self.weight = 0;
    }
}

/// Memory for the next objects. Fresh memory costs more than what is done with it: the system clears each page.
#[derive(Default)]
pub(super) struct Shelf {
    /// By class of capacity.
    boards: Vec<Vec<Vec<u8>>>,
    weight: usize,
}

/// Bytes that wait on a shelf, at most.
const MOST_ON_SHELF: usize = 4 << 20;
/// Smaller ones come from the allocator as fast.
const SMALLEST: usize = 1 << 9;

impl Shelf {
    /// A buffer with room for so many bytes; what it holds means nothing.
    pub(super) fn give(&mut self, size: usize) -> Vec<u8> {
        let (class, capacity) = class(size);
        match self.boards.get_mut(class).and_then(Vec::pop) {
            Some(buffer) => {
                self.weight -= buffer.capacity();
                buffer
            }
            None => Vec::with_capacity(capacity),
        }
    }

    /// Takes a buffer back that nobody else holds.
    pub(super) fn take_back(&mut self, bytes: Arc<Vec<u8>>) {
        let Ok(buffer) = Arc::try_unwrap(bytes) else { return };
        let (class, capacity) = class(buffer.capacity());
        if buffer.capacity() < SMALLEST || capacity != buffer.capacity() || self.weight + capacity > MOST_ON_SHELF {
            return;
        }
        self.weight += capacity;
        if self.boards.len() <= class {
            self.boards.resize_with(class + 1, Vec::new);
        }
        self.boards[class].push(buffer);
    }
}

/// The class of a size, and the capacity that all buffers of the class have: four classes from one power of two to the next.
fn class(size: usize) -> (usize, usize) {
    let size = size.max(SMALLEST);
    let power = (size - 1).ilog2() as usize; // 2^power < size <= 2^(power + 1)
    let quarter = 1 << (power - 2);
    let steps = (size - (1 << power)).div_ceil(quarter); // 1 to 4
    (power * 4 + steps, (1 << power) + steps * quarter)
}

#[cfg(test)]
mod tests {
    use gix::objs::Kind;

    use super::*;

    #[test]
    fn a_class_has_room_for_its_sizes_and_wastes_no_more_than_a_quarter() {
        for size in (1..5000).chain([65_535, 65_536, 65_537, 1 << 20]) {
            let (number, capacity) = class(size);
            assert!(capacity >= size, "{size}: {capacity}");
            assert!(size <= SMALLEST || capacity * 4 <= size * 5, "{size}: {capacity}");
            assert_eq!(class(capacity), (number, capacity), "{size}");
        }
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let mut shelf = Shelf::default();
        let mut cache = Generations::new(10 << 10);
        let object = |byte: u8| Object { kind: Kind::Tree, bytes: Arc::new(vec![byte; 1 << 10]) };
        cache.put(0, object(0), &mut shelf);
        for key in 1..=100u8 {
            cache.put(key, object(key), &mut shelf);
            assert_eq!(cache.get(0, &mut shelf).map(|object| object.bytes[0]), Some(0), "{key}");
        }
        assert!(cache.get(1, &mut shelf).is_none());
        assert!(cache.young.len() + cache.old.len() <= 20);
        assert_eq!(cache.get(100, &mut shelf).map(|object| object.bytes[9]), Some(100));
    }

    #[test]
    fn memory_comes_back_once_nobody_holds_it() {
        let mut shelf = Shelf::default();
        let mut buffer = shelf.give(3000);
        buffer.resize(3000, 7);
        let (at, held) = (buffer.as_ptr(), Arc::new(buffer));
        shelf.take_back(Arc::clone(&held));
        assert!(shelf.boards.is_empty(), "somebody still reads it");
        shelf.take_back(held);
        let again = shelf.give(2900);
        assert_eq!(again.as_ptr(), at);
        assert_eq!(shelf.weight, 0);
    }
}
