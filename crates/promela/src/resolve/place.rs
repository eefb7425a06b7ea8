//! References to variables: which variable, which element, which field.

use source::Span;

use super::Resolver;
use super::program::{Expr, ExprKind, FieldAccess, Initial, Place, Scalar, StructureId, Type, VarId};
use crate::syntax::tree::{self, Part, Reference};

/// What a reference means.
pub(super) enum Resolved {
    Place(Place),
    /// A structure as a whole, which only messages, parameters and `for` take.
    Whole(Whole),
    Special(Special),
    /// Reported already.
    Error,
}

#[derive(Clone)]
pub(super) struct Whole {
    pub var: VarId,
    pub index: Option<Box<Expr>>,
    pub fields: Vec<FieldAccess>,
    pub structure: StructureId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Special {
    Discard,
    Pid,
    ProcessCount,
    Last,
    Priority,
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "_" => Special::Discard,
        "_pid" => Special::Pid,
        "_nr_pr" => Special::ProcessCount,
        "_last" => Special::Last,
        "_priority" => Special::Priority,
        _ => return None,
    })
}

impl Resolver {
    #[inline(never)]
    pub(super) fn reference(&mut self, reference: &Reference) -> Resolved {
        let Some((first, rest)) = reference.parts.split_first() else { return Resolved::Error };
        let name = &first.name;
        if let (Some(special), true) = (special(&name.text), rest.is_empty() && first.index.is_none()) {
            return Resolved::Special(special);
        }
        let Some(var) = self.lookup(&name.text) else {
            self.undeclared(name);
            if let Some(index) = &first.index {
                self.expr(index);
            }
            return Resolved::Error;
        };
        let variable = &self.variables[var.0 as usize];
        let (mut ty, length) = (variable.ty, variable.length);
        let index = self.index(first, length);
        let mut fields = Vec::new();
        for part in rest {
            let Type::Structure(structure) = ty else {
                self.error(
                    "type.field",
                    part.name.span,
                    format!("`{}` is a field of something that is no structure", part.name.text),
                    "remove the field",
                );
                return Resolved::Error;
            };
            let description = &self.structures[structure.0 as usize];
            let Some(number) = description.fields.iter().position(|field| *field.name == *part.name.text)
            else {
                let known =
                    description.fields.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>();
                let message = format!("type `{}` has no field `{}`", description.name, part.name.text);
                let help = format!("its fields are {}", known.join(", "));
                self.error("type.field", part.name.span, message, &help);
                return Resolved::Error;
            };
            let field = &description.fields[number];
            let length = field.length;
            ty = field.ty;
            let index = self.index(part, length);
            fields.push(FieldAccess { field: number as u32, index });
        }
        let span = reference.span;
        match ty {
            Type::Scalar(ty) => Resolved::Place(Place { var, index, fields, ty, span }),
            Type::Structure(structure) => Resolved::Whole(Whole { var, index, fields, structure, span }),
        }
    }

    fn undeclared(&mut self, name: &tree::Name) {
        let text = &name.text;
        if let Some(id) = self.process_id(text) {
            let _ = id;
            self.error(
                "name.process",
                name.span,
                format!("`{text}` is a process, not a variable"),
                "a process is started with `run` and referred to as `P@label` or `P:variable`",
            );
            return;
        }
        self.error(
            "name.undeclared",
            name.span,
            format!("no variable `{text}` is declared before this place"),
            "declare it, or check the spelling",
        );
    }

    /// The index of one part, given whether it is an array.
    #[inline(never)]
    fn index(&mut self, part: &Part, length: Option<u32>) -> Option<Box<Expr>> {
        let index = part.index.as_ref().map(|index| (index.span, self.expr(index)));
        match (index, length) {
            (Some((_, index)), Some(length)) => {
                if let ExprKind::Constant(value) = index.kind
                    && (value < 0 || value as u32 >= length)
                {
                    self.warn(
                        "type.index.range",
                        index.span,
                        format!("`{}` has {length} elements, there is no element {value}", part.name.text),
                        "reaching this place is an error of the model",
                    );
                }
                Some(Box::new(index))
            }
            (None, None) => None,
            (None, Some(_)) => {
                self.error(
                    "type.index.missing",
                    part.name.span,
                    format!("`{}` is an array and needs an index", part.name.text),
                    "write `name[index]`",
                );
                Some(Box::new(Expr { span: part.name.span, kind: ExprKind::Constant(0) }))
            }
            // SPIN lets `x[0]` pass where x is no array.
            (Some((_, Expr { kind: ExprKind::Constant(0), .. })), None) => None,
            (Some((span, _)), None) => {
                self.error(
                    "type.index.scalar",
                    span,
                    format!("`{}` is no array", part.name.text),
                    "remove the index",
                );
                None
            }
        }
    }

    /// One scalar; anything else is reported.
    #[inline(never)]
    pub(super) fn place(&mut self, reference: &Reference) -> Option<Place> {
        match self.reference(reference) {
            Resolved::Place(place) => Some(place),
            Resolved::Whole(whole) => {
                self.incomplete(whole.span);
                None
            }
            Resolved::Special(_) => {
                self.error(
                    "name.reserved",
                    reference.span,
                    "this predefined name cannot stand here",
                    "use a variable",
                );
                None
            }
            Resolved::Error => None,
        }
    }

    pub(super) fn incomplete(&mut self, span: Span) {
        self.error(
            "type.structure.incomplete",
            span,
            "a structure as a whole cannot stand here",
            "name a field; structures are copied field by field, or sent as messages",
        );
    }

    /// A channel; something else is reported.
    #[inline(never)]
    pub(super) fn channel(&mut self, reference: &Reference) -> Option<Place> {
        let place = self.place(reference)?;
        if place.ty == Scalar::Chan {
            return Some(place);
        }
        // SPIN lets a number be used as a channel's number, and some models do.
        if matches!(place.ty, Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int | Scalar::Unsigned(_))
        {
            self.warn("type.channel", reference.span, "this is a number, not a channel", "declare it `chan`");
            return Some(place);
        }
        self.error("type.channel", reference.span, "this is no channel", "declare it `chan`");
        None
    }

    /// The type a channel variable was declared with, if it was declared with one.
    pub(super) fn declared_channel(&self, place: &Place) -> Option<&super::program::ChannelType> {
        let mut initial = &self.variables[place.var.0 as usize].initial;
        let mut ty = self.variables[place.var.0 as usize].ty;
        for access in &place.fields {
            let Type::Structure(structure) = ty else { return None };
            let field = self.structures[structure.0 as usize].fields.get(access.field as usize)?;
            initial = &field.initial;
            ty = field.ty;
        }
        match initial {
            Initial::Channel(channel) => Some(channel),
            _ => None,
        }
    }
}
