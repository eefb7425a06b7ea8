//! Terms as they were written in a member, with what is in them: so that others can be made of their parts, and be written
//! where they are needed.

use std::collections::{BTreeMap, BTreeSet};

use process::{Expression, ExpressionKind, Substitution, Term, TermKind};
use silver::syntax::tree as s;
use source::Span;

use super::algebra::known_type;
use super::found::{Found, Inside};
use super::remainders::beside;
use crate::lower::scope::Scope;
use crate::models::read_term;
use crate::resolve::Type;
use crate::syntax::tree::{self, NodeId};

/// A term that was written in a member, with what is in it.
#[derive(Clone)]
pub(crate) struct WrittenTerm {
    pub(super) model: NodeId,
    pub(super) term: Term,
    pub(super) inside: Inside,
}

impl WrittenTerm {
    pub(super) fn is_same(&self, other: &WrittenTerm) -> bool {
        self.term == other.term && self.has_same_data(other)
    }

    pub(super) fn has_same_data(&self, other: &WrittenTerm) -> bool {
        let data = |it: &WrittenTerm| it.inside.0.iter().map(|known| known.0.clone()).collect::<Vec<_>>();
        let terms = |it: &WrittenTerm| it.inside.1.iter().map(|known| known.0.clone()).collect::<Vec<_>>();
        self.model == other.model && data(self) == data(other) && terms(self) == terms(other)
    }

    /// A term that is made of parts of this one, with what is in it and nothing else.
    pub(super) fn part(&self, term: Term) -> WrittenTerm {
        let mut leaves = Leaves::default();
        leaves.visit(&term);
        let (data, terms) = &self.inside;
        let (mut used_data, mut used_terms) = (Vec::new(), Vec::new());
        let (mut substitution, mut numbers) = (Substitution::new(), vec![0; terms.len()]);
        for (number, ty) in leaves.data {
            let leaf = ExpressionKind::Foreign(used_data.len() as u32);
            substitution.set_foreign(number, Expression::new(leaf, ty, term.span()));
            used_data.extend(data.get(number as usize).cloned());
        }
        for number in leaves.terms {
            if let (Some(place), Some(value)) = (numbers.get_mut(number as usize), terms.get(number as usize))
            {
                *place = used_terms.len() as u32;
                used_terms.push(value.clone());
            }
        }
        match term.with_other_leaves(&substitution, &numbers) {
            Some(term) => WrittenTerm { model: self.model, term, inside: (used_data, used_terms) },
            None => WrittenTerm { term, ..self.clone() },
        }
    }
}

/// The leaves of a term that stand for what is in it.
#[derive(Default)]
struct Leaves {
    data: BTreeMap<u32, process::Type>,
    terms: BTreeSet<u32>,
}

impl Leaves {
    fn visit(&mut self, term: &Term) {
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            match term.kind() {
                TermKind::Action(_, arguments) | TermKind::Call(_, arguments) => {
                    arguments.iter().for_each(|argument| self.visit_data(argument));
                }
                TermKind::Conditional(condition, ..) => self.visit_data(condition),
                TermKind::Sum(binder, condition, _) => {
                    self.visit_data(condition);
                    self.visit_range(binder);
                }
                TermKind::Family(binder, _) => self.visit_range(binder),
                TermKind::Foreign(number) => drop(self.terms.insert(*number)),
                _ => {}
            }
            waiting.extend(term.kind().parts());
        }
    }

    fn visit_range(&mut self, binder: &process::Binder) {
        if let Some((from, to)) = &binder.range {
            self.visit_data(from);
            self.visit_data(to);
        }
    }

    fn visit_data(&mut self, expression: &Expression) {
        if let ExpressionKind::Foreign(number) = expression.kind() {
            self.data.insert(*number, expression.ty().clone());
        }
        expression.kind().for_each_part(&mut |part| self.visit_data(part));
    }
}

impl<'t> Scope<'_, 't> {
    /// Remembers a term that is written in this member.
    pub(super) fn note_term(&mut self, model: NodeId, term: &Term, inside: &Inside) {
        if self.member.is_definition {
            return;
        }
        let written = WrittenTerm { model, term: term.clone(), inside: inside.clone() };
        self.path.written.retain(|known| !known.is_same(&written));
        self.path.written.push(written);
    }

    /// A term as it is written, for the algebra.
    pub(super) fn read_written(&mut self, model: NodeId, term: &'t tree::Expression) -> Option<WrittenTerm> {
        let known = self.lowering.algebraic_model(model)?;
        let resolution = self.resolution;
        let mut found = Found::new(self, &known);
        let term = read_term(resolution, &known.members, term, &mut found).ok()?;
        let Found { data, terms, .. } = found;
        Some(WrittenTerm { model, term, inside: (data, terms) })
    }

    /// The value of a term; that it is needed here does not make it one of those that were written.
    pub(super) fn written_value(&mut self, written: &WrittenTerm, place: Span) -> Option<s::Expression> {
        let known = self.lowering.algebraic_model(written.model)?;
        let noted = std::mem::take(&mut self.path.written);
        let value = self.term_call(written.model, &known, &written.term, written.inside.clone(), place);
        self.path.written = noted;
        Some(value)
    }

    /// Remembers the share of a part that is written in this member, and whether it is one of a fraction.
    pub(super) fn note_share(&mut self, share: &s::Expression) {
        self.path.has_fractions |= !self.spec.factors.is_empty();
        let text = silver::syntax::print_expression(share);
        self.path.shares.retain(|known| silver::syntax::print_expression(known) != text);
        self.path.shares.push(share.clone());
    }

    /// The same with what is in it kept in variables where it could not be written again later.
    pub(super) fn with_kept_data(&mut self, written: WrittenTerm, place: Span) -> WrittenTerm {
        let (mut data, mut terms) = written.inside;
        for (text, value, ty) in &mut data {
            if !self.is_in_reach(value) {
                *value = self.keep(value.clone(), ty, "data", place);
                *text = silver::syntax::print_expression(value);
            }
        }
        for (text, value) in &mut terms {
            if !self.is_in_reach(value) {
                *value = self.keep(value.clone(), &Type::Process, "term", place);
                *text = silver::syntax::print_expression(value);
            }
        }
        WrittenTerm { inside: (data, terms), ..written }
    }

    /// Whether a value can be written again here: it is made of numbers and variables that are in reach, and of operations
    /// that always have a value.
    pub(super) fn is_in_reach(&self, value: &s::Expression) -> bool {
        use s::BinaryOperator::{Add, Divide, Multiply, Subtract};
        use s::ExpressionKind::{Binary, Bool, FullPermission, Int, Name, Null, Size, Unary};
        let is_positive = |value: &s::Expression| matches!(&*value.kind, Int(digits) if digits.bytes().any(|it| it != b'0'));
        match &*value.kind {
            Int(_) | Bool(_) | Null | FullPermission => true,
            Binary(Divide, left, right) => self.is_in_reach(left) && is_positive(right),
            Name(name) => self.member.formals.contains(&name.text) || self.is_declared(&name.text),
            Unary(_, operand) | Size(operand) => self.is_in_reach(operand),
            Binary(Add | Subtract | Multiply, left, right) => {
                self.is_in_reach(left) && self.is_in_reach(right)
            }
            s::ExpressionKind::Call(name, arguments, _) if arguments.is_empty() => {
                &*name.text == "process_empty"
            }
            _ => false,
        }
    }

    /// Whether a variable is declared in one of the blocks around.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.path.blocks.iter().flatten().any(|statement| match &statement.kind {
            s::StatementKind::Variables { bindings, .. } => {
                bindings.iter().any(|binding| &*binding.name.text == name)
            }
            _ => false,
        })
    }

    pub(super) fn is_term_in_reach(&self, written: &WrittenTerm) -> bool {
        let (data, terms) = &written.inside;
        data.iter().all(|known| self.is_in_reach(&known.1))
            && terms.iter().all(|known| self.is_in_reach(&known.1))
    }

    /// Two terms side by side, with what is in both.
    pub(super) fn joined(
        &mut self,
        first: &WrittenTerm,
        second: &WrittenTerm,
        place: Span,
    ) -> Option<WrittenTerm> {
        let (data, terms) = &second.inside;
        let (mut data, mut terms) = (data.clone(), terms.clone());
        let (mut leaves, mut numbers) = (Substitution::new(), Vec::new());
        for (number, known) in first.inside.0.iter().enumerate() {
            let at = data.iter().position(|it| it.0 == known.0 && it.2 == known.2);
            let leaf = ExpressionKind::Foreign(at.unwrap_or(data.len()) as u32);
            let ty = known_type(&mut self.lowering.terms.types, &known.2);
            leaves.set_foreign(number as u32, Expression::new(leaf, ty, place));
            data.extend(at.is_none().then(|| known.clone()));
        }
        for known in &first.inside.1 {
            let at = terms.iter().position(|it| it.0 == known.0);
            numbers.push(at.unwrap_or(terms.len()) as u32);
            terms.extend(at.is_none().then(|| known.clone()));
        }
        let first = first.term.with_other_leaves(&leaves, &numbers)?;
        let term = beside([first, second.term.clone()].into_iter(), place);
        Some(WrittenTerm { model: second.model, term, inside: (data, terms) })
    }
}
