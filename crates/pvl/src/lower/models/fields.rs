//! Fields of models: a value, and tokens that say what may be done with it.
//!
//! | | value | write | free | bound | open |
//! |---|---|---|---|---|---|
//! | `Perm` | p | p | p | | |
//! | `HPerm` | p | | | p | |
//! | `APerm` | p | p | | | p |
//!
//! A write needs all of the value and of the write token. No token is ever made or lost: `create` exchanges write and free
//! for bound, an action exchanges bound for write and open until its end, `destroy` goes back. So the three kinds of
//! permission exclude each other, and under `HPerm` nothing is written.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::heap::permissions::{Amount, Location};
use crate::lower::instances::{Instance, Part};
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::resolve::{NameTarget, Selection, Type};
use crate::syntax::tree::{Expression, ExpressionKind, ModelMemberKind, NodeId, PermissionKind};

/// The tokens of a field beside its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Write,
    Free,
    Bound,
    Open,
}

impl Token {
    fn part(self) -> Part {
        match self {
            Token::Write => Part::ModelWrite,
            Token::Free => Part::ModelFree,
            Token::Bound => Part::ModelBound,
            Token::Open => Part::ModelOpen,
        }
    }
}

/// The tokens that a kind of permission has.
pub(super) fn tokens(kind: PermissionKind) -> &'static [Token] {
    match kind {
        PermissionKind::Perm => &[Token::Write, Token::Free],
        PermissionKind::History => &[Token::Bound],
        PermissionKind::Action => &[Token::Write, Token::Open],
    }
}

impl<'t> Lowering<'t> {
    /// The fields of a model, in the order of their declaration.
    pub(crate) fn model_fields(&self, model: NodeId) -> Vec<NodeId> {
        let members = self.resolution.items.models.get(&model).map(|it| &it.members[..]).unwrap_or_default();
        let fields = members.iter().filter_map(|member| match &member.kind {
            ModelMemberKind::Fields(fields) => Some(fields.names.iter().map(|(id, _)| *id)),
            _ => None,
        });
        fields.flatten().collect()
    }

    /// The name and place of a field of a model.
    pub(crate) fn model_field_declaration(&self, field: NodeId) -> Option<(&'t str, Span)> {
        let model = self.resolution.items.models.get(self.resolution.items.owners.get(&field)?)?;
        model.members.iter().find_map(|member| match &member.kind {
            ModelMemberKind::Fields(fields) => {
                fields.names.iter().find(|(id, _)| *id == field).map(|(_, name)| (&*name.text, name.span))
            }
            _ => None,
        })
    }

    /// The Silver field of a field's value.
    pub(super) fn model_value(&mut self, field: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::Field, field, Vec::new()))
    }

    /// The Silver field of one of its tokens.
    pub(super) fn model_token(&mut self, field: NodeId, token: Token) -> Arc<str> {
        self.instance(Instance::new(token.part(), field, Vec::new()))
    }

    /// The Silver field of its value when the model ends.
    pub(super) fn model_final(&mut self, field: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::ModelFinal, field, Vec::new()))
    }

    /// The Silver field that says whether the model ends.
    pub(super) fn model_ends(&mut self, model: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::ModelEnds, model, Vec::new()))
    }

    /// Adds the field of a token, of a final value, or of the flag.
    pub(crate) fn lower_model_cell(&mut self, instance: &Instance, name: &Arc<str>) {
        let place = match self.resolution.items.models.get(&instance.id) {
            Some(model) => model.name.span,
            None => match self.model_field_declaration(instance.id) {
                Some((_, span)) => span,
                None => return,
            },
        };
        let ty = match instance.part {
            Part::ModelFinal => self.resolution.variables.get(&instance.id).cloned().unwrap_or(Type::Unknown),
            _ => Type::Boolean,
        };
        let ty = self.ty(&ty, place);
        let binding = self.at(place).binding(name, ty);
        self.add_member(place, s::MemberKind::Fields(vec![binding]));
    }
}

impl<'t> Scope<'_, 't> {
    /// The field of a model that an expression names, with its object.
    pub(crate) fn model_location(&mut self, expression: &'t Expression) -> Option<(NodeId, &'t Expression)> {
        let ExpressionKind::Field(object, _) = &*expression.kind else { return None };
        match self.resolution.selections.get(&expression.id) {
            Some(Selection::ModelField(id)) => Some((*id, object)),
            _ => None,
        }
    }

    /// `object.field` as the place of its value.
    pub(crate) fn model_field(
        &mut self,
        field: NodeId,
        object: s::Expression,
        role: Role,
        place: Span,
    ) -> s::Expression {
        let name = self.lowering.model_value(field);
        self.at(place).field(role, object, &name)
    }

    /// One of the three kinds of permission to a field of a model.
    pub(crate) fn model_permission(
        &mut self,
        kind: PermissionKind,
        (field, object): (NodeId, &'t Expression),
        amount: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let object = self.expression(object);
        let mut names = vec![self.lowering.model_value(field)];
        names.extend(tokens(kind).iter().map(|token| self.lowering.model_token(field, *token)));
        let mut parts = Vec::new();
        for name in names {
            let location = self.at(place).field(Role::Plain, object.clone(), &name);
            let amount: Amount = self.amount(amount);
            parts.push(self.held(Location::One(location), amount, place));
        }
        self.at(place).all(parts)
    }

    /// `amount` of a token.
    pub(super) fn token_access(
        &mut self,
        object: &s::Expression,
        field: NodeId,
        token: Token,
        amount: s::Expression,
        place: Span,
    ) -> s::Expression {
        let name = self.lowering.model_token(field, token);
        let mut build = self.at(place);
        let location = build.field(Role::Plain, object.clone(), &name);
        build.access(location, amount)
    }

    /// All of the value and of these tokens, for these fields.
    pub(super) fn full_access(
        &mut self,
        object: &s::Expression,
        fields: &[NodeId],
        tokens: &[Token],
        with_value: bool,
        place: Span,
    ) -> s::Expression {
        let mut parts = Vec::new();
        for field in fields {
            if with_value {
                let name = self.lowering.model_value(*field);
                let mut build = self.at(place);
                let location = build.field(Role::Plain, object.clone(), &name);
                let write = build.write();
                parts.push(build.access(location, write));
            }
            for token in tokens {
                let write = self.at(place).write();
                parts.push(self.token_access(object, *field, *token, write, place));
            }
        }
        self.at(place).all(parts)
    }

    /// Before a field of a model is written, all of its write token has to be there.
    pub(crate) fn check_model_write(&mut self, target: &'t Expression, place: Span) {
        let Some((field, object)) = self.model_location(target) else {
            if let Some(NameTarget::ModelField(_)) = self.resolution.names.get(&target.id) {
                self.unsupported(target.span, "an assignment inside of a model");
            }
            return;
        };
        let object = self.expression(object);
        let write = self.at(place).write();
        let access = self.token_access(&object, field, Token::Write, write, target.span);
        self.assert_as(Role::Code("modelWrite"), access, target.span);
    }

    /// `new M()`: all of the model's fields, free to be bound.
    pub(crate) fn create_model(&mut self, model: NodeId, place: Span) -> s::Expression {
        let fields = self.lowering.model_fields(model);
        let mut names = Vec::new();
        for field in fields {
            names.push(self.lowering.model_value(field));
            names.extend(tokens(PermissionKind::Perm).iter().map(|it| self.lowering.model_token(field, *it)));
        }
        let ty = self.ty(&Type::Model(model), place);
        let name = self.local("model", ty, None, place);
        let mut build = self.at(place);
        let names = names.iter().map(|name| build.name(name)).collect();
        let new = build.expression(s::ExpressionKind::New(s::NewFields::Listed(names)));
        let target = build.variable(&name);
        self.assign(target, new, place);
        self.at(place).variable(&name)
    }
}
