//! Bodies that stand for calls: `inline` predicates and functions.

use std::rc::Rc;

use silver::syntax::tree as s;
use source::Span;

use crate::codes::INLINE_SIZE;
use crate::limits;
use crate::lower::scope::{Bindings, ResultPlace, Scope, Variable};
use crate::lower::values::types::Substitution;
use crate::resolve::{Receiver, RoutineCall, Type};
use crate::syntax::tree::{Call, Contract, Expression, Routine};

impl<'t> Scope<'_, 't> {
    pub(crate) fn inlined_call(
        &mut self,
        call: &'t Call,
        target: &'t RoutineCall,
        expression: &'t Expression,
    ) -> s::Expression {
        let values = self.call_arguments(call, target, expression);
        self.inlined_values(target, values, expression)
    }

    /// The body with these values for `this`, the parameters and the ghost parameters.
    pub(crate) fn inlined_values(
        &mut self,
        target: &'t RoutineCall,
        values: Vec<s::Expression>,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let id = target.routine;
        let Some(routine) = self.resolution.items.routines.get(&id).copied() else {
            return self.unsupported(place, "this call");
        };
        let name = &routine.name().text;
        let body = match routine {
            Routine::Function(function) => function.body.as_ref(),
            Routine::Predicate(predicate) => predicate.body.as_ref(),
            Routine::Method(_) | Routine::Lemma(_) => None,
        };
        let Some(body) = body else {
            let message = format!("`{name}` has no body that could stand for the call");
            self.error("abstractInlined", place, message, "give it a body, or leave out `inline`");
            return self.at(place).bool(true);
        };
        if self.spec.inlining.contains(&id) {
            let message = format!("the body of `{name}` contains itself");
            self.error("cyclicInline", place, message, "leave out `inline` of one of them");
            return self.at(place).bool(true);
        }
        if !self.lowering.may_inline() {
            return self.refuse_size(place, name);
        }
        let mut values = values.into_iter();
        let this = if target.receiver == Receiver::None { None } else { values.next().map(Variable::Value) };
        let variables = routine
            .parameters()
            .iter()
            .chain(routine.contract().into_iter().flat_map(Contract::given))
            .zip(values)
            .map(|(parameter, value)| (parameter.id, Variable::Value(value)))
            .collect();
        let substitution = self.substitution_of(id, &self.called_instance(target).arguments);
        let thread = self.bindings.thread.clone();
        let bindings = Bindings { substitution, this, thread, variables, result: ResultPlace::None };
        self.spec.inlining.push(id);
        let value = self.with_bindings(bindings, |scope| scope.specification(|scope| scope.expression(body)));
        self.spec.inlining.pop();
        if is_larger(&value, limits::INLINED_NODES) { self.refuse_size(place, name) } else { value }
    }

    /// Says once that bodies grow too large; from then on nothing is put in.
    fn refuse_size(&mut self, place: Span, name: &str) -> s::Expression {
        if self.lowering.inlined_calls.take().is_some() {
            let message = format!(
                "what stands for this call of `{name}` is too large: its body uses others again and again"
            );
            let help = "leave out `inline` of it, or of what it uses";
            self.error(INLINE_SIZE, place, message, help);
        }
        self.at(place).bool(true)
    }

    /// Types for the type parameters of a routine and its class.
    pub(crate) fn substitution_of(
        &self,
        routine: crate::syntax::tree::NodeId,
        arguments: &[Type],
    ) -> Rc<Substitution> {
        Rc::new(self.lowering.substitution_for(routine, arguments))
    }
}

/// Whether an expression has more nodes than this.
fn is_larger(expression: &s::Expression, nodes: usize) -> bool {
    let mut left = nodes;
    let mut work = vec![expression];
    while let Some(next) = work.pop() {
        let Some(fewer) = left.checked_sub(1) else { return true };
        left = fewer;
        next.kind.for_each_child(&mut |child| work.push(child));
    }
    false
}

impl crate::lower::Lowering<'_> {
    /// Whether one call more can be replaced by a body.
    fn may_inline(&mut self) -> bool {
        match &mut self.inlined_calls {
            Some(calls) if *calls < limits::INLINED_CALLS => {
                *calls += 1;
                true
            }
            _ => false,
        }
    }

    /// Types for the type parameters of a member and its class.
    pub(crate) fn substitution_for(
        &self,
        member: crate::syntax::tree::NodeId,
        arguments: &[Type],
    ) -> Substitution {
        let parameters = self.own_type_arguments(member);
        let mut substitution = Substitution::default();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if let Type::Variable(id) = parameter {
                substitution.insert(*id, argument.clone());
            }
        }
        substitution
    }
}
