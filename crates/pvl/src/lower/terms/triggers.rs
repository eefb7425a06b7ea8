//! What can be a trigger: an application that mentions the variables of the quantifier, without arithmetic.

use std::collections::BTreeMap;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::codes;
use crate::lower::scope::Scope;
use crate::lower::spelling::Meaning;
use crate::lower::sums::footprints::terms::text;

impl Scope<'_, '_> {
    /// Triggers by their groups; those that cannot trigger anything are errors.
    pub(crate) fn grouped_triggers(
        &mut self,
        terms: Vec<(u32, s::Expression)>,
        bindings: &[s::Binding],
        place: Span,
    ) -> Vec<s::Trigger> {
        let names: Vec<Arc<str>> = bindings.iter().map(|binding| binding.name.text.clone()).collect();
        let mut groups: BTreeMap<u32, Vec<s::Expression>> = BTreeMap::new();
        for (group, term) in terms {
            let span = self.lowering.origins.place(term.span);
            if !is_application(&term) {
                let message = "this cannot be a trigger";
                let help = "a trigger is an application of a function, a location, or an operation on collections, \
                            without arithmetic, comparisons and conditions";
                self.error(codes::TRIGGER, span, message, help);
            } else if !names.iter().any(|name| mentions(&term, name)) {
                let message = "this trigger mentions no variable of its quantifier";
                let help = "to make it a trigger of the quantifier around, write `{:<: … :}`";
                self.error(codes::TRIGGER, span, message, help);
            }
            groups.entry(group).or_default().push(term);
        }
        for terms in groups.values() {
            let missing = names.iter().find(|name| !terms.iter().any(|term| mentions(term, name)));
            if let (Some(missing), Some(term)) = (missing, terms.first()) {
                let span = self.lowering.origins.place(term.span);
                let message = format!("no trigger of this group mentions `{}`", self.written_name(missing));
                let help = "together, the triggers of a group mention all variables of the quantifier";
                self.error(codes::TRIGGER, span, message, help);
            }
        }
        let mut build = self.at(place);
        groups.into_values().map(|terms| build.trigger(terms)).collect()
    }

    fn written_name(&self, name: &str) -> String {
        self.lowering.spelling.get(name).and_then(Meaning::name).unwrap_or(name).to_string()
    }
}

/// Elements of arrays at a variable, where the body asks for the length of one that is an array itself. Silver's front end
/// prefers the length, which can only be asked for where the body has said that there is an array.
pub(super) fn elements_with_length(body: &s::Expression, variable: &str) -> Vec<s::Expression> {
    let mut elements = Vec::new();
    if has_length(body, variable) {
        find_elements(body, variable, &mut elements);
    }
    elements
}

fn has_length(term: &s::Expression, variable: &str) -> bool {
    let mut found = match &*term.kind {
        s::ExpressionKind::Call(name, arguments, _) if &*name.text == "length" => {
            arguments.iter().any(|argument| mentions(argument, variable))
        }
        _ => false,
    };
    term.kind.for_each_child(&mut |child| found = found || has_length(child, variable));
    found
}

fn find_elements(term: &s::Expression, variable: &str, found: &mut Vec<s::Expression>) {
    use s::ExpressionKind::{Exists, Forall, Let};
    // What is bound inside is not known outside.
    if matches!(&*term.kind, Forall { .. } | Exists { .. } | Let { .. }) {
        return;
    }
    if let s::ExpressionKind::Call(name, arguments, _) = &*term.kind
        && let ("element", [array, position]) = (&*name.text, &arguments[..])
        && matches!(&*position.kind, s::ExpressionKind::Name(name) if &*name.text == variable)
        && !mentions(array, variable)
        && is_application(term)
        && !found.iter().any(|known| text(known) == text(term))
    {
        found.push(term.clone());
    }
    term.kind.for_each_child(&mut |child| find_elements(child, variable, found));
}

fn mentions(expression: &s::Expression, name: &str) -> bool {
    if let s::ExpressionKind::Name(known) = &*expression.kind {
        return &*known.text == name;
    }
    let mut found = false;
    expression.kind.for_each_child(&mut |child| found = found || mentions(child, name));
    found
}

/// Whether the solver can look for terms of this form.
pub(crate) fn is_application(term: &s::Expression) -> bool {
    use s::ExpressionKind::*;
    let is_one = match &*term.kind {
        Old(_, inner) => return is_application(inner),
        Field(..) | Call(..) | Index(..) | Size(_) | Collection(..) | Map(..) | Update(..) | Slice(..)
        | Range(..) | MapDomain(_) | MapRange(_) => true,
        Binary(operator, ..) => is_of_collections(*operator),
        _ => false,
    };
    is_one && !has_operators(term)
}

fn is_of_collections(operator: s::BinaryOperator) -> bool {
    use s::BinaryOperator::{Append, In, Intersection, SetMinus, Subset, Union};
    matches!(operator, In | Append | Union | Intersection | SetMinus | Subset)
}

/// Whether something inside cannot be matched by its form.
fn has_operators(term: &s::Expression) -> bool {
    use s::ExpressionKind::*;
    let direct = match &*term.kind {
        Binary(operator, ..) => !is_of_collections(*operator),
        Unary(..)
        | Chain(..)
        | Conditional(..)
        | Forall { .. }
        | Exists { .. }
        | ForPerm { .. }
        | Let { .. }
        | Unfolding(..)
        | Applying(..)
        | Asserting(..)
        | InhaleExhale(..)
        | Access(..)
        | CurrentPermission(_) => true,
        _ => false,
    };
    let mut found = direct;
    term.kind.for_each_child(&mut |child| found = found || has_operators(child));
    found
}
