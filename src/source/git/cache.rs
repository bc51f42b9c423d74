//! Objects that were read lately.

use std::hash::Hash;

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

/// What an object takes besides its bytes.
const OVERHEAD: usize = 96;

impl<K: Hash + Eq> Generations<K> {
    pub(super) fn new(most: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), weight: 0, most }
    }

    pub(super) fn get(&mut self, key: K) -> Option<Object> {
        if let Some(object) = self.young.get(&key) {
            return Some(object.clone());
        }
        let object = self.old.remove(&key)?;
        self.put(key, object.clone());
        Some(object)
    }

    pub(super) fn put(&mut self, key: K, object: Object) {
        let weight = object.bytes.capacity() + OVERHEAD;
        if weight > self.most {
            return;
        }
        if self.weight + weight > self.most {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
            self.weight = 0;
        }
        self.weight += weight;
        self.young.insert(key, object);
    }

    pub(super) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
        self.weight = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gix::objs::Kind;

    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let mut cache = Generations::new(10 << 10);
        let object = |byte: u8| Object { kind: Kind::Tree, bytes: Arc::new(vec![byte; 1000]) };
        cache.put(0, object(0));
        for key in 1..=100u8 {
            cache.put(key, object(key));
            assert_eq!(cache.get(0).map(|object| object.bytes[0]), Some(0), "{key}");
        }
        assert!(cache.get(1).is_none());
        assert!(cache.young.len() + cache.old.len() <= 20);
        assert_eq!(cache.get(100).map(|object| object.bytes[9]), Some(100));
        cache.put(101, Object { kind: Kind::Tree, bytes: Arc::new(vec![0; 20 << 10]) });
        assert!(cache.get(101).is_none(), "larger than all");
        cache.clear();
        assert!(cache.get(100).is_none() && cache.get(0).is_none());
    }
}
