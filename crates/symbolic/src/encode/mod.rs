//! The part of translating Silver that needs no heap: sorts, operators, domains with their axioms, and snapshots.
//!
//! An [`Encoder`] owns the table of terms of one job. Symbols are made on first use; the axioms that give them their
//! meaning are fetched with [`Encoder::take_axioms`], which the caller does before the next question to the solver.
//! Nothing here checks that an expression is well defined.

mod domains;
mod instances;
pub(crate) mod meaning;
pub(crate) mod names;
mod operators;
mod pure;
mod snapshots;
mod solved;
pub(crate) mod triggers;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::{DomainFunctionId, DomainId, Program, Type};
use smt::{Function, Sort, SortKind, Term, Terms, Theories};

pub(crate) use pure::quantifier_weight;
pub(crate) use solved::quantify;
pub(crate) use triggers::valid_triggers;

use crate::dependencies::Texts;
use instances::Instances;
use meaning::Meanings;
use snapshots::Snapshots;

#[derive(Clone)]
pub(crate) struct Encoder<'p> {
    pub terms: Terms,
    pub theories: Theories,
    /// What names stand for.
    pub meanings: Meanings,
    program: &'p Program,
    sorts: FxHashMap<Type, Sort>,
    domain_functions: FxHashMap<(DomainFunctionId, Arc<[Type]>), Function>,
    instances: Instances,
    /// How many of the instances have had their axioms handed out.
    instances_done: usize,
    /// Axioms, by domain and place, of which some instance has been handed out.
    stated: FxHashSet<(DomainId, usize)>,
    /// The `unique` constants that have been numbered.
    unique_constants: FxHashSet<Function>,
    snapshots: Snapshots,
}

impl<'p> Encoder<'p> {
    /// An encoder for a proof that can meet these texts.
    pub(crate) fn new(program: &'p Program, texts: &Texts<'p>) -> Encoder<'p> {
        let mut terms = Terms::new();
        let snapshots = Snapshots::new(&mut terms);
        Encoder {
            terms,
            theories: Theories::default(),
            meanings: names::known_meanings(),
            program,
            sorts: FxHashMap::default(),
            domain_functions: FxHashMap::default(),
            instances: Instances::of(program, texts),
            instances_done: 0,
            stated: FxHashSet::default(),
            unique_constants: FxHashSet::default(),
            snapshots,
        }
    }

    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// The sort of a ground type.
    pub(crate) fn sort(&mut self, ty: &Type) -> Sort {
        match ty {
            Type::Int => return self.terms.int_sort(),
            Type::Bool => return self.terms.bool_sort(),
            Type::Perm => return self.terms.real_sort(),
            _ => {}
        }
        if let Some(sort) = self.sorts.get(ty) {
            return *sort;
        }
        let sort = match ty {
            Type::Int | Type::Bool | Type::Perm => self.terms.int_sort(),
            Type::Ref => self.terms.uninterpreted_sort(names::REFERENCE_SORT),
            Type::Seq(element) => {
                let element = self.sort(element);
                self.theories.seq_sort(&mut self.terms, element)
            }
            Type::Set(element) => {
                let element = self.sort(element);
                self.theories.set_sort(&mut self.terms, element)
            }
            Type::Multiset(element) => {
                let element = self.sort(element);
                self.theories.multiset_sort(&mut self.terms, element)
            }
            Type::Map(key, value) => {
                let key = self.sort(key);
                let value = self.sort(value);
                self.theories.map_sort(&mut self.terms, key, value)
            }
            Type::Domain(domain, arguments) => {
                let declared = self.program.domain(*domain);
                let interpretation = declared
                    .interpretations
                    .iter()
                    .flatten()
                    .find(|(back_end, _)| back_end == "SMTLIB")
                    .map(|(_, sort)| Arc::from(sort.as_str()));
                match interpretation {
                    Some(name) => self.terms.sort(SortKind::Native(name)),
                    None => {
                        let name = names::domain_sort(self.program, *domain, arguments);
                        self.meanings.add_sort(&name, &declared.name);
                        self.terms.uninterpreted_sort(&name)
                    }
                }
            }
            Type::Parameter(_) => {
                debug_assert!(false, "a type parameter outside its domain");
                self.terms.int_sort()
            }
        };
        self.sorts.insert(ty.clone(), sort);
        sort
    }

    pub(crate) fn null(&mut self) -> Term {
        let sort = self.sort(&Type::Ref);
        self.terms.constant(names::NULL, sort)
    }

    /// Axioms of everything that has been used so far and of every domain instance of the program, as far as they
    /// have not been handed out before.
    ///
    /// The walk over axioms recurses as deep as they are nested, see [`silver::with_large_stack`].
    pub(crate) fn take_axioms(&mut self) -> Vec<Term> {
        let mut axioms = self.take_domain_axioms();
        self.snapshots.take_axioms(&mut self.terms, &mut self.meanings, &mut axioms);
        axioms.extend(self.theories.take_axioms(&mut self.terms));
        axioms
    }
}
