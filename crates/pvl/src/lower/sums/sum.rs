//! Sums and counts: which function they are, and the checks at the place where they stand.
//!
//! A sum over several variables is a sum of sums. That all terms are defined is checked where the sum stands; its
//! function has some value also where they are not. A sum of values of now and of `\old` is the sum of sums, each in one
//! state.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::codes;
use crate::lower::scope::{Scope, Variable};
use crate::lower::sums::captures::Captures;
use crate::resolve::{CallTarget, NameTarget, Operation, Selection, Subscript, Type};
use crate::syntax::tree::{
    BinaryOperator, Binding, Expression, ExpressionKind, NodeId, QuantifierKind, UnaryOperator,
};

/// Bounds of an integer, and what else a condition says.
struct Range<'t> {
    low: Option<(&'t Expression, bool)>,
    high: Option<(&'t Expression, bool)>,
    rest: Vec<&'t Expression>,
}

/// A sum as it is written, or what is left of it behind its first variables.
#[derive(Clone)]
struct Reduction<'t> {
    kind: QuantifierKind,
    bindings: &'t [Binding],
    conditions: Vec<&'t Expression>,
    body: &'t Expression,
    place: Span,
}

/// What is added up.
pub(crate) struct SumTerm<'r, 't> {
    pub kind: QuantifierKind,
    pub binding: &'t Binding,
    /// Variables that each term is a sum over.
    pub inner: &'t [Binding],
    /// What the condition says besides the bounds.
    pub rest: &'r [&'t Expression],
    pub body: &'t Expression,
    pub captures: &'r Captures,
    pub place: Span,
}

impl<'t> SumTerm<'_, 't> {
    /// The sum over the variables behind the first one.
    fn left_over(&self) -> Reduction<'t> {
        Reduction {
            kind: self.kind,
            bindings: self.inner,
            conditions: self.rest.to_vec(),
            body: self.body,
            place: self.place,
        }
    }
}

/// What is known of terms.
pub(crate) enum TermKind<'t> {
    /// They are defined everywhere, for all that Silver knows.
    Total,
    /// They read only these fields and elements of arrays, each term all of them.
    Reads(Vec<&'t Expression>),
    /// They may read anything, and need not be defined.
    Partial,
}

/// A summand of the terms, and the state that it is from.
struct Summand<'t> {
    is_added: bool,
    /// The `\old`, if it is not of now.
    old: Option<&'t Expression>,
    value: &'t Expression,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn reduction(
        &mut self,
        kind: QuantifierKind,
        bindings: &'t [Binding],
        condition: Option<&'t Expression>,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let conditions: Vec<&'t Expression> = condition.into_iter().collect();
        let whole = Reduction { kind, bindings, conditions, body, place };
        let has_old = has_old(body) || condition.is_some_and(has_old);
        if has_old { self.of_states(&whole) } else { self.reduce(&whole) }
    }

    /// A sum over the first variable, of sums over the others.
    fn reduce(&mut self, whole: &Reduction<'t>) -> s::Expression {
        let place = whole.place;
        let Some((binding, inner)) = whole.bindings.split_first() else {
            return self.at(place).int(0);
        };
        match self.variable_type(binding.id) {
            Type::Int => {}
            Type::Boolean => {
                let values = [false, true].map(|value| self.at(place).bool(value));
                return self.over_values(whole, binding, inner, values.into());
            }
            Type::Enum(id) => {
                let declared = self.resolution.items.enums.get(&id).copied();
                let constants = declared.into_iter().flat_map(|it| &it.constants);
                let values = constants.map(|constant| self.enum_constant(constant.id, place)).collect();
                return self.over_values(whole, binding, inner, values);
            }
            _ => {
                let message = "a sum runs over integers, booleans and enums";
                let help = "sum over the positions of a sequence: `(\\sum int i = 0 .. |xs|; f(xs[i]))`";
                self.error(codes::SUM_BOUNDS, binding.span, message, help);
                return self.at(place).int(0);
            }
        }
        let Some(range) = self.range_of(whole, binding, inner) else {
            let message = format!("`{}` needs a lower and an upper bound", binding.name.text);
            self.error(codes::SUM_BOUNDS, place, message, "write `(\\sum int i = a .. b; e)`");
            return self.at(place).int(0);
        };
        let (Some(low), Some(high)) = (range.low, range.high) else { return self.at(place).int(0) };
        let parts = self.parts(&range.rest, inner, whole.body);
        let kind = self.term_kind(&parts, binding, inner);
        let bound: Vec<NodeId> = whole.bindings.iter().map(|binding| binding.id).collect();
        let captures = self.captures(&parts, &bound);
        let low = self.bound(low, true);
        let high = self.bound(high, false);
        let term = SumTerm {
            kind: whole.kind,
            binding,
            inner,
            rest: &range.rest,
            body: whole.body,
            captures: &captures,
            place,
        };
        let name = self.declare_sum(&term, &kind);
        let mut arguments = self.captured(&captures, place);
        arguments.extend([low.clone(), high.clone()]);
        let sum = self.at(place).call(&name, arguments);
        if self.spec.in_sum_term || parts.iter().all(|part| is_always_defined(part)) {
            return sum;
        }
        let are_defined = self.are_defined(&term, low, high);
        let nothing = self.sum_of_nothing(&term);
        self.at(place).conditional(are_defined, sum, nothing)
    }

    /// The bounds of the first variable; what else is known is left to the last one.
    fn range_of(
        &self,
        whole: &Reduction<'t>,
        binding: &'t Binding,
        inner: &'t [Binding],
    ) -> Option<Range<'t>> {
        let mut range = Range { low: None, high: None, rest: Vec::new() };
        if let Some((low, high)) = &binding.range {
            range.low = Some((low, true));
            range.high = Some((high, false));
        }
        let later: Vec<NodeId> = inner.iter().map(|binding| binding.id).collect();
        for condition in &whole.conditions {
            self.read_range(condition, binding.id, &later, &mut range);
        }
        (range.low.is_some() && range.high.is_some()).then_some(range)
    }

    /// All that a term consists of.
    fn parts(
        &self,
        rest: &[&'t Expression],
        inner: &'t [Binding],
        body: &'t Expression,
    ) -> Vec<&'t Expression> {
        let ranges = inner.iter().filter_map(|binding| binding.range.as_ref());
        let bounds = ranges.flat_map(|(low, high)| [low, high]);
        rest.iter().copied().chain(bounds).chain([body]).collect()
    }

    fn term_kind(
        &self,
        parts: &[&'t Expression],
        binding: &'t Binding,
        inner: &'t [Binding],
    ) -> TermKind<'t> {
        if !inner.is_empty() {
            return TermKind::Partial;
        }
        if parts.iter().any(|part| self.reads_heap(part)) {
            return self.heap_reads(parts, binding.id).map_or(TermKind::Partial, TermKind::Reads);
        }
        if parts.iter().any(|part| self.is_partial(part)) { TermKind::Partial } else { TermKind::Total }
    }

    /// The value of the term for its variable, without conditions.
    pub(crate) fn added_value(&mut self, term: &SumTerm<'_, 't>) -> s::Expression {
        if term.inner.is_empty() {
            return self.expression(term.body);
        }
        self.reduce(&term.left_over())
    }

    /// The sum over a variable that has few values.
    fn over_values(
        &mut self,
        whole: &Reduction<'t>,
        binding: &'t Binding,
        inner: &'t [Binding],
        values: Vec<s::Expression>,
    ) -> s::Expression {
        let captures = self.captures(&[], &[]);
        let term = SumTerm {
            kind: whole.kind,
            binding,
            inner,
            rest: &whole.conditions,
            body: whole.body,
            captures: &captures,
            place: whole.place,
        };
        self.specification(|scope| {
            let zero = scope.sum_of_nothing(&term);
            let mut sum: Option<s::Expression> = None;
            for value in values {
                scope.bindings.variables.insert(binding.id, Variable::Value(value));
                let added = scope.sum_term(&term, zero.clone());
                let mut build = scope.at(whole.place);
                sum = Some(match sum {
                    Some(sum) => build.binary(s::BinaryOperator::Add, sum, added),
                    None => added,
                });
            }
            sum.unwrap_or(zero)
        })
    }

    /// The sum of terms that are of several states: one sum for each summand.
    fn of_states(&mut self, whole: &Reduction<'t>) -> s::Expression {
        let place = whole.place;
        let mut summands = Vec::new();
        let reads_here = whole.conditions.iter().any(|it| self.reads_heap_beside_bounds(it, whole.bindings));
        let is_kept = !self.spec.thread_values.is_empty();
        let is_known = self.summands(whole.body, true, &mut summands)
            && (whole.kind == QuantifierKind::Sum || summands.len() == 1)
            && summands.iter().all(|it| it.old.is_none() || !reads_here);
        if !is_known || is_kept || whole.conditions.iter().any(|it| has_old(it)) {
            let message = "the terms of this sum read both the current state and an earlier one";
            let help =
                "keep the earlier values in a sequence, as with `\\values`, or add up sums of one state each";
            self.error(codes::UNSUPPORTED, place, message, help);
            return self.at(place).int(0);
        }
        let mut total: Option<s::Expression> = None;
        for summand in &summands {
            let reduction = Reduction { body: summand.value, ..whole.clone() };
            let reduce = |scope: &mut Self| scope.reduce(&reduction);
            let sum = self.with(|scope| &mut scope.spec.in_sum_term, true, reduce);
            let sum = self.in_state(summand.old, sum, place);
            let mut build = self.at(place);
            total = Some(match (total, summand.is_added) {
                (None, true) => sum,
                (Some(total), true) => build.binary(s::BinaryOperator::Add, total, sum),
                (Some(total), false) => build.subtract(total, sum),
                (None, false) => build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, sum)),
            });
        }
        let total = total.unwrap_or_else(|| self.at(place).int(0));
        let are_defined = self.sum_is_defined(whole);
        let is_rational = crate::lower::values::types::is_rational(&self.converted_type(whole.body));
        let mut build = self.at(place);
        let nothing = if is_rational && whole.kind == QuantifierKind::Sum {
            build.no_permission()
        } else {
            build.int(0)
        };
        build.conditional(are_defined, total, nothing)
    }

    /// A call in another state, with arguments of this one.
    fn in_state(&mut self, old: Option<&'t Expression>, call: s::Expression, place: Span) -> s::Expression {
        let Some(old) = old else { return call };
        let ExpressionKind::Old(label, _) = &*old.kind else { return call };
        let label = label.as_ref().and_then(|_| self.label_of(old.id));
        let s::ExpressionKind::Call(name, arguments, ty) = *call.kind else {
            return self.unsupported(place, "`\\old` in a sum over this variable");
        };
        let mut kept: Vec<(Arc<str>, s::Expression)> = Vec::new();
        let mut values = Vec::new();
        for argument in arguments {
            use s::ExpressionKind::{Int, Name};
            if matches!(*argument.kind, Name(_) | Int(_)) {
                values.push(argument);
                continue;
            }
            let variable = self.member.names.fresh("argument");
            values.push(self.at(place).variable(&variable));
            kept.push((variable, argument));
        }
        let mut build = self.at(place);
        let call = build.expression(s::ExpressionKind::Call(name, values, ty));
        let label = label.map(|label| build.name(&label));
        let value = build.expression(s::ExpressionKind::Old(label, call));
        kept.into_iter().rev().fold(value, |body, (name, value)| {
            let name = build.name(&name);
            build.expression(s::ExpressionKind::Let { name, value, body })
        })
    }

    /// Splits a sum of values into values of one state each; whether that is possible.
    fn summands(&self, value: &'t Expression, is_added: bool, found: &mut Vec<Summand<'t>>) -> bool {
        if !has_old(value) {
            found.push(Summand { is_added, old: None, value });
            return true;
        }
        if self.converted_type(value) != self.type_of(value) {
            return false;
        }
        match &*value.kind {
            ExpressionKind::Old(_, inner) => {
                found.push(Summand { is_added, old: Some(value), value: inner });
                !has_old(inner)
            }
            ExpressionKind::Unary(UnaryOperator::Negate, inner) => self.summands(inner, !is_added, found),
            ExpressionKind::Binary(
                operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            ) => {
                matches!(self.resolution.operations.get(&value.id), Some(Operation::Numbers(_)))
                    && self.summands(left, is_added, found)
                    && self.summands(right, is_added == (*operator == BinaryOperator::Add), found)
            }
            _ => false,
        }
    }

    /// Whether a condition of the terms depends on the heap; bounds are evaluated once.
    fn reads_heap_beside_bounds(&self, condition: &'t Expression, bindings: &'t [Binding]) -> bool {
        let mut range = Range { low: None, high: None, rest: Vec::new() };
        match bindings {
            [binding] => self.read_range(condition, binding.id, &[], &mut range),
            _ => range.rest.push(condition),
        }
        range.rest.iter().any(|part| self.reads_heap(part))
    }

    /// True, and fails where a term of the sum is not defined. The terms are in the body of a function, and a failure
    /// there would not be reported at the sum.
    fn are_defined(
        &mut self,
        term: &SumTerm<'_, 't>,
        low: s::Expression,
        high: s::Expression,
    ) -> s::Expression {
        let name = self.declare(term.binding.id, &term.binding.name.text);
        // Conditions of an inner sum are among its own.
        let rest = if term.inner.is_empty() { term.rest } else { &[] };
        let (rest, is_defined) = self.specification(|scope| {
            let rest: Vec<s::Expression> = rest.iter().map(|part| scope.expression(part)).collect();
            let is_defined = match term.inner {
                [] => scope.is_defined(term.body),
                _ => scope.sum_is_defined(&term.left_over()),
            };
            (rest, is_defined)
        });
        let mut build = self.at(term.place);
        let variable = build.variable(&name);
        let mut guards = vec![build.within(low, variable, high)];
        guards.extend(rest);
        let guard = build.all(guards);
        let body = build.implies(guard, is_defined);
        let int = build.ty(s::TypeKind::Int);
        let binding = build.binding(&name, int);
        build.forall(vec![binding], Vec::new(), body)
    }

    /// True, and fails where the value is not defined. For a sum that means that its terms are.
    fn is_defined(&mut self, value: &'t Expression) -> s::Expression {
        if let ExpressionKind::Quantifier { kind, bindings, condition, body } = &*value.kind
            && matches!(kind, QuantifierKind::Sum | QuantifierKind::Count)
        {
            let conditions = condition.iter().collect();
            return self.sum_is_defined(&Reduction {
                kind: *kind,
                bindings,
                conditions,
                body,
                place: value.span,
            });
        }
        let lowered = self.expression(value);
        self.evaluated(lowered, value.span)
    }

    /// True, and evaluates the value.
    pub(crate) fn evaluated(&mut self, value: s::Expression, place: Span) -> s::Expression {
        let name = self.member.names.fresh("value");
        let mut build = self.at(place);
        let name = build.name(&name);
        let body = build.bool(true);
        build.expression(s::ExpressionKind::Let { name, value, body })
    }

    fn sum_is_defined(&mut self, whole: &Reduction<'t>) -> s::Expression {
        let place = whole.place;
        let Some((binding, inner)) = whole.bindings.split_first() else { return self.is_defined(whole.body) };
        let range = match self.variable_type(binding.id) {
            Type::Int => self.range_of(whole, binding, inner),
            _ => None,
        };
        let Some(Range { low: Some(low), high: Some(high), rest }) = range else {
            let value = self.reduce(whole);
            return self.evaluated(value, place);
        };
        let captures = self.captures(&[], &[]);
        let (kind, body) = (whole.kind, whole.body);
        let term = SumTerm { kind, binding, inner, rest: &rest, body, captures: &captures, place };
        let (low, high) = (self.bound(low, true), self.bound(high, false));
        self.are_defined(&term, low, high)
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

    /// Sorts the conjuncts of a condition into bounds of the variable, which do not mention it or later variables, and
    /// the rest.
    fn read_range(
        &self,
        condition: &'t Expression,
        variable: NodeId,
        later: &[NodeId],
        range: &mut Range<'t>,
    ) {
        use BinaryOperator::*;
        if let ExpressionKind::Binary(operator, left, right) = &*condition.kind {
            if matches!(operator, And | Star) {
                self.read_range(left, variable, later, range);
                self.read_range(right, variable, later, range);
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
            let is_bound = |e: &Expression| !self.mentions(e, &[variable]) && !self.mentions(e, later);
            if is_variable(larger) && is_bound(smaller) && range.low.is_none() {
                range.low = Some((smaller, included));
                return;
            }
            if is_variable(smaller) && is_bound(larger) && range.high.is_none() {
                range.high = Some((larger, included));
                return;
            }
        }
        range.rest.push(condition);
    }

    /// Whether the value depends on the heap.
    pub(crate) fn reads_heap(&self, expression: &Expression) -> bool {
        let is_call = matches!(*expression.kind, ExpressionKind::Call(_));
        let calls = is_call
            && !matches!(
                self.resolution.calls.get(&expression.id),
                Some(CallTarget::Member(_) | CallTarget::AdtFunction { .. } | CallTarget::ProverFunction(_))
            );
        let mut found = calls || self.reads_directly(expression);
        expression.kind.for_each_child(&mut |child| found = found || self.reads_heap(child));
        found
    }

    /// Whether the expression itself reads the heap, whatever its parts and what is called do.
    pub(crate) fn reads_directly(&self, expression: &Expression) -> bool {
        match &*expression.kind {
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
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => true,
            ExpressionKind::Unfolding(..)
            | ExpressionKind::Old(..)
            | ExpressionKind::CoalescingCall { .. } => true,
            _ => false,
        }
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

/// Whether nothing in it can fail.
fn is_always_defined(expression: &Expression) -> bool {
    use BinaryOperator as B;
    let direct = match &*expression.kind {
        ExpressionKind::Int(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::Unary(UnaryOperator::Not | UnaryOperator::Negate, _)
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

/// Whether a value of another state is mentioned.
fn has_old(expression: &Expression) -> bool {
    let mut found = matches!(*expression.kind, ExpressionKind::Old(..));
    expression.kind.for_each_child(&mut |child| found = found || has_old(child));
    found
}
