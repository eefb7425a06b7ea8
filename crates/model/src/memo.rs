//! Things that are made once in a run and used by several searches.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Values by key, each made when it is first asked for. There are few of them, so they are looked for one by one.
pub(crate) struct Memo<K, V> {
    entries: Mutex<Vec<Entry<K, V>>>,
}

struct Entry<K, V> {
    key: K,
    value: Arc<OnceLock<V>>,
}

impl<K: PartialEq, V: Clone> Memo<K, V> {
    pub(crate) fn new() -> Memo<K, V> {
        Memo { entries: Mutex::new(Vec::new()) }
    }

    /// The value of a key. Threads that ask for the same key meanwhile wait; those that ask for another do not.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> V) -> V {
        let cell = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            match entries.iter().find(|entry| entry.key == key) {
                Some(entry) => Arc::clone(&entry.value),
                None => {
                    let value = Arc::new(OnceLock::new());
                    entries.push(Entry { key, value: Arc::clone(&value) });
                    value
                }
            }
        };
        cell.get_or_init(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once() {
        let memo = Memo::new();
        assert_eq!(memo.get("a", || 1), 1);
        assert_eq!(memo.get("a", || 2), 1);
        assert_eq!(memo.get("b", || memo.get("a", || 3) + 1), 2);
    }
}
