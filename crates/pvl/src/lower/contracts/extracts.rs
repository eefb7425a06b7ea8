//! `extract s`: a statement with a contract as a method of its own, so that its proof knows nothing of what is around.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::syntax::tree::{Contract, Expression, ExpressionKind, NodeId, Statement, StatementKind};

/// The contract of an extracted statement.
struct Extracted<'t> {
    requires: Vec<&'t Expression>,
    ensures: Vec<&'t Expression>,
    /// The condition of a loop, which does not hold behind it.
    condition: Option<&'t Expression>,
    /// The code if the precondition does not hold, and if the postcondition does not.
    codes: (&'static str, &'static str),
}

/// The statement that is extracted.
struct ExtractedPart<'t> {
    statement: &'t Statement,
    /// The variables of the method around that it mentions.
    outside: Vec<(NodeId, Variable)>,
    /// Those among them that it assigns.
    written: Vec<NodeId>,
    place: Span,
}

/// The name of a variable in the method around.
fn name_of(variable: &Variable) -> &str {
    match variable {
        Variable::Named(name) => name,
        Variable::Cell { block, .. } => block,
        Variable::Value(_) => "x",
    }
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn extract(&mut self, inner: &'t Statement, statement: &'t Statement) {
        let place = statement.span;
        let contract = match &inner.kind {
            StatementKind::Frame { contract, .. } => Extracted {
                requires: contract.everywhere().chain(contract.preconditions()).collect(),
                ensures: contract.everywhere().chain(contract.postconditions()).collect(),
                condition: None,
                codes: ("framePre", "framePost"),
            },
            StatementKind::While { contract, condition, .. } => {
                extracted_loop(contract, Some(condition).filter(|condition| !self.has_effects(condition)))
            }
            StatementKind::For { contract, initial, condition, .. } if !contract.is_iteration_contract() => {
                // The loop starts behind its initial statements.
                let condition = condition.as_ref().filter(|condition| !self.has_effects(condition));
                let contract = extracted_loop(contract, condition);
                let whole = self.block(place, |scope| {
                    scope.statements(initial);
                    scope.extract_with(&contract, inner, place);
                });
                self.emit_kind(place, s::StatementKind::Block(whole));
                return;
            }
            _ => {
                let message = "only a `frame`, or a loop with an invariant, can be extracted";
                self.error("wrongExtractNode", inner.span, message, "put `frame` with a contract around it");
                return;
            }
        };
        self.extract_with(&contract, inner, place);
    }

    fn extract_with(&mut self, contract: &Extracted<'t>, inner: &'t Statement, place: Span) {
        if let Some(old) = self.earlier_state(inner, inner) {
            let message = "an earlier state of the method is not known in what is extracted from it";
            let help = "keep the value that is meant in a variable first, or leave out `extract`";
            self.error(crate::lower::UNSUPPORTED, old, message, help);
            return;
        }
        let mut assigned = FxHashSet::default();
        self.assigned_variables(inner, &mut assigned);
        let mut mentioned = Vec::new();
        self.variables_of_statement(inner, &mut mentioned);
        let variables = &self.bindings.variables;
        let outside: Vec<(NodeId, Variable)> = mentioned
            .into_iter()
            .filter_map(|id| match variables.get(&id) {
                Some(variable @ (Variable::Named(_) | Variable::Cell { .. })) => Some((id, variable.clone())),
                Some(Variable::Value(_)) | None => None,
            })
            .collect();
        let is_local = |variable: &Variable| matches!(variable, Variable::Named(_));
        let written = outside.iter().filter(|(id, variable)| assigned.contains(id) && is_local(variable));
        let written = written.map(|(id, _)| *id).collect();
        let part = ExtractedPart { statement: inner, outside, written, place };
        let name = self.lowering.globals.fresh("extracted");
        self.extracted_method(&name, contract, &part);
        let mut arguments = Vec::new();
        if self.bindings.this.is_some() {
            arguments.push(self.this(place));
        }
        if self.bindings.thread.is_some() {
            arguments.push(self.current_thread(place));
        }
        for (id, variable) in &part.outside {
            let argument = match variable {
                Variable::Cell { block, .. } => self.at(place).variable(block),
                _ => self.variable(*id, place),
            };
            arguments.push(argument);
        }
        let targets = part.written.iter().map(|id| self.variable(*id, place)).collect();
        let mut build = self.at(place);
        let call = build.call(&name, arguments);
        let kind = s::StatementKind::Assign { targets, value: call };
        let statement = build.statement_as(Role::Base(contract.codes.0), kind);
        self.emit(statement);
    }

    fn extracted_method(&mut self, name: &Arc<str>, contract: &Extracted<'t>, part: &ExtractedPart<'t>) {
        let place = part.place;
        let terminates = self.member.terminates;
        let assigned = self.member.assigned.clone();
        let (mut scope, formals, mut preconditions) = self.extracted_scope(part);
        preconditions.extend(scope.everywhere_clauses(Role::Plain));
        for assertion in &contract.requires {
            preconditions.push(scope.clause(assertion, Role::Plain));
        }
        let (returns, copies, mut postconditions) = scope.extracted_results(part);
        let role = Role::Base(contract.codes.1);
        postconditions.extend(scope.everywhere_clauses(role));
        for assertion in &contract.ensures {
            postconditions.push(scope.clause(assertion, role));
        }
        if let Some(condition) = contract.condition {
            let condition = scope.assertion(condition);
            let mut build = scope.at(place);
            let left = build.not(condition);
            postconditions.push(build.specification(left));
        }
        // What ends calls only what ends.
        scope.member.terminates = terminates;
        if terminates {
            preconditions.push(scope.no_recursion(place));
        }
        scope.member.assigned = assigned;
        scope.declare_labels_in(part.statement);
        let body = scope.code(place, |scope| {
            for (target, value) in copies {
                scope.assign(target, value, place);
            }
            match &part.statement.kind {
                StatementKind::Frame { body, .. } => scope.loop_body(body),
                StatementKind::For { contract, condition, update, body, .. } => {
                    scope.general_loop(
                        contract,
                        condition.as_ref(),
                        Vec::new(),
                        body,
                        update,
                        part.statement,
                    );
                }
                _ => scope.statement(part.statement),
            }
        });
        let method_name = scope.at(place).name(name);
        let body = Some(body);
        let method = s::Method { name: method_name, formals, returns, preconditions, postconditions, body };
        self.lowering.add_member(place, s::MemberKind::Method(method));
        self.lowering.describe(name, format!("extract {name}"), verdict::MemberKind::Method, place);
    }

    /// A scope in which the variables from outside are parameters, with these and what their types say.
    fn extracted_scope(
        &mut self,
        part: &ExtractedPart<'t>,
    ) -> (Scope<'_, 't>, Vec<s::Binding>, Vec<s::Specification>) {
        let place = part.place;
        let mut everywhere = self.path.everywhere.clone();
        let thread = self.bindings.thread.clone();
        let has_this = self.bindings.this.is_some();
        let mut scope = Scope::new(&mut *self.lowering, self.bindings.substitution.clone());
        let mut formals = Vec::new();
        let mut preconditions = Vec::new();
        if has_this {
            formals.push(scope.this_formal(place));
            let exists = scope.this_exists(place);
            preconditions.push(scope.at(place).specification(exists));
        }
        if thread.is_some() {
            formals.push(scope.thread_formal(place));
        }
        for clause in &mut everywhere {
            clause.thread = if clause.thread == thread { scope.bindings.thread.clone() } else { None };
        }
        scope.path.everywhere = everywhere;
        for (id, variable) in &part.outside {
            let name = match variable {
                Variable::Cell { block, field } => {
                    formals.push(scope.cell_formal(*id, block, field, place));
                    continue;
                }
                variable => name_of(variable),
            };
            let ty = scope.variable_type(*id);
            let silver_type = scope.ty(&ty, place);
            let name = scope.declare(*id, name);
            formals.push(scope.at(place).binding(&name, silver_type));
            let value = scope.at(place).variable(&name);
            let fact = scope.type_fact(&value, &ty, place);
            preconditions.extend(fact.map(|fact| scope.at(place).specification(fact)));
        }
        (scope, formals, preconditions)
    }

    /// A result for each variable that the statement assigns, with the value that it has at the start and what its type
    /// says.
    fn extracted_results(
        &mut self,
        part: &ExtractedPart<'t>,
    ) -> (Vec<s::Binding>, Vec<(s::Expression, s::Expression)>, Vec<s::Specification>) {
        let place = part.place;
        let mut returns = Vec::new();
        let mut copies = Vec::new();
        let mut facts = Vec::new();
        for id in &part.written {
            let before = self.variable(*id, place);
            let own_type = self.variable_type(*id);
            let ty = self.ty(&own_type, place);
            let wanted = part.outside.iter().find(|(other, _)| other == id);
            let name = self.declare(*id, wanted.map_or("x", |(_, variable)| name_of(variable)));
            returns.push(self.at(place).binding(&name, ty));
            let target = self.at(place).variable(&name);
            let fact = self.type_fact(&target, &own_type, place);
            facts.extend(fact.map(|fact| self.at(place).specification(fact)));
            copies.push((target, before));
        }
        (returns, copies, facts)
    }

    /// A mention of a state that was before the extracted statement.
    fn earlier_state(&self, statement: &'t Statement, extracted: &'t Statement) -> Option<Span> {
        let mut found = None;
        statement.kind.for_each_expression(&mut |expression| {
            found = found.or_else(|| self.earlier_state_in(expression, extracted));
        });
        statement.kind.for_each_inner(&mut |child| {
            found = found.or_else(|| self.earlier_state(child, extracted));
        });
        found
    }

    fn earlier_state_in(&self, expression: &'t Expression, extracted: &'t Statement) -> Option<Span> {
        if let ExpressionKind::Old(label, _) = &*expression.kind {
            let label = label.as_ref().and_then(|_| self.resolution.labels.get(&expression.id));
            if !label
                .is_some_and(|label| crate::lower::concurrency::send_receive::contains(extracted, *label))
            {
                return Some(expression.span);
            }
        }
        let mut found = None;
        expression.kind.for_each_child(&mut |child| {
            found = found.or_else(|| self.earlier_state_in(child, extracted));
        });
        found
    }

    /// Variables that occur in a statement, in source order.
    fn variables_of_statement(&self, statement: &'t Statement, found: &mut Vec<NodeId>) {
        if let StatementKind::Assign { target, .. }
        | StatementKind::Increment(target)
        | StatementKind::Decrement(target) = &statement.kind
        {
            self.mentioned_variables(target, found);
        }
        statement.kind.for_each_expression(&mut |expression| self.mentioned_variables(expression, found));
        statement.kind.for_each_child(&mut |child| self.variables_of_statement(child, found));
    }
}

fn extracted_loop<'t>(contract: &'t Contract, condition: Option<&'t Expression>) -> Extracted<'t> {
    let invariants: Vec<&Expression> = contract.everywhere().chain(contract.loop_invariants()).collect();
    Extracted {
        requires: invariants.clone(),
        ensures: invariants,
        condition,
        codes: ("invariantNotEstablished", "notMaintained"),
    }
}
