//! What interprets a program: its tables, the state, and the thread that moves now.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pvl::resolve::{CallTarget, Operation, Resolution, Type};
use pvl::syntax::tree::{ClassMemberKind, Expression, ExpressionKind, NodeId, Routine};
use source::Span;

use super::state::{BlockKind, Env, Heap, Location, State};
use super::stop::{Result, Stop};
use super::value::{Pointer, Value, garbage_of};

/// What is left open by the language, or how much of it is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// Which values things have that were never assigned.
    pub garbage: usize,
    /// Iterations of a loop with a contract for each run as threads instead of one after the other.
    pub parallel_loops: bool,
    /// Ghost code is left out, and with it all that is said about the program: only crashes and races count.
    pub erased: bool,
    /// A number that stands for a hole is equal to everything, and what it was compared with is kept.
    pub mining: bool,
}

pub(super) struct Machine<'t> {
    pub(super) resolution: &'t Resolution<'t>,
    pub(super) manner: Manner,
    pub(super) state: State<'t>,
    pub(super) thread: usize,
    /// The heap that is looked at inside of `\old`.
    pub(super) view: Option<Rc<Heap>>,
    pub(super) depth: usize,
    pub(super) steps: usize,
    /// Slots of the fields of objects, and of the static fields in the first block.
    pub(super) slots: Rc<BTreeMap<NodeId, usize>>,
    /// Where statements can stand that were reached: blocks by their places, and the statement in front of which.
    pub(super) reached: BTreeSet<usize>,
    /// What was seen in each hole.
    pub(super) holes: BTreeMap<i128, BTreeSet<i128>>,
}

pub(super) const MAX_DEPTH: usize = 60;

impl<'t> Machine<'t> {
    pub(super) fn new(resolution: &'t Resolution<'t>, manner: Manner) -> Machine<'t> {
        let mut slots = BTreeMap::new();
        for members in resolution.items.members.values() {
            let mut next = 0;
            for member in members {
                if let ClassMemberKind::Fields(fields) = &member.kind {
                    for (id, _) in &fields.names {
                        if !resolution.items.statics.contains(id) {
                            slots.insert(*id, next);
                            next += 1;
                        }
                    }
                }
            }
        }
        let statics: BTreeSet<NodeId> = resolution
            .items
            .statics
            .iter()
            .copied()
            .filter(|id| resolution.variables.contains_key(id))
            .collect();
        for (slot, id) in statics.iter().enumerate() {
            slots.insert(*id, slot);
        }
        Machine {
            resolution,
            manner,
            state: State::default(),
            thread: 0,
            view: None,
            depth: 0,
            steps: 0,
            slots: Rc::new(slots),
            reached: BTreeSet::new(),
            holes: BTreeMap::new(),
        }
    }

    /// The first block of a heap holds the static fields.
    pub(super) fn make_statics(&mut self) -> Result<()> {
        let mut fields: Vec<NodeId> = self.resolution.items.statics.iter().copied().collect();
        fields.retain(|id| self.resolution.variables.contains_key(id));
        fields.sort();
        let mut values = Vec::new();
        for field in fields {
            values.push(self.garbage(&self.resolution.variables[&field])?);
        }
        self.state.allocate(BlockKind::Cell, values, 0);
        Ok(())
    }

    pub(super) fn garbage(&mut self, ty: &Type) -> Result<Value> {
        self.state.serial += 1;
        garbage_of(ty, self.manner.garbage, self.state.serial, self.resolution)
    }

    /// A type with what the type parameters stand for put in.
    pub(super) fn type_in(&self, env: &Env, ty: &Type) -> Type {
        match ty {
            Type::Variable(id) => {
                let found = env.types.iter().rev().find(|entry| entry.0 == *id);
                found.map_or_else(|| ty.clone(), |entry| entry.1.clone())
            }
            _ => ty.clone(),
        }
    }

    pub(super) fn class_of(&self, object: usize) -> Option<NodeId> {
        match self.state.heap.get(object)?.kind {
            BlockKind::Object(class) => Some(class),
            _ => None,
        }
    }

    /// The location of a field of an object.
    pub(super) fn field(&self, object: &Value, field: NodeId, code: &'static str) -> Result<Location> {
        let slot = *self.slots.get(&field).ok_or_else(|| Stop::unknown("a field"))?;
        match object {
            Value::Object(block) => Ok((*block, slot)),
            Value::Null => Err(Stop::fail(code)),
            _ => Err(Stop::unknown("an object")),
        }
    }

    pub(super) fn static_field(&self, field: NodeId) -> Result<Location> {
        let slot = *self.slots.get(&field).ok_or_else(|| Stop::unknown("a field"))?;
        Ok((0, slot))
    }

    pub(super) fn element(&self, array: &Value, index: i128) -> Result<Location> {
        match array {
            Value::Array(block) => {
                let length = self.state.heap[*block].slots.len();
                match usize::try_from(index) {
                    Ok(slot) if slot < length => Ok((*block, slot)),
                    _ => Err(Stop::fail("arrayBounds")),
                }
            }
            Value::Null => Err(Stop::fail("arrayNull")),
            Value::Pointer(pointer) => self.pointed(*pointer, index),
            _ => Err(Stop::unknown("an array")),
        }
    }

    pub(super) fn pointed(&self, pointer: Pointer, index: i128) -> Result<Location> {
        let offset = pointer.offset.checked_add(index).ok_or_else(|| Stop::unknown("a large number"))?;
        match usize::try_from(offset) {
            Ok(slot) if slot < pointer.length => Ok((pointer.block, pointer.base + slot)),
            _ => Err(Stop::fail("ptrBlock")),
        }
    }

    pub(super) fn read(&mut self, location: Location, place: Span) -> Result<Value> {
        match &self.view {
            Some(heap) => match heap.get(location.0) {
                Some(block) => Ok(block.slots[location.1].clone()),
                None => Err(Stop::unknown("something that did not exist then")),
            },
            None => self.state.read(location, self.thread, place),
        }
    }

    pub(super) fn variable(&mut self, env: &Env, id: NodeId, place: Span) -> Result<Value> {
        let found = env.variables.iter().rev().find(|entry| entry.0 == id);
        let value = found.map(|entry| entry.1.clone()).ok_or_else(|| Stop::unknown("a variable"))?;
        match (self.resolution.addressed.contains(&id), value) {
            (true, Value::Pointer(pointer)) => {
                let location = self.pointed(pointer, 0)?;
                self.read(location, place)
            }
            (_, value) => Ok(value),
        }
    }

    /// Declares a variable; one whose address is taken lives on the heap.
    pub(super) fn declare(&mut self, env: &mut Env, id: NodeId, value: Value) {
        let value = if self.resolution.addressed.contains(&id) {
            let block = self.state.allocate(BlockKind::Cell, vec![value], self.thread);
            Value::Pointer(Pointer { block, base: 0, length: 1, offset: 0 })
        } else {
            value
        };
        env.variables.push((id, value));
    }

    pub(super) fn set_variable(
        &mut self,
        env: &mut Env,
        id: NodeId,
        value: Value,
        place: Span,
    ) -> Result<()> {
        let found = env.variables.iter_mut().rev().find(|entry| entry.0 == id);
        let Some(entry) = found else { return Err(Stop::unknown("a variable")) };
        if self.resolution.addressed.contains(&id)
            && let Value::Pointer(pointer) = entry.1
        {
            let location = self.pointed(pointer, 0)?;
            return self.state.write(location, value, self.thread, place);
        }
        entry.1 = value;
        Ok(())
    }

    /// Whether evaluating an expression does more than to look at things.
    pub(super) fn acts(&self, expression: &Expression) -> bool {
        let mut acts = match &*expression.kind {
            ExpressionKind::New { .. } | ExpressionKind::NewArray { .. } | ExpressionKind::With { .. } => {
                true
            }
            ExpressionKind::Call(_) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(call)) => self.is_method(call.routine),
                _ => false,
            },
            ExpressionKind::Binary(..) => match self.resolution.operations.get(&expression.id) {
                Some(Operation::Declared { routine, .. }) => self.is_method(*routine),
                _ => false,
            },
            _ => false,
        };
        expression.kind.for_each_child(&mut |child| acts = acts || self.acts(child));
        acts
    }

    pub(super) fn is_method(&self, routine: NodeId) -> bool {
        match self.resolution.items.routines.get(&routine) {
            Some(Routine::Method(method)) => method.modifiers.pure.is_none(),
            Some(Routine::Lemma(_)) => true,
            _ => false,
        }
    }
}
