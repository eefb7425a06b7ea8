//! Formulas about the runs of a model. Conditions that are looser than a comparison stand in parentheses.

use super::super::tree::{Formula, FormulaKind, Temporal};
use super::Printer;

const UNARY: u8 = 5;

fn level(formula: &Formula) -> u8 {
    match &*formula.kind {
        FormulaKind::Binary(operator, ..) => binary_level(*operator),
        _ => UNARY,
    }
}

fn binary_level(operator: Temporal) -> u8 {
    match operator {
        Temporal::Equivalent => 0,
        Temporal::Implies => 1,
        Temporal::Or => 2,
        Temporal::And => 3,
        _ => 4,
    }
}

impl Printer {
    pub(super) fn formula(&mut self, formula: &Formula) {
        match &*formula.kind {
            FormulaKind::Condition(condition) => self.operand_of_formula(condition),
            FormulaKind::Ended => self.push("\\ended"),
            FormulaKind::Did { action, arguments } => {
                self.push("\\did(");
                self.name(action);
                if let Some(arguments) = arguments {
                    self.arguments(arguments);
                }
                self.text.push(')');
            }
            FormulaKind::Unary(operator, operand) => {
                self.push(operator.text());
                if *operator != Temporal::Not {
                    self.text.push(' ');
                }
                self.formula_at_least(operand, UNARY);
            }
            FormulaKind::Binary(operator, left, right) => {
                let own = binary_level(*operator);
                let to_right = matches!(own, 1 | 4);
                self.formula_at_least(left, if to_right { own + 1 } else { own });
                self.text.push(' ');
                self.push(operator.text());
                self.text.push(' ');
                self.formula_at_least(right, if to_right { own } else { own + 1 });
            }
        }
    }

    fn formula_at_least(&mut self, formula: &Formula, least: u8) {
        if level(formula) < least {
            self.text.push('(');
            self.formula(formula);
            self.text.push(')');
        } else {
            self.formula(formula);
        }
    }
}
