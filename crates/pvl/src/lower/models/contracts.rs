//! Contracts of actions and processes where a program meets them: their clauses are about parameters, which have values
//! here, and about fields, which are those of one object at one or two moments.

use silver::syntax::tree as s;
use source::Span;

use super::fields::Token;
use crate::lower::Lowering;
use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{Type, frame};
use crate::syntax::tree::{Expression, ModelMemberKind, NodeId, Process};

/// What the fields of a model are where a clause speaks about them.
#[derive(Clone, Debug)]
pub(crate) struct ModelView {
    pub(super) now: FieldValues,
    /// What `\old(…)` is about.
    pub(super) start: Option<FieldValues>,
    /// The object whose fields, named with it, are meant as well.
    pub(super) object: Option<s::Expression>,
}

/// Where values of fields are.
#[derive(Clone, Debug)]
pub(super) enum FieldValues {
    /// In the heap, in the fields of this object.
    Heap(s::Expression),
    /// In the cells for the values at the end, of this object.
    Final(s::Expression),
    /// Kept in variables.
    Kept(Vec<(NodeId, s::Expression)>),
}

/// The fields that an action has to do with.
#[derive(Clone, Default, Debug)]
pub(super) struct Footprint {
    pub(super) modified: Vec<NodeId>,
    pub(super) read: Vec<NodeId>,
}

impl<'t> Lowering<'t> {
    /// The action or process that a node declares.
    pub(crate) fn process_declaration(&self, id: NodeId) -> Option<(&'t Process, bool)> {
        let member = self.resolution.items.model_members.get(&id)?;
        match &member.kind {
            ModelMemberKind::Process(process) => Some((process, false)),
            ModelMemberKind::Action(action) => Some((action, true)),
            _ => None,
        }
    }

    /// The fields that an action changes and reads, as its model says or as they are inferred.
    pub(super) fn footprint(&self, action: NodeId) -> Footprint {
        let items = &self.resolution.items;
        let Some((declared, _)) = self.process_declaration(action) else { return Footprint::default() };
        let Some(model) = items.owners.get(&action) else { return Footprint::default() };
        let Some(known) = items.models.get(model) else { return Footprint::default() };
        let frame = frame(self.resolution, known, declared);
        Footprint { modified: frame.modifies, read: frame.accessible }
    }
}

impl<'t> Scope<'_, 't> {
    /// A field of the model that the clause around speaks about.
    pub(crate) fn viewed_field(&mut self, field: NodeId, place: Span) -> s::Expression {
        match self.spec.model.as_ref().map(|view| view.now.clone()) {
            Some(values) => self.field_value(&values, field, place),
            None => self.unsupported(place, "a field of a model without its object"),
        }
    }

    fn field_value(&mut self, values: &FieldValues, field: NodeId, place: Span) -> s::Expression {
        match values {
            FieldValues::Heap(object) => {
                self.model_field(field, object.clone(), Role::Location("perm"), place)
            }
            FieldValues::Final(object) => {
                let name = self.lowering.model_final(field);
                self.at(place).field(Role::Location("perm"), object.clone(), &name)
            }
            FieldValues::Kept(values) => match values.iter().find(|(id, _)| *id == field) {
                Some((_, value)) => value.clone(),
                None => self.unsupported(place, "a field that the action neither modifies nor reads"),
            },
        }
    }

    /// `object.field`, which inside of `abstractState` is the value at the end where the object is the model.
    pub(crate) fn selected_model_field(
        &mut self,
        field: NodeId,
        object: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let object = self.expression(object);
        let read = self.model_field(field, object.clone(), Role::Location("perm"), place);
        let Some(ModelView { now, object: Some(model), .. }) = self.spec.model.clone() else { return read };
        let value = self.field_value(&now, field, place);
        let mut build = self.at(place);
        let is_same = build.equal(object, model);
        build.conditional(is_same, value, read)
    }

    /// `\old(operand)` in a clause of an action or a process.
    pub(crate) fn old_of_model(&mut self, operand: &'t Expression) -> Option<s::Expression> {
        let view = self.spec.model.clone()?;
        let start = view.start?;
        let view = ModelView { now: start, start: None, object: None };
        Some(self.with(|scope| &mut scope.spec.model, Some(view), |scope| scope.assertion(operand)))
    }

    /// Clauses of an action or process with values for its parameters.
    pub(super) fn model_clauses(
        &mut self,
        declared: &'t Process,
        arguments: &[s::Expression],
        clauses: Vec<&'t Expression>,
        view: ModelView,
    ) -> Vec<(Span, s::Expression)> {
        self.locally(|scope| {
            scope.bindings.this = None;
            for (parameter, argument) in declared.parameters.iter().zip(arguments) {
                scope.bindings.variables.insert(parameter.id, Variable::Value(argument.clone()));
            }
            scope.with(
                |scope| &mut scope.spec.model,
                Some(view),
                |scope| clauses.into_iter().map(|clause| (clause.span, scope.assertion(clause))).collect(),
            )
        })
    }

    /// Keeps the values of fields in variables.
    pub(super) fn kept_fields(
        &mut self,
        object: &s::Expression,
        fields: &[NodeId],
        place: Span,
    ) -> Vec<(NodeId, s::Expression)> {
        let mut kept = Vec::new();
        for field in fields {
            let ty = self.resolution.variables.get(field).cloned().unwrap_or(Type::Unknown);
            let silver = self.ty(&ty, place);
            let value = self.model_field(*field, object.clone(), Role::Location("perm"), place);
            let wanted = self.lowering.model_field_declaration(*field).map_or("field", |it| it.0).to_string();
            let name = self.local(&format!("{wanted}_before"), silver, Some(value), place);
            kept.push((*field, self.at(place).variable(&name)));
        }
        kept
    }

    /// Whether some of the token of each field is there.
    pub(super) fn some_token(
        &mut self,
        object: &s::Expression,
        field: NodeId,
        token: Token,
        place: Span,
    ) -> s::Expression {
        let name = self.lowering.model_token(field, token);
        let mut build = self.at(place);
        let location = build.field(Role::Plain, object.clone(), &name);
        build.expression(s::ExpressionKind::CurrentPermission(location))
    }
}
