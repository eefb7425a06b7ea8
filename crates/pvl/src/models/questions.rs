//! Formulas, and what is asked about a model beside its text.

use process::{ActionId, Expression, Question, Range, RangeKind};

use super::{Converter, Leaves};
use crate::syntax::print_formula;
use crate::syntax::tree::{self, FormulaKind, ModelMemberKind, Temporal};

/// A formula over conditions of the model.
#[derive(Clone, Debug)]
pub enum FormulaTree {
    /// A condition, with its text.
    Atom(FormulaAtom, String),
    /// An operator of one operand.
    Unary(Temporal, Box<FormulaTree>),
    /// An operator of two operands.
    Binary(Temporal, Box<FormulaTree>, Box<FormulaTree>),
}

/// A condition of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum FormulaAtom {
    /// Over the fields.
    Condition(Expression),
    /// The last step was this action, with these arguments where they are given.
    Did(Option<ActionId>, Option<Vec<Expression>>),
    /// The process may end.
    Ended,
}

/// What is asked about a model.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The process, if one is named.
    pub question: Option<Question>,
    /// The formulas, in the order in which they were given.
    pub formulas: Vec<FormulaTree>,
}

impl<'tree> Converter<'_, 'tree> {
    /// The formulas that stand in the model.
    pub(super) fn formulas(&mut self) -> Vec<(String, FormulaTree)> {
        let mut found = Vec::new();
        for member in &self.source.members {
            if let ModelMemberKind::Formula(named) = &member.kind {
                found.push((named.name.text.to_string(), self.formula(&named.formula)));
            }
        }
        found
    }

    fn formula<'q>(&mut self, formula: &'q tree::Formula) -> FormulaTree
    where
        'q: 'tree,
    {
        let atom = match &*formula.kind {
            FormulaKind::Condition(condition) => FormulaAtom::Condition(self.expression(condition)),
            FormulaKind::Ended => FormulaAtom::Ended,
            FormulaKind::Did { action, arguments } => {
                let number =
                    self.model.actions.iter().position(|known| known.name == action.text).map(|it| it as u32);
                let arguments = arguments
                    .as_ref()
                    .map(|arguments| arguments.iter().map(|it| self.expression(it)).collect());
                FormulaAtom::Did(number.map(ActionId), arguments)
            }
            FormulaKind::Unary(operator, operand) => {
                return FormulaTree::Unary(*operator, Box::new(self.formula(operand)));
            }
            FormulaKind::Binary(operator, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                return FormulaTree::Binary(*operator, Box::new(left), Box::new(right));
            }
        };
        FormulaTree::Atom(atom, print_formula(formula))
    }

    /// A question that was resolved together with the program.
    pub(super) fn question<'q>(&mut self, question: &'q tree::Question) -> Asked
    where
        'q: 'tree,
    {
        let mut ranges = Vec::new();
        for range in &question.ranges {
            let kind = self.range(&range.kind);
            let variable = self.variable(range.id);
            let field = self.model.fields.iter().position(|field| field.name == range.name.text);
            ranges.push(Range {
                name: range.name.text.clone(),
                variable,
                field: field.map(|field| process::FieldId(field as u32)),
                ty: self.type_of_variable(range.id),
                kind,
                span: range.span,
            });
        }
        let conditions = question.conditions.iter().map(|it| self.expression(it)).collect();
        let term = question.process.as_ref().map(|process| self.term(process));
        let formulas = question.formulas.iter().map(|it| self.formula(it)).collect();
        let question = match term.as_ref().map(|term| term.kind()) {
            Some(process::TermKind::Call(process, arguments)) => Some(Question {
                process: *process,
                arguments: arguments.clone(),
                ranges,
                conditions,
                small: None,
            }),
            _ => None,
        };
        Asked { question, formulas }
    }

    fn range<'q>(&mut self, range: &'q tree::RangeKind) -> RangeKind
    where
        'q: 'tree,
    {
        match range {
            tree::RangeKind::Interval(low, high) => {
                RangeKind::Interval(self.expression(low), self.expression(high))
            }
            tree::RangeKind::Listed(values) => {
                RangeKind::Listed(values.iter().map(|value| self.expression(value)).collect())
            }
            tree::RangeKind::Permutations(values) => RangeKind::Permutations(Box::new(self.range(values))),
            tree::RangeKind::Sequences(length, values) => {
                RangeKind::Sequences(self.expression(length), Box::new(self.range(values)))
            }
        }
    }
}
