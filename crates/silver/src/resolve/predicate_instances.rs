//! Predicate instances: `#P(…)` as the application of an abstract function with `acc(P(…), wildcard)` as precondition.

use source::Span;

use super::checker::{Checker, Global};
use crate::typed::{
    Annotations, Domain, DomainId, Expression, ExpressionKind, Function, FunctionId, FunctionOrigin,
    PredicateAccess, PredicateId, Program, Type,
};

/// The domain that is the type of predicate instances.
pub(super) const DOMAIN: &str = "PredicateInstance";

impl Checker {
    /// The domain of instances. One that no file declares is added and remembered, so that the declaration of the
    /// standard library can take its place.
    pub(super) fn instance_domain(&mut self, span: Span) -> DomainId {
        for global in self.global(DOMAIN) {
            if let Global::Domain(domain) = global {
                return *domain;
            }
        }
        if let Some(domain) = self.implicit_instance_domain {
            return domain;
        }
        let domain = DomainId(self.program.domains.len() as u32);
        self.program.domains.push(Domain::empty(DOMAIN, span));
        self.implicit_instance_domain = Some(domain);
        domain
    }

    /// The function that stands for instances of a predicate.
    pub(super) fn instance_function(&mut self, predicate: PredicateId, span: Span) -> Option<FunctionId> {
        let known = self
            .program
            .functions
            .iter()
            .position(|function| function.origin == FunctionOrigin::PredicateInstance(predicate));
        if let Some(index) = known {
            return Some(FunctionId(index as u32));
        }
        let domain = self.instance_domain(span);
        Some(add_instance_function(&mut self.program, predicate, domain, span))
    }
}

/// Adds the function that stands for instances of a predicate.
pub(super) fn add_instance_function(
    program: &mut Program,
    predicate: PredicateId,
    domain: DomainId,
    span: Span,
) -> FunctionId {
    let declared = program.predicate(predicate);
    // Only the formals: the body's variables come behind them.
    let locals: Vec<_> = declared.locals.iter().take(declared.formals.len()).cloned().collect();
    let arguments = declared
        .formals
        .iter()
        .map(|formal| Expression::local(*formal, locals[formal.index()].ty.clone(), span))
        .collect();
    let amount = Expression::new(ExpressionKind::Wildcard, Type::Perm, span);
    let access = PredicateAccess { predicate, arguments, amount: Some(amount), span };
    let precondition = Expression::new(ExpressionKind::PredicatePermission(access), Type::Bool, span);
    let function = Function {
        name: format!("PI_{}", declared.name),
        span,
        head: span,
        annotations: Annotations::default(),
        locals,
        formals: declared.formals.clone(),
        result: Type::Domain(domain, [].into()),
        preconditions: vec![precondition],
        postconditions: Vec::new(),
        body: None,
        origin: FunctionOrigin::PredicateInstance(predicate),
        termination: Default::default(),
        assumptions: Vec::new(),
    };
    program.functions.push(function);
    FunctionId(program.functions.len() as u32 - 1)
}
