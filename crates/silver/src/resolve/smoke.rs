//! Smoke detection: `refute false` where a proof could be vacuous.
//!
//! After each `inhale`, at the end of methods, loop bodies and branches, and before each `goto`, it must not be possible
//! to prove `false`. Code behind `unreachable` is left alone, as far as no other branch leads there.

use source::Span;

use crate::typed::{Block, Expression, Method, MethodOrigin, Program, Statement, StatementKind};

/// Marks the statement `unreachable`, which does nothing.
pub(super) const UNREACHABLE: &str = "unreachable";

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Reached,
    /// Every way leads elsewhere by a `goto`.
    Left,
    /// Behind `unreachable`.
    Marked,
}

impl End {
    /// Where one of two branches ends.
    fn or(self, other: End) -> End {
        match (self, other) {
            (End::Reached, _) | (_, End::Reached) => End::Reached,
            (End::Left, _) | (_, End::Left) => End::Left,
            (End::Marked, End::Marked) => End::Marked,
        }
    }
}

/// Adds the checks to all methods that were written.
pub(super) fn add_checks(program: &mut Program) {
    for method in program.methods.iter_mut().filter(|method| method.origin == MethodOrigin::Source) {
        check_method(method);
    }
}

fn check_method(method: &mut Method) {
    let Some(body) = method.body.take() else { return };
    let (mut body, end) = check_block(body, End::Reached);
    // A method that only jumps around never ends.
    if end != End::Marked {
        body.statements.push(refute_false(method.span));
    }
    method.body = Some(body);
}

fn refute_false(span: Span) -> Statement {
    Statement::new(StatementKind::Refute { assertion: Expression::boolean(false, span) }, span)
}

/// The block with its checks, and how it ends.
fn check_block(block: Block, mut end: End) -> (Block, End) {
    let Block { locals, statements: inner, span } = block;
    let mut statements = Vec::new();
    for statement in inner {
        let Statement { kind, span, annotations } = statement;
        let is_marker = annotations.as_ref().is_some_and(|annotations| annotations.has(UNREACHABLE));
        let mut after = None;
        let kind = match kind {
            StatementKind::Block(_) if is_marker => {
                end = End::Marked;
                continue;
            }
            StatementKind::Inhale(assertion) => {
                after = (end == End::Reached).then(|| refute_false(span));
                StatementKind::Inhale(assertion)
            }
            StatementKind::Goto(label) => {
                if end == End::Reached {
                    statements.push(refute_false(span));
                    end = End::Left;
                }
                StatementKind::Goto(label)
            }
            // Whoever jumps here has been asked before.
            StatementKind::Label { label, invariants } => {
                end = End::Reached;
                StatementKind::Label { label, invariants }
            }
            StatementKind::If { condition, then, otherwise } => {
                let (then, then_end) = check_branch(then, end, span);
                let (otherwise, otherwise_end) = check_branch(otherwise, end, span);
                end = then_end.or(otherwise_end);
                StatementKind::If { condition, then, otherwise }
            }
            StatementKind::While { condition, invariants, body } => {
                let (mut body, body_end) = check_block(body, end);
                if body_end == End::Reached {
                    body.statements.push(refute_false(body.span.unwrap_or(span)));
                }
                StatementKind::While { condition, invariants, body }
            }
            StatementKind::Block(inner) => {
                let (inner, inner_end) = check_block(inner, end);
                end = inner_end;
                StatementKind::Block(inner)
            }
            other => other,
        };
        statements.push(Statement { kind, span, annotations });
        statements.extend(after);
    }
    (Block { locals, statements, span }, end)
}

fn check_branch(block: Block, end: End, span: Span) -> (Block, End) {
    if block.is_empty() {
        return (block, end);
    }
    let (mut block, end) = check_block(block, end);
    if end == End::Reached {
        block.statements.push(refute_false(block.span.unwrap_or(span)));
    }
    (block, end)
}
