//! Which quantifiers of the source were instantiated how often, from the names that the solver knows them by.

use rustc_hash::FxHashMap;
use silver::typed::{
    ExpressionKind, ExpressionRef, Program, for_each_expression, visit_expression, visit_statements,
};
use source::Span;
use verdict::QuantifierCount;

use crate::encode::names::{self, QuantifierName};

/// Most instances first.
pub(super) fn by_place(program: &Program, counts: Vec<(String, u64)>) -> Vec<QuantifierCount> {
    let triggers = triggers(program);
    let mut found: Vec<QuantifierCount> = Vec::new();
    for (name, instances) in counts {
        let QuantifierName { text, span } = names::read_quantifier(program, &name);
        match found.iter_mut().find(|count| count.name == text && count.span == span) {
            Some(count) => count.instances += instances,
            None => {
                let known = span.and_then(|span| triggers.get(&span));
                let triggers = known.cloned().unwrap_or_default();
                found.push(QuantifierCount { name: text, span, triggers, instances });
            }
        }
    }
    found.sort_by(|left, right| {
        (right.instances, left.span, &left.name).cmp(&(left.instances, right.span, &right.name))
    });
    found
}

/// Where the triggers of all quantifiers of a program are written, by the places of the quantifiers.
fn triggers(program: &Program) -> FxHashMap<Span, Vec<Vec<Span>>> {
    let mut found = FxHashMap::default();
    let mut look = |expression: &ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::Forall { triggers, .. } | ExpressionKind::Exists { triggers, .. } =
                &node.kind
            {
                let places = |terms: &[ExpressionRef]| terms.iter().map(|term| term.span).collect();
                let triggers = triggers.iter().map(|trigger| places(&trigger.expressions)).collect();
                found.insert(node.span, triggers);
            }
            true
        });
    };
    for function in &program.functions {
        function
            .preconditions
            .iter()
            .chain(&function.postconditions)
            .chain(&function.body)
            .for_each(&mut look);
    }
    for predicate in &program.predicates {
        predicate.body.iter().for_each(&mut look);
    }
    for method in &program.methods {
        method.preconditions.iter().chain(&method.postconditions).for_each(&mut look);
        if let Some(body) = &method.body {
            visit_statements(body, &mut |statement| for_each_expression(statement, &mut |it| look(it)));
        }
    }
    for axiom in program.domains.iter().flat_map(|domain| &domain.axioms) {
        look(&axiom.body);
    }
    found
}
