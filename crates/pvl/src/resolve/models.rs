//! Calls on models: processes, actions and the operations that change what a model is bound to.

use super::checker::Checker;
use super::{CallTarget, ModelOperation, Type};
use crate::codes;
use crate::syntax::tree::{self, Call, Expression, Formula, FormulaKind, NodeId};

impl<'tree> Checker<'tree> {
    /// A process, action or operation of a model.
    pub(super) fn model_call(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        model: NodeId,
        ty: &Type,
    ) -> Type {
        let name = &*call.name.text;
        if let Some(process) = self.names.processes.get(&model).and_then(|it| it.get(name)).copied() {
            return self.process_call(expression, call, process);
        }
        let candidates = self.class_candidates(model, name);
        if !candidates.is_empty() {
            return self.routine_call(expression, call, &candidates, ty);
        }
        let amount = Type::Rational;
        let process = Type::Process;
        let (operation, parameters, result) = match name {
            // A history starts empty and is interpreted at its end.
            "create" if call.arguments.is_empty() => (ModelOperation::Create, vec![], Type::Void),
            "create" => (ModelOperation::Create, vec![process], Type::Void),
            "destroy" if call.arguments.is_empty() => (ModelOperation::Destroy, vec![], Type::Void),
            "destroy" => (ModelOperation::Destroy, vec![process], Type::Void),
            "split" | "merge" => {
                let operation = if name == "split" { ModelOperation::Split } else { ModelOperation::Merge };
                (operation, vec![amount.clone(), process.clone(), amount, process], Type::Void)
            }
            "choose" => (ModelOperation::Choose, vec![amount, process.clone(), process], Type::Void),
            "state" => (ModelOperation::State, vec![amount, process], Type::Resource),
            "abstractState" => (ModelOperation::AbstractState, vec![Type::Boolean], Type::Resource),
            _ => {
                self.infer_arguments(call);
                self.no_such_member(&call.name, ty);
                return Type::Unknown;
            }
        };
        if operation == ModelOperation::AbstractState {
            // What was or will be true is about the fields of the model.
            self.within(
                |context| context.model_fields = Some(model),
                |checker| checker.check_arguments(&call.name, &call.arguments, &parameters),
            );
        } else {
            self.check_arguments(&call.name, &call.arguments, &parameters);
        }
        if result == Type::Void {
            self.forbid_in_pure(expression, "the state of a model changes");
        }
        self.resolution.calls.insert(expression.id, CallTarget::ModelOperation(operation));
        result
    }

    pub(super) fn process_call(
        &mut self,
        expression: &'tree Expression,
        call: &'tree Call,
        process: NodeId,
    ) -> Type {
        let member = self.resolution.items.model_members.get(&process).copied();
        let parameters: Vec<Type> = match member.map(|member| &member.kind) {
            Some(tree::ModelMemberKind::Process(it) | tree::ModelMemberKind::Action(it)) => {
                it.parameters.iter().map(|parameter| self.type_of_variable(parameter.id)).collect()
            }
            _ => Vec::new(),
        };
        self.check_arguments(&call.name, &call.arguments, &parameters);
        self.resolution.calls.insert(expression.id, CallTarget::Process(process));
        Type::Process
    }

    /// A formula about the runs of a model. Its depth is bounded by the parser.
    pub(super) fn formula(&mut self, model: NodeId, formula: &'tree Formula) {
        match &*formula.kind {
            FormulaKind::Condition(condition) => {
                self.scoped(|checker| {
                    checker.specification(|checker| checker.check(condition, &Type::Boolean));
                });
            }
            FormulaKind::Ended => {}
            FormulaKind::Did { action, arguments } => {
                let found = self.names.processes.get(&model).and_then(|it| it.get(&action.text)).copied();
                let member = found.and_then(|id| self.resolution.items.model_members.get(&id).copied());
                let Some(tree::ModelMemberKind::Action(it)) = member.map(|member| &member.kind) else {
                    self.error(
                        codes::NO_SUCH_NAME,
                        action.span,
                        format!("the model has no action `{}`", action.text),
                        "`\\did` speaks about the action of the last step",
                    );
                    return;
                };
                let parameters: Vec<Type> =
                    it.parameters.iter().map(|parameter| self.type_of_variable(parameter.id)).collect();
                if let Some(arguments) = arguments {
                    self.scoped(|checker| {
                        checker.specification(|checker| {
                            checker.check_arguments(action, arguments, &parameters);
                        });
                    });
                }
            }
            FormulaKind::Unary(_, operand) => self.formula(model, operand),
            FormulaKind::Binary(_, left, right) => {
                self.formula(model, left);
                self.formula(model, right);
            }
        }
    }
}
