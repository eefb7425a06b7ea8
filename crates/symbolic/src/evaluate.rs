//! The value of an expression in a state, with every check that it is well defined there.
//!
//! Evaluation never splits the path: the right side of `&&`, a branch of a conditional and the body of a quantifier
//! are evaluated in a scope, and what is learned there is kept under the scope's condition. Depth is bounded by
//! [`silver::limits::DEPTH`].

use silver::typed::{
    BinaryOperator, ExpressionKind, ExpressionRef, LabelReference, LocalId, Resource as Location,
    UnaryOperator,
};
use smt::Term;

use crate::blame::{Blame, Reason};
use crate::engine::{Engine, Outcome};
use crate::heap::{Heap, Resource};
use crate::state::State;

impl<'p> Engine<'p> {
    pub(crate) fn evaluate(
        &mut self,
        state: &mut State,
        expression: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        use ExpressionKind as E;
        self.go_on()?;
        match &expression.kind {
            E::Bool(value) => Ok(self.encoder.terms.boolean(*value)),
            E::Int(digits) => {
                let value = digits.parse::<smt::BigInt>().unwrap_or_default();
                Ok(self.encoder.terms.int(value))
            }
            E::Null => Ok(self.encoder.null()),
            E::FullPermission => Ok(self.encoder.terms.one()),
            E::NoPermission => Ok(self.encoder.terms.zero()),
            E::Wildcard => Ok(self.fresh_wildcard()),
            E::Epsilon => Ok(self.fresh_wildcard()),
            E::Local(local) => Ok(self.local(state, *local)),
            E::Result => match state.result {
                Some(result) => Ok(result),
                None => {
                    let sort = self.encoder.sort(&expression.ty);
                    Ok(self.fresh("result", sort))
                }
            },
            E::Unary(operator, operand) => {
                let operand = self.evaluate(state, operand, blame)?;
                Ok(match operator {
                    UnaryOperator::Not => self.encoder.terms.not(operand),
                    _ => self.encoder.unary(*operator, operand),
                })
            }
            E::Binary(operator, left, right) => self.evaluate_binary(state, *operator, left, right, blame),
            E::Conditional { condition, then, otherwise } => {
                let condition = self.evaluate(state, condition, blame)?;
                let then = self.under(condition, |engine| engine.evaluate(state, then, blame))?;
                let negated = self.encoder.terms.not(condition);
                let otherwise = self.under(negated, |engine| engine.evaluate(state, otherwise, blame))?;
                if self.knows(condition) {
                    return Ok(then);
                }
                if self.knows(negated) {
                    return Ok(otherwise);
                }
                Ok(self.encoder.terms.if_then_else(condition, then, otherwise))
            }
            E::FieldAccess { receiver, field } => {
                let receiver = self.evaluate(state, receiver, blame)?;
                let resource = Resource::Field(*field);
                let heap = state.readable().clone();
                let snapshot =
                    self.lookup(&heap, resource, &[receiver], !self.around.trusted, blame, expression.span)?;
                let sort = self.encoder.sort(&expression.ty);
                Ok(self.encoder.unwrap(snapshot, sort))
            }
            E::FunctionApplication { function, arguments } => {
                let arguments = self.evaluate_all(state, arguments, blame)?;
                self.apply_function(state, *function, &arguments, expression)
            }
            E::DomainApplication { function, type_arguments, arguments } => {
                let arguments = self.evaluate_all(state, arguments, blame)?;
                Ok(self.encoder.domain_application(*function, type_arguments, &arguments))
            }
            E::CurrentPermission(location) => {
                let (resource, arguments) = self.evaluate_location(state, location, blame)?;
                let heap = state.heap.clone();
                let held = self.current_permission(&heap, resource, &arguments);
                Ok(self.seen_amount(state, held))
            }
            E::Unfolding { access, body } => self.evaluate_unfolding(state, access, body, blame),
            E::Applying { wand, body } => self.evaluate_applying(state, wand, body, blame),
            E::Asserting { assertion, body } => {
                let mut attempt = state.clone();
                attempt.reading = None;
                attempt.heap = state.readable().clone();
                attempt.reserve = std::rc::Rc::default();
                self.with_local_heap(|engine| engine.consume(&mut attempt, assertion, blame))?;
                self.evaluate(state, body, blame)
            }
            E::Old(body) => match state.old.clone() {
                Some(heap) => self.evaluate_in(state, heap, body, blame),
                None => self.evaluate(state, body, blame),
            },
            E::LabelledOld { label, body } => {
                let heap = match label {
                    LabelReference::Label(label) => state.labels.get(label).cloned(),
                    LabelReference::WandLeft => state.wand_left.clone(),
                };
                match heap {
                    Some(heap) => self.evaluate_in(state, heap, body, blame),
                    None => {
                        self.fail_unless_dead(blame, Reason::LabelNotReached, expression.span)?;
                        let sort = self.encoder.sort(&expression.ty);
                        Ok(self.fresh("unreached", sort))
                    }
                }
            }
            E::Let { variable, value, body } => {
                let value = self.evaluate(state, value, blame)?;
                self.mention(value);
                state.store.set(*variable, value);
                self.evaluate(state, body, blame)
            }
            E::Forall { .. } | E::Exists { .. } => self.evaluate_quantifier(state, expression, blame),
            E::ForPerm { variables, resource, body } => {
                self.evaluate_forperm(state, variables, resource, body, blame, expression.span)
            }
            E::InhaleExhale { inhale, .. } => self.evaluate(state, inhale, blame),
            E::SeqLiteral(elements) | E::SetLiteral(elements) | E::MultisetLiteral(elements) => {
                let elements = self.evaluate_all(state, elements, blame)?;
                Ok(self.encoder.collection_literal(&expression.ty, &elements))
            }
            E::MapLiteral(entries) => {
                let mut pairs = Vec::new();
                for entry in entries.iter() {
                    let key = self.evaluate(state, &entry.key, blame)?;
                    let value = self.evaluate(state, &entry.value, blame)?;
                    pairs.push((key, value));
                }
                Ok(self.encoder.map_literal(&expression.ty, &pairs))
            }
            E::SeqUpdate { base, index, value } => {
                let sequence = self.evaluate(state, base, blame)?;
                let position = self.evaluate(state, index, blame)?;
                let value = self.evaluate(state, value, blame)?;
                self.check_index(sequence, position, blame, index.span)?;
                Ok(self.encoder.seq_update(sequence, position, value))
            }
            E::MapUpdate { base, key, value } => {
                let base = self.evaluate(state, base, blame)?;
                let key = self.evaluate(state, key, blame)?;
                let value = self.evaluate(state, value, blame)?;
                Ok(self.encoder.map_update(base, key, value))
            }
            // Assertions have no value; the front end lets them stand only where they are produced or consumed.
            E::FieldPermission { .. } | E::PredicatePermission(_) | E::Wand(_) => {
                self.fail_unless_dead(blame, Reason::Unsupported, expression.span)?;
                Ok(self.encoder.terms.true_())
            }
            E::ResourceTerm(location) => {
                let (resource, arguments) = self.evaluate_location(state, location, blame)?;
                self.location_term(state, resource, &arguments)
            }
        }
    }

    pub(crate) fn evaluate_all(
        &mut self,
        state: &mut State,
        expressions: &[ExpressionRef],
        blame: &Blame,
    ) -> Outcome<Vec<Term>> {
        expressions.iter().map(|expression| self.evaluate(state, expression, blame)).collect()
    }

    /// Evaluates with another heap, as `old` does.
    pub(crate) fn evaluate_in(
        &mut self,
        state: &mut State,
        heap: Heap,
        expression: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        state.with_heap(heap, |state| self.evaluate(state, expression, blame))
    }

    pub(crate) fn local(&mut self, state: &mut State, local: LocalId) -> Term {
        if let Some(value) = state.store.get(local) {
            return value;
        }
        // A variable without a value so far has an arbitrary one, and keeps it.
        let declared = &self.around.locals[local.index()];
        let (name, ty) = (declared.name.clone(), declared.ty.clone());
        let sort = self.encoder.sort(&ty);
        // It has this value whatever the variables of quantifiers around are.
        let value = self.encoder.terms.fresh_constant(&name, sort);
        state.store.set(local, value);
        value
    }

    fn evaluate_binary(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        left: &ExpressionRef,
        right: &ExpressionRef,
        blame: &Blame,
    ) -> Outcome<Term> {
        use BinaryOperator as B;
        let first = self.evaluate(state, left, blame)?;
        match operator {
            B::And => {
                let second = self.under(first, |engine| engine.evaluate(state, right, blame))?;
                return Ok(self.encoder.terms.and(first, second));
            }
            B::Implies => {
                let second = self.under(first, |engine| engine.evaluate(state, right, blame))?;
                return Ok(self.encoder.terms.implies(first, second));
            }
            B::Or => {
                let negated = self.encoder.terms.not(first);
                let second = self.under(negated, |engine| engine.evaluate(state, right, blame))?;
                return Ok(self.encoder.terms.or(first, second));
            }
            _ => {}
        }
        let second = self.evaluate(state, right, blame)?;
        match operator {
            _ if self.around.trusted => {}
            B::IntDivide | B::IntModulo | B::Fraction | B::PermIntDivide => {
                let zero = self.encoder.terms.int(0);
                let goal = self.encoder.terms.not_equal(second, zero);
                self.must(goal, blame, Reason::DivisionByZero, right.span)?;
            }
            B::PermPermDivide => {
                let zero = self.encoder.terms.zero();
                let goal = self.encoder.terms.not_equal(second, zero);
                self.must(goal, blame, Reason::DivisionByZero, right.span)?;
            }
            B::SeqIndex => self.check_index(first, second, blame, right.span)?,
            B::MapLookup => {
                let goal = self.encoder.binary(B::MapContains, second, first);
                self.must(goal, blame, Reason::KeyNotContained, right.span)?;
            }
            _ => {}
        }
        Ok(self.encoder.binary(operator, first, second))
    }

    fn check_index(&mut self, sequence: Term, index: Term, blame: &Blame, part: source::Span) -> Outcome<()> {
        if self.around.trusted {
            return Ok(());
        }
        let zero = self.encoder.terms.int(0);
        let not_negative = self.encoder.terms.less_equal(zero, index);
        self.must(not_negative, blame, Reason::IndexNegative, part)?;
        let length = self.encoder.unary(UnaryOperator::SeqLength, sequence);
        let inside = self.encoder.terms.less(index, length);
        self.must(inside, blame, Reason::IndexTooLarge, part)
    }

    /// The resource that a location names, and the values that fix which one.
    pub(crate) fn evaluate_location(
        &mut self,
        state: &mut State,
        location: &Location,
        blame: &Blame,
    ) -> Outcome<(Resource, Vec<Term>)> {
        match location {
            Location::Field { receiver, field, .. } => {
                let receiver = self.evaluate(state, receiver, blame)?;
                Ok((Resource::Field(*field), vec![receiver]))
            }
            Location::Predicate { predicate, arguments, .. } => {
                let arguments = self.evaluate_all(state, arguments, blame)?;
                Ok((Resource::Predicate(*predicate), arguments))
            }
            Location::Wand(wand) => self.evaluate_wand(state, wand, blame),
        }
    }

    /// Shows a value to the solver, so that patterns match it although no formula speaks of it yet.
    pub(crate) fn mention(&mut self, value: Term) {
        let terms = &self.encoder.terms;
        let is_application =
            |term: Term| terms.as_application(term).is_some_and(|(_, arguments)| !arguments.is_empty());
        if terms.reachable(&[value]).into_iter().any(is_application) {
            let sort = self.encoder.terms.sort_of(value);
            let name = self.fresh("value", sort);
            let fact = self.encoder.terms.equal(name, value);
            self.learn(fact);
        }
    }

    /// A positive amount that nothing else is known about.
    pub(crate) fn fresh_wildcard(&mut self) -> Term {
        let sort = self.encoder.terms.real_sort();
        let amount = self.fresh("wildcard", sort);
        let zero = self.encoder.terms.zero();
        let positive = self.encoder.terms.less(zero, amount);
        self.assume_meaning(positive);
        amount
    }
}
