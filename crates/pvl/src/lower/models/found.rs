//! What is at the leaves of a term of the program: values, which the algebra knows nothing of, and other processes. Under a
//! binder, a value is a function of the variables in it.

use process::{FunctionId, VariableId};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use super::algebra::{AlgebraicModel, Opaque, known_type, structured};
use super::terms::TermFunctions;
use crate::lower::scope::Scope;
use crate::models::{Leaves, Other};
use crate::resolve::{CallTarget, Type};
use crate::syntax::tree::{Expression, ExpressionKind, NodeId, Routine};

/// Functions with numbers from here on are expressions of the program; those below are of the model.
const OF_PROGRAM: u32 = 1 << 24;

impl<'t> TermFunctions<'t> {
    /// The expression that a function stands for, if it is one of the program.
    pub(super) fn opaque(&self, function: FunctionId) -> Option<&Opaque<'t>> {
        let at = function.0.checked_sub(OF_PROGRAM)?;
        self.opaque.get(at as usize).map(|(_, opaque)| opaque)
    }

    fn add_opaque(&mut self, opaque: Opaque<'t>) -> FunctionId {
        let id = opaque.expression.id;
        let known = self.opaque.iter().position(|(other, _)| *other == id);
        let at = known.unwrap_or_else(|| {
            self.opaque.push((id, opaque));
            self.opaque.len() - 1
        });
        FunctionId(OF_PROGRAM + at as u32)
    }
}

/// The data and processes at the leaves of a term of the program.
pub(super) struct Found<'f, 'l, 't> {
    scope: &'f mut Scope<'l, 't>,
    pub(super) data: Vec<(String, s::Expression, Type)>,
    pub(super) terms: Vec<(String, s::Expression)>,
    /// Variables of binders around.
    bound: FxHashMap<NodeId, VariableId>,
    /// The next of them.
    next: u32,
}

impl<'f, 'l, 't> Found<'f, 'l, 't> {
    pub(super) fn new(scope: &'f mut Scope<'l, 't>, model: &AlgebraicModel<'t>) -> Found<'f, 'l, 't> {
        let next = model.model.next_variable;
        Found { scope, data: Vec::new(), terms: Vec::new(), bound: FxHashMap::default(), next }
    }

    /// A value from outside, which the algebra does not look into.
    fn hole(&mut self, value: s::Expression, ty: &Type, place: Span) -> process::Expression {
        let text = silver::syntax::print_expression(&value);
        let known = self.data.iter().position(|known| known.0 == text && known.2 == *ty);
        let at = known.unwrap_or_else(|| {
            self.data.push((text, value, ty.clone()));
            self.data.len() - 1
        });
        let leaf = process::ExpressionKind::Foreign(at as u32);
        process::Expression::new(leaf, known_type(&mut self.scope.lowering.terms.types, ty), place)
    }

    /// An integer, which the algebra knows if it is written down.
    pub(super) fn number(&mut self, value: s::Expression, place: Span) -> process::Expression {
        if let s::ExpressionKind::Int(digits) = &*value.kind
            && let Ok(known) = digits.parse()
        {
            let literal = process::ExpressionKind::Literal(process::Value::Integer(known));
            return process::Expression::new(literal, process::Type::Integer, place);
        }
        self.hole(value, &Type::Int, place)
    }

    /// An expression under a binder whose variable it mentions.
    fn under_binder(&mut self, expression: &'t Expression, ty: &Type) -> process::Expression {
        let resolution = self.scope.resolution;
        let bound = self.bound.clone();
        let own = self.scope.type_of(expression);
        let known = if own == *ty { structured(resolution, &bound, expression, ty, self) } else { None };
        let kind = known.unwrap_or_else(|| self.opaque_call(expression, &bound));
        process::Expression::new(kind, known_type(&mut self.scope.lowering.terms.types, ty), expression.span)
    }

    /// A function of all variables in an expression.
    fn opaque_call(
        &mut self,
        expression: &'t Expression,
        bound: &FxHashMap<NodeId, VariableId>,
    ) -> process::ExpressionKind {
        let place = expression.span;
        if self.scope.depends_on_more_than_variables(expression) {
            self.scope
                .unsupported(place, "data from the heap under `\\sum`, `\\par` or `\\forall*` in a term");
        }
        let mut parameters = Vec::new();
        self.scope.mentioned_variables(expression, &mut parameters);
        parameters.retain(|id| bound.contains_key(id) || self.scope.bindings.variables.contains_key(id));
        let mut arguments = Vec::new();
        for id in &parameters {
            let ty = self.scope.variable_type(*id);
            let argument = match bound.get(id) {
                Some(variable) => {
                    let known = known_type(&mut self.scope.lowering.terms.types, &ty);
                    process::Expression::new(process::ExpressionKind::Variable(*variable), known, place)
                }
                None => {
                    let value = self.scope.variable(*id, place);
                    self.hole(value, &ty, place)
                }
            };
            arguments.push(argument);
        }
        let function = self.scope.lowering.terms.add_opaque(Opaque { expression, parameters });
        process::ExpressionKind::Call(function, arguments)
    }
}

/// What is in a term: data and other terms, each with its name.
pub(super) type Inside = (Vec<(String, s::Expression, Type)>, Vec<(String, s::Expression)>);

impl<'t> Leaves<'t> for Found<'_, '_, 't> {
    fn data(&mut self, expression: &'t Expression) -> process::Expression {
        let ty = self.scope.converted_type(expression);
        let bound: Vec<NodeId> = self.bound.keys().copied().collect();
        if self.scope.mentions(expression, &bound) {
            return self.under_binder(expression, &ty);
        }
        let value = self.scope.expression(expression);
        match (&ty, &*value.kind) {
            (Type::Int, _) => self.number(value, expression.span),
            (Type::Boolean, s::ExpressionKind::Bool(known)) => {
                let literal = process::ExpressionKind::Literal(process::Value::Boolean(*known));
                process::Expression::new(literal, process::Type::Boolean, expression.span)
            }
            _ => self.hole(value, &ty, expression.span),
        }
    }

    fn variable(&mut self, declared: NodeId) -> VariableId {
        let variable = VariableId(self.next);
        self.next += 1;
        self.bound.insert(declared, variable);
        variable
    }

    fn type_of_variable(&mut self, declared: NodeId) -> process::Type {
        let ty = self.scope.variable_type(declared);
        known_type(&mut self.scope.lowering.terms.types, &ty)
    }

    fn other(&mut self, expression: &'t Expression, what: Other) -> Option<u32> {
        let bound: Vec<NodeId> = self.bound.keys().copied().collect();
        if what == Other::OfAnotherModel || self.scope.mentions(expression, &bound) {
            return None;
        }
        let value = self.scope.plain_process(expression);
        let text = silver::syntax::print_expression(&value);
        let known = self.terms.iter().position(|known| known.0 == text);
        let at = known.unwrap_or_else(|| {
            self.terms.push((text, value));
            self.terms.len() - 1
        });
        Some(at as u32)
    }
}

impl<'t> Scope<'_, 't> {
    /// Whether an expression depends on the heap, on an object or on a thread.
    fn depends_on_more_than_variables(&self, expression: &'t Expression) -> bool {
        let reads = |call: &CallTarget| match call {
            CallTarget::Routine(target) => {
                let routine = self.resolution.items.routines.get(&target.routine).copied();
                let Some(Routine::Function(function)) = routine else { return true };
                let mut clauses = function.contract.preconditions();
                clauses.any(|clause| matches!(self.type_of(clause), Type::Resource | Type::ResourceValue))
            }
            CallTarget::Member(_) | CallTarget::AdtFunction { .. } | CallTarget::ProverFunction(_) => false,
            CallTarget::MemberFunction(_) => false,
            _ => true,
        };
        let here = match (&*expression.kind, self.resolution.calls.get(&expression.id)) {
            (ExpressionKind::Call(_), Some(target)) => reads(target),
            (ExpressionKind::Call(_), None) | (ExpressionKind::Result | ExpressionKind::CurrentThread, _) => {
                true
            }
            _ => false,
        };
        let mut found = here || self.uses_object(expression) || self.reads_directly(expression);
        expression
            .kind
            .for_each_child(&mut |child| found = found || self.depends_on_more_than_variables(child));
        found
    }
}
