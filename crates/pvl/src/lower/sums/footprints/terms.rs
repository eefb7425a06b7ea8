//! Silver terms as texts: variables replaced, terms compared.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;

use crate::lower::names::Names;

/// What stands for which variable.
pub(crate) type Replacements = FxHashMap<Arc<str>, s::Expression>;

/// The term with other terms for some variables. Every variable that it binds gets a new name, so that no term that is
/// put in meets a quantifier over a variable of its own.
pub(crate) fn replaced(
    term: &s::Expression,
    replacements: &Replacements,
    names: &mut Names,
) -> s::Expression {
    use s::ExpressionKind::*;
    let mut go = |inner: &s::Expression| replaced(inner, replacements, names);
    let kind = match &*term.kind {
        Name(name) => match replacements.get(&name.text) {
            Some(value) => return value.clone(),
            None => return term.clone(),
        },
        simple @ (Int(_) | Bool(_) | Null | Result | NoPermission | FullPermission | Wildcard | Epsilon
        | New(_)) => simple.clone(),
        Unary(operator, operand) => Unary(*operator, go(operand)),
        Binary(operator, left, right) => Binary(*operator, go(left), go(right)),
        Chain(first, rest) => {
            let first = go(first);
            Chain(first, rest.iter().map(|(operator, it)| (*operator, go(it))).collect())
        }
        Conditional(condition, then, otherwise) => Conditional(go(condition), go(then), go(otherwise)),
        Field(receiver, name) => Field(go(receiver), name.clone()),
        Call(name, arguments, ty) => Call(name.clone(), arguments.iter().map(go).collect(), ty.clone()),
        PredicateInstance(name, arguments) => {
            PredicateInstance(name.clone(), arguments.iter().map(go).collect())
        }
        Access(location, amount) => {
            let location = go(location);
            Access(location, amount.as_ref().map(go))
        }
        CurrentPermission(location) => CurrentPermission(go(location)),
        Unfolding(predicate, body) => {
            let mut predicate = go(predicate);
            // Functions need no more than some permission.
            if let Access(location, Some(amount)) = &*predicate.kind {
                let some = s::Expression::new(Wildcard, amount.span);
                predicate = s::Expression::new(Access(location.clone(), Some(some)), predicate.span);
            }
            Unfolding(predicate, go(body))
        }
        Applying(wand, body) => Applying(go(wand), go(body)),
        Asserting(assertion, body) => Asserting(go(assertion), go(body)),
        Old(label, operand) => Old(label.clone(), go(operand)),
        InhaleExhale(inhaled, exhaled) => InhaleExhale(go(inhaled), go(exhaled)),
        Range(low, high) => Range(go(low), go(high)),
        Index(base, index) => Index(go(base), go(index)),
        Slice(base, low, high) => {
            let base = go(base);
            let low = low.as_ref().map(&mut go);
            Slice(base, low, high.as_ref().map(go))
        }
        Update(base, key, value) => Update(go(base), go(key), go(value)),
        Size(operand) => Size(go(operand)),
        Collection(kind, ty, elements) => Collection(*kind, ty.clone(), elements.iter().map(go).collect()),
        Map(types, entries) => {
            Map(types.clone(), entries.iter().map(|(key, value)| (go(key), go(value))).collect())
        }
        MapDomain(operand) => MapDomain(go(operand)),
        MapRange(operand) => MapRange(go(operand)),
        Annotated(annotation, operand) => Annotated(annotation.clone(), go(operand)),
        Forall { bindings, triggers, body } => {
            let (bindings, inner) = renamed(bindings, replacements, names);
            let triggers = replaced_triggers(triggers, &inner, names);
            Forall { bindings, triggers, body: replaced(body, &inner, names) }
        }
        Exists { bindings, triggers, body } => {
            let (bindings, inner) = renamed(bindings, replacements, names);
            let triggers = replaced_triggers(triggers, &inner, names);
            Exists { bindings, triggers, body: replaced(body, &inner, names) }
        }
        ForPerm { bindings, resource, body } => {
            let (bindings, inner) = renamed(bindings, replacements, names);
            let resource = replaced(resource, &inner, names);
            ForPerm { bindings, resource, body: replaced(body, &inner, names) }
        }
        Let { name, value, body } => {
            let value = replaced(value, replacements, names);
            let fresh = names.fresh(&name.text);
            let mut inner = replacements.clone();
            inner.insert(name.text.clone(), variable(&fresh, name.span));
            let name = s::Name { text: fresh, span: name.span };
            Let { name, value, body: replaced(body, &inner, names) }
        }
    };
    s::Expression::new(kind, term.span)
}

fn replaced_triggers(
    triggers: &[s::Trigger],
    replacements: &Replacements,
    names: &mut Names,
) -> Vec<s::Trigger> {
    let mut trigger = |trigger: &s::Trigger| s::Trigger {
        expressions: trigger.expressions.iter().map(|it| replaced(it, replacements, names)).collect(),
        span: trigger.span,
    };
    triggers.iter().map(&mut trigger).collect()
}

/// The bindings under new names.
fn renamed(
    bindings: &[s::Binding],
    replacements: &Replacements,
    names: &mut Names,
) -> (Vec<s::Binding>, Replacements) {
    let mut inner = replacements.clone();
    let mut new = Vec::new();
    for binding in bindings {
        let name = names.fresh(&binding.name.text);
        inner.insert(binding.name.text.clone(), variable(&name, binding.name.span));
        new.push(s::Binding {
            name: s::Name { text: name, span: binding.name.span },
            ty: binding.ty.clone(),
        });
    }
    (new, inner)
}

fn variable(name: &Arc<str>, span: source::Span) -> s::Expression {
    s::Expression::new(s::ExpressionKind::Name(s::Name { text: name.clone(), span }), span)
}

/// Whether one of the variables occurs.
pub(crate) fn mentions(term: &s::Expression, names: &[Arc<str>]) -> bool {
    if let s::ExpressionKind::Name(name) = &*term.kind {
        return names.contains(&name.text);
    }
    let mut found = false;
    term.kind.for_each_child(&mut |child| found = found || mentions(child, names));
    found
}

/// The variable that the term is.
pub(super) fn as_name(term: &s::Expression) -> Option<&Arc<str>> {
    match &*term.kind {
        s::ExpressionKind::Name(name) => Some(&name.text),
        _ => None,
    }
}

/// The term as a text: terms with the same text are the same.
pub(super) fn text(term: &s::Expression) -> String {
    let span = term.span;
    let name = |text: &str| s::Name { text: text.into(), span };
    let function = s::Function {
        name: name("f"),
        formals: Vec::new(),
        result: s::Type { kind: s::TypeKind::Int, span },
        preconditions: Vec::new(),
        postconditions: Vec::new(),
        body: Some(term.clone()),
    };
    let kind = s::MemberKind::Function(function);
    silver::syntax::print(&s::Program {
        members: vec![s::Member { annotations: Vec::new(), kind, span, head: span }],
    })
}

/// Whether the term is the pattern for some values of the variables.
pub(super) fn is_instance(pattern: &s::Expression, term: &s::Expression, variables: &[Arc<str>]) -> bool {
    use s::ExpressionKind::*;
    if !mentions(pattern, variables) {
        return text(pattern) == text(term);
    }
    let all = |patterns: &[s::Expression], terms: &[s::Expression]| {
        patterns.len() == terms.len()
            && patterns.iter().zip(terms).all(|(pattern, term)| is_instance(pattern, term, variables))
    };
    match (&*pattern.kind, &*term.kind) {
        (Name(_), _) => true,
        (Field(inner, field), Field(other, name)) => {
            field.text == name.text && is_instance(inner, other, variables)
        }
        (Call(name, patterns, _), Call(other, terms, _)) => name.text == other.text && all(patterns, terms),
        (Index(base, index), Index(other, position)) => {
            is_instance(base, other, variables) && is_instance(index, position, variables)
        }
        _ => false,
    }
}
