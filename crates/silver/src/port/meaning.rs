//! Whether a member has a meaning at all, so that something may be concluded from it.

use source::Span;
use verdict::MemberKind;
use verdict::failure::{ErrorKind, Failure, Finding};

use crate::typed::{ExpressionRef, Program, visit_expression};

/// Whether something fails without which the contract of a member, or the body of a predicate, means nothing.
pub fn is_meaningless(program: &Program, finding: &Finding) -> bool {
    let takes_meaning = |failure: &Failure| {
        // An application without its precondition has no value, wherever it stands; in a body that is the member's own
        // failure and nothing else.
        failure.kind.is_about_meaning()
            || failure.kind == ErrorKind::ApplicationPrecondition
                && specification(program, finding).iter().any(|it| has_node(it, failure.construct))
    };
    finding.failures.iter().any(takes_meaning)
}

/// What others know a member by.
fn specification<'p>(program: &'p Program, finding: &Finding) -> Vec<&'p ExpressionRef> {
    match finding.kind {
        MemberKind::Function => {
            let function = program.functions.iter().find(|it| it.name == finding.name);
            function.map_or_else(Vec::new, |it| {
                it.preconditions.iter().chain(&it.postconditions).chain(&it.body).collect()
            })
        }
        MemberKind::Predicate => {
            let predicate = program.predicates.iter().find(|it| it.name == finding.name);
            predicate.map_or_else(Vec::new, |it| it.body.iter().collect())
        }
        _ => {
            let method = program.methods.iter().find(|it| it.name == finding.name);
            method.map_or_else(Vec::new, |it| it.preconditions.iter().chain(&it.postconditions).collect())
        }
    }
}

fn has_node(expression: &ExpressionRef, place: Span) -> bool {
    let mut found = false;
    visit_expression(expression, &mut |node| {
        found |= node.span == place;
        !found
    });
    found
}
