//! Functions that stand for a part of an expression: what the part mentions becomes their parameters.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::scope::{ResultPlace, Scope, Variable};
use crate::resolve::{CallTarget, NameTarget, Receiver, Type};
use crate::syntax::tree::{Expression, ExpressionKind, NodeId};

/// What an expression mentions from around it.
pub(crate) struct Captures {
    variables: Vec<NodeId>,
    uses_this: bool,
    uses_thread: bool,
    /// The type of `\result`, if it is mentioned.
    result: Option<Type>,
}

impl Captures {
    /// Only these.
    pub(crate) fn of(variables: &[NodeId], uses_this: bool) -> Captures {
        Captures { variables: variables.to_vec(), uses_this, uses_thread: false, result: None }
    }
}

impl<'t> Scope<'_, 't> {
    /// What the parts mention besides the variables that they bind themselves.
    pub(crate) fn captures(&self, parts: &[&'t Expression], bound: &[NodeId]) -> Captures {
        let mut variables = Vec::new();
        parts.iter().for_each(|part| self.mentioned_variables(part, &mut variables));
        variables.retain(|id| !bound.contains(id) && self.bindings.variables.contains_key(id));
        let uses_this = parts.iter().any(|part| self.uses_object(part));
        let uses_thread = parts.iter().any(|part| self.uses_thread(part));
        let result = parts.iter().find_map(|part| result_in(part)).map(|result| self.type_of(result));
        Captures { variables, uses_this, uses_thread, result }
    }

    /// The arguments of such a function here.
    pub(crate) fn captured(&mut self, captures: &Captures, place: Span) -> Vec<s::Expression> {
        let mut arguments = Vec::new();
        if captures.uses_this {
            arguments.push(self.this(place));
        }
        if captures.uses_thread {
            arguments.push(self.current_thread(place));
        }
        if captures.result.is_some() {
            let result = self.result_at(place);
            arguments.push(result);
        }
        for id in &captures.variables {
            arguments.push(self.variable(*id, place));
        }
        arguments
    }

    /// A scope for such a function, with its formals.
    pub(crate) fn function_scope(
        &mut self,
        captures: &Captures,
        place: Span,
    ) -> (Scope<'_, 't>, Vec<s::Binding>) {
        let revealed = self.path.revealed.clone();
        let mut scope = Scope::new(&mut *self.lowering, self.bindings.substitution.clone());
        scope.path.revealed = revealed;
        let mut formals = Vec::new();
        if captures.uses_this {
            formals.push(scope.this_formal(place));
        }
        if captures.uses_thread {
            formals.push(scope.thread_formal(place));
        }
        if let Some(ty) = &captures.result {
            let ty = scope.ty(ty, place);
            let name = scope.member.names.fresh("captured");
            scope.bindings.result = ResultPlace::Variable(name.clone());
            formals.push(scope.at(place).binding(&name, ty));
        }
        for id in &captures.variables {
            let ty = scope.variable_type(*id);
            let ty = scope.ty(&ty, place);
            // The same name stands for different variables, so it is not spelled.
            let name = scope.member.names.fresh("captured");
            scope.bindings.variables.insert(*id, Variable::Named(name.clone()));
            formals.push(scope.at(place).binding(&name, ty));
        }
        (scope, formals)
    }

    fn uses_thread(&self, expression: &Expression) -> bool {
        let direct = match (&*expression.kind, self.resolution.calls.get(&expression.id)) {
            (ExpressionKind::CurrentThread, _) => true,
            (_, Some(CallTarget::Routine(call))) => {
                self.lowering.is_thread_local(&self.called_instance(call))
            }
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.uses_thread(child));
        found
    }

    pub(crate) fn uses_object(&self, expression: &Expression) -> bool {
        let direct = match &*expression.kind {
            ExpressionKind::This => true,
            ExpressionKind::Name(_) => {
                matches!(self.resolution.names.get(&expression.id), Some(NameTarget::Field(_)))
            }
            ExpressionKind::Call(_) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(call)) => call.receiver == Receiver::ImplicitThis,
                _ => false,
            },
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.uses_object(child));
        found
    }
}

fn result_in(expression: &Expression) -> Option<&Expression> {
    if matches!(*expression.kind, ExpressionKind::Result) {
        return Some(expression);
    }
    let mut found = None;
    expression.kind.for_each_child(&mut |child| found = found.or_else(|| result_in(child)));
    found
}
