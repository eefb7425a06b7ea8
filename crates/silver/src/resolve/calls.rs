//! Inference for applications: functions, domain functions, predicates, ADT constructors, destructors and
//! discriminators, and field accesses.

use std::sync::Arc;

use source::Span;

use super::checker::{Checker, ConstructorInfo, Global};
use super::draft::Draft;
use super::unify::Ty;
use crate::syntax::tree;
use crate::typed::{
    BinaryOperator, DomainFunctionId, DomainId, Expression, ExpressionKind, FieldId, FunctionId,
    PredicateAccess, PredicateId, Type,
};

/// What a call in an expression can mean.
enum Callee {
    Function(FunctionId),
    DomainFunction(DomainFunctionId),
    Predicate(PredicateId),
}

impl Checker {
    pub(super) fn call(
        &mut self,
        name: &tree::Name,
        arguments: &[tree::Expression],
        ty: Option<&tree::Type>,
        span: Span,
    ) -> Draft {
        let drafts: Vec<Draft> = arguments.iter().map(|argument| self.infer(argument)).collect();
        if drafts.iter().any(|draft| self.is_error(draft)) {
            return Draft::error(span);
        }
        let annotated = ty.map(|ty| self.ty(ty));
        if annotated == Some(Ty::Error) {
            return Draft::error(span);
        }
        let Some(callee) = self.callee(name, annotated.as_ref()) else { return Draft::error(span) };
        match callee {
            Callee::Function(function) => self.function_application(function, name, drafts, annotated, span),
            Callee::DomainFunction(function) => self.domain_application(function, drafts, annotated, span),
            Callee::Predicate(predicate) => {
                if annotated.is_some() {
                    self.error(span, "a predicate has no type that could be written", "remove the type");
                    return Draft::error(span);
                }
                if self.in_measure {
                    return self.instance_application(predicate, drafts, span);
                }
                self.predicate_application(predicate, drafts, span)
            }
        }
    }

    fn callee(&mut self, name: &tree::Name, annotated: Option<&Ty>) -> Option<Callee> {
        let globals = self.global(&name.text).to_vec();
        let mut constructors: Vec<DomainFunctionId> = Vec::new();
        let mut callees = Vec::new();
        let mut is_method = false;
        for global in globals {
            match global {
                Global::Function(function) => callees.push(Callee::Function(function)),
                Global::DomainFunction(function) => callees.push(Callee::DomainFunction(function)),
                Global::Predicate(predicate) => callees.push(Callee::Predicate(predicate)),
                Global::Constructor(function) => constructors.push(function),
                Global::Method(_) => is_method = true,
                Global::Field(_) | Global::Domain(_) | Global::Adt(_) => {}
            }
        }
        if let Some(Ty::Domain(domain, _)) = annotated {
            constructors.retain(|function| self.program.domain_function(*function).domain == *domain);
        }
        callees.extend(constructors.into_iter().map(Callee::DomainFunction));
        if callees.len() > 1 {
            self.error(
                name.span,
                format!("`{}` is declared more than once", name.text),
                "rename all but one of the declarations",
            );
            return None;
        }
        let callee = callees.pop();
        if callee.is_none() {
            let message = if is_method {
                format!("method `{}` cannot be called in an expression", name.text)
            } else {
                format!("there is no function or predicate `{}`", name.text)
            };
            self.error(name.span, message, "methods are called in statements: `x := m(…)`");
        }
        callee
    }

    /// Checks the number and types of arguments.
    fn arguments(&mut self, drafts: &[Draft], formals: &[Ty], span: Span) -> bool {
        if drafts.len() != formals.len() {
            let message = format!("{} arguments are needed, but there are {}", formals.len(), drafts.len());
            self.error(span, message, "pass one argument for each parameter");
            return false;
        }
        for (draft, formal) in drafts.iter().zip(formals) {
            if !self.solver.require(&draft.ty, formal) {
                self.mismatch(draft.span, &draft.ty, formal);
                return false;
            }
        }
        true
    }

    fn function_application(
        &mut self,
        function: FunctionId,
        name: &tree::Name,
        drafts: Vec<Draft>,
        annotated: Option<Ty>,
        span: Span,
    ) -> Draft {
        if self.member.axiom_of.is_some() && self.functions_with_preconditions.contains(&function) {
            let message = format!("function `{}` has a precondition, so axioms cannot use it", name.text);
            self.error(name.span, message, "axioms must be well-defined everywhere: use a domain function");
            return Draft::error(span);
        }
        let declared = self.program.function(function);
        let formals: Vec<Ty> = declared
            .formals
            .iter()
            .map(|formal| Ty::from_typed(&declared.locals[formal.index()].ty))
            .collect();
        let result = Ty::from_typed(&declared.result);
        if !self.arguments(&drafts, &formals, span) || !self.fits(&result, annotated, span) {
            return Draft::error(span);
        }
        Draft::node(drafts, result, span, move |parts| ExpressionKind::FunctionApplication {
            function,
            arguments: parts.rest(),
        })
    }

    /// Whether a result is of the type that is written at the call, if one is.
    fn fits(&mut self, result: &Ty, annotated: Option<Ty>, span: Span) -> bool {
        match annotated {
            Some(annotated) if !self.solver.require(&annotated, result) => {
                self.mismatch(span, result, &annotated);
                false
            }
            _ => true,
        }
    }

    /// Fresh type arguments for a domain; inside its own axioms its own parameters are the default.
    pub(super) fn fresh_type_arguments(&mut self, domain: DomainId) -> Vec<Ty> {
        let count = self.program.domain(domain).parameters.len();
        let own = self.member.axiom_of == Some(domain);
        (0..count as u32)
            .map(|index| {
                let default = if own { Ty::Parameter(index) } else { Ty::Int };
                self.solver.fresh_with_default(default)
            })
            .collect()
    }

    fn domain_application(
        &mut self,
        function: DomainFunctionId,
        drafts: Vec<Draft>,
        annotated: Option<Ty>,
        span: Span,
    ) -> Draft {
        let domain = self.program.domain_function(function).domain;
        let type_arguments = self.fresh_type_arguments(domain);
        let declared = self.program.domain_function(function);
        let formals: Vec<Ty> =
            declared.formals.iter().map(|formal| Ty::instantiate(&formal.ty, &type_arguments)).collect();
        let result = Ty::instantiate(&declared.result, &type_arguments);
        if !self.arguments(&drafts, &formals, span) || !self.fits(&result, annotated, span) {
            return Draft::error(span);
        }
        Draft::node(drafts, result, span, move |parts| ExpressionKind::DomainApplication {
            function,
            type_arguments: std::mem::take(&mut parts.types).into(),
            arguments: parts.rest(),
        })
        .with_types(type_arguments)
    }

    /// Whether arguments have the types that a predicate wants; reports where they have not.
    fn fits_predicate(&mut self, predicate: PredicateId, drafts: &[Draft], span: Span) -> bool {
        let declared = self.program.predicate(predicate);
        let formals = declared.formals.iter();
        let formals = formals.map(|formal| Ty::from_typed(&declared.locals[formal.index()].ty));
        let formals: Vec<Ty> = formals.collect();
        self.arguments(drafts, &formals, span)
    }

    fn predicate_application(&mut self, predicate: PredicateId, drafts: Vec<Draft>, span: Span) -> Draft {
        if !self.fits_predicate(predicate, &drafts, span) {
            return Draft::error(span);
        }
        Draft::node(drafts, Ty::Predicate, span, move |parts| {
            ExpressionKind::PredicatePermission(PredicateAccess {
                predicate,
                arguments: parts.rest(),
                amount: None,
                span,
            })
        })
    }

    /// `#P(…)` is the application of the function that stands for instances of `P`.
    pub(super) fn predicate_instance(
        &mut self,
        name: &tree::Name,
        arguments: &[tree::Expression],
        span: Span,
    ) -> Draft {
        let drafts: Vec<Draft> = arguments.iter().map(|argument| self.infer(argument)).collect();
        if drafts.iter().any(|draft| self.is_error(draft)) {
            return Draft::error(span);
        }
        let mut predicates = Vec::new();
        for global in self.global(&name.text) {
            if let Global::Predicate(predicate) = global {
                predicates.push(*predicate);
            }
        }
        let [predicate] = predicates.as_slice() else {
            self.error(
                name.span,
                format!("there is no predicate `{}`", name.text),
                "declare it with `predicate`",
            );
            return Draft::error(span);
        };
        let predicate = *predicate;
        self.instance_uses.push(span);
        self.instance_application(predicate, drafts, span)
    }

    fn instance_application(&mut self, predicate: PredicateId, drafts: Vec<Draft>, span: Span) -> Draft {
        if !self.fits_predicate(predicate, &drafts, span) {
            return Draft::error(span);
        }
        let Some(function) = self.instance_function(predicate, span) else { return Draft::error(span) };
        let result = Ty::from_typed(&self.program.function(function).result);
        Draft::node(drafts, result, span, move |parts| ExpressionKind::FunctionApplication {
            function,
            arguments: parts.rest(),
        })
    }

    pub(super) fn field(&mut self, base: &tree::Expression, name: &tree::Name, span: Span) -> Draft {
        if self.destructors.contains_key(&name.text) {
            return self.destructor(base, name, span);
        }
        if let Some((domain, constructor)) = self.discriminated(&name.text) {
            return self.discriminator(base, domain, &constructor, span);
        }
        let receiver = self.infer(base);
        if self.is_error(&receiver) {
            return Draft::error(span);
        }
        let Some(field) = self.find_field(name) else { return Draft::error(span) };
        self.field_access(receiver, field, span)
    }

    pub(super) fn field_access(&mut self, receiver: Draft, field: FieldId, span: Span) -> Draft {
        if !self.solver.require(&receiver.ty, &Ty::Ref) {
            self.mismatch(receiver.span, &receiver.ty, &Ty::Ref);
            return Draft::error(span);
        }
        let ty = Ty::from_typed(&self.program.field(field).ty);
        Draft::node(vec![receiver], ty, span, move |parts| ExpressionKind::FieldAccess {
            receiver: parts.next(),
            field,
        })
    }

    fn destructor(&mut self, base: &tree::Expression, name: &tree::Name, span: Span) -> Draft {
        let receiver = self.infer(base);
        if self.is_error(&receiver) {
            return Draft::error(span);
        }
        let Ty::Domain(domain, _) = self.solver.shallow(&receiver.ty) else {
            let found = self.describe(&receiver.ty);
            self.error(
                span,
                format!("`{}` is a field of an ADT, but this is {found}", name.text),
                "apply it to a value of the ADT",
            );
            return Draft::error(span);
        };
        let candidates = self.destructors.get(&name.text).cloned().unwrap_or_default();
        let Some((_, function)) = candidates.iter().find(|(adt, _)| *adt == domain) else {
            let adt = self.program.domain(domain).name.clone();
            self.error(
                span,
                format!("`{adt}` has no field `{}`", name.text),
                "check its spelling, or which type the value has",
            );
            return Draft::error(span);
        };
        self.domain_application(*function, vec![receiver], None, span)
    }

    /// The constructor `X` if the name is `isX`.
    pub(super) fn discriminated(&self, name: &str) -> Option<(DomainId, ConstructorInfo)> {
        let constructor = name.strip_prefix("is")?;
        self.adts.iter().find_map(|adt| {
            let found = adt.constructors.iter().find(|info| *info.name == *constructor)?;
            Some((adt.domain, found.clone()))
        })
    }

    /// `e.isX` compares the tag of `e`.
    fn discriminator(
        &mut self,
        base: &tree::Expression,
        domain: DomainId,
        constructor: &ConstructorInfo,
        span: Span,
    ) -> Draft {
        let receiver = self.infer(base);
        if self.is_error(&receiver) {
            return Draft::error(span);
        }
        let type_arguments = self.fresh_type_arguments(domain);
        let expected = Ty::Domain(domain, type_arguments.clone().into());
        if !self.solver.require(&receiver.ty, &expected) {
            self.mismatch(receiver.span, &receiver.ty, &expected);
            return Draft::error(span);
        }
        let Some(adt) = self.adts.iter().find(|adt| adt.domain == domain) else { return Draft::error(span) };
        let (tag_function, tag) = (adt.tag, constructor.tag);
        Draft::node(vec![receiver], Ty::Bool, span, move |parts| {
            let kind = ExpressionKind::DomainApplication {
                function: tag_function,
                type_arguments: std::mem::take(&mut parts.types).into(),
                arguments: parts.rest(),
            };
            let actual = Expression::new(kind, Type::Int, span);
            let digits: Arc<str> = tag.to_string().into();
            let wanted = Expression::new(ExpressionKind::Int(digits), Type::Int, span);
            ExpressionKind::Binary(BinaryOperator::Equal, actual, wanted)
        })
        .with_types(type_arguments)
    }
}
