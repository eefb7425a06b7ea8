//! The vocabulary of the collection theories: which function symbols exist and what their signatures are.
//!
//! A symbol is instantiated once per collection sort; its name carries the element sort, as in `Seq_length<Int>`.
//! Symbols that no program can write (witnesses of inequality, of membership and so on) stand for the existential
//! quantifiers of the textbook definitions, so that axioms are plain universally quantified formulas.

use crate::node::Sort;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionKind {
    Seq,
    Set,
    Multiset,
    Map,
}

impl CollectionKind {
    /// As it stands in the names of axioms.
    pub fn word(self) -> &'static str {
        match self {
            CollectionKind::Seq => "seq",
            CollectionKind::Set => "set",
            CollectionKind::Multiset => "multiset",
            CollectionKind::Map => "map",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            CollectionKind::Seq => "Seq",
            CollectionKind::Set => "Set",
            CollectionKind::Multiset => "Multiset",
            CollectionKind::Map => "Map",
        }
    }
}

/// A collection sort with the sorts that its functions mention.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub kind: CollectionKind,
    pub sort: Sort,
    /// What the collection holds; of a map, its keys.
    pub element: Sort,
    /// What a map leads to; of other collections the element again.
    pub value: Sort,
    /// `<Int>` or `<Int,Bool>`.
    pub suffix: String,
    /// Sets of keys and of values; of other collections unused.
    pub key_set: Sort,
    pub value_set: Sort,
}

impl Collection {
    /// Where a symbol belongs that an axiom of this collection needs: those of sets, in maps, to the set of keys.
    pub(crate) fn owner_of(&self, symbol: Symbol) -> Sort {
        if self.kind == CollectionKind::Map && symbol.name().starts_with("Set_") {
            self.key_set
        } else {
            self.sort
        }
    }
}

/// A place in a signature.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The collection itself.
    Own,
    Element,
    Value,
    KeySet,
    ValueSet,
    Int,
    Bool,
}

macro_rules! symbols {
    ($($symbol:ident = $name:literal ($($argument:ident),*) -> $result:ident;)*) => {
        /// A function symbol of a theory, before it is instantiated for a sort.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub(crate) enum Symbol { $($symbol,)* }

        impl Symbol {

            pub(crate) fn name(self) -> &'static str {
                match self { $(Symbol::$symbol => $name,)* }
            }

            pub(crate) fn signature(self) -> (&'static [Place], Place) {
                match self { $(Symbol::$symbol => (&[$(Place::$argument),*], Place::$result),)* }
            }
        }
    };
}

symbols! {
    SeqEmpty = "Seq_empty" () -> Own;
    SeqSingleton = "Seq_singleton" (Element) -> Own;
    SeqAppend = "Seq_append" (Own, Own) -> Own;
    SeqLength = "Seq_length" (Own) -> Int;
    SeqIndex = "Seq_index" (Own, Int) -> Element;
    SeqUpdate = "Seq_update" (Own, Int, Element) -> Own;
    SeqTake = "Seq_take" (Own, Int) -> Own;
    SeqDrop = "Seq_drop" (Own, Int) -> Own;
    SeqContains = "Seq_contains" (Own, Element) -> Bool;
    // Always true: marks elements that are read by index or looked for. Only triggers ask for it.
    SeqContainsTrigger = "Seq_contains_trigger" (Own, Element) -> Bool;
    SeqRange = "Seq_range" (Int, Int) -> Own;
    SeqEqual = "Seq_equal" (Own, Own) -> Bool;
    // Where a contained element is.
    SeqPosition = "Seq_position" (Own, Element) -> Int;
    // Where two different sequences of one length differ.
    SeqDiffer = "Seq_differ" (Own, Own) -> Int;

    SetEmpty = "Set_empty" () -> Own;
    SetSingleton = "Set_singleton" (Element) -> Own;
    SetAdd = "Set_add" (Own, Element) -> Own;
    SetUnion = "Set_union" (Own, Own) -> Own;
    SetIntersection = "Set_intersection" (Own, Own) -> Own;
    SetDifference = "Set_difference" (Own, Own) -> Own;
    SetSubset = "Set_subset" (Own, Own) -> Bool;
    SetContains = "Set_contains" (Own, Element) -> Bool;
    SetCardinality = "Set_cardinality" (Own) -> Int;
    SetEqual = "Set_equal" (Own, Own) -> Bool;
    // An element of exactly one of two different sets.
    SetDiffer = "Set_differ" (Own, Own) -> Element;
    // An element of the first set that is not in the second, when the first is no subset of the second.
    SetExcess = "Set_excess" (Own, Own) -> Element;
    // Some element of a set that is not empty.
    SetSome = "Set_some" (Own) -> Element;

    MultisetEmpty = "Multiset_empty" () -> Own;
    MultisetSingleton = "Multiset_singleton" (Element) -> Own;
    MultisetAdd = "Multiset_add" (Own, Element) -> Own;
    MultisetUnion = "Multiset_union" (Own, Own) -> Own;
    MultisetIntersection = "Multiset_intersection" (Own, Own) -> Own;
    MultisetDifference = "Multiset_difference" (Own, Own) -> Own;
    MultisetSubset = "Multiset_subset" (Own, Own) -> Bool;
    MultisetCount = "Multiset_count" (Own, Element) -> Int;
    MultisetCardinality = "Multiset_cardinality" (Own) -> Int;
    MultisetEqual = "Multiset_equal" (Own, Own) -> Bool;
    // As for sets.
    MultisetDiffer = "Multiset_differ" (Own, Own) -> Element;
    MultisetExcess = "Multiset_excess" (Own, Own) -> Element;
    MultisetSome = "Multiset_some" (Own) -> Element;

    MapEmpty = "Map_empty" () -> Own;
    MapUpdate = "Map_update" (Own, Element, Value) -> Own;
    MapLookup = "Map_lookup" (Own, Element) -> Value;
    MapDomain = "Map_domain" (Own) -> KeySet;
    MapRange = "Map_range" (Own) -> ValueSet;
    MapCardinality = "Map_cardinality" (Own) -> Int;
    MapEqual = "Map_equal" (Own, Own) -> Bool;
    // A key that only one of two different maps has, or that leads to different values.
    MapDiffer = "Map_differ" (Own, Own) -> Element;
    // A key that leads to a value of the range.
    MapKey = "Map_key" (Own, Value) -> Element;

    // Sum and difference of integers under names that triggers can rely on. Unlike `+` and `-` these are not
    // rewritten by a solver, so that shifting an index there and back gives the index itself again.
    IndexPlus = "Seq_plus" (Int, Int) -> Int;
    IndexMinus = "Seq_minus" (Int, Int) -> Int;
}

impl Symbol {
    /// Whether there is one instance for all sorts.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Symbol::IndexPlus | Symbol::IndexMinus)
    }
}
