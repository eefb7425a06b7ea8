//! From a term as it is written to its normal form. The walk keeps its own stack, so long chains of one operator cost no
//! depth; the normal form that comes out is bounded in depth.

use std::rc::Rc;

use super::construct::in_range;
use super::{Algebra, Bound, Limit, Normal};
use crate::expression::{Binder, Expression};
use crate::limits;
use crate::model::ProcessId;
use crate::simplify::{and, truth, variable};
use crate::substitute::Substitution;
use crate::term::{Term, TermKind};

/// What is left to do. Results wait on a stack of their own, the newest last.
enum Task {
    Visit(Term, Rc<Substitution>),
    Sequence(usize),
    Choice(usize),
    Parallel(usize),
    Conditional(Expression),
    Iteration,
    Sum(Bound, Expression),
    Family(Bound, Expression, Expression),
}

impl Algebra<'_> {
    /// The normal form of a term.
    pub fn normalise(&mut self, term: &Term) -> Result<Normal, Limit> {
        self.normalise_with(term, Substitution::new())
    }

    /// The normal form of what a process is defined to be, with these arguments.
    pub fn unfold(&mut self, process: ProcessId, arguments: &[Expression]) -> Result<Normal, Limit> {
        let declared = &self.model.processes[process.0 as usize];
        self.normalise_with(&declared.body, Substitution::of_parameters(&declared.parameters, arguments))
    }

    fn normalise_with(&mut self, term: &Term, substitution: Substitution) -> Result<Normal, Limit> {
        if term.size() > limits::TERM_NODES {
            return Err(Limit::TermSize);
        }
        let mut tasks = vec![Task::Visit(term.clone(), Rc::new(substitution))];
        let mut results: Vec<Normal> = Vec::new();
        while let Some(task) = tasks.pop() {
            let result = match task {
                Task::Visit(term, substitution) => {
                    if let Some(result) = self.visit(&term, &substitution, &mut tasks)? {
                        results.push(result);
                    }
                    continue;
                }
                Task::Sequence(count) => {
                    let parts = results.split_off(results.len() - count);
                    let mut result = self.empty()?;
                    for part in parts.into_iter().rev() {
                        result = self.sequence(part, result)?;
                    }
                    result
                }
                Task::Choice(count) => {
                    let parts = results.split_off(results.len() - count);
                    self.choice(parts)?
                }
                Task::Parallel(count) => {
                    let parts = results.split_off(results.len() - count);
                    self.parallel(parts.into_iter().map(|part| (part, 1)).collect())?
                }
                Task::Conditional(condition) => {
                    let (no, yes) = (pop(&mut results)?, pop(&mut results)?);
                    self.conditional(&condition, yes, no)?
                }
                Task::Iteration => {
                    let body = pop(&mut results)?;
                    self.iteration(body)?
                }
                Task::Sum(bound, condition) => {
                    let body = pop(&mut results)?;
                    self.sum(&bound, &condition, body)?
                }
                Task::Family(bound, from, to) => {
                    let body = pop(&mut results)?;
                    self.family(&bound, &from, &to, body)?
                }
            };
            results.push(result);
        }
        pop(&mut results)
    }

    /// The normal form of a leaf; for anything else, what is to be done is put onto the stack.
    fn visit(
        &mut self,
        term: &Term,
        substitution: &Rc<Substitution>,
        tasks: &mut Vec<Task>,
    ) -> Result<Option<Normal>, Limit> {
        match term.kind() {
            TermKind::Empty => return self.empty().map(Some),
            TermKind::Deadlock => return self.deadlock().map(Some),
            TermKind::Foreign(number) => return self.foreign(*number).map(Some),
            TermKind::Action(action, arguments) => {
                let arguments = applied(substitution, arguments)?;
                return self.action(*action, &arguments).map(Some);
            }
            TermKind::Call(process, arguments) => {
                let arguments = applied(substitution, arguments)?;
                return self.call(*process, &arguments).map(Some);
            }
            TermKind::Sequence(..) => {
                let parts = chain(term, |kind| match kind {
                    TermKind::Sequence(left, right) => Some((left, right)),
                    _ => None,
                });
                tasks.push(Task::Sequence(parts.len()));
                push_visits(tasks, parts, substitution);
            }
            TermKind::Choice(..) => {
                let parts = chain(term, |kind| match kind {
                    TermKind::Choice(left, right) => Some((left, right)),
                    _ => None,
                });
                tasks.push(Task::Choice(parts.len()));
                push_visits(tasks, parts, substitution);
            }
            TermKind::Parallel(..) => {
                let parts = chain(term, |kind| match kind {
                    TermKind::Parallel(left, right) => Some((left, right)),
                    _ => None,
                });
                tasks.push(Task::Parallel(parts.len()));
                push_visits(tasks, parts, substitution);
            }
            TermKind::Conditional(condition, yes, no) => {
                tasks.push(Task::Conditional(checked(substitution, condition)?));
                push_visits(tasks, vec![yes.clone(), no.clone()], substitution);
            }
            TermKind::Iteration(body) => {
                tasks.push(Task::Iteration);
                tasks.push(Task::Visit(body.clone(), substitution.clone()));
            }
            TermKind::Sum(binder, condition, body) => {
                let (bound, inner) = self.freshly_bound(binder, substitution);
                let name = variable(bound.variable, bound.ty.clone(), self.nowhere());
                let limits = match &binder.range {
                    Some((from, to)) => {
                        in_range(&name, &checked(substitution, from)?, &checked(substitution, to)?)
                    }
                    None => truth(true, term.span()),
                };
                let condition = and(&limits, &checked(&inner, condition)?);
                tasks.push(Task::Sum(bound, condition));
                tasks.push(Task::Visit(body.clone(), inner));
            }
            TermKind::Family(binder, body) => {
                // A family without a range has no members that could be counted; whoever reads models gives it one.
                let Some((from, to)) = &binder.range else { return Err(Limit::Work) };
                let (from, to) = (checked(substitution, from)?, checked(substitution, to)?);
                let (bound, inner) = self.freshly_bound(binder, substitution);
                tasks.push(Task::Family(bound, from, to));
                tasks.push(Task::Visit(body.clone(), inner));
            }
        }
        Ok(None)
    }

    fn freshly_bound(&mut self, binder: &Binder, outside: &Substitution) -> (Bound, Rc<Substitution>) {
        let fresh = self.fresh_variable();
        let mut inside = outside.clone();
        inside.set(binder.variable, variable(fresh, binder.ty.clone(), self.nowhere()));
        let bound = Bound { variable: fresh, name: binder.name.clone(), ty: binder.ty.clone() };
        (bound, Rc::new(inside))
    }
}

fn pop(results: &mut Vec<Normal>) -> Result<Normal, Limit> {
    debug_assert!(!results.is_empty(), "every task finds its operands");
    results.pop().ok_or(Limit::Work)
}

fn push_visits(tasks: &mut Vec<Task>, parts: Vec<Term>, substitution: &Rc<Substitution>) {
    let visits = parts.into_iter().rev().map(|part| Task::Visit(part, substitution.clone()));
    tasks.extend(visits);
}

/// The operands of a chain of one operator, from left to right, however it is bracketed.
fn chain(term: &Term, split: impl Fn(&TermKind) -> Option<(&Term, &Term)>) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut waiting = vec![term.clone()];
    while let Some(next) = waiting.pop() {
        match split(next.kind()) {
            Some((left, right)) => {
                waiting.push(right.clone());
                waiting.push(left.clone());
            }
            None => parts.push(next),
        }
    }
    parts
}

fn checked(substitution: &Substitution, expression: &Expression) -> Result<Expression, Limit> {
    let too_large = |expression: &Expression| {
        expression.size() > limits::EXPRESSION_NODES || expression.depth() > limits::EXPRESSION_DEPTH
    };
    if too_large(expression) {
        return Err(Limit::ExpressionSize);
    }
    let result = substitution.apply(expression);
    if too_large(&result) { Err(Limit::ExpressionSize) } else { Ok(result) }
}

fn applied(substitution: &Substitution, expressions: &[Expression]) -> Result<Vec<Expression>, Limit> {
    expressions.iter().map(|expression| checked(substitution, expression)).collect()
}
