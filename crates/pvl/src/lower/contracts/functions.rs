//! Pure functions, pure methods and facts, as functions of Silver.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::build::{conjuncts, is_resource};
use crate::lower::instances::Instance;
use crate::lower::scope::{ResultPlace, Scope, Variable};
use crate::resolve::{NameTarget, Type};
use crate::syntax::tree::{
    Block, Branch, Contract, ExpressionKind, Function, Method, NodeId, Parameter, Predicate, Statement,
    StatementKind,
};

/// The parts that functions of all kinds have.
pub(crate) struct Signature<'t> {
    pub(crate) contract: Option<&'t Contract>,
    pub(crate) parameters: &'t [Parameter],
    pub(crate) result: Type,
    pub(crate) kind: verdict::MemberKind,
    pub(crate) span: Span,
}

impl<'t> Lowering<'t> {
    pub(crate) fn lower_function(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        function: &'t Function,
        span: Span,
    ) {
        let result = self.resolution.types.get(&function.result.id).cloned().unwrap_or(Type::Unknown);
        let signature = Signature {
            contract: Some(&function.contract),
            parameters: &function.parameters,
            result,
            kind: verdict::MemberKind::Function,
            span,
        };
        let body = function.body.as_ref();
        self.lower_function_with(instance, name, &signature, |scope| body.map(|body| scope.expression(body)));
    }

    pub(crate) fn lower_pure_method(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        method: &'t Method,
        span: Span,
    ) {
        let result = self.resolution.types.get(&method.result.id).cloned().unwrap_or(Type::Unknown);
        let signature = Signature {
            contract: Some(&method.contract),
            parameters: &method.parameters,
            result,
            kind: verdict::MemberKind::Function,
            span,
        };
        let body = method.body.as_ref();
        self.lower_function_with(instance, name, &signature, |scope| {
            body.map(|body| scope.block_as_expression(body))
        });
    }

    pub(crate) fn lower_fact(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        predicate: &'t Predicate,
        span: Span,
    ) {
        let signature = Signature {
            contract: None,
            parameters: &predicate.parameters,
            result: Type::Boolean,
            kind: verdict::MemberKind::Predicate,
            span,
        };
        let body = predicate.body.as_ref();
        self.lower_function_with(instance, name, &signature, |scope| body.map(|body| scope.expression(body)));
    }

    fn lower_function_with(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        signature: &Signature<'t>,
        body: impl FnOnce(&mut Scope<'_, 't>) -> Option<s::Expression>,
    ) {
        let substitution = Rc::new(self.substitution_for(instance.id, &instance.arguments));
        let has_this = self.has_this(instance.id);
        let span = signature.span;
        let mut scope = Scope::new(self, substitution);
        scope.member.is_definition = true;
        let result = scope.substituted(&signature.result);
        let mut formals = Vec::new();
        let mut preconditions = Vec::new();
        if has_this {
            formals.push(scope.this_formal(span));
            let exists = scope.this_exists(span);
            preconditions.push(scope.at(span).specification(exists));
        }
        if scope.lowering.is_thread_local(instance) {
            formals.push(scope.thread_formal(span));
        }
        let given = signature.contract.into_iter().flat_map(Contract::given);
        for parameter in signature.parameters.iter().chain(given) {
            let (binding, fact) = scope.formal(parameter);
            formals.push(binding);
            if let Some(fact) = fact {
                preconditions.push(scope.at(span).specification(fact));
            }
        }
        let mut postconditions = Vec::new();
        if let Some(contract) = signature.contract {
            let own = scope.preconditions(contract);
            preconditions.extend(own);
            if !instance.is_specialised() {
                scope.check_satisfiable(contract, (name, instance.id), &formals, &preconditions);
            }
            scope.with_result(ResultPlace::Function, |scope| {
                for specification in scope.postconditions(contract) {
                    postconditions.extend(scope.without_resources(specification));
                }
                preconditions.extend(scope.measure(contract));
            });
        }
        let place = span;
        let value = scope.at(place).expression(s::ExpressionKind::Result);
        if let Some(fact) = scope.type_fact(&value, &result, place) {
            // First, since the others may need it.
            postconditions.insert(0, scope.at(place).specification(fact));
        }
        let body = body(&mut scope);
        let result = scope.ty(&result, place);
        let silver_name = scope.at(span).name(name);
        let function =
            s::Function { name: silver_name, formals, result, preconditions, postconditions, body };
        let mut member = self.at(span).member(s::MemberKind::Function(function));
        if self.is_opaque(instance.id) {
            let span = member.span;
            member.annotations.push(s::Annotation { key: "opaque".into(), values: Vec::new(), span });
        }
        self.members.push(member);
        self.describe_member(name, instance.id, signature.kind, span);
    }

    /// Whether a function is declared opaque.
    pub(crate) fn is_declared_opaque(&self, routine: NodeId) -> bool {
        let declared = self.resolution.items.routines.get(&routine);
        declared.and_then(|it| it.modifiers()).is_some_and(|modifiers| modifiers.opaque.is_some())
    }

    /// Whether a function is known by its contract somewhere, and by its definition elsewhere.
    pub(crate) fn is_opaque(&self, routine: NodeId) -> bool {
        self.is_declared_opaque(routine) || self.resolution.hidden.contains(&routine)
    }
}

impl<'t> Scope<'_, 't> {
    /// A function gives no permissions back, because it takes none away.
    fn without_resources(&mut self, specification: s::Specification) -> Option<s::Specification> {
        let s::SpecificationKind::Assertion(assertion) = specification.kind else {
            return Some(specification);
        };
        let mut parts = Vec::new();
        conjuncts(assertion, &mut parts);
        parts.retain(|part| !is_resource(part));
        if parts.is_empty() {
            return None;
        }
        let place = self.lowering.origins.place(specification.span);
        let mut build = self.at(place);
        let assertion = build.all(parts);
        let span = specification.span;
        Some(s::Specification { kind: s::SpecificationKind::Assertion(assertion), span })
    }

    /// The body of a pure method: declarations and assignments are `let`s, branches are conditionals.
    fn block_as_expression(&mut self, block: &'t Block) -> s::Expression {
        let statements: Vec<&Statement> = block.statements.iter().collect();
        self.statements_as_expression(&statements, block.span)
    }

    fn statements_as_expression(&mut self, statements: &[&'t Statement], place: Span) -> s::Expression {
        let Some((first, rest)) = statements.split_first() else {
            let message = "this pure method may end without a `return`";
            self.error("notPure", place, message, "every branch has to end with `return`");
            return self.at(place).bool(true);
        };
        match &first.kind {
            StatementKind::Return(Some(value)) => self.expression(value),
            StatementKind::Block(block) => {
                let mut all: Vec<&Statement> = block.statements.iter().collect();
                all.extend(rest);
                self.statements_as_expression(&all, place)
            }
            StatementKind::Ghost(inner) => {
                let mut all: Vec<&Statement> = vec![inner];
                all.extend(rest);
                self.statements_as_expression(&all, place)
            }
            StatementKind::If { condition: Branch::Condition(condition), then, otherwise } => {
                let condition = self.expression(condition);
                let branch = |scope: &mut Self, statement: Option<&'t Statement>| {
                    let mut all: Vec<&Statement> = statement.into_iter().collect();
                    all.extend(rest);
                    scope.locally(|scope| scope.statements_as_expression(&all, place))
                };
                let then = branch(self, Some(then));
                let otherwise = branch(self, otherwise.as_deref());
                self.at(first.span).conditional(condition, then, otherwise)
            }
            StatementKind::Local { declarators, .. } => {
                let mut bound = Vec::new();
                for declarator in declarators {
                    if let Some(value) = &declarator.value {
                        let value = self.expression(value);
                        let name = self.declare(declarator.id, &declarator.name.text);
                        bound.push((name, value));
                    }
                }
                let rest = self.statements_as_expression(rest, place);
                self.lets(bound, rest, first.span)
            }
            StatementKind::Assign { target, value } => {
                let (ExpressionKind::Name(name), Some(NameTarget::Variable(id))) =
                    (&*target.kind, self.resolution.names.get(&target.id))
                else {
                    return self.not_pure(first.span);
                };
                let value = self.expression(value);
                let silver = self.member.names.fresh(&name.text);
                self.bind(*id, &silver, &name.text);
                let rest = self.statements_as_expression(rest, place);
                self.lets(vec![(silver, value)], rest, first.span)
            }
            _ => self.not_pure(first.span),
        }
    }

    fn not_pure(&mut self, place: Span) -> s::Expression {
        let message = "this statement cannot stand in a pure method";
        self.error(
            "notPure",
            place,
            message,
            "use only declarations, assignments to locals, `if` and `return`",
        );
        self.at(place).bool(true)
    }

    fn lets(
        &mut self,
        bound: Vec<(Arc<str>, s::Expression)>,
        body: s::Expression,
        place: Span,
    ) -> s::Expression {
        bound.into_iter().rev().fold(body, |body, (name, value)| {
            let mut build = self.at(place);
            let name = build.name(&name);
            build.expression(s::ExpressionKind::Let { name, value, body })
        })
    }

    /// The parameter as a formal, and what its type says beyond Silver's.
    pub(crate) fn formal(&mut self, parameter: &'t Parameter) -> (s::Binding, Option<s::Expression>) {
        let ty = self.variable_type(parameter.id);
        let silver_type = self.ty(&ty, parameter.span);
        let name = self.declare(parameter.id, &parameter.name.text);
        self.member.formals.push(name.clone());
        let binding = self.at(parameter.span).binding(&name, silver_type);
        let value = self.at(parameter.span).variable(&name);
        let fact = self.type_fact(&value, &ty, parameter.span);
        let code = match ty {
            Type::Fraction => "ratFrac",
            Type::Vector(..) => "vectorLength",
            _ => "ratZfrac",
        };
        let fact = fact.map(|mut fact| {
            fact.span = self.at(parameter.span).node(crate::lower::origin::Role::Code(code));
            fact
        });
        (binding, fact)
    }

    pub(crate) fn this_formal(&mut self, place: Span) -> s::Binding {
        let name = self.member.names.fresh("this");
        self.member.formals.push(name.clone());
        self.bindings.this = Some(Variable::Named(name.clone()));
        let mut build = self.at(place);
        let ty = build.ty(s::TypeKind::Ref);
        build.binding(&name, ty)
    }

    /// `this != null`
    pub(crate) fn this_exists(&mut self, place: Span) -> s::Expression {
        let this = self.this(place);
        let mut build = self.at(place);
        let null = build.null();
        let kind = s::ExpressionKind::Binary(s::BinaryOperator::NotEqual, this, null);
        build.expression_as(crate::lower::origin::Role::Code("invocationObjectNull"), kind)
    }
}
