//! Barrier divergence: every thread of a block comes to the same barriers in the same order.
//!
//! The exchange at a barrier is proved for all threads of the block at once. A barrier may therefore stand under a
//! condition only if all threads decide it alike. That is checked on the text: a value is the same for all threads if
//! it is made of constants, of variables from outside of the block and of locals that hold such values.

use rustc_hash::FxHashSet;

use super::par::RunningBlock;
use super::scope::Scope;
use crate::resolve::{CallTarget, NameTarget, Operation, Selection, Subscript};
use crate::syntax::tree::{
    Branch, Expression, ExpressionKind, NodeId, Statement, StatementKind, UnaryOperator,
};

impl<'t> Scope<'_, 't> {
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
        // A jump may lead around any barrier.
        self.check_barriers(block, block.body, jumps(block.body), &varying);
    }

    /// Whether threads may see different values. What is not known to be a value of all of them differs.
    fn is_varying(&self, expression: &'t Expression, varying: &FxHashSet<NodeId>) -> bool {
        use ExpressionKind::*;
        let direct = match &*expression.kind {
            Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Variable(id)) => varying.contains(id),
                Some(NameTarget::Field(id)) => !self.resolution.items.finals.contains(id),
                _ => true,
            },
            Field(..) => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Field(id)) => !self.resolution.items.finals.contains(id),
                Some(Selection::Member(_) | Selection::EnumConstant(_)) => false,
                _ => true,
            },
            Index(..) => {
                let subscript = self.resolution.subscripts.get(&expression.id);
                !matches!(subscript, Some(Subscript::Seq | Subscript::Map))
            }
            Call(_) => {
                let target = self.resolution.calls.get(&expression.id);
                !matches!(target, Some(CallTarget::Member(_)))
            }
            Binary(..) => {
                let operation = self.resolution.operations.get(&expression.id);
                matches!(operation, None | Some(Operation::Declared { .. } | Operation::Pointers))
            }
            Unary(operator, _) => !matches!(operator, UnaryOperator::Not | UnaryOperator::Negate),
            Builtin(builtin, _) => {
                use crate::syntax::tree::Builtin::*;
                !matches!(
                    builtin,
                    EuclideanDiv
                        | EuclideanMod
                        | Pow
                        | IsInt
                        | Choose
                        | NdIndex
                        | NdLength
                        | Some
                        | Left
                        | Right
                )
            }
            Int(_)
            | Float { .. }
            | Char(_)
            | String(_)
            | Bool(_)
            | Null
            | This
            | NoPermission
            | WritePermission
            | NoneOption
            | Conditional(..)
            | MapInsert(..)
            | Slice(..)
            | Update(..)
            | Size(_)
            | PartialIndex(..)
            | Quantifier { .. }
            | Let { .. }
            | Trigger(..)
            | TypeOf(_)
            | TypeValue(_)
            | Collection { .. }
            | Map { .. }
            | Tuple { .. }
            | RangeSeq(..)
            | RangeSet(..) => false,
            _ => true,
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
        // Ghost results and what ghost statements assign may be anything.
        statement.kind.for_each_expression(&mut |expression| self.yields_of(expression, varying));
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
        for statement in expression.kind.ghost_statements() {
            self.assigned_variables(statement, found);
        }
        expression.kind.for_each_child(&mut |child| self.yields_of(child, found));
    }

    /// Whether threads may take different ways through the statement.
    fn parts_threads(&self, statement: &'t Statement, varying: &FxHashSet<NodeId>) -> bool {
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
            || matches!(statement.kind, StatementKind::Par(_));
        if matches!(statement.kind, StatementKind::Barrier { .. })
            && self.resolution.barriers.get(&statement.id) == Some(&block.id)
            && parted
        {
            let message = "not every thread of the block may reach this barrier";
            let help = "put it where all threads decide alike: no `goto`, and no condition that depends on the thread or \
                        the heap";
            self.error("barrierDivergence", statement.span, message, help);
        }
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push(child));
        for child in children {
            self.check_barriers(block, child, parted, varying);
        }
    }
}

/// Whether there is a `goto` inside.
fn jumps(statement: &Statement) -> bool {
    let mut found = matches!(statement.kind, StatementKind::Goto(_));
    statement.kind.for_each_child(&mut |child| found = found || jumps(child));
    found
}
