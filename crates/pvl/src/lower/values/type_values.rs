//! Types as values: `\typeof(e)` and `\type(T)`.
//!
//! Each type that a program asks for is a constant, and different types are different constants, except for those with type
//! parameters in them, which may be the same after all. Of objects the type is
//! known where they are made, of other values it is the one that they are declared with.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::lower::values::types::is_reference;
use crate::resolve::Type;
use crate::syntax::tree::{Expression, NodeId};

impl Lowering<'_> {
    /// The constant for a type; none if it depends on what type parameters stand for.
    fn type_constant(&mut self, ty: &Type, place: Span) -> Option<Arc<str>> {
        if let Type::Class(id, arguments) = ty {
            return Some(self.instance(Instance::new(Part::TypeConstant, *id, arguments.to_vec())));
        }
        if is_open(ty) {
            return None;
        }
        if let Some(known) = self.type_constants.get(ty) {
            return Some(known.clone());
        }
        let word = self.type_word(ty);
        let name = self.globals.fresh(&format!("type_{word}"));
        self.type_constants.insert(ty.clone(), name.clone());
        self.declare_type_constant(&name, &word, true, place);
        Some(name)
    }

    /// A constant; if the type is certain, it is different from those of other types.
    pub(crate) fn declare_type_constant(
        &mut self,
        name: &Arc<str>,
        word: &str,
        is_certain: bool,
        place: Span,
    ) {
        self.need(Theory::TypeValue);
        let domain_name = self.globals.fresh(&format!("Type_{word}"));
        let mut build = self.at(place);
        let type_name = build.name_of("TypeValue");
        let result = build.ty(s::TypeKind::Named(type_name, None));
        let function =
            s::DomainFunction { unique: is_certain, ..build.domain_function(name, Vec::new(), result) };
        let domain = s::Domain {
            name: build.name(&domain_name),
            parameters: None,
            interpretations: None,
            functions: vec![function],
            axioms: Vec::new(),
        };
        self.add_member(place, s::MemberKind::Domain(domain));
    }
}

/// Whether a type parameter, or nothing certain, is part of the type.
pub(crate) fn is_open(ty: &Type) -> bool {
    use Type::{Any, Nothing, Null, Ref, Unknown, Variable};
    ty.any_part(&|part| matches!(part, Variable(_) | Any | Unknown | Nothing | Ref | Null))
}

impl<'t> Scope<'_, 't> {
    /// `\typeof(e)`
    pub(crate) fn type_of_value(
        &mut self,
        operand: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let ty = self.type_of(operand);
        self.lowering.need(Theory::TypeValue);
        if is_reference(&ty) {
            let operand = self.expression(operand);
            return self.at(place).call("type_of", vec![operand]);
        }
        let Some(constant) = self.lowering.type_constant(&ty, place) else {
            return self.unsupported(place, "`\\typeof` of a value whose type is not known here");
        };
        let known = self.at(place).call(&constant, Vec::new());
        if !ty.is_nullable() {
            return known;
        }
        let value = self.expression(operand);
        let null = self.null(&ty, expression);
        let mut build = self.at(place);
        let exists = build.different(value, null);
        let nothing = build.call("type_of_null", Vec::new());
        build.conditional(exists, known, nothing)
    }

    /// `\type(T)`
    pub(crate) fn type_value(
        &mut self,
        ty: &'t crate::syntax::tree::Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let ty = self.written_type(ty);
        match self.lowering.type_constant(&ty, place) {
            Some(constant) => self.at(place).call(&constant, Vec::new()),
            None => self.unsupported(place, "a type that depends on type parameters as a value"),
        }
    }

    /// A new object is of its class; of interest only where the program asks for types.
    pub(crate) fn type_of_this(
        &mut self,
        class: NodeId,
        arguments: &[Type],
        place: Span,
    ) -> Option<s::Expression> {
        let mut types = self.resolution.expressions.values();
        if !types.any(|ty| matches!(ty, Type::TypeValue(_))) {
            return None;
        }
        self.lowering.need(Theory::TypeValue);
        let name = self.lowering.instance(Instance::new(Part::TypeConstant, class, arguments.to_vec()));
        let this = self.this(place);
        let mut build = self.at(place);
        let found = build.call("type_of", vec![this]);
        let known = build.call(&name, Vec::new());
        Some(build.equal(found, known))
    }
}
