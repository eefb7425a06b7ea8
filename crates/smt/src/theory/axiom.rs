//! How axioms are written: a name, the symbols without which it cannot fire, and the formula.
//!
//! An axiom is built when all symbols it needs are in use. Every trigger of the axiom mentions all of these, or its
//! conclusion is about them alone, so nothing is lost by waiting.

use std::cell::RefCell;

use crate::limits;
use crate::node::{Bound, Node, QuantifierKind, Sort, Term};
use crate::terms::Terms;

use super::Theories;
use super::symbol::{Collection, CollectionKind, Symbol};

pub(crate) struct Axiom {
    /// `append.length` and the like; profiles of a solver show it behind the kind of the collection.
    pub law: &'static str,
    pub needs: &'static [Symbol],
    pub build: fn(&Scope<'_>) -> Term,
}

impl Axiom {
    /// What quantifiers of the axiom are called, for a kind of collections.
    pub(crate) fn name(&self, kind: CollectionKind) -> String {
        format!("{}.{}", kind.word(), self.law)
    }

    /// Whether it speaks of no collection and is emitted once for all.
    pub(crate) fn is_shared(&self) -> bool {
        self.needs.iter().all(|symbol| symbol.is_shared())
    }
}

pub(crate) fn axioms_of(kind: CollectionKind) -> &'static [Axiom] {
    match kind {
        CollectionKind::Seq => super::sequence_axioms::AXIOMS,
        CollectionKind::Set => super::set::AXIOMS,
        CollectionKind::Multiset => super::multiset::AXIOMS,
        CollectionKind::Map => super::map::AXIOMS,
    }
}

/// Where one axiom is being built for one sort. The cells let formulas be written as nested calls.
pub(crate) struct Scope<'a> {
    theories: RefCell<&'a mut Theories>,
    terms: RefCell<&'a mut Terms>,
    pub collection: Collection,
    name: String,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(
        theories: &'a mut Theories,
        terms: &'a mut Terms,
        collection: Collection,
        name: String,
    ) -> Scope<'a> {
        Scope { theories: RefCell::new(theories), terms: RefCell::new(terms), collection, name }
    }

    // ---- variables ----

    pub(crate) fn variable(&self, name: &str, sort: Sort) -> Term {
        let mut terms = self.terms.borrow_mut();
        let bound = terms.fresh_bound(name, sort);
        terms.bound(bound)
    }

    /// A variable over the collection itself.
    pub(crate) fn own(&self, name: &str) -> Term {
        self.variable(name, self.collection.sort)
    }

    pub(crate) fn element(&self, name: &str) -> Term {
        self.variable(name, self.collection.element)
    }

    pub(crate) fn value(&self, name: &str) -> Term {
        self.variable(name, self.collection.value)
    }

    pub(crate) fn integer(&self, name: &str) -> Term {
        let sort = self.terms.borrow().int_sort();
        self.variable(name, sort)
    }

    pub(crate) fn forall<const N: usize>(
        &self,
        variables: [Term; N],
        triggers: &[&[Term]],
        body: Term,
    ) -> Term {
        self.weighted(None, variables, triggers, body)
    }

    /// A rule that goes from an operand to a result, see [`limits::ASCENT`].
    pub(crate) fn ascending<const N: usize>(
        &self,
        variables: [Term; N],
        triggers: &[&[Term]],
        body: Term,
    ) -> Term {
        self.weighted(Some(limits::ASCENT), variables, triggers, body)
    }

    fn weighted<const N: usize>(
        &self,
        weight: Option<u32>,
        variables: [Term; N],
        triggers: &[&[Term]],
        body: Term,
    ) -> Term {
        let mut terms = self.terms.borrow_mut();
        let bound: Vec<Bound> = variables
            .iter()
            .filter_map(|variable| match terms.node(*variable) {
                Node::Bound(bound) => Some(*bound),
                _ => None,
            })
            .collect();
        let triggers: Vec<Vec<Term>> = triggers.iter().map(|trigger| trigger.to_vec()).collect();
        terms.quantify(QuantifierKind::Forall, &bound, &triggers, body, &self.name, weight)
    }

    // ---- functions ----

    /// The function of this scope's collection.
    pub(crate) fn call<const N: usize>(&self, symbol: Symbol, arguments: [Term; N]) -> Term {
        self.call_of(self.collection.sort, symbol, arguments)
    }

    /// The function of another collection.
    pub(crate) fn call_of<const N: usize>(&self, sort: Sort, symbol: Symbol, arguments: [Term; N]) -> Term {
        self.theories.borrow_mut().call(&mut self.terms.borrow_mut(), sort, symbol, &arguments)
    }

    /// Equality as programs mean it.
    pub(crate) fn equal(&self, left: Term, right: Term) -> Term {
        self.theories.borrow_mut().equal(&mut self.terms.borrow_mut(), left, right)
    }

    // ---- logic and arithmetic ----

    pub(crate) fn int(&self, value: i32) -> Term {
        self.terms.borrow_mut().int(value)
    }

    /// Equality as the solver has it.
    pub(crate) fn same(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().equal(left, right)
    }

    pub(crate) fn not(&self, term: Term) -> Term {
        self.terms.borrow_mut().not(term)
    }

    pub(crate) fn and<const N: usize>(&self, terms: [Term; N]) -> Term {
        self.terms.borrow_mut().all(terms)
    }

    pub(crate) fn or<const N: usize>(&self, terms: [Term; N]) -> Term {
        self.terms.borrow_mut().any(terms)
    }

    pub(crate) fn implies(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().implies(left, right)
    }

    pub(crate) fn choose(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.terms.borrow_mut().if_then_else(condition, then, otherwise)
    }

    pub(crate) fn less(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().less(left, right)
    }

    pub(crate) fn less_equal(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().less_equal(left, right)
    }

    pub(crate) fn add(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().add(left, right)
    }

    pub(crate) fn subtract(&self, left: Term, right: Term) -> Term {
        self.terms.borrow_mut().subtract(left, right)
    }

    /// `low <= index < high`.
    pub(crate) fn within(&self, low: Term, index: Term, high: Term) -> Term {
        self.and([self.less_equal(low, index), self.less(index, high)])
    }
}
