//! Which snapshots are compared with each other.
//!
//! Snapshots with the same parts are the same, and canonical maps are if they have the same values (`maps.rs`). To look
//! for a difference of any two maps costs the square of their number, and each difference is a location that all
//! quantifiers about locations are then instantiated with. But it only matters whether two snapshots are the same where
//! one function is applied to both, with the same other arguments. So the solver is told to compare these, their halves,
//! and the values of maps that are snapshots themselves. `compared` says nothing: it is there to be found by patterns.

use rustc_hash::FxHashSet;
use silver::typed::{ExpressionKind, ExpressionRef, FunctionId, Program, is_pure, visit_expression};
use smt::{Function, Term};

use crate::encode::names;
use crate::engine::Engine;
use crate::functions::Symbols;
use crate::quantifier::Opened;

impl<'p> Engine<'p> {
    pub(super) fn compared_symbol(&mut self) -> Function {
        let sort = self.encoder.snap_sort();
        let terms = &mut self.encoder.terms;
        let bool_sort = terms.bool_sort();
        terms.function(names::SNAPSHOTS_COMPARED, &[sort, sort], bool_sort)
    }

    /// Pairs are compared by their halves.
    pub(super) fn comparison_of_pairs(&mut self) -> Term {
        let compared = self.compared_symbol();
        let sort = self.encoder.snap_sort();
        let opened = self.open_sorts("s", &[sort; 4]);
        let [left, right, other_left, other_right] = [0, 1, 2, 3].map(|place| opened.constants[place]);
        let pair = self.encoder.combine(left, right);
        let other_pair = self.encoder.combine(other_left, other_right);
        let both = self.encoder.terms.apply(compared, &[pair, other_pair]);
        let lefts = self.are_compared(left, other_left);
        let rights = self.are_compared(right, other_right);
        let body = self.encoder.terms.and(lefts, rights);
        self.close_axiom(&opened, &[vec![both]], body, names::COMPARED_HALVES)
    }

    /// Two applications of a function to the same arguments have their snapshots compared; none if those hold no maps.
    pub(crate) fn comparison_of_snapshots(
        &mut self,
        function: FunctionId,
        symbols: &Symbols,
        opened: &Opened,
    ) -> Option<Term> {
        if !symbols.takes_snapshot || !holds_maps(self.run.program, function) {
            return None;
        }
        let sort = self.encoder.snap_sort();
        let second = self.open_sorts("s", &[sort]);
        let mut opened = opened.clone();
        let one = opened.constants.clone();
        let mut other = one.clone();
        other[0] = second.constants[0];
        let applied = [&one, &other].map(|all| self.encoder.terms.apply(symbols.limited, all));
        let body = self.are_compared(one[0], other[0]);
        opened.constants.extend(second.constants);
        opened.variables.extend(second.variables);
        let name = self.encoder.name_function_axiom(function, "snapshots");
        Some(self.close_axiom(&opened, &[applied.to_vec()], body, &name))
    }

    fn are_compared(&mut self, one: Term, other: Term) -> Term {
        let compared = self.compared_symbol();
        let terms = &mut self.encoder.terms;
        let (same, compared) = (terms.equal(one, other), terms.apply(compared, &[one, other]));
        terms.or(same, compared)
    }
}

/// Whether the snapshot of a function's precondition can have maps in it, also inside of predicates.
fn holds_maps(program: &Program, function: FunctionId) -> bool {
    let mut work: Vec<&ExpressionRef> = program.function(function).preconditions.iter().collect();
    let mut seen = FxHashSet::default();
    let mut found = false;
    while let Some(assertion) = work.pop() {
        visit_expression(assertion, &mut |part| {
            match &part.kind {
                ExpressionKind::Forall { body, .. } => found = found || !is_pure(body),
                ExpressionKind::Wand(_) => found = true,
                ExpressionKind::PredicatePermission(permission) => {
                    if seen.insert(permission.predicate) {
                        work.extend(&program.predicate(permission.predicate).body);
                    }
                }
                _ => {}
            }
            !found
        });
    }
    found
}
