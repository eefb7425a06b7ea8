//! `send` and `recv`: resources that go from one iteration to a later one.
//!
//! What is sent is given up, and what is received is there for the taking. That is right only if every iteration that
//! receives gets what an iteration before has sent for it, once, and if both mean the same by it. So a `send` and its
//! `recv` stand in branches only, whose conditions both sides can evaluate: the condition of the `send`, for the
//! iteration that is to have sent, is checked at the `recv`. What is sent holds what it speaks about, which the engine
//! is asked, because others may change the rest on the way.

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::concurrency::self_framing::NOT_FRAMED;
use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{NameTarget, Operation};
use crate::syntax::tree::{
    Branch, Expression, ExpressionKind, NodeId, ParRegion, ParRegionKind, Statement, StatementKind,
    UnaryOperator,
};

/// The way to a statement: conditions, and whether they have to hold.
type Way<'t> = Vec<(&'t Expression, bool)>;

impl<'t> Scope<'_, 't> {
    /// `send label, distance: resource`
    pub(crate) fn send(
        &mut self,
        distance: &'t Expression,
        resource: &'t Expression,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        let Some(block) = self.path.iteration.clone() else {
            self.error("sendScope", place, "there is no iteration around to send from", "put it into one");
            return;
        };
        let [variable] = &block.variables[..] else {
            self.several_variables(place);
            return;
        };
        if self.way_to(block.body, statement).is_none() {
            return;
        }
        let mut changing = FxHashSet::default();
        self.changing_variables(block.body, &mut changing);
        if !self.is_the_same_everywhere(resource, &changing, block.body) {
            let message = "what is sent must mean the same to who receives it";
            let help = "speak about the iteration's variable and variables from outside only";
            self.error("send", resource.span, message, help);
            return;
        }
        let sent = |scope: &mut Self| {
            let value = scope.variable(variable.id, place);
            let distance = scope.expression(distance);
            let resource = scope.assertion(resource);
            let mut build = scope.at(place);
            let target = build.binary(s::BinaryOperator::Add, value, distance);
            let exists = build.within(variable.low.clone(), target, variable.high.clone());
            build.implies(exists, resource)
        };
        self.check_self_framing(place, sent);
        let sent = sent(self);
        self.exhale_as(Role::Base("sendFailed"), sent, place);
    }

    /// `recv label`: what the iteration `distance` before has sent.
    pub(crate) fn receive(&mut self, statement: &'t Statement) {
        let place = statement.span;
        let Some(block) = self.path.iteration.clone() else {
            self.error("sendScope", place, "there is no iteration around to receive in", "put it into one");
            return;
        };
        let [variable] = &block.variables[..] else {
            self.several_variables(place);
            return;
        };
        let Some(send) = self.resolution.sends.get(&statement.id) else { return };
        let Some((sender, distance, resource)) = find_send(block.body, *send) else {
            let message = "this is sent in another block, whose iterations are not those of this one";
            let help =
                "send and receive in one block; what a block ensures is there for what comes behind it";
            self.error(crate::codes::SEND, place, message, help);
            return;
        };
        if matches!(&*distance.kind, ExpressionKind::Int(text) if text.chars().all(|digit| digit == '0')) {
            self.error("send", distance.span, "an iteration cannot send to itself", "send to a later one");
            return;
        }
        let mut receivers = 0;
        self.count_receivers(block.body, *send, &mut receivers);
        if receivers != 1 {
            self.error("send", place, "this is received more than once", "send it under two names");
            return;
        }
        if self.way_to(block.body, statement).is_none() {
            return;
        }
        let Some(way) = self.way_to(block.body, sender) else { return };
        let value = self.variable(variable.id, place);
        let distance = self.expression(distance);
        let mut build = self.at(place);
        let source = build.subtract(value, distance);
        let exists = build.within(variable.low.clone(), source.clone(), variable.high.clone());
        let (sends, resource) = self.with_variable(variable.id, Variable::Value(source), |scope| {
            let sends = scope.way_holds(&way, place);
            let mark = scope.lowering.origins.mark();
            let resource = scope.assertion(resource);
            scope.lowering.origins.add_region(mark, Role::Code(NOT_FRAMED));
            (sends, resource)
        });
        if let Some(sends) = sends {
            let sends = self.at(place).implies(exists.clone(), sends);
            self.assert_as(Role::Base("recvFailed"), sends, place);
        }
        let received = self.at(place).implies(exists, resource);
        self.inhale(received, place);
    }

    /// A distance counts iterations, which are in a row only if one variable numbers them.
    fn several_variables(&mut self, place: Span) {
        let message =
            "`send` and `recv` need a block with exactly one variable, which numbers the iterations";
        let help =
            "number the iterations with one variable, or put a block with one variable inside of another";
        self.error(crate::codes::SEND, place, message, help);
    }

    /// The condition under which a way is taken; `None` if it always is.
    fn way_holds(&mut self, way: &Way<'t>, place: Span) -> Option<s::Expression> {
        let mut all: Option<s::Expression> = None;
        for (condition, is_positive) in way {
            let mut condition = self.assertion(condition);
            let mut build = self.at(place);
            if !is_positive {
                condition = build.not(condition);
            }
            all = Some(match all {
                None => condition,
                Some(all) => build.and(all, condition),
            });
        }
        all
    }

    /// The way through the body to a `send` or `recv`; `None` after an error if it is not made of branches that every
    /// iteration can evaluate for another.
    fn way_to(&mut self, body: &'t Statement, wanted: &Statement) -> Option<Way<'t>> {
        let mut changing = FxHashSet::default();
        self.changing_variables(body, &mut changing);
        let way = if jumps(body) { None } else { find_way(body, wanted.id) };
        let way = way.filter(|way| {
            way.iter().all(|(condition, _)| {
                self.is_arithmetic(condition) && self.is_the_same_everywhere(condition, &changing, body)
            })
        });
        if way.is_none() {
            let message = "another iteration must be able to tell whether this is executed";
            let help = "put it into `if`s only, with conditions about the iteration's variable and variables from outside";
            self.error("send", wanted.span, message, help);
        }
        way
    }

    fn count_receivers(&self, statement: &Statement, send: NodeId, count: &mut usize) {
        if matches!(statement.kind, StatementKind::Receive { .. })
            && self.resolution.sends.get(&statement.id) == Some(&send)
        {
            *count += 1;
        }
        statement.kind.for_each_inner(&mut |child| self.count_receivers(child, send, count));
    }

    /// Variables that are declared or assigned in an iteration.
    fn changing_variables(&self, statement: &'t Statement, found: &mut FxHashSet<NodeId>) {
        self.assigned_variables(statement, found);
        declared_variables(statement, found);
    }

    /// Whether variables and states of an expression are the same in every iteration, but for the iteration's own.
    ///
    /// The names are enough for that: a variable that neither is declared inside nor assigned by its name keeps its value.
    /// One whose address is taken lives on the heap, and what the expression may read there is another question.
    fn is_the_same_everywhere(
        &self,
        expression: &'t Expression,
        changing: &FxHashSet<NodeId>,
        body: &Statement,
    ) -> bool {
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            if let Some(label) = self.resolution.labels.get(&expression.id)
                && contains(body, *label)
            {
                return false;
            }
            if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&expression.id)
                && changing.contains(id)
            {
                return false;
            }
            expression.kind.for_each_child(&mut |child| open.push(child));
        }
        true
    }

    /// Whether an expression depends on variables only, which nobody can change without naming them.
    fn is_arithmetic(&self, expression: &Expression) -> bool {
        use ExpressionKind::*;
        match &*expression.kind {
            Int(_) | Bool(_) => true,
            Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Variable(id)) => !self.has_address(*id),
                _ => false,
            },
            Unary(UnaryOperator::Not | UnaryOperator::Negate, operand) => self.is_arithmetic(operand),
            Binary(_, left, right) => {
                // An operator that a class declares may read the heap.
                let operation = self.resolution.operations.get(&expression.id);
                !matches!(operation, None | Some(Operation::Declared { .. } | Operation::Pointers))
                    && self.is_arithmetic(left)
                    && self.is_arithmetic(right)
            }
            _ => false,
        }
    }
}

/// The `send` with its distance and resource.
fn find_send(statement: &Statement, id: NodeId) -> Option<(&Statement, &Expression, &Expression)> {
    if statement.id == id
        && let StatementKind::Send { distance, resource, .. } = &statement.kind
    {
        return Some((statement, distance, resource));
    }
    let mut found = None;
    statement.kind.for_each_child(&mut |child| found = found.or_else(|| find_send(child, id)));
    found
}

/// Conditions on the way to a statement that is inside of blocks and branches only.
fn find_way(statement: &Statement, wanted: NodeId) -> Option<Way<'_>> {
    if statement.id == wanted {
        return Some(Vec::new());
    }
    match &statement.kind {
        StatementKind::Block(block) => block.statements.iter().find_map(|child| find_way(child, wanted)),
        StatementKind::If { condition: Branch::Condition(condition), then, otherwise } => {
            let branches = [(Some(then), true), (otherwise.as_ref(), false)];
            branches.into_iter().find_map(|(branch, is_positive)| {
                let mut way = find_way(branch?, wanted)?;
                way.push((condition, is_positive));
                Some(way)
            })
        }
        _ => None,
    }
}

/// Whether the order of statements is not that of the text.
fn jumps(statement: &Statement) -> bool {
    let mut found = matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Return(_));
    statement.kind.for_each_inner(&mut |child| found = found || jumps(child));
    found
}

/// Whether a statement is inside of another.
pub(crate) fn contains(statement: &Statement, wanted: NodeId) -> bool {
    let mut found = statement.id == wanted;
    statement.kind.for_each_inner(&mut |child| found = found || contains(child, wanted));
    found
}

/// Variables that are declared inside of a statement, also by blocks whose threads it starts.
pub(crate) fn declared_variables(statement: &Statement, found: &mut FxHashSet<NodeId>) {
    match &statement.kind {
        StatementKind::Local { declarators, .. } => {
            found.extend(declarators.iter().map(|declarator| declarator.id));
        }
        StatementKind::RangedFor { variable, .. } | StatementKind::Vector { variable, .. } => {
            found.insert(variable.id);
        }
        StatementKind::Par(region) => block_variables(region, found),
        _ => {}
    }
    statement.kind.for_each_inner(&mut |child| declared_variables(child, found));
}

fn block_variables(region: &ParRegion, found: &mut FxHashSet<NodeId>) {
    match &region.kind {
        ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
            regions.iter().for_each(|region| block_variables(region, found));
        }
        ParRegionKind::Block(block) => found.extend(block.variables.iter().map(|variable| variable.id)),
    }
}
