//! Sets that are equal to what a function makes of them, as in `{x + 1 | x <- s} == s`.
//!
//! Such a function says of each element which others there are, and with the equation these have others again: that sets are
//! finite ends it, which no law says by elements. So what fails behind such equations is called violated only if it also fails
//! with few elements that have names.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{CollectionKind, Operator, Term};
use verdict::Reason;

use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::limits;
use crate::prover::Proof;

/// Collections that are equal, by their first.
#[derive(Default)]
struct Classes {
    parents: FxHashMap<Term, Term>,
}

impl Classes {
    fn first(&self, term: Term) -> Term {
        let mut at = term;
        while let Some(parent) = self.parents.get(&at) {
            at = *parent;
        }
        at
    }

    fn unite(&mut self, one: Term, other: Term) {
        let (one, other) = (self.first(one), self.first(other));
        if one != other {
            self.parents.insert(other, one);
        }
    }
}

impl<'p> Engine<'p> {
    /// The collections that functions make, of which such equations say that they are made of themselves.
    pub(crate) fn circular_collections(&self, goal: Term) -> Vec<Term> {
        let mut classes = Classes::default();
        let mut made: Vec<Term> = Vec::new();
        for (one, other) in self.assumed_equations(goal) {
            made.extend([one, other]);
            classes.unite(one, other);
        }
        made.retain(|collection| self.is_made_by_function(*collection));
        let is_circular = |collection: &Term| self.is_made_of_itself(*collection, &made, &classes);
        made.iter().copied().filter(is_circular).collect()
    }

    /// Looks at a goal that fails, if there are such collections.
    pub(crate) fn confirm_circular(&mut self, goal: Term, circular: &[Term]) -> Proof {
        if circular.is_empty() {
            return Proof::Open;
        }
        let leaves = self.what_they_are_made_of(circular);
        for most in limits::FEW_ELEMENTS {
            let named: Option<Vec<Term>> =
                leaves.iter().map(|leaf| Some(self.names_elements(*leaf, most)?.0)).collect();
            let Some(named) = named.filter(|named| !named.is_empty()) else { break };
            if let Some(Proof::Open | Proof::Doubtful) = self.prove_with(goal, &named) {
                self.prover.add_pins(&named);
                return Proof::Open;
            }
        }
        let text = "too little is known about sets that are made of themselves".to_string();
        Proof::Unknown(Reason::GaveUp(text))
    }

    /// The sets, multisets and domains of maps that made collections come from.
    fn what_they_are_made_of(&mut self, made: &[Term]) -> Vec<Term> {
        let parts = self.encoder.terms.reachable(made);
        let mut found: Vec<Term> = Vec::new();
        for part in parts {
            if self.is_made_by_function(part) || !self.operands(part).is_empty() {
                continue;
            }
            let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
            let leaf = match theories.kind_of(terms.sort_of(part)) {
                Some(CollectionKind::Set | CollectionKind::Multiset) => part,
                Some(CollectionKind::Map) => theories.map_domain(terms, part),
                _ => continue,
            };
            if terms.is_closed(leaf) && !found.contains(&leaf) {
                found.push(leaf);
            }
        }
        found
    }

    /// Equations between sets, multisets and maps that hold if the goal fails, or may hold.
    fn assumed_equations(&self, goal: Term) -> Vec<(Term, Term)> {
        let terms = &self.encoder.terms;
        let facts = self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect::<Vec<_>>();
        let mut work: Vec<(Term, bool)> = facts.into_iter().map(|fact| (fact, true)).collect();
        work.push((goal, false));
        let mut seen: FxHashSet<(Term, bool)> = FxHashSet::default();
        let mut found: Vec<(Term, Term)> = Vec::new();
        while let Some((part, holds)) = work.pop() {
            if !seen.insert((part, holds)) {
                continue;
            }
            if let Some((_, &[one, other])) = terms.as_application(part) {
                found.extend(Some((one, other)).filter(|_| holds && self.is_equation(part, one, other)));
                continue;
            }
            match terms.as_operation(part) {
                Some((Operator::And | Operator::Or, parts)) => {
                    work.extend(parts.iter().map(|part| (*part, holds)));
                }
                Some((Operator::Not, &[inner])) => work.push((inner, !holds)),
                Some((Operator::Implies, &[condition, inner])) => {
                    work.extend([(condition, !holds), (inner, holds)]);
                }
                Some((Operator::Equal, &[one, other])) if terms.sort_of(one) != terms.bool_sort() => {
                    found.extend(Some((one, other)).filter(|_| holds && self.is_equation(part, one, other)));
                }
                // Which of its parts hold depends on others.
                Some((_, parts)) => {
                    let truths = parts.iter().filter(|part| terms.sort_of(**part) == terms.bool_sort());
                    work.extend(truths.flat_map(|part| [(*part, true), (*part, false)]));
                }
                None => {}
            }
        }
        found
    }

    fn is_equation(&self, part: Term, one: Term, other: Term) -> bool {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let sort = terms.sort_of(one);
        let is_finite = matches!(
            theories.kind_of(sort),
            Some(CollectionKind::Set | CollectionKind::Multiset | CollectionKind::Map)
        );
        // The one relation of two sets that is no equation says less: that one has all elements of the other.
        is_finite && sort == terms.sort_of(other) && terms.sort_of(part) == terms.bool_sort()
    }

    /// Whether a function says by its contract which elements a collection has.
    fn is_made_by_function(&self, collection: Term) -> bool {
        let terms = &self.encoder.terms;
        let Some((symbol, arguments)) = terms.as_application(collection) else { return false };
        match self.encoder.meanings.symbol(terms, symbol) {
            Some(Meaning::Function(id)) => {
                !arguments.is_empty() && self.encoder.program().function(id).body.is_none()
            }
            _ => false,
        }
    }

    /// Whether a made collection is reached from what it is made of, by equations and by what others are made of.
    fn is_made_of_itself(&self, collection: Term, made: &[Term], classes: &Classes) -> bool {
        let terms = &self.encoder.terms;
        let arguments = |of: Term| terms.as_application(of).map_or(&[][..], |(_, arguments)| arguments);
        let mut work = terms.reachable(arguments(collection));
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(part) = work.pop() {
            let class = classes.first(part);
            if class == classes.first(collection) {
                return true;
            }
            if !seen.insert(class) {
                continue;
            }
            let equal = made.iter().filter(|other| classes.first(**other) == class);
            work.extend(equal.flat_map(|other| terms.reachable(arguments(*other))));
        }
        false
    }
}
