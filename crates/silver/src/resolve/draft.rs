//! Expressions between inference and their typed form.
//!
//! Inference reads an expression bottom-up and leaves a draft: children, a type that may still contain variables, and
//! a recipe that makes the typed node once all types are known.

use std::sync::Arc;

use source::Span;

use super::unify::{Solver, Ty};
use crate::typed::{
    Annotations, BinaryOperator, Expression, ExpressionKind, ExpressionRef, Type, map_children,
};

/// What a recipe can use.
pub(super) struct Parts {
    pub(super) children: Vec<ExpressionRef>,
    /// Type arguments of the node, final.
    pub(super) types: Vec<Type>,
    /// The type of the node, final.
    pub(super) ty: Type,
}

type Recipe = Box<dyn FnOnce(&mut Parts) -> ExpressionKind>;

pub(super) struct Draft {
    pub(super) ty: Ty,
    pub(super) span: Span,
    pub(super) annotations: Option<Arc<Annotations>>,
    children: Vec<Draft>,
    types: Vec<Ty>,
    body: Body,
}

enum Body {
    Finished(ExpressionRef),
    Recipe(Recipe),
}

impl Draft {
    pub(super) fn leaf(kind: ExpressionKind, ty: Ty, span: Span) -> Draft {
        Draft::node(Vec::new(), ty, span, move |_| kind)
    }

    /// An expression that is typed already, because inference does not reach across it.
    pub(super) fn finished(expression: ExpressionRef, ty: Ty) -> Draft {
        let span = expression.span;
        Draft {
            ty,
            span,
            annotations: None,
            children: Vec::new(),
            types: Vec::new(),
            body: Body::Finished(expression),
        }
    }

    pub(super) fn node(
        children: Vec<Draft>,
        ty: Ty,
        span: Span,
        recipe: impl FnOnce(&mut Parts) -> ExpressionKind + 'static,
    ) -> Draft {
        let body = Body::Recipe(Box::new(recipe));
        Draft { ty, span, annotations: None, children, types: Vec::new(), body }
    }

    pub(super) fn with_types(mut self, types: Vec<Ty>) -> Draft {
        self.types = types;
        self
    }

    /// Stands for an expression with a reported error.
    pub(super) fn error(span: Span) -> Draft {
        Draft::leaf(ExpressionKind::Bool(true), Ty::Error, span)
    }

    /// Makes the typed expression; all choices of the solver must be settled.
    pub(super) fn finish(self, solver: &Solver) -> ExpressionRef {
        let recipe = match self.body {
            Body::Finished(expression) => {
                return match self.annotations {
                    None => expression,
                    Some(annotations) => annotate(&expression, &annotations, self.span),
                };
            }
            Body::Recipe(recipe) => recipe,
        };
        let mut parts = Parts {
            children: self.children.into_iter().map(|child| child.finish(solver)).collect(),
            types: self.types.iter().map(|ty| solver.ground(ty)).collect(),
            ty: solver.ground(&self.ty),
        };
        let kind = recipe(&mut parts);
        Arc::new(Expression { kind, ty: parts.ty, span: self.span, annotations: self.annotations })
    }
}

impl Parts {
    /// The next child from the front. A recipe takes at most as many as it was given.
    pub(super) fn next(&mut self) -> ExpressionRef {
        self.children.remove(0)
    }

    pub(super) fn rest(&mut self) -> Arc<[ExpressionRef]> {
        std::mem::take(&mut self.children).into()
    }
}

/// Puts annotations on the quantifiers that one written quantifier became.
fn annotate(expression: &ExpressionRef, annotations: &Arc<Annotations>, span: Span) -> ExpressionRef {
    match &expression.kind {
        ExpressionKind::Binary(BinaryOperator::And, ..) | ExpressionKind::InhaleExhale { .. } => {
            map_children(expression, &mut |child| annotate(child, annotations, span))
        }
        _ => {
            let annotations = Some(annotations.clone());
            Arc::new(Expression { annotations, span, ..Expression::clone(expression) })
        }
    }
}
