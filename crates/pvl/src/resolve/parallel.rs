//! Blocks whose threads run side by side: what they share, where they wait, what they send.
//!
//! Each thread has an identity, which other threads do not know. So an assertion on which several threads agree, or a
//! thread and the one that starts it, cannot mention the current thread.

use super::checker::{Checker, ThreadPlace, Wall, WallKind};
use super::statements::{ContractPlace, contract_expressions};
use super::types::Type;
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind, Name, NodeId, ParRegion, ParRegionKind, Statement};

impl<'tree> Checker<'tree> {
    /// An assertion between threads.
    pub(super) fn shared_assertion(&mut self, assertion: &'tree Expression) {
        self.within(|context| context.thread = ThreadPlace::Shared, |checker| checker.assertion(assertion));
    }

    pub(super) fn region(&mut self, region: &'tree ParRegion) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                for region in regions {
                    self.region(region);
                }
            }
            ParRegionKind::Block(block) => {
                for variable in &block.variables {
                    self.check_range(variable);
                }
                let wall = Wall { span: region.span, kind: WallKind::ParBlock };
                self.walled(wall, |checker| {
                    for variable in &block.variables {
                        checker.declare(&variable.name, variable.id, true);
                    }
                    checker.clauses(&block.contract, ContractPlace::ParBlock);
                    contract_expressions(&block.contract, |expression| checker.shared_assertion(expression));
                    if let Some(name) = &block.name {
                        checker.around.blocks.push((name.text.clone(), region.id));
                    }
                    checker.body(&block.body);
                    if block.name.is_some() {
                        checker.around.blocks.pop();
                    }
                });
            }
        }
    }

    pub(super) fn barrier(&mut self, statement: &Statement, block: &Name, invariants: &[Name]) {
        let found = self.around.blocks.iter().rev().find(|(name, _)| *name == block.text).map(|(_, id)| *id);
        match found {
            Some(region) => {
                self.resolution.barriers.insert(statement.id, region);
            }
            None => self.error(
                codes::NO_SUCH_NAME,
                block.span,
                format!("there is no par block `{}` around this barrier", block.text),
                "a barrier names the par block whose threads wait for each other",
            ),
        }
        let opened = self.opened_invariants(invariants);
        self.resolution.opened.insert(statement.id, opened);
    }

    pub(super) fn opened_invariants(&mut self, names: &[Name]) -> Vec<NodeId> {
        let mut opened = Vec::new();
        for name in names {
            let found =
                self.around.invariants.iter().rev().find(|(text, _)| *text == name.text).map(|(_, id)| *id);
            match found {
                Some(id) if opened.contains(&id) => self.error(
                    codes::DUPLICATE_NAME,
                    name.span,
                    format!("the invariant `{}` is opened twice", name.text),
                    "name it once: what it holds is there only once",
                ),
                Some(id) if self.around.open.contains(&id) => self.error(
                    codes::NESTED_ATOMIC,
                    name.span,
                    format!("the invariant `{}` is already open here", name.text),
                    "what an invariant holds is there once; the statement around has taken it",
                ),
                Some(id) => opened.push(id),
                None => self.error(
                    codes::NO_SUCH_NAME,
                    name.span,
                    format!("there is no invariant `{}` around this statement", name.text),
                    "share a resource with `invariant name(resource) { … }`",
                ),
            }
        }
        opened
    }

    pub(super) fn fixed_distance(&mut self, distance: &'tree Expression) {
        self.check(distance, &Type::Int);
        if !matches!(&*distance.kind, ExpressionKind::Int(_)) {
            self.error(
                codes::SEND,
                distance.span,
                "the distance of a `send` must be a number",
                "write how many iterations later the resource arrives",
            );
        }
    }

    pub(super) fn receive(
        &mut self,
        statement: NodeId,
        label: &Name,
        repeated: Option<&'tree (Expression, Expression)>,
    ) {
        if let Some((resource, distance)) = repeated {
            self.shared_assertion(resource);
            self.fixed_distance(distance);
        }
        match self.around.sends.get(&label.text) {
            Some(send) => {
                self.resolution.sends.insert(statement, *send);
            }
            None => self.error(
                codes::NO_SUCH_NAME,
                label.span,
                format!("nothing is sent under the name `{}`", label.text),
                "send it with `send name, distance: resource;` in the same loop or par block",
            ),
        }
    }
}
