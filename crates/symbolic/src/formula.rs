//! Proving pure formulas part by part: conjuncts one after the other, conclusions under their conditions, and the body
//! of a universal quantifier for constants.
//!
//! What is learned while a part is evaluated (that a function's precondition holds, say) is then known for exactly the
//! values that the proof is about, and a failure points at the part that fails.

use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef};
use smt::{QuantifierKind, Term};

use crate::blame::{Blame, Reason};
use crate::engine::{Engine, Outcome};
use crate::quantifier::{Instance, Quantifier};
use crate::state::State;

impl<'p> Engine<'p> {
    /// Proves a formula and keeps it as known; gives its value.
    pub(crate) fn prove_formula(
        &mut self,
        state: &mut State,
        formula: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        use ExpressionKind as E;
        match &formula.kind {
            E::Binary(BinaryOperator::And, left, right) => {
                let first = self.prove_formula(state, left, blame)?;
                let second = self.prove_formula(state, right, blame)?;
                Ok(self.encoder.terms.and(first, second))
            }
            E::Binary(BinaryOperator::Implies, condition, conclusion) => {
                let condition = self.evaluate(state, condition, blame)?;
                let conclusion =
                    self.under(condition, |engine| engine.prove_formula(state, conclusion, blame))?;
                Ok(self.encoder.terms.implies(condition, conclusion))
            }
            E::Conditional { condition, then, otherwise } => {
                let condition = self.evaluate(state, condition, blame)?;
                let negated = self.encoder.terms.not(condition);
                let then = self.under(condition, |engine| engine.prove_formula(state, then, blame))?;
                let otherwise =
                    self.under(negated, |engine| engine.prove_formula(state, otherwise, blame))?;
                Ok(self.encoder.terms.if_then_else(condition, then, otherwise))
            }
            E::Let { variable, value, body } => {
                let value = self.evaluate(state, value, blame)?;
                self.mention(value);
                state.store.set(*variable, value);
                self.prove_formula(state, body, blame)
            }
            E::Forall { variables, triggers, body } => {
                let quantifier = Quantifier { variables, triggers, body };
                let Instance { opened, triggers, facts, value } =
                    self.instantiate(state, quantifier, blame, |engine, state| {
                        engine.prove_formula(state, body, blame)
                    })?;
                let name = self.encoder.name_quantifier(formula.span);
                // What was proved of the body is in the quantifier itself.
                let facts: Vec<Term> = facts.into_iter().filter(|fact| !self.path.is_lemma(*fact)).collect();
                let facts_name = self.encoder.name_quantifier_facts(formula.span);
                self.keep_for_all(&opened, &triggers, &facts_name, &facts);
                let body = opened.close(self, value);
                let weight = crate::encode::quantifier_weight(formula);
                let proved = self.encoder.terms.quantify(
                    QuantifierKind::Forall,
                    &opened.variables,
                    &triggers,
                    body,
                    &name,
                    weight,
                );
                if !self.encoder.terms.is_true(proved) {
                    self.learn(proved);
                }
                Ok(proved)
            }
            _ => {
                let goal = self.evaluate(state, formula, blame)?;
                self.must(goal, blame, Reason::AssertionFalse, formula.span)?;
                Ok(goal)
            }
        }
    }
}
