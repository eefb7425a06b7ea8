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
            scope.check_self_framing(place, |scope| scope.invariant_resource(&running));
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

    pub(crate) fn barrier(
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
}
