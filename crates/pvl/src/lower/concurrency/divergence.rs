//! Barrier divergence: every thread of a block comes to the same barriers in the same order.
//!
//! The exchange at a barrier is proved for all threads of the block at once. A barrier may therefore stand under a
//! condition only if all threads decide it alike, and its contract may only mention locals that all threads agree on.
//! That is checked on the text: a value is the same for all threads if it is made of constants, of variables from
//! outside of the block and of locals that hold such values.
//!
//! Why the text is enough: whatever is not in the list of what is the same counts as different. Reads of the heap are
//! not in the list, and a variable whose address is taken lives there, so that no alias gets past it; nor are calls, so that
//! no function or predicate does. All other variables are changed by assignments that name them only.

use rustc_hash::FxHashSet;
use source::Span;

use crate::lower::concurrency::par::RunningBlock;
use crate::lower::concurrency::send_receive::declared_variables;
use crate::lower::scope::Scope;
use crate::resolve::{CallTarget, NameTarget, Operation, Selection, Subscript};
use crate::syntax::tree::{
    Branch, Contract, Expression, ExpressionKind, NodeId, Statement, StatementKind, UnaryOperator,
};

impl<'t> Scope<'_, 't> {
    /// Reports barriers that not every thread of the block reaches in the same order.
    ///
    /// A barrier may stand under a condition only if all threads decide it alike: it mentions neither the heap nor
    /// variables whose values differ between threads.
    pub(crate) fn check_uniform_barriers(&mut self, block: &RunningBlock<'t>) {
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

    /// Reports locals in the contract of a barrier that need not have the same value in all threads.
    fn check_exchange(
        &mut self,
        block: &RunningBlock<'t>,
        contract: &'t Contract,
        varying: &FxHashSet<NodeId>,
    ) {
        let mut own = FxHashSet::default();
        declared_variables(block.body, &mut own);
        let mut clauses = Vec::new();
        contract.for_each_expression(&mut |clause| clauses.push(clause));
        let mut differing = Vec::new();
        for clause in clauses {
            self.differing_in(clause, block, &own, varying, &mut differing);
        }
        for name in differing {
            let message =
                format!("`{}` may have another value in another thread", self.lowering.map.text(name));
            let help = "what the threads exchange is proved once for all of them: speak about the block's variables and \
                        variables from outside of it";
            self.error("barrierLocal", name, message, help);
        }
    }

    /// Places where an expression mentions what one thread has for itself, or a state that it has named.
    fn differing_in(
        &self,
        expression: &'t Expression,
        block: &RunningBlock<'t>,
        own: &FxHashSet<NodeId>,
        varying: &FxHashSet<NodeId>,
        found: &mut Vec<Span>,
    ) {
        let differs = match (&*expression.kind, self.resolution.names.get(&expression.id)) {
            (ExpressionKind::Name(_), Some(NameTarget::Variable(id))) => {
                let is_bound = block.variables.iter().any(|variable| variable.id == *id);
                // A variable with an address is a place of its own in each thread.
                !is_bound && (varying.contains(id) || own.contains(id) && self.has_address(*id))
            }
            (ExpressionKind::Old(Some(_), _), _) => {
                self.resolution.labels.get(&expression.id).is_some_and(|label| {
                    crate::lower::concurrency::send_receive::contains(block.body, *label)
                })
            }
            _ => false,
        };
        if differs {
            found.push(expression.span);
        }
        expression.kind.for_each_child(&mut |child| self.differing_in(child, block, own, varying, found));
    }

    /// Whether a variable can be changed through a pointer, without its name.
    pub(crate) fn has_address(&self, variable: NodeId) -> bool {
        self.resolution.addressed.contains(&variable)
    }

    /// Whether threads may see different values. What is not known to be a value of all of them differs.
    fn is_varying(&self, expression: &'t Expression, varying: &FxHashSet<NodeId>) -> bool {
        use ExpressionKind::*;
        let direct = match &*expression.kind {
            Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Variable(id)) => varying.contains(id) || self.has_address(*id),
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
        statement.kind.for_each_expression(&mut |expression| self.assigned_in(expression, varying));
        statement.kind.for_each_inner(&mut |child| self.collect_varying(child, parted, varying));
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
        let parted = parted || self.parts_threads(statement, varying) || is_for_somebody_else(statement);
        let of_block = match &statement.kind {
            StatementKind::Barrier { contract, .. }
                if self.resolution.barriers.get(&statement.id) == Some(&block.id) =>
            {
                Some(contract)
            }
            _ => None,
        };
        if let Some(contract) = of_block {
            self.check_exchange(block, contract, varying);
        }
        if of_block.is_some() && parted {
            let message = "not every thread of the block may reach this barrier";
            let help = "put it where all threads decide alike: no `goto`, and no condition that depends on the thread or \
                        the heap";
            self.error("barrierDivergence", statement.span, message, help);
        }
        // The proof of an exchange is made once: there is nobody to wait for in it.
        let parted = parted || matches!(statement.kind, StatementKind::Barrier { .. });
        let mut children = Vec::new();
        statement.kind.for_each_child(&mut |child| children.push((child, parted)));
        // A part of an expression may or may not be evaluated.
        statement.kind.for_each_executed(&mut |child| children.push((child, true)));
        for (child, parted) in children {
            self.check_barriers(block, child, parted, varying);
        }
    }
}

/// Whether what is inside runs in other threads, or in iterations that could be.
fn is_for_somebody_else(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Par(_) | StatementKind::Vector { .. } => true,
        StatementKind::While { contract, .. }
        | StatementKind::For { contract, .. }
        | StatementKind::RangedFor { contract, .. } => contract.is_iteration_contract(),
        _ => false,
    }
}

/// Whether there is a `goto` inside.
fn jumps(statement: &Statement) -> bool {
    let mut found = matches!(statement.kind, StatementKind::Goto(_));
    statement.kind.for_each_inner(&mut |child| found = found || jumps(child));
    found
}
