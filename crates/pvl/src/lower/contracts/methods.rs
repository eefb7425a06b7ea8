//! Methods, procedures and lemmas, as methods of Silver.
//!
//! `given` and `yields` are parameters and results behind the written ones. `return` assigns the result and jumps to
//! the end. A lemma is a method that must terminate; that it changes nothing was checked with names and types.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::contracts::clauses::satisfiability_place;
use crate::lower::instances::Instance;
use crate::lower::scope::{Everywhere, Exit, ResultPlace, Scope};
use crate::resolve::{NameTarget, Type};
use crate::syntax::tree::{
    Block, Contract, Expression, ExpressionKind, Lemma, Method, NodeId, Parameter, PredicateKind, Routine,
    Statement, StatementKind,
};

/// The parts that methods of all kinds have.
pub(crate) struct MethodParts<'t> {
    pub(crate) contract: &'t Contract,
    pub(crate) parameters: &'t [Parameter],
    pub(crate) result: Type,
    pub(crate) body: Option<&'t Block>,
    pub(crate) has_this: bool,
    /// Ghost code ends, so that what it proves is true.
    pub(crate) is_ghost: bool,
    pub(crate) kind: verdict::MemberKind,
    pub(crate) name_span: Span,
    pub(crate) span: Span,
}

impl<'t> Lowering<'t> {
    pub(crate) fn lower_routine(&mut self, instance: &Instance, name: &Arc<str>) {
        let Some(routine) = self.resolution.items.routines.get(&instance.id).copied() else { return };
        let is_inline = routine.modifiers().is_some_and(|modifiers| modifiers.inline.is_some());
        let span = self.member_span(instance.id).unwrap_or(routine.name().span);
        match routine {
            Routine::Method(method) if method.modifiers.pure.is_some() => {
                self.lower_pure_method(instance, name, method, span);
            }
            Routine::Method(method) => self.lower_method(instance, name, method, span),
            Routine::Lemma(lemma) => self.lower_lemma(instance, name, lemma, span),
            Routine::Function(_) | Routine::Predicate(_) if is_inline => {}
            Routine::Function(function) => self.lower_function(instance, name, function, span),
            Routine::Predicate(predicate) => match predicate.kind {
                PredicateKind::Resource => self.lower_predicate(instance, name, predicate, span),
                PredicateKind::Fact => self.lower_fact(instance, name, predicate, span),
            },
        }
    }

    /// The whole declaration or member with this id.
    pub(crate) fn member_span(&self, id: NodeId) -> Option<Span> {
        let items = &self.resolution.items;
        if let Some(owner) = items.owners.get(&id) {
            let members = items.members.get(owner)?;
            return members.iter().find(|member| member.id == id).map(|member| member.span);
        }
        items.declarations.iter().find(|declaration| declaration.id == id).map(|declaration| declaration.span)
    }

    /// What stands between the contract and the body of the declaration or member with this id.
    pub(crate) fn member_head(&self, id: NodeId) -> Option<Span> {
        let items = &self.resolution.items;
        if let Some(owner) = items.owners.get(&id) {
            let members = items.members.get(owner)?;
            return members.iter().find(|member| member.id == id)?.kind.head();
        }
        items.declarations.iter().find(|declaration| declaration.id == id)?.kind.head()
    }

    /// Whether the member belongs to an object.
    pub(crate) fn has_this(&self, id: NodeId) -> bool {
        let items = &self.resolution.items;
        let owner = items.owners.get(&id);
        owner.is_some_and(|owner| items.classes.contains_key(owner)) && !items.statics.contains(&id)
    }

    /// The name that people know a member by.
    pub(crate) fn shown_name(&self, id: NodeId) -> String {
        let own = self.own_name(id);
        match self.resolution.items.owners.get(&id) {
            Some(owner) => format!("{}.{own}", self.declared_name(*owner)),
            None => own,
        }
    }

    /// The name of a member without its class.
    pub(crate) fn own_name(&self, id: NodeId) -> String {
        let items = &self.resolution.items;
        match items.routines.get(&id) {
            Some(routine) => routine.name().text.to_string(),
            None if items.constructors.contains_key(&id) => "constructor".to_string(),
            None if items.runs.contains_key(&id) => "run".to_string(),
            None => self.declared_name(id),
        }
    }

    fn lower_method(&mut self, instance: &Instance, name: &Arc<str>, method: &'t Method, span: Span) {
        let result = self.resolution.types.get(&method.result.id).cloned().unwrap_or(Type::Void);
        let parts = MethodParts {
            contract: &method.contract,
            parameters: &method.parameters,
            result,
            body: method.body.as_ref(),
            has_this: self.has_this(instance.id),
            is_ghost: self.resolution.items.is_ghost(instance.id),
            kind: verdict::MemberKind::Method,
            name_span: method.name.name.span,
            span,
        };
        self.lower_method_with(instance, name, &parts);
    }

    fn lower_lemma(&mut self, instance: &Instance, name: &Arc<str>, lemma: &'t Lemma, span: Span) {
        let parts = MethodParts {
            contract: &lemma.contract,
            parameters: &lemma.parameters,
            result: Type::Void,
            body: lemma.body.as_ref(),
            has_this: self.has_this(instance.id),
            is_ghost: true,
            kind: verdict::MemberKind::Lemma,
            name_span: lemma.name.span,
            span,
        };
        self.lower_method_with(instance, name, &parts);
    }

    pub(crate) fn lower_method_with(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        parts: &MethodParts<'t>,
    ) {
        let substitution = Rc::new(self.substitution_for(instance.id, &instance.arguments));
        let span = parts.span;
        let mut scope = Scope::new(self, substitution);
        let mut formals = Vec::new();
        let mut preconditions = Vec::new();
        if parts.has_this {
            formals.push(scope.this_formal(parts.name_span));
            let exists = scope.this_exists(parts.name_span);
            preconditions.push(scope.at(parts.name_span).specification(exists));
        }
        if scope.lowering.is_thread_local(instance) {
            formals.push(scope.thread_formal(parts.name_span));
        }
        for parameter in parts.parameters.iter().chain(parts.contract.given()) {
            let (binding, fact) = scope.formal(parameter);
            formals.push(binding);
            if let Some(fact) = fact {
                preconditions.push(scope.at(parameter.span).specification(fact));
            }
        }
        let result = scope.substituted(&parts.result);
        let (returns, result_name, mut postconditions) = scope.results(&result, parts);
        preconditions.extend(scope.preconditions_with_loans(parts.contract));
        if let Some(result) = &result_name {
            scope.lowering.spelling.add_variable(result, "\\result");
            scope.bindings.result = ResultPlace::Variable(result.clone());
        }
        let own_postconditions = scope.postconditions_with_loans(parts.contract);
        scope.check_contract_with_loans(
            parts.contract,
            (name, parts.name_span),
            (&formals, &returns),
            (&preconditions, &postconditions),
        );
        postconditions.extend(own_postconditions);
        let mut measure = scope.measure(parts.contract);
        if measure.is_none() && parts.is_ghost {
            measure = Some(scope.no_recursion(parts.name_span));
        }
        scope.member.terminates = measure.is_some();
        if parts.body.is_none() && !instance.is_specialised() {
            scope.check_satisfiable(parts.contract, (name, instance.id), &formals, &preconditions);
        }
        preconditions.extend(measure);
        let body = match parts.body {
            Some(body) if !instance.is_specialised() => Some(scope.method_body(parts, body)),
            _ => None,
        };
        let silver_name = scope.at(parts.name_span).name(name);
        let method = s::Method { name: silver_name, formals, returns, preconditions, postconditions, body };
        self.add_member(span, s::MemberKind::Method(method));
        if !instance.is_specialised() {
            self.describe_member(name, instance.id, parts.kind, span);
            if let Some(described) = self.described.last_mut() {
                described.is_ghost = parts.is_ghost;
            }
        }
    }
}

impl<'t> Scope<'_, 't> {
    /// The result and `yields`, with what their types say beyond Silver's.
    fn results(
        &mut self,
        result: &Type,
        parts: &MethodParts<'t>,
    ) -> (Vec<s::Binding>, Option<Arc<str>>, Vec<s::Specification>) {
        let place = parts.name_span;
        let mut returns = Vec::new();
        let mut facts = Vec::new();
        let mut result_name = None;
        if *result != Type::Void {
            let name = self.member.names.fresh("res");
            let ty = self.ty(result, place);
            returns.push(self.at(place).binding(&name, ty));
            let value = self.at(place).variable(&name);
            facts.extend(self.type_fact(&value, result, place));
            result_name = Some(name);
        }
        for parameter in parts.contract.yields() {
            let (binding, fact) = self.formal(parameter);
            returns.push(binding);
            facts.extend(fact);
        }
        let facts = facts.into_iter().map(|fact| self.at(place).specification(fact)).collect();
        (returns, result_name, facts)
    }

    /// The statements of a method, with a check that its precondition can hold.
    pub(crate) fn method_body(&mut self, parts: &MethodParts<'t>, body: &'t Block) -> s::Block {
        self.code(body.span, |scope| {
            if let Some(place) = satisfiability_place(parts.contract) {
                let refute = scope.refute_false(place);
                scope.emit(refute);
            }
            scope.statements_of_body(parts, body);
        })
    }

    pub(crate) fn statements_of_body(&mut self, parts: &MethodParts<'t>, body: &'t Block) {
        let parameters: Vec<&'t Parameter> = parts.parameters.iter().chain(parts.contract.given()).collect();
        self.copy_assigned_parameters(&parameters, body);
        if parts.kind == verdict::MemberKind::Run {
            self.new_thread(parts.name_span);
        }
        let thread = self.bindings.thread.clone();
        let everywhere = parts.contract.everywhere();
        self.path.everywhere.extend(everywhere.map(|assertion| Everywhere {
            assertion,
            factors: Vec::new(),
            thread: thread.clone(),
        }));
        let label = self.member.names.fresh("end");
        self.path.exit = Some(Exit { label: label.clone(), used: false });
        self.declare_labels(body);
        self.statements_in_tail_position(&body.statements);
        if self.path.exit.take().is_some_and(|exit| exit.used) {
            let place = body.span;
            let mut build = self.at(place);
            let name = build.name(&label);
            let statement = build.statement(s::StatementKind::Label { name, invariants: Vec::new() });
            self.emit(statement);
        }
    }

    /// Parameters of Silver cannot be assigned; the contract speaks about the values they came with.
    fn copy_assigned_parameters(&mut self, parameters: &[&'t Parameter], body: &'t Block) {
        let mut assigned = FxHashSet::default();
        for statement in &body.statements {
            self.assigned_variables(statement, &mut assigned);
        }
        self.member.assigned = Rc::new(assigned.clone());
        for parameter in parameters {
            if self.resolution.addressed.contains(&parameter.id) {
                let value = self.variable(parameter.id, parameter.span);
                self.declare_cell(parameter.id, &parameter.name.text, Some(value), parameter.span);
                continue;
            }
            if !assigned.contains(&parameter.id) {
                continue;
            }
            let ty = self.variable_type(parameter.id);
            let ty = self.ty(&ty, parameter.span);
            let value = self.variable(parameter.id, parameter.span);
            let name = self.local(&parameter.name.text, ty, Some(value), parameter.span);
            self.bind(parameter.id, &name, &parameter.name.text);
        }
    }

    /// Variables that a statement assigns, whoever declares them.
    pub(crate) fn assigned_variables(&self, statement: &'t Statement, assigned: &mut FxHashSet<NodeId>) {
        let target = match &statement.kind {
            StatementKind::Assign { target, .. } => Some(target),
            StatementKind::Increment(target) | StatementKind::Decrement(target) => Some(target),
            _ => None,
        };
        if let Some(target) = target
            && let Some(NameTarget::Variable(id)) = self.resolution.names.get(&target.id)
        {
            assigned.insert(*id);
        }
        statement.kind.for_each_expression(&mut |expression| self.assigned_in(expression, assigned));
        statement.kind.for_each_child(&mut |child| self.assigned_variables(child, assigned));
    }

    /// Variables that get ghost results of calls, or are assigned by ghost statements, in an expression.
    pub(crate) fn assigned_in(&self, expression: &'t Expression, assigned: &mut FxHashSet<NodeId>) {
        let yields = match &*expression.kind {
            ExpressionKind::Call(call) => &call.yields[..],
            ExpressionKind::New { yields, .. } => &yields[..],
            _ => &[],
        };
        for result in yields {
            if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&result.target.id) {
                assigned.insert(*id);
            }
        }
        for statement in expression.kind.ghost_statements() {
            self.assigned_variables(statement, assigned);
        }
        expression.kind.for_each_child(&mut |child| self.assigned_in(child, assigned));
    }

    /// Names for the labels of a body, so that jumps forward find them.
    pub(crate) fn declare_labels(&mut self, body: &'t Block) {
        for statement in &body.statements {
            self.declare_labels_in(statement);
        }
    }

    pub(crate) fn declare_labels_in(&mut self, statement: &'t Statement) {
        if let StatementKind::Label(name) = &statement.kind {
            let silver = self.member.names.fresh(&name.text);
            self.member.labels.insert(statement.id, silver);
        }
        statement.kind.for_each_child(&mut |child| self.declare_labels_in(child));
    }

    /// The Silver name of the label that a `goto` or `\old[…]` names.
    pub(crate) fn label_of(&self, user: NodeId) -> Option<Arc<str>> {
        let label = self.resolution.labels.get(&user)?;
        self.member.labels.get(label).cloned()
    }
}
