//! Terms as people write them, for messages: text, with places for what the terms of a program are given.

use std::sync::Arc;

use process::{Binary, Expression, ExpressionKind as Data, Model, Term, TermKind, Unary, Value, VariableId};

use super::laws::{Law, Says};
use crate::lower::{Offer, Piece};

/// The text of a term; its data are the first arguments, and other processes come behind them.
pub(super) fn pieces(model: &Model, term: &Term, data: usize) -> Vec<Piece> {
    let mut writer = Writer { model, data, pieces: Vec::new(), names: Vec::new() };
    writer.term(term, 0);
    writer.pieces
}

/// What a term can do first, from what is known of it.
pub(super) fn offers(model: &Model, laws: &[Law], data: usize) -> Vec<Offer> {
    let own = laws.iter().filter(|law| law.subject.is_none() && law.guard.foreign_ends.is_empty());
    let offer = |law: &Law| {
        let write = |work: &dyn Fn(&mut Writer<'_>)| {
            let names = law.guard.binders.iter().map(|bound| (bound.variable, bound.name.clone())).collect();
            let mut writer = Writer { model, data, pieces: Vec::new(), names };
            work(&mut writer);
            writer.pieces
        };
        let is_always = *law.guard.condition.kind() == Data::Literal(Value::Boolean(true));
        let condition = (!is_always).then(|| write(&|writer| writer.expression(&law.guard.condition)));
        let action = match &law.says {
            Says::Begins(action, arguments, _) => {
                let term =
                    Term::new(TermKind::Action(*action, arguments.clone()), law.guard.condition.span());
                Some(write(&|writer| writer.term(&term, 0)))
            }
            Says::Ends => None,
            _ => return None,
        };
        Some(Offer { condition, action })
    };
    own.filter_map(offer).collect()
}

struct Writer<'m> {
    model: &'m Model,
    data: usize,
    pieces: Vec<Piece>,
    /// What variables that are bound around are called.
    names: Vec<(VariableId, Arc<str>)>,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_string())),
        }
    }

    /// A term inside of one that binds this tightly.
    fn term(&mut self, term: &Term, around: u8) {
        let (operator, strength) = match term.kind() {
            TermKind::Conditional(..) => ("", 1),
            TermKind::Parallel(..) => (" || ", 2),
            TermKind::Choice(..) => (" + ", 3),
            TermKind::Sequence(..) => (" * ", 4),
            _ => ("", 5),
        };
        if strength < around {
            self.text("(");
        }
        match term.kind() {
            TermKind::Empty => self.text("empty"),
            TermKind::Deadlock => self.text("\\delta"),
            TermKind::Action(action, arguments) => {
                let name = self.model.actions.get(action.0 as usize).map_or("…", |it| &it.name).to_string();
                self.call(&name, arguments);
            }
            TermKind::Call(process, arguments) => {
                let name =
                    self.model.processes.get(process.0 as usize).map_or("…", |it| &it.name).to_string();
                self.call(&name, arguments);
            }
            TermKind::Sequence(left, right)
            | TermKind::Choice(left, right)
            | TermKind::Parallel(left, right) => {
                self.term(left, strength);
                self.text(operator);
                self.term(right, strength);
            }
            TermKind::Conditional(condition, yes, no) => {
                self.expression(condition);
                self.text(" ? ");
                self.term(yes, 2);
                self.text(" : ");
                self.term(no, 1);
            }
            TermKind::Iteration(body) => {
                self.text("\\iter(");
                self.term(body, 0);
                self.text(")");
            }
            TermKind::Sum(binder, condition, body) => {
                self.text(&format!("(\\sum {}; ", binder.name));
                self.names.push((binder.variable, binder.name.clone()));
                self.expression(condition);
                self.text("; ");
                self.term(body, 0);
                self.text(")");
            }
            TermKind::Family(binder, body) => {
                self.text(&format!("(\\par {}", binder.name));
                if let Some((low, high)) = &binder.range {
                    self.text(" = ");
                    self.expression(low);
                    self.text(" .. ");
                    self.expression(high);
                }
                self.text("; ");
                self.names.push((binder.variable, binder.name.clone()));
                self.term(body, 0);
                self.text(")");
            }
            TermKind::Foreign(number) => self.pieces.push(Piece::Argument(self.data + *number as usize)),
        }
        if strength < around {
            self.text(")");
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expression]) {
        self.text(name);
        self.text("(");
        for (at, argument) in arguments.iter().enumerate() {
            if at > 0 {
                self.text(", ");
            }
            self.expression(argument);
        }
        self.text(")");
    }

    fn expression(&mut self, expression: &Expression) {
        match expression.kind() {
            Data::Literal(Value::Integer(number)) => self.text(&number.to_string()),
            Data::Literal(Value::Boolean(value)) => self.text(&value.to_string()),
            Data::Variable(variable) => {
                let known = self.names.iter().rev().find(|(known, _)| known == variable);
                let name = known.map_or("…".into(), |(_, name)| name.to_string());
                self.text(&name);
            }
            Data::Foreign(number) => self.pieces.push(Piece::Argument(*number as usize)),
            Data::Unary(operator, operand) => {
                self.text(match operator {
                    Unary::Not => "!",
                    Unary::Negate => "-",
                });
                self.expression(operand);
            }
            Data::Binary(operator, left, right) => {
                self.text("(");
                self.expression(left);
                self.text(match operator {
                    Binary::And => " && ",
                    Binary::Or => " || ",
                    Binary::Implies => " ==> ",
                    Binary::Equal => " == ",
                    Binary::Unequal => " != ",
                    Binary::Less => " < ",
                    Binary::AtMost => " <= ",
                    Binary::Add => " + ",
                    Binary::Subtract => " - ",
                    Binary::Multiply => " * ",
                    Binary::Divide | Binary::DivideEuclidean => " / ",
                    Binary::Remainder | Binary::RemainderEuclidean => " % ",
                });
                self.expression(right);
                self.text(")");
            }
            _ => self.text("…"),
        }
    }
}
