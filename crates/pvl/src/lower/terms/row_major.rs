//! Quantifiers over several indices of one element: `a[i * n + j]` becomes `a[k]` for one `k`.
//!
//! Solvers find no use for a quantifier over `i` and `j` where an element `a[k]` is known, and must reason about
//! products to see that different `i` and `j` are different elements. So where the index is a number in mixed radix,
//!
//! > `k == base + c1 * (x1 - l1) + … + cn * (xn - ln)` with `l_m <= x_m < h_m` and `c_(m+1) == c_m * (h_m - l_m)`,
//!
//! the quantifier runs over `k` instead, and each `x_m` is a digit of `k - base`, found by division and remainder.
//!
//! Both say the same. If some `c_m` is not positive, then some range is empty, because `c1` is a positive constant and
//! each `c_(m+1)` is the product above: the first says nothing, and neither does the second, which asks for `0 < c_m`.
//! Otherwise every choice of digits is one `k` from `base` on and below `base + cn * (hn - ln)`, and every such `k` (that
//! `c1` divides, counted from `base`) has exactly one choice of digits, which division and remainder give back.
//!
//! If `c_(m+1)` is some other term, the digits are still unique if `c_(m+1) >= c_m * (h_m - l_m)`, where a digit
//! outside of its range must be left out. That is made a condition: if it does not hold, the quantifier is what it was.
//!
//! Bounds of one variable may be moved by the others, as in `i * n <= x && x < i * n + n`: then the digit is what is
//! added to the lower bound. A fact about one variable is rewritten too if no element has that index itself.
//!
//! Quantifiers whose triggers are written down are left alone.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::build::Build;
use crate::lower::terms::polynomials::{Atoms, Polynomial};
use crate::lower::terms::replacement::{Replacement, mentions};

/// A variable of the quantifier with its bounds.
struct Index {
    name: Arc<str>,
    number: usize,
    low: s::Expression,
    low_value: Polynomial,
    /// Whether the bounds depend on other variables, which are not moved themselves.
    is_moved: bool,
    /// How many values it has.
    count: Polynomial,
    /// What an element is further away if it is one higher.
    step: Polynomial,
    /// Whether the next step is as large as all values of this one together.
    is_filled: bool,
}

/// A quantifier without its conjuncts.
struct Frame {
    bindings: Vec<s::Binding>,
    guards: Vec<s::Expression>,
    span: Span,
}

impl Lowering<'_> {
    /// Rewrites the quantifiers of all assertions.
    pub(crate) fn join_indices(&mut self, members: &mut [s::Member]) {
        for member in members {
            match &mut member.kind {
                s::MemberKind::Method(method) => {
                    self.join_in_clauses(&mut method.preconditions);
                    self.join_in_clauses(&mut method.postconditions);
                    if let Some(body) = &mut method.body {
                        self.join_in_block(body);
                    }
                }
                s::MemberKind::Function(function) => {
                    self.join_in_clauses(&mut function.preconditions);
                    self.join_in_clauses(&mut function.postconditions);
                }
                s::MemberKind::Predicate(predicate) => {
                    if let Some(body) = &mut predicate.body {
                        self.join_in(body);
                    }
                }
                _ => {}
            }
        }
    }

    fn join_in_clauses(&mut self, clauses: &mut [s::Specification]) {
        for clause in clauses {
            if let s::SpecificationKind::Assertion(assertion) = &mut clause.kind {
                self.join_in(assertion);
            }
        }
    }

    fn join_in_block(&mut self, block: &mut s::Block) {
        for statement in &mut block.statements {
            self.join_in_statement(statement);
        }
    }

    fn join_in_statement(&mut self, statement: &mut s::Statement) {
        use s::StatementKind::*;
        match &mut statement.kind {
            Block(block) => self.join_in_block(block),
            Assert(assertion) | Assume(assertion) | Inhale(assertion) | Exhale(assertion) => {
                self.join_in(assertion);
            }
            If { then, otherwise, .. } => {
                self.join_in_block(then);
                match otherwise {
                    Some(s::Otherwise::If(next)) => self.join_in_statement(next),
                    Some(s::Otherwise::Block(block)) => self.join_in_block(block),
                    None => {}
                }
            }
            While { invariants, body, .. } => {
                self.join_in_clauses(invariants);
                self.join_in_block(body);
            }
            Label { invariants, .. } => self.join_in_clauses(invariants),
            Package { proof: Some(proof), .. } => self.join_in_block(proof),
            _ => {}
        }
    }

    /// Rewrites the quantifiers that an assertion is made of.
    fn join_in(&mut self, assertion: &mut s::Expression) {
        use s::BinaryOperator::{And, Implies};
        use s::ExpressionKind::{Binary, Conditional, Forall};
        match &mut *assertion.kind {
            Binary(And, left, right) => {
                self.join_in(left);
                self.join_in(right);
            }
            Binary(Implies, _, right) => self.join_in(right),
            Conditional(_, then, otherwise) => {
                self.join_in(then);
                self.join_in(otherwise);
            }
            Forall { .. } => {
                let frame = Frame { bindings: Vec::new(), guards: Vec::new(), span: assertion.span };
                let mut parts = Vec::new();
                if self.join_parts(frame, assertion, &mut parts) {
                    *assertion = self.at(self.origins.place(assertion.span)).all(parts);
                }
                return;
            }
            _ => return,
        }
        // The height may have changed.
        let kind = std::mem::replace(&mut *assertion.kind, s::ExpressionKind::Null);
        *assertion = s::Expression::new(kind, assertion.span);
    }

    /// Takes a quantifier apart into one for each conjunct; whether any of them has been rewritten.
    fn join_parts(&mut self, mut frame: Frame, body: &s::Expression, parts: &mut Vec<s::Expression>) -> bool {
        match &*body.kind {
            s::ExpressionKind::Forall { bindings, triggers, body } if triggers.is_empty() => {
                frame.bindings.extend(bindings.iter().cloned());
                self.join_parts(frame, body, parts)
            }
            s::ExpressionKind::Binary(s::BinaryOperator::Implies, guard, body) => {
                conjuncts(guard, &mut frame.guards);
                self.join_parts(frame, body, parts)
            }
            s::ExpressionKind::Binary(s::BinaryOperator::And, ..) => {
                let mut bodies = Vec::new();
                conjuncts(body, &mut bodies);
                let mut is_joined = false;
                for body in bodies {
                    let bindings = frame.bindings.clone();
                    let frame = Frame { bindings, guards: frame.guards.clone(), span: frame.span };
                    is_joined |= self.join_parts(frame, &body, parts);
                }
                is_joined
            }
            _ => match self.joined(&frame, body) {
                Some(joined) => {
                    parts.push(joined);
                    true
                }
                None => {
                    parts.push(self.unjoined(&frame, body));
                    false
                }
            },
        }
    }

    /// The quantifier as it was, for one of its conjuncts.
    fn unjoined(&mut self, frame: &Frame, body: &s::Expression) -> s::Expression {
        let mut build = self.at(self.origins.place(frame.span));
        let guard = build.all(frame.guards.clone());
        let body = build.implies(guard, body.clone());
        let mut whole = build.forall(frame.bindings.clone(), Vec::new(), body);
        whole.span = frame.span;
        whole
    }

    /// The quantifier over one variable.
    fn joined(&mut self, frame: &Frame, body: &s::Expression) -> Option<s::Expression> {
        if frame.bindings.iter().any(|binding| !matches!(binding.ty.kind, s::TypeKind::Int)) {
            return None;
        }
        let names: Vec<Arc<str>> = frame.bindings.iter().map(|binding| binding.name.text.clone()).collect();
        if let [only] = &names[..]
            && (has_permissions(body) || is_argument(body, only))
        {
            return None;
        }
        let mut elements = Vec::new();
        elements_in(body, &names, &mut elements);
        elements.into_iter().find_map(|(array, index)| self.joined_by(frame, body, &names, array, index))
    }

    /// The quantifier over the place of an element.
    fn joined_by(
        &mut self,
        frame: &Frame,
        body: &s::Expression,
        names: &[Arc<str>],
        array: &s::Expression,
        index: &s::Expression,
    ) -> Option<s::Expression> {
        let place = self.origins.place(frame.span);
        let mut atoms = Atoms::default();
        let position = atoms.polynomial(index)?;
        let mut rest: Vec<&s::Expression> = frame.guards.iter().collect();
        let mut open = self.bounded_indices(names, &mut rest, &mut atoms, place)?;
        let base = base_of(&position, &mut open)?;
        let (indices, conditions) = in_order(open)?;
        let name = self.globals.fresh("position");
        let digits = self.digits(&name, &base, &indices, &atoms, place);
        let by = self.values(&name, &indices, &digits, &position, &mut atoms, place)?;
        let replacement = Replacement { names, position: &position, by };
        let new_body = replacement.apply(body, &mut atoms)?;
        let (mentioning, mut guards): (Vec<_>, Vec<_>) =
            rest.into_iter().cloned().partition(|guard| mentions(guard, names));
        let behind: Option<Vec<_>> =
            mentioning.iter().map(|guard| replacement.apply(guard, &mut atoms)).collect();
        let mut build = self.at(place);
        guards.extend(position_guards(&mut build, &name, &base, &indices, digits, &atoms)?);
        guards.extend(behind?);
        let guard = build.all(guards);
        let new_body = build.implies(guard, new_body);
        let variable = build.variable(&name);
        let element = build.call("element", vec![array.clone(), variable]);
        // An array that is computed, as in `rows[i - 1]`, cannot be part of a trigger.
        let can_trigger = crate::lower::terms::triggers::is_application(&element);
        let triggers = if can_trigger { vec![build.trigger(vec![element])] } else { Vec::new() };
        let int = build.ty(s::TypeKind::Int);
        let bindings = vec![build.binding(&name, int)];
        let mut joined = build.forall(bindings, triggers, new_body);
        joined.span = frame.span;
        if conditions.is_empty() {
            return Some(joined);
        }
        let mut holds = Vec::new();
        for (index, condition) in indices.iter().skip(1).map(|index| &index.step).zip(&conditions) {
            let zero = build.int(0);
            let step = index.term(&atoms, &mut build);
            holds.push(build.less(zero, step.clone()));
            let least = condition.term(&atoms, &mut build);
            holds.push(build.at_most(least, step));
        }
        let holds = build.all(holds);
        let original = self.unjoined(frame, body);
        Some(self.at(place).conditional(holds, joined, original))
    }

    /// The variables with their bounds, which are taken from the guards; their steps are not known yet.
    fn bounded_indices(
        &mut self,
        names: &[Arc<str>],
        guards: &mut Vec<&s::Expression>,
        atoms: &mut Atoms,
        place: Span,
    ) -> Option<Vec<Index>> {
        let mut open = Vec::new();
        for name in names {
            let variable = self.at(place).variable(name);
            let number = atoms.number(&variable);
            let (low, high) = take_bounds(guards, name, &mut self.at(place))?;
            let (low_value, high_value) = (atoms.polynomial(&low)?, atoms.polynomial(&high)?);
            let count = high_value.add(&low_value, -1)?;
            let is_moved = mentions(&low, names) || mentions(&high, names);
            let step = Polynomial::default();
            let name = name.clone();
            open.push(Index { name, number, low, low_value, is_moved, count, step, is_filled: true });
        }
        Some(open)
    }

    /// The digits of a position, in the order of the indices.
    fn digits(
        &mut self,
        name: &Arc<str>,
        base: &Polynomial,
        indices: &[Index],
        atoms: &Atoms,
        place: Span,
    ) -> Vec<s::Expression> {
        let mut build = self.at(place);
        let variable = build.variable(name);
        let mut left = match base.as_constant() {
            Some(0) => variable,
            _ => {
                let start = base.term(atoms, &mut build);
                build.subtract(variable, start)
            }
        };
        let mut result = Vec::new();
        for (at, index) in indices.iter().enumerate().rev() {
            let step = index.step.term(atoms, &mut build);
            if at == 0 && index.step.as_constant() == Some(1) {
                result.push(left.clone());
                continue;
            }
            result.push(build.binary(s::BinaryOperator::IntDivide, left.clone(), step.clone()));
            left = build.binary(s::BinaryOperator::Modulo, left, step);
        }
        result.reverse();
        result
    }

    /// The values of the variables: digits from the lower bounds on. The position itself comes first.
    fn values(
        &mut self,
        name: &Arc<str>,
        indices: &[Index],
        digits: &[s::Expression],
        position: &Polynomial,
        atoms: &mut Atoms,
        place: Span,
    ) -> Option<Vec<(Arc<str>, s::Expression)>> {
        let mut build = self.at(place);
        let mut by = vec![(name.clone(), build.variable(name))];
        for is_moved in [false, true] {
            let found: Vec<_> =
                indices.iter().zip(digits).filter(|(index, _)| index.is_moved == is_moved).collect();
            let names: Vec<Arc<str>> = by.iter().skip(1).map(|(name, _)| name.clone()).collect();
            let known = Replacement { names: &names, position, by: by.clone() };
            for (index, digit) in found {
                let value = if index.low_value.as_constant() == Some(0) {
                    digit.clone()
                } else {
                    let low = known.apply(&index.low, atoms)?;
                    build.binary(s::BinaryOperator::Add, low, digit.clone())
                };
                by.push((index.name.clone(), value));
            }
        }
        Some(by)
    }
}

/// Sorts the indices from small to large steps. Also gives the least steps that have to be checked: one for each
/// index but the first if there is any that is not known to be large enough.
fn in_order(mut open: Vec<Index>) -> Option<(Vec<Index>, Vec<Polynomial>)> {
    let constant = |index: &Index| index.step.as_constant().filter(|step| *step > 0);
    let first =
        (0..open.len()).filter(|at| constant(&open[*at]).is_some()).min_by_key(|at| constant(&open[*at]))?;
    let mut sorted = vec![open.remove(first)];
    let mut conditions = Vec::new();
    let mut needs_condition = false;
    while !open.is_empty() {
        let last = sorted.last_mut()?;
        let least = last.step.multiply(&last.count)?;
        let next = match open.iter().position(|index| index.step == least) {
            Some(next) => next,
            None => {
                last.is_filled = false;
                (0..open.len()).min_by_key(|at| (open[*at].step.degree(), open[*at].step.as_constant()))?
            }
        };
        // Two indices of one step are never told apart.
        if let (Some(small), Some(large)) = (last.step.as_constant(), open[next].step.as_constant())
            && large <= small
        {
            return None;
        }
        if !last.is_filled {
            match open[next].step.add(&least, -1)?.as_constant() {
                Some(difference) if difference >= 0 && least.as_constant().is_some() => {}
                Some(difference) if difference < 0 => return None,
                _ => needs_condition = true,
            }
        }
        conditions.push(least);
        sorted.push(open.remove(next));
    }
    if !needs_condition {
        conditions.clear();
    }
    Some((sorted, conditions))
}

/// Finds bounds of a variable and takes them out of the guards.
fn take_bounds(
    guards: &mut Vec<&s::Expression>,
    name: &Arc<str>,
    build: &mut Build<'_>,
) -> Option<(s::Expression, s::Expression)> {
    use s::BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
    let mut find = |is_low: bool| {
        let found = guards.iter().enumerate().find_map(|(at, guard)| {
            let s::ExpressionKind::Binary(operator, left, right) = &*guard.kind else { return None };
            let (small, large, is_strict) = match operator {
                Less => (left, right, true),
                LessEqual => (left, right, false),
                Greater => (right, left, true),
                GreaterEqual => (right, left, false),
                _ => return None,
            };
            let (variable, bound) = if is_low { (large, small) } else { (small, large) };
            let is_it = matches!(&*variable.kind, s::ExpressionKind::Name(it) if it.text == *name);
            (is_it && !mentions(bound, std::slice::from_ref(name)))
                .then(|| (at, bound.clone(), is_strict == is_low))
        });
        let (at, bound, needs_step) = found?;
        guards.remove(at);
        if !needs_step {
            return Some(bound);
        }
        let one = build.int(1);
        Some(build.binary(s::BinaryOperator::Add, bound, one))
    };
    Some((find(true)?, find(false)?))
}

fn conjuncts(assertion: &s::Expression, found: &mut Vec<s::Expression>) {
    match &*assertion.kind {
        s::ExpressionKind::Binary(s::BinaryOperator::And, left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        _ => found.push(assertion.clone()),
    }
}

fn has_permissions(assertion: &s::Expression) -> bool {
    if let s::ExpressionKind::Access(..) = &*assertion.kind {
        return true;
    }
    let mut found = false;
    assertion.kind.for_each_child(&mut |child| found = found || has_permissions(child));
    found
}

/// Whether the variable is by itself an argument or index somewhere, which then can be a trigger.
fn is_argument(expression: &s::Expression, name: &Arc<str>) -> bool {
    use s::ExpressionKind::{Call, Index};
    let is_it =
        |it: &s::Expression| matches!(&*it.kind, s::ExpressionKind::Name(known) if known.text == *name);
    let direct = match &*expression.kind {
        Call(_, arguments, _) => arguments.iter().any(is_it),
        Index(_, index) => is_it(index),
        _ => false,
    };
    let mut found = direct;
    expression.kind.for_each_child(&mut |child| found = found || is_argument(child, name));
    found
}

/// Elements of arrays that are the same for all values of the variables, and their indices.
fn elements_in<'e>(
    expression: &'e s::Expression,
    names: &[Arc<str>],
    found: &mut Vec<(&'e s::Expression, &'e s::Expression)>,
) {
    if let s::ExpressionKind::Call(name, arguments, _) = &*expression.kind
        && &*name.text == "element"
        && let [array, index] = &arguments[..]
        && !mentions(array, names)
        && mentions(index, names)
    {
        found.push((array, index));
    }
    expression.kind.for_each_child(&mut |child| elements_in(child, names, found));
}

/// The position at which all variables are at their lower bounds; gives the variables their steps.
fn base_of(position: &Polynomial, open: &mut [Index]) -> Option<Polynomial> {
    // Variables that are moved by others come first, which gives these their steps.
    open.sort_by_key(|index| !index.is_moved);
    let moved: Vec<Arc<str>> =
        open.iter().filter(|index| index.is_moved).map(|index| index.name.clone()).collect();
    let mut base = position.clone();
    for index in &mut *open {
        if mentions(&index.low, &moved) {
            return None;
        }
        let (step, without) = base.linear_in(index.number)?;
        base = without.add(&step.multiply(&index.low_value)?, 1)?;
        index.step = step;
    }
    // A product of two variables is in no digit.
    let is_free = |polynomial: &Polynomial| {
        open.iter().all(|index| {
            polynomial.linear_in(index.number).is_some_and(|(step, _)| step.as_constant() == Some(0))
        })
    };
    let is_linear = open.iter().all(|index| is_free(&index.step) && is_free(&index.count));
    (is_linear && is_free(&base)).then_some(base)
}

/// What a number is if it is the position of one of the elements.
fn position_guards(
    build: &mut Build<'_>,
    name: &Arc<str>,
    base: &Polynomial,
    indices: &[Index],
    digits: Vec<s::Expression>,
    atoms: &Atoms,
) -> Option<Vec<s::Expression>> {
    let mut guards = Vec::new();
    for index in indices.iter().skip(1) {
        if index.step.as_constant().is_none() {
            let zero = build.int(0);
            let step = index.step.term(atoms, build);
            guards.push(build.less(zero, step));
        }
    }
    let last = indices.last()?;
    let end = base.add(&last.step.multiply(&last.count)?, 1)?.term(atoms, build);
    let start = base.term(atoms, build);
    let variable = build.variable(name);
    guards.push(build.within(start.clone(), variable.clone(), end));
    let first = indices.first()?;
    if first.step.as_constant() != Some(1) {
        let distance = build.subtract(variable, start);
        let step = first.step.term(atoms, build);
        let left = build.binary(s::BinaryOperator::Modulo, distance, step);
        let zero = build.int(0);
        guards.push(build.equal(left, zero));
    }
    for (index, digit) in indices.iter().zip(digits).filter(|(index, _)| !index.is_filled) {
        let count = index.count.term(atoms, build);
        guards.push(build.less(digit, count));
    }
    Some(guards)
}

#[cfg(test)]
#[path = "row_major_tests.rs"]
mod tests;
