//! Types of PVL as types of Silver.
//!
//! Characters are integers and strings are sequences of them; `rational`, `frac`, `zfrac` and floats are amounts of
//! permission, which are exact rationals; references to objects are `Ref` whatever their class. Arrays, options,
//! tuples and eithers are domains of the prelude.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::prelude::Theory;
use crate::resolve::Type;
use crate::syntax::tree::NodeId;

/// Types for type parameters.
pub(crate) type Substitution = FxHashMap<NodeId, Type>;

/// The type with types put in for type parameters; those without one stay.
pub(crate) fn substitute(ty: &Type, substitution: &Substitution) -> Type {
    let inner = |ty: &Arc<Type>| Arc::new(substitute(ty, substitution));
    let all = |types: &Arc<[Type]>| types.iter().map(|ty| substitute(ty, substitution)).collect();
    match ty {
        Type::Variable(id) => substitution.get(id).cloned().unwrap_or_else(|| ty.clone()),
        Type::Seq(a) => Type::Seq(inner(a)),
        Type::Set(a) => Type::Set(inner(a)),
        Type::Bag(a) => Type::Bag(inner(a)),
        Type::Option(a) => Type::Option(inner(a)),
        Type::Pointer(a) => Type::Pointer(inner(a)),
        Type::Array(a) => Type::Array(inner(a)),
        Type::Vector(a, length) => Type::Vector(inner(a), *length),
        Type::TypeValue(a) => Type::TypeValue(inner(a)),
        Type::Map(a, b) => Type::Map(inner(a), inner(b)),
        Type::Tuple(a, b) => Type::Tuple(inner(a), inner(b)),
        Type::Either(a, b) => Type::Either(inner(a), inner(b)),
        Type::Class(id, arguments) => Type::Class(*id, all(arguments)),
        Type::Adt(id, arguments) => Type::Adt(*id, all(arguments)),
        other => other.clone(),
    }
}

impl Lowering<'_> {
    /// The Silver type; `ty` has no type parameters left but opaque ones.
    pub(crate) fn ty(&mut self, ty: &Type, place: Span) -> s::Type {
        let kind = self.type_kind(ty, place);
        self.at(place).ty(kind)
    }

    fn boxed(&mut self, ty: &Type, place: Span) -> Box<s::Type> {
        Box::new(self.ty(ty, place))
    }

    fn named(&mut self, name: &str, arguments: Option<Vec<s::Type>>, place: Span) -> s::TypeKind {
        let name = self.at(place).name_of(name);
        s::TypeKind::Named(name, arguments)
    }

    fn type_kind(&mut self, ty: &Type, place: Span) -> s::TypeKind {
        match ty {
            Type::Int | Type::Char => s::TypeKind::Int,
            Type::Boolean | Type::Resource => s::TypeKind::Bool,
            Type::ResourceValue => {
                let name = self.resource_value_type();
                self.named(&name, None, place)
            }
            Type::Float32 | Type::Float64 | Type::Fraction | Type::ZeroFraction | Type::Rational => {
                s::TypeKind::Perm
            }
            Type::Ref | Type::Null | Type::Class(..) | Type::Model(_) | Type::Unknown => s::TypeKind::Ref,
            Type::String => s::TypeKind::Seq(Box::new(self.at(place).ty(s::TypeKind::Int))),
            Type::Seq(element) => s::TypeKind::Seq(self.boxed(element, place)),
            Type::Vector(element, _) => s::TypeKind::Seq(self.boxed(element, place)),
            Type::Set(element) => s::TypeKind::Set(self.boxed(element, place)),
            Type::Bag(element) => s::TypeKind::Multiset(self.boxed(element, place)),
            Type::Map(key, value) => {
                let key = self.boxed(key, place);
                s::TypeKind::Map(key, self.boxed(value, place))
            }
            Type::Array(_) => {
                self.need(Theory::Array);
                self.named("Array", None, place)
            }
            Type::Pointer(_) => {
                self.need(Theory::Pointer);
                self.named("Pointer", None, place)
            }
            Type::Option(element) => {
                self.need(Theory::Option);
                let element = self.ty(element, place);
                self.named("Option", Some(vec![element]), place)
            }
            Type::Tuple(first, second) => {
                self.need(Theory::Tuple);
                let arguments = vec![self.ty(first, place), self.ty(second, place)];
                self.named("Tuple", Some(arguments), place)
            }
            Type::Either(left, right) => {
                self.need(Theory::Either);
                let arguments = vec![self.ty(left, place), self.ty(right, place)];
                self.named("Either", Some(arguments), place)
            }
            Type::TypeValue(_) => {
                self.need(Theory::TypeValue);
                self.named("TypeValue", None, place)
            }
            Type::Void => {
                self.need(Theory::Unit);
                self.named("Unit", None, place)
            }
            Type::Any => {
                self.need(Theory::Any);
                self.named("Any", None, place)
            }
            Type::Nothing => {
                self.need(Theory::Nothing);
                self.named("Nothing", None, place)
            }
            Type::Process => {
                self.need(Theory::Process);
                self.named("Process", None, place)
            }
            Type::Enum(id) => {
                let name = self.instance(Instance::new(Part::Enum, *id, Vec::new()));
                self.named(&name, None, place)
            }
            Type::ProverType(id) => {
                let name = self.instance(Instance::new(Part::ProverType, *id, Vec::new()));
                self.named(&name, None, place)
            }
            Type::Adt(id, arguments) => {
                let name = self.instance(Instance::new(Part::Adt, *id, Vec::new()));
                let arguments: Vec<s::Type> = arguments.iter().map(|ty| self.ty(ty, place)).collect();
                let arguments = if arguments.is_empty() { None } else { Some(arguments) };
                self.named(&name, arguments, place)
            }
            Type::Variable(id) => {
                if let Some(name) = self.adt_parameters.get(id).cloned() {
                    return self.named(&name, None, place);
                }
                let name = self.instance(Instance::new(Part::OpaqueType, *id, Vec::new()));
                self.named(&name, None, place)
            }
        }
    }

    /// Whether a type parameter of a data type is a part of the type.
    pub(crate) fn has_adt_parameter(&self, ty: &Type) -> bool {
        ty.any_part(&|part| matches!(part, Type::Variable(id) if self.adt_parameters.contains_key(id)))
    }

    /// A text for the type that can be part of a name.
    pub(crate) fn type_word(&mut self, ty: &Type) -> String {
        match ty {
            Type::Int => "int".to_string(),
            Type::Char => "char".to_string(),
            Type::String => "string".to_string(),
            Type::Boolean | Type::Resource => "bool".to_string(),
            Type::ResourceValue => "resource".to_string(),
            Type::Float32 | Type::Float64 => "float".to_string(),
            Type::Fraction | Type::ZeroFraction | Type::Rational => "rational".to_string(),
            Type::Seq(a) => format!("seq_{}", self.type_word(a)),
            Type::Set(a) => format!("set_{}", self.type_word(a)),
            Type::Bag(a) => format!("bag_{}", self.type_word(a)),
            Type::Option(a) => format!("option_{}", self.type_word(a)),
            Type::Array(a) => format!("array_{}", self.type_word(a)),
            Type::Pointer(a) => format!("pointer_{}", self.type_word(a)),
            Type::Vector(a, length) => format!("vector{length}_{}", self.type_word(a)),
            Type::Map(a, b) => format!("map_{}_{}", self.type_word(a), self.type_word(b)),
            Type::Tuple(a, b) => format!("tuple_{}_{}", self.type_word(a), self.type_word(b)),
            Type::Either(a, b) => format!("either_{}_{}", self.type_word(a), self.type_word(b)),
            Type::Class(id, arguments) | Type::Adt(id, arguments) => {
                let mut word = self.declared_name(*id);
                for argument in arguments.iter() {
                    word = format!("{word}_{}", self.type_word(argument));
                }
                word
            }
            Type::Enum(id) | Type::ProverType(id) | Type::Model(id) => self.declared_name(*id),
            Type::Variable(id) => self.type_parameter_name(*id),
            Type::Any => "any".to_string(),
            Type::Nothing => "nothing".to_string(),
            Type::Void => "void".to_string(),
            Type::TypeValue(_) => "type".to_string(),
            Type::Process => "process".to_string(),
            Type::Ref | Type::Null | Type::Unknown => "ref".to_string(),
        }
    }
}

/// Whether values of the type are objects on the heap.
pub(crate) fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Ref | Type::Null | Type::Class(..) | Type::Model(_))
}

/// Whether the type is one of the exact rationals.
pub(crate) fn is_rational(ty: &Type) -> bool {
    matches!(ty, Type::Rational | Type::Fraction | Type::ZeroFraction | Type::Float32 | Type::Float64)
}
