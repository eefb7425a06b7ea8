//! Rebuilding typed expressions: one traversal that every rewriting uses.
//!
//! Unchanged subtrees are shared with the input.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    Expression, ExpressionKind, ExpressionRef, Local, LocalId, MapEntry, PredicateAccess, Resource, Trigger,
    Wand,
};

/// A rewriting of direct subexpressions.
type Mapper<'a> = dyn FnMut(&ExpressionRef) -> ExpressionRef + 'a;

/// Applies `f` to every direct subexpression, triggers and resources included.
pub fn map_children(expression: &ExpressionRef, f: &mut Mapper<'_>) -> ExpressionRef {
    use ExpressionKind::*;
    let mut changed = false;
    let mut one = |child: &ExpressionRef| {
        let mapped = f(child);
        changed |= !Arc::ptr_eq(child, &mapped);
        mapped
    };
    let kind = match &expression.kind {
        Bool(_) | Int(_) | Null | FullPermission | NoPermission | Wildcard | Epsilon | Local(_) | Result => {
            return expression.clone();
        }
        Unary(operator, operand) => Unary(*operator, one(operand)),
        Binary(operator, left, right) => Binary(*operator, one(left), one(right)),
        Conditional { condition, then, otherwise } => {
            Conditional { condition: one(condition), then: one(then), otherwise: one(otherwise) }
        }
        FieldAccess { receiver, field } => FieldAccess { receiver: one(receiver), field: *field },
        FunctionApplication { function, arguments } => {
            FunctionApplication { function: *function, arguments: arguments.iter().map(one).collect() }
        }
        DomainApplication { function, type_arguments, arguments } => DomainApplication {
            function: *function,
            type_arguments: type_arguments.clone(),
            arguments: arguments.iter().map(one).collect(),
        },
        FieldPermission { receiver, field, amount } => {
            FieldPermission { receiver: one(receiver), field: *field, amount: amount.as_ref().map(one) }
        }
        PredicatePermission(access) => PredicatePermission(map_access(access, &mut one)),
        Wand(wand) => Wand(map_wand(wand, &mut one)),
        ResourceTerm(resource) => ResourceTerm(map_resource(resource, &mut one)),
        CurrentPermission(resource) => CurrentPermission(map_resource(resource, &mut one)),
        Unfolding { access, body } => Unfolding { access: map_access(access, &mut one), body: one(body) },
        Applying { wand, body } => Applying { wand: map_wand(wand, &mut one), body: one(body) },
        Asserting { assertion, body } => Asserting { assertion: one(assertion), body: one(body) },
        Old(body) => Old(one(body)),
        LabelledOld { label, body } => LabelledOld { label: *label, body: one(body) },
        Let { variable, value, body } => Let { variable: *variable, value: one(value), body: one(body) },
        Forall { variables, triggers, body } => Forall {
            variables: variables.clone(),
            triggers: triggers.iter().map(|trigger| map_trigger(trigger, &mut one)).collect(),
            body: one(body),
        },
        Exists { variables, triggers, body } => Exists {
            variables: variables.clone(),
            triggers: triggers.iter().map(|trigger| map_trigger(trigger, &mut one)).collect(),
            body: one(body),
        },
        ForPerm { variables, resource, body } => ForPerm {
            variables: variables.clone(),
            resource: map_resource(resource, &mut one),
            body: one(body),
        },
        InhaleExhale { inhale, exhale } => InhaleExhale { inhale: one(inhale), exhale: one(exhale) },
        SeqLiteral(elements) => SeqLiteral(elements.iter().map(one).collect()),
        SetLiteral(elements) => SetLiteral(elements.iter().map(one).collect()),
        MultisetLiteral(elements) => MultisetLiteral(elements.iter().map(one).collect()),
        MapLiteral(entries) => MapLiteral(
            entries.iter().map(|entry| MapEntry { key: one(&entry.key), value: one(&entry.value) }).collect(),
        ),
        SeqUpdate { base, index, value } => {
            SeqUpdate { base: one(base), index: one(index), value: one(value) }
        }
        MapUpdate { base, key, value } => MapUpdate { base: one(base), key: one(key), value: one(value) },
    };
    if changed { expression.with_kind(kind) } else { expression.clone() }
}

fn map_access(access: &PredicateAccess, f: &mut Mapper<'_>) -> PredicateAccess {
    PredicateAccess {
        predicate: access.predicate,
        arguments: access.arguments.iter().map(&mut *f).collect(),
        amount: access.amount.as_ref().map(f),
        span: access.span,
    }
}

fn map_wand(wand: &Wand, f: &mut Mapper<'_>) -> Wand {
    Wand { left: f(&wand.left), right: f(&wand.right), span: wand.span }
}

fn map_resource(resource: &Resource, f: &mut Mapper<'_>) -> Resource {
    match resource {
        Resource::Field { receiver, field, span } => {
            Resource::Field { receiver: f(receiver), field: *field, span: *span }
        }
        Resource::Predicate { predicate, arguments, span } => Resource::Predicate {
            predicate: *predicate,
            arguments: arguments.iter().map(f).collect(),
            span: *span,
        },
        Resource::Wand(wand) => Resource::Wand(map_wand(wand, f)),
    }
}

fn map_trigger(trigger: &Trigger, f: &mut Mapper<'_>) -> Trigger {
    Trigger { expressions: trigger.expressions.iter().map(f).collect(), span: trigger.span }
}

/// Rewrites from the root: where `f` returns a tree, that tree replaces the node and is not visited again.
pub fn rewrite_top_down(
    expression: &ExpressionRef,
    f: &mut dyn FnMut(&ExpressionRef) -> Option<ExpressionRef>,
) -> ExpressionRef {
    match f(expression) {
        Some(replacement) => replacement,
        None => map_children(expression, &mut |child| rewrite_top_down(child, f)),
    }
}

/// Replaces variables by expressions. Ids of bound variables are unique in a member, so nothing is captured.
pub fn substitute(
    expression: &ExpressionRef,
    replacements: &FxHashMap<LocalId, ExpressionRef>,
) -> ExpressionRef {
    if replacements.is_empty() {
        return expression.clone();
    }
    rewrite_top_down(expression, &mut |node| match &node.kind {
        ExpressionKind::Local(local) => Some(match replacements.get(local) {
            // The replacement keeps its own place: an error in an argument is reported at the argument.
            Some(replacement) => replacement.clone(),
            None => node.clone(),
        }),
        _ => None,
    })
}

impl Expression {
    /// The direct subexpressions in source order, those of triggers and resources included.
    pub fn children(&self) -> Vec<&ExpressionRef> {
        let mut children = Vec::new();
        self.for_each_child(&mut |child| children.push(child));
        children
    }

    /// Calls `f` on every direct subexpression in source order.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a ExpressionRef)) {
        use ExpressionKind::*;
        match &self.kind {
            Bool(_) | Int(_) | Null | FullPermission | NoPermission | Wildcard | Epsilon | Local(_)
            | Result => {}
            Unary(_, operand) => f(operand),
            Binary(_, left, right) => {
                f(left);
                f(right);
            }
            Conditional { condition, then, otherwise } => {
                f(condition);
                f(then);
                f(otherwise);
            }
            FieldAccess { receiver, .. } => f(receiver),
            FunctionApplication { arguments, .. } | DomainApplication { arguments, .. } => {
                arguments.iter().for_each(f)
            }
            FieldPermission { receiver, amount, .. } => {
                f(receiver);
                amount.iter().for_each(f);
            }
            PredicatePermission(access) => access.for_each_child(f),
            Wand(wand) => {
                f(&wand.left);
                f(&wand.right);
            }
            ResourceTerm(resource) | CurrentPermission(resource) => resource.for_each_child(f),
            Unfolding { access, body } => {
                access.for_each_child(f);
                f(body);
            }
            Applying { wand, body } => {
                f(&wand.left);
                f(&wand.right);
                f(body);
            }
            Asserting { assertion, body } => {
                f(assertion);
                f(body);
            }
            Old(body) | LabelledOld { body, .. } => f(body),
            Let { value, body, .. } => {
                f(value);
                f(body);
            }
            Forall { triggers, body, .. } | Exists { triggers, body, .. } => {
                triggers.iter().flat_map(|trigger| trigger.expressions.iter()).for_each(&mut *f);
                f(body);
            }
            ForPerm { resource, body, .. } => {
                resource.for_each_child(f);
                f(body);
            }
            InhaleExhale { inhale, exhale } => {
                f(inhale);
                f(exhale);
            }
            SeqLiteral(elements) | SetLiteral(elements) | MultisetLiteral(elements) => {
                elements.iter().for_each(f)
            }
            MapLiteral(entries) => {
                for entry in entries.iter() {
                    f(&entry.key);
                    f(&entry.value);
                }
            }
            SeqUpdate { base, index, value } => {
                f(base);
                f(index);
                f(value);
            }
            MapUpdate { base, key, value } => {
                f(base);
                f(key);
                f(value);
            }
        }
    }
}

impl PredicateAccess {
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a ExpressionRef)) {
        self.arguments.iter().for_each(&mut *f);
        self.amount.iter().for_each(f);
    }
}

impl Resource {
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a ExpressionRef)) {
        match self {
            Resource::Field { receiver, .. } => f(receiver),
            Resource::Predicate { arguments, .. } => arguments.iter().for_each(f),
            Resource::Wand(wand) => {
                f(&wand.left);
                f(&wand.right);
            }
        }
    }
}

/// Moves an expression into another member: variables are replaced, and the variables that it binds itself get new
/// ids in the other member's table.
pub fn transplant(
    expression: &ExpressionRef,
    from: &[Local],
    into: &mut Vec<Local>,
    replacements: &FxHashMap<LocalId, ExpressionRef>,
) -> ExpressionRef {
    let mut renamed: FxHashMap<LocalId, LocalId> = FxHashMap::default();
    super::visit_expression(expression, &mut |node| {
        let bound: &[LocalId] = match &node.kind {
            ExpressionKind::Forall { variables, .. }
            | ExpressionKind::Exists { variables, .. }
            | ExpressionKind::ForPerm { variables, .. } => variables,
            ExpressionKind::Let { variable, .. } => std::slice::from_ref(variable),
            _ => &[],
        };
        for local in bound {
            renamed.entry(*local).or_insert_with(|| {
                into.push(from[local.index()].clone());
                LocalId(into.len() as u32 - 1)
            });
        }
        true
    });
    rename(expression, &renamed, replacements)
}

fn rename(
    expression: &ExpressionRef,
    renamed: &FxHashMap<LocalId, LocalId>,
    replacements: &FxHashMap<LocalId, ExpressionRef>,
) -> ExpressionRef {
    if let ExpressionKind::Local(local) = &expression.kind {
        return match (renamed.get(local), replacements.get(local)) {
            (Some(renamed), _) => expression.with_kind(ExpressionKind::Local(*renamed)),
            (None, Some(replacement)) => replacement.clone(),
            (None, None) => expression.clone(),
        };
    }
    let inner = map_children(expression, &mut |child| rename(child, renamed, replacements));
    let new_id = |local: &LocalId| renamed.get(local).copied().unwrap_or(*local);
    let kind = match &inner.kind {
        ExpressionKind::Forall { variables, triggers, body } => ExpressionKind::Forall {
            variables: variables.iter().map(new_id).collect(),
            triggers: triggers.clone(),
            body: body.clone(),
        },
        ExpressionKind::Exists { variables, triggers, body } => ExpressionKind::Exists {
            variables: variables.iter().map(new_id).collect(),
            triggers: triggers.clone(),
            body: body.clone(),
        },
        ExpressionKind::ForPerm { variables, resource, body } => ExpressionKind::ForPerm {
            variables: variables.iter().map(new_id).collect(),
            resource: resource.clone(),
            body: body.clone(),
        },
        ExpressionKind::Let { variable, value, body } => {
            ExpressionKind::Let { variable: new_id(variable), value: value.clone(), body: body.clone() }
        }
        _ => return inner,
    };
    inner.with_kind(kind)
}
