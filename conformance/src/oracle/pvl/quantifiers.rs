//! Quantifiers, sums and comprehensions, by going through all values there are.
//!
//! Bounds of integers come from the range or from the condition. Where there are none, a few values are tried: one
//! that decides decides, and otherwise nothing is known.

use std::collections::BTreeSet;

use pvl::resolve::{NameTarget, Type};
use pvl::syntax::tree::{
    BinaryOperator, Binding, Expression, ExpressionKind, NodeId, QuantifierKind, Selector,
};

use super::machine::Machine;
use super::state::{BlockKind, Env};
use super::stop::{Result, Stop};
use super::value::{Rational, Value};

const MANY: i128 = 400;

impl<'t> Machine<'t> {
    pub(super) fn quantifier(&mut self, env: &mut Env, e: &'t Expression) -> Result<Value> {
        let ExpressionKind::Quantifier { kind, bindings, condition, body } = &*e.kind else {
            return Err(Stop::unknown("a quantifier"));
        };
        let mut unknown = false;
        let mut count = 0;
        let mut sum = Rational::from_integer(0);
        let mut whole = true;
        let decisive = match kind {
            QuantifierKind::Forall | QuantifierKind::Starall => Some(false),
            QuantifierKind::Exists => Some(true),
            QuantifierKind::Sum | QuantifierKind::Count => None,
            QuantifierKind::Parallel => return Err(Stop::unknown("processes side by side")),
        };
        let mut decided = false;
        let complete = self.each(env, bindings, condition.as_ref(), body, &mut |machine, env| {
            let value = match machine.evaluate(env, body) {
                Ok(value) => value,
                Err(Stop::Unknown(_)) => {
                    unknown = true;
                    return Ok(true);
                }
                Err(stop) => return Err(stop),
            };
            match kind {
                QuantifierKind::Sum => {
                    whole = whole && matches!(value, Value::Int(_));
                    sum += value.rational()?;
                }
                QuantifierKind::Count => count += i128::from(value.truth()?),
                _ => decided = Some(value.truth()?) == decisive,
            }
            Ok(!decided)
        })?;
        match decisive {
            Some(decisive) if decided => Ok(Value::Bool(decisive)),
            _ if unknown || !complete => Err(Stop::unknown("all instances")),
            Some(decisive) => Ok(Value::Bool(!decisive)),
            None if *kind == QuantifierKind::Count => Ok(Value::Int(count)),
            None => match self.resolution.expressions.get(&e.id) {
                Some(Type::Int) if whole => Ok(Value::Int(sum.to_integer())),
                _ => Ok(Value::Rational(sum)),
            },
        }
    }

    /// Calls `f` for all values of the bindings for which the condition is true, until it says no.
    ///
    /// Tells whether these were all that there are.
    pub(super) fn each(
        &mut self,
        env: &mut Env,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        f: &mut dyn FnMut(&mut Self, &mut Env) -> Result<bool>,
    ) -> Result<bool> {
        let Some((binding, rest)) = bindings.split_first() else {
            let holds = match condition.map(|condition| self.evaluate(env, condition)) {
                Some(Ok(value)) => value.truth()?,
                Some(Err(Stop::Unknown(_))) => return Ok(false),
                Some(Err(stop)) => return Err(stop),
                None => true,
            };
            if holds {
                f(self, env)?;
            }
            return Ok(true);
        };
        let (values, mut complete) = match &binding.range {
            Some((low, high)) => {
                let low = self.evaluate(env, low)?.int()?;
                let high = self.evaluate(env, high)?.int()?;
                let all = high - low <= MANY;
                ((low..high.min(low + MANY)).map(Value::Int).collect(), all)
            }
            None => {
                let guards = match (condition, &*body.kind) {
                    (Some(condition), _) => Some(condition),
                    (None, ExpressionKind::Binary(BinaryOperator::Implies, guard, _)) => Some(guard),
                    _ => None,
                };
                self.domain(env, binding, rest, guards)?
            }
        };
        for value in values {
            let mark = env.variables.len();
            env.variables.push((binding.id, value));
            let mut stop = false;
            let inner = self.each(env, rest, condition, body, &mut |machine, env| {
                let more = f(machine, env)?;
                stop = stop || !more;
                Ok(more)
            });
            env.variables.truncate(mark);
            complete = inner? && complete;
            if stop {
                break;
            }
        }
        Ok(complete)
    }

    fn domain(
        &mut self,
        env: &mut Env,
        binding: &'t Binding,
        rest: &'t [Binding],
        guard: Option<&'t Expression>,
    ) -> Result<(Vec<Value>, bool)> {
        let ty = self.resolution.variables.get(&binding.id).cloned().unwrap_or(Type::Unknown);
        Ok(match self.type_in(env, &ty) {
            Type::Boolean => (vec![Value::Bool(false), Value::Bool(true)], true),
            Type::Enum(id) => {
                let constants = self.resolution.items.enums.get(&id).map(|it| &it.constants[..]);
                let mut values = vec![Value::Null];
                values.extend(constants.unwrap_or(&[]).iter().map(|it| Value::Enum(it.id)));
                (values, true)
            }
            Type::Int => {
                let (mut low, mut high) = (None, None);
                if let Some(guard) = guard {
                    let later: Vec<NodeId> = rest.iter().map(|binding| binding.id).collect();
                    self.bounds(env, guard, binding.id, &later, &mut low, &mut high);
                }
                match (low, high) {
                    (Some(low), Some(high)) if high - low <= MANY => {
                        ((low..high).map(Value::Int).collect(), true)
                    }
                    _ => {
                        let low = low.unwrap_or(high.map_or(-3, |high: i128| high - 8));
                        (
                            (low..high.map_or(low + 10, |high| high.min(low + 10))).map(Value::Int).collect(),
                            false,
                        )
                    }
                }
            }
            Type::Class(class, _) => {
                let objects = self.state.heap.iter().enumerate();
                let mut values = vec![Value::Null];
                values.extend(objects.filter_map(|(number, block)| match block.kind {
                    BlockKind::Object(of) if of == class => Some(Value::Object(number)),
                    _ => None,
                }));
                (values, false)
            }
            _ => (Vec::new(), false),
        })
    }

    /// The greatest lower and the least upper bound that a condition says about a variable.
    fn bounds(
        &mut self,
        env: &mut Env,
        condition: &'t Expression,
        variable: NodeId,
        later: &[NodeId],
        low: &mut Option<i128>,
        high: &mut Option<i128>,
    ) {
        use BinaryOperator as B;
        let ExpressionKind::Binary(operator, a, b) = &*condition.kind else { return };
        if matches!(operator, B::And | B::Star) {
            self.bounds(env, a, variable, later, low, high);
            self.bounds(env, b, variable, later, low, high);
            return;
        }
        let is_it =
            |e: &Expression| self.resolution.names.get(&e.id) == Some(&NameTarget::Variable(variable));
        let (operator, bound) = match (is_it(a), is_it(b)) {
            (true, false) => (*operator, b),
            (false, true) => {
                let turned = match operator {
                    B::Less => B::Greater,
                    B::LessEqual => B::GreaterEqual,
                    B::Greater => B::Less,
                    B::GreaterEqual => B::LessEqual,
                    B::Equal => B::Equal,
                    _ => return,
                };
                (turned, a)
            }
            _ => return,
        };
        if mentions(self, bound, variable) || later.iter().any(|id| mentions(self, bound, *id)) {
            return;
        }
        let Ok(Ok(bound)) = self.evaluate(env, bound).map(|value| value.int()) else { return };
        let mut above = |it: i128| *low = Some(low.map_or(it, |low| low.max(it)));
        match operator {
            B::Greater => above(bound + 1),
            B::GreaterEqual | B::Equal => above(bound),
            _ => {}
        }
        let mut below = |it: i128| *high = Some(high.map_or(it, |high| high.min(it)));
        match operator {
            B::Less => below(bound),
            B::LessEqual | B::Equal => below(bound + 1),
            _ => {}
        }
    }

    pub(super) fn comprehension(
        &mut self,
        env: &mut Env,
        selectors: &'t [Selector],
        condition: &'t Expression,
        value: &'t Expression,
        found: &mut BTreeSet<Value>,
    ) -> Result<()> {
        let Some((selector, rest)) = selectors.split_first() else {
            if self.truth(env, condition)? {
                found.insert(self.evaluate(env, value)?);
            }
            return Ok(());
        };
        let values: Vec<Value> = match &selector.source {
            Some(source) => match self.evaluate(env, source)? {
                Value::Set(set) => set.into_iter().collect(),
                Value::Bag(bag) => bag.into_keys().collect(),
                Value::Map(map) => map.into_keys().collect(),
                other => other.seq()?,
            },
            None => {
                let (mut low, mut high) = (None, None);
                let later: Vec<NodeId> = rest.iter().map(|selector| selector.id).collect();
                self.bounds(env, condition, selector.id, &later, &mut low, &mut high);
                match (low, high, self.resolution.variables.get(&selector.id)) {
                    (Some(low), Some(high), _) if high - low <= MANY => (low..high).map(Value::Int).collect(),
                    (_, _, Some(Type::Boolean)) => vec![Value::Bool(false), Value::Bool(true)],
                    _ => return Err(Stop::unknown("all values")),
                }
            }
        };
        for it in values {
            let mark = env.variables.len();
            env.variables.push((selector.id, it));
            let inner = self.comprehension(env, rest, condition, value, found);
            env.variables.truncate(mark);
            inner?;
        }
        Ok(())
    }
}

fn mentions(machine: &Machine<'_>, e: &Expression, variable: NodeId) -> bool {
    let mut found = machine.resolution.names.get(&e.id) == Some(&NameTarget::Variable(variable));
    e.kind.for_each_child(&mut |child| found = found || mentions(machine, child, variable));
    found
}
