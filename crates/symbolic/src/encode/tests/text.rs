//! Terms as text, written as trees.

use smt::{Node, QuantifierKind, SortKind, Term, Terms};

/// One line for each term.
pub(super) fn lines(terms: &Terms, list: &[Term]) -> String {
    list.iter().map(|term| text(terms, *term) + "\n").collect()
}

pub(super) fn text(terms: &Terms, term: Term) -> String {
    let all = |list: &[Term]| list.iter().map(|term| text(terms, *term)).collect::<Vec<_>>().join(" ");
    match terms.node(term) {
        Node::Bool(value) => value.to_string(),
        Node::Int(value) => value.to_string(),
        Node::Real(value) => format!("{value}r"),
        Node::Bound(bound) => format!("{}#{}", terms.bound_name(*bound), bound.index()),
        Node::Apply(function, arguments) if arguments.is_empty() => terms.function_name(*function).into(),
        Node::Apply(function, arguments) => {
            format!("({} {})", terms.function_name(*function), all(arguments))
        }
        Node::Operation(operator, operands) => format!("({operator:?} {})", all(operands)),
        Node::Quantified(quantifier) => {
            let kind = match quantifier.kind {
                QuantifierKind::Forall => "forall",
                QuantifierKind::Exists => "exists",
            };
            let mut out = format!("({kind} [{}]", quantifier.name);
            for variable in quantifier.variables.iter() {
                let sort = match terms.sort_kind(terms.bound_sort(*variable)) {
                    SortKind::Uninterpreted(name) | SortKind::Native(name) => name.to_string(),
                    kind => format!("{kind:?}"),
                };
                out += &format!(" {}#{}:{sort}", terms.bound_name(*variable), variable.index());
            }
            for trigger in quantifier.triggers.iter() {
                out += &format!(" {{{}}}", all(trigger));
            }
            if let Some(weight) = quantifier.weight {
                out += &format!(" weight {weight}");
            }
            format!("{out} {})", text(terms, quantifier.body))
        }
    }
}
