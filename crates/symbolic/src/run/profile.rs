//! Which quantifiers of the source were instantiated how often, from what the names stand for that the solver knows them by.

use rustc_hash::FxHashMap;
use silver::typed::{
    ExpressionKind, ExpressionRef, Local, Program, Trigger, for_each_expression, infer_triggers,
    visit_expression, visit_statements,
};
use source::Span;
use verdict::QuantifierCount;

use crate::encode::meaning::{Meanings, QuantifierMeaning};

/// Most instances first.
pub(super) fn by_place(
    program: &Program,
    meanings: &Meanings,
    counts: Vec<(String, u64)>,
) -> Vec<QuantifierCount> {
    let triggers = triggers(program);
    let mut found: Vec<QuantifierCount> = Vec::new();
    for (name, instances) in counts {
        let QuantifierMeaning { role, span } = meanings.quantifier(&name);
        match found.iter_mut().find(|count| count.role == role && count.span == span) {
            Some(count) => count.instances += instances,
            None => {
                let known = span.and_then(|span| triggers.get(&span));
                let triggers = known.cloned().unwrap_or_default();
                found.push(QuantifierCount { role, span, triggers, instances });
            }
        }
    }
    found.sort_by(|left, right| {
        (right.instances, left.span, &left.role).cmp(&(left.instances, right.span, &right.role))
    });
    found
}

/// Where the triggers of all quantifiers of a program are written, by the places of the quantifiers.
fn triggers(program: &Program) -> FxHashMap<Span, Vec<Vec<Span>>> {
    let mut found = FxHashMap::default();
    for function in &program.functions {
        let parts = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
        parts.for_each(|part| add_triggers(part, &function.locals, &mut found));
    }
    for predicate in &program.predicates {
        predicate.body.iter().for_each(|body| add_triggers(body, &predicate.locals, &mut found));
    }
    for method in &program.methods {
        let mut look = |part: &ExpressionRef| add_triggers(part, &method.locals, &mut found);
        method.preconditions.iter().chain(&method.postconditions).for_each(&mut look);
        if let Some(body) = &method.body {
            visit_statements(body, &mut |statement| for_each_expression(statement, &mut |it| look(it)));
        }
    }
    for axiom in program.domains.iter().flat_map(|domain| &domain.axioms) {
        add_triggers(&axiom.body, &axiom.locals, &mut found);
    }
    found
}

/// Those that are written, else those that are found as the engine finds them.
fn add_triggers(part: &ExpressionRef, locals: &[Local], found: &mut FxHashMap<Span, Vec<Vec<Span>>>) {
    let places = |trigger: &Trigger| trigger.expressions.iter().map(|term| term.span).collect();
    visit_expression(part, &mut |node| {
        if let ExpressionKind::Forall { variables, triggers, body }
        | ExpressionKind::Exists { variables, triggers, body } = &node.kind
        {
            let infer = |sums| infer_triggers(variables, body, &mut locals.to_vec(), sums);
            let inferred = if triggers.is_empty() { infer(false).or_else(|| infer(true)) } else { None };
            let triggers = inferred.as_ref().map_or(&triggers[..], |inferred| &inferred.triggers[..]);
            found.insert(node.span, triggers.iter().map(places).collect());
        }
        true
    });
}
