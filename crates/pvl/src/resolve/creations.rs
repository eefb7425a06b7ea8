//! Objects that are created, and the constructor that is meant.

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::checker::Checker;
use super::{Creation, Type};
use crate::codes;
use crate::syntax::tree::{Expression, ExpressionKind, Name, NodeId};

impl<'tree> Checker<'tree> {
    /// `new C(…)`
    pub(super) fn creation(&mut self, expression: &'tree Expression) -> Type {
        let ExpressionKind::New { class: name, type_arguments, arguments, given, yields } = &*expression.kind
        else {
            return Type::Unknown;
        };
        self.forbid_in_pure(expression, "an object is created");
        let written: Vec<Type> = type_arguments.iter().map(|ty| self.written_value(ty)).collect();
        let Some(class) = self.names.types.get(&name.text).copied() else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.unknown_type(name);
            return Type::Unknown;
        };
        if self.resolution.items.models.contains_key(&class) {
            self.check_arguments(name, arguments, &[]);
            let creation = Creation {
                class,
                constructor: None,
                class_arguments: Vec::new(),
                type_arguments: Vec::new(),
                parameters: Vec::new(),
            };
            self.resolution.creations.insert(expression.id, creation);
            return Type::Model(class);
        }
        let Some(declared) = self.resolution.items.classes.get(&class).copied() else {
            for argument in arguments {
                self.infer(argument, None);
            }
            self.error(
                codes::NO_CONSTRUCTOR,
                name.span,
                format!("`{}` is no class, so there are no objects of it", name.text),
                "only classes and models can be created with `new`",
            );
            return Type::Unknown;
        };
        let class_count = declared.type_parameters.len();
        let class_arguments: Vec<Type> = if written.len() >= class_count {
            written[..class_count].to_vec()
        } else {
            self.report(Diagnostic::error(
                codes::TYPE_ARGUMENTS,
                name.span,
                format!(
                    "`{}` takes {class_count} type arguments, but {} are given",
                    name.text,
                    written.len()
                ),
            ));
            vec![Type::Unknown; class_count]
        };
        let rest: Vec<Type> = written.get(class_count..).unwrap_or_default().to_vec();
        let ty = Type::Class(class, class_arguments.clone().into());
        let environment = self.class_environment(&ty);
        let types: Vec<Type> = arguments.iter().map(|argument| self.infer(argument, None)).collect();
        let constructors = self.names.constructors.get(&class).cloned().unwrap_or_default();
        let mut chosen = None;
        for id in &constructors {
            let Some(constructor) = self.resolution.items.constructors.get(id).copied() else { continue };
            if constructor.parameters.len() != types.len() {
                continue;
            }
            let ids: Vec<NodeId> = constructor.type_parameters.iter().map(|it| it.id).collect();
            let mut bound = environment.clone();
            let parameters: Vec<Type> =
                constructor.parameters.iter().map(|it| self.type_of_variable(it.id)).collect();
            if rest.len() == ids.len() {
                bound.extend(ids.iter().copied().zip(rest.iter().cloned()));
            } else {
                let mut found = FxHashMap::default();
                for (parameter, ty) in parameters.iter().zip(&types) {
                    parameter.infer_parameters(ty, &ids, &mut found);
                }
                bound.extend(found);
            }
            let parameters: Vec<Type> = parameters.iter().map(|it| it.substitute(&bound)).collect();
            let fits = parameters.iter().zip(&types).all(|(parameter, ty)| ty.fits(parameter));
            if fits || constructors.len() == 1 {
                let type_arguments =
                    ids.iter().map(|it| bound.get(it).cloned().unwrap_or(Type::Unknown)).collect::<Vec<_>>();
                chosen = Some((*id, constructor, parameters, type_arguments, bound));
                break;
            }
        }
        let Some((id, constructor, parameters, type_arguments, bound)) = chosen else {
            return self.default_constructor(expression, name, class, class_arguments, &types, &constructors);
        };
        for ((argument, ty), parameter) in arguments.iter().zip(&types).zip(&parameters) {
            self.convert(argument, ty, parameter);
        }
        self.ghost_arguments(expression, name, Some(&constructor.contract), given, yields, &bound);
        let creation = Creation { class, constructor: Some(id), class_arguments, type_arguments, parameters };
        self.resolution.creations.insert(expression.id, creation);
        ty
    }

    /// The constructor of a class that declares none takes no arguments.
    fn default_constructor(
        &mut self,
        expression: &Expression,
        name: &Name,
        class: NodeId,
        class_arguments: Vec<Type>,
        types: &[Type],
        constructors: &[NodeId],
    ) -> Type {
        let ty = Type::Class(class, class_arguments.clone().into());
        if types.is_empty() && constructors.is_empty() {
            let creation = Creation {
                class,
                constructor: None,
                class_arguments,
                type_arguments: Vec::new(),
                parameters: Vec::new(),
            };
            self.resolution.creations.insert(expression.id, creation);
            return ty;
        }
        let shown: Vec<String> = types.iter().map(|ty| self.show(ty)).collect();
        let message = format!("no constructor of `{}` takes ({})", name.text, shown.join(", "));
        let mut error = Diagnostic::error(codes::NO_CONSTRUCTOR, expression.span, message);
        for id in constructors.iter().take(3) {
            if let Some(constructor) = self.resolution.items.constructors.get(id) {
                let shown: Vec<String> = constructor
                    .parameters
                    .iter()
                    .map(|parameter| self.show(&self.type_of_variable(parameter.id)))
                    .collect();
                error = error.label(constructor.keyword, format!("this one takes ({})", shown.join(", ")));
            }
        }
        self.report(error);
        ty
    }
}
