//! Statements, blocks and clauses.
//!
//! Semicolons are printed only where the text would otherwise be read differently.

use super::super::tree::{
    BinaryOperator, Block, Expression, ExpressionKind, Measure, Otherwise, Specification, SpecificationKind,
    Statement, StatementKind,
};
use super::Printer;

impl Printer {
    pub(super) fn block(&mut self, block: &Block) {
        self.push("{");
        self.indent += 1;
        for statement in &block.statements {
            self.line();
            self.statement(statement);
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn keyword(&mut self, keyword: &str, expression: &Expression) {
        self.push(keyword);
        self.push(" ");
        self.expression(expression);
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Annotated(annotation, inner) => {
                self.annotation(annotation);
                self.line();
                self.statement(inner);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Variables { bindings, value } => {
                self.push("var ");
                self.bindings(bindings);
                if let Some(value) = value {
                    self.push(" := ");
                    self.expression(value);
                }
            }
            StatementKind::Assign { targets, value } => {
                self.separated(targets, Printer::expression);
                if !targets.is_empty() {
                    self.push(" := ");
                }
                self.expression(value);
            }
            StatementKind::Assert(expression) => self.keyword("assert", expression),
            StatementKind::Assume(expression) => self.keyword("assume", expression),
            StatementKind::Inhale(expression) => self.keyword("inhale", expression),
            StatementKind::Exhale(expression) => self.keyword("exhale", expression),
            StatementKind::Refute(expression) | StatementKind::Precaution(expression) => {
                self.keyword("refute", expression)
            }
            StatementKind::Question(expression) => self.keyword("assume?", expression),
            StatementKind::Unreachable => self.push("unreachable"),
            StatementKind::Fold(expression) => self.keyword("fold", expression),
            StatementKind::Unfold(expression) => self.keyword("unfold", expression),
            StatementKind::If { condition, then, otherwise } => {
                self.push("if");
                self.branches(condition, then, otherwise.as_ref());
            }
            StatementKind::While { condition, invariants, body } => {
                self.push("while (");
                self.expression(condition);
                self.push(")");
                self.specifications("invariant", invariants);
                if invariants.is_empty() {
                    self.push(" ");
                } else {
                    self.line();
                }
                self.block(body);
            }
            StatementKind::Label { name, invariants } => {
                self.push("label ");
                self.push(&name.text);
                self.specifications("invariant", invariants);
            }
            StatementKind::Goto(label) => {
                self.push("goto ");
                self.push(&label.text);
            }
            StatementKind::Package { wand, proof } => {
                self.push("package ");
                self.wand_operand(wand);
                match proof {
                    Some(proof) => {
                        self.push(" ");
                        self.block(proof);
                    }
                    // A block on the next line would be read as the proof.
                    None => self.push(";"),
                }
            }
            StatementKind::Apply(wand) => {
                self.push("apply ");
                self.wand_operand(wand);
            }
            StatementKind::Quasihavoc { condition, resource } => {
                self.push("quasihavoc ");
                self.havocked(condition.as_ref(), resource);
            }
            StatementKind::QuasihavocAll { bindings, condition, resource } => {
                self.push("quasihavocall ");
                self.bindings(bindings);
                self.push(" :: ");
                self.havocked(condition.as_ref(), resource);
            }
            StatementKind::Define(define) => self.define(define),
            StatementKind::Expansion(statements) => {
                for (index, inner) in statements.iter().enumerate() {
                    if index > 0 {
                        self.line();
                    }
                    self.statement(inner);
                }
            }
        }
    }

    fn branches(&mut self, condition: &Expression, then: &Block, otherwise: Option<&Otherwise>) {
        self.push(" (");
        self.expression(condition);
        self.push(") ");
        self.block(then);
        match otherwise {
            None => {}
            Some(Otherwise::Block(block)) => {
                self.push(" else ");
                self.block(block);
            }
            Some(Otherwise::If(inner)) => {
                if let StatementKind::If { condition, then, otherwise } = &inner.kind {
                    self.push(" elseif");
                    self.branches(condition, then, otherwise.as_ref());
                }
            }
        }
    }

    fn havocked(&mut self, condition: Option<&Expression>, resource: &Expression) {
        if let Some(condition) = condition {
            self.wand_operand(condition);
            self.push(" ==> ");
        }
        let is_implication = matches!(*resource.kind, ExpressionKind::Binary(BinaryOperator::Implies, ..));
        if condition.is_none() && is_implication {
            self.push("(");
            self.expression(resource);
            self.push(")");
        } else {
            self.expression(resource);
        }
    }

    /// Clauses on lines of their own, one level in.
    pub(super) fn specifications(&mut self, keyword: &str, specifications: &[Specification]) {
        self.indent += 1;
        for specification in specifications {
            self.line();
            match &specification.kind {
                SpecificationKind::Assertion(expression) => self.keyword(keyword, expression),
                SpecificationKind::Decreases(decreases) => {
                    self.push("decreases");
                    let mut is_open = false;
                    match &decreases.measure {
                        Measure::Star => self.push(" *"),
                        Measure::Wildcard => self.push(" _"),
                        Measure::Tuple(expressions) => {
                            is_open = expressions.is_empty();
                            if !expressions.is_empty() {
                                self.push(" ");
                            }
                            self.separated(expressions, Printer::expression);
                        }
                    }
                    match &decreases.condition {
                        Some(condition) => {
                            self.push(" ");
                            self.keyword("if", condition);
                        }
                        // What follows must not be taken for the measure.
                        None if is_open => self.push(";"),
                        None => {}
                    }
                }
            }
        }
        self.indent -= 1;
    }
}
