//! Contracts of processes as members that are proved.
//!
//! A process with a contract is a method from its parameters and the values of the fields at the start to their values at
//! the end, if there is one: whoever creates a model that follows the process calls it, so that a proof rests on the
//! contract as it rests on a lemma. Its body is the proof.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::contracts::{FieldValues, ModelView};
use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::{Expression, ModelMemberKind, NodeId, Process};

impl<'t> Lowering<'t> {
    /// Asks for the contracts of a model's processes.
    pub(crate) fn declare_model(&mut self, model: NodeId) {
        let Some(declared) = self.resolution.items.models.get(&model).copied() else { return };
        for member in &declared.members {
            if let ModelMemberKind::Process(process) = &member.kind
                && has_contract(process)
            {
                self.contract_method(member.id);
            }
        }
    }

    /// The method that a contract is.
    pub(super) fn contract_method(&mut self, process: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::ModelContract, process, Vec::new()))
    }

    pub(crate) fn lower_contract(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some((declared, _)) = self.process_declaration(instance.id) else { return };
        let Some(model) = self.resolution.items.owners.get(&instance.id).copied() else { return };
        let span =
            self.resolution.items.model_members.get(&instance.id).map_or(declared.name.span, |it| it.span);
        let place = declared.name.span;
        let fields = self.model_fields(model);
        let mut scope = Scope::new(self, Rc::default());
        let ends = scope.member.names.fresh("ends");
        let ty = scope.ty(&Type::Boolean, place);
        let mut formals = vec![scope.at(place).binding(&ends, ty)];
        let mut preconditions = Vec::new();
        let mut arguments = Vec::new();
        for parameter in &declared.parameters {
            let (binding, fact) = scope.formal(parameter);
            arguments.push(scope.at(place).variable(&binding.name.text));
            formals.push(binding);
            if let Some(fact) = fact {
                preconditions.push(scope.at(place).specification(fact));
            }
        }
        let start = scope.field_variables(&fields, "_start", &mut formals, place);
        let mut returns = Vec::new();
        let end = scope.field_variables(&fields, "", &mut returns, place);
        let view = ModelView { now: FieldValues::Kept(start.clone()), start: None, object: None };
        let requires: Vec<&Expression> = declared.contract.preconditions().collect();
        for (_, clause) in scope.model_clauses(declared, &arguments, requires, view) {
            preconditions.push(scope.at(place).specification(clause));
        }
        let view =
            ModelView { now: FieldValues::Kept(end), start: Some(FieldValues::Kept(start)), object: None };
        let ensures: Vec<&Expression> = declared.contract.postconditions().collect();
        let mut postconditions = Vec::new();
        for (at, clause) in scope.model_clauses(declared, &arguments, ensures, view) {
            let mut build = scope.at(at);
            let ends = build.variable(&ends);
            let clause = build.implies(ends, clause);
            postconditions.push(build.specification(clause));
        }
        let body = scope.code(place, |scope| {
            let condition = scope.at(place).variable(&ends);
            let then = scope.block(place, |scope| {
                let falsehood = scope.at(place).bool(false);
                scope.assert_as(Role::Code("contractUnproved"), falsehood, place);
            });
            scope.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
        });
        let silver_name = scope.at(place).name(name);
        let method = s::Method {
            name: silver_name,
            formals,
            returns,
            preconditions,
            postconditions,
            body: Some(body),
        };
        self.add_member(span, s::MemberKind::Method(method));
        self.add_ways(model, instance.id, name, place);
        let shown = self.shown_name(instance.id);
        self.describe(name, shown, verdict::MemberKind::Process, span);
    }
}

impl<'t> Scope<'_, 't> {
    /// A variable for each field.
    fn field_variables(
        &mut self,
        fields: &[NodeId],
        suffix: &str,
        bindings: &mut Vec<s::Binding>,
        place: Span,
    ) -> Vec<(NodeId, s::Expression)> {
        let mut values = Vec::new();
        for field in fields {
            let ty = self.resolution.variables.get(field).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, place);
            let wanted = self.lowering.model_field_declaration(*field).map_or("field", |it| it.0).to_string();
            let name = self.member.names.fresh(&format!("{wanted}{suffix}"));
            if suffix.is_empty() {
                self.lowering.spelling.add_variable(&name, &wanted);
            }
            bindings.push(self.at(place).binding(&name, ty));
            values.push((*field, self.at(place).variable(&name)));
        }
        values
    }
}

/// Whether a process has a contract that says something about its end.
pub(super) fn has_contract(process: &Process) -> bool {
    process.contract.postconditions().next().is_some()
}
