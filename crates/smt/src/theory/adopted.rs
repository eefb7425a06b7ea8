//! Functions of collections that come with terms of another table.
//!
//! Two of them may meet in one question that nobody has used together so far: the definition of a function indexes a
//! sequence, and the function is applied to an append. What is known of an append at an index is then said by neither
//! table alone, so whoever takes terms over says what is in use in them.

use rustc_hash::FxHashMap;

use super::symbol::CollectionKind;
use super::{Symbol, Theories};
use crate::node::{Function, Sort, Term};
use crate::terms::Terms;

impl Theories {
    /// Takes the functions of collections into use that occur in terms of another table; `terms` is the own one.
    pub fn adopt(&mut self, terms: &mut Terms, theirs: &Theories, their_terms: &Terms, roots: &[Term]) {
        if theirs.functions.is_empty() {
            return;
        }
        let places: FxHashMap<Function, (Sort, Symbol)> =
            theirs.functions.iter().map(|(place, function)| (*function, *place)).collect();
        for term in their_terms.reachable(roots) {
            let Some((function, _)) = their_terms.as_application(term) else { continue };
            if let Some((sort, symbol)) = places.get(&function) {
                let sort = self.adopt_sort(terms, theirs, their_terms, *sort);
                self.function(terms, sort, *symbol);
            }
        }
    }

    /// A sort of another table, with the collections that it is made of.
    fn adopt_sort(&mut self, terms: &mut Terms, theirs: &Theories, their_terms: &Terms, sort: Sort) -> Sort {
        let Some(collection) = theirs.collection(sort) else {
            return terms.import_sort(their_terms, sort);
        };
        let element = self.adopt_sort(terms, theirs, their_terms, collection.element);
        let value = match collection.kind {
            CollectionKind::Map => self.adopt_sort(terms, theirs, their_terms, collection.value),
            _ => element,
        };
        self.collection_sort(terms, collection.kind, element, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;

    /// One table reads an element, the other one appends: together they have what holds of elements of appends.
    #[test]
    fn functions_of_two_tables_have_their_common_axioms() {
        let (mut their_terms, mut theirs) = (Terms::new(), Theories::new());
        let int = their_terms.int_sort();
        let inner = theirs.seq_sort(&mut their_terms, int);
        let sort = theirs.seq_sort(&mut their_terms, inner);
        let (sequence, zero) = (their_terms.constant("s", sort), their_terms.int(0));
        let read = theirs.seq_index(&mut their_terms, sequence, zero);

        let (mut terms, mut own) = (Terms::new(), Theories::new());
        let int = terms.int_sort();
        let inner = own.seq_sort(&mut terms, int);
        let sort = own.seq_sort(&mut terms, inner);
        let sequence = terms.constant("t", sort);
        own.seq_append(&mut terms, sequence, sequence);
        let about_elements = |terms: &mut Terms, own: &mut Theories| {
            let axioms = own.take_axioms(terms);
            let names = axioms.iter().filter_map(|axiom| match terms.node(*axiom) {
                Node::Quantified(quantifier) => Some(quantifier.name.to_string()),
                _ => None,
            });
            names.filter(|name| name.contains("append.index")).count()
        };
        assert_eq!(about_elements(&mut terms, &mut own), 0);
        own.adopt(&mut terms, &theirs, &their_terms, &[read]);
        assert_eq!(about_elements(&mut terms, &mut own), 4);
    }
}
