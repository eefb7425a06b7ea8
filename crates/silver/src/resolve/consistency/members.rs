//! What each kind of member may contain.

use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use super::super::termination::Decreases;
use super::{Consistency, any, has_labelled_old, has_old, has_permission_query, has_result};
use crate::typed::{
    Block, Domain, ExpressionKind, ExpressionRef, Function, FunctionId, Local, Method, MethodId, Predicate,
    StatementKind, for_each_expression, is_pure, visit_expression, visit_statements,
};

const MOVE_OLD: &str = "use `old` in postconditions and method bodies";

impl Consistency<'_> {
    pub(super) fn members(&mut self) {
        let program = self.program;
        self.names();
        for domain in &program.domains {
            self.domain(domain);
        }
        let decreases = self.decreases;
        for (index, function) in program.functions.iter().enumerate() {
            self.function(function);
            let clauses = decreases.functions.get(&FunctionId(index as u32));
            self.measures(clauses.into_iter().flatten(), &function.locals);
        }
        for predicate in &program.predicates {
            self.predicate(predicate);
        }
        for (index, method) in program.methods.iter().enumerate() {
            self.method(method);
            let id = MethodId(index as u32);
            let clauses = decreases.methods.get(&id).into_iter().flatten();
            let loops = decreases.loops.get(&id).into_iter().flatten().flatten();
            self.measures(clauses.chain(loops), &method.locals);
        }
        self.recursion_through_preconditions();
    }

    /// Axioms share the names of the program's members.
    fn names(&mut self) {
        let program = self.program;
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        seen.extend(program.domains.iter().map(|domain| domain.name.as_str()));
        seen.extend(program.domain_functions.iter().map(|function| function.name.as_str()));
        seen.extend(program.fields.iter().map(|field| field.name.as_str()));
        seen.extend(program.functions.iter().map(|function| function.name.as_str()));
        seen.extend(program.predicates.iter().map(|predicate| predicate.name.as_str()));
        seen.extend(program.methods.iter().map(|method| method.name.as_str()));
        for axiom in program.domains.iter().flat_map(|domain| &domain.axioms) {
            if let Some(name) = &axiom.name
                && !seen.insert(name)
            {
                let message = format!("the name `{name}` is already used");
                self.error(axiom.span, &message, "rename the axiom");
            }
        }
        for method in &program.methods {
            for label in &method.labels {
                let parameters = method.formals.iter().chain(&method.returns);
                let clashes =
                    parameters.into_iter().any(|local| *method.locals[local.index()].name == *label.name);
                if clashes {
                    let message = format!("the name `{}` is already used by a parameter", label.name);
                    self.error(label.span, &message, "rename the label");
                }
            }
        }
    }

    fn domain(&mut self, domain: &Domain) {
        if let Some(interpretations) = &domain.interpretations
            && !interpretations.iter().any(|(backend, _)| backend == "SMTLIB")
        {
            let help = "add `SMTLIB: \"…\"` to the interpretation";
            self.error(domain.span, "the domain has no interpretation for SMT-LIB", help);
        }
        if domain.is_adt && domain.functions.len() == 1 {
            self.error(domain.span, "an ADT must have at least one constructor", "add a constructor");
        }
        if !domain.parameters.is_empty() && domain.interpretations.is_some() {
            self.error(
                domain.span,
                "an interpreted domain cannot have type parameters",
                "remove the parameters",
            );
        }
        for function in &domain.functions {
            let function = self.program.domain_function(*function);
            if function.unique && !function.formals.is_empty() {
                let help = "remove `unique`, or the parameters";
                self.error(function.span, "only functions without parameters can be unique", help);
            }
        }
        for axiom in &domain.axioms {
            let body = &axiom.body;
            let help = "an axiom holds in every state";
            if has_old(body) {
                self.error(body.span, "an axiom cannot contain `old`", help);
            }
            let reads_heap = any(body, |node| {
                matches!(
                    node.kind,
                    ExpressionKind::FieldAccess { .. }
                        | ExpressionKind::FieldPermission { .. }
                        | ExpressionKind::PredicatePermission(_)
                        | ExpressionKind::ResourceTerm(_)
                        | ExpressionKind::CurrentPermission(_)
                        | ExpressionKind::Unfolding { .. }
                )
            });
            if reads_heap {
                self.error(body.span, "an axiom cannot depend on the heap", help);
            }
            if any(body, |node| matches!(node.kind, ExpressionKind::Asserting { .. })) {
                self.error(body.span, "an axiom cannot contain `asserting`", help);
            }
            if !is_pure(body) {
                self.error(body.span, "an axiom must be pure", help);
            }
            self.expression(body, &axiom.locals);
        }
    }

    /// Measures are pure, and those among the preconditions obey the rules of preconditions.
    fn measures<'b>(&mut self, clauses: impl Iterator<Item = &'b Decreases>, locals: &[Local]) {
        for clause in clauses {
            for expression in clause.expressions() {
                if !is_pure(expression) {
                    self.error(expression.span, "a measure must be pure", "use a value that gets smaller");
                }
                if clause.is_precondition && has_old(expression) {
                    self.error(clause.span, "a precondition cannot contain `old`", MOVE_OLD);
                }
                self.expression(expression, locals);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        for precondition in &function.preconditions {
            self.precondition(precondition);
        }
        for postcondition in &function.postconditions {
            if has_old(postcondition) {
                let help = "a function changes nothing: there is only one state";
                self.error(postcondition.span, "a function's postcondition cannot contain `old`", help);
            }
            if has_permission_query(postcondition) {
                let help = "functions cannot depend on permission amounts";
                let message = "`perm` and `forperm` cannot be used in a function's postcondition";
                self.error(postcondition.span, message, help);
            }
            if has_labelled_old(postcondition) {
                self.error(postcondition.span, "labels cannot be used in postconditions", MOVE_OLD);
            }
            if !is_pure(postcondition) {
                let help = "what a function needs it keeps; nothing has to be returned";
                self.error(postcondition.span, "a function's postcondition must be pure", help);
            }
        }
        if let Some(body) = &function.body {
            let help = "a function's body is an expression over its precondition's state";
            if has_old(body) {
                self.error(body.span, "a function's body cannot contain `old`", help);
            }
            if has_result(body) {
                self.error(body.span, "a function's body cannot contain `result`", help);
            }
            if has_permission_query(body) {
                self.error(body.span, "a function's body cannot contain `perm` or `forperm`", help);
            }
            if !is_pure(body) {
                self.error(body.span, "a function's body must be pure", help);
            }
        }
        let all = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
        for expression in all {
            self.expression(expression, &function.locals);
            if self.respect_function_permission_amounts {
                self.wildcards(expression);
            }
        }
    }

    fn precondition(&mut self, precondition: &ExpressionRef) {
        if has_old(precondition) {
            self.error(precondition.span, "a precondition cannot contain `old`", MOVE_OLD);
        }
        if has_labelled_old(precondition) {
            self.error(precondition.span, "labels cannot be used in preconditions", MOVE_OLD);
        }
    }

    fn predicate(&mut self, predicate: &Predicate) {
        let Some(body) = &predicate.body else { return };
        let help = "a predicate's body is read in the state in which it is folded";
        if has_old(body) {
            self.error(body.span, "a predicate cannot contain `old`", help);
        }
        if has_permission_query(body) {
            self.error(body.span, "a predicate cannot contain `perm` or `forperm`", help);
        }
        self.wildcards(body);
        self.expression(body, &predicate.locals);
    }

    fn method(&mut self, method: &Method) {
        for precondition in &method.preconditions {
            self.precondition(precondition);
            let mut uses = Vec::new();
            visit_expression(precondition, &mut |node| {
                if let ExpressionKind::Local(local) = &node.kind
                    && method.returns.contains(local)
                {
                    uses.push(node.span);
                }
                true
            });
            for span in uses {
                let help = "results are known in postconditions";
                self.error(span, "a precondition cannot use results", help);
            }
        }
        for postcondition in &method.postconditions {
            if has_labelled_old(postcondition) {
                self.error(postcondition.span, "labels cannot be used in postconditions", MOVE_OLD);
            }
        }
        for expression in method.preconditions.iter().chain(&method.postconditions) {
            self.expression(expression, &method.locals);
            self.wildcards(expression);
        }
        if let Some(body) = &method.body {
            self.statements(body, &method.locals);
        }
    }

    fn statements(&mut self, block: &Block, locals: &[Local]) {
        visit_statements(block, &mut |statement| {
            for_each_expression(statement, &mut |expression| {
                self.expression(expression, locals);
                self.wildcards(expression);
            });
            match &statement.kind {
                StatementKind::Call { targets, .. } => {
                    let mut seen = FxHashSet::default();
                    if !targets.iter().all(|target| seen.insert(*target)) {
                        let help = "use a variable of its own for each result";
                        self.error(statement.span, "a variable is assigned twice by one call", help);
                    }
                }
                StatementKind::Fold(access) | StatementKind::Unfold(access) => {
                    if let Some(amount) = &access.amount {
                        self.amount(amount);
                    }
                }
                _ => {}
            }
        });
    }

    /// `wildcard` has no value that could be computed with.
    fn wildcards(&mut self, expression: &ExpressionRef) {
        let mut amounts = Vec::new();
        visit_expression(expression, &mut |node| {
            match &node.kind {
                ExpressionKind::FieldPermission { amount: Some(amount), .. } => amounts.push(amount),
                ExpressionKind::PredicatePermission(access) | ExpressionKind::Unfolding { access, .. } => {
                    amounts.extend(&access.amount);
                }
                _ => {}
            }
            true
        });
        for amount in amounts {
            self.amount(amount);
        }
    }

    fn amount(&mut self, amount: &ExpressionRef) {
        let is_wildcard = matches!(amount.kind, ExpressionKind::Wildcard);
        if !is_wildcard && any(amount, |node| matches!(node.kind, ExpressionKind::Wildcard)) {
            let help = "write `acc(…, wildcard)`, with nothing around it";
            self.error(amount.span, "`wildcard` cannot be part of an amount", help);
        }
    }

    /// A function whose precondition needs the function has no meaning.
    fn recursion_through_preconditions(&mut self) {
        let program = self.program;
        let mut calls: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let ids = (0..program.functions.len() as u32).map(FunctionId);
        for id in ids.clone() {
            let function = program.function(id);
            let all = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
            let measures = self.decreases.functions.get(&id).into_iter().flatten();
            calls.insert(id, called_functions(all.chain(measures.flat_map(Decreases::expressions))));
        }
        for id in ids {
            let function = program.function(id);
            let measures = self.decreases.functions.get(&id).into_iter().flatten();
            let measures = measures.filter(|clause| clause.is_precondition).flat_map(Decreases::expressions);
            let mut stack = called_functions(function.preconditions.iter().chain(measures));
            let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
            let mut recurses = false;
            while let Some(next) = stack.pop() {
                recurses |= next == id;
                if seen.insert(next) && next != id {
                    stack.extend(calls.get(&next).into_iter().flatten());
                }
            }
            if recurses {
                let span: Span = function.span;
                let message = format!("function `{}` needs itself in its precondition", function.name);
                self.error(span, &message, "remove the application from the precondition");
            }
        }
    }
}

fn called_functions<'a>(expressions: impl Iterator<Item = &'a ExpressionRef>) -> Vec<FunctionId> {
    let mut called = Vec::new();
    for expression in expressions {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::FunctionApplication { function, .. } = &node.kind
                && !called.contains(function)
            {
                called.push(*function);
            }
            true
        });
    }
    called
}
