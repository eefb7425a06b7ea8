//! Which actions a term can ever do, with what is known about their arguments.
//!
//! Arguments that are the same in every call keep their expressions; all others stand for any value. What is found is an
//! upper bound: there may be letters that no run has, but none is missing.

use std::collections::{BTreeSet, HashMap};

use super::{Lineariser, Refusal};
use crate::expression::Expression;
use crate::head::Guard;
use crate::model::{ActionId, FieldId, ProcessId};
use crate::normal::{Algebra, Bound, Normal, NormalKind, in_range};
use crate::simplify::{and, not, truth, variable};
use crate::substitute::free_variables;
use crate::types::Type;

/// An action that a term can do: for some values of the bound variables, under a condition.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) guard: Guard,
    pub(super) action: ActionId,
    pub(super) arguments: Vec<Expression>,
}

/// What is known about the arguments of a process in all calls: the same expression, or any value.
type Arguments = Vec<Option<Expression>>;

/// A walk through all terms that can be reached.
struct Walk<'a, 'm> {
    algebra: &'a mut Algebra<'m>,
    /// Variables that mean the same everywhere.
    outside: BTreeSet<crate::model::VariableId>,
    calls: HashMap<ProcessId, Arguments>,
    /// Processes whose calls have changed since they were looked at, in the order in which that was seen.
    waiting: Vec<ProcessId>,
    letters: HashMap<Option<ProcessId>, Vec<Letter>>,
    order: Vec<Option<ProcessId>>,
}

impl Lineariser<'_> {
    /// The letters of a term.
    pub(super) fn alphabet(&mut self, term: Normal) -> Result<Vec<Letter>, Refusal> {
        let outside = self.algebra.free_variables(term).iter().copied().collect();
        let mut walk = Walk {
            algebra: &mut self.algebra,
            outside,
            calls: HashMap::new(),
            waiting: Vec::new(),
            letters: HashMap::new(),
            order: Vec::new(),
        };
        walk.visit_all(term)?;
        let order = std::mem::take(&mut walk.order);
        let mut letters = Vec::new();
        for place in order {
            letters.extend(walk.letters.remove(&place).unwrap_or_default());
        }
        Ok(letters)
    }

    /// The fields that a term can ever change.
    pub(super) fn changed_fields(&mut self, term: Normal) -> Result<BTreeSet<FieldId>, Refusal> {
        let letters = self.alphabet(term)?;
        let actions = letters.iter().map(|letter| &self.model().actions[letter.action.0 as usize]);
        Ok(actions.flat_map(|action| action.modifies.iter().copied()).collect())
    }
}

impl Walk<'_, '_> {
    fn visit_all(&mut self, term: Normal) -> Result<(), Refusal> {
        self.order.push(None);
        let always = Guard::always(self.algebra.nowhere());
        let mut letters = Vec::new();
        self.visit(term, &always, &mut letters)?;
        self.letters.insert(None, letters);
        while let Some(process) = self.waiting.pop() {
            if !self.order.contains(&Some(process)) {
                self.order.push(Some(process));
            }
            let known = self.calls.get(&process).cloned().unwrap_or_default();
            let declared = &self.algebra.model().processes[process.0 as usize];
            let mut guard = Guard::always(declared.span);
            let mut arguments = Vec::with_capacity(known.len());
            for (parameter, known) in declared.parameters.iter().zip(known) {
                arguments.push(match known {
                    Some(argument) => argument,
                    None => {
                        let fresh = self.algebra.fresh_variable();
                        let (name, ty) = (parameter.name.clone(), parameter.ty.clone());
                        guard.binders.push(Bound { variable: fresh, name, ty: ty.clone() });
                        variable(fresh, ty, parameter.span)
                    }
                });
            }
            let body = self.algebra.unfold(process, &arguments)?;
            let mut letters = Vec::new();
            self.visit(body, &guard, &mut letters)?;
            self.letters.insert(Some(process), letters);
        }
        Ok(())
    }

    fn visit(&mut self, term: Normal, guard: &Guard, letters: &mut Vec<Letter>) -> Result<(), Refusal> {
        if letters.len() > crate::limits::LETTERS {
            return Err(Refusal::TooLarge);
        }
        let under =
            |condition: &Expression| Guard { condition: and(&guard.condition, condition), ..guard.clone() };
        match self.algebra.kind(term).clone() {
            NormalKind::Empty | NormalKind::Deadlock => {}
            NormalKind::Foreign(_) => return Err(Refusal::Foreign),
            NormalKind::Action(action, arguments) => {
                let is_known = |known: &Letter| {
                    known.action == action
                        && known.arguments[..] == arguments[..]
                        && known.guard.condition == guard.condition
                        && known.guard.binders == guard.binders
                };
                if !letters.iter().any(is_known) {
                    letters.push(Letter { guard: guard.clone(), action, arguments: arguments.to_vec() });
                }
            }
            NormalKind::Call(process, arguments) => self.call(process, &arguments),
            NormalKind::Sequence(..) => {
                let mut next = term;
                while let NormalKind::Sequence(first, rest) = *self.algebra.kind(next) {
                    self.visit(first, guard, letters)?;
                    next = rest;
                }
                self.visit(next, guard, letters)?;
            }
            NormalKind::Choice(alternatives) => {
                for alternative in alternatives.iter() {
                    self.visit(*alternative, guard, letters)?;
                }
            }
            NormalKind::Parallel(components) => {
                for (component, _) in components.iter() {
                    self.visit(*component, guard, letters)?;
                }
            }
            NormalKind::Iteration(body) => self.visit(body, guard, letters)?,
            NormalKind::Conditional(condition, yes, no) => {
                self.visit(yes, &under(&condition), letters)?;
                self.visit(no, &under(&not(&condition)), letters)?;
            }
            NormalKind::Sum(bound, condition, body) => {
                let (bound, condition, body) = self.algebra.open(&bound, &condition, body)?;
                let mut inside = under(&condition);
                inside.binders.push(bound);
                self.visit(body, &inside, letters)?;
            }
            NormalKind::Family(bound, from, to, body) => {
                let always = truth(true, from.span());
                let (bound, _, body) = self.algebra.open(&bound, &always, body)?;
                let index = variable(bound.variable, Type::Integer, from.span());
                let mut inside = under(&in_range(&index, &from, &to));
                inside.binders.push(bound);
                self.visit(body, &inside, letters)?;
            }
        }
        Ok(())
    }

    /// Joins the arguments of a call with those of all calls before.
    fn call(&mut self, process: ProcessId, arguments: &[Expression]) {
        let stays = |argument: &Expression| {
            let mut free = BTreeSet::new();
            free_variables(argument, &mut free);
            free.is_subset(&self.outside)
        };
        let next: Arguments =
            arguments.iter().map(|argument| stays(argument).then(|| argument.clone())).collect();
        let joined = match self.calls.get(&process) {
            None => next,
            Some(known) => {
                let pairs = known.iter().zip(next);
                pairs
                    .map(|(known, next)| known.clone().filter(|known| Some(known) == next.as_ref()))
                    .collect()
            }
        };
        if self.calls.get(&process) != Some(&joined) {
            self.calls.insert(process, joined);
            if !self.waiting.contains(&process) {
                self.waiting.push(process);
            }
        }
    }
}
