//! Shapes of magic wands: two wands are the same resource if they differ only in subexpressions whose values are fixed
//! when the wand is created, and these have the same values.
//!
//! The shape is the wand with such subexpressions left out and its bound variables numbered in order. An `old` that
//! is not part of such a subexpression reads a heap that is fixed too: which one, is a further value.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::typed::{
    Expression, ExpressionKind, ExpressionRef, LabelId, LabelReference, LocalId, PredicateAccess, Program,
    Type, Wand, map_children, rewrite_top_down, structurally_equal, visit_expression,
};

/// The shape of wands in one program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct WandShapeId(pub u32);

impl WandShapeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All shapes that have been met, numbered in that order.
#[derive(Clone, Default, Debug)]
pub struct WandShapes {
    shapes: Vec<Shape>,
    /// By the places of the wand's two sides in memory, which the shapes keep alive.
    known: FxHashMap<(usize, usize), WandShapeId>,
    kept: Vec<(ExpressionRef, ExpressionRef)>,
}

#[derive(Clone, Debug)]
struct Shape {
    left: ExpressionRef,
    right: ExpressionRef,
    holes: Vec<Type>,
}

/// What, with the shape, identifies a wand.
#[derive(Clone, Debug)]
pub enum WandArgument {
    Value(ExpressionRef),
    /// The identity of the heap that `old` reads.
    OldHeap,
    /// The identity of the heap that `old[label]` reads.
    LabelHeap(LabelId),
}

/// What identifies a wand, in the order of [`WandShapes::holes`].
pub fn wand_arguments(program: &Program, wand: &Wand) -> Vec<WandArgument> {
    arguments_of_explicit(program, &explicit(wand))
}

fn arguments_of_explicit(program: &Program, wand: &Wand) -> Vec<WandArgument> {
    let holes = program.wand_holes(wand);
    let mut heaps = Vec::new();
    for side in [&wand.left, &wand.right] {
        visit_expression(side, &mut |node| {
            match &node.kind {
                _ if holes.iter().any(|hole| Arc::ptr_eq(hole, node)) => return false,
                ExpressionKind::Old(_) => heaps.push(WandArgument::OldHeap),
                ExpressionKind::LabelledOld { label: LabelReference::Label(label), .. } => {
                    heaps.push(WandArgument::LabelHeap(*label));
                }
                _ => {}
            }
            true
        });
    }
    holes.into_iter().map(WandArgument::Value).chain(heaps).collect()
}

/// The wand with all its amounts written, since `acc(x.f)` is `acc(x.f, write)`.
fn explicit(wand: &Wand) -> Wand {
    let side = |side: &ExpressionRef| {
        rewrite_top_down(side, &mut |node| {
            let write = || Some(Expression::new(ExpressionKind::FullPermission, Type::Perm, node.span));
            match &node.kind {
                ExpressionKind::FieldPermission { receiver, field, amount: None } => {
                    let (receiver, field) = (receiver.clone(), *field);
                    let kind = ExpressionKind::FieldPermission { receiver, field, amount: write() };
                    Some(node.with_kind(kind))
                }
                ExpressionKind::PredicatePermission(access) if access.amount.is_none() => {
                    let access = PredicateAccess { amount: write(), ..access.clone() };
                    Some(node.with_kind(ExpressionKind::PredicatePermission(access)))
                }
                _ => None,
            }
        })
    };
    Wand { left: side(&wand.left), right: side(&wand.right), span: wand.span }
}

impl WandShapes {
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The types of the values that, with the shape, identify a wand; [`wand_arguments`] says what they are.
    pub fn holes(&self, shape: WandShapeId) -> &[Type] {
        &self.shapes[shape.index()].holes
    }

    /// The shape of a wand, if a wand of this shape has been met.
    pub fn find(&self, program: &Program, wand: &Wand) -> Option<WandShapeId> {
        let key = (Arc::as_ptr(&wand.left) as usize, Arc::as_ptr(&wand.right) as usize);
        self.known.get(&key).copied().or_else(|| self.position(&Shape::of(program, wand)))
    }

    /// The shape of a wand, which gets a number if it is new.
    pub fn intern(&mut self, program: &Program, wand: &Wand) -> WandShapeId {
        let key = (Arc::as_ptr(&wand.left) as usize, Arc::as_ptr(&wand.right) as usize);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let shape = Shape::of(program, wand);
        let id = self.position(&shape).unwrap_or_else(|| {
            self.shapes.push(shape);
            WandShapeId(self.shapes.len() as u32 - 1)
        });
        self.known.insert(key, id);
        self.kept.push((wand.left.clone(), wand.right.clone()));
        id
    }

    fn position(&self, shape: &Shape) -> Option<WandShapeId> {
        let index = self.shapes.iter().position(|known| {
            structurally_equal(&known.left, &shape.left) && structurally_equal(&known.right, &shape.right)
        })?;
        Some(WandShapeId(index as u32))
    }
}

impl Shape {
    fn of(program: &Program, wand: &Wand) -> Shape {
        let wand = &explicit(wand);
        let arguments = arguments_of_explicit(program, wand);
        let mut holes = Vec::new();
        let mut types = Vec::new();
        for argument in arguments {
            match argument {
                WandArgument::Value(value) => {
                    types.push(value.ty.clone());
                    holes.push(value);
                }
                WandArgument::OldHeap | WandArgument::LabelHeap(_) => types.push(Type::Int),
            }
        }
        let mut names = FxHashMap::default();
        for side in [&wand.left, &wand.right] {
            visit_expression(side, &mut |node| {
                for local in bound_variables(node) {
                    let number = names.len() as u32;
                    names.entry(*local).or_insert(LocalId(number));
                }
                true
            });
        }
        let left = skeleton(&wand.left, &holes, &names);
        let right = skeleton(&wand.right, &holes, &names);
        Shape { left, right, holes: types }
    }
}

fn bound_variables(node: &Expression) -> &[LocalId] {
    match &node.kind {
        ExpressionKind::Forall { variables, .. }
        | ExpressionKind::Exists { variables, .. }
        | ExpressionKind::ForPerm { variables, .. } => variables,
        ExpressionKind::Let { variable, .. } => std::slice::from_ref(variable),
        _ => &[],
    }
}

/// A hole is a `result` of its type: a real `result` in a wand is always part of a hole.
fn skeleton(
    node: &ExpressionRef,
    holes: &[ExpressionRef],
    names: &FxHashMap<LocalId, LocalId>,
) -> ExpressionRef {
    if holes.iter().any(|hole| Arc::ptr_eq(hole, node)) {
        return node.with_kind(ExpressionKind::Result);
    }
    let inner = map_children(node, &mut |child| skeleton(child, holes, names));
    let name = |local: &LocalId| names.get(local).copied().unwrap_or(*local);
    let kind = match &inner.kind {
        ExpressionKind::Local(local) => ExpressionKind::Local(name(local)),
        // Which label it is, is an argument.
        ExpressionKind::LabelledOld { label: LabelReference::Label(_), body } => {
            ExpressionKind::LabelledOld { label: LabelReference::Label(LabelId(0)), body: body.clone() }
        }
        ExpressionKind::Let { variable, value, body } => {
            ExpressionKind::Let { variable: name(variable), value: value.clone(), body: body.clone() }
        }
        ExpressionKind::Forall { variables, triggers, body } => ExpressionKind::Forall {
            variables: variables.iter().map(name).collect(),
            triggers: triggers.clone(),
            body: body.clone(),
        },
        ExpressionKind::Exists { variables, triggers, body } => ExpressionKind::Exists {
            variables: variables.iter().map(name).collect(),
            triggers: triggers.clone(),
            body: body.clone(),
        },
        ExpressionKind::ForPerm { variables, resource, body } => ExpressionKind::ForPerm {
            variables: variables.iter().map(name).collect(),
            resource: resource.clone(),
            body: body.clone(),
        },
        _ => return inner,
    };
    inner.with_kind(kind)
}
