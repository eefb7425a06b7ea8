//! What quantifiers say of the elements of collections whose sizes occur.
//!
//! Where the elements of a collection have names, `x in s ==> x > 0` is known by its instances for them. But
//! `x in s <==> 0 <= x && x < 10` puts elements into `s` that have no names: such a quantifier counts as known only if
//! it says nothing of most values, and is asked for all others (`ranges.rs`).

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Bound, CollectionKind, Node, Operator, Quantifier, QuantifierKind, Sort, Term, Terms};
use verdict::QuantifierRole;

use crate::engine::Engine;

/// A quantifier over one variable that says which of its values are elements.
#[derive(Clone)]
pub(super) struct Claim {
    pub whole: Term,
    pub kind: QuantifierKind,
    pub variable: Bound,
    pub body: Term,
}

/// What is said of elements, so that it is known by instances.
#[derive(Default)]
pub(super) struct Said {
    /// Known by the instances for all elements.
    pub bounding: Vec<Claim>,
    /// These say that something is an element.
    pub filling: Vec<Claim>,
    /// The sets and multisets that these are about.
    pub filled: Vec<Term>,
}

/// A part of what is assumed.
struct Part {
    term: Term,
    /// Whether it is assumed to be true, or to be false; none where that depends on something else.
    holds: Option<bool>,
    /// The outermost quantifier over all values that it is in.
    whole: Option<Term>,
    /// The variables of all quantifiers from there on.
    variables: Vec<Bound>,
    /// Whether triggers ask for nothing but elements.
    is_triggered: bool,
}

impl<'p> Engine<'p> {
    /// What is said of all elements of collections of some sorts; none if there is something that instances do not tell.
    pub(super) fn said_of_elements(
        &mut self,
        goal: Term,
        related: &FxHashSet<Term>,
        sorts: &FxHashSet<Sort>,
    ) -> Option<Said> {
        let mut work: Vec<Part> = self
            .assumed_near(goal, related)
            .into_iter()
            .map(|fact| (fact, true))
            .chain([(goal, false)])
            .map(|(term, holds)| Part {
                term,
                holds: Some(holds),
                whole: None,
                variables: Vec::new(),
                is_triggered: true,
            })
            .collect();
        let mut seen: FxHashSet<(Term, Option<bool>)> = FxHashSet::default();
        let mut said = Said::default();
        while let Some(part) = work.pop() {
            if !seen.insert((part.term, part.holds)) {
                continue;
            }
            match self.encoder.terms.node(part.term).clone() {
                Node::Quantified(quantifier) => work.extend(self.body_of(part, &quantifier)),
                Node::Operation(operator, operands) if self.is_connective(operator, &operands) => {
                    for (at, operand) in operands.iter().enumerate() {
                        let holds = match (operator, at) {
                            (Operator::Not, _) | (Operator::Implies, 0) => part.holds.map(|holds| !holds),
                            (Operator::Equal, _) | (Operator::IfThenElse, 0) => None,
                            _ => part.holds,
                        };
                        let variables = part.variables.clone();
                        work.push(Part { term: *operand, holds, variables, ..part });
                    }
                }
                _ => self.look_at_atom(&part, sorts, &mut said)?,
            }
        }
        Some(said)
    }

    /// What the path and the program assume that is about one of these constants, or about none.
    fn assumed_near(&mut self, goal: Term, related: &FxHashSet<Term>) -> Vec<Term> {
        let mut facts =
            self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect::<Vec<_>>();
        // What follows from the rest says nothing more.
        facts.retain(|fact| !self.path.is_lemma(*fact));
        let terms = &self.encoder.terms;
        let is_near = |fact: &Term| {
            let is_constant = |part: &Term| matches!(terms.as_application(*part), Some((_, [])));
            let mut constants = terms.reachable(&[*fact]).into_iter().filter(is_constant).peekable();
            constants.peek().is_none() || constants.any(|constant| related.contains(&constant))
        };
        let mut near: Vec<Term> = facts.into_iter().filter(is_near).collect();
        let roots: Vec<Term> = near.iter().copied().chain([goal]).collect();
        near.extend(self.prover.axioms_about(terms, &roots));
        near
    }

    fn is_connective(&self, operator: Operator, operands: &[Term]) -> bool {
        let terms = &self.encoder.terms;
        match operator {
            Operator::Not | Operator::And | Operator::Or | Operator::Implies => true,
            Operator::Equal | Operator::IfThenElse => {
                operands.last().is_some_and(|last| terms.sort_of(*last) == terms.bool_sort())
            }
            _ => false,
        }
    }

    /// The body of a quantifier. What the encoding or another language says has triggers that leave nothing out.
    fn body_of(&mut self, part: Part, quantifier: &Quantifier) -> Option<Part> {
        let meanings = &self.encoder.meanings;
        // It is about the arguments of all applications; those inside of it are as all others.
        let is_definition =
            matches!(meanings.quantifier(&quantifier.name).role, QuantifierRole::Function { .. });
        if !is_definition && !meanings.is_of_author(&quantifier.name) {
            return None;
        }
        let is_of_all = part.holds != Some(quantifier.kind == QuantifierKind::Exists);
        let mut inner = Part { term: quantifier.body, ..part };
        if is_definition || inner.whole.is_none() && !is_of_all {
            return Some(inner);
        }
        inner.whole = inner.whole.or(Some(part.term));
        inner.variables.extend(quantifier.variables.iter());
        inner.is_triggered &=
            quantifier.triggers.iter().any(|trigger| trigger.iter().all(|it| self.membership(*it).is_some()));
        Some(inner)
    }

    /// Whether an application tells of an element of a collection, and of which.
    pub(super) fn membership(&mut self, term: Term) -> Option<(Term, Term)> {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let Some((_, &[collection, element])) = terms.as_application(term) else { return None };
        let sort = terms.sort_of(collection);
        if theories.element_of(sort) != Some(terms.sort_of(element)) {
            return None;
        }
        let asked = match theories.kind_of(sort)? {
            CollectionKind::Set => theories.set_contains(terms, collection, element),
            CollectionKind::Multiset => theories.multiset_count(terms, collection, element),
            CollectionKind::Seq => theories.seq_contains(terms, collection, element),
            CollectionKind::Map => return None,
        };
        (asked == term).then_some((collection, element))
    }

    /// Whether an atom says that something is an element, or, with `false`, that it is none, and of which collection.
    fn says_of_element(&mut self, atom: Term) -> Option<(Term, Term, bool)> {
        if let Some((collection, element)) = self.membership(atom) {
            return Some((collection, element, true));
        }
        let (operator, &[left, right]) = self.encoder.terms.as_operation(atom)? else { return None };
        let zero = self.encoder.terms.int(0);
        let (count, is_in) = match operator {
            Operator::Less if left == zero => (right, true),
            Operator::LessEqual | Operator::Equal if right == zero => (left, false),
            Operator::Equal if left == zero => (right, false),
            _ => return None,
        };
        self.membership(count).map(|(collection, element)| (collection, element, is_in))
    }

    /// Adds what an atom says of elements; none if that cannot be known.
    fn look_at_atom(&mut self, part: &Part, sorts: &FxHashSet<Sort>, said: &mut Said) -> Option<()> {
        let Some(whole) = part.whole else { return Some(()) };
        let says = self.says_of_element(part.term);
        let (terms, theories) = (&mut self.encoder.terms, &self.encoder.theories);
        let is_variable = |terms: &mut Terms, element: Term| {
            part.variables.iter().any(|variable| terms.bound(*variable) == element)
        };
        let is_bare = says.is_some_and(|(_, element, _)| is_variable(terms, element));
        let sequence =
            says.filter(|(of, ..)| theories.kind_of(terms.sort_of(*of)) == Some(CollectionKind::Seq));
        let is_about = |term: &Term| {
            let is_sized = |it: Term| {
                let sort = terms.sort_of(it);
                sorts.contains(&sort) && theories.kind_of(sort) != Some(CollectionKind::Seq)
            };
            let depends = terms.free_variables(*term).iter().any(|free| part.variables.contains(free));
            let application = terms.as_application(*term).filter(|_| depends);
            application
                .is_some_and(|(_, arguments)| is_sized(*term) || arguments.iter().any(|it| is_sized(*it)))
        };
        let matters = match sequence {
            // What sequences are at their places is known by these.
            Some((of, ..)) => is_bare && part.holds != Some(false) && sorts.contains(&terms.sort_of(of)),
            None => terms.reachable(&[part.term]).iter().any(is_about),
        };
        if !matters {
            return Some(());
        }
        let Node::Quantified(quantifier) = terms.node(whole).clone() else { return None };
        let claim = match part.variables[..] {
            [variable] if terms.is_closed(whole) => {
                Some(Claim { whole, kind: quantifier.kind, variable, body: quantifier.body })
            }
            _ => None,
        };
        // That something is no element is known of all elements.
        if let Some((collection, _, is_in)) = says
            && terms.is_closed(collection)
            && part.holds == Some(!is_in)
        {
            match claim.filter(|_| is_bare) {
                Some(claim) => said.bounding.push(claim),
                None if is_bare && !part.is_triggered => return None,
                None => {}
            }
            return Some(());
        }
        let claim = claim?;
        let collections = self.collections_in(&claim);
        match sequence {
            Some((collection, ..)) if collections != [collection] => return None,
            Some(_) => {}
            None => said.filled.extend(&collections),
        }
        said.filling.push(claim);
        Some(())
    }

    /// The collections that a claim asks for elements of.
    fn collections_in(&mut self, claim: &Claim) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        for part in self.encoder.terms.reachable(&[claim.body]) {
            if let Some((collection, _)) = self.membership(part)
                && !found.contains(&collection)
            {
                found.push(collection);
            }
        }
        found
    }

    /// That what a claim says is so, or is not, with another body.
    pub(super) fn lemma(&mut self, claim: &Claim, body: Term) -> Term {
        match claim.kind {
            QuantifierKind::Forall => self.encoder.terms.implies(claim.whole, body),
            QuantifierKind::Exists => self.encoder.terms.implies(body, claim.whole),
        }
    }

    /// The body of a claim where values are, or are not, elements; of multisets, once.
    pub(super) fn with_members(&mut self, claim: &Claim, is_in: bool) -> Term {
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        for part in self.encoder.terms.reachable(&[claim.body]) {
            let Some((_, element)) = self.membership(part) else { continue };
            let terms = &mut self.encoder.terms;
            if element == terms.bound(claim.variable) {
                let is_number = terms.sort_of(part) == terms.int_sort();
                let value = if is_number { terms.int(i64::from(is_in)) } else { terms.boolean(is_in) };
                values.insert(part, value);
            }
        }
        self.encoder.terms.substitute(claim.body, &values)
    }
}
