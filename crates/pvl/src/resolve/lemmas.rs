//! Lemmas are proofs: they change nothing, call only what changes nothing, and end. Other ghost code ends too.
//!
//! That a measure decreases is proved with the rest of the program; here it must only be there, for every loop of a
//! lemma or of ghost code and for everything of them that can call itself.

use source::{Diagnostic, Span};

use super::inlining::{Calls, block_calls, calls, reaches};
use super::{CallTarget, NameTarget, Operation, Resolution};
use crate::codes;
use crate::syntax::tree::{
    Block, Contract, Expression, ExpressionKind, Measure, Name, NodeId, Routine, Statement, StatementKind,
};

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let items = &resolution.items;
    let edges = call_edges(resolution, order);
    for id in order {
        let (name, kind, body, contract) = match items.routines.get(id) {
            Some(Routine::Lemma(lemma)) => (&lemma.name, "lemma", lemma.body.as_ref(), &lemma.contract),
            Some(Routine::Method(method)) if method.modifiers.pure.is_none() => {
                (&method.name.name, "ghost method", method.body.as_ref(), &method.contract)
            }
            Some(_) => continue,
            None => {
                let constructor = items.constructors.get(id).and_then(|it| it.body.as_ref());
                let body = constructor.or_else(|| items.runs.get(id).and_then(|it| it.body.as_ref()));
                ghost_code(resolution, body, false, &mut errors);
                continue;
            }
        };
        if kind == "lemma" {
            let owner = format!("the lemma `{}`", name.text);
            let mut proof = Proof { resolution, owner: &owner, errors: &mut errors };
            for statement in body.into_iter().flat_map(|body| &body.statements) {
                proof.statement(statement);
            }
        } else {
            let is_ghost = items.is_ghost(*id);
            ghost_code(resolution, body, is_ghost, &mut errors);
            if !is_ghost {
                continue;
            }
        }
        match contract.measure() {
            None if body.is_some() && reaches(*id, *id, &edges) => errors.push(
                Diagnostic::error(
                    codes::MISSING_MEASURE,
                    name.span,
                    format!("the {kind} `{}` uses itself but has no measure", name.text),
                )
                .help("add `decreases e;`: a proof that uses itself must do so for something smaller"),
            ),
            Some((Measure::Assume, span)) if body.is_some() => errors.push(assumed_end(span)),
            _ => {}
        }
    }
    errors.extend(functions_without_end(resolution, order).into_iter().map(endless));
    errors
}

/// Functions that call themselves without a measure: an equation such as `f(x) = f(x) + 1` has no solution, and then
/// everything is proved.
pub(super) fn functions_without_end<'tree>(
    resolution: &Resolution<'tree>,
    order: &[NodeId],
) -> Vec<&'tree Name> {
    let edges = call_edges(resolution, order);
    let mut found = Vec::new();
    for id in order {
        let (name, contract) = match resolution.items.routines.get(id) {
            Some(Routine::Function(function)) => (&function.name.name, &function.contract),
            Some(Routine::Method(method)) if method.modifiers.pure.is_some() => {
                (&method.name.name, &method.contract)
            }
            _ => continue,
        };
        if contract.measure().is_none() && reaches(*id, *id, &edges) {
            found.push(name);
        }
    }
    found
}

fn endless(name: &Name) -> Diagnostic {
    let message = format!("the function `{}` calls itself without a measure", name.text);
    Diagnostic::warning(codes::MISSING_MEASURE, name.span, message)
        .help("add `decreases e;`: with a recursion that never ends, everything can be proved")
}

/// What bodies call.
fn call_edges(resolution: &Resolution<'_>, order: &[NodeId]) -> Calls {
    let mut edges = Calls::default();
    let items = &resolution.items;
    for id in order {
        let called = match items.routines.get(id) {
            Some(Routine::Lemma(lemma)) => lemma.body.as_ref().map(|body| block_calls(resolution, body)),
            Some(Routine::Method(method)) => method.body.as_ref().map(|body| block_calls(resolution, body)),
            Some(Routine::Function(function)) => Some(calls(resolution, &function.body)),
            Some(Routine::Predicate(_)) => None,
            None => {
                let constructor = items.constructors.get(id).and_then(|it| it.body.as_ref());
                constructor.map(|body| block_calls(resolution, body))
            }
        };
        edges.extend(called.map(|called| (*id, called)));
    }
    edges
}

fn assumed_end(span: Span) -> Diagnostic {
    Diagnostic::warning(codes::LEMMA, span, "that this proof ends is assumed without proof")
        .help("give a measure: `decreases e;`")
}

/// Ghost statements of a method: nobody runs them, so they must end, or what is behind them is never reached.
fn ghost_code(
    resolution: &Resolution<'_>,
    body: Option<&Block>,
    is_ghost: bool,
    errors: &mut Vec<Diagnostic>,
) {
    let mut code = GhostCode { resolution, errors };
    for statement in body.into_iter().flat_map(|body| &body.statements) {
        code.statement(statement, is_ghost);
    }
}

struct GhostCode<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    errors: &'a mut Vec<Diagnostic>,
}

impl GhostCode<'_, '_> {
    fn statement(&mut self, statement: &Statement, ghost: bool) {
        if ghost {
            match &statement.kind {
                StatementKind::While { contract, condition, .. } => self.measure(contract, condition.span),
                StatementKind::For { contract, condition, body, .. } => {
                    self.measure(contract, condition.as_ref().map_or(body.span, |condition| condition.span));
                }
                StatementKind::Goto(_) => self.errors.push(
                    Diagnostic::error(
                        codes::MISSING_MEASURE,
                        statement.span,
                        "a `goto` in ghost code: that it ends cannot be shown",
                    )
                    .help("use a loop with `decreases`"),
                ),
                _ => {}
            }
        }
        statement.kind.for_each_expression(&mut |expression| self.expression(expression, ghost));
        if matches!(statement.kind, StatementKind::Prove { .. } | StatementKind::Calc { .. }) {
            // What such a proof does is gone behind it, so it does nothing, as lemmas.
            let mut proof =
                Proof { resolution: self.resolution, owner: "this proof of a claim", errors: self.errors };
            statement.kind.for_each_child(&mut |child| proof.statement(child));
            return;
        }
        let inside = ghost
            || matches!(
                statement.kind,
                StatementKind::Ghost(_) | StatementKind::Package { .. } | StatementKind::Barrier { .. }
            );
        statement.kind.for_each_child(&mut |child| self.statement(child, inside));
    }

    fn measure(&mut self, contract: &Contract, span: Span) {
        match contract.measure() {
            Some((Measure::Assume, span)) => self.errors.push(assumed_end(span)),
            Some(_) => {}
            None if contract.is_iteration_contract() => {}
            None => self.errors.push(
                Diagnostic::error(codes::MISSING_MEASURE, span, "this loop of ghost code has no measure")
                    .help("add `decreases e;`: ghost code that does not end proves anything"),
            ),
        }
    }

    fn expression(&mut self, expression: &Expression, ghost: bool) {
        let mut work = vec![expression];
        while let Some(expression) = work.pop() {
            for statement in expression.kind.ghost_statements() {
                self.statement(statement, true);
            }
            expression.kind.for_each_child(&mut |child| work.push(child));
            if !ghost {
                continue;
            }
            self.called(expression);
        }
    }

    /// What ghost code calls ends.
    fn called(&mut self, expression: &Expression) {
        let items = &self.resolution.items;
        let called = match self.resolution.calls.get(&expression.id) {
            Some(CallTarget::Routine(call)) => Some(call.routine),
            _ => match self.resolution.operations.get(&expression.id) {
                Some(Operation::Declared { routine, .. }) => Some(*routine),
                _ => self.resolution.creations.get(&expression.id).and_then(|creation| creation.constructor),
            },
        };
        let Some(called) = called else { return };
        let (name, span, contract) = match items.routines.get(&called) {
            Some(Routine::Method(method)) if method.modifiers.pure.is_none() => {
                (method.name.name.text.to_string(), method.name.name.span, &method.contract)
            }
            Some(_) => return,
            None => match items.constructors.get(&called) {
                Some(constructor) => ("constructor".to_string(), constructor.keyword, &constructor.contract),
                None => return,
            },
        };
        if contract.measure().is_none() && !items.is_ghost(called) {
            let message = format!("ghost code calls `{name}`, which may not end: it has no measure");
            self.errors.push(
                Diagnostic::error(codes::MISSING_MEASURE, expression.span, message)
                    .label(span, "declared here")
                    .help("add `decreases e;` to its contract, or `decreases;` if it does not call itself"),
            );
        }
    }
}

struct Proof<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    /// What it proves, in sentences.
    owner: &'a str,
    errors: &'a mut Vec<Diagnostic>,
}

impl Proof<'_, '_> {
    fn forbid(&mut self, span: Span, what: &str) {
        let message = format!("{what} in {}, which is a proof and cannot change anything", self.owner);
        self.errors.push(
            Diagnostic::error(codes::LEMMA, span, message).help(
                "use local variables, assertions, `fold`, `unfold`, loops with measures and other lemmas",
            ),
        );
    }

    fn measure(&mut self, contract: &Contract, span: Span) {
        if let Some((Measure::Assume, span)) = contract.measure() {
            self.errors.push(assumed_end(span));
        }
        if contract.measure().is_none() {
            self.errors.push(
                Diagnostic::error(
                    codes::MISSING_MEASURE,
                    span,
                    format!("this loop of {} has no measure", self.owner),
                )
                .help("add `decreases e;`: a proof by a loop that does not end proves nothing"),
            );
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, .. }
            | StatementKind::Increment(target)
            | StatementKind::Decrement(target)
                if !self.is_local(target) =>
            {
                self.forbid(target.span, "something on the heap is assigned");
            }
            StatementKind::While { contract, condition, .. } => self.measure(contract, condition.span),
            StatementKind::For { contract, condition, body, .. } => {
                self.measure(contract, condition.as_ref().map_or(body.span, |condition| condition.span));
            }
            StatementKind::Goto(_) => self.errors.push(
                Diagnostic::error(
                    codes::LEMMA,
                    statement.span,
                    format!("a `goto` in {}: that it ends cannot be shown", self.owner),
                )
                .help("use a loop with `decreases`"),
            ),
            StatementKind::Lock(_)
            | StatementKind::Unlock(_)
            | StatementKind::Wait(_)
            | StatementKind::Notify(_)
            | StatementKind::Commit(_) => self.forbid(statement.span, "a lock is used"),
            StatementKind::Fork(_) | StatementKind::Join(_) => {
                self.forbid(statement.span, "a thread is started or awaited");
            }
            StatementKind::Par(_)
            | StatementKind::Barrier { .. }
            | StatementKind::Invariant { .. }
            | StatementKind::Atomic { .. }
            | StatementKind::Vector { .. }
            | StatementKind::Send { .. }
            | StatementKind::Receive { .. } => self.forbid(statement.span, "threads are used"),
            StatementKind::Action { .. } => self.forbid(statement.span, "an action of a model happens"),
            StatementKind::Inhale(_) | StatementKind::Exhale(_) => {
                self.forbid(statement.span, "permissions appear or disappear");
            }
            StatementKind::Assume(_) => self.errors.push(
                Diagnostic::warning(
                    codes::LEMMA,
                    statement.span,
                    format!("{} assumes something without proof", self.owner),
                )
                .help("prove it with `assert`, or pass it on as a precondition"),
            ),
            _ => {}
        }
        statement.kind.for_each_expression(&mut |expression| self.expression(expression));
        statement.kind.for_each_child(&mut |child| self.statement(child));
    }

    fn is_local(&self, target: &Expression) -> bool {
        matches!(&*target.kind, ExpressionKind::Name(_))
            && matches!(self.resolution.names.get(&target.id), Some(NameTarget::Variable(_)) | None)
    }

    fn expression(&mut self, expression: &Expression) {
        let mut work = vec![expression];
        while let Some(expression) = work.pop() {
            match (&*expression.kind, self.resolution.calls.get(&expression.id)) {
                (ExpressionKind::New { .. } | ExpressionKind::NewArray { .. }, _) => {
                    self.forbid(expression.span, "an object is created");
                }
                (_, Some(CallTarget::Routine(call))) => {
                    if let Some(Routine::Method(method)) = self.resolution.items.routines.get(&call.routine)
                        && method.modifiers.pure.is_none()
                    {
                        self.forbid(
                            expression.span,
                            &format!("the method `{}` is called", method.name.name.text),
                        );
                    }
                }
                (_, Some(CallTarget::ModelOperation(_))) if !is_assertion(self.resolution, expression) => {
                    self.forbid(expression.span, "the state of a model changes");
                }
                _ => {}
            }
            let yields = match &*expression.kind {
                ExpressionKind::Call(call) => &call.yields[..],
                _ => &[],
            };
            for result in yields {
                if !self.is_local(&result.target) {
                    self.forbid(result.target.span, "something on the heap is assigned");
                }
            }
            for statement in expression.kind.ghost_statements() {
                self.statement(statement);
            }
            expression.kind.for_each_child(&mut |child| work.push(child));
        }
    }
}

fn is_assertion(resolution: &Resolution<'_>, expression: &Expression) -> bool {
    resolution.expressions.get(&expression.id) == Some(&super::Type::Resource)
}
