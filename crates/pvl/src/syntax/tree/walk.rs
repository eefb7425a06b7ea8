//! Walks to the direct children of a node. What is below them is the caller's business.

use super::{
    Branch, ClauseKind, Contract, Expression, ExpressionKind, Measure, ParRegion, ParRegionKind, Statement,
    StatementKind,
};

impl ExpressionKind {
    /// Calls `f` on every direct subexpression in source order, but not on those inside of ghost statements.
    pub fn for_each_child<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Expression)) {
        use ExpressionKind::*;
        match self {
            Int(_)
            | Float { .. }
            | Char(_)
            | String(_)
            | Bool(_)
            | Null
            | This
            | Result
            | NoPermission
            | WritePermission
            | ReadPermission
            | NoneOption
            | EmptyProcess
            | StuckProcess
            | AnyIndex
            | CurrentThread
            | LocalThreadId
            | GlobalThreadId
            | Name(_)
            | TypeValue(_)
            | IndependentOf(..) => {}
            Unary(_, e)
            | Field(e, _)
            | Size(e)
            | Value(e)
            | AutoValue(e)
            | CurrentPermission(e)
            | ForPermWithValue { body: e, .. }
            | Trigger(_, e)
            | Old(_, e)
            | TypeOf(e)
            | With { value: e, .. } => f(e),
            Binary(_, a, b)
            | Scale(a, b)
            | Index(a, b)
            | Permission { location: a, amount: b, .. }
            | Let { value: a, body: b, .. }
            | ForPerm { location: a, body: b, .. }
            | Unfolding(a, b)
            | Tuple { first: a, second: b, .. }
            | RangeSeq(a, b)
            | RangeSet(a, b) => {
                f(a);
                f(b);
            }
            Conditional(a, b, c)
            | MapInsert(a, b, c)
            | Update(a, b, c)
            | PointsTo { location: a, amount: b, value: c } => {
                f(a);
                f(b);
                f(c);
            }
            Call(call) => {
                call.receiver.iter().for_each(&mut *f);
                call.arguments.iter().for_each(&mut *f);
                call.given.iter().for_each(|given| f(&given.value));
                call.yields.iter().for_each(|yields| f(&yields.target));
            }
            AdtCall { arguments, .. }
            | Builtin(_, arguments)
            | NewArray { dimensions: arguments, .. }
            | Collection { elements: arguments, .. } => arguments.iter().for_each(f),
            CoalescingCall { receiver, arguments, .. } => {
                f(receiver);
                arguments.iter().for_each(f);
            }
            New { arguments, given, yields, .. } => {
                arguments.iter().for_each(&mut *f);
                given.iter().for_each(|given| f(&given.value));
                yields.iter().for_each(|yields| f(&yields.target));
            }
            Slice(base, low, high) => {
                f(base);
                low.iter().for_each(&mut *f);
                high.iter().for_each(f);
            }
            PartialIndex(indices, dimensions) => {
                indices.iter().for_each(&mut *f);
                dimensions.iter().for_each(f);
            }
            Quantifier { bindings, condition, body, .. } => {
                for (low, high) in bindings.iter().filter_map(|binding| binding.range.as_ref()) {
                    f(low);
                    f(high);
                }
                condition.iter().for_each(&mut *f);
                f(body);
            }
            Map { entries, .. } => {
                for (key, value) in entries {
                    f(key);
                    f(value);
                }
            }
            Comprehension { value, selectors, condition, .. } => {
                f(value);
                selectors.iter().filter_map(|selector| selector.source.as_ref()).for_each(&mut *f);
                f(condition);
            }
        }
    }

    /// The ghost statements that stand directly inside of the expression.
    pub fn ghost_statements(&self) -> impl Iterator<Item = &Statement> {
        let (before, after) = match self {
            ExpressionKind::With { before, after, .. } => (before.as_deref(), after.as_deref()),
            _ => (None, None),
        };
        before.into_iter().chain(after)
    }
}

impl ClauseKind {
    /// The assertion of a clause that is a keyword and an assertion.
    pub fn assertion(&self) -> Option<&Expression> {
        match self {
            ClauseKind::Requires(assertion)
            | ClauseKind::Ensures(assertion)
            | ClauseKind::Context(assertion)
            | ClauseKind::ContextEverywhere(assertion)
            | ClauseKind::LoopInvariant(assertion)
            | ClauseKind::LockInvariant(assertion)
            | ClauseKind::KernelInvariant(assertion) => Some(assertion),
            ClauseKind::Signals { .. }
            | ClauseKind::Decreases(_)
            | ClauseKind::Given(_)
            | ClauseKind::Yields(_)
            | ClauseKind::Modifies(_)
            | ClauseKind::Accessible(_) => None,
        }
    }
}

impl Contract {
    /// Calls `f` on every expression of every clause, in source order.
    pub fn for_each_expression<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Expression)) {
        for clause in &self.clauses {
            match &clause.kind {
                ClauseKind::Signals { condition, .. } => f(condition),
                ClauseKind::Decreases(Measure::Tuple(measures)) => measures.iter().for_each(&mut *f),
                kind => kind.assertion().into_iter().for_each(&mut *f),
            }
        }
    }
}

impl StatementKind {
    /// Calls `f` on the expressions that stand directly in the statement, contracts included, in source order.
    pub fn for_each_expression<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Expression)) {
        use StatementKind::*;
        match self {
            Block(_)
            | Return(None)
            | Goto(_)
            | Label(_)
            | Reveal { .. }
            | Atomic { .. }
            | Extract(_)
            | Ghost(_) => {}
            Local { declarators, .. } => {
                declarators.iter().filter_map(|declarator| declarator.value.as_ref()).for_each(f);
            }
            Assign { target: a, value: b } | Send { distance: a, resource: b, .. } => {
                f(a);
                f(b);
            }
            Increment(e)
            | Decrement(e)
            | Evaluate(e)
            | Return(Some(e))
            | Lock(e)
            | Unlock(e)
            | Wait(e)
            | Notify(e)
            | Commit(e)
            | Fork(e)
            | Join(e)
            | Invariant { resource: e, .. }
            | Fold(e)
            | Unfold(e)
            | Assert(e)
            | Assume(e)
            | Inhale(e)
            | Exhale(e)
            | Refute(e)
            | Question(e)
            | Package { wand: e, .. }
            | Prove { claim: e, .. }
            | Obtain { claim: e }
            | Apply(e) => f(e),
            Calc { steps, result } => {
                steps.iter().for_each(|step| f(&step.claim));
                f(result);
            }
            If { condition, .. } => {
                if let Branch::Condition(e) = condition {
                    f(e);
                }
            }
            While { contract, condition, .. } => {
                contract.for_each_expression(f);
                f(condition);
            }
            For { contract, condition, .. } => {
                contract.for_each_expression(f);
                condition.iter().for_each(f);
            }
            RangedFor { contract, variable, .. } => {
                contract.for_each_expression(f);
                f(&variable.low);
                f(&variable.high);
            }
            Vector { variable, .. } => {
                f(&variable.low);
                f(&variable.high);
            }
            Par(region) => region.for_each_expression(f),
            Barrier { contract, .. } | Frame { contract, .. } => contract.for_each_expression(f),
            Receive { repeated, .. } => {
                if let Some((resource, distance)) = repeated {
                    f(resource);
                    f(distance);
                }
            }
            Action { model, amount, process, action, .. } => {
                f(model);
                f(amount);
                f(process);
                f(action);
            }
        }
    }

    /// Calls `f` on every statement directly inside of this one, and on those that its expressions execute.
    pub fn for_each_inner<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Statement)) {
        self.for_each_executed(f);
        self.for_each_child(f);
    }

    /// Calls `f` on every statement that an expression of this one executes.
    pub fn for_each_executed<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Statement)) {
        self.for_each_expression(&mut |expression| executed(expression, f));
    }

    /// Calls `f` on every statement directly inside of this one, in source order.
    pub fn for_each_child<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Statement)) {
        use StatementKind::*;
        match self {
            Block(block) | Invariant { body: block, .. } | Vector { body: block, .. } => {
                block.statements.iter().for_each(f);
            }
            If { then, otherwise, .. } => {
                f(then);
                otherwise.iter().for_each(|statement| f(statement));
            }
            While { body, .. }
            | RangedFor { body, .. }
            | Atomic { body, .. }
            | Package { proof: body, .. }
            | Prove { proof: body, .. }
            | Extract(body)
            | Frame { body, .. }
            | Ghost(body) => f(body),
            For { initial, update, body, .. } => {
                initial.iter().for_each(&mut *f);
                update.iter().for_each(&mut *f);
                f(body);
            }
            Calc { steps, .. } => steps.iter().filter_map(|step| step.proof.as_ref()).for_each(f),
            Par(region) => region.for_each_body(f),
            Barrier { proof, .. } => {
                proof.iter().flat_map(|block| &block.statements).for_each(f);
            }
            Action { body, .. } => body.iter().for_each(|statement| f(statement)),
            _ => {}
        }
    }
}

impl ParRegion {
    fn for_each_expression<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Expression)) {
        match &self.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                regions.iter().for_each(|region| region.for_each_expression(f));
            }
            ParRegionKind::Block(block) => {
                for variable in &block.variables {
                    f(&variable.low);
                    f(&variable.high);
                }
                block.contract.for_each_expression(f);
            }
        }
    }

    fn for_each_body<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Statement)) {
        match &self.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                regions.iter().for_each(|region| region.for_each_body(f));
            }
            ParRegionKind::Block(block) => f(&block.body),
        }
    }
}

/// Statements of `with` and `then` in an expression.
fn executed<'tree>(expression: &'tree Expression, f: &mut dyn FnMut(&'tree Statement)) {
    expression.kind.ghost_statements().for_each(&mut *f);
    expression.kind.for_each_child(&mut |child| executed(child, f));
}
