//! What a term in normal form can do first, and whether it may end. Neither depends on the fields.

use std::sync::Arc;

use crate::evaluate::{Code, Stop, Word};
use crate::limits;
use crate::solve::{Cell, CellPlace, Refusal};
use crate::types::Type;

use super::components::{Node, TermId};
use super::explorer::Explorer;
use super::program::TermCode;

/// A first step of a component.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) what: What,
    /// What is around the part that moves, the innermost first.
    around: Arc<[Around]>,
    /// The components that are left, where they do not depend on the fields.
    pub(super) target: Option<Box<[u32]>>,
}

#[derive(Debug)]
pub(super) enum What {
    /// An action with its arguments, by the number of the label.
    Label(u32),
    /// A sum whose values depend on the fields, and which of its first actions; the number of all that.
    Sum { number: u32, values: Arc<[Word]>, heads: Arc<[Head]>, head: u32, sum: u32 },
}

#[derive(Clone, Debug)]
enum Around {
    Then(TermId),
    Beside(Arc<[TermId]>),
}

/// A first action of a sum.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Variables whose values are to be found.
    pub(super) cells: Vec<(u32, Type)>,
    pub(super) conditions: Vec<(Code, bool)>,
    pub(super) action: u32,
    pub(super) arguments: Vec<Code>,
    pub(super) span: source::Span,
    /// What follows, in order.
    rest: Vec<TermCode>,
    /// The argument whose value the action's contract says outright.
    pub(super) open: Option<usize>,
}

impl Explorer<'_> {
    /// What a component offers, taken out of what is kept; to be given back with [`Explorer::keep_offers`].
    pub(super) fn take_offers(&mut self, component: u32) -> Result<Box<[Offer]>, String> {
        if let Some(known) = self.offers.get_mut(component as usize).and_then(Option::take) {
            return Ok(known);
        }
        self.meet(component);
        let mut found = Vec::new();
        self.gather(TermId(component), &mut Vec::new(), &mut found)?;
        for offer in &found {
            self.settle(component, offer.target.as_deref().unwrap_or_default());
        }
        Ok(found.into())
    }

    pub(super) fn keep_offers(&mut self, component: u32, offers: Box<[Offer]>) {
        if let Some(place) = self.offers.get_mut(component as usize) {
            *place = Some(offers);
        }
    }

    fn gather(
        &mut self,
        term: TermId,
        around: &mut Vec<Around>,
        found: &mut Vec<Offer>,
    ) -> Result<(), String> {
        if around.len() > limits::EXPLORED_UNFOLDINGS as usize || found.len() > limits::COMPONENTS {
            return Err("a state has more parts than can be listed".to_string());
        }
        match self.common.node(term).clone() {
            Node::Empty | Node::Deadlock => {}
            Node::Failed(number) => return Err(self.common.sentence(number).to_string()),
            Node::Action(action, arguments) => {
                let label = self.common.label_of(&mut self.recent, action, arguments);
                let empty = self.node(Node::Empty, None);
                let target = self.surrounded(empty, around)?;
                let mut components = Vec::new();
                self.components(target, &mut components);
                let around = around.iter().rev().cloned().collect();
                found.push(Offer { what: What::Label(label), around, target: Some(components.into()) });
            }
            // In normal form there is none.
            Node::Call(..) => {
                let normal = self.normal(term)?;
                self.gather(normal, around, found)?;
            }
            Node::Sequence(first, rest) => {
                around.push(Around::Then(rest));
                self.gather(first, around, found)?;
                around.pop();
                if self.may_end_term(first)? {
                    let rest = self.normal(rest)?;
                    self.gather(rest, around, found)?;
                }
            }
            Node::Choice(parts) => {
                for part in &parts {
                    self.gather(*part, around, found)?;
                }
            }
            Node::Parallel(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    // Of equal components one is enough.
                    if index > 0 && parts[index - 1] == *part {
                        continue;
                    }
                    let others: Arc<[TermId]> =
                        parts.iter().enumerate().filter(|(it, _)| *it != index).map(|(_, it)| *it).collect();
                    around.push(Around::Beside(others));
                    self.gather(*part, around, found)?;
                    around.pop();
                }
            }
            Node::Iteration(inner) => {
                around.push(Around::Then(term));
                self.gather(inner, around, found)?;
                around.pop();
            }
            Node::Sum(number, values) => {
                let heads = self.heads(number)?;
                let around: Arc<[Around]> = around.iter().rev().cloned().collect();
                let values: Arc<[Word]> = values.iter().copied().collect();
                for head in 0..heads.len() as u32 {
                    let sum = self.sums.intern((number, head, values.clone()));
                    let heads = heads.clone();
                    let what = What::Sum { number, values: values.clone(), heads, head, sum };
                    found.push(Offer { what, around: around.clone(), target: None });
                }
            }
        }
        Ok(())
    }

    /// A term inside of what is around it (the outermost first), in normal form.
    fn surrounded(&mut self, term: TermId, around: &[Around]) -> Result<TermId, String> {
        let mut term = self.normal(term)?;
        for around in around.iter().rev() {
            term = match around {
                Around::Then(rest) => self.followed(term, *rest)?,
                Around::Beside(others) => {
                    let mut parts = others.to_vec();
                    parts.push(term);
                    self.side_by_side(parts)?
                }
            };
        }
        Ok(term)
    }

    /// What is left behind the first action of a sum, once the values of its variables are known.
    pub(super) fn continued(
        &mut self,
        offer: &Offer,
        number: u32,
        values: &[Word],
        head: &Head,
        found: &[Word],
    ) -> Result<Vec<u32>, String> {
        let program = self.program.clone();
        let free = &program.sums[number as usize].free;
        let mut saved = Vec::new();
        let bindings = free.iter().copied().zip(values.iter().copied());
        let cells = head.cells.iter().map(|(variable, _)| *variable).zip(found.iter().copied());
        for (variable, word) in bindings.chain(cells) {
            saved.push((variable, std::mem::replace(&mut self.variables[variable as usize], word)));
        }
        let parts: Vec<TermId> = head.rest.iter().map(|part| self.instantiate(part)).collect();
        for (variable, word) in saved.into_iter().rev() {
            self.variables[variable as usize] = word;
        }
        let mut term = self.node(Node::Empty, None);
        for part in parts.into_iter().rev() {
            let part = self.normal(part)?;
            term = self.followed(part, term)?;
        }
        let around: Vec<Around> = offer.around.iter().rev().cloned().collect();
        let target = self.surrounded(term, &around)?;
        let mut components = Vec::new();
        self.components(target, &mut components);
        Ok(components)
    }

    /// Whether a term in normal form may end.
    pub(super) fn may_end_term(&mut self, term: TermId) -> Result<bool, String> {
        if let Some(Some(known)) = self.ends.get(term.0 as usize) {
            return Ok(*known);
        }
        let ends = match self.common.node(term).clone() {
            Node::Empty | Node::Iteration(_) => true,
            // The first actions of a sum are known, or it is refused: it does not end without one.
            Node::Deadlock | Node::Action(..) | Node::Failed(_) | Node::Sum(..) => false,
            Node::Call(..) => {
                let normal = self.normal(term)?;
                self.may_end_term(normal)?
            }
            Node::Sequence(first, rest) => {
                self.may_end_term(first)? && {
                    let rest = self.normal(rest)?;
                    self.may_end_term(rest)?
                }
            }
            Node::Choice(parts) => {
                let mut any = false;
                for part in &parts {
                    any = self.may_end_term(*part)? || any;
                }
                any
            }
            Node::Parallel(parts) => {
                let mut all = true;
                for part in &parts {
                    all = self.may_end_term(*part)? && all;
                }
                all
            }
        };
        self.make_room(term.0);
        self.ends[term.0 as usize] = Some(ends);
        Ok(ends)
    }

    /// A sum: a choice where the values are known, else something whose values the fields say.
    pub(super) fn sum(&mut self, number: u32) -> TermId {
        let program = self.program.clone();
        let sum = &program.sums[number as usize];
        let values = match &sum.range {
            Some((low, high)) => {
                let bounds = (self.evaluate(low), self.evaluate(high));
                let (low, high) = match bounds {
                    (Ok(low), Ok(high)) => (low, high),
                    (Err(stop), _) | (_, Err(stop)) => return self.failed(stop, sum.span),
                };
                match (low.as_small(), high.as_small()) {
                    (Some(low), Some(high)) if high - low <= limits::COMPONENTS as i64 => {
                        (low..high).map(Word::small).collect::<Option<Vec<Word>>>()
                    }
                    _ => return self.failed(Stop::Budget, sum.span),
                }
            }
            None => match self.solutions(sum.variable, &sum.ty, &sum.condition) {
                Ok(values) => Some(values),
                Err(Refusal::Open(_) | Refusal::Budget) => None,
                Err(Refusal::Condition(_, stop)) => return self.failed(stop, sum.span),
            },
        };
        let Some(values) = values else {
            let free: Box<[Word]> =
                sum.free.iter().map(|variable| self.variables[*variable as usize]).collect();
            return self.node(Node::Sum(number, free), Some(sum.span));
        };
        let mut parts = Vec::new();
        for value in values {
            let part =
                self.with_variable(sum.variable, value, |explorer| match explorer.evaluate(&sum.condition) {
                    Ok(Word::TRUE) => Some(explorer.instantiate(&sum.body)),
                    Ok(_) => None,
                    Err(stop) => Some(explorer.failed(stop, sum.span)),
                });
            parts.extend(part);
        }
        self.chosen(parts)
    }

    /// The values of a variable that make a condition true, if that alone determines them.
    fn solutions(&mut self, variable: u32, ty: &Type, condition: &Code) -> Result<Vec<Word>, Refusal> {
        let cells = [Cell { place: CellPlace::Variable(variable), ty: ty.clone(), range: None }];
        let before = self.variables[variable as usize];
        let program = self.program.clone();
        let solver = self.solver(&program, &[], &mut [], &cells);
        let found = solver.solve(&[condition]);
        self.variables[variable as usize] = before;
        Ok(found?.into_iter().map(|words| words[0]).collect())
    }

    /// The first actions of a sum, with conditions on its variables.
    pub(super) fn heads(&mut self, number: u32) -> Result<Arc<[Head]>, String> {
        if let Some(known) = self.heads.get(&number) {
            return known.clone();
        }
        let program = self.program.clone();
        let sum = &program.sums[number as usize];
        let mut heads = Vec::new();
        let mut context = Context { cells: vec![(sum.variable, sum.ty.clone())], conditions: Vec::new() };
        context.conditions.push((sum.condition.clone(), true));
        let result = find_heads(&program.sums, &sum.body, &mut context, &mut Vec::new(), &mut heads);
        for head in &mut heads {
            head.open = self.open_argument(head);
        }
        let result = result.map(|()| Arc::from(heads));
        self.heads.insert(number, result.clone());
        result
    }
}

struct Context {
    cells: Vec<(u32, Type)>,
    conditions: Vec<(Code, bool)>,
}

/// The first actions of a term under a sum. `rest` is what follows it, the last first.
fn find_heads(
    sums: &[super::program::SumCode],
    term: &TermCode,
    context: &mut Context,
    rest: &mut Vec<TermCode>,
    heads: &mut Vec<Head>,
) -> Result<(), String> {
    let refused = |what: &str| {
        Err(format!(
            "the values of a `\\sum` are not known, and it begins with {what}: only an action's contract can say them"
        ))
    };
    match term {
        TermCode::Deadlock => Ok(()),
        TermCode::Action(action, arguments, span) => {
            heads.push(Head {
                cells: context.cells.clone(),
                conditions: context.conditions.clone(),
                action: *action,
                arguments: arguments.clone(),
                span: *span,
                rest: rest.iter().rev().cloned().collect(),
                open: None,
            });
            Ok(())
        }
        TermCode::Sequence(a, b) => {
            rest.push((**b).clone());
            let result = find_heads(sums, a, context, rest, heads);
            rest.pop();
            result
        }
        TermCode::Choice(a, b) => {
            find_heads(sums, a, context, rest, heads)?;
            find_heads(sums, b, context, rest, heads)
        }
        TermCode::Conditional(condition, a, b, _) => {
            context.conditions.push((condition.clone(), true));
            let first = find_heads(sums, a, context, rest, heads);
            context.conditions.pop();
            context.conditions.push((condition.clone(), false));
            let second = find_heads(sums, b, context, rest, heads);
            context.conditions.pop();
            first.and(second)
        }
        TermCode::Sum(number) => {
            let inner = &sums[*number as usize];
            context.cells.push((inner.variable, inner.ty.clone()));
            context.conditions.push((inner.condition.clone(), true));
            let before = context.conditions.len();
            if let Some((low, high)) = &inner.range {
                let variable = Code::Variable(inner.variable);
                let at_least = (Box::new(low.clone()), Box::new(variable.clone()));
                let below = (Box::new(variable), Box::new(high.clone()));
                context
                    .conditions
                    .push((Code::Binary(crate::expression::Binary::AtMost, at_least.0, at_least.1), true));
                context
                    .conditions
                    .push((Code::Binary(crate::expression::Binary::Less, below.0, below.1), true));
            }
            let result = find_heads(sums, &inner.body, context, rest, heads);
            context.conditions.truncate(before - 1);
            context.cells.pop();
            result
        }
        TermCode::Empty => refused("nothing"),
        TermCode::Call(..) => refused("a process"),
        TermCode::Parallel(..) | TermCode::Family(..) => refused("processes side by side"),
        TermCode::Iteration(_) => refused("an iteration"),
        TermCode::Foreign(..) => refused("a variable of type process"),
    }
}
