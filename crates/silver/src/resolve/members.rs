//! Declares members, resolves their signatures, and checks their bodies.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use source::Span;

use super::checker::{AdtInfo, Checker, ConstructorInfo, Global};
use super::predicate_instances;
use super::unify::Ty;
use crate::syntax::tree::{self, MemberKind};
use crate::typed::{
    Annotations, Axiom, Domain, DomainFunction, DomainFunctionId, DomainFunctionOrigin, DomainId, Field,
    FieldId, Formal, Function, FunctionId, FunctionOrigin, LocalId, LocalKind, Method, MethodId,
    MethodOrigin, Predicate, PredicateId, Type,
};

/// The ids that members of a parse tree were declared under.
enum Declared<'a> {
    Fields(&'a [tree::Binding], Vec<FieldId>),
    Method(&'a tree::Method, MethodId),
    Function(&'a tree::Function, FunctionId),
    Predicate(&'a tree::Predicate, PredicateId),
    Domain(&'a tree::Domain, DomainId),
    Adt(&'a tree::Adt, DomainId),
}

pub(super) fn annotations(annotations: &[tree::Annotation]) -> Annotations {
    let mut result = Annotations::default();
    for annotation in annotations {
        result.add(&annotation.key, annotation.values.iter().map(ToString::to_string));
    }
    result
}

fn names(names: Option<&[tree::Name]>) -> Vec<String> {
    names.unwrap_or(&[]).iter().map(|name| name.text.to_string()).collect()
}

impl Checker {
    /// Declares and checks all members of the files; names of earlier calls stay visible.
    pub(super) fn check_members<'a>(
        &mut self,
        members: impl Iterator<Item = &'a tree::Member>,
        derives: bool,
    ) {
        let declared: Vec<Declared<'a>> = members.filter_map(|member| self.declare(member)).collect();
        for item in &declared {
            self.signature(item, derives);
        }
        for item in &declared {
            self.body(item);
        }
    }

    fn declare<'a>(&mut self, member: &'a tree::Member) -> Option<Declared<'a>> {
        let span = member.span;
        let annotations = annotations(&member.annotations);
        match &member.kind {
            MemberKind::Import(_) | MemberKind::Define(_) => None,
            MemberKind::Fields(bindings) => {
                let mut ids = Vec::new();
                for binding in bindings {
                    let id = FieldId(self.program.fields.len() as u32);
                    let name = binding.name.text.to_string();
                    let span = binding.name.span;
                    self.program.fields.push(Field {
                        name,
                        span,
                        annotations: annotations.clone(),
                        ty: Type::Int,
                    });
                    self.declare_global(&binding.name, Global::Field(id));
                    ids.push(id);
                }
                Some(Declared::Fields(bindings, ids))
            }
            MemberKind::Method(method) => {
                let id = MethodId(self.program.methods.len() as u32);
                self.program.methods.push(Method {
                    name: method.name.text.to_string(),
                    span,
                    head: member.head,
                    annotations,
                    locals: Vec::new(),
                    formals: Vec::new(),
                    returns: Vec::new(),
                    preconditions: Vec::new(),
                    postconditions: Vec::new(),
                    labels: Vec::new(),
                    body: None,
                    origin: MethodOrigin::Source,
                    termination: Default::default(),
                    assumptions: Vec::new(),
                });
                self.declare_global(&method.name, Global::Method(id));
                Some(Declared::Method(method, id))
            }
            MemberKind::Function(function) => {
                let id = FunctionId(self.program.functions.len() as u32);
                self.program.functions.push(Function {
                    name: function.name.text.to_string(),
                    span,
                    head: member.head,
                    annotations,
                    locals: Vec::new(),
                    formals: Vec::new(),
                    result: Type::Int,
                    preconditions: Vec::new(),
                    postconditions: Vec::new(),
                    body: None,
                    origin: FunctionOrigin::Source,
                    termination: Default::default(),
                    assumptions: Vec::new(),
                });
                let has_precondition = function
                    .preconditions
                    .iter()
                    .any(|clause| matches!(clause.kind, tree::SpecificationKind::Assertion(_)));
                if has_precondition {
                    self.functions_with_preconditions.insert(id);
                }
                self.declare_global(&function.name, Global::Function(id));
                Some(Declared::Function(function, id))
            }
            MemberKind::Predicate(predicate) => {
                let id = PredicateId(self.program.predicates.len() as u32);
                self.program.predicates.push(Predicate {
                    name: predicate.name.text.to_string(),
                    span,
                    head: member.head,
                    annotations,
                    locals: Vec::new(),
                    formals: Vec::new(),
                    body: None,
                    assumptions: Vec::new(),
                });
                if predicate.body.is_none() {
                    self.bodyless_predicates.insert(id);
                }
                self.declare_global(&predicate.name, Global::Predicate(id));
                Some(Declared::Predicate(predicate, id))
            }
            MemberKind::Domain(domain) => {
                let id = self.declare_written_domain(domain, span, annotations);
                Some(Declared::Domain(domain, id))
            }
            MemberKind::Adt(adt) => {
                let id = self.declare_domain(&adt.name, span, annotations, adt.parameters.as_deref(), true);
                self.declare_global(&adt.name, Global::Adt(id));
                self.declare_constructors(adt, id, span);
                Some(Declared::Adt(adt, id))
            }
        }
    }

    fn declare_written_domain(
        &mut self,
        domain: &tree::Domain,
        span: Span,
        annotations: Annotations,
    ) -> DomainId {
        let implicit = self
            .implicit_instance_domain
            .take_if(|_| &*domain.name.text == predicate_instances::DOMAIN && domain.parameters.is_none());
        let id = match implicit {
            Some(id) => id,
            None => {
                let parameters = domain.parameters.as_deref();
                self.declare_domain(&domain.name, span, annotations, parameters, false)
            }
        };
        let interpretations = domain.interpretations.as_ref();
        self.program.domains[id.index()].interpretations = interpretations.map(|entries| {
            entries.iter().map(|(backend, name)| (backend.to_string(), name.to_string())).collect()
        });
        self.declare_global(&domain.name, Global::Domain(id));
        for function in &domain.functions {
            let function_id = self.declare_domain_function(&function.name, function.span, id);
            self.declare_global(&function.name, Global::DomainFunction(function_id));
        }
        id
    }

    fn declare_domain(
        &mut self,
        name: &tree::Name,
        span: Span,
        annotations: Annotations,
        parameters: Option<&[tree::Name]>,
        is_adt: bool,
    ) -> DomainId {
        let parameters = names(parameters);
        let empty = Domain::empty(&*name.text, span);
        self.program.domains.push(Domain { annotations, parameters, is_adt, ..empty });
        DomainId(self.program.domains.len() as u32 - 1)
    }

    pub(super) fn declare_domain_function(
        &mut self,
        name: &tree::Name,
        span: Span,
        domain: DomainId,
    ) -> DomainFunctionId {
        let id = DomainFunctionId(self.program.domain_functions.len() as u32);
        self.program.domain_functions.push(DomainFunction {
            name: name.text.to_string(),
            span,
            annotations: Annotations::default(),
            domain,
            formals: Vec::new(),
            result: Type::Int,
            unique: false,
            interpretation: None,
            origin: DomainFunctionOrigin::Source,
        });
        self.program.domains[domain.index()].functions.push(id);
        id
    }

    /// Constructors, destructors and the tag function of an ADT.
    fn declare_constructors(&mut self, adt: &tree::Adt, domain: DomainId, span: Span) {
        let mut sorted: Vec<&Arc<str>> =
            adt.constructors.iter().map(|constructor| &constructor.name.text).collect();
        sorted.sort();
        let mut constructors = Vec::new();
        for constructor in &adt.constructors {
            let function = self.declare_domain_function(&constructor.name, constructor.span, domain);
            self.program.domain_functions[function.index()].annotations =
                annotations(&constructor.annotations);
            self.declare_global(&constructor.name, Global::Constructor(function));
            let tag = sorted.iter().position(|name| **name == constructor.name.text).unwrap_or(0);
            constructors.push(ConstructorInfo {
                name: constructor.name.text.clone(),
                span: constructor.span,
                function,
                fields: Vec::new(),
                tag,
            });
        }
        for (constructor, info) in adt.constructors.iter().zip(&mut constructors) {
            for field in &constructor.fields {
                let text: Arc<str> = format!("get_{}_{}", adt.name.text, field.name.text).into();
                let name = tree::Name { text, span: constructor.span };
                let destructor = self.declare_domain_function(&name, constructor.span, domain);
                self.program.domain_functions[destructor.index()].origin =
                    DomainFunctionOrigin::Field(field.name.text.clone());
                info.fields.push((field.name.text.clone(), destructor));
                self.destructors.entry(field.name.text.clone()).or_default().push((domain, destructor));
            }
        }
        let tag_name = tree::Name { text: format!("{}_tag", adt.name.text).into(), span };
        let tag = self.declare_domain_function(&tag_name, span, domain);
        self.program.domain_functions[tag.index()].origin = DomainFunctionOrigin::Tag;
        self.adts.push(AdtInfo { domain, span, constructors, tag, height: None, contains_without: None });
    }

    fn signature(&mut self, declared: &Declared<'_>, derives: bool) {
        self.begin_member();
        match declared {
            Declared::Fields(bindings, ids) => {
                for (binding, id) in bindings.iter().zip(ids) {
                    self.program.fields[id.index()].ty = self.ground_type(&binding.ty);
                }
            }
            Declared::Method(method, id) => {
                let formals = self.formals(&method.formals, LocalKind::Formal);
                let returns = self.formals(&method.returns, LocalKind::Return);
                let locals = std::mem::take(&mut self.member.locals);
                let target = &mut self.program.methods[id.index()];
                (target.locals, target.formals, target.returns) = (locals, formals, returns);
            }
            Declared::Function(function, id) => {
                let formals = self.formals(&function.formals, LocalKind::Formal);
                let result = self.ground_type(&function.result);
                let locals = std::mem::take(&mut self.member.locals);
                let target = &mut self.program.functions[id.index()];
                (target.locals, target.formals, target.result) = (locals, formals, result);
            }
            Declared::Predicate(predicate, id) => {
                let formals = self.formals(&predicate.formals, LocalKind::Formal);
                let locals = std::mem::take(&mut self.member.locals);
                let target = &mut self.program.predicates[id.index()];
                (target.locals, target.formals) = (locals, formals);
            }
            Declared::Domain(domain, id) => self.domain_signature(domain, *id),
            Declared::Adt(adt, id) => self.adt_signature(adt, *id, derives),
        }
    }

    fn formals(&mut self, bindings: &[tree::Binding], kind: LocalKind) -> Vec<LocalId> {
        bindings
            .iter()
            .map(|binding| {
                let ty = self.ground_type(&binding.ty);
                self.declare_local(&binding.name, ty, kind)
            })
            .collect()
    }

    fn domain_signature(&mut self, domain: &tree::Domain, id: DomainId) {
        self.member.type_parameters =
            domain.parameters.iter().flatten().map(|name| name.text.clone()).collect();
        let ids = self.program.domain(id).functions.clone();
        for (function, function_id) in domain.functions.iter().zip(ids) {
            let result = self.ground_type(&function.result);
            let mut seen = FxHashSet::default();
            let mut formals = Vec::new();
            for (name, ty) in &function.formals {
                if let Some(name) = name
                    && !seen.insert(name.text.clone())
                {
                    self.error(
                        name.span,
                        format!("there are two parameters named `{}`", name.text),
                        "rename one of them",
                    );
                }
                let name = name.as_ref().map(|name| name.text.to_string());
                formals.push(Formal { name, ty: self.ground_type(ty) });
            }
            let target = &mut self.program.domain_functions[function_id.index()];
            target.formals = formals;
            target.result = result;
            target.unique = function.unique;
            target.interpretation = function.interpretation.as_ref().map(ToString::to_string);
            target.annotations = annotations(&function.annotations);
        }
    }

    fn adt_signature(&mut self, adt: &tree::Adt, id: DomainId, derives: bool) {
        self.member.type_parameters = adt.parameters.iter().flatten().map(|name| name.text.clone()).collect();
        let parameters = 0..self.member.type_parameters.len() as u32;
        let own = Type::Domain(id, parameters.map(Type::Parameter).collect());
        let Some(info) = self.adts.iter().find(|info| info.domain == id).cloned() else { return };
        for (constructor, constructor_info) in adt.constructors.iter().zip(&info.constructors) {
            let discriminator = format!("is{}", constructor.name.text);
            if !self.global(&discriminator).is_empty() {
                let message = format!("the discriminator `{discriminator}` is hidden by another declaration");
                self.error(constructor.name.span, message, "rename the constructor or the other declaration");
            }
            let mut formals = Vec::new();
            for (field, (_, destructor)) in constructor.fields.iter().zip(&constructor_info.fields) {
                let ty = self.ground_type(&field.ty);
                formals.push(Formal { name: Some(field.name.text.to_string()), ty: ty.clone() });
                let target = &mut self.program.domain_functions[destructor.index()];
                target.formals = vec![Formal { name: Some("t".to_string()), ty: own.clone() }];
                target.result = ty;
            }
            let target = &mut self.program.domain_functions[constructor_info.function.index()];
            target.formals = formals;
            target.result = own.clone();
        }
        self.program.domain_functions[info.tag.index()].formals =
            vec![Formal { name: Some("t".to_string()), ty: own }];
        if derives {
            self.derivations(adt, id);
        }
    }

    fn derivations(&mut self, adt: &tree::Adt, id: DomainId) {
        let mut seen = FxHashSet::default();
        let mut reported = FxHashSet::default();
        for derivation in adt.derives.iter().flatten() {
            if let Some(parameter) = &derivation.parameter {
                self.ty(parameter);
            }
            if !seen.insert(derivation.name.text.clone()) && reported.insert(derivation.name.text.clone()) {
                let first =
                    adt.derives.iter().flatten().find(|other| other.name.text == derivation.name.text);
                let span = first.map_or(derivation.name.span, |first| first.name.span);
                self.error(
                    span,
                    format!("`{}` is derived twice", derivation.name.text),
                    "remove one of the derivations",
                );
            }
            for field in &derivation.without {
                let fields = adt.constructors.iter().flat_map(|constructor| &constructor.fields);
                if !fields.into_iter().any(|known| known.name.text == field.text) {
                    self.error(
                        field.span,
                        format!("`{}` has no field `{}`", adt.name.text, field.text),
                        "check its spelling, or which type the value has",
                    );
                }
            }
            if &*derivation.name.text == "contains"
                && let Some(info) = self.adts.iter_mut().find(|info| info.domain == id)
            {
                let without = derivation.without.iter().map(|name| name.text.clone()).collect();
                info.contains_without = Some(without);
            }
        }
    }

    fn body(&mut self, declared: &Declared<'_>) {
        self.begin_member();
        match declared {
            Declared::Fields(..) | Declared::Adt(..) => {}
            Declared::Method(method, id) => self.method_body(method, *id),
            Declared::Function(function, id) => self.function_body(function, *id),
            Declared::Predicate(predicate, id) => {
                let (locals, formals) = {
                    let declared = self.program.predicate(*id);
                    (declared.locals.clone(), declared.formals.clone())
                };
                self.open_formals(locals, &formals);
                let body = predicate.body.as_ref().map(|body| {
                    let typed = self.check(body, &Ty::Impure);
                    self.no_wands(body);
                    typed
                });
                let target = &mut self.program.predicates[id.index()];
                target.locals = std::mem::take(&mut self.member.locals);
                target.assumptions = std::mem::take(&mut self.member.assumptions);
                target.body = body;
            }
            Declared::Domain(domain, id) => {
                for axiom in &domain.axioms {
                    self.begin_member();
                    self.member.type_parameters =
                        domain.parameters.iter().flatten().map(|name| name.text.clone()).collect();
                    self.member.axiom_of = Some(*id);
                    let body = self.check(&axiom.body, &Ty::Bool);
                    let locals = std::mem::take(&mut self.member.locals);
                    let name = axiom.name.as_ref().map(|name| name.text.to_string());
                    self.program.domains[id.index()].axioms.push(Axiom {
                        name,
                        span: axiom.span,
                        locals,
                        body,
                    });
                }
            }
        }
    }

    /// Makes the formals of a member visible again.
    fn open_formals(&mut self, locals: Vec<crate::typed::Local>, formals: &[LocalId]) {
        let visible = formals.iter().map(|local| (locals[local.index()].name.clone(), *local)).collect();
        self.member.locals = locals;
        self.member.scopes = vec![visible];
    }

    fn method_body(&mut self, method: &tree::Method, id: MethodId) {
        let (locals, formals) = {
            let declared = self.program.method(id);
            let formals: Vec<LocalId> = declared.formals.iter().chain(&declared.returns).copied().collect();
            (declared.locals.clone(), formals)
        };
        self.open_formals(locals, &formals);
        if let Some(body) = &method.body {
            self.declare_labels(&body.statements);
        }
        let (preconditions, mut decreases) = self.specifications(&method.preconditions);
        let (postconditions, more) = self.specifications(&method.postconditions);
        decreases.extend(more);
        let body = method.body.as_ref().map(|body| self.block(body));
        let target = &mut self.program.methods[id.index()];
        target.locals = std::mem::take(&mut self.member.locals);
        target.labels = std::mem::take(&mut self.member.labels);
        target.assumptions = std::mem::take(&mut self.member.assumptions);
        (target.preconditions, target.postconditions, target.body) = (preconditions, postconditions, body);
        self.decreases.methods.insert(id, decreases);
        self.decreases.loops.insert(id, std::mem::take(&mut self.member.loops));
    }

    fn function_body(&mut self, function: &tree::Function, id: FunctionId) {
        let (locals, formals, result) = {
            let declared = self.program.function(id);
            (declared.locals.clone(), declared.formals.clone(), declared.result.clone())
        };
        self.open_formals(locals, &formals);
        self.member.function_result = Some(result.clone());
        let (preconditions, mut decreases) = self.specifications(&function.preconditions);
        for clause in &mut decreases {
            clause.is_precondition = true;
        }
        for clause in &function.preconditions {
            if let tree::SpecificationKind::Assertion(expression) = &clause.kind {
                self.no_wands(expression);
            }
        }
        self.member.result_allowed = true;
        self.member.permission_ban = Some("postconditions of functions");
        let mut postconditions = Vec::new();
        for clause in &function.postconditions {
            match &clause.kind {
                tree::SpecificationKind::Assertion(expression) => {
                    postconditions.push(self.check(expression, &Ty::Bool));
                }
                tree::SpecificationKind::Decreases(clause) => decreases.push(self.decreases_clause(clause)),
            }
        }
        self.member.permission_ban = None;
        let body = function.body.as_ref().map(|body| self.check(body, &Ty::from_typed(&result)));
        let target = &mut self.program.functions[id.index()];
        target.locals = std::mem::take(&mut self.member.locals);
        target.assumptions = std::mem::take(&mut self.member.assumptions);
        (target.preconditions, target.postconditions, target.body) = (preconditions, postconditions, body);
        self.decreases.functions.insert(id, decreases);
    }
}
