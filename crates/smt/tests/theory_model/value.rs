//! Values of the collection sorts, and the functions of the theories computed on them.
//!
//! What the theories leave open (an index out of range, a key outside a map's domain) is chosen by a seed, so that
//! an axiom which says too much about it is found out.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    /// A value of a sort that has no structure.
    Atom(u32),
    Seq(Vec<Value>),
    Set(BTreeSet<Value>),
    /// Counts are positive.
    Multiset(BTreeMap<Value, i64>),
    Map(BTreeMap<Value, Value>),
}

impl Value {
    pub(crate) fn bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("{other:?} is no truth value"),
        }
    }

    pub(crate) fn int(&self) -> i64 {
        match self {
            Value::Int(value) => *value,
            other => panic!("{other:?} is no integer"),
        }
    }

    fn seq(&self) -> &[Value] {
        match self {
            Value::Seq(elements) => elements,
            other => panic!("{other:?} is no sequence"),
        }
    }

    fn set(&self) -> &BTreeSet<Value> {
        match self {
            Value::Set(elements) => elements,
            other => panic!("{other:?} is no set"),
        }
    }

    fn multiset(&self) -> &BTreeMap<Value, i64> {
        match self {
            Value::Multiset(counts) => counts,
            other => panic!("{other:?} is no multiset"),
        }
    }

    fn map(&self) -> &BTreeMap<Value, Value> {
        match self {
            Value::Map(entries) => entries,
            other => panic!("{other:?} is no map"),
        }
    }
}

/// What a function may need beside its arguments.
pub(crate) struct Freedom<'a> {
    pub(crate) seed: u64,
    /// Some values of the result's sort.
    pub(crate) results: &'a [Value],
}

impl Freedom<'_> {
    /// Any value, but always the same for the same arguments.
    fn any(&self, name: &str, arguments: &[Value]) -> Value {
        let mut hasher = DefaultHasher::new();
        (self.seed, name, arguments).hash(&mut hasher);
        self.results[hasher.finish() as usize % self.results.len()].clone()
    }
}

fn position(index: i64, sequence: &[Value]) -> Option<usize> {
    usize::try_from(index).ok().filter(|index| *index < sequence.len())
}

fn clamp(count: i64, sequence: &[Value]) -> usize {
    count.clamp(0, sequence.len() as i64) as usize
}

fn count(multiset: &BTreeMap<Value, i64>, element: &Value) -> i64 {
    multiset.get(element).copied().unwrap_or(0)
}

/// A multiset by the count of every element of two others.
fn combine(
    left: &BTreeMap<Value, i64>,
    right: &BTreeMap<Value, i64>,
    f: impl Fn(i64, i64) -> i64,
) -> BTreeMap<Value, i64> {
    left.keys()
        .chain(right.keys())
        .map(|element| (element.clone(), f(count(left, element), count(right, element))))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The function of that name, without its `<...>`, at the arguments.
pub(crate) fn compute(name: &str, arguments: &[Value], freedom: &Freedom<'_>) -> Value {
    let any = || freedom.any(name, arguments);
    let or_any = |value: Option<Value>| value.unwrap_or_else(any);
    match (name, arguments) {
        ("Seq_empty", []) => Value::Seq(Vec::new()),
        ("Seq_singleton", [element]) => Value::Seq(vec![element.clone()]),
        ("Seq_append", [left, right]) => Value::Seq([left.seq(), right.seq()].concat()),
        ("Seq_length", [sequence]) => Value::Int(sequence.seq().len() as i64),
        ("Seq_index", [sequence, index]) => {
            or_any(position(index.int(), sequence.seq()).map(|index| sequence.seq()[index].clone()))
        }
        ("Seq_update", [sequence, index, element]) => {
            or_any(position(index.int(), sequence.seq()).map(|index| {
                let mut elements = sequence.seq().to_vec();
                elements[index] = element.clone();
                Value::Seq(elements)
            }))
        }
        ("Seq_take", [sequence, count]) => {
            Value::Seq(sequence.seq()[..clamp(count.int(), sequence.seq())].to_vec())
        }
        ("Seq_drop", [sequence, count]) => {
            Value::Seq(sequence.seq()[clamp(count.int(), sequence.seq())..].to_vec())
        }
        ("Seq_contains", [sequence, element]) => Value::Bool(sequence.seq().contains(element)),
        // Marks terms for triggers and means nothing.
        ("Seq_contains_trigger", [_, _]) => Value::Bool(true),
        ("Seq_range", [low, high]) => Value::Seq((low.int()..high.int()).map(Value::Int).collect()),
        ("Seq_position", [sequence, element]) => {
            let found = sequence.seq().iter().position(|candidate| candidate == element);
            or_any(found.map(|index| Value::Int(index as i64)))
        }
        ("Seq_differ", [left, right]) => {
            let found = left.seq().iter().zip(right.seq()).position(|(left, right)| left != right);
            or_any(found.map(|index| Value::Int(index as i64)))
        }
        ("Seq_plus", [left, right]) => Value::Int(left.int() + right.int()),
        ("Seq_minus", [left, right]) => Value::Int(left.int() - right.int()),

        ("Set_empty", []) => Value::Set(BTreeSet::new()),
        ("Set_singleton", [element]) => Value::Set([element.clone()].into()),
        ("Set_add", [set, element]) => {
            let mut set = set.set().clone();
            set.insert(element.clone());
            Value::Set(set)
        }
        ("Set_union", [left, right]) => Value::Set(left.set() | right.set()),
        ("Set_intersection", [left, right]) => Value::Set(left.set() & right.set()),
        ("Set_difference", [left, right]) => Value::Set(left.set() - right.set()),
        ("Set_subset", [left, right]) => Value::Bool(left.set().is_subset(right.set())),
        ("Set_contains", [set, element]) => Value::Bool(set.set().contains(element)),
        ("Set_cardinality", [set]) => Value::Int(set.set().len() as i64),
        ("Set_differ", [left, right]) => or_any(left.set().symmetric_difference(right.set()).next().cloned()),
        ("Set_excess", [left, right]) => or_any(left.set().difference(right.set()).next().cloned()),
        ("Set_some", [set]) => or_any(set.set().first().cloned()),

        ("Multiset_empty", []) => Value::Multiset(BTreeMap::new()),
        ("Multiset_singleton", [element]) => Value::Multiset([(element.clone(), 1)].into()),
        ("Multiset_add", [multiset, element]) => {
            Value::Multiset(combine(multiset.multiset(), &[(element.clone(), 1)].into(), |a, b| a + b))
        }
        ("Multiset_union", [left, right]) => {
            Value::Multiset(combine(left.multiset(), right.multiset(), |a, b| a + b))
        }
        ("Multiset_intersection", [left, right]) => {
            Value::Multiset(combine(left.multiset(), right.multiset(), |a, b| a.min(b)))
        }
        ("Multiset_difference", [left, right]) => {
            Value::Multiset(combine(left.multiset(), right.multiset(), |a, b| a - b))
        }
        ("Multiset_subset", [left, right]) => {
            Value::Bool(left.multiset().iter().all(|(element, n)| *n <= count(right.multiset(), element)))
        }
        ("Multiset_count", [multiset, element]) => Value::Int(count(multiset.multiset(), element)),
        ("Multiset_cardinality", [multiset]) => Value::Int(multiset.multiset().values().sum()),
        ("Multiset_differ", [left, right]) => {
            let (left, right) = (left.multiset(), right.multiset());
            let mut elements = left.keys().chain(right.keys());
            or_any(elements.find(|element| count(left, element) != count(right, element)).cloned())
        }
        ("Multiset_excess", [left, right]) => {
            let (left, right) = (left.multiset(), right.multiset());
            or_any(left.keys().find(|element| count(left, element) > count(right, element)).cloned())
        }
        ("Multiset_some", [multiset]) => or_any(multiset.multiset().keys().next().cloned()),

        ("Map_empty", []) => Value::Map(BTreeMap::new()),
        ("Map_update", [map, key, value]) => {
            let mut map = map.map().clone();
            map.insert(key.clone(), value.clone());
            Value::Map(map)
        }
        ("Map_lookup", [map, key]) => or_any(map.map().get(key).cloned()),
        ("Map_domain", [map]) => Value::Set(map.map().keys().cloned().collect()),
        ("Map_range", [map]) => Value::Set(map.map().values().cloned().collect()),
        ("Map_cardinality", [map]) => Value::Int(map.map().len() as i64),
        ("Map_differ", [left, right]) => {
            let (left, right) = (left.map(), right.map());
            let mut keys = left.keys().chain(right.keys());
            or_any(keys.find(|key| left.get(*key) != right.get(*key)).cloned())
        }
        ("Map_key", [map, value]) => {
            or_any(map.map().iter().find(|(_, candidate)| *candidate == value).map(|(key, _)| key.clone()))
        }

        ("Seq_equal" | "Set_equal" | "Multiset_equal" | "Map_equal", [left, right]) => {
            Value::Bool(left == right)
        }
        _ => panic!("{name} is not computed for {} arguments", arguments.len()),
    }
}
