//! Translates expressions that read no heap, without checking that they are well defined.
//!
//! Axioms are translated this way. Partial operators become total functions about which nothing is known outside their
//! domain. The walk recurses as deep as the expression is nested, which the front end bounds.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::typed::{
    Expression, ExpressionKind, ExpressionRef, Local, LocalId, Trigger, Type, infer_triggers,
};
use smt::{Bound, QuantifierKind, Term};

use super::Encoder;
use super::names::FunctionVariant;
use super::triggers::valid_triggers;

/// What the variables of an expression stand for.
#[derive(Clone)]
pub(crate) struct Environment {
    values: FxHashMap<LocalId, Term>,
    /// Types of the variables that the expression binds; inferred triggers add to it.
    locals: Vec<Local>,
    /// Types of the parameters of the domain that the expression belongs to.
    type_arguments: Arc<[Type]>,
    /// What profiles show for the quantifiers of the expression.
    name: Arc<str>,
}

/// The expression reads the heap, or is not one whose value is determined by its variables.
#[derive(Clone, Debug)]
pub(crate) struct NotPure;

impl Environment {
    /// `locals` is the table of the axiom that the expression belongs to.
    pub(super) fn for_axiom(locals: Vec<Local>, type_arguments: Arc<[Type]>, name: &str) -> Environment {
        Environment { values: FxHashMap::default(), locals, type_arguments, name: Arc::from(name) }
    }

    pub(crate) fn bind(&mut self, local: LocalId, value: Term) {
        self.values.insert(local, value);
    }
}

impl Encoder<'_> {
    /// The value of an expression in an environment.
    pub(crate) fn pure(
        &mut self,
        expression: &ExpressionRef,
        environment: &mut Environment,
    ) -> Result<Term, NotPure> {
        use ExpressionKind::*;
        Ok(match &expression.kind {
            Bool(value) => self.terms.boolean(*value),
            Int(digits) => self.int_literal(digits),
            Null => self.null(),
            FullPermission => self.terms.one(),
            NoPermission => self.terms.zero(),
            Local(local) => match environment.values.get(local) {
                Some(value) => *value,
                None => return Err(NotPure),
            },
            Unary(operator, operand) => {
                let operand = self.pure(operand, environment)?;
                self.unary(*operator, operand)
            }
            Binary(operator, left, right) => {
                let left = self.pure(left, environment)?;
                let right = self.pure(right, environment)?;
                self.binary(*operator, left, right)
            }
            Conditional { condition, then, otherwise } => {
                let condition = self.pure(condition, environment)?;
                let then = self.pure(then, environment)?;
                let otherwise = self.pure(otherwise, environment)?;
                self.terms.if_then_else(condition, then, otherwise)
            }
            DomainApplication { function, type_arguments, arguments } => {
                let arguments = self.pure_all(arguments, environment)?;
                let type_arguments: Vec<Type> =
                    type_arguments.iter().map(|ty| ty.instantiate(&environment.type_arguments)).collect();
                self.domain_application(*function, &type_arguments, &arguments)
            }
            FunctionApplication { function, arguments } if !self.program.is_heap_dependent(*function) => {
                let values = self.pure_all(arguments, environment)?;
                let symbol = self.function_symbol(*function, FunctionVariant::Full);
                self.terms.apply(symbol, &values)
            }
            Let { variable, value, body } => {
                let value = self.pure(value, environment)?;
                environment.bind(*variable, value);
                self.pure(body, environment)?
            }
            Forall { variables, triggers, body } => {
                self.quantifier(QuantifierKind::Forall, expression, variables, triggers, body, environment)?
            }
            Exists { variables, triggers, body } => {
                self.quantifier(QuantifierKind::Exists, expression, variables, triggers, body, environment)?
            }
            SeqLiteral(elements) | SetLiteral(elements) | MultisetLiteral(elements) => {
                let elements = self.pure_all(elements, environment)?;
                let ty = expression.ty.instantiate(&environment.type_arguments);
                self.collection_literal(&ty, &elements)
            }
            MapLiteral(entries) => {
                let mut values = Vec::with_capacity(entries.len());
                for entry in entries.iter() {
                    let key = self.pure(&entry.key, environment)?;
                    let value = self.pure(&entry.value, environment)?;
                    values.push((key, value));
                }
                let ty = expression.ty.instantiate(&environment.type_arguments);
                self.map_literal(&ty, &values)
            }
            SeqUpdate { base, index, value } => {
                let base = self.pure(base, environment)?;
                let index = self.pure(index, environment)?;
                let value = self.pure(value, environment)?;
                self.seq_update(base, index, value)
            }
            MapUpdate { base, key, value } => {
                let base = self.pure(base, environment)?;
                let key = self.pure(key, environment)?;
                let value = self.pure(value, environment)?;
                self.map_update(base, key, value)
            }
            InhaleExhale { inhale, .. } => self.pure(inhale, environment)?,
            _ => return Err(NotPure),
        })
    }

    fn pure_all(
        &mut self,
        expressions: &[ExpressionRef],
        environment: &mut Environment,
    ) -> Result<Vec<Term>, NotPure> {
        expressions.iter().map(|expression| self.pure(expression, environment)).collect()
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        expression: &Expression,
        variables: &[LocalId],
        triggers: &[Trigger],
        body: &ExpressionRef,
        environment: &mut Environment,
    ) -> Result<Term, NotPure> {
        let mut bound = self.bind_all(variables, environment);
        let body_term = self.pure(body, environment)?;
        let mut patterns = self.pure_triggers(triggers, environment);
        let mut valid = valid_triggers(&self.terms, &bound, &patterns);
        if valid.is_empty()
            && let Some(inferred) = infer_triggers(variables, body, &mut environment.locals, false)
                .or_else(|| infer_triggers(variables, body, &mut environment.locals, true))
        {
            let further = self.bind_all(&inferred.extra_variables, environment);
            bound.extend(further);
            patterns = self.pure_triggers(&inferred.triggers, environment);
            valid = valid_triggers(&self.terms, &bound, &patterns);
        }
        let name = environment.name.clone();
        let weight = quantifier_weight(expression);
        Ok(super::quantify(&mut self.terms, kind, &bound, &valid, body_term, &name, weight))
    }

    /// A pattern that cannot be translated makes its trigger useless; the others stay.
    fn pure_triggers(&mut self, triggers: &[Trigger], environment: &mut Environment) -> Vec<Vec<Term>> {
        triggers.iter().filter_map(|trigger| self.pure_all(&trigger.expressions, environment).ok()).collect()
    }

    fn bind_all(&mut self, variables: &[LocalId], environment: &mut Environment) -> Vec<Bound> {
        let mut bound = Vec::with_capacity(variables.len());
        for variable in variables {
            let local = &environment.locals[variable.index()];
            let sort = self.sort(&local.ty.instantiate(&environment.type_arguments));
            let name = environment.locals[variable.index()].name.clone();
            let fresh = self.terms.fresh_bound(&name, sort);
            let term = self.terms.bound(fresh);
            environment.bind(*variable, term);
            bound.push(fresh);
        }
        bound
    }
}

/// The number of a `@weight` annotation, which makes the solver instantiate a quantifier later.
pub(crate) fn quantifier_weight(expression: &Expression) -> Option<u32> {
    expression.annotation("weight")?.first()?.trim().parse().ok()
}
