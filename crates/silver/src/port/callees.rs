//! What is called where a proof of termination fails because nothing shows that the callee ends.

use source::Span;
use verdict::MemberKind;
use verdict::failure::{Failure, ReasonKind};

use crate::typed::{
    ExpressionKind, ExpressionRef, Program, StatementKind, for_each_expression, visit_expression,
    visit_statements,
};

/// A member that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Callee<'p> {
    /// What it is.
    pub kind: MemberKind,
    /// Its name in the Silver program.
    pub name: &'p str,
}

impl Callee<'_> {
    /// What there is to say about it, by the name that it has in the source.
    pub fn sentence(&self, name: &str) -> String {
        format!(
            "nothing shows that the {} `{name}` ends: it has no measure for this case; \
             add `decreases` to its contract",
            self.kind.word()
        )
    }
}

/// The callee that a failure is about, if it is one for this reason.
pub fn callee<'p>(program: &'p Program, failure: &Failure) -> Option<Callee<'p>> {
    if failure.reason != ReasonKind::TerminationConditionFalse {
        return None;
    }
    called_at(program, failure.construct)
}

fn called_at(program: &Program, place: Span) -> Option<Callee<'_>> {
    let mut found = None;
    let mut look = |expression: &ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::FunctionApplication { function, .. } = &node.kind
                && node.span == place
            {
                let name = program.function(*function).name.as_str();
                found = Some(Callee { kind: MemberKind::Function, name });
            }
            true
        });
    };
    for function in &program.functions {
        let parts = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
        parts.for_each(&mut look);
    }
    for body in program.methods.iter().filter_map(|method| method.body.as_ref()) {
        visit_statements(body, &mut |statement| for_each_expression(statement, &mut look));
    }
    for body in program.methods.iter().filter_map(|method| method.body.as_ref()) {
        visit_statements(body, &mut |statement| {
            if let StatementKind::Call { method, .. } = &statement.kind
                && statement.span == place
            {
                let name = program.method(*method).name.as_str();
                found = Some(Callee { kind: MemberKind::Method, name });
            }
        });
    }
    found
}
