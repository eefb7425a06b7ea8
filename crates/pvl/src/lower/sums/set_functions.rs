//! The functions that set comprehensions are: abstract ones that say what the elements are.
//!
//! Consistent, because the choices are finitely many. What a comprehension has to read is found out when all functions
//! are known, see [`crate::lower::footprints`]; a choice for which something is not defined gives no element.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::build::Build;
use crate::lower::names::Names;
use crate::lower::sums::footprints::terms::{Replacements, replaced};
use crate::lower::sums::footprints::{Declarations, Owner, Refusal, Walk};

/// What a choice of elements gives.
#[derive(Clone)]
pub(crate) struct Given {
    pub bindings: Vec<s::Binding>,
    /// That the choices are elements of collections.
    pub sources: Vec<s::Expression>,
    pub condition: s::Expression,
    pub value: s::Expression,
}

/// A set by its choices.
#[derive(Clone)]
pub(crate) struct SetFunction {
    pub name: Arc<str>,
    pub formals: Vec<s::Binding>,
    pub set: s::Type,
    pub element: s::Type,
    /// A variable for an element.
    pub member: Arc<str>,
    /// The variables of a choice; none if the element says which choice it comes from.
    pub bindings: Vec<s::Binding>,
    /// What holds of a choice.
    pub facts: Vec<s::Expression>,
    /// The element that a choice gives, if it does not say itself.
    pub value: Option<s::Expression>,
    /// The element that a choice gives, if an element says which choice it comes from.
    pub given: Option<Given>,
    /// Collections that choices are elements of, if they depend on no other choice: what is known of them is to be known where
    /// the set is.
    pub sources: Vec<s::Expression>,
    /// Terms for which a choice is looked at, if not where its element is asked for.
    pub triggers: Vec<s::Trigger>,
    /// Names of the variables.
    pub names: Names,
    pub place: Span,
}

impl SetFunction {
    /// Whether something may have no value for a choice, so that it matters what is known where the set stands, as with these
    /// functions. Where there are updates of collections nothing more is found out about that.
    pub(crate) fn may_be_undefined(&self, partial: &[&Arc<str>]) -> bool {
        let parts = || self.facts.iter().chain(&self.value);
        parts().any(|part| may_be_undefined(part, partial)) && !parts().any(has_updates)
    }

    pub(crate) fn declaration(
        self,
        build: &mut Build<'_>,
        preconditions: Vec<s::Specification>,
    ) -> s::Function {
        let SetFunction {
            name,
            formals,
            set,
            element,
            member,
            bindings,
            mut facts,
            value,
            given,
            sources,
            triggers: choices,
            ..
        } = self;
        let it = build.variable(&member);
        let result = build.expression(s::ExpressionKind::Result);
        let inside = build.binary(s::BinaryOperator::In, it.clone(), result.clone());
        let triggers = vec![build.trigger(vec![inside.clone()])];
        let binding = build.binding(&member, element);
        let mut postconditions = Vec::new();
        match value {
            None => {
                let facts = build.all(facts);
                let body = build.equal(inside, facts);
                let body = build.forall(vec![binding], triggers, body);
                postconditions.push(build.specification(body));
                if let Some(Given { bindings, sources, condition, value }) = given {
                    let chosen = sources.iter().map(|fact| membership(fact).clone()).collect();
                    let chosen = build.trigger(chosen);
                    let is_one = build.binary(s::BinaryOperator::In, value, result);
                    let guard = build.all(sources.into_iter().chain([condition]).collect());
                    let body = build.implies(guard, is_one);
                    let forward = build.forall(bindings, vec![chosen], body);
                    postconditions.push(build.specification(forward));
                }
            }
            Some(value) => {
                // Two sets of the same values would look for each other's choices for ever.
                let is_one = match &choices[..] {
                    [] => build.binary(s::BinaryOperator::In, value.clone(), result),
                    _ => build.call("set_member", vec![value.clone(), result]),
                };
                let guard = build.all(facts.clone());
                let given = build.implies(guard, is_one);
                let forward = build.forall(bindings.clone(), choices, given);
                facts.push(build.equal(it, value));
                let body = build.all(facts);
                let exists =
                    build.expression(s::ExpressionKind::Exists { bindings, triggers: Vec::new(), body });
                let body = build.implies(inside, exists);
                let backward = build.forall(vec![binding], triggers, body);
                postconditions.extend([build.specification(forward), build.specification(backward)]);
                for source in sources {
                    let (zero, size) = (build.int(0), build.size(source));
                    let is_some_size = build.binary(s::BinaryOperator::LessEqual, zero, size);
                    postconditions.push(build.specification(is_some_size));
                }
            }
        }
        s::Function {
            name: build.name(&name),
            formals,
            result: set,
            preconditions,
            postconditions,
            body: None,
        }
    }
}

fn may_be_undefined(term: &s::Expression, partial: &[&Arc<str>]) -> bool {
    use s::BinaryOperator::{Divide, IntDivide, Modulo};
    use s::ExpressionKind::{Binary, Call, Index, Int};
    let mut found = match &*term.kind {
        Binary(Divide | IntDivide | Modulo, _, divisor) => {
            !matches!(&*divisor.kind, Int(digits) if &**digits != "0")
        }
        Index(..) => true,
        Call(name, ..) => partial.contains(&&name.text),
        _ => false,
    };
    term.kind.for_each_child(&mut |child| found = found || may_be_undefined(child, partial));
    found
}

fn has_updates(term: &s::Expression) -> bool {
    let mut found = matches!(&*term.kind, s::ExpressionKind::Update(..));
    term.kind.for_each_child(&mut |child| found = found || has_updates(child));
    found
}

/// What can be a pattern of the condition that something is an element: of a bag it says how often.
pub(super) fn membership(fact: &s::Expression) -> &s::Expression {
    match &*fact.kind {
        s::ExpressionKind::Binary(s::BinaryOperator::Less, _, count) => count,
        _ => fact,
    }
}

impl Lowering<'_> {
    /// Makes the function of a set that had to wait.
    pub(crate) fn complete_set(
        &mut self,
        mut pending: SetFunction,
        declarations: &mut Declarations,
    ) -> Vec<s::Member> {
        let place = pending.place;
        let mut names = pending.names.clone();
        let plain = |term: &s::Expression, names: &mut Names| replaced(term, &Replacements::default(), names);
        let facts: Vec<s::Expression> = pending.facts.iter().map(|it| plain(it, &mut names)).collect();
        let value = pending.value.as_ref().map(|it| plain(it, &mut names));
        let mut walk = Walk::new(declarations, &mut names, &mut self.origins, place);
        let bound = match value {
            None => vec![walk.at().binding(&pending.member, pending.element.clone())],
            Some(_) => pending.bindings.clone(),
        };
        bound.into_iter().for_each(|binding| walk.bind(binding));
        let walked: Result<Vec<s::Expression>, Refusal> =
            facts.iter().map(|fact| walk.condition(fact)).collect();
        let walked = walked.and_then(|facts| facts.iter().map(|fact| walk.guarded(fact)).collect());
        let walked = walked.and_then(|mut facts: Vec<s::Expression>| {
            if let Some(value) = &value {
                // Only the checks of the value are of interest.
                let itself = walk.at().equal(value.clone(), value.clone());
                facts.push(walk.condition(&itself)?);
            }
            Ok(facts)
        });
        let facts = match walked {
            Ok(facts) => facts,
            Err(refusal) => {
                self.refuse(&refusal, "a set comprehension");
                return Vec::new();
            }
        };
        let mut owner = Owner {
            name: &pending.name,
            formals: &pending.formals,
            globals: &mut self.globals,
            members: Vec::new(),
        };
        if let Some(value) = &value {
            let mut terms = Vec::new();
            let parts: Vec<s::Expression> = [value].into_iter().chain(&facts).cloned().collect();
            if walk.add_triggers(&pending.bindings, &parts, &mut terms) {
                pending.triggers.push(walk.at().trigger(terms));
            }
        }
        let preconditions = walk.preconditions(&mut owner, None);
        let readers = owner.members;
        pending.facts = facts;
        pending.value = value;
        let mut build = self.at(place);
        let function = pending.declaration(&mut build, preconditions);
        declarations.add_function(&function);
        let functions = readers.into_iter().chain([function]);
        functions.map(|function| build.member(s::MemberKind::Function(function))).collect()
    }
}
