//! What a program takes for granted where its Silver members are reached.

use silver::port::{Context, Reached};
use source::Span;
use verdict::Assumption;

use super::Translated;
use super::report::touches;
use crate::lower::LoweredMember;

impl Translated {
    pub(super) fn taken_for_granted(&self, context: Context<'_>, reached: &Reached) -> Vec<Assumption> {
        let program = context.program;
        let origins = &self.origins;
        let functions = reached.functions.iter().map(|id| program.function(*id));
        let predicates = reached.predicates.iter().map(|id| program.predicate(*id));
        let methods = reached.methods.iter().map(|id| program.method(*id));
        let named = functions
            .map(|function| (&function.name, function.span))
            .chain(predicates.map(|predicate| (&predicate.name, predicate.span)))
            .chain(methods.clone().map(|method| (&method.name, method.span)));
        let mut places: Vec<Span> = Vec::new();
        for (name, span) in named {
            places.extend(self.origin(name, span).map(|member| member.span));
        }
        // What is `inline` is written elsewhere.
        let statements: Vec<Span> =
            methods.flat_map(|method| &method.assumptions).map(|it| origins.place(it.span)).collect();
        let mut found = Vec::new();
        // What failed is taken for granted behind it.
        for expectation in &self.tree.expectations {
            let is_met_in =
                |it: &&LoweredMember| places.contains(&it.span) && touches(expectation.span, it.span);
            if let Some(member) = self.members.iter().find(is_met_in) {
                let (name, span) = (member.name.clone(), expectation.opening);
                found.push(Assumption { kind: "expected failure", name, span });
            }
        }
        let contracts = reached.methods.iter().map(|id| program.method(*id));
        for member in contracts.flat_map(|method| self.assumed_by(&method.name)) {
            let (name, span) = (member.name.clone(), member.span);
            found.push(Assumption { kind: Assumption::CONTRACT, name, span });
        }
        let mut theories: Vec<Span> = Vec::new();
        for domain in reached.domains.iter().map(|id| program.domain(*id)) {
            theories.push(origins.place(domain.span));
            theories.extend(domain.axioms.iter().map(|axiom| origins.place(axiom.span)));
            let functions = domain.functions.iter().map(|id| program.domain_function(*id));
            theories.extend(functions.map(|function| origins.place(function.span)));
        }
        for item in &self.trusted {
            let is_theory = matches!(item.kind, "axiom" | "prover type" | "prover function");
            let is_reached = if is_theory {
                theories.iter().any(|place| is_inside(item.span, *place) || is_inside(*place, item.span))
            } else {
                statements.contains(&item.span) || places.iter().any(|place| is_inside(item.span, *place))
            };
            if is_reached {
                let (kind, name, span) = (item.kind, item.name.clone(), item.span);
                found.push(Assumption { kind, name, span });
            }
        }
        found
    }
}

pub(super) fn is_inside(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}
