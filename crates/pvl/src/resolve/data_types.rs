//! Functions of axiomatic data types.

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::checker::Checker;
use super::{CallTarget, Type};
use crate::codes;
use crate::syntax::tree::{self, Expression, Name, NodeId};

impl<'tree> Checker<'tree> {
    /// `A<T>.f(…)`
    pub(super) fn adt_call(
        &mut self,
        expression: &'tree Expression,
        adt: &'tree Name,
        type_arguments: &'tree [tree::Type],
        function: &'tree Name,
        arguments: &'tree [Expression],
    ) -> Type {
        let types: Vec<Type> = type_arguments.iter().map(|ty| self.written_value(ty)).collect();
        let id = self.names.types.get(&adt.text).copied();
        let Some(id) = id.filter(|id| self.resolution.items.adts.contains_key(id)) else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.error(
                codes::NO_SUCH_NAME,
                adt.span,
                format!("there is no data type `{}`", adt.text),
                "declare it with `adt`",
            );
            return Type::Unknown;
        };
        let Some(found) = self.names.adt_functions.get(&id).and_then(|it| it.get(&function.text)).copied()
        else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.no_such_member(function, &Type::Adt(id, types.into()));
            return Type::Unknown;
        };
        self.adt_function(expression, id, found, Some(types), arguments, function)
    }

    pub(super) fn adt_function(
        &mut self,
        expression: &'tree Expression,
        adt: NodeId,
        function: NodeId,
        written: Option<Vec<Type>>,
        arguments: &'tree [Expression],
        name: &Name,
    ) -> Type {
        let items = &self.resolution.items;
        let Some(declared) = items.adt_functions.get(&function).copied() else { return Type::Unknown };
        let type_parameters: Vec<NodeId> = items
            .adts
            .get(&adt)
            .map_or(Vec::new(), |adt| adt.type_parameters.iter().map(|it| it.id).collect());
        let parameters: Vec<Type> =
            declared.parameters.iter().map(|parameter| self.type_of_variable(parameter.id)).collect();
        let result = self.resolution.types.get(&declared.result.id).cloned().unwrap_or(Type::Unknown);
        let inside = self.context.owner == Some(adt);
        let mut environment: FxHashMap<NodeId, Type> = FxHashMap::default();
        match written {
            Some(types) if types.len() == type_parameters.len() => {
                environment = type_parameters.iter().copied().zip(types).collect();
                let parameters: Vec<Type> = parameters.iter().map(|it| it.substitute(&environment)).collect();
                self.check_arguments(name, arguments, &parameters);
            }
            Some(types) => {
                let message = format!(
                    "the data type takes {} type arguments, but {} are given",
                    type_parameters.len(),
                    types.len()
                );
                self.report(Diagnostic::error(codes::TYPE_ARGUMENTS, name.span, message));
                for argument in arguments {
                    self.infer(argument, None);
                }
                return Type::Unknown;
            }
            None if type_parameters.is_empty() => self.check_arguments(name, arguments, &parameters),
            None => {
                if arguments.len() != parameters.len() {
                    self.check_arguments(name, arguments, &parameters);
                    return Type::Unknown;
                }
                let types: Vec<Type> = arguments.iter().map(|argument| self.infer(argument, None)).collect();
                for (parameter, ty) in parameters.iter().zip(&types) {
                    parameter.infer_parameters(ty, &type_parameters, &mut environment);
                }
                for parameter in &type_parameters {
                    if environment.contains_key(parameter) {
                        continue;
                    }
                    // Inside of the data type its own parameters are meant.
                    if inside {
                        environment.insert(*parameter, Type::Variable(*parameter));
                        continue;
                    }
                    self.error(
                        codes::TYPE_ARGUMENTS,
                        name.span,
                        format!("the type arguments for `{}` cannot be found from its arguments", name.text),
                        "write them: `A<int>.f(…)`",
                    );
                    environment.insert(*parameter, Type::Unknown);
                }
                for ((argument, ty), parameter) in arguments.iter().zip(&types).zip(&parameters) {
                    let parameter = parameter.substitute(&environment);
                    self.convert(argument, ty, &parameter);
                }
            }
        }
        let type_arguments =
            type_parameters.iter().map(|it| environment.get(it).cloned().unwrap_or(Type::Unknown)).collect();
        self.resolution
            .calls
            .insert(expression.id, CallTarget::AdtFunction { adt, function, type_arguments });
        result.substitute(&environment)
    }
}
