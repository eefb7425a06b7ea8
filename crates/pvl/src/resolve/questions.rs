//! What is asked about a model beside its text: a process with its arguments, ranges of values, conditions and formulas.

use std::sync::Arc;

use super::Type;
use super::checker::{Checker, Context};
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind, ModelMemberKind, NodeId, Question, Range, RangeKind};

impl<'tree> Checker<'tree> {
    /// Resolves a question; the model that it is about.
    pub(super) fn question(&mut self, question: &'tree Question, model: Option<NodeId>) -> Option<NodeId> {
        let model = match &question.process {
            Some(process) => self.model_of_process(process)?,
            None => model?,
        };
        self.context = Context { owner: Some(model), in_model: true, ghost: true, ..Context::default() };
        self.scoped(|checker| {
            for range in &question.ranges {
                checker.range_of_question(model, range);
            }
            if let Some(process) = &question.process {
                checker.specification(|checker| checker.process_of_question(model, process));
            }
            for condition in &question.conditions {
                checker.specification(|checker| checker.check(condition, &Type::Boolean));
            }
        });
        for formula in &question.formulas {
            self.formula(model, formula);
        }
        Some(model)
    }

    /// The model that has the process of a question: `P(e)` or `M.P(e)`.
    fn model_of_process(&mut self, process: &'tree Expression) -> Option<NodeId> {
        let ExpressionKind::Call(call) = &*process.kind else {
            self.error(
                codes::PROCESS_OPTION,
                process.span,
                "this is no process with its arguments",
                "write it as it is called in a model: `P(n, 2)`",
            );
            return None;
        };
        let wanted = match call.receiver.as_ref().map(|receiver| &*receiver.kind) {
            Some(ExpressionKind::Name(name)) => Some(name.text.clone()),
            Some(_) => {
                self.error(
                    codes::PROCESS_OPTION,
                    process.span,
                    "in front of the process stands no model",
                    "write `M.P(e)` or only `P(e)`",
                );
                return None;
            }
            None => None,
        };
        let mut models: Vec<NodeId> = Vec::new();
        let mut known: Vec<Arc<str>> = Vec::new();
        for declaration in &self.resolution.items.declarations {
            let Some(model) = self.resolution.items.models.get(&declaration.id) else { continue };
            if wanted.as_ref().is_some_and(|wanted| *wanted != model.name.text) {
                continue;
            }
            for member in &model.members {
                if let ModelMemberKind::Process(it) = &member.kind {
                    known.push(it.name.text.clone());
                    if it.name.text == call.name.text {
                        models.push(declaration.id);
                    }
                }
            }
        }
        match models[..] {
            [model] => Some(model),
            [] => {
                let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                let help = match names.is_empty() {
                    true => "there is no process at all".to_string(),
                    false => format!("the processes are {}", names.join(", ")),
                };
                let message = format!("there is no process `{}`", call.name.text);
                self.error(codes::PROCESS_OPTION, call.name.span, message, help);
                None
            }
            _ => {
                self.error(
                    codes::PROCESS_OPTION,
                    call.name.span,
                    format!("several models have a process `{}`", call.name.text),
                    "put the model in front: `M.P(e)`",
                );
                None
            }
        }
    }

    /// The call itself; a model in front of it is the name of a type and not a value.
    fn process_of_question(&mut self, model: NodeId, process: &'tree Expression) {
        let ExpressionKind::Call(call) = &*process.kind else { return };
        let found = self.names.processes.get(&model).and_then(|it| it.get(&call.name.text)).copied();
        let Some(member) = found else { return };
        let ty = self.process_call(process, call, member);
        self.resolution.expressions.insert(process.id, ty);
    }

    /// A name and its values; a field has the values of its type.
    fn range_of_question(&mut self, model: NodeId, range: &'tree Range) {
        let field = self.names.fields.get(&model).and_then(|it| it.get(&range.name.text)).copied();
        let wish = field.map(|field| self.type_of_variable(field));
        let ty = self.specification(|checker| checker.values_of_range(&range.kind, wish.as_ref()));
        if let Some(wish) = wish
            && !ty.fits(&wish)
        {
            let message =
                format!("`{}` is of type `{}`, not `{}`", range.name.text, self.show(&wish), self.show(&ty));
            self.error(codes::RANGE_OPTION, range.span, message, "give it values of its type");
        }
        self.set_variable(range.id, ty);
        self.declare(&range.name, range.id, true);
    }

    /// The type of the values of a range. Its nesting is bounded by the parser.
    fn values_of_range(&mut self, range: &'tree RangeKind, wish: Option<&Type>) -> Type {
        let inner = |wish: Option<&Type>| match wish {
            Some(Type::Seq(element)) => Some((**element).clone()),
            _ => None,
        };
        match range {
            RangeKind::Interval(low, high) => {
                self.check(low, &Type::Int);
                self.check(high, &Type::Int);
                Type::Int
            }
            RangeKind::Listed(values) => {
                let mut common = Type::Nothing;
                for value in values {
                    let ty = match wish {
                        Some(wish) => {
                            self.check(value, wish);
                            wish.clone()
                        }
                        None => self.infer(value, None),
                    };
                    match common.common(&ty) {
                        Some(both) => common = both,
                        None => self.unexpected(value, &ty, "a value of the type of the others"),
                    }
                }
                common
            }
            RangeKind::Permutations(values) => {
                let element = self.values_of_range(values, inner(wish).as_ref());
                Type::Seq(Arc::new(element))
            }
            RangeKind::Sequences(length, values) => {
                self.check(length, &Type::Int);
                let element = self.values_of_range(values, inner(wish).as_ref());
                Type::Seq(Arc::new(element))
            }
        }
    }
}
