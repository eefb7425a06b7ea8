//! Typed decreases clauses, and the rules that they must obey.

use source::{Diagnostic, Span};

use super::super::checker::Checker;
use super::super::unify::Ty;
use super::ProgramClauses;
use crate::codes;
use crate::syntax::tree;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, FunctionId, Program, visit_expression,
};

/// A typed decreases clause.
#[derive(Clone, Debug)]
pub(in super::super) struct Decreases {
    pub(in super::super) measure: Measure,
    /// `None` is `true`.
    pub(in super::super) condition: Option<ExpressionRef>,
    pub(in super::super) span: Span,
    /// Whether it was written among the preconditions.
    pub(in super::super) is_precondition: bool,
}

#[derive(Clone, Debug)]
pub(in super::super) enum Measure {
    Tuple(Vec<ExpressionRef>),
    /// `_`: terminates, without a proof.
    Wildcard,
    /// `*`: may not terminate.
    Star,
}

/// A tuple that decreases under a condition.
#[derive(Clone, Debug)]
pub(super) struct Tuple {
    pub(super) expressions: Vec<ExpressionRef>,
    pub(super) condition: Option<ExpressionRef>,
    pub(super) span: Span,
}

/// What is said about the termination of one function, method or loop.
#[derive(Clone, Default, Debug)]
pub(in super::super) struct Clauses {
    pub(super) tuple: Option<Tuple>,
    /// The condition of `decreases _`, if there is one; the inner `None` is `true`.
    pub(super) wildcard: Option<Option<ExpressionRef>>,
    /// Where `decreases _` is written.
    pub(super) assumed: Option<Span>,
}

impl Clauses {
    /// When termination is proved or assumed.
    pub(super) fn termination_condition(&self, span: Span) -> ExpressionRef {
        let or_true = |condition: &Option<ExpressionRef>| {
            condition.clone().unwrap_or_else(|| Expression::boolean(true, span))
        };
        match (&self.tuple, &self.wildcard) {
            (Some(tuple), Some(wildcard)) => {
                let (a, b) = (or_true(&tuple.condition), or_true(wildcard));
                if a.is_true() || b.is_true() {
                    return Expression::boolean(true, span);
                }
                Expression::formula(BinaryOperator::Or, a, b, span)
            }
            (Some(tuple), None) => or_true(&tuple.condition),
            (None, Some(wildcard)) => or_true(wildcard),
            (None, None) => Expression::boolean(false, span),
        }
    }
}

impl Decreases {
    /// All expressions of the clause.
    pub(in super::super) fn expressions(&self) -> impl Iterator<Item = &ExpressionRef> {
        let tuple = match &self.measure {
            Measure::Tuple(expressions) => expressions.as_slice(),
            Measure::Wildcard | Measure::Star => &[],
        };
        tuple.iter().chain(&self.condition)
    }
}

impl Checker {
    pub(in super::super) fn decreases_clause(&mut self, clause: &tree::Decreases) -> Decreases {
        let condition = clause.condition.as_ref().map(|condition| self.check(condition, &Ty::Bool));
        let measure = match &clause.measure {
            tree::Measure::Tuple(expressions) => {
                self.in_measure = true;
                let typed = expressions.iter().map(|expression| self.check_any(expression).0).collect();
                self.in_measure = false;
                Measure::Tuple(typed)
            }
            tree::Measure::Wildcard => Measure::Wildcard,
            tree::Measure::Star => Measure::Star,
        };
        Decreases { measure, condition, span: clause.span, is_precondition: false }
    }
}

/// Sorts the clauses of a program and reports those that cannot stand beside each other.
pub(in super::super) fn collect(checker: &Checker, diagnostics: &mut Vec<Diagnostic>) -> ProgramClauses {
    let mut result = ProgramClauses::default();
    let program = &checker.program;
    for index in 0..program.functions.len() as u32 {
        let id = FunctionId(index);
        if let Some(clauses) = checker.decreases.functions.get(&id) {
            result.functions.insert(id, sort(clauses, diagnostics));
        }
    }
    for index in 0..program.methods.len() as u32 {
        let id = crate::typed::MethodId(index);
        if let Some(clauses) = checker.decreases.methods.get(&id) {
            result.methods.insert(id, sort(clauses, diagnostics));
        }
        if let Some(loops) = checker.decreases.loops.get(&id) {
            let loops = loops.iter().map(|clauses| sort(clauses, diagnostics)).collect();
            result.loops.insert(id, loops);
        }
    }
    result
}

fn sort(clauses: &[Decreases], diagnostics: &mut Vec<Diagnostic>) -> Clauses {
    let mut result = Clauses::default();
    let mut error = |span: Span, message: &str, help: &str| {
        diagnostics.push(Diagnostic::error(codes::CONSISTENCY, span, message).help(help));
    };
    let (mut tuples, mut wildcards, mut stars) = (Vec::new(), Vec::new(), Vec::new());
    for clause in clauses {
        match &clause.measure {
            Measure::Tuple(expressions) => {
                for expression in expressions {
                    for span in forbidden_in_measure(expression) {
                        let message = "wands and inhale-exhale assertions cannot be a measure";
                        error(span, message, "use a value that gets smaller");
                    }
                }
                tuples.push(clause.span);
                if result.tuple.is_none() {
                    let (expressions, condition) = (expressions.clone(), clause.condition.clone());
                    result.tuple = Some(Tuple { expressions, condition, span: clause.span });
                }
            }
            Measure::Wildcard => {
                wildcards.push(clause.span);
                if result.wildcard.is_none() {
                    result.wildcard = Some(clause.condition.clone());
                    result.assumed = Some(clause.span);
                }
            }
            Measure::Star => stars.push(clause.span),
        }
    }
    for (spans, what) in [(tuples, "tuples"), (wildcards, "wildcards"), (stars, "stars")] {
        if spans.len() > 1 {
            error(spans[0], &format!("there are several decreases {what}"), "keep one of them");
        }
    }
    result
}

/// Parts of a measure whose value would be an assertion with two meanings, or a wand.
fn forbidden_in_measure(expression: &ExpressionRef) -> Vec<Span> {
    let mut found = Vec::new();
    let mut stack = vec![expression.clone()];
    while let Some(node) = stack.pop() {
        match &node.kind {
            ExpressionKind::Wand(_) | ExpressionKind::InhaleExhale { .. } => found.push(node.span),
            ExpressionKind::Conditional { then, otherwise, .. } => {
                stack.extend([then.clone(), otherwise.clone()])
            }
            ExpressionKind::Applying { body, .. } | ExpressionKind::Unfolding { body, .. } => {
                stack.push(body.clone())
            }
            ExpressionKind::CurrentPermission(_) => {}
            _ => node.for_each_child(&mut |child| stack.push(child.clone())),
        }
    }
    found
}

/// A postcondition that applies its own function is only sensible if the function terminates.
pub(in super::super) fn check_postconditions(checker: &Checker) -> Vec<Diagnostic> {
    let program: &Program = &checker.program;
    let edges: Vec<Vec<usize>> =
        program.functions.iter().map(|function| super::applied_functions(function.body.iter())).collect();
    let component = super::components(&edges);
    let mut diagnostics = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        let has_clause = checker
            .decreases
            .functions
            .get(&FunctionId(index as u32))
            .is_some_and(|clauses| !clauses.is_empty());
        if has_clause {
            continue;
        }
        for postcondition in &function.postconditions {
            visit_expression(postcondition, &mut |node| {
                if let ExpressionKind::FunctionApplication { function: applied, .. } = &node.kind
                    && component[applied.index()] == component[index]
                {
                    let message = format!(
                        "the postcondition of `{}` applies a function that depends on it",
                        function.name
                    );
                    diagnostics.push(
                        Diagnostic::error(codes::CONSISTENCY, node.span, message)
                            .help("use `result`, or add a decreases clause"),
                    );
                    return false;
                }
                true
            });
        }
    }
    diagnostics
}
