//! Names the callee where a proof of termination fails because nothing shows that the callee ends.

use silver::typed::{
    ExpressionKind, Program, StatementKind, for_each_expression, visit_expression, visit_statements,
};
use source::Span;
use verdict::{Note, ProofReport};

use crate::pvl_program::Translation;

const CODE: &str = "termination.failed:termination.condition.false";

/// Adds to each such failure which callee it is about.
pub(crate) fn name(report: &mut ProofReport, program: &Program, translation: Option<&Translation>) {
    let failures = report.members.iter_mut().flat_map(|member| &mut member.failures);
    for failure in failures.filter(|failure| failure.code == CODE) {
        if let Some((kind, silver)) = callee(program, failure.span) {
            let written = translation.and_then(|translation| translation.member(silver));
            let name = written.map_or(silver, |member| &member.name);
            let text = format!(
                "nothing shows that the {kind} `{name}` ends: it has no measure for this case; \
                 add `decreases` to its contract"
            );
            failure.notes.push(Note { span: None, text });
        }
    }
}

/// What is called at a place.
fn callee(program: &Program, place: Span) -> Option<(&'static str, &str)> {
    let mut found = None;
    let mut look = |expression: &silver::typed::ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::FunctionApplication { function, .. } = &node.kind
                && node.span == place
            {
                found = Some(("function", program.function(*function).name.as_str()));
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
                found = Some(("method", program.method(*method).name.as_str()));
            }
        });
    }
    found
}
