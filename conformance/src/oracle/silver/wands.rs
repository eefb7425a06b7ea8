//! Magic wands by their definition, on small heaps.
//!
//! A wand `A --* B` holds in a part of the heap if that part, put together with any state in which `A` holds, gives one in
//! which `B` holds. Packaging executes the proof for several left-hand sides and takes for the footprint what each of
//! them needs; applying puts the footprint and the left-hand side together, executes the proof and keeps what `B` asks for.
//! Two wands are the same if they are written the same way with the same values in all places that do not read the heap.

use std::rc::Rc;

use silver::typed::{
    Block, ExpressionKind, ExpressionRef, LabelReference, LocalId, Resource, Wand, visit_expression,
};
use source::Span;

use super::heap::{Instance, Mask, WandChunk};
use super::machine::{Machine, Outside, Run, Scope, State, Stop, fail};
use super::value::{Value, none, write as full};

/// How a wand was made.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) scope: Scope,
    pub(super) wand: Wand,
    pub(super) proof: Block,
}

/// Left-hand sides that are tried for a footprint.
const SAMPLES: usize = 4;

impl Machine<'_> {
    /// What a wand is known by.
    pub(super) fn wand_key(&mut self, scope: &mut Scope, state: &mut State, wand: &Wand) -> Run<String> {
        let mut key = String::new();
        let mut bound = Vec::new();
        self.key_of(scope, state, &wand.left, &mut bound, &mut key)?;
        key.push_str(" --* ");
        self.key_of(scope, state, &wand.right, &mut bound, &mut key)?;
        Ok(key)
    }

    fn key_of(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        e: &ExpressionRef,
        bound: &mut Vec<LocalId>,
        key: &mut String,
    ) -> Run<()> {
        use std::fmt::Write as _;
        if is_fixed(e, bound) {
            let value = self.evaluate(scope, state, e)?;
            let _ = write!(key, "{value}");
            return Ok(());
        }
        match &e.kind {
            ExpressionKind::Forall { variables, .. }
            | ExpressionKind::Exists { variables, .. }
            | ExpressionKind::ForPerm { variables, .. } => bound.extend(variables.iter().copied()),
            ExpressionKind::Let { variable, .. } => bound.push(*variable),
            _ => {}
        }
        let _ = match &e.kind {
            ExpressionKind::Local(local) => {
                write!(key, "b{}", bound.iter().position(|other| other == local).unwrap_or(0))
            }
            ExpressionKind::Binary(operator, ..) => write!(key, "{operator:?}"),
            ExpressionKind::Unary(operator, ..) => write!(key, "{operator:?}"),
            ExpressionKind::FieldAccess { field, .. } | ExpressionKind::FieldPermission { field, .. } => {
                write!(key, "{:?}.{}", std::mem::discriminant(&e.kind), field.0)
            }
            ExpressionKind::PredicatePermission(access) => write!(key, "P{}", access.predicate.0),
            ExpressionKind::FunctionApplication { function, .. } => write!(key, "f{}", function.0),
            ExpressionKind::DomainApplication { function, .. } => write!(key, "d{}", function.0),
            ExpressionKind::CurrentPermission(Resource::Field { field, .. }) => {
                write!(key, "perm{}", field.0)
            }
            other => write!(key, "{:?}", std::mem::discriminant(other)),
        };
        key.push('(');
        let mut children = Vec::new();
        e.for_each_child(&mut |child| children.push(child.clone()));
        for child in children {
            self.key_of(scope, state, &child, bound, key)?;
            key.push(',');
        }
        // `acc(x.f)` is `acc(x.f, write)`.
        let amount = match &e.kind {
            ExpressionKind::FieldPermission { amount, .. } => amount.as_ref(),
            ExpressionKind::PredicatePermission(access) => access.amount.as_ref(),
            _ => Some(e),
        };
        if amount.is_none() {
            let _ = write!(key, "{},", Value::Perm(full()));
        }
        key.push(')');
        Ok(())
    }

    /// Makes a wand: its footprint leaves the state.
    pub(super) fn package(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        wand: &Wand,
        proof: &Block,
        span: Span,
    ) -> Run<()> {
        if state.outside.is_some() {
            return Err(Stop::GivenUp("a package inside of a package"));
        }
        let key = self.wand_key(scope, state, wand)?;
        let mut footprint: Option<Mask> = None;
        for _ in 0..SAMPLES {
            let mut inner_scope = scope.clone();
            match self.try_package(&mut inner_scope, state, wand, proof) {
                Ok(taken) => match &mut footprint {
                    None => footprint = Some(taken),
                    Some(known) => {
                        if !join(known, &taken) {
                            self.is_exact = false;
                        }
                    }
                },
                Err(Stop::Pruned) => {}
                Err(Stop::Failed { code, span: inner }) => {
                    self.choices.push(format!("the proof of the wand fails: {code} at {}", inner.start));
                    return fail("package.failed", span);
                }
                Err(stop) => return Err(stop),
            }
        }
        // A wand that nothing can be given to holds with any footprint: nobody can say which.
        let Some(footprint) = footprint else {
            return Err(Stop::GivenUp("a wand without a left-hand side"));
        };
        for (location, amount) in &footprint.fields {
            state.mask.take_field(*location, amount);
        }
        for (key, instance) in &footprint.instances {
            state.mask.take_instance(key, &instance.amount);
        }
        for chunk in &footprint.wands {
            self.take_wand(state, &chunk.key, span)?;
        }
        let package = Package { scope: scope.clone(), wand: wand.clone(), proof: proof.clone() };
        state.mask.wands.push(WandChunk { key, package: Some(Rc::new(package)), footprint });
        Ok(())
    }

    /// What a proof takes from outside for one left-hand side.
    fn try_package(&mut self, scope: &mut Scope, state: &State, wand: &Wand, proof: &Block) -> Run<Mask> {
        // The left-hand side comes from a state that is yet to be: nothing that is held now limits it.
        let mut inner = State { heap: state.heap.clone(), ..State::default() };
        self.inhale(scope, &mut inner, &wand.left)?;
        let mut given = Vec::new();
        inner.mask.locations(&mut given);
        scope.left = Some(inner.snapshot());
        inner.outside = Some(Box::new(Outside { mask: state.mask.clone(), taken: Mask::default() }));
        let done = self
            .execute_block(scope, &mut inner, proof)
            .and_then(|()| self.exhale(scope, &mut inner, &wand.right, "package.failed"));
        if let Err(stop) = done {
            // A left-hand side that cannot be put together with what is held here proves nothing.
            let overlaps = given.iter().any(|location| state.mask.total(*location) > none());
            return Err(if overlaps { Stop::Pruned } else { stop });
        }
        let taken = inner.outside.map(|outside| outside.taken).unwrap_or_default();
        // A location of both sides has one value; together there is no more than all of it.
        for location in given {
            let from_outside = taken.total(location);
            if from_outside > none() {
                let now = state.heap.get(&location).copied();
                let then = inner.heap.get(&location).copied();
                let same = match (now, then) {
                    (Some(now), Some(then)) => self.value(now)? == self.value(then)?,
                    _ => true,
                };
                let left = scope.left.as_ref().map_or_else(none, |left| left.mask.total(location));
                if !same || from_outside + left > full() {
                    return Err(Stop::Pruned);
                }
            }
        }
        Ok(taken)
    }

    /// Gives the left-hand side and the wand for the right-hand side.
    pub(super) fn apply_wand(&mut self, scope: &mut Scope, state: &mut State, wand: &Wand) -> Run<()> {
        let key = self.wand_key(scope, state, wand)?;
        let chunk = self.take_wand(state, &key, wand.span)?;
        let left = match self.exhale(scope, state, &wand.left, "apply.failed") {
            Err(Stop::Failed { .. }) => return fail("apply.failed", wand.span),
            other => other?,
        };
        let around = std::mem::take(&mut state.mask);
        let mut together = state.clone();
        together.frames.push(around.clone());
        together.outside = None;
        together.mask = left;
        let left_state = together.snapshot();
        match &chunk.package {
            Some(package) => {
                together.mask.add(chunk.footprint.clone());
                let mut inner = package.scope.clone();
                inner.left = Some(left_state);
                let done = self.execute_block(&mut inner, &mut together, &package.proof).and_then(|()| {
                    self.exhale(&mut inner, &mut together, &package.wand.right, "apply.failed")
                });
                let given = match done {
                    // This left-hand side was not among those that the footprint was chosen by.
                    Err(Stop::Failed { .. }) => return Err(Stop::GivenUp("a footprint that is too small")),
                    other => other?,
                };
                state.heap = together.heap;
                state.mask = around;
                state.mask.add(given);
            }
            None => {
                // Whatever the footprint is: then the right-hand side holds, and no more is known.
                let mut inner = scope.clone();
                inner.left = Some(left_state);
                state.mask = around;
                self.inhale(&mut inner, state, &wand.right)?;
            }
        }
        if state.mask.holds_too_much() {
            return Err(Stop::Pruned);
        }
        Ok(())
    }
}

/// Makes a footprint large enough for another one; whether it was.
fn join(known: &mut Mask, more: &Mask) -> bool {
    let mut was_enough = true;
    for (location, amount) in &more.fields {
        if known.of_field(*location) != *amount {
            was_enough = false;
        }
        if known.of_field(*location) < *amount {
            known.fields.insert(*location, amount.clone());
        }
    }
    was_enough &= known.fields.keys().all(|location| more.fields.contains_key(location));
    for (key, instance) in &more.instances {
        if known.of_instance(key) != instance.amount {
            was_enough = false;
        }
        if known.of_instance(key) < instance.amount {
            let Instance { amount, inside, version } = instance.clone();
            known.instances.insert(key.clone(), Instance { amount, inside, version });
        }
    }
    was_enough &= known.instances.keys().all(|key| more.instances.contains_key(key));
    for chunk in &more.wands {
        if !known.wands.iter().any(|other| other.key == chunk.key) {
            was_enough = false;
            known.wands.push(chunk.clone());
        }
    }
    was_enough
}

/// Whether an expression has its value before the wand is applied: it reads no heap, or one of the past.
fn is_fixed(e: &ExpressionRef, bound: &[LocalId]) -> bool {
    use ExpressionKind as K;
    let mut fixed = true;
    visit_expression(e, &mut |node| {
        fixed &= match &node.kind {
            K::Local(local) => !bound.contains(local),
            K::FieldAccess { .. }
            | K::FunctionApplication { .. }
            | K::FieldPermission { .. }
            | K::PredicatePermission(_)
            | K::Wand(_)
            | K::Unfolding { .. }
            | K::Applying { .. }
            | K::Asserting { .. }
            | K::CurrentPermission(_)
            | K::ForPerm { .. }
            | K::InhaleExhale { .. }
            | K::Wildcard
            | K::Epsilon
            | K::Result
            | K::Forall { .. }
            | K::Exists { .. }
            | K::Let { .. }
            | K::ResourceTerm(_) => false,
            K::LabelledOld { label: LabelReference::WandLeft, .. } => false,
            _ => true,
        };
        fixed && !matches!(node.kind, K::Old(_) | K::LabelledOld { .. })
    });
    visit_expression(e, &mut |node| {
        fixed &= !matches!(&node.kind, K::Local(local) if bound.contains(local));
        fixed
    });
    fixed
}
