//! Bodies of pure methods: assignments to fresh locals, branches and returns, nothing that a function could not do.

use super::checker::Checker;
use crate::codes;
use crate::syntax::tree::{Block, Branch, ExpressionKind, Statement, StatementKind};

impl<'tree> Checker<'tree> {
    pub(super) fn pure_block(&mut self, block: &'tree Block) {
        for statement in &block.statements {
            self.pure_statement(statement);
        }
        self.forbid_held_amounts_in(block);
        self.within(|context| context.ghost = true, |checker| checker.block(block));
        if !ends_with_return(&block.statements) {
            self.error(
                codes::NOT_PURE,
                block.span,
                "not every path through this pure method returns a value",
                "end every branch with `return e;`",
            );
        }
    }

    fn pure_statement(&mut self, statement: &'tree Statement) {
        match &statement.kind {
            StatementKind::Block(block) => {
                for statement in &block.statements {
                    self.pure_statement(statement);
                }
            }
            StatementKind::Local { .. } | StatementKind::Return(_) | StatementKind::Assert(_) => {}
            StatementKind::Assign { target, .. } if matches!(&*target.kind, ExpressionKind::Name(_)) => {}
            StatementKind::If { condition: Branch::Condition(_), then, otherwise } => {
                self.pure_statement(then);
                if let Some(otherwise) = otherwise {
                    self.pure_statement(otherwise);
                }
            }
            _ => self.error(
                codes::NOT_PURE,
                statement.span,
                "a pure method can only declare locals, branch and return",
                "remove `pure`, or write the value as an expression: `pure T f(…) = e;`",
            ),
        }
    }
}

/// Whether a list of statements returns on every path.
fn ends_with_return(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::Block(block) => ends_with_return(&block.statements),
        StatementKind::If { then, otherwise: Some(otherwise), .. } => {
            ends_with_return(std::slice::from_ref(then)) && ends_with_return(std::slice::from_ref(otherwise))
        }
        _ => false,
    })
}
