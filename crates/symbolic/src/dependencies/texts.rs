//! The texts that the proof of a member can meet, and no others.
//!
//! What a job prepares by looking at the program (instances of domains, resources in patterns) it looks up here, so
//! that members which have nothing to do with each other cannot influence each other's proofs.

use std::collections::BTreeSet;

use silver::typed::{DomainId, ExpressionRef, LocalId, Program, Type, for_each_expression, visit_statements};

use super::{Dependencies, Member, Part, Purpose, proof_roots};

/// Expressions and types of the parts that a proof reaches.
#[derive(Default)]
pub(crate) struct Texts<'p> {
    pub expressions: Vec<&'p ExpressionRef>,
    pub types: Vec<&'p Type>,
    /// Domains whose axioms matter.
    pub domains: BTreeSet<DomainId>,
    /// Whether there are wands among the resources.
    pub has_wands: bool,
}

impl Dependencies {
    /// The texts of the parts that [`Dependencies::reach`] speaks about.
    pub(crate) fn texts<'p>(&self, program: &'p Program, member: Member) -> Texts<'p> {
        let mut texts = Texts::default();
        let mut fields = BTreeSet::new();
        self.visit_parts(proof_roots(&self.axioms, member), Purpose::Proof, &mut |part, facts| {
            texts.add_part(program, part);
            texts.domains.extend(&facts.domains);
            texts.has_wands |= !facts.resources.wands.is_empty();
            fields.extend(facts.resources.fields.iter().copied());
        });
        texts.types.extend(fields.into_iter().map(|field| &program.field(field).ty));
        texts
    }
}

impl<'p> Texts<'p> {
    /// Everything that is written in a program.
    #[cfg(test)]
    pub(crate) fn everything(program: &'p Program) -> Texts<'p> {
        use silver::typed::{FunctionId, MethodId, PredicateId};
        let mut texts = Texts::default();
        texts.domains.extend((0..program.domains.len()).map(|index| DomainId(index as u32)));
        texts.types.extend(program.fields.iter().map(|field| &field.ty));
        for id in (0..program.functions.len()).map(|index| FunctionId(index as u32)) {
            super::definition_parts(id).into_iter().for_each(|part| texts.add_part(program, part));
        }
        for index in 0..program.predicates.len() {
            texts.add_part(program, Part::PredicateBody(PredicateId(index as u32)));
        }
        for id in (0..program.methods.len()).map(|index| MethodId(index as u32)) {
            texts.add_part(program, Part::Contract(id));
            texts.add_part(program, Part::MethodBody(id));
        }
        texts
    }

    fn add_part(&mut self, program: &'p Program, part: Part) {
        match part {
            Part::Preconditions(id) => {
                let function = program.function(id);
                self.expressions.extend(&function.preconditions);
                self.types.extend(function.locals.iter().map(|local| &local.ty));
                self.types.push(&function.result);
            }
            Part::Postconditions(id) => self.expressions.extend(&program.function(id).postconditions),
            Part::Definition(id) => self.expressions.extend(&program.function(id).body),
            Part::PredicateBody(id) => {
                let predicate = program.predicate(id);
                self.expressions.extend(&predicate.body);
                self.types.extend(predicate.locals.iter().map(|local| &local.ty));
            }
            Part::Contract(id) => {
                let method = program.method(id);
                self.expressions.extend(method.preconditions.iter().chain(&method.postconditions));
                let ty = |local: &LocalId| &method.locals[local.index()].ty;
                self.types.extend(method.formals.iter().chain(&method.returns).map(ty));
            }
            Part::MethodBody(id) => {
                let method = program.method(id);
                self.types.extend(method.locals.iter().map(|local| &local.ty));
                if let Some(body) = &method.body {
                    visit_statements(body, &mut |statement| {
                        for_each_expression(statement, &mut |expression| self.expressions.push(expression));
                    });
                }
            }
            // Domains are looked at as a whole.
            Part::Axioms(_) => {}
        }
    }
}
