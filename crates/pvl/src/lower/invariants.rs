//! `invariant`, `atomic` and `barrier`.
//!
//! An invariant's resource is given up around its body and there for the taking inside of `atomic`. It speaks about
//! the values that variables had when it was established. No thread can open an invariant twice.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::syntax::tree as s;
use source::Span;

use super::frames::Framed;
use super::origin::Role;
use super::par::{Half, RunningBlock, half_of};
use super::scope::{Scope, Variable};
use crate::resolve::NameTarget;
use crate::syntax::tree::{
    Block, Branch, Contract, Expression, ExpressionKind, NodeId, Statement, StatementKind,
};

/// An invariant that is in force.
#[derive(Debug)]
pub(super) struct RunningInvariant<'t> {
    resource: &'t Expression,
    /// The variables of the resource with the values that they had.
    variables: FxHashMap<NodeId, Variable>,
}

impl<'t> Scope<'_, 't> {
    pub(super) fn invariant(&mut self, resource: &'t Expression, body: &'t Block, statement: &'t Statement) {
        let place = statement.span;
        let whole = self.block(place, |scope| {
            let mut mentioned = Vec::new();
            scope.mentioned_variables(resource, &mut mentioned);
            let mut variables = FxHashMap::default();
            for id in mentioned {
                let Some(Variable::Named(name)) = scope.variables.get(&id).cloned() else { continue };
                let ty = scope.variable_type(id);
                let ty = scope.ty(&ty, place);
                let value = scope.at(place).variable(&name);
                let kept = scope.local(&name, ty, Some(value), place);
                variables.insert(id, Variable::Named(kept));
            }
            let running = Rc::new(RunningInvariant { resource, variables });
            scope.invariants.insert(statement.id, running.clone());
            let resource = scope.invariant_resource(&running);
            scope.exhale_as(Role::Base("notEstablished"), resource, place);
            scope.statements(&body.statements);
            let resource = scope.invariant_resource(&running);
            scope.inhale(resource, place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    fn invariant_resource(&mut self, invariant: &RunningInvariant<'t>) -> s::Expression {
        let mut variables = self.variables.clone();
        for (id, variable) in &invariant.variables {
            variables.insert(*id, variable.clone());
        }
        let variables = std::mem::replace(&mut self.variables, variables);
        let resource = self.assertion(invariant.resource);
        self.variables = variables;
        resource
    }

    /// Variables that an expression mentions and does not bind.
    pub(super) fn mentioned_variables(&self, expression: &'t Expression, found: &mut Vec<NodeId>) {
        if let ExpressionKind::Name(_) = &*expression.kind
            && let Some(NameTarget::Variable(id)) = self.resolution.names.get(&expression.id)
            && !found.contains(id)
        {
            found.push(*id);
        }
        expression.kind.for_each_child(&mut |child| self.mentioned_variables(child, found));
    }

    pub(super) fn atomic(&mut self, body: &'t Statement, statement: &'t Statement) {
        let place = statement.span;
        let ids = self.resolution.opened.get(&statement.id).cloned().unwrap_or_default();
        if !self.open(&ids, place) {
            return;
        }
        let running: Vec<_> = ids.iter().filter_map(|id| self.invariants.get(id).cloned()).collect();
        let whole = self.block(place, |scope| {
            for invariant in &running {
                let resource = scope.invariant_resource(invariant);
                scope.inhale(resource, place);
            }
            let exit = scope.exit.take();
            scope.loop_body(body);
            scope.exit = exit;
            for invariant in running.iter().rev() {
                let resource = scope.invariant_resource(invariant);
                scope.exhale_as(Role::Base("notMaintained"), resource, place);
            }
        });
        self.opened.truncate(self.opened.len() - ids.len());
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// Marks invariants as open; reports one that is open already.
    fn open(&mut self, ids: &[NodeId], place: Span) -> bool {
        let mut opened = self.opened.clone();
        for id in ids {
            if opened.contains(id) {
                let message = "this invariant is open already: its resource cannot be taken twice";
                self.error("atomicReentered", place, message, "use what the outer `atomic` has opened");
                return false;
            }
            opened.push(*id);
        }
        self.opened = opened;
        true
    }

    pub(super) fn barrier(
        &mut self,
        contract: &'t Contract,
        proof: Option<&'t Block>,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        let block =
            self.resolution.barriers.get(&statement.id).and_then(|id| self.par_blocks.get(id)).cloned();
        let Some(block) = block else {
            let message = "this barrier is not inside of the par block that it names";
            self.error("resolutionError:barrier", place, message, "put it into the block");
            return;
        };
        if !self.opened.is_empty() {
            let message = "no thread can wait at a barrier while it has an invariant open";
            self.error("barrierInAtomic", place, message, "put the barrier outside of `atomic`");
            return;
        }
        let ids = self.resolution.opened.get(&statement.id).cloned().unwrap_or_default();
        let running: Vec<_> = ids.iter().filter_map(|id| self.invariants.get(id).cloned()).collect();
        let whole = self.block(place, |scope| {
            scope.aside(place, |scope| scope.barrier_proof(&block, contract, proof, &ids, &running, place));
            let half = |scope: &mut Self, half: Half| {
                let mut result = Vec::new();
                for assertion in contract.everywhere().chain(half_of(contract, half)) {
                    result.push(scope.assertion(assertion));
                }
                scope.at(place).all(result)
            };
            let taken = half(scope, Half::Requires);
            scope.exhale_as(Role::Base("notEstablished"), taken, place);
            let given = half(scope, Half::Ensures);
            scope.inhale(given, place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// That what all threads bring to the barrier is what they take away.
    fn barrier_proof(
        &mut self,
        block: &Rc<RunningBlock<'t>>,
        contract: &'t Contract,
        proof: Option<&'t Block>,
        ids: &[NodeId],
        running: &[Rc<RunningInvariant<'t>>],
        place: Span,
    ) {
        let all = |scope: &mut Self, half: Half| -> Vec<s::Expression> {
            let assertions: Vec<&'t Expression> =
                contract.everywhere().chain(half_of(contract, half)).collect();
            assertions
                .into_iter()
                .flat_map(|assertion| scope.for_all_threads(block, assertion, true))
                .collect()
        };
        let brought = all(self, Half::Requires);
        let taken = all(self, Half::Ensures);
        let framed = Framed {
            before: Vec::new(),
            after: taken,
            established: "inconsistent",
            ensured: "inconsistent",
            place,
        };
        let opened = self.opened.clone();
        self.opened.extend(ids);
        self.framed(framed, |scope| {
            let exit = scope.exit.take();
            let brought = scope.at(place).all(brought);
            scope.inhale(brought, place);
            for invariant in running {
                let resource = scope.invariant_resource(invariant);
                scope.inhale(resource, place);
            }
            if let Some(proof) = proof {
                scope.statements(&proof.statements);
            }
            for invariant in running.iter().rev() {
                let resource = scope.invariant_resource(invariant);
                scope.exhale_as(Role::Base("barrierInvariant"), resource, place);
            }
            scope.exit = exit;
        });
        self.opened = opened;
    }

    /// Reports barriers that not every thread of the block reaches in the same order.
    ///
    /// A barrier may stand under a condition only if all threads decide it alike: it mentions neither the heap nor
    /// variables whose values differ between threads.
    pub(super) fn check_uniform_barriers(&mut self, block: &RunningBlock<'t>) {
        let mut varying: FxHashSet<NodeId> = block.variables.iter().map(|variable| variable.id).collect();
        loop {
            let before = varying.len();
            self.collect_varying(block.body, false, &mut varying);
            if varying.len() == before {
                break;
            }
        }
        self.check_barriers(block, block.body, false, &varying);
    }

    /// Whether threads may see different values.
    fn is_varying(&self, expression: &Expression, varying: &FxHashSet<NodeId>) -> bool {
        let direct = match &*expression.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Variable(id)) => varying.contains(id),
                Some(NameTarget::Field(id)) => !self.resolution.items.finals.contains(id),
                _ => true,
            },
            ExpressionKind::Field(..) => match self.resolution.selections.get(&expression.id) {
                Some(crate::resolve::Selection::Field(id)) => !self.resolution.items.finals.contains(id),
                Some(crate::resolve::Selection::Member(_)) => false,
                _ => true,
            },
            ExpressionKind::Index(..) => !matches!(
                self.resolution.subscripts.get(&expression.id),
                Some(crate::resolve::Subscript::Seq | crate::resolve::Subscript::Map)
            ),
            ExpressionKind::Call(_) | ExpressionKind::CoalescingCall { .. } => {
                match self.resolution.calls.get(&expression.id) {
                    Some(crate::resolve::CallTarget::Member(_)) => false,
                    _ => true,
                }
            }
            ExpressionKind::New { .. } | ExpressionKind::NewArray { .. } | ExpressionKind::With { .. } => {
                true
            }
            ExpressionKind::Unary(crate::syntax::tree::UnaryOperator::Dereference, _) => true,
            ExpressionKind::Builtin(crate::syntax::tree::Builtin::ChooseFresh, _) => true,
            _ => false,
        };
        let mut found = direct;
        expression.kind.for_each_child(&mut |child| found = found || self.is_varying(child, varying));
        found
    }

    /// Adds variables that are assigned values that may differ, or are assigned where threads part.
    fn collect_varying(&self, statement: &'t Statement, parted: bool, varying: &mut FxHashSet<NodeId>) {
        let parted = parted || self.parts_threads(statement, varying);
        match &statement.kind {
            StatementKind::Local { declarators, .. } => {
                for declarator in declarators {
                    let differs = match &declarator.value {
                        Some(value) => self.is_varying(value, varying),
                        None => true,
                    };
                    if differs || parted {
                        varying.insert(declarator.id);
                    }
                }
            }
            StatementKind::Assign { target, value } => {
                if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&target.id)
                    && (parted || self.is_varying(value, varying))
                {
                    varying.insert(*id);
                }
            }
            StatementKind::Increment(target) | StatementKind::Decrement(target) => {
                if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&target.id)
                    && parted
                {
                    varying.insert(*id);
                }
            }
            _ => {}
        }
        let mut results = FxHashSet::default();
        if !matches!(
            statement.kind,
            StatementKind::Assign { .. } | StatementKind::Increment(_) | StatementKind::Decrement(_)
        ) {
            // Results of ghost arguments may be anything.
            statement.kind.for_each_expression(&mut |expression| self.yields_of(expression, &mut results));
        }
        varying.extend(results);
        statement.kind.for_each_child(&mut |child| self.collect_varying(child, parted, varying));
    }

    fn yields_of(&self, expression: &'t Expression, found: &mut FxHashSet<NodeId>) {
        let yields = match &*expression.kind {
            ExpressionKind::Call(call) => &call.yields[..],
            ExpressionKind::New { yields, .. } => &yields[..],
            _ => &[],
        };
        for result in yields {
            if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&result.target.id) {
                found.insert(*id);
            }
        }
        expression.kind.for_each_child(&mut |child| self.yields_of(child, found));
    }

    /// Whether threads may take different ways through the statement.
    fn parts_threads(&self, statement: &Statement, varying: &FxHashSet<NodeId>) -> bool {
        match &statement.kind {
            StatementKind::If { condition: Branch::Condition(condition), .. } => {
                self.is_varying(condition, varying)
            }
            StatementKind::If { condition: Branch::Arbitrary(_), .. } => true,
            StatementKind::While { condition, .. } => self.is_varying(condition, varying),
            StatementKind::For { condition, .. } => {
                condition.as_ref().is_some_and(|condition| self.is_varying(condition, varying))
            }
            StatementKind::RangedFor { variable, .. } => {
                self.is_varying(&variable.low, varying) || self.is_varying(&variable.high, varying)
            }
            StatementKind::Par(_) => false,
            _ => false,
        }
    }

    fn check_barriers(
        &mut self,
        block: &RunningBlock<'t>,
        statement: &'t Statement,
        parted: bool,
        varying: &FxHashSet<NodeId>,
    ) {
        let parted = parted
            || self.parts_threads(statement, varying)
            || matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Par(_));
        if matches!(statement.kind, StatementKind::Barrier { .. })
            && self.resolution.barriers.get(&statement.id) == Some(&block.id)
            && parted
        {
            let message = "not every thread of the block may reach this barrier";
            let help = "put it where all threads decide alike: conditions around it may not depend on the thread or the heap";
            self.error("barrierDivergence", statement.span, message, help);
        }
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.check_barriers(block, child, parted, varying);
        }
    }
}
