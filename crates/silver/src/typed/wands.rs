//! What identifies a magic wand: the subexpressions whose values are fixed when the wand is created.

use super::{Expression, ExpressionKind, ExpressionRef, LabelReference, LocalId, Program, Wand};

impl Program {
    /// The largest subexpressions of a wand that can be evaluated in the state around it, in source order: they do
    /// not depend on the wand's own states and contain no variable that is bound inside it. A wildcard has no value
    /// that could be fixed, so what mentions one is not among them, but the wildcards of a left-hand side are.
    pub fn wand_holes(&self, wand: &Wand) -> Vec<ExpressionRef> {
        let mut holes = Vec::new();
        let mut bound = Vec::new();
        self.collect_holes(&wand.left, true, &mut bound, &mut holes);
        self.collect_holes(&wand.right, false, &mut bound, &mut holes);
        holes
    }

    /// A wildcard on the right is whatever the wand has. On the left it is what the wand wants, which is some amount
    /// that is known nowhere else: no two such wands are the same.
    fn collect_holes(
        &self,
        node: &ExpressionRef,
        on_left: bool,
        bound: &mut Vec<LocalId>,
        holes: &mut Vec<ExpressionRef>,
    ) {
        let mark = bound.len();
        match &node.kind {
            ExpressionKind::Let { variable, value, body } => {
                self.collect_holes(value, on_left, bound, holes);
                bound.push(*variable);
                self.collect_holes(body, on_left, bound, holes);
            }
            ExpressionKind::Forall { variables, .. }
            | ExpressionKind::Exists { variables, .. }
            | ExpressionKind::ForPerm { variables, .. } => {
                bound.extend(variables.iter().copied());
                node.for_each_child(&mut |child| self.collect_holes(child, on_left, bound, holes));
            }
            ExpressionKind::Wildcard if on_left => holes.push(node.clone()),
            ExpressionKind::Wand(wand) if mentions_wildcard(&wand.left) => {
                self.collect_holes(&wand.left, true, bound, holes);
                self.collect_holes(&wand.right, on_left, bound, holes);
            }
            _ => {
                let free = super::free_variables(node);
                let is_closed = !bound.iter().any(|variable| free.contains(variable));
                if is_closed && !mentions_wildcard(node) && !self.depends_on_current_heap(node, true) {
                    holes.push(node.clone());
                } else {
                    node.for_each_child(&mut |child| self.collect_holes(child, on_left, bound, holes));
                }
            }
        }
        bound.truncate(mark);
    }

    /// Whether the value depends on the current heap, or on the heap of a wand's left-hand side. `in_current` says
    /// whether the node is read in such a heap.
    fn depends_on_current_heap(&self, node: &Expression, in_current: bool) -> bool {
        let in_children = match &node.kind {
            ExpressionKind::LabelledOld { label: LabelReference::WandLeft, .. } => true,
            ExpressionKind::Old(_) | ExpressionKind::LabelledOld { .. } => false,
            ExpressionKind::FieldAccess { .. }
            | ExpressionKind::FieldPermission { .. }
            | ExpressionKind::PredicatePermission(_)
            | ExpressionKind::Wand(_)
            | ExpressionKind::ResourceTerm(_)
            | ExpressionKind::CurrentPermission(_)
                if in_current =>
            {
                return true;
            }
            ExpressionKind::FunctionApplication { function, .. }
                if in_current && self.is_heap_dependent(*function) =>
            {
                return true;
            }
            ExpressionKind::Unfolding { .. } | ExpressionKind::Applying { .. } if in_current => return true,
            _ => in_current,
        };
        let mut depends = false;
        node.for_each_child(&mut |child| {
            depends = depends || self.depends_on_current_heap(child, in_children);
        });
        depends
    }
}

fn mentions_wildcard(expression: &ExpressionRef) -> bool {
    let mut found = false;
    super::visit_expression(expression, &mut |node| {
        found |= matches!(node.kind, ExpressionKind::Wildcard | ExpressionKind::Epsilon);
        !found
    });
    found
}
