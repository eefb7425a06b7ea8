//! Sums and counts: functions over the variables that are mentioned.
//!
//! A term of a sum is a function with an axiom that says what it is, which has a value also outside of the range; the
//! sum itself is a recursive function, which says what it is for a few terms. Places with the same term share them.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::scope::{Mode, Scope};
use crate::resolve::{CallTarget, NameTarget, Selection, Subscript, Type};
use crate::syntax::tree::{BinaryOperator, Binding, Expression, ExpressionKind, NodeId, QuantifierKind};

/// Bounds of an integer, and what else a condition says.
struct Range<'t> {
    low: Option<(&'t Expression, bool)>,
    high: Option<(&'t Expression, bool)>,
    rest: Vec<&'t Expression>,
}

impl<'t> Scope<'_, 't> {
    pub(super) fn reduction(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let [binding] = bindings else {
            return self.unsupported(place, "a sum over other than one variable");
        };
        let mut range = Range { low: None, high: None, rest: Vec::new() };
        if let Some((low, high)) = &binding.range {
            range.low = Some((low, true));
            range.high = Some((high, false));
        }
        if let Some(condition) = condition {
            self.read_range(condition, binding.id, &mut range);
        }
        if self.variable_type(binding.id) != Type::Int {
            return self.unsupported(binding.span, "a sum over a variable that is not an `int`");
        }
        let (Some(low), Some(high)) = (range.low, range.high) else {
            let message = "the variable of a sum needs a lower and an upper bound";
            self.error("sumBounds", place, message, "write `(\\sum int i = a..b; e)`");
            return self.at(place).int(0);
        };
        if self.reads_heap(body) || range.rest.iter().any(|part| self.reads_heap(part)) {
            return self.unsupported(place, "a sum over values on the heap");
        }
        if self.is_partial(body) || range.rest.iter().any(|part| self.is_partial(part)) {
            return self.unsupported(place, "a sum over what is not always defined");
        }
        let mut outside = Vec::new();
        self.mentioned_variables(body, &mut outside);
        for part in &range.rest {
            self.mentioned_variables(part, &mut outside);
        }
        outside.retain(|id| *id != binding.id && self.variables.contains_key(id));
        let low = self.bound(low, true);
        let high = self.bound(high, false);
        let name = self.lowering.globals.fresh(if kind == QuantifierKind::Count { "count" } else { "sum" });
        let uses_this = self.uses_object(body) || range.rest.iter().any(|part| self.uses_object(part));
        let name = self.declare_sum(name, kind, binding, &range.rest, body, &outside, uses_this, place);
        let mut arguments = self.captured(&outside, uses_this, place);
        arguments.extend([low, high]);
        self.at(place).call(&name, arguments)
    }

    pub(super) fn captured(
        &mut self,
        outside: &[NodeId],
        uses_this: bool,
        place: Span,
    ) -> Vec<s::Expression> {
        let mut arguments = Vec::new();
        if uses_this {
            arguments.push(self.this(place));
        }
        for id in outside {
            arguments.push(self.variable(*id, place));
        }
        arguments
    }

    /// A bound such that the lower one is included and the upper one is not.
    fn bound(&mut self, (bound, included): (&'t Expression, bool), is_low: bool) -> s::Expression {
        let value = self.expression(bound);
        if included == is_low {
            return value;
        }
        let mut build = self.at(bound.span);
        let one = build.int(1);
        build.binary(s::BinaryOperator::Add, value, one)
    }

    /// Sorts the conjuncts of a condition into bounds of the variable and the rest.
    fn read_range(&self, condition: &'t Expression, variable: NodeId, range: &mut Range<'t>) {
        use BinaryOperator::*;
        if let ExpressionKind::Binary(operator, left, right) = &*condition.kind {
            if matches!(operator, And | Star) {
                self.read_range(left, variable, range);
                self.read_range(right, variable, range);
                return;
            }
            let is_variable = |e: &Expression| match self.resolution.names.get(&e.id) {
                Some(NameTarget::Variable(id)) => *id == variable,
                _ => false,
            };
            let (smaller, larger, included) = match operator {
                Less => (left, right, false),
                LessEqual => (left, right, true),
                Greater => (right, left, false),
                GreaterEqual => (right, left, true),
                _ => {
                    range.rest.push(condition);
                    return;
                }
            };
            if is_variable(larger) && !self.mentions(smaller, &[variable]) && range.low.is_none() {
                range.low = Some((smaller, included));
                return;
            }
            if is_variable(smaller) && !self.mentions(larger, &[variable]) && range.high.is_none() {
                range.high = Some((larger, included));
                return;
            }
        }
        range.rest.push(condition);
    }

    /// Whether the value depends on the heap.
    pub(super) fn reads_heap(&self, expression: &Expression) -> bool {
        let direct = match &*expression.kind {
            ExpressionKind::Name(_) => matches!(
                self.resolution.names.get(&expression.id),
                Some(NameTarget::Field(_) | NameTarget::StaticField(_) | NameTarget::ModelField(_))
            ),
            ExpressionKind::Field(..) => {
                !matches!(self.resolution.selections.get(&expression.id), Some(Selection::Member(_)))
            }
            ExpressionKind::Index(..) => matches!(
                self.resolution.subscripts.get(&expression.id),
                Some(Subscript::Array | Subscript::Pointer) | None
            ),
            ExpressionKind::Call(_) => !matches!(
                self.resolution.calls.get(&expression.id),
                Some(CallTarget::Member(_) | CallTarget::AdtFunction { .. } | CallTarget::ProverFunction(_))
            ),
            ExpressionKind::Unfolding(..)
            | ExpressionKind::Old(..)
            | ExpressionKind::CoalescingCall { .. } => true,
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.reads_heap(child));
        found
    }

    pub(super) fn uses_object(&self, expression: &Expression) -> bool {
        let direct = match &*expression.kind {
            ExpressionKind::This => true,
            ExpressionKind::Name(_) => {
                matches!(self.resolution.names.get(&expression.id), Some(NameTarget::Field(_)))
            }
            ExpressionKind::Call(_) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(call)) => call.receiver == crate::resolve::Receiver::ImplicitThis,
                _ => false,
            },
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.uses_object(child));
        found
    }

    /// A scope for a function of its own over some variables, with its formals.
    pub(super) fn function_scope(
        &mut self,
        outside: &[NodeId],
        uses_this: bool,
        place: Span,
    ) -> (Scope<'_, 't>, Vec<s::Binding>) {
        let mut scope = Scope::new(&mut *self.lowering, self.substitution.clone());
        scope.mode = Mode::Specification;
        let mut formals = Vec::new();
        if uses_this {
            formals.push(scope.this_formal(place));
        }
        for id in outside {
            let ty = scope.variable_type(*id);
            let ty = scope.ty(&ty, place);
            let name = scope.declare(*id, "captured");
            formals.push(scope.at(place).binding(&name, ty));
        }
        (scope, formals)
    }

    #[expect(clippy::too_many_arguments, reason = "a sum has this many parts")]
    fn declare_sum(
        &mut self,
        name: Arc<str>,
        kind: QuantifierKind,
        binding: &'t Binding,
        rest: &[&'t Expression],
        body: &'t Expression,
        outside: &[NodeId],
        uses_this: bool,
        place: Span,
    ) -> Arc<str> {
        let term = self.lowering.globals.fresh(&format!("{name}_term"));
        let domain_name = self.lowering.globals.fresh(&format!("{name}_terms"));
        let axiom_name = self.lowering.globals.fresh(&format!("{name}_term_value"));
        let result = match kind {
            QuantifierKind::Count => Type::Int,
            _ => self.converted_type(body),
        };
        let (mut scope, formals) = self.function_scope(outside, uses_this, place);
        let index = scope.declare(binding.id, "index");
        let mut guards: Vec<s::Expression> = rest.iter().map(|part| scope.expression(part)).collect();
        let value = match kind {
            QuantifierKind::Count => {
                guards.push(scope.expression(body));
                scope.at(place).int(1)
            }
            _ => scope.expression(body),
        };
        let result_type = scope.ty(&result, place);
        let is_rational = super::types::is_rational(&result);
        let low = scope.names.fresh("low");
        let high = scope.names.fresh("high");
        let mut build = scope.at(place);
        let zero = if is_rational { build.no_permission() } else { build.int(0) };
        let value = match guards.is_empty() {
            true => value,
            false => {
                let guard = build.all(guards);
                build.conditional(guard, value, zero.clone())
            }
        };
        let int = build.ty(s::TypeKind::Int);
        let names: Vec<Arc<str>> = formals.iter().map(|formal| formal.name.text.clone()).collect();
        let captured: Vec<s::Expression> = names.iter().map(|name| build.variable(name)).collect();
        // The term and its axiom.
        let mut all = captured.clone();
        all.push(build.variable(&index));
        let applied = build.call(&term, all);
        let equal = build.equal(applied.clone(), value);
        let mut bindings = formals.clone();
        bindings.push(build.binding(&index, int.clone()));
        let triggers = vec![build.trigger(vec![applied])];
        let axiom = build.forall(bindings.clone(), triggers, equal);
        let domain = s::Domain {
            name: build.name(&domain_name),
            parameters: None,
            interpretations: None,
            functions: vec![s::DomainFunction {
                annotations: Vec::new(),
                unique: false,
                name: build.name(&term),
                formals: bindings.into_iter().map(|binding| (Some(binding.name), binding.ty)).collect(),
                result: result_type.clone(),
                interpretation: None,
                span: build.node(super::Role::Plain),
            }],
            axioms: vec![s::Axiom {
                annotations: Vec::new(),
                name: Some(build.name(&axiom_name)),
                body: axiom,
                span: build.node(super::Role::Plain),
            }],
        };
        // The sum from the front to the back.
        let (low_value, high_value) = (build.variable(&low), build.variable(&high));
        let one = build.int(1);
        let last = build.subtract(high_value.clone(), one);
        let mut shorter = captured.clone();
        shorter.extend([low_value.clone(), last.clone()]);
        let shorter = build.call(&name, shorter);
        let mut all = captured.clone();
        all.push(last);
        let summand = build.call(&term, all);
        let sum = build.binary(s::BinaryOperator::Add, shorter, summand);
        let is_empty = build.at_most(high_value.clone(), low_value.clone());
        // Only one step of a recursion is known; what a few terms amount to is said.
        let mut amount = zero.clone();
        let result = build.expression(s::ExpressionKind::Result);
        let nothing = build.equal(result.clone(), zero.clone());
        let nothing = build.implies(is_empty.clone(), nothing);
        let mut postconditions = vec![build.specification(nothing)];
        for count in 0..10_i64 {
            let offset = build.int(count);
            let at = build.binary(s::BinaryOperator::Add, low_value.clone(), offset);
            let mut arguments = captured.clone();
            arguments.push(at);
            let summand = build.call(&term, arguments);
            amount = build.binary(s::BinaryOperator::Add, amount, summand);
            let size = build.int(count + 1);
            let end = build.binary(s::BinaryOperator::Add, low_value.clone(), size);
            let is_so_long = build.equal(high_value.clone(), end);
            let equal = build.equal(result.clone(), amount.clone());
            let known = build.implies(is_so_long, equal);
            postconditions.push(build.specification(known));
        }
        let body = build.conditional(is_empty, zero, sum);
        let length = build.subtract(high_value, low_value);
        let span = build.node(super::Role::Plain);
        let measure = s::Measure::Tuple(vec![length]);
        let kind = s::SpecificationKind::Decreases(s::Decreases { measure, condition: None, span });
        let measure = s::Specification { kind, span };
        let mut formals = formals;
        formals.push(build.binding(&low, int.clone()));
        formals.push(build.binding(&high, int));
        let function = s::Function {
            name: build.name(&name),
            formals,
            result: result_type,
            preconditions: vec![measure],
            postconditions,
            body: Some(body),
        };
        let members = [s::MemberKind::Domain(domain), s::MemberKind::Function(function)];
        let members = members.map(|kind| build.member(kind)).to_vec();
        let program = s::Program { members };
        let key = silver::syntax::print(&program).replace(&*name, "sum");
        if let Some(known) = self.lowering.sums.get(&key) {
            return known.clone();
        }
        self.lowering.sums.insert(key, name.clone());
        self.lowering.members.extend(program.members);
        name
    }

    /// Whether a part is a function with a precondition, which axioms cannot use.
    fn is_partial(&self, expression: &Expression) -> bool {
        use crate::resolve::Member;
        use crate::syntax::tree::Builtin;
        let direct = match &*expression.kind {
            ExpressionKind::Field(..) => matches!(
                self.resolution.selections.get(&expression.id),
                Some(Selection::Member(
                    Member::ArrayLength | Member::OptionGet | Member::EitherLeft | Member::EitherRight
                ))
            ),
            ExpressionKind::Builtin(builtin, _) => matches!(
                builtin,
                Builtin::Values
                    | Builtin::Choose
                    | Builtin::ChooseFresh
                    | Builtin::Pow
                    | Builtin::PointerLength
                    | Builtin::PointerBlockLength
                    | Builtin::PointerBlockOffset
            ),
            ExpressionKind::Binary(BinaryOperator::Power, ..) => true,
            ExpressionKind::Quantifier { kind: QuantifierKind::Sum | QuantifierKind::Count, .. } => true,
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.is_partial(child));
        found
    }
}
