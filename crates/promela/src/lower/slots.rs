//! Variables become scalar slots: structures and arrays are flattened in order of declaration.

use source::Diagnostic;
use transition::model::{self, Index, Initialiser, Scope, Slot};

use crate::limits;
use crate::resolve::program::{
    ChannelType, Expr, ExprKind, Initial, Owner, Place, Program, Scalar, Type, VarId, Visibility,
};

/// Where each variable's first slot is.
pub(super) struct Slots<'p> {
    program: &'p Program,
    bases: Vec<u32>,
    pub(super) globals: Vec<Slot>,
    /// By process.
    pub(super) locals: Vec<Vec<Slot>>,
}

/// The type that slots of this scalar have; an array of bits is an array of bytes, as in SPIN.
pub(super) fn scalar(ty: Scalar, in_array: bool) -> model::Scalar {
    match ty {
        Scalar::Bit | Scalar::Bool if in_array => model::Scalar::BYTE,
        _ => model::Scalar { bits: ty.width(), signed: ty.is_signed() },
    }
}

fn enumeration(ty: Scalar) -> Option<u32> {
    match ty {
        Scalar::Mtype(list) => Some(list.0),
        _ => None,
    }
}

impl<'p> Slots<'p> {
    pub(super) fn new(program: &'p Program, hidden: &dyn Fn(VarId) -> bool) -> Result<Slots<'p>, Diagnostic> {
        let mut slots = Slots {
            program,
            bases: vec![0; program.variables.len()],
            globals: Vec::new(),
            locals: vec![Vec::new(); program.processes.len()],
        };
        for (index, variable) in program.variables.iter().enumerate() {
            let id = VarId(index as u32);
            let hide = hidden(id);
            let target = match variable.owner {
                Owner::Global => &mut slots.globals,
                Owner::Local(process) => &mut slots.locals[process.0 as usize],
            };
            slots.bases[index] = target.len() as u32;
            flatten(program, &variable.name, variable.ty, variable.length, hide, target);
            if target.len() > limits::MODEL_SLOTS {
                let message = format!("`{}` makes the state too large to be stored", variable.name);
                return Err(Diagnostic::error("promela.state-too-large", variable.span, message).help(
                    format!(
                        "a model may have at most {} scalar variables; use smaller arrays",
                        limits::MODEL_SLOTS
                    ),
                ));
            }
        }
        Ok(slots)
    }

    fn size(&self, ty: Type) -> u32 {
        size(self.program, ty)
    }

    /// The slot of a place; `value` turns index expressions into expressions of the model.
    pub(super) fn place(&self, place: &Place, value: &mut dyn FnMut(&Expr) -> model::Expr) -> model::Place {
        let variable = self.program.variable(place.var);
        let scope = match variable.owner {
            Owner::Global => Scope::Global,
            Owner::Local(_) => Scope::Local,
        };
        let mut slot = self.bases[place.var.0 as usize];
        let mut indices = Vec::new();
        let mut ty = variable.ty;
        let mut in_array = variable.length.is_some();
        let mut step = |slot: &mut u32, index: &Option<Box<Expr>>, length: Option<u32>, stride: u32| {
            let (Some(index), Some(length)) = (index, length) else { return };
            match &index.kind {
                ExprKind::Constant(constant) if u32::try_from(*constant).is_ok_and(|c| c < length) => {
                    *slot += *constant as u32 * stride;
                }
                _ => indices.push(Index { value: value(index), length, stride }),
            }
        };
        step(&mut slot, &place.index, variable.length, self.size(ty));
        for access in &place.fields {
            let Type::Structure(structure) = ty else { break };
            let fields = &self.program.structure(structure).fields;
            slot += fields[..access.field as usize]
                .iter()
                .map(|field| self.size(field.ty) * field.length.unwrap_or(1))
                .sum::<u32>();
            let field = &fields[access.field as usize];
            ty = field.ty;
            in_array = field.length.is_some();
            step(&mut slot, &access.index, field.length, self.size(ty));
        }
        model::Place { scope, slot, scalar: scalar(place.ty, in_array), indices }
    }

    /// The slot of a variable that is one scalar.
    pub(super) fn scalar_place(&self, id: VarId) -> model::Place {
        let variable = self.program.variable(id);
        let scope = match variable.owner {
            Owner::Global => Scope::Global,
            Owner::Local(_) => Scope::Local,
        };
        let scalar = match variable.ty {
            Type::Scalar(ty) => scalar(ty, variable.length.is_some()),
            Type::Structure(_) => model::Scalar::INT,
        };
        model::Place { scope, slot: self.bases[id.0 as usize], scalar, indices: Vec::new() }
    }

    /// How the slots of a variable get their first values.
    pub(super) fn initialisers(
        &self,
        id: VarId,
        value: &mut dyn FnMut(&Expr) -> model::Expr,
        out: &mut Vec<Initialiser>,
    ) {
        let variable = self.program.variable(id);
        if variable.parameter {
            return;
        }
        let scope = match variable.owner {
            Owner::Global => Scope::Global,
            Owner::Local(_) => Scope::Local,
        };
        let base = self.bases[id.0 as usize];
        let mut walk = Initialise { slots: self, scope, value, out };
        walk.variable(base, &variable.name, variable.ty, variable.length, &variable.initial);
    }
}

/// Walks a variable's structure and emits an initialiser for each slot that does not start at 0.
struct Initialise<'a, 'p> {
    slots: &'a Slots<'p>,
    scope: Scope,
    value: &'a mut dyn FnMut(&Expr) -> model::Expr,
    out: &'a mut Vec<Initialiser>,
}

impl Initialise<'_, '_> {
    fn variable(&mut self, base: u32, name: &str, ty: Type, length: Option<u32>, initial: &Initial) {
        let stride = self.slots.size(ty);
        for element in 0..length.unwrap_or(1) {
            let slot = base + element * stride;
            let element_name = match length {
                Some(_) => format!("{name}[{element}]"),
                None => name.to_string(),
            };
            match ty {
                Type::Structure(structure) => {
                    let mut slot = slot;
                    for field in &self.slots.program.structure(structure).fields {
                        let field_name = format!("{element_name}.{}", field.name);
                        self.variable(slot, &field_name, field.ty, field.length, &field.initial);
                        slot += self.slots.size(field.ty) * field.length.unwrap_or(1);
                    }
                }
                Type::Scalar(ty) => {
                    self.scalar(slot, element, element_name, scalar(ty, length.is_some()), initial)
                }
            }
        }
    }

    fn scalar(&mut self, slot: u32, element: u32, name: String, scalar: model::Scalar, initial: &Initial) {
        let place = model::Place { scope: self.scope, slot, scalar, indices: Vec::new() };
        let initialiser = match initial {
            Initial::Zero => return,
            Initial::Value(expr) => Initialiser::Value(place, (self.value)(expr)),
            // The last value of a list is that of all elements behind it.
            Initial::List(values) => match values.get(element as usize).or(values.last()) {
                Some(value) => Initialiser::Value(place, model::Expr::Constant(*value)),
                None => return,
            },
            Initial::Channel(channel) => Initialiser::Channel(place, channel_type(channel, name)),
        };
        self.out.push(initialiser);
    }
}

fn channel_type(channel: &ChannelType, name: String) -> model::ChannelType {
    model::ChannelType {
        capacity: channel.capacity,
        fields: channel.fields.iter().map(|field| scalar(*field, false)).collect(),
        enumerations: channel.fields.iter().map(|field| enumeration(*field)).collect(),
        name,
    }
}

fn size(program: &Program, ty: Type) -> u32 {
    match ty {
        Type::Scalar(_) => 1,
        Type::Structure(structure) => program
            .structure(structure)
            .fields
            .iter()
            .map(|field| size(program, field.ty).saturating_mul(field.length.unwrap_or(1)))
            .fold(0, u32::saturating_add),
    }
}

fn flatten(program: &Program, name: &str, ty: Type, length: Option<u32>, hidden: bool, out: &mut Vec<Slot>) {
    for element in 0..length.unwrap_or(1) {
        if out.len() > limits::MODEL_SLOTS {
            return;
        }
        let name = match length {
            Some(_) => format!("{name}[{element}]"),
            None => name.to_string(),
        };
        match ty {
            Type::Scalar(ty) => out.push(Slot {
                name,
                scalar: scalar(ty, length.is_some()),
                hidden,
                enumeration: enumeration(ty),
                is_channel: ty == Scalar::Chan,
            }),
            Type::Structure(structure) => {
                for field in &program.structure(structure).fields {
                    flatten(program, &format!("{name}.{}", field.name), field.ty, field.length, hidden, out);
                }
            }
        }
    }
}

/// Declared `hidden` by the author.
pub(super) fn is_declared_hidden(program: &Program, id: VarId) -> bool {
    program.variable(id).visibility == Visibility::Hidden
}
