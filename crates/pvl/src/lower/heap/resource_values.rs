//! Resources as values: assertions that are kept in variables and fields, and hold or are given up later.
//!
//! An assertion that is kept is a closure. Variables have the values that they have where it is kept; the heap is read
//! where it is used. Each assertion that some place of the program keeps is a kind of value with its variables as
//! parts, and to use a value is to use the assertion of its kind. The assertion of a value of no such kind is not known:
//! an abstract predicate stands for it, so that it can still be passed on.
//!
//! An assertion that is kept has to be one for all values of its variables, as the body of a predicate has to be,
//! because it is not checked again where the value is used. A predicate with this body, which is used nowhere, checks it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::Lowering;
use crate::lower::origin::Role;
use crate::lower::scope::{Bindings, Scope, Variable};
use crate::lower::sums::captures::Captures;
use crate::resolve::{NameTarget, Type};
use crate::syntax::tree::{Expression, ExpressionKind, NodeId};

/// All assertions that are kept.
#[derive(Default)]
pub(crate) struct KeptResources<'t> {
    names: Option<ResourceNames>,
    kinds: Vec<KeptResource<'t>>,
    by_expression: FxHashMap<NodeId, usize>,
    by_text: FxHashMap<String, usize>,
}

/// Of the type of values that keep assertions.
#[derive(Clone)]
struct ResourceNames {
    domain: Arc<str>,
    /// Which assertion a value keeps.
    kind: Arc<str>,
    /// The predicate that stands for assertions that nobody knows.
    unknown: Arc<str>,
}

#[derive(Clone)]
struct KeptResource<'t> {
    assertion: &'t Expression,
    variables: Vec<NodeId>,
    uses_this: bool,
    /// The function that makes a value of its parts, and the functions that give them, `this` first.
    make: Arc<str>,
    parts: Vec<(Arc<str>, s::Type)>,
}

impl<'t> Lowering<'t> {
    /// Gives each assertion that is kept somewhere its kind; the inner ones come first.
    pub(crate) fn collect_kept_resources(&mut self) {
        for assertion in &self.resolution.kept_resources {
            let is_kept = self.resolution.conversions.get(&assertion.id) == Some(&Type::ResourceValue);
            if is_kept && !self.kept.by_expression.contains_key(&assertion.id) {
                self.collect_kept_resource(assertion);
            }
        }
    }

    fn collect_kept_resource(&mut self, assertion: &'t Expression) {
        let place = assertion.span;
        let mut scope = Scope::new(self, Default::default());
        let mut mentioned = Vec::new();
        scope.mentioned_variables(assertion, &mut mentioned);
        let mut bound = Vec::new();
        bound_variables(assertion, &mut bound);
        let variables: Vec<NodeId> = mentioned.into_iter().filter(|id| !bound.contains(id)).collect();
        let uses_this = scope.uses_object(assertion);
        let text = scope.canonical_text(assertion, &variables, uses_this);
        if let Some(known) = scope.lowering.kept.by_text.get(&text).copied() {
            scope.lowering.kept.by_expression.insert(assertion.id, known);
            return;
        }
        scope.member.is_definition = true;
        scope.spec.is_kept = true;
        let mut words = Vec::new();
        let mut formals = Vec::new();
        if uses_this {
            words.push("this".to_string());
            formals.push(scope.this_formal(place));
        }
        for id in &variables {
            let name = scope.name_in_source(*id, assertion);
            let ty = scope.variable_type(*id);
            let ty = scope.ty(&ty, place);
            let formal = scope.declare(*id, &name);
            formals.push(scope.at(place).binding(&formal, ty));
            words.push(name);
        }
        let body = scope.kept_assertion(assertion, &variables, uses_this);
        let number = self.kept.kinds.len() + 1;
        let predicate = self.globals.fresh(&format!("kept_{number}"));
        let name = self.at(place).name(&predicate);
        let parts: Vec<s::Type> = formals.iter().map(|formal| formal.ty.clone()).collect();
        let kind = s::MemberKind::Predicate(s::Predicate { name, formals, body: Some(body) });
        self.add_member(place, kind);
        let shown = self.shown_assertion(place);
        self.describe(&predicate, shown, verdict::MemberKind::Resource, place);
        let make = self.globals.fresh(&format!("resource_{number}"));
        let mut named = Vec::new();
        for (word, ty) in words.into_iter().zip(parts) {
            let name = self.globals.fresh(&format!("resource_{number}_{word}"));
            self.spelling.add_kept_variable(&name, &word);
            named.push((name, ty));
        }
        let parts = named;
        let kind = KeptResource { assertion, variables, uses_this, make, parts };
        self.kept.by_expression.insert(assertion.id, self.kept.kinds.len());
        self.kept.by_text.insert(text, self.kept.kinds.len());
        self.kept.kinds.push(kind);
    }

    /// The assertion on one line, as far as there is room.
    fn shown_assertion(&self, place: Span) -> String {
        source::excerpt(self.map.text(place), limits::NAME_CHARACTERS)
    }

    fn resource_names(&mut self) -> ResourceNames {
        if let Some(names) = &self.kept.names {
            return names.clone();
        }
        let names = ResourceNames {
            domain: self.globals.fresh("Resource"),
            kind: self.globals.fresh("resource_kind"),
            unknown: self.globals.fresh("resource_unknown"),
        };
        self.kept.names = Some(names.clone());
        names
    }

    /// The type of values that keep assertions.
    pub(crate) fn resource_value_type(&mut self) -> Arc<str> {
        self.resource_names().domain
    }

    /// The domain of resources, if there is a use for it.
    ///
    /// Its model: a value is the number of a kind with a list of parts.
    pub(crate) fn declare_resource_values(&mut self) {
        let Some(names) = self.kept.names.clone() else { return };
        let kinds = self.kept.kinds.clone();
        let Some(first) = self.resolution.items.declarations.first() else { return };
        let place = kinds.first().map_or(first.span, |kind| kind.assertion.span);
        let value: Arc<str> = "resource".into();
        let mut functions = Vec::new();
        let mut axioms = Vec::new();
        let mut build = self.at(place);
        let own = build.name(&names.domain);
        let own = build.ty(s::TypeKind::Named(own, None));
        let int = build.ty(s::TypeKind::Int);
        let argument = vec![build.binding(&value, own.clone())];
        functions.push(build.domain_function(&names.kind, argument, int));
        for (number, kind) in kinds.iter().enumerate() {
            let formals: Vec<Arc<str>> =
                (0..kind.parts.len()).map(|part| format!("part_{part}").into()).collect();
            let typed: Vec<s::Binding> = formals
                .iter()
                .zip(&kind.parts)
                .map(|(name, (_, ty))| build.binding(name, ty.clone()))
                .collect();
            functions.push(build.domain_function(&kind.make, typed.clone(), own.clone()));
            for (getter, ty) in &kind.parts {
                let argument = vec![build.binding(&value, own.clone())];
                functions.push(build.domain_function(getter, argument, ty.clone()));
            }
            let made = |build: &mut crate::lower::build::Build<'_>| {
                let arguments = formals.iter().map(|formal| build.variable(formal)).collect();
                build.call(&kind.make, arguments)
            };
            let it = made(&mut build);
            let kind_of = build.call(&names.kind, vec![it]);
            let number = build.int(number as i64 + 1);
            let mut facts = vec![build.equal(kind_of, number)];
            for (formal, (getter, _)) in formals.iter().zip(&kind.parts) {
                let it = made(&mut build);
                let part = build.call(getter, vec![it]);
                let formal = build.variable(formal);
                facts.push(build.equal(part, formal));
            }
            let body = build.all(facts);
            let trigger = made(&mut build);
            let trigger = build.trigger(vec![trigger]);
            let body = build.forall(typed, vec![trigger], body);
            axioms.push(s::Axiom {
                annotations: Vec::new(),
                name: None,
                body,
                span: build.node(Role::Plain),
            });
        }
        let name = build.name(&names.domain);
        let domain = s::Domain { name, parameters: None, interpretations: None, functions, axioms };
        let formals = vec![build.binding(&value, own)];
        let name = build.name(&names.unknown);
        let unknown = s::Predicate { name, formals, body: None };
        self.add_member(place, s::MemberKind::Domain(domain));
        self.add_member(place, s::MemberKind::Predicate(unknown));
    }
}

impl<'t> Scope<'_, 't> {
    /// A text that is the same for assertions that differ only in the names of their variables.
    fn canonical_text(&mut self, assertion: &'t Expression, variables: &[NodeId], uses_this: bool) -> String {
        let place = assertion.span;
        let reported = self.lowering.diagnostics.len();
        let (mut scope, formals) = self.function_scope(&Captures::of(variables, uses_this), place);
        scope.member.is_definition = true;
        scope.spec.is_kept = true;
        let body = Some(scope.kept_assertion(assertion, variables, uses_this));
        let mut build = scope.at(place);
        let kind = s::MemberKind::Predicate(s::Predicate { name: build.name_of("kept"), formals, body });
        let text = silver::syntax::print(&s::Program { members: vec![build.member(kind)] });
        self.lowering.diagnostics.truncate(reported);
        text
    }

    /// The value that keeps the assertion.
    pub(crate) fn keep_resource(&mut self, assertion: &'t Expression) -> s::Expression {
        let place = assertion.span;
        let known = self.lowering.kept.by_expression.get(&assertion.id).copied();
        let Some(kind) = known.and_then(|index| self.lowering.kept.kinds.get(index)).cloned() else {
            return self.unsupported(place, "a resource that is kept here");
        };
        self.lowering.resource_names();
        // Another assertion with the same text may be the one of the kind; its variables are not these.
        let mut mentioned = Vec::new();
        self.mentioned_variables(assertion, &mut mentioned);
        let mut bound = Vec::new();
        bound_variables(assertion, &mut bound);
        mentioned.retain(|id| !bound.contains(id));
        let parts = self.captured(&Captures::of(&mentioned, kind.uses_this), place);
        self.at(place).call(&kind.make, parts)
    }

    /// The assertion that a value keeps.
    pub(crate) fn use_resource(&mut self, value: s::Expression, place: Span) -> s::Expression {
        if self.spec.is_kept {
            let message = "a resource that is kept cannot contain another one that is kept";
            let help = "declare a predicate with a parameter of type `resource`, and keep that";
            self.error(crate::lower::UNSUPPORTED, place, message, help);
            return self.at(place).bool(true);
        }
        let names = self.lowering.resource_names();
        let (value, bound) = match &*value.kind {
            s::ExpressionKind::Name(_) => (value, None),
            _ => {
                let name = self.member.names.fresh("resource");
                (self.at(place).variable(&name), Some((name, value)))
            }
        };
        let write = self.at(place).write();
        let amount = self.scaled(write, place);
        let mut build = self.at(place);
        let unknown = build.call(&names.unknown, vec![value.clone()]);
        let mut result = build.access(unknown, amount);
        for number in (0..self.lowering.kept.kinds.len()).rev() {
            let kind = self.lowering.kept.kinds[number].clone();
            let assertion = self.assertion_of_kind(&kind, &value, place);
            let mut build = self.at(place);
            let own = build.call(&names.kind, vec![value.clone()]);
            let number = build.int(number as i64 + 1);
            let is_it = build.equal(own, number);
            result = build.conditional(is_it, assertion, result);
        }
        match bound {
            None => result,
            Some((name, value)) => {
                let mut build = self.at(place);
                let name = build.name(&name);
                build.expression(s::ExpressionKind::Let { name, value, body: result })
            }
        }
    }

    fn assertion_of_kind(
        &mut self,
        kind: &KeptResource<'t>,
        value: &s::Expression,
        place: Span,
    ) -> s::Expression {
        let mut parts = kind.parts.iter().map(|(getter, _)| {
            let mut build = self.lowering.at(place);
            build.call(getter, vec![value.clone()])
        });
        let this = if kind.uses_this { parts.next().map(Variable::Value) } else { None };
        let variables = kind.variables.iter().copied().zip(parts.map(Variable::Value)).collect();
        let lower = |scope: &mut Self| scope.kept_assertion(kind.assertion, &kind.variables, kind.uses_this);
        let kept = |scope: &mut Self| scope.with(|scope| &mut scope.spec.is_kept, true, lower);
        let bindings = Bindings { this, variables, ..Bindings::default() };
        self.with_bindings(bindings, |scope| scope.specification(kept))
    }

    /// The assertion, and what the types of its variables say.
    fn kept_assertion(
        &mut self,
        assertion: &'t Expression,
        variables: &[NodeId],
        uses_this: bool,
    ) -> s::Expression {
        let place = assertion.span;
        let mut parts = Vec::new();
        if uses_this {
            parts.push(self.this_exists(place));
        }
        for id in variables {
            let ty = self.variable_type(*id);
            let value = self.variable(*id, place);
            parts.extend(self.type_fact(&value, &ty, place));
        }
        let own = self.type_of(assertion);
        parts.push(self.unconverted(assertion, &own));
        self.at(place).all(parts)
    }

    /// How a variable of the expression is written.
    fn name_in_source(&self, id: NodeId, expression: &Expression) -> String {
        if let (ExpressionKind::Name(name), Some(NameTarget::Variable(known))) =
            (&*expression.kind, self.resolution.names.get(&expression.id))
            && *known == id
        {
            return name.text.to_string();
        }
        let mut found = None;
        expression.kind.for_each_child(&mut |child| {
            if found.is_none() {
                let name = self.name_in_source(id, child);
                found = Some(name).filter(|name| !name.is_empty());
            }
        });
        found.unwrap_or_default()
    }
}

/// Variables that the expression itself binds.
fn bound_variables(expression: &Expression, found: &mut Vec<NodeId>) {
    match &*expression.kind {
        ExpressionKind::Quantifier { bindings, .. } => {
            found.extend(bindings.iter().map(|binding| binding.id));
        }
        ExpressionKind::ForPerm { bindings, .. } => found.extend(bindings.iter().map(|binding| binding.id)),
        ExpressionKind::Comprehension { selectors, .. } => {
            found.extend(selectors.iter().map(|selector| selector.id));
        }
        ExpressionKind::Let { binding, .. } => found.push(binding.id),
        _ => {}
    }
    expression.kind.for_each_child(&mut |child| bound_variables(child, found));
}
