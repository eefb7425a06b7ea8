//! Parts of models that the threads of a block have.
//!
//! Parts with one share for the values of a range are one part, of all terms side by side (VMCAI 2020, figure 4,
//! PROC-SPLITMERGE). A block takes its parts as they are held: one by one where they were split before, or all together.
//! What the terms are for each thread is a variable, since they may read the heap.

use std::rc::Rc;

use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::concurrency::par::{Half, RunningBlock, ThreadVariable, split};
use crate::lower::prelude::Theory;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{CallTarget, ModelOperation};
use crate::syntax::tree::{Expression, ExpressionKind, NodeId};

/// `m.state(q, T)` as it is written.
#[derive(Clone, Copy)]
pub(crate) struct WrittenState<'t> {
    pub(super) object: &'t Expression,
    pub(super) share: &'t Expression,
    pub(super) term: &'t Expression,
}

/// A part of a model in Silver.
#[derive(Clone)]
pub(crate) struct Part {
    pub(super) object: s::Expression,
    pub(super) share: s::Expression,
    pub(super) term: s::Expression,
}

/// What the threads of a block take: the parts one by one, if they can be listed, and all of them together.
#[derive(Clone)]
pub(crate) struct Taken {
    /// The parts, with how often each is there.
    listed: Option<Vec<(Part, Option<s::Expression>)>>,
    whole: Part,
    /// Whether there is a thread at all.
    some: s::Expression,
    /// Whether those that are listed are held.
    is_listed: Option<s::Expression>,
}

impl<'t> Scope<'_, 't> {
    /// The parts of `m.state(q, T)`.
    pub(super) fn written_state(&self, expression: &'t Expression) -> Option<WrittenState<'t>> {
        let ExpressionKind::Call(call) = &*expression.kind else { return None };
        let target = self.resolution.calls.get(&expression.id);
        let Some(CallTarget::ModelOperation(ModelOperation::State)) = target else { return None };
        match (&call.receiver, &call.arguments[..]) {
            (Some(object), [share, term]) => Some(WrittenState { object, share, term }),
            _ => None,
        }
    }

    /// The parts that the threads of a block take, if the assertion is `m.state(q, T)` for one variable at most.
    pub(crate) fn taken_by_threads(
        &mut self,
        block: &RunningBlock<'t>,
        part: &'t Expression,
    ) -> Option<Taken> {
        let state = self.written_state(part)?;
        let ids: Vec<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        if self.mentions(state.object, &ids) || self.mentions(state.share, &ids) || ids.len() > 1 {
            return None;
        }
        let place = part.span;
        let object = self.assertion(state.object);
        let share = self.assertion(state.share);
        let Some(variable) = block.variables.first() else {
            let term = self.assertion(state.term);
            let some = self.at(place).bool(true);
            let whole = Part { object, share, term };
            return Some(Taken { listed: None, whole, some, is_listed: None });
        };
        let listed = self.listed_parts(variable, &object, &share, state.term, place);
        let members = self.members_of_threads(variable, place);
        let says = self.says_members(&members, variable, state.term, place);
        self.inhale(says, place);
        let whole = self.whole_of_threads(variable, object, share, &members, place);
        let some = self.at(place).less(variable.low.clone(), variable.high.clone());
        Some(Taken { listed, whole, some, is_listed: None })
    }

    /// A new variable for what the threads do.
    fn members_of_threads(&mut self, variable: &ThreadVariable, place: Span) -> s::Expression {
        self.lowering.need(Theory::Process);
        self.lowering.need(Theory::ProcessMembers);
        let mut build = self.at(place);
        let int = build.ty(s::TypeKind::Int);
        let ty = build.members_type(int);
        let name = self.local(&format!("terms_of_{}", variable.name), ty, None, place);
        let mut build = self.at(place);
        let members = build.variable(&name);
        let asks = build.call("process_may_be_empty", vec![members.clone()]);
        self.inhale(asks, place);
        members
    }

    /// For each thread, its term is what is written.
    fn says_members(
        &mut self,
        members: &s::Expression,
        variable: &ThreadVariable,
        term: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let (index, term) = self.locally(|scope| {
            let index = scope.member.names.fresh(&variable.name);
            scope.bind(variable.id, &index, &variable.name);
            let (term, _) = scope.quantified(|scope| scope.assertion(term));
            (index, term)
        });
        let mut build = self.at(place);
        let value = build.variable(&index);
        let range = build.within(variable.low.clone(), value.clone(), variable.high.clone());
        let member = build.call("process_member", vec![members.clone(), value]);
        let same = build.equal(member.clone(), term);
        let body = build.implies(range, same);
        let int = build.ty(s::TypeKind::Int);
        let binding = build.binding(&index, int);
        let trigger = build.trigger(vec![member]);
        build.forall(vec![binding], vec![trigger], body)
    }

    fn whole_of_threads(
        &mut self,
        variable: &ThreadVariable,
        object: s::Expression,
        share: s::Expression,
        members: &s::Expression,
        place: Span,
    ) -> Part {
        let mut build = self.at(place);
        let count = build.subtract(variable.high.clone(), variable.low.clone());
        let share = build.binary(s::BinaryOperator::Multiply, count, share);
        let bounds = vec![variable.low.clone(), variable.high.clone(), members.clone()];
        let term = build.call("process_family", bounds);
        Part { object, share, term }
    }

    /// The parts one by one: of few threads that are known, or of threads that all do the same.
    fn listed_parts(
        &mut self,
        variable: &ThreadVariable,
        object: &s::Expression,
        share: &s::Expression,
        term: &'t Expression,
        place: Span,
    ) -> Option<Vec<(Part, Option<s::Expression>)>> {
        let number = |bound: &s::Expression| match &*bound.kind {
            s::ExpressionKind::Int(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let part = |term: s::Expression| Part { object: object.clone(), share: share.clone(), term };
        if let (Some(low), Some(high)) = (number(&variable.low), number(&variable.high))
            && high.saturating_sub(low) <= limits::LISTED_THREADS
        {
            let mut parts = Vec::new();
            for at in low..high {
                let term = self.locally(|scope| {
                    let value = scope.at(place).int(at);
                    scope.bindings.variables.insert(variable.id, Variable::Value(value));
                    scope.assertion(term)
                });
                parts.push((part(term), None));
            }
            return Some(parts);
        }
        if self.mentions(term, &[variable.id]) {
            return None;
        }
        let term = self.assertion(term);
        let count = self.at(place).subtract(variable.high.clone(), variable.low.clone());
        Some(vec![(part(term), Some(count))])
    }

    pub(super) fn part_access(
        &mut self,
        part: &Part,
        count: Option<&s::Expression>,
        place: Span,
    ) -> s::Expression {
        let Part { object, share, term } = part.clone();
        let instance = self.state_instance(object, share, term, place);
        let amount = self.part_amount(count, place);
        self.at(place).access(instance, amount)
    }

    fn part_amount(&mut self, count: Option<&s::Expression>, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let write = build.write();
        match count {
            Some(count) => build.binary(s::BinaryOperator::Multiply, count.clone(), write),
            None => write,
        }
    }

    /// Whether a part is held.
    pub(super) fn is_held(
        &mut self,
        part: &Part,
        count: Option<&s::Expression>,
        place: Span,
    ) -> s::Expression {
        let Part { object, share, term } = part.clone();
        let instance = self.state_instance(object, share, term, place);
        let amount = self.part_amount(count, place);
        let mut build = self.at(place);
        let held = build.expression(s::ExpressionKind::CurrentPermission(instance));
        build.at_most(amount, held)
    }

    /// Splits what is held into what all blocks of a region take, where that is one part, and says of each block how it
    /// takes its parts.
    ///
    /// Gives a variable that says whether something was split; who leaves out the one leaves out the other.
    pub(crate) fn split_for_threads(
        &mut self,
        taken: &mut [(NodeId, Taken)],
        place: Span,
    ) -> Option<s::Expression> {
        if taken.is_empty() {
            return None;
        }
        let mut build = self.at(place);
        let (ty, no) = (build.ty(s::TypeKind::Bool), build.bool(false));
        let was_split = self.local("was_split", ty, Some(no), place);
        let was_split = self.at(place).variable(&was_split);
        let wholes: Vec<Part> = taken.iter().map(|(_, taken)| taken.whole.clone()).collect();
        let ways: Vec<Vec<Part>> = taken.iter().map(|(_, taken)| taken.listed_once()).collect();
        if let [_, _, ..] = &wholes[..] {
            let parts = ways.into_iter().zip(wholes).map(|(listed, whole)| match &listed[..] {
                [] => vec![whole],
                _ => listed,
            });
            let parts: Vec<Part> = parts.flatten().collect();
            self.split_into(&parts, &was_split, place);
        }
        for (_, taken) in taken.iter_mut() {
            let listed = taken.listed_once();
            if listed.len() > 1 {
                self.split_into(&listed, &was_split, place);
            }
            let Some(listed) = &taken.listed else { continue };
            let mut held = Vec::new();
            for (part, count) in listed {
                held.push(self.is_held(part, count.as_ref(), place));
            }
            let mut build = self.at(place);
            let held = build.all(held);
            let ty = build.ty(s::TypeKind::Bool);
            let name = self.local("one_by_one", ty, Some(held), place);
            taken.is_listed = Some(self.at(place).variable(&name));
        }
        Some(was_split)
    }

    /// Where parts were split for the threads of some blocks, merges what these have left.
    pub(crate) fn merge_of_threads(
        &mut self,
        blocks: &[&Rc<RunningBlock<'t>>],
        was_split: &s::Expression,
        place: Span,
    ) {
        let mut parts = Vec::new();
        for block in blocks {
            let mut assertions = Vec::new();
            for assertion in block.contract.postconditions() {
                split(assertion, &mut assertions);
            }
            for assertion in assertions {
                let Some(state) = self.written_state(assertion) else { continue };
                let Some(left) = self.left_by_threads(block, state, assertion.span) else { return };
                parts.extend(left);
            }
        }
        let Some(whole) = self.whole_of_parts(&parts, place) else { return };
        let then = self.block(place, |scope| {
            for part in &parts {
                let taken = scope.part_access(part, None, place);
                scope.exhale_as(crate::lower::origin::Role::Code("mergeFailed"), taken, place);
            }
            let given = scope.part_access(&whole, None, place);
            scope.inhale(given, place);
        });
        let mut condition = was_split.clone();
        condition.span = self.at(place).node(crate::lower::origin::Role::Hidden);
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
    }

    /// The parts that the threads of a block leave, if they can be listed.
    fn left_by_threads(
        &mut self,
        block: &RunningBlock<'t>,
        state: WrittenState<'t>,
        place: Span,
    ) -> Option<Vec<Part>> {
        let ids: Vec<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        if self.mentions(state.object, &ids) || self.mentions(state.share, &ids) {
            return None;
        }
        let object = self.assertion(state.object);
        let share = self.assertion(state.share);
        match &block.variables[..] {
            [] => {
                let term = self.assertion(state.term);
                Some(vec![Part { object, share, term }])
            }
            [variable] => {
                let listed = self.listed_parts(variable, &object, &share, state.term, place)?;
                listed.into_iter().map(|(part, count)| count.is_none().then_some(part)).collect()
            }
            _ => None,
        }
    }

    /// Parts of one model as one.
    fn whole_of_parts(&mut self, parts: &[Part], place: Span) -> Option<Part> {
        let (first, others) = parts.split_first()?;
        let same = |part: &Part| {
            silver::syntax::print_expression(&part.object) == silver::syntax::print_expression(&first.object)
        };
        if others.is_empty() || !others.iter().all(same) || parts.len() > limits::COMPONENTS_IN_ORDER {
            return None;
        }
        let terms = parts.iter().map(|part| part.term.clone()).collect();
        let term = self.parallel_of_values(terms, place)?;
        let shares = others.iter().map(|part| part.share.clone());
        let mut build = self.at(place);
        let share =
            shares.fold(first.share.clone(), |sum, share| build.binary(s::BinaryOperator::Add, sum, share));
        Some(Part { object: first.object.clone(), share, term })
    }

    /// Where these parts are not held but all of them in one, splits that.
    pub(super) fn split_into(&mut self, parts: &[Part], was_split: &s::Expression, place: Span) {
        let Some(whole) = self.whole_of_parts(parts, place) else { return };
        let mut held = Vec::new();
        for part in parts {
            held.push(self.is_held(part, None, place));
        }
        let mut condition = vec![self.is_held(&whole, None, place)];
        // A part without a share is none.
        for part in parts {
            let mut build = self.at(place);
            let none = build.no_permission();
            condition.push(build.less(none, part.share.clone()));
        }
        let mut build = self.at(place);
        let held = build.all(held);
        condition.insert(0, build.not(held));
        let condition = build.all(condition);
        let then = self.block(place, |scope| {
            let taken = scope.part_access(&whole, None, place);
            scope.exhale_as(crate::lower::origin::Role::Code("splitFailed"), taken, place);
            for part in parts {
                let given = scope.part_access(part, None, place);
                scope.inhale(given, place);
            }
            let yes = scope.at(place).bool(true);
            scope.assign(was_split.clone(), yes, place);
        });
        let mut condition = condition;
        condition.span = self.at(place).node(crate::lower::origin::Role::Hidden);
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
    }

    /// What one thread has of the parts that all threads of its block take together.
    pub(crate) fn part_of_thread(&mut self, block: &Rc<RunningBlock<'t>>) {
        let mut parts = Vec::new();
        for assertion in block.contract.preconditions() {
            split(assertion, &mut parts);
        }
        for part in parts {
            let known = self.path.taken.iter().find(|(id, _)| *id == part.id).map(|it| it.1.clone());
            let (Some(taken), Some(state)) = (known, self.written_state(part)) else { continue };
            if block.variables.is_empty() {
                continue;
            }
            let place = part.span;
            let mut conditions = vec![self.is_held(&taken.whole, None, place)];
            if let Some(is_listed) = &taken.is_listed {
                conditions.insert(0, self.at(place).not(is_listed.clone()));
            }
            let own = Part {
                object: self.assertion(state.object),
                share: self.assertion(state.share),
                term: self.assertion(state.term),
            };
            let then = self.block(place, |scope| {
                let all = scope.part_access(&taken.whole, None, place);
                scope.exhale_as(crate::lower::origin::Role::Base("parPreFailed"), all, place);
                let own = scope.part_access(&own, None, place);
                scope.inhale(own, place);
            });
            let mut condition = self.at(place).all(conditions);
            condition.span = self.at(place).node(crate::lower::origin::Role::Hidden);
            self.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
        }
    }

    /// What the threads of a block together take or leave of a model, and that their terms are of its object.
    pub(crate) fn state_of_threads(
        &mut self,
        block: &Rc<RunningBlock<'t>>,
        part: &'t Expression,
        half: Half,
    ) -> Option<s::Expression> {
        let held = self.parts_of_threads(block, part, half)?;
        let state = self.written_state(part)?;
        let ids: Vec<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        let same = self.receivers_are(state.object, state.term, &ids);
        if same.is_empty() {
            return Some(held);
        }
        let mut build = self.at(part.span);
        let mut same = build.all(same);
        for variable in &block.variables {
            let some = build.less(variable.low.clone(), variable.high.clone());
            same = build.implies(some, same);
        }
        Some(build.and(same, held))
    }

    fn parts_of_threads(
        &mut self,
        block: &Rc<RunningBlock<'t>>,
        part: &'t Expression,
        half: Half,
    ) -> Option<s::Expression> {
        let place = part.span;
        match half {
            Half::Requires => {
                let known = self.path.taken.iter().find(|(id, _)| *id == part.id).map(|it| it.1.clone());
                let taken = match known {
                    Some(taken) => taken,
                    None => self.taken_by_threads(block, part)?,
                };
                let whole = self.part_access(&taken.whole, None, place);
                let whole = self.at(place).implies(taken.some.clone(), whole);
                let (Some(listed), Some(is_listed)) = (taken.listed, taken.is_listed) else {
                    return Some(whole);
                };
                let mut all = Vec::new();
                for (part, count) in &listed {
                    all.push(self.part_access(part, count.as_ref(), place));
                }
                let mut build = self.at(place);
                let all = build.all(all);
                Some(build.conditional(is_listed, all, whole))
            }
            Half::Ensures => self.given_by_threads(block, part),
        }
    }

    /// Few parts that are known are given one by one, others together.
    fn given_by_threads(
        &mut self,
        block: &Rc<RunningBlock<'t>>,
        part: &'t Expression,
    ) -> Option<s::Expression> {
        let state = self.written_state(part)?;
        let ids: Vec<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        if self.mentions(state.object, &ids) || self.mentions(state.share, &ids) {
            return None;
        }
        let [variable] = &block.variables[..] else { return None };
        let place = part.span;
        let object = self.assertion(state.object);
        let share = self.assertion(state.share);
        let listed = self.listed_parts(variable, &object, &share, state.term, place);
        if let Some(listed) = listed.filter(|listed| listed.iter().all(|(_, count)| count.is_none())) {
            let mut all = Vec::new();
            for (part, _) in &listed {
                all.push(self.part_access(part, None, place));
            }
            return Some(self.at(place).all(all));
        }
        let members = self.members_of_threads(variable, place);
        let says = self.says_members(&members, variable, state.term, place);
        let whole = self.whole_of_threads(variable, object, share, &members, place);
        let whole = self.part_access(&whole, None, place);
        let mut build = self.at(place);
        let some = build.less(variable.low.clone(), variable.high.clone());
        let both = build.and(says, whole);
        Some(build.implies(some, both))
    }

    /// Whether an assertion of a block is about a model whose term reads the heap.
    pub(crate) fn has_state_of_heap(&self, assertion: &'t Expression) -> bool {
        let mut parts = Vec::new();
        split(assertion, &mut parts);
        parts
            .into_iter()
            .filter_map(|part| self.written_state(part))
            .any(|state| self.reads_heap_in_term(state.term))
    }

    fn reads_heap_in_term(&self, term: &'t Expression) -> bool {
        let is_process = matches!(self.resolution.calls.get(&term.id), Some(CallTarget::Process(_)));
        match &*term.kind {
            ExpressionKind::Call(call) if is_process => {
                call.arguments.iter().any(|argument| self.reads_heap(argument))
            }
            ExpressionKind::Binary(_, left, right) => {
                self.reads_heap_in_term(left) || self.reads_heap_in_term(right)
            }
            _ => self.reads_heap(term),
        }
    }
}

impl Taken {
    /// The parts one by one, if there is one of each.
    fn listed_once(&self) -> Vec<Part> {
        let listed = self.listed.as_ref().filter(|listed| listed.iter().all(|(_, count)| count.is_none()));
        listed.map(|listed| listed.iter().map(|(part, _)| part.clone()).collect()).unwrap_or_default()
    }
}
