//! Questions about typed trees that several passes and the engine ask.

use rustc_hash::FxHashSet;

use super::{
    BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, LocalId, Statement, StatementKind,
    Trigger, rewrite_top_down,
};

/// Visits a tree in preorder; `f` says whether to go below the node.
pub fn visit_expression<'a>(expression: &'a ExpressionRef, f: &mut dyn FnMut(&'a ExpressionRef) -> bool) {
    let mut stack = vec![expression];
    let mut children = Vec::new();
    while let Some(node) = stack.pop() {
        if !f(node) {
            continue;
        }
        node.for_each_child(&mut |child| children.push(child));
        stack.extend(children.drain(..).rev());
    }
}

/// Visits every statement of a block in order, nested ones after the statement that holds them.
pub fn visit_statements<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Statement)) {
    for statement in &block.statements {
        f(statement);
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                visit_statements(then, f);
                visit_statements(otherwise, f);
            }
            StatementKind::While { body, .. } | StatementKind::Block(body) => visit_statements(body, f),
            StatementKind::Package { proof, .. } => visit_statements(proof, f),
            _ => {}
        }
    }
}

/// Calls `f` on the expressions that a statement holds itself, not on those of statements inside it.
pub fn for_each_expression<'a>(statement: &'a Statement, f: &mut dyn FnMut(&'a ExpressionRef)) {
    match &statement.kind {
        StatementKind::Assign { value, .. } => f(value),
        StatementKind::FieldAssign { receiver, value, .. } => {
            f(receiver);
            f(value);
        }
        StatementKind::Call { arguments, .. } => arguments.iter().for_each(f),
        StatementKind::Inhale(assertion)
        | StatementKind::Exhale(assertion)
        | StatementKind::Question(assertion)
        | StatementKind::Assert { assertion, .. }
        | StatementKind::Refute { assertion, .. } => f(assertion),
        StatementKind::Fold(access) | StatementKind::Unfold(access) => access.for_each_child(f),
        StatementKind::Package { wand, .. } | StatementKind::Apply(wand) => {
            f(&wand.left);
            f(&wand.right);
        }
        StatementKind::Quasihavoc { condition, resource }
        | StatementKind::QuasihavocAll { condition, resource, .. } => {
            condition.iter().for_each(&mut *f);
            resource.for_each_child(f);
        }
        StatementKind::If { condition, .. } => f(condition),
        StatementKind::While { condition, invariants, .. } => {
            f(condition);
            invariants.iter().for_each(f);
        }
        StatementKind::Label { invariants, .. } => invariants.iter().for_each(f),
        StatementKind::New { .. } | StatementKind::Goto(_) | StatementKind::Block(_) => {}
    }
}

/// Whether the expression speaks about values only: no accessibility predicate and no wand is asserted.
pub fn is_pure(expression: &Expression) -> bool {
    use ExpressionKind::*;
    let mut stack = vec![expression];
    while let Some(node) = stack.pop() {
        match &node.kind {
            FieldPermission { .. } | PredicatePermission(_) | Wand(_) => return false,
            // Operators whose operands are values; only `Bool` connectives can hold assertions.
            Unary(_, operand) => stack.push(operand),
            Binary(_, left, right) => stack.extend([&**left, &**right]),
            Conditional { condition, then, otherwise } => stack.extend([&**condition, &**then, &**otherwise]),
            InhaleExhale { inhale, exhale } => stack.extend([&**inhale, &**exhale]),
            Unfolding { body, .. } | Applying { body, .. } | Asserting { body, .. } | Let { body, .. } => {
                stack.push(body);
            }
            Old(body) | LabelledOld { body, .. } => stack.push(body),
            Forall { body, .. } | Exists { body, .. } | ForPerm { body, .. } => stack.push(body),
            _ => {}
        }
    }
    true
}

/// A quantified permission `forall xs :: condition ==> resource`.
#[derive(Clone, Copy, Debug)]
pub struct QuantifiedPermission<'a> {
    pub variables: &'a [LocalId],
    pub triggers: &'a [Trigger],
    /// `None` is `true`.
    pub condition: Option<&'a ExpressionRef>,
    /// A [`ExpressionKind::FieldPermission`], [`ExpressionKind::PredicatePermission`] or
    /// [`ExpressionKind::Wand`].
    pub assertion: &'a ExpressionRef,
}

impl Expression {
    /// Reads an impure `forall`; the front end lets no other shape of impure `forall` through.
    pub fn as_quantified_permission(&self) -> Option<QuantifiedPermission<'_>> {
        let ExpressionKind::Forall { variables, triggers, body } = &self.kind else { return None };
        let (condition, assertion) = match &body.kind {
            ExpressionKind::Binary(BinaryOperator::Implies, condition, assertion) => {
                (Some(condition), assertion)
            }
            _ => (None, body),
        };
        let is_resource = matches!(
            assertion.kind,
            ExpressionKind::FieldPermission { .. }
                | ExpressionKind::PredicatePermission(_)
                | ExpressionKind::Wand(_)
        );
        is_resource.then_some(QuantifiedPermission { variables, triggers, condition, assertion })
    }
}

/// Whether an inhale-exhale assertion occurs anywhere in the tree.
pub fn contains_inhale_exhale(expression: &ExpressionRef) -> bool {
    let mut found = false;
    visit_expression(expression, &mut |node| {
        found |= matches!(node.kind, ExpressionKind::InhaleExhale { .. });
        !found
    });
    found
}

/// The assertion as it is assumed.
pub fn when_inhaling(expression: &ExpressionRef) -> ExpressionRef {
    rewrite_top_down(expression, &mut |node| match &node.kind {
        ExpressionKind::InhaleExhale { inhale, .. } => Some(when_inhaling(inhale)),
        _ => None,
    })
}

/// The assertion as it is checked.
pub fn when_exhaling(expression: &ExpressionRef) -> ExpressionRef {
    rewrite_top_down(expression, &mut |node| match &node.kind {
        ExpressionKind::InhaleExhale { exhale, .. } => Some(when_exhaling(exhale)),
        _ => None,
    })
}

/// Variables that occur without being bound in the tree, in order of first occurrence.
pub fn free_variables(expression: &ExpressionRef) -> Vec<LocalId> {
    let mut bound = FxHashSet::default();
    let mut free = Vec::new();
    visit_expression(expression, &mut |node| {
        match &node.kind {
            ExpressionKind::Forall { variables, .. }
            | ExpressionKind::Exists { variables, .. }
            | ExpressionKind::ForPerm { variables, .. } => bound.extend(variables.iter().copied()),
            ExpressionKind::Let { variable, .. } => {
                bound.insert(*variable);
            }
            ExpressionKind::Local(local) if !bound.contains(local) && !free.contains(local) => {
                free.push(*local)
            }
            _ => {}
        }
        true
    });
    free
}

/// Whether two trees are the same apart from places and annotations.
pub fn structurally_equal(left: &Expression, right: &Expression) -> bool {
    let mut stack = vec![(left, right)];
    while let Some((left, right)) = stack.pop() {
        if std::ptr::eq(left, right) {
            continue;
        }
        if left.ty != right.ty || !same_head(left, right) {
            return false;
        }
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        left.for_each_child(&mut |child| lefts.push(&**child));
        right.for_each_child(&mut |child| rights.push(&**child));
        if lefts.len() != rights.len() {
            return false;
        }
        stack.extend(lefts.into_iter().zip(rights));
    }
    true
}

/// Whether two nodes agree in everything but their subexpressions.
fn same_head(left: &Expression, right: &Expression) -> bool {
    use super::Resource;
    use ExpressionKind::*;
    let same_resource = |left: &Resource, right: &Resource| match (left, right) {
        (Resource::Field { field: a, .. }, Resource::Field { field: b, .. }) => a == b,
        (Resource::Predicate { predicate: a, .. }, Resource::Predicate { predicate: b, .. }) => a == b,
        (Resource::Wand(_), Resource::Wand(_)) => true,
        _ => false,
    };
    match (&left.kind, &right.kind) {
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (Local(a), Local(b)) => a == b,
        (Unary(a, _), Unary(b, _)) => a == b,
        (Binary(a, ..), Binary(b, ..)) => a == b,
        (FieldAccess { field: a, .. }, FieldAccess { field: b, .. }) => a == b,
        (FunctionApplication { function: a, .. }, FunctionApplication { function: b, .. }) => a == b,
        (
            DomainApplication { function: a, type_arguments: c, .. },
            DomainApplication { function: b, type_arguments: d, .. },
        ) => a == b && c == d,
        (FieldPermission { field: a, amount: c, .. }, FieldPermission { field: b, amount: d, .. }) => {
            a == b && c.is_some() == d.is_some()
        }
        (PredicatePermission(a), PredicatePermission(b)) => {
            a.predicate == b.predicate && a.amount.is_some() == b.amount.is_some()
        }
        (Unfolding { access: a, .. }, Unfolding { access: b, .. }) => {
            a.predicate == b.predicate && a.amount.is_some() == b.amount.is_some()
        }
        (ResourceTerm(a), ResourceTerm(b)) | (CurrentPermission(a), CurrentPermission(b)) => {
            same_resource(a, b)
        }
        (LabelledOld { label: a, .. }, LabelledOld { label: b, .. }) => a == b,
        (Let { variable: a, .. }, Let { variable: b, .. }) => a == b,
        (Forall { variables: a, triggers: c, .. }, Forall { variables: b, triggers: d, .. })
        | (Exists { variables: a, triggers: c, .. }, Exists { variables: b, triggers: d, .. }) => {
            let same_length = |(c, d): (&Trigger, &Trigger)| c.expressions.len() == d.expressions.len();
            a == b && c.len() == d.len() && c.iter().zip(d.iter()).all(same_length)
        }
        (ForPerm { variables: a, resource: c, .. }, ForPerm { variables: b, resource: d, .. }) => {
            a == b && same_resource(c, d)
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
