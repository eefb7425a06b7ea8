//! What all threads of a par block hold together, from what one of them holds.
//!
//! A conjunct that speaks about the thread's variables is quantified over them; of one that does not, every thread has
//! one, so its permissions are multiplied by the number of threads.

use silver::syntax::tree as s;

use crate::lower::concurrency::par::{RunningBlock, ThreadVariable, split};
use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{Operation, Type};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, NodeId};

/// How an assertion of one thread becomes one of all: with variables and their ranges, and with factors for what is the
/// same for several threads.
#[derive(Default)]
struct AllThreads {
    bindings: Vec<s::Binding>,
    ranges: Vec<s::Expression>,
    factors: Vec<s::Expression>,
}

impl<'t> Scope<'_, 't> {
    /// The assertion for all threads together, conjunct by conjunct.
    pub(crate) fn for_all_threads(
        &mut self,
        block: &RunningBlock<'t>,
        assertion: &'t Expression,
        nonempty: bool,
    ) -> Vec<s::Expression> {
        let mut parts = Vec::new();
        split(assertion, &mut parts);
        parts.into_iter().map(|part| self.part_for_all_threads(block, part, nonempty)).collect()
    }

    /// One conjunct for all threads together.
    pub(crate) fn part_for_all_threads(
        &mut self,
        block: &RunningBlock<'t>,
        part: &'t Expression,
        nonempty: bool,
    ) -> s::Expression {
        let place = part.span;
        let mark = self.lowering.origins.mark();
        let mut threads = AllThreads::default();
        let lowered = self.locally(|scope| {
            for variable in &block.variables {
                scope.add_thread_variable(variable, block, part, nonempty, &mut threads);
            }
            // A fact that does not speak about threads is known only if there is one.
            if !nonempty && !matches!(scope.type_of(part), Type::Resource | Type::ResourceValue) {
                for variable in &block.variables {
                    if !scope.mentions(part, &[variable.id]) {
                        let some = scope.at(place).less(variable.low.clone(), variable.high.clone());
                        threads.ranges.push(some);
                    }
                }
            }
            let factors = scope.spec.factors.iter().chain(&threads.factors).cloned().collect();
            let index = scope.index_of(&threads.bindings);
            let lower = |scope: &mut Self| scope.quantified(|scope| scope.assertion(part));
            scope.with(
                |scope| &mut scope.spec.index,
                index,
                |scope| scope.with(|scope| &mut scope.spec.factors, factors, lower),
            )
        });
        let AllThreads { mut bindings, ranges, .. } = threads;
        let (lowered, own) = lowered;
        let own = self.grouped_triggers(own, &bindings, place);
        let mut build = self.at(place);
        let range = build.all(ranges);
        let result = match *lowered.kind {
            // One quantifier over all variables instead of one inside of the other.
            s::ExpressionKind::Forall { bindings: inner, triggers, body }
                if triggers.is_empty() && own.is_empty() && !bindings.is_empty() =>
            {
                let mut all = inner;
                all.append(&mut bindings);
                let body = build.implies(range, body);
                build.forall(all, Vec::new(), body)
            }
            kind => {
                let lowered = s::Expression { kind: Box::new(kind), ..lowered };
                let body = build.implies(range, lowered);
                build.forall(bindings, own, body)
            }
        };
        self.lowering.origins.add_region(mark, Role::Quantified("parNotInjective"));
        self.lowering.origins.add_quantifier(result.span);
        result
    }

    /// What an assertion for all threads has to say of a variable of the block.
    fn add_thread_variable(
        &mut self,
        variable: &ThreadVariable,
        block: &RunningBlock<'t>,
        part: &'t Expression,
        nonempty: bool,
        threads: &mut AllThreads,
    ) {
        let place = part.span;
        let ids: Vec<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        if let Some(value) = self.only_value(part, variable.id, &ids) {
            // Only one thread has a part in it, and which one is written down.
            let value = self.assertion(value);
            self.bindings.variables.insert(variable.id, Variable::Value(value.clone()));
            let range = self.at(place).within(variable.low.clone(), value, variable.high.clone());
            threads.ranges.push(range);
        } else if self.mentions(part, &[variable.id]) {
            let name = self.member.names.fresh(&variable.name);
            self.bind(variable.id, &name, &variable.name);
            let mut build = self.at(place);
            let int = build.ty(s::TypeKind::Int);
            threads.bindings.push(build.binding(&name, int));
            let value = build.variable(&name);
            threads.ranges.push(build.within(variable.low.clone(), value, variable.high.clone()));
        } else {
            let mut build = self.at(place);
            let count = build.subtract(variable.high.clone(), variable.low.clone());
            let count = if nonempty {
                count
            } else {
                let zero = build.int(0);
                let none = build.less(variable.low.clone(), variable.high.clone());
                build.conditional(none, count, zero)
            };
            let write = build.write();
            threads.factors.push(build.binary(s::BinaryOperator::Multiply, count, write));
        }
    }

    /// The `e` of `variable == e ==> …`, where `e` is the same for all threads.
    fn only_value(&self, part: &'t Expression, variable: NodeId, ids: &[NodeId]) -> Option<&'t Expression> {
        let ExpressionKind::Binary(BinaryOperator::Implies, condition, _) = &*part.kind else { return None };
        let mut conditions = Vec::new();
        split(condition, &mut conditions);
        conditions.into_iter().find_map(|condition| {
            let ExpressionKind::Binary(BinaryOperator::Equal, left, right) = &*condition.kind else {
                return None;
            };
            if self.resolution.operations.get(&condition.id) != Some(&Operation::Equality(Type::Int)) {
                return None;
            }
            let is_variable = |side: &Expression| {
                matches!(*side.kind, ExpressionKind::Name(_)) && self.mentions(side, &[variable])
            };
            let is_fixed = |side: &Expression| !self.mentions(side, ids);
            match (is_variable(left), is_variable(right)) {
                (true, false) if is_fixed(right) => Some(right),
                (false, true) if is_fixed(left) => Some(left),
                _ => None,
            }
        })
    }
}
