//! Enums, data types by axioms, prover types, and types as values.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::instances::{Instance, Part};
use crate::lower::scope::Scope;
use crate::lower::values::type_values::is_open;
use crate::resolve::{CallTarget, Type};
use crate::syntax::tree::{Expression, NodeId, ProverInterpretation, ProverLanguage};

impl<'t> Lowering<'t> {
    /// A domain with a constant for each constant and for `null`, and no other value.
    ///
    /// The constants are numbered, and an equality compares numbers: so every value that is compared has one, and the
    /// solver knows which ones there are.
    pub(crate) fn lower_enum(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(declared) = self.resolution.items.enums.get(&instance.id).copied() else { return };
        let place = declared.name.span;
        let mut constants = vec![self.enum_null_name(instance.id)];
        for constant in &declared.constants {
            constants.push(self.instance(Instance::new(Part::EnumConstant, constant.id, Vec::new())));
        }
        let index = self.enum_index_name(instance.id);
        let variable: Arc<str> = "value".into();
        let numbers_name = self.globals.fresh(&format!("{name}_numbers"));
        let values_name = self.globals.fresh(&format!("{name}_values"));
        let mut build = self.at(place);
        let mut functions = Vec::new();
        for constant in &constants {
            let type_name = build.name(name);
            functions.push(s::DomainFunction {
                annotations: Vec::new(),
                unique: true,
                name: build.name(constant),
                formals: Vec::new(),
                result: build.ty(s::TypeKind::Named(type_name, None)),
                interpretation: None,
                span: build.node(crate::lower::Role::Plain),
            });
        }
        let type_name = build.name(name);
        let value_type = build.ty(s::TypeKind::Named(type_name, None));
        let formals = vec![build.binding(&variable, value_type.clone())];
        let int = build.ty(s::TypeKind::Int);
        functions.push(build.domain_function(&index, formals, int));
        let mut numbers: Option<s::Expression> = None;
        let mut cases: Option<s::Expression> = None;
        for (number, constant) in constants.iter().enumerate() {
            let value = build.call(constant, Vec::new());
            let value = build.call(&index, vec![value]);
            let number_of = build.int(number as i64);
            let numbered = build.equal(value, number_of);
            numbers = Some(match numbers {
                None => numbered,
                Some(numbers) => build.and(numbers, numbered),
            });
            let value = build.variable(&variable);
            let value = build.call(&index, vec![value]);
            let number_of = build.int(number as i64);
            let is_numbered = build.equal(value, number_of);
            let value = build.variable(&variable);
            let constant = build.call(constant, Vec::new());
            let is_constant = build.equal(value, constant);
            let case = build.and(is_numbered, is_constant);
            cases = Some(match cases {
                None => case,
                Some(cases) => build.binary(s::BinaryOperator::Or, cases, case),
            });
        }
        let bindings = vec![build.binding(&variable, value_type)];
        let cases = cases.unwrap_or_else(|| build.bool(true));
        let value = build.variable(&variable);
        let numbered = build.call(&index, vec![value]);
        let trigger = build.trigger(vec![numbered]);
        let values = build.forall(bindings, vec![trigger], cases);
        let numbers = numbers.unwrap_or_else(|| build.bool(true));
        let mut axioms = Vec::new();
        for (axiom_name, body) in [(&numbers_name, numbers), (&values_name, values)] {
            axioms.push(s::Axiom {
                annotations: Vec::new(),
                name: Some(build.name(axiom_name)),
                body,
                span: build.node(crate::lower::Role::Plain),
            });
        }
        let domain =
            s::Domain { name: build.name(name), parameters: None, interpretations: None, functions, axioms };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    fn enum_index_name(&mut self, id: NodeId) -> Arc<str> {
        self.instance(Instance::new(Part::EnumIndex, id, Vec::new()))
    }

    /// The instance of the type constant is free for enums: it names `null`.
    pub(crate) fn enum_null_name(&mut self, id: NodeId) -> Arc<str> {
        let instance = Instance::new(Part::TypeConstant, id, Vec::new());
        if let Some(name) = self.instances.get(&instance) {
            return name;
        }
        let name = self.globals.fresh(&format!("{}_null", self.declared_name(id)));
        self.spelling.add_constant(&name, "null".to_string());
        self.instances.add(instance, name.clone());
        name
    }

    pub(crate) fn lower_adt(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(adt) = self.resolution.items.adts.get(&instance.id).copied() else { return };
        let place = adt.name.span;
        let mut parameters = Vec::new();
        for parameter in &adt.type_parameters {
            let name = self.globals.local().fresh(&parameter.name.text);
            parameters.push(self.at(parameter.name.span).name(&name));
            self.adt_parameters.insert(parameter.id, name);
        }
        let mut functions = Vec::new();
        for function in &adt.functions {
            let silver = self.instance(Instance::new(Part::AdtFunction, function.id, Vec::new()));
            let mut formals = Vec::new();
            let mut names = self.globals.local();
            for parameter in &function.parameters {
                let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
                let ty = self.ty(&ty, parameter.span);
                let formal = names.fresh(&format!("{}_", parameter.name.text));
                formals.push(self.at(parameter.span).binding(&formal, ty));
            }
            let result = self.resolution.types.get(&function.result.id).cloned().unwrap_or(Type::Unknown);
            let result = self.ty(&result, function.span);
            functions.push(self.at(function.span).domain_function(&silver, formals, result));
        }
        let mut axioms = Vec::new();
        for axiom in &adt.axioms {
            let axiom_name = self.globals.fresh(&format!("{name}_axiom"));
            let mut scope = Scope::new(self, Rc::default());
            let body = scope.assertion(&axiom.body);
            let mut build = self.at(axiom.span);
            axioms.push(s::Axiom {
                annotations: Vec::new(),
                name: Some(build.name(&axiom_name)),
                body,
                span: build.node(crate::lower::Role::Plain),
            });
        }
        let parameters = if parameters.is_empty() { None } else { Some(parameters) };
        let name = self.at(place).name(name);
        let domain = s::Domain { name, parameters, interpretations: None, functions, axioms };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    pub(crate) fn lower_prover_type(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(declared) = self.resolution.items.prover_types.get(&instance.id).copied() else { return };
        let place = declared.name.span;
        let interpretations = self.interpretations(&declared.interpretations);
        let mut functions = Vec::new();
        let mine: Vec<_> = self
            .resolution
            .items
            .declarations
            .iter()
            .filter_map(|declaration| match &declaration.kind {
                crate::syntax::tree::DeclarationKind::ProverFunction(function) => {
                    Some((declaration.id, function))
                }
                _ => None,
            })
            .collect();
        // Silver knows interpreted functions only inside of interpreted domains; the first one has them all.
        let is_first = self.resolution.items.declarations.iter().find_map(|declaration| {
            matches!(declaration.kind, crate::syntax::tree::DeclarationKind::ProverType(_))
                .then_some(declaration.id)
        }) == Some(instance.id);
        if is_first {
            for (id, function) in mine {
                functions.push(self.prover_function(id, function));
            }
        }
        let name = self.at(place).name(name);
        let domain = s::Domain { name, parameters: None, interpretations, functions, axioms: Vec::new() };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    fn prover_function(
        &mut self,
        id: NodeId,
        function: &'t crate::syntax::tree::ProverFunction,
    ) -> s::DomainFunction {
        let silver = self.instance(Instance::new(Part::ProverFunction, id, Vec::new()));
        let mut formals = Vec::new();
        for parameter in &function.parameters {
            let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
            let ty = self.ty(&ty, parameter.span);
            let formal = self.at(parameter.span).name_of(&format!("{}_", parameter.name.text));
            formals.push((Some(formal), ty));
        }
        let place = function.name.span;
        let result = self.resolution.types.get(&function.result.id).cloned().unwrap_or(Type::Unknown);
        let result = self.ty(&result, place);
        let text = smt_text(&function.interpretations);
        let mut build = self.at(place);
        s::DomainFunction {
            annotations: Vec::new(),
            unique: false,
            name: build.name(&silver),
            formals,
            result,
            interpretation: text,
            span: build.node(crate::lower::Role::Plain),
        }
    }

    fn interpretations(&mut self, written: &[ProverInterpretation]) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let mut result = Vec::new();
        for interpretation in written {
            let key = match interpretation.language {
                ProverLanguage::SmtLib => "SMTLIB",
                ProverLanguage::Boogie => "Boogie",
            };
            result.push((key.into(), interpretation.text.clone()));
        }
        if result.is_empty() { None } else { Some(result) }
    }

    /// Interpreted functions stand in the domain of the first prover type, if there is one.
    pub(crate) fn lower_prover_function(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(function) = self.resolution.items.prover_functions.get(&instance.id).copied() else {
            return;
        };
        if !self.resolution.items.prover_types.is_empty() {
            return;
        }
        let place = function.name.span;
        let declared = self.prover_function(instance.id, function);
        let domain_name = self.globals.fresh(&format!("Prover_{name}"));
        let mut build = self.at(place);
        let interpretations = Some(vec![("SMTLIB".into(), "Bool".into()), ("Boogie".into(), "bool".into())]);
        let domain = s::Domain {
            name: build.name(&domain_name),
            parameters: None,
            interpretations,
            functions: vec![declared],
            axioms: Vec::new(),
        };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    /// A type of which nothing is known.
    pub(crate) fn lower_opaque_type(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(parameter) = self.resolution.items.type_parameters.get(&instance.id) else { return };
        let place = parameter.name.span;
        let name = self.at(place).name(name);
        let domain = s::Domain {
            name,
            parameters: None,
            interpretations: None,
            functions: Vec::new(),
            axioms: Vec::new(),
        };
        self.add_member(place, s::MemberKind::Domain(domain));
    }

    /// A class as a value of `type<…>`.
    pub(crate) fn lower_type_constant(&mut self, instance: &Instance, name: &Arc<str>) {
        if self.resolution.items.enums.contains_key(&instance.id) {
            return;
        }
        let Some(class) = self.resolution.items.classes.get(&instance.id) else { return };
        let place = class.name.span;
        let is_certain = !instance.arguments.iter().any(is_open);
        self.declare_type_constant(name, &class.name.text, is_certain, place);
    }
}

fn smt_text(interpretations: &[ProverInterpretation]) -> Option<Arc<str>> {
    let smt = interpretations.iter().find(|it| it.language == ProverLanguage::SmtLib);
    smt.or(interpretations.first()).map(|it| it.text.clone())
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn enum_null(&mut self, id: NodeId, place: Span) -> s::Expression {
        let name = self.lowering.enum_null_name(id);
        self.at(place).call(&name, Vec::new())
    }

    /// The number of a value, which stands for it in an equality.
    pub(crate) fn enum_index(&mut self, id: NodeId, value: s::Expression, place: Span) -> s::Expression {
        let name = self.lowering.enum_index_name(id);
        self.at(place).call(&name, vec![value])
    }

    pub(crate) fn enum_constant(&mut self, id: NodeId, place: Span) -> s::Expression {
        let name = self.lowering.instance(Instance::new(Part::EnumConstant, id, Vec::new()));
        self.at(place).call(&name, Vec::new())
    }

    /// A function of a data type or of the prover.
    pub(crate) fn adt_call(
        &mut self,
        arguments: &[&'t Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        match self.resolution.calls.get(&expression.id) {
            Some(CallTarget::AdtFunction { adt, function, type_arguments }) => {
                let name = self.lowering.instance(Instance::new(Part::AdtFunction, *function, Vec::new()));
                let values = self.operands(arguments);
                let ty = self.type_of(expression);
                let mentions_type = !type_arguments.is_empty();
                if mentions_type && matches!(&ty, Type::Adt(id, _) if id == adt) {
                    let ty = self.ty(&ty, place);
                    return self.at(place).call_typed(&name, values, ty);
                }
                self.at(place).call(&name, values)
            }
            Some(CallTarget::ProverFunction(function)) => {
                let name = self.lowering.instance(Instance::new(Part::ProverFunction, *function, Vec::new()));
                let values = self.operands(arguments);
                self.at(place).call(&name, values)
            }
            _ => self.unsupported(place, "this call"),
        }
    }
}
