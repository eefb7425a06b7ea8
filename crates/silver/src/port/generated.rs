//! Members of a typed program: those of the source, and those that plugins generated for them.

use source::Span;
use verdict::{MemberKind, ProofReport};

use crate::typed::{FunctionOrigin, MethodOrigin, Program};

/// The members of the source that are proved. Domains are assumed, and what plugins generate is part of the member
/// that it was generated for.
pub fn members(program: &Program) -> impl Iterator<Item = (MemberKind, &str, Span)> {
    let functions = program
        .functions
        .iter()
        .filter(|function| function.origin == FunctionOrigin::Source)
        .map(|function| (MemberKind::Function, function.name.as_str(), function.span));
    let predicates = program
        .predicates
        .iter()
        .map(|predicate| (MemberKind::Predicate, predicate.name.as_str(), predicate.span));
    let methods = program
        .methods
        .iter()
        .filter(|method| method.origin == MethodOrigin::Source)
        .map(|method| (MemberKind::Method, method.name.as_str(), method.span));
    functions.chain(predicates).chain(methods)
}

/// What plugins generated, with the member that it was generated for.
pub fn generated(program: &Program) -> impl Iterator<Item = ((MemberKind, &str), (MemberKind, &str))> {
    let proofs = program.methods.iter().filter_map(|method| match method.origin {
        MethodOrigin::TerminationProof(id) => {
            let owner = program.function(id).name.as_str();
            Some(((MemberKind::Method, method.name.as_str()), (MemberKind::Function, owner)))
        }
        MethodOrigin::Source => None,
    });
    let instances = program.functions.iter().filter_map(|function| match function.origin {
        FunctionOrigin::PredicateInstance(id) => {
            let owner = program.predicate(id).name.as_str();
            Some(((MemberKind::Function, function.name.as_str()), (MemberKind::Predicate, owner)))
        }
        FunctionOrigin::Source => None,
    });
    proofs.chain(instances)
}

/// Generated members are not in the source, so what is said about them is said about their owners.
pub fn fold_generated<F, O>(report: &mut ProofReport<F, O>, program: &Program) {
    for ((kind, name), (owner_kind, owner)) in generated(program) {
        let position = |kind: MemberKind, name: &str, report: &ProofReport<F, O>| {
            report.members.iter().position(|member| member.kind == kind && member.name == name)
        };
        let Some(from) = position(kind, name, report) else { continue };
        if position(owner_kind, owner, report).is_none() {
            // The owner is left out because it holds by itself; then this is what there is to say about it.
            report.members[from].kind = owner_kind;
            report.members[from].name = owner.to_string();
            continue;
        }
        let part = report.members.remove(from);
        if let Some(to) = position(owner_kind, owner, report) {
            report.members[to].join(part);
        }
    }
}
