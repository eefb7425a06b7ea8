//! Sums and counts: functions over the variables that are mentioned.
//!
//! A term of a sum is a function with an axiom that says what it is, which has a value also outside of the range; the
//! sum itself is a recursive function, all of whose steps are known where they are few. Places with the same term share them.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::build::Build;
use super::scope::{Mode, Scope};
use crate::resolve::{CallTarget, NameTarget, Selection, Subscript, Type};
use crate::syntax::tree::{BinaryOperator, Binding, Expression, ExpressionKind, NodeId, QuantifierKind};

/// A sum of so many terms is computed.
const SHORT_SUM: i64 = 16;

/// Bounds of an integer, and what else a condition says.
struct Range<'t> {
    low: Option<(&'t Expression, bool)>,
    high: Option<(&'t Expression, bool)>,
    rest: Vec<&'t Expression>,
}

/// What is added up.
pub(super) struct SumTerm<'r, 't> {
    pub kind: QuantifierKind,
    pub binding: &'t Binding,
    /// What the condition says besides the bounds.
    pub rest: &'r [&'t Expression],
    pub body: &'t Expression,
    /// Variables that are mentioned.
    pub outside: &'r [NodeId],
    pub uses_this: bool,
    pub place: Span,
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
        let parts: Vec<&'t Expression> = range.rest.iter().copied().chain([body]).collect();
        let is_on_heap = parts.iter().any(|part| self.reads_heap(part));
        let reads = if is_on_heap {
            let mut reads = Vec::new();
            if !parts.iter().all(|part| self.heap_reads(part, binding.id, &mut reads)) {
                let what = "a sum over other values on the heap than fields and elements of arrays";
                return self.unsupported(place, what);
            }
            Some(reads)
        } else if parts.iter().any(|part| self.is_partial(part)) {
            return self.unsupported(place, "a sum over what is not always defined");
        } else {
            None
        };
        let mut outside = Vec::new();
        for part in &parts {
            self.mentioned_variables(part, &mut outside);
        }
        outside.retain(|id| *id != binding.id && self.variables.contains_key(id));
        let low = self.bound(low, true);
        let high = self.bound(high, false);
        let uses_this = parts.iter().any(|part| self.uses_object(part));
        let term = SumTerm { kind, binding, rest: &range.rest, body, outside: &outside, uses_this, place };
        let name = self.declare_sum(&term, reads.as_deref());
        let mut arguments = self.captured(&outside, uses_this, place);
        arguments.extend([low.clone(), high.clone()]);
        let sum = self.at(place).call(&name, arguments);
        if parts.iter().all(|part| is_always_defined(part)) {
            return sum;
        }
        let are_defined = self.are_defined(&term, low, high);
        let nothing = self.sum_of_nothing(&term);
        self.at(place).conditional(are_defined, sum, nothing)
    }

    fn sum_of_nothing(&mut self, term: &SumTerm<'_, 't>) -> s::Expression {
        let is_rational =
            term.kind != QuantifierKind::Count && super::types::is_rational(&self.converted_type(term.body));
        let mut build = self.at(term.place);
        if is_rational { build.no_permission() } else { build.int(0) }
    }

    /// True, and fails where a term of the sum is not defined: the terms themselves are in a function, where nobody
    /// would look.
    fn are_defined(
        &mut self,
        term: &SumTerm<'_, 't>,
        low: s::Expression,
        high: s::Expression,
    ) -> s::Expression {
        let mode = std::mem::replace(&mut self.mode, Mode::Specification);
        let name = self.declare(term.binding.id, &term.binding.name.text);
        let rest: Vec<s::Expression> = term.rest.iter().map(|part| self.expression(part)).collect();
        let values = [self.expression(term.body), self.expression(term.body)];
        self.mode = mode;
        let mut build = self.at(term.place);
        let variable = build.variable(&name);
        let mut guards = vec![build.within(low, variable, high)];
        guards.extend(rest);
        let guard = build.all(guards);
        let [left, right] = values;
        let equal = build.equal(left, right);
        let body = build.implies(guard, equal);
        let int = build.ty(s::TypeKind::Int);
        let binding = build.binding(&name, int);
        build.forall(vec![binding], Vec::new(), body)
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

    /// Declares the function that is the sum; its terms are on the heap if there are things to be read there.
    fn declare_sum(&mut self, term: &SumTerm<'_, 't>, reads: Option<&[&'t Expression]>) -> Arc<str> {
        let place = term.place;
        let word = if term.kind == QuantifierKind::Count { "count" } else { "sum" };
        let name = self.lowering.globals.fresh(word);
        let result = match term.kind {
            QuantifierKind::Count => Type::Int,
            _ => self.converted_type(term.body),
        };
        let zero = self.sum_of_nothing(term);
        let fresh = |scope: &mut Self, end: &str| scope.lowering.globals.fresh(&format!("{name}_{end}"));
        let names = [fresh(self, "term"), fresh(self, "terms"), fresh(self, "term_value")];
        let (mut scope, formals) = self.function_scope(term.outside, term.uses_this, place);
        let result = scope.ty(&result, place);
        let captured: Vec<Arc<str>> = formals.iter().map(|formal| formal.name.text.clone()).collect();
        let range = (scope.names.fresh("low"), scope.names.fresh("high"));
        let mut build = scope.at(place);
        let (high, one) = (build.variable(&range.1), build.int(1));
        let last = build.subtract(high, one);
        let mut members = Vec::new();
        let (preconditions, summand) = match reads {
            Some(reads) => {
                let preconditions = scope.sum_preconditions(term, reads, &range);
                scope.variables.insert(term.binding.id, super::scope::Variable::Value(last.clone()));
                (preconditions, scope.sum_term(term, zero.clone()))
            }
            None => {
                let index = scope.declare(term.binding.id, "index");
                let value = scope.sum_term(term, zero.clone());
                let mut build = scope.at(place);
                members.push(term_domain(&mut build, &names, &formals, &index, &result, value));
                let mut all: Vec<s::Expression> = captured.iter().map(|name| build.variable(name)).collect();
                all.push(last.clone());
                (Vec::new(), build.call(&names[0], all))
            }
        };
        let mut build = scope.at(place);
        let mut shorter: Vec<s::Expression> = captured.iter().map(|name| build.variable(name)).collect();
        shorter.extend([build.variable(&range.0), last]);
        let shorter = build.call(&name, shorter);
        let sum = build.binary(s::BinaryOperator::Add, shorter, summand);
        let function = recursive_sum(&mut build, &name, formals, &range, result, preconditions, zero, sum);
        members.push(s::MemberKind::Function(function));
        let members = members.into_iter().map(|kind| build.member(kind)).collect();
        let program = s::Program { members };
        let key = silver::syntax::print(&program).replace(&*name, "sum");
        if let Some(known) = self.lowering.sums.get(&key) {
            return known.clone();
        }
        self.lowering.sums.insert(key, name.clone());
        self.lowering.members.extend(program.members);
        name
    }

    /// What a value of the variable adds.
    fn sum_term(&mut self, term: &SumTerm<'_, 't>, zero: s::Expression) -> s::Expression {
        let mut guards: Vec<s::Expression> = term.rest.iter().map(|part| self.expression(part)).collect();
        let value = self.expression(term.body);
        let mut build = self.at(term.place);
        let value = if term.kind == QuantifierKind::Count {
            guards.push(value);
            build.int(1)
        } else {
            value
        };
        if guards.is_empty() {
            return value;
        }
        let guard = build.all(guards);
        build.conditional(guard, value, zero)
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

/// A function for the terms, whose axiom says what they are.
fn term_domain(
    build: &mut Build<'_>,
    [term, domain, axiom]: &[Arc<str>; 3],
    captured: &[s::Binding],
    index: &Arc<str>,
    result: &s::Type,
    value: s::Expression,
) -> s::MemberKind {
    let mut all: Vec<s::Expression> =
        captured.iter().map(|formal| build.variable(&formal.name.text)).collect();
    all.push(build.variable(index));
    let applied = build.call(term, all);
    let equal = build.equal(applied.clone(), value);
    let mut bindings = captured.to_vec();
    let int = build.ty(s::TypeKind::Int);
    bindings.push(build.binding(index, int));
    let triggers = vec![build.trigger(vec![applied])];
    let body = build.forall(bindings.clone(), triggers, equal);
    s::MemberKind::Domain(s::Domain {
        name: build.name(domain),
        parameters: None,
        interpretations: None,
        functions: vec![s::DomainFunction {
            annotations: Vec::new(),
            unique: false,
            name: build.name(term),
            formals: bindings.into_iter().map(|binding| (Some(binding.name), binding.ty)).collect(),
            result: result.clone(),
            interpretation: None,
            span: build.node(super::Role::Plain),
        }],
        axioms: vec![s::Axiom {
            annotations: Vec::new(),
            name: Some(build.name(axiom)),
            body,
            span: build.node(super::Role::Plain),
        }],
    })
}

/// The sum from the front to the back; `sum` is what one is that is not empty.
#[expect(clippy::too_many_arguments, reason = "a function has this many parts")]
fn recursive_sum(
    build: &mut Build<'_>,
    name: &Arc<str>,
    mut formals: Vec<s::Binding>,
    (low, high): &(Arc<str>, Arc<str>),
    result: s::Type,
    mut preconditions: Vec<s::Specification>,
    zero: s::Expression,
    sum: s::Expression,
) -> s::Function {
    let (low_value, high_value) = (build.variable(low), build.variable(high));
    let is_empty = build.at_most(high_value.clone(), low_value.clone());
    // Only one step of a recursion is known by its definition; all steps of a short one are known by what it ensures.
    let value = build.expression(s::ExpressionKind::Result);
    let nothing = build.equal(value.clone(), zero.clone());
    let nothing = build.implies(is_empty.clone(), nothing);
    let size = build.int(SHORT_SUM);
    let end = build.binary(s::BinaryOperator::Add, low_value.clone(), size);
    let something = build.less(low_value.clone(), high_value.clone());
    let is_short = build.at_most(high_value.clone(), end);
    let is_short = build.and(something, is_short);
    let step = build.equal(value, sum.clone());
    let step = build.implies(is_short, step);
    let postconditions = vec![build.specification(nothing), build.specification(step)];
    let body = build.conditional(is_empty, zero, sum);
    let measure = s::Measure::Tuple(vec![build.subtract(high_value, low_value)]);
    let span = build.node(super::Role::Plain);
    let kind = s::SpecificationKind::Decreases(s::Decreases { measure, condition: None, span });
    preconditions.push(s::Specification { kind, span });
    for bound in [low, high] {
        let int = build.ty(s::TypeKind::Int);
        formals.push(build.binding(bound, int));
    }
    s::Function { name: build.name(name), formals, result, preconditions, postconditions, body: Some(body) }
}

/// Whether nothing in it can fail.
fn is_always_defined(expression: &Expression) -> bool {
    use BinaryOperator as B;
    let direct = match &*expression.kind {
        ExpressionKind::Int(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::Unary(..)
        | ExpressionKind::Conditional(..)
        | ExpressionKind::Size(_) => true,
        ExpressionKind::Binary(operator, ..) => matches!(
            operator,
            B::Implies
                | B::And
                | B::Or
                | B::Equal
                | B::NotEqual
                | B::Less
                | B::LessEqual
                | B::Greater
                | B::GreaterEqual
                | B::In
                | B::Add
                | B::Subtract
                | B::Multiply
        ),
        _ => false,
    };
    let mut defined = direct;
    expression.kind.for_each_child(&mut |child| defined = defined && is_always_defined(child));
    defined
}
