//! The built-in collections of Silver: sequences, sets, multisets and maps, axiomatised over uninterpreted sorts.
//!
//! [`Theories`] builds their terms and hands out the axioms of what was used. All functions are total: reading a
//! sequence out of range or a map outside its domain gives some value, taking or dropping too many (or less than no)
//! elements gives the nearest meaningful sequence, and every collection is finite. Equality of collections is a
//! predicate of its own, defined by the elements; it implies equality of the solver, which is what makes functions
//! of equal collections equal.

mod adopted;
mod axiom;
mod map;
mod multiset;
mod sequence;
mod sequence_axioms;
mod set;
mod symbol;

use rustc_hash::{FxHashMap, FxHashSet};

pub use symbol::CollectionKind;

use crate::node::{Function, Sort, SortKind, Term};
use crate::terms::Terms;

use axiom::{Scope, axioms_of};
use symbol::{Collection, Place, Symbol};

/// What a function of a collection gives that has a notation in every language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// How many elements there are.
    Size,
    /// What is at a place, or under a key.
    Element,
    /// Whether something is in it, or how often.
    Member,
    /// All that the keys of a map lead to.
    Values,
}

/// The kind of collections that an axiom is about, by the name that profiles show.
pub fn collection_of_axiom(name: &str) -> Option<(CollectionKind, &'static str)> {
    let kinds = [CollectionKind::Seq, CollectionKind::Set, CollectionKind::Multiset, CollectionKind::Map];
    kinds.into_iter().find_map(|kind| {
        let axiom = axioms_of(kind).iter().find(|axiom| axiom.name(kind) == name)?;
        Some((kind, axiom.law))
    })
}

/// Collection sorts of one table of terms, and which of their functions are in use.
///
/// Terms given to the builders must be of the table that the sorts were made for, or of a copy of it.
#[derive(Clone, Default, Debug)]
pub struct Theories {
    collections: Vec<Collection>,
    of_sort: FxHashMap<Sort, usize>,
    functions: FxHashMap<(Sort, Symbol), Function>,
    /// Which symbol a function is an instance of.
    symbols: FxHashMap<Function, Symbol>,
    /// Axioms handed out, by the sort they speak of; none for those about integers.
    emitted: FxHashSet<(Option<Sort>, CollectionKind, &'static str)>,
    /// Whether some function came into use after the last axioms were handed out.
    grown: bool,
}

impl Theories {
    pub fn new() -> Theories {
        Theories::default()
    }

    // ---- sorts ----

    pub fn seq_sort(&mut self, terms: &mut Terms, element: Sort) -> Sort {
        self.collection_sort(terms, CollectionKind::Seq, element, element)
    }

    pub fn set_sort(&mut self, terms: &mut Terms, element: Sort) -> Sort {
        self.collection_sort(terms, CollectionKind::Set, element, element)
    }

    pub fn multiset_sort(&mut self, terms: &mut Terms, element: Sort) -> Sort {
        self.collection_sort(terms, CollectionKind::Multiset, element, element)
    }

    pub fn map_sort(&mut self, terms: &mut Terms, key: Sort, value: Sort) -> Sort {
        self.collection_sort(terms, CollectionKind::Map, key, value)
    }

    fn collection_sort(
        &mut self,
        terms: &mut Terms,
        kind: CollectionKind,
        element: Sort,
        value: Sort,
    ) -> Sort {
        let suffix = match kind {
            CollectionKind::Map => format!("<{},{}>", sort_name(terms, element), sort_name(terms, value)),
            _ => format!("<{}>", sort_name(terms, element)),
        };
        let sort = terms.uninterpreted_sort(&format!("{}{suffix}", kind.name()));
        if self.of_sort.contains_key(&sort) {
            return sort;
        }
        let (key_set, value_set) = match kind {
            CollectionKind::Map => (self.set_sort(terms, element), self.set_sort(terms, value)),
            _ => (sort, sort),
        };
        self.of_sort.insert(sort, self.collections.len());
        self.collections.push(Collection { kind, sort, element, value, suffix, key_set, value_set });
        sort
    }

    fn collection(&self, sort: Sort) -> Option<&Collection> {
        self.of_sort.get(&sort).map(|index| &self.collections[*index])
    }

    pub fn kind_of(&self, sort: Sort) -> Option<CollectionKind> {
        self.collection(sort).map(|collection| collection.kind)
    }

    /// What a sequence, set or multiset holds; of a map, its keys.
    pub fn element_of(&self, sort: Sort) -> Option<Sort> {
        self.collection(sort).map(|collection| collection.element)
    }

    /// What a map leads to.
    pub fn value_of(&self, sort: Sort) -> Option<Sort> {
        let collection = self.collection(sort)?;
        (collection.kind == CollectionKind::Map).then_some(collection.value)
    }

    // ---- functions ----

    fn function(&mut self, terms: &mut Terms, sort: Sort, symbol: Symbol) -> Function {
        if let Some(function) = self.functions.get(&(sort, symbol)) {
            return *function;
        }
        let collection = self.collections[self.of_sort[&sort]].clone();
        let place = |place: Place| match place {
            Place::Own => collection.sort,
            Place::Element => collection.element,
            Place::Value => collection.value,
            Place::KeySet => collection.key_set,
            Place::ValueSet => collection.value_set,
            Place::Int => terms.int_sort(),
            Place::Bool => terms.bool_sort(),
        };
        let (arguments, result) = symbol.signature();
        let arguments: Vec<Sort> = arguments.iter().copied().map(place).collect();
        let result = place(result);
        let name = match symbol.is_shared() {
            true => symbol.name().to_string(),
            false => format!("{}{}", symbol.name(), collection.suffix),
        };
        let function = terms.function(&name, &arguments, result);
        self.functions.insert((sort, symbol), function);
        self.symbols.insert(function, symbol);
        self.grown = true;
        function
    }

    fn call(&mut self, terms: &mut Terms, sort: Sort, symbol: Symbol, arguments: &[Term]) -> Term {
        let function = self.function(terms, sort, symbol);
        terms.apply(function, arguments)
    }

    /// The arguments, if the term is that function of its sort's collection or of the given one.
    fn arguments_of<'t>(
        &self,
        terms: &'t Terms,
        sort: Sort,
        symbol: Symbol,
        term: Term,
    ) -> Option<&'t [Term]> {
        let (function, arguments) = terms.as_application(term)?;
        (self.functions.get(&(sort, symbol)) == Some(&function)).then_some(arguments)
    }

    fn is_call(&self, terms: &Terms, sort: Sort, symbol: Symbol, term: Term) -> bool {
        self.arguments_of(terms, sort, symbol, term).is_some()
    }

    /// Whether a function gives the size of a collection, what is at a place of one, or whether something is in it; none for
    /// all others.
    pub fn access(&self, function: Function) -> Option<Access> {
        match self.symbols.get(&function)? {
            Symbol::SeqLength
            | Symbol::SetCardinality
            | Symbol::MultisetCardinality
            | Symbol::MapCardinality => Some(Access::Size),
            Symbol::SeqIndex | Symbol::MapLookup => Some(Access::Element),
            Symbol::SeqContains | Symbol::SetContains | Symbol::MultisetCount => Some(Access::Member),
            Symbol::MapRange => Some(Access::Values),
            _ => None,
        }
    }

    /// Whether a function gives the integers from one to another.
    pub fn is_range(&self, function: Function) -> bool {
        self.symbols.get(&function) == Some(&Symbol::SeqRange)
    }

    // ---- equality ----

    /// Equality as programs mean it: of collections by their elements, of anything else as the solver has it.
    pub fn equal(&mut self, terms: &mut Terms, left: Term, right: Term) -> Term {
        let sort = terms.sort_of(left);
        let Some(kind) = self.kind_of(sort) else {
            return terms.equal(left, right);
        };
        if left == right {
            return terms.true_();
        }
        let symbol = match kind {
            CollectionKind::Seq => Symbol::SeqEqual,
            CollectionKind::Set => Symbol::SetEqual,
            CollectionKind::Multiset => Symbol::MultisetEqual,
            CollectionKind::Map => Symbol::MapEqual,
        };
        let (first, second) = if left <= right { (left, right) } else { (right, left) };
        self.call(terms, sort, symbol, &[first, second])
    }

    // ---- axioms ----

    /// Axioms of everything in use that were not handed out before, in a deterministic order.
    pub fn take_axioms(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut taken = Vec::new();
        while std::mem::take(&mut self.grown) {
            // An axiom may bring further functions, and further sorts, into use.
            let mut index = 0;
            while index < self.collections.len() {
                let collection = self.collections[index].clone();
                for axiom in axioms_of(collection.kind) {
                    let subject = (!axiom.is_shared()).then_some(collection.sort);
                    let key = (subject, collection.kind, axiom.law);
                    let usable = |symbol: &Symbol| {
                        self.functions.contains_key(&(collection.owner_of(*symbol), *symbol))
                    };
                    if !self.emitted.contains(&key) && axiom.needs.iter().all(usable) {
                        self.emitted.insert(key);
                        let scope = Scope::new(self, terms, collection.clone(), axiom.name(collection.kind));
                        let term = (axiom.build)(&scope);
                        taken.push(term);
                    }
                }
                index += 1;
            }
        }
        taken
    }
}

fn sort_name(terms: &Terms, sort: Sort) -> String {
    match terms.sort_kind(sort) {
        SortKind::Bool => "Bool".to_string(),
        SortKind::Int => "Int".to_string(),
        SortKind::Real => "Real".to_string(),
        SortKind::Uninterpreted(name) | SortKind::Native(name) => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;

    fn names(terms: &Terms, axioms: &[Term]) -> Vec<String> {
        axioms
            .iter()
            .map(|axiom| match terms.node(*axiom) {
                Node::Quantified(quantifier) => quantifier.name.to_string(),
                _ => "ground".to_string(),
            })
            .collect()
    }

    #[test]
    fn only_what_is_used_has_axioms() {
        let (mut terms, mut theories) = (Terms::new(), Theories::new());
        let int = terms.int_sort();
        let sort = theories.seq_sort(&mut terms, int);
        assert!(theories.take_axioms(&mut terms).is_empty());

        let sequence = terms.constant("s", sort);
        theories.seq_length(&mut terms, sequence);
        let axioms = theories.take_axioms(&mut terms);
        assert_eq!(names(&terms, &axioms), ["seq.length.nonnegative", "seq.length.zero", "ground"]);
        assert!(theories.take_axioms(&mut terms).is_empty());

        theories.seq_singleton(&mut terms, sequence);
        let axioms = theories.take_axioms(&mut terms);
        assert_eq!(
            names(&terms, &axioms),
            ["seq.singleton", "seq.length.nonnegative", "seq.length.zero", "ground"]
        );
    }

    #[test]
    fn equality_of_collections_is_their_own() {
        let (mut terms, mut theories) = (Terms::new(), Theories::new());
        let int = terms.int_sort();
        let sort = theories.set_sort(&mut terms, int);
        let (a, b) = (terms.constant("a", sort), terms.constant("b", sort));
        let one = theories.equal(&mut terms, a, b);
        let other = theories.equal(&mut terms, b, a);
        assert_eq!(one, other);
        assert!(terms.as_application(one).is_some());
        let itself = theories.equal(&mut terms, a, a);
        assert!(terms.is_true(itself));
    }

    /// Waiting for the functions that an axiom needs loses nothing if none of its triggers can do without them.
    #[test]
    fn triggers_mention_what_axioms_wait_for() {
        let (mut terms, mut theories) = (Terms::new(), Theories::new());
        let int = terms.int_sort();
        let sorts = [
            theories.seq_sort(&mut terms, int),
            theories.set_sort(&mut terms, int),
            theories.multiset_sort(&mut terms, int),
            theories.map_sort(&mut terms, int, int),
        ];
        for sort in sorts {
            let Some(collection) = theories.collection(sort).cloned() else { continue };
            for axiom in axioms_of(collection.kind) {
                let scope =
                    Scope::new(&mut theories, &mut terms, collection.clone(), axiom.name(collection.kind));
                let term = (axiom.build)(&scope);
                let Node::Quantified(quantifier) = terms.node(term).clone() else { continue };
                assert!(!quantifier.triggers.is_empty(), "{} has no trigger", axiom.law);
                for trigger in quantifier.triggers.iter() {
                    let mentioned: Vec<Function> = terms
                        .reachable(trigger)
                        .into_iter()
                        .filter_map(|part| terms.as_application(part).map(|(function, _)| function))
                        .collect();
                    // What only a conclusion speaks of matters to nobody until somebody asks.
                    let asked =
                        |symbol: &&Symbol| !matches!(symbol, Symbol::SeqContainsTrigger | Symbol::MapRange);
                    for symbol in axiom.needs.iter().filter(asked) {
                        let function = theories.function(&mut terms, collection.owner_of(*symbol), *symbol);
                        assert!(mentioned.contains(&function), "{}: {symbol:?}", axiom.law);
                    }
                }
            }
        }
    }

    #[test]
    fn axioms_come_in_the_same_order_every_time() {
        let axioms = || {
            let (mut terms, mut theories) = (Terms::new(), Theories::new());
            let int = terms.int_sort();
            let map = theories.map_sort(&mut terms, int, int);
            let nested = theories.seq_sort(&mut terms, map);
            let (a, b) = (terms.constant("a", nested), terms.constant("b", nested));
            theories.equal(&mut terms, a, b);
            let axioms = theories.take_axioms(&mut terms);
            names(&terms, &axioms)
        };
        let first = axioms();
        assert!(first.contains(&"map.equal".to_owned()), "{first:?}");
        assert_eq!(first, axioms());
    }
}
