//! Locks and threads as VerCors 1.x has them: there is no `commit`, every constructor gives up the lock invariant of its
//! object at its end, and gives its caller the token of a thread that does not run.
//!
//! So an object that somebody else can see has been committed, unless its constructor shows it to others before its end:
//! that is refused. A program that says `commit` or `committed` itself is taken at its word, as one for VerCors 2.x is.

use source::Span;

use crate::lower::Lowering;
use crate::resolve::{CallTarget, Receiver, Resolution};
use crate::syntax::tree::{
    Block, Builtin, ClassMemberKind, Constructor, Contract, Dialect, Expression, ExpressionKind, NodeId,
    Routine, Statement, StatementKind,
};

impl Lowering<'_> {
    /// Whether objects of a class are committed by their constructors.
    pub(crate) fn commits_by_constructor(&self, class: NodeId) -> bool {
        let items = &self.resolution.items;
        let has_invariant =
            items.classes.get(&class).is_some_and(|it| it.contract.lock_invariants().next().is_some());
        let members = items.members.get(&class).into_iter().flatten();
        let mut constructors = members.filter_map(|member| match &member.kind {
            ClassMemberKind::Constructor(it) => Some(it.body.is_some()),
            _ => None,
        });
        let is_old = self.resolution.dialect == Dialect::Old && !self.says_committed;
        is_old && has_invariant && constructors.next().is_some_and(|first| first && constructors.all(|it| it))
    }

    /// Whether a constructor gives its caller the token of its thread although it does not say so.
    pub(crate) fn gives_idle(&self, constructor: &Constructor) -> bool {
        self.resolution.dialect == Dialect::Old && !says_idle(&constructor.contract)
    }

    /// Says of a constructor that others may lock its object before it is committed.
    pub(crate) fn check_kept_to_itself(&mut self, body: &Block) {
        let mut found = Vec::new();
        body.statements.iter().for_each(|statement| shown_by(self.resolution, statement, &mut found));
        for span in found {
            let message = "the constructor shows its object to others before the lock invariant holds";
            let diagnostic = source::Diagnostic::error("shownBeforeCommit", span, message);
            let help = "do it after `new`; or say where the invariant holds with `commit this;`";
            self.diagnostics.push(diagnostic.help(help));
        }
    }
}

fn says_idle(contract: &Contract) -> bool {
    fn says(expression: &Expression) -> bool {
        let mut found = matches!(&*expression.kind, ExpressionKind::Builtin(Builtin::Idle, _));
        expression.kind.for_each_child(&mut |child| found = found || says(child));
        found
    }
    contract.postconditions().any(says)
}

fn shown_by(resolution: &Resolution<'_>, statement: &Statement, found: &mut Vec<Span>) {
    use StatementKind::*;
    match &statement.kind {
        // What is only said of an object shows it to nobody.
        Assert(_)
        | Prove { .. }
        | Obtain { .. }
        | Calc { .. }
        | Assume(_)
        | Inhale(_)
        | Exhale(_)
        | Refute(_)
        | Question(_)
        | Fold(_)
        | Unfold(_)
        | Apply(_) => return,
        kind => kind.for_each_expression(&mut |expression| shown(resolution, expression, found)),
    }
    statement.kind.for_each_inner(&mut |inner| shown_by(resolution, inner, found));
}

fn shown(resolution: &Resolution<'_>, expression: &Expression, found: &mut Vec<Span>) {
    match &*expression.kind {
        ExpressionKind::This => found.push(expression.span),
        ExpressionKind::Field(object, _) if matches!(*object.kind, ExpressionKind::This) => {}
        ExpressionKind::Call(call) => {
            let target = resolution.calls.get(&expression.id);
            let is_told = match target {
                Some(CallTarget::Routine(target)) => {
                    let routine = resolution.items.routines.get(&target.routine);
                    let is_pure = matches!(routine, Some(Routine::Function(_) | Routine::Predicate(_)));
                    if is_pure {
                        return;
                    }
                    target.receiver == Receiver::ImplicitThis
                }
                _ => false,
            };
            if is_told {
                found.push(expression.span);
            }
            let parts = call.receiver.iter().chain(&call.arguments);
            parts.for_each(|part| shown(resolution, part, found));
        }
        kind => kind.for_each_child(&mut |child| shown(resolution, child, found)),
    }
}
