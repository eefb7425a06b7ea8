//! Equations between sequences that are made of others, as in `Seq(1) ++ s == s ++ Seq(2)`.
//!
//! They can say of each element what the next one is, from where induction would have to go on; the solver looks at elements
//! that occur and at no others. So what fails behind such equations is called violated only if it also fails with short
//! sequences of which all elements are looked at.

use smt::{CollectionKind, Node, Operator, Term};
use verdict::Reason;

use crate::engine::Engine;
use crate::limits;
use crate::prover::Proof;

impl<'p> Engine<'p> {
    /// Looks at a goal that fails, if there are several sequences in equations that are made of others: with short ones it has to
    /// fail, too.
    pub(crate) fn confirm_equations(&mut self, goal: Term, made: &[Term]) -> Proof {
        let leaves = self.leaves_of(made.to_vec());
        if made.len() < 2 || leaves.is_empty() {
            return Proof::Open;
        }
        for most in limits::FEW_ELEMENTS {
            let mut known: Vec<Term> = Vec::new();
            for leaf in &leaves {
                known.extend(self.is_short(*leaf, most));
            }
            if let Some(Proof::Open | Proof::Doubtful) = self.prove_with(goal, &known) {
                self.prover.add_pins(&known);
                return Proof::Open;
            }
        }
        let text = "too little is known about equations between sequences".to_string();
        Proof::Unknown(Reason::GaveUp(text))
    }

    /// Sequences that the question compares with others and that are made of some by an operation.
    pub(crate) fn made_sequences(&self, goal: Term) -> Vec<Term> {
        let related = self.related_constants(goal);
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut found: Vec<Term> = Vec::new();
        for part in self.parts_of_question(goal) {
            let sides = match terms.node(part) {
                Node::Operation(Operator::Equal, sides) => sides,
                Node::Apply(_, sides) if terms.sort_of(part) == terms.bool_sort() => sides,
                _ => continue,
            };
            let is_sequence =
                |side: &Term| theories.kind_of(terms.sort_of(*side)) == Some(CollectionKind::Seq);
            // A goal without constants, as `false`, is about whether the facts can be, all of them.
            let is_related = |side: &Term| {
                related.is_empty() || terms.reachable(&[*side]).iter().any(|it| related.contains(it))
            };
            if sides.len() != 2 || !sides.iter().all(|side| is_sequence(side) && terms.is_closed(*side)) {
                continue;
            }
            for side in sides.iter().filter(|side| is_related(side)) {
                let is_made = !self.operands(*side).is_empty() || self.is_range(*side);
                if is_made && !found.contains(side) {
                    found.push(*side);
                }
            }
        }
        found
    }

    /// Sequences that the question compares with ones that are made of others, themselves made or not.
    pub(crate) fn sequences_in_equations(&self, goal: Term) -> Vec<Term> {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut found: Vec<Term> = Vec::new();
        for part in self.parts_of_question(goal) {
            let Some((_, sides @ [_, _])) = terms.as_application(part) else { continue };
            let is_sequence = |side: &Term| {
                theories.kind_of(terms.sort_of(*side)) == Some(CollectionKind::Seq) && terms.is_closed(*side)
            };
            let is_equation = terms.sort_of(part) == terms.bool_sort() && sides.iter().all(is_sequence);
            if is_equation && sides.iter().any(|side| !self.operands(*side).is_empty()) {
                found.extend(sides.iter().filter(|side| self.operands(**side).is_empty()));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(limits::COLLECTIONS_COMPARED);
        found
    }

    /// Whether a sequence is a range; with bounds that are numerals it is as good as written out.
    fn is_range(&self, sequence: Term) -> bool {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let is_numeral = |bound: &Term| matches!(terms.node(*bound), Node::Int(_));
        terms
            .as_application(sequence)
            .is_some_and(|(function, bounds)| theories.is_range(function) && !bounds.iter().all(is_numeral))
    }

    /// That a sequence has one of the lengths up to this one, and that its elements are some.
    fn is_short(&mut self, sequence: Term, most: usize) -> Vec<Term> {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let Some(element) = theories.element_of(terms.sort_of(sequence)) else { return Vec::new() };
        let length = theories.seq_length(terms, sequence);
        let mut ways: Vec<Term> = Vec::new();
        for count in 0..=most {
            let count = terms.int(count);
            ways.push(terms.equal(length, count));
        }
        let mut facts = vec![terms.any(ways)];
        for index in 0..most {
            let at = terms.int(index);
            let held = theories.seq_index(terms, sequence, at);
            let name = terms.fresh_constant("element", element);
            facts.push(theories.equal(terms, held, name));
        }
        facts
    }
}
