//! `invariant`, `atomic` and `barrier`.
//!
//! An invariant's resource is given up around its body and there for the taking inside of `atomic`. It speaks about
//! the values that variables had when it was established, and about what it holds itself: others change the rest.
//! No thread can open an invariant twice.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::concurrency::frames::Framed;
use crate::lower::concurrency::par::{Half, RunningBlock, half_of};
use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::NameTarget;
use crate::syntax::tree::{Block, Contract, Expression, ExpressionKind, NodeId, Statement};

/// An invariant that is in force.
#[derive(Debug)]
pub(crate) struct RunningInvariant<'t> {
    resource: &'t Expression,
    /// The variables of the resource with the values that they had.
    variables: FxHashMap<NodeId, Variable>,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn invariant(&mut self, resource: &'t Expression, body: &'t Block, statement: &'t Statement) {
        let place = statement.span;
        let whole = self.block(place, |scope| {
            let mut mentioned = Vec::new();
            scope.mentioned_variables(resource, &mut mentioned);
            let mut variables = FxHashMap::default();
            for id in mentioned {
                let Some(Variable::Named(name)) = scope.bindings.variables.get(&id).cloned() else {
                    continue;
                };
                let ty = scope.variable_type(id);
                let ty = scope.ty(&ty, place);
                let value = scope.at(place).variable(&name);
                let kept = scope.local(&name, ty, Some(value), place);
                variables.insert(id, Variable::Named(kept));
            }
            let running = Rc::new(RunningInvariant { resource, variables });
            scope.path.invariants.insert(statement.id, running.clone());
            let resource = scope.invariant_resource(&running);
            scope.check_self_framing(place, |scope| scope.invariant_resource(&running));
            scope.exhale_as(Role::Base("notEstablished"), resource, place);
            scope.statements(&body.statements);
            let resource = scope.invariant_resource(&running);
            scope.inhale(resource, place);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    fn invariant_resource(&mut self, invariant: &RunningInvariant<'t>) -> s::Expression {
        self.locally(|scope| {
            let kept = invariant.variables.iter().map(|(id, variable)| (*id, variable.clone()));
            scope.bindings.variables.extend(kept);
            scope.assertion(invariant.resource)
        })
    }

    /// Variables that an expression mentions and does not bind.
    pub(crate) fn mentioned_variables(&self, expression: &'t Expression, found: &mut Vec<NodeId>) {
        if let ExpressionKind::Name(_) = &*expression.kind
            && let Some(NameTarget::Variable(id)) = self.resolution.names.get(&expression.id)
            && !found.contains(id)
        {
            found.push(*id);
        }
        expression.kind.for_each_child(&mut |child| self.mentioned_variables(child, found));
    }

    pub(crate) fn atomic(&mut self, body: &'t Statement, statement: &'t Statement) {
        let place = statement.span;
        let ids = self.resolution.opened.get(&statement.id).cloned().unwrap_or_default();
        if ids.iter().enumerate().any(|(at, id)| self.path.opened.contains(id) || ids[..at].contains(id)) {
            let message = "this invariant is open already: its resource cannot be taken twice";
            self.error("atomicReentered", place, message, "use what the outer `atomic` has opened");
            return;
        }
        let running: Vec<_> = ids.iter().filter_map(|id| self.path.invariants.get(id).cloned()).collect();
        let whole = self.block(place, |scope| {
            scope.with_open(&ids, |scope| {
                scope.inhale_invariants(&running, place);
                scope.loop_body(body);
                scope.exhale_invariants(&running, "notMaintained", place);
            });
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    /// Does `work` with these invariants open, which it may not leave with `return`.
    fn with_open(&mut self, ids: &[NodeId], work: impl FnOnce(&mut Self)) {
        let opened = self.path.opened.iter().chain(ids).copied().collect();
        self.with(|scope| &mut scope.path.opened, opened, |scope| scope.without_exit(work));
    }

    fn inhale_invariants(&mut self, invariants: &[Rc<RunningInvariant<'t>>], place: Span) {
        for invariant in invariants {
            let resource = self.invariant_resource(invariant);
            self.inhale(resource, place);
        }
    }

    fn exhale_invariants(
        &mut self,
        invariants: &[Rc<RunningInvariant<'t>>],
        code: &'static str,
        place: Span,
    ) {
        for invariant in invariants.iter().rev() {
            let resource = self.invariant_resource(invariant);
            self.exhale_as(Role::Base(code), resource, place);
        }
    }

    pub(crate) fn barrier(
        &mut self,
        contract: &'t Contract,
        proof: Option<&'t Block>,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        let block =
            self.resolution.barriers.get(&statement.id).and_then(|id| self.path.par_blocks.get(id)).cloned();
        let Some(block) = block else {
            let message = "this barrier is not inside of the par block that it names";
            self.error("resolutionError:barrier", place, message, "put it into the block");
            return;
        };
        if !self.path.opened.is_empty() {
            let message = "no thread can wait at a barrier while it has an invariant open";
            self.error("barrierInAtomic", place, message, "put the barrier outside of `atomic`");
            return;
        }
        let ids = self.resolution.opened.get(&statement.id).cloned().unwrap_or_default();
        let running: Vec<_> = ids.iter().filter_map(|id| self.path.invariants.get(id).cloned()).collect();
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
            let given = half(scope, Half::Ensures);
            scope.check_self_framing(place, |scope| half(scope, Half::Requires));
            scope.check_self_framing(place, |scope| half(scope, Half::Ensures));
            scope.exhale_as(Role::Base("notEstablished"), taken, place);
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
        self.framed(framed, |scope| {
            scope.with_open(ids, |scope| {
                let brought = scope.at(place).all(brought);
                scope.inhale(brought, place);
                scope.inhale_invariants(running, place);
                if let Some(proof) = proof {
                    scope.statements(&proof.statements);
                }
                scope.exhale_invariants(running, "barrierInvariant", place);
            });
        });
    }
}
