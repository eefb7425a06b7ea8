//! `extract s`: a statement with a contract as a method of its own, so that its proof knows nothing of what is around.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::{Mode, Scope, Variable};
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
        mentioned
            .retain(|id| matches!(self.variables.get(id), Some(Variable::Named(_) | Variable::Cell { .. })));
        let outside: Vec<NodeId> = mentioned;
        let is_local = |id: &NodeId| matches!(self.variables.get(id), Some(Variable::Named(_)));
        let written: Vec<NodeId> =
            outside.iter().copied().filter(|id| assigned.contains(id) && is_local(id)).collect();
        let name = self.lowering.globals.fresh("extracted");
        let has_this = self.this.is_some();
        self.extracted_method(&name, contract, inner, &outside, &written, place);
        let mut arguments = Vec::new();
        if has_this {
            arguments.push(self.this(place));
        }
        if self.thread.is_some() {
            arguments.push(self.current_thread(place));
        }
        for id in &outside {
            let argument = match self.variables.get(id).cloned() {
                Some(Variable::Cell { block, .. }) => self.at(place).variable(&block),
                _ => self.variable(*id, place),
            };
            arguments.push(argument);
        }
        let targets = written.iter().map(|id| self.variable(*id, place)).collect();
        let mut build = self.at(place);
        let call = build.call(&name, arguments);
        let kind = s::StatementKind::Assign { targets, value: call };
        let statement = build.statement_as(Role::Base(contract.codes.0), kind);
        self.emit(statement);
    }

    fn extracted_method(
        &mut self,
        name: &Arc<str>,
        contract: &Extracted<'t>,
        inner: &'t Statement,
        outside: &[NodeId],
        written: &[NodeId],
        place: Span,
    ) {
        let mut everywhere = self.everywhere.clone();
        let thread = self.thread.clone();
        let terminates = self.terminates;
        let assigned = self.assigned.clone();
        let names: Vec<(Arc<str>, Option<Arc<str>>)> = outside
            .iter()
            .map(|id| match self.variables.get(id) {
                Some(Variable::Named(name)) => (name.clone(), None),
                Some(Variable::Cell { block, field }) => (block.clone(), Some(field.clone())),
                _ => ("x".into(), None),
            })
            .collect();
        let has_this = self.this.is_some();
        let mut scope = Scope::new(&mut *self.lowering, self.substitution.clone());
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
            clause.thread = if clause.thread == thread { scope.thread.clone() } else { None };
        }
        scope.everywhere = everywhere;
        for (id, (name, field)) in outside.iter().zip(&names) {
            if let Some(field) = field {
                formals.push(scope.cell_formal(*id, name, field, place));
                continue;
            }
            let ty = scope.variable_type(*id);
            let silver_type = scope.ty(&ty, place);
            let name = scope.declare(*id, name);
            formals.push(scope.at(place).binding(&name, silver_type));
            let value = scope.at(place).variable(&name);
            let fact = scope.type_fact(&value, &ty, place);
            preconditions.extend(fact.map(|fact| scope.at(place).specification(fact)));
        }
        preconditions.extend(scope.everywhere_clauses(Role::Plain));
        for assertion in &contract.requires {
            preconditions.push(scope.clause(assertion, Role::Plain));
        }
        let mut returns = Vec::new();
        let mut copies = Vec::new();
        let mut facts = Vec::new();
        for id in written {
            let before = scope.variable(*id, place);
            let own_type = scope.variable_type(*id);
            let ty = scope.ty(&own_type, place);
            let wanted = outside.iter().position(|other| other == id).and_then(|index| names.get(index));
            let name = scope.declare(*id, wanted.map_or("x", |(name, _)| name));
            returns.push(scope.at(place).binding(&name, ty));
            let target = scope.at(place).variable(&name);
            let fact = scope.type_fact(&target, &own_type, place);
            facts.extend(fact.map(|fact| scope.at(place).specification(fact)));
            copies.push((target, before));
        }
        let role = Role::Base(contract.codes.1);
        let mut postconditions = facts;
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
        scope.terminates = terminates;
        if terminates {
            preconditions.push(scope.no_recursion(place));
        }
        scope.mode = Mode::Code;
        scope.assigned = assigned;
        scope.declare_labels_in(inner);
        let body = scope.block(place, |scope| {
            for (target, value) in copies {
                scope.assign(target, value, place);
            }
            if let StatementKind::Frame { body, .. } = &inner.kind {
                scope.loop_body(body);
            } else if let StatementKind::For { contract, condition, update, body, .. } = &inner.kind {
                scope.general_loop(contract, condition.as_ref(), Vec::new(), body, update, inner);
            } else {
                scope.statement(inner);
            }
        });
        let method_name = scope.at(place).name(name);
        let body = Some(body);
        let method = s::Method { name: method_name, formals, returns, preconditions, postconditions, body };
        self.lowering.add_member(place, s::MemberKind::Method(method));
        self.lowering.describe(name, format!("extract {name}"), verdict::MemberKind::Method, place);
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
