//! From types as they are written to types with a meaning, and back for messages.

use std::sync::Arc;

use source::Diagnostic;

use super::checker::Checker;
use super::{Resolution, Type};
use crate::codes;
use crate::syntax::tree::{self, Name, NodeId, TypeKind};
use crate::syntax::words;

impl<'tree> Checker<'tree> {
    /// The meaning of a written type, which is kept.
    pub(super) fn written(&mut self, ty: &'tree tree::Type) -> Type {
        let one = |checker: &mut Self, inner: &'tree tree::Type| Arc::new(checker.written_value(inner));
        let meaning = match &ty.kind {
            TypeKind::Int => Type::Int,
            TypeKind::Boolean => Type::Boolean,
            TypeKind::Char => Type::Char,
            TypeKind::String => Type::String,
            TypeKind::Void => Type::Void,
            TypeKind::Float32 => Type::Float32,
            TypeKind::Float64 => Type::Float64,
            TypeKind::Fraction => Type::Fraction,
            TypeKind::ZeroFraction => Type::ZeroFraction,
            TypeKind::Rational => Type::Rational,
            TypeKind::Resource => Type::Resource,
            TypeKind::Process => Type::Process,
            TypeKind::Ref => Type::Ref,
            TypeKind::Any => Type::Any,
            TypeKind::Nothing => Type::Nothing,
            TypeKind::Seq(inner) => Type::Seq(one(self, inner)),
            TypeKind::Set(inner) => Type::Set(one(self, inner)),
            TypeKind::Bag(inner) => Type::Bag(one(self, inner)),
            TypeKind::Option(inner) => Type::Option(one(self, inner)),
            TypeKind::Pointer(inner) => Type::Pointer(one(self, inner)),
            TypeKind::TypeValue(inner) => Type::TypeValue(one(self, inner)),
            TypeKind::Array(inner) => Type::Array(one(self, inner)),
            TypeKind::Map(a, b) => Type::Map(one(self, a), one(self, b)),
            TypeKind::Tuple(a, b) => Type::Tuple(one(self, a), one(self, b)),
            TypeKind::Either(a, b) => Type::Either(one(self, a), one(self, b)),
            TypeKind::Vector(inner, length) => {
                let inner = one(self, inner);
                match length.parse::<u64>() {
                    Ok(length) => Type::Vector(inner, length),
                    Err(_) => {
                        self.error(
                            codes::TYPE_ARGUMENTS,
                            ty.span,
                            "the length of this vector is too large",
                            "use a sequence, `seq<T>`",
                        );
                        Type::Unknown
                    }
                }
            }
            TypeKind::Named(name, arguments) => self.named_type(name, arguments, ty),
        };
        self.resolution.types.insert(ty.id, meaning.clone());
        meaning
    }

    /// A written type that values have.
    pub(super) fn written_value(&mut self, ty: &'tree tree::Type) -> Type {
        let meaning = self.written(ty);
        if meaning == Type::Void {
            self.error(
                codes::TYPE,
                ty.span,
                "nothing has the type `void`",
                "`void` can only be what a method returns",
            );
            return Type::Unknown;
        }
        if meaning == Type::Resource {
            self.resolution.types.insert(ty.id, Type::ResourceValue);
            return Type::ResourceValue;
        }
        meaning
    }

    fn named_type(&mut self, name: &Name, arguments: &'tree [tree::Type], ty: &tree::Type) -> Type {
        let arguments: Vec<Type> = arguments.iter().map(|argument| self.written_value(argument)).collect();
        let variable = self.type_variables.iter().rev().find(|(text, _)| *text == name.text);
        if let Some((_, id)) = variable {
            let id = *id;
            self.expect_type_arguments(name, 0, arguments.len(), ty);
            return Type::Variable(id);
        }
        let Some(id) = self.names.types.get(&name.text).copied() else {
            self.unknown_type(name);
            return Type::Unknown;
        };
        let items = &self.resolution.items;
        type Make = fn(NodeId, Vec<Type>) -> Type;
        let (expected, make): (usize, Make) = if let Some(class) = items.classes.get(&id) {
            (class.type_parameters.len(), |id, arguments| Type::Class(id, arguments.into()))
        } else if let Some(adt) = items.adts.get(&id) {
            (adt.type_parameters.len(), |id, arguments| Type::Adt(id, arguments.into()))
        } else if items.enums.contains_key(&id) {
            (0, |id, _| Type::Enum(id))
        } else if items.models.contains_key(&id) {
            (0, |id, _| Type::Model(id))
        } else {
            (0, |id, _| Type::ProverType(id))
        };
        if self.expect_type_arguments(name, expected, arguments.len(), ty) {
            make(id, arguments)
        } else {
            make(id, vec![Type::Unknown; expected])
        }
    }

    fn expect_type_arguments(&mut self, name: &Name, expected: usize, found: usize, ty: &tree::Type) -> bool {
        if expected == found {
            return true;
        }
        let wanted = match expected {
            0 => "no type arguments".to_string(),
            1 => "one type argument".to_string(),
            n => format!("{n} type arguments"),
        };
        self.report(Diagnostic::error(
            codes::TYPE_ARGUMENTS,
            ty.span,
            format!("`{}` takes {wanted}, but {found} are given", name.text),
        ));
        false
    }

    pub(super) fn unknown_type(&mut self, name: &Name) {
        let mut candidates: Vec<&str> = self.names.types.keys().map(|name| &**name).collect();
        candidates.sort_unstable();
        let builtin = words::SIMPLE_TYPES.iter().chain(words::GENERIC_TYPES).copied();
        let meant = words::closest(&name.text, candidates.into_iter().chain(builtin)).map(str::to_string);
        let mut error =
            Diagnostic::error(codes::NO_SUCH_NAME, name.span, format!("there is no type `{}`", name.text));
        error = match (&*name.text, meant) {
            ("Int" | "Integer" | "long" | "short" | "byte" | "unsigned", _) => {
                error.help("integers have the type `int`, which has no bounds")
            }
            ("float" | "double" | "real" | "Real", _) => {
                error.help("write `float32`, `float64` or, for exact numbers, `rational`")
            }
            ("String", _) => error.help("strings have the type `string`"),
            (_, Some(meant)) => error.help(format!("did you mean `{meant}`?")),
            _ => error.help("declare it, or give the file that declares it on the command line too"),
        };
        self.report(error);
    }
}

impl Resolution<'_> {
    /// A type as it is written in the source.
    pub fn show(&self, ty: &Type) -> String {
        let list = |types: &[Type]| -> String {
            if types.is_empty() {
                return String::new();
            }
            format!("<{}>", types.iter().map(|ty| self.show(ty)).collect::<Vec<_>>().join(", "))
        };
        let items = &self.items;
        let name = |name: Option<&Name>| name.map_or_else(|| "?".to_string(), |name| name.text.to_string());
        match ty {
            Type::Int => "int".to_string(),
            Type::Boolean => "boolean".to_string(),
            Type::Char => "char".to_string(),
            Type::String => "string".to_string(),
            Type::Void => "void".to_string(),
            Type::Float32 => "float32".to_string(),
            Type::Float64 => "float64".to_string(),
            Type::Fraction => "frac".to_string(),
            Type::ZeroFraction => "zfrac".to_string(),
            Type::Rational => "rational".to_string(),
            Type::Resource | Type::ResourceValue => "resource".to_string(),
            Type::Process => "process".to_string(),
            Type::Ref => "ref".to_string(),
            Type::Any => "any".to_string(),
            Type::Nothing => "nothing".to_string(),
            Type::Null => "null".to_string(),
            Type::Unknown => "?".to_string(),
            Type::Seq(a) => format!("seq<{}>", self.show(a)),
            Type::Set(a) => format!("set<{}>", self.show(a)),
            Type::Bag(a) => format!("bag<{}>", self.show(a)),
            Type::Option(a) => format!("option<{}>", self.show(a)),
            Type::Pointer(a) => format!("pointer<{}>", self.show(a)),
            Type::TypeValue(a) => format!("type<{}>", self.show(a)),
            Type::Array(a) => format!("{}[]", self.show(a)),
            Type::Vector(a, n) => format!("vector<{}, {n}>", self.show(a)),
            Type::Map(a, b) => format!("map<{}, {}>", self.show(a), self.show(b)),
            Type::Tuple(a, b) => format!("tuple<{}, {}>", self.show(a), self.show(b)),
            Type::Either(a, b) => format!("either<{}, {}>", self.show(a), self.show(b)),
            Type::Class(id, types) => name(items.classes.get(id).map(|it| &it.name)) + &list(types),
            Type::Adt(id, types) => name(items.adts.get(id).map(|it| &it.name)) + &list(types),
            Type::Enum(id) => name(items.enums.get(id).map(|it| &it.name)),
            Type::ProverType(id) => name(items.prover_types.get(id).map(|it| &it.name)),
            Type::Model(id) => name(items.models.get(id).map(|it| &it.name)),
            Type::Variable(id) => name(items.type_parameters.get(id).map(|it| &it.name)),
        }
    }
}
