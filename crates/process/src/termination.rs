//! Whether a term may end: `P↓` of VMCAI 2020, figure 2, as a condition on the data.
//!
//! It is computed on its own, not from the head normal form: a term whose first actions cannot be found within the bounds
//! may still be seen to end or not.

use std::collections::HashMap;
use std::rc::Rc;

use crate::expression::Expression;
use crate::head::Guard;
use crate::normal::{Algebra, Limit, Normal, NormalKind};
use crate::simplify::{or, truth};

impl Algebra<'_> {
    /// Where a term may end: one of these guards is true.
    pub fn termination(&mut self, normal: Normal) -> Result<Vec<Guard>, Limit> {
        if self.surely_ends(normal) {
            return Ok(vec![Guard::always(self.nowhere())]);
        }
        let processes = self.processes_that_never_end()?;
        if self.never_ends(normal, &processes, &mut HashMap::new()) {
            return Ok(Vec::new());
        }
        Ok(self.head(normal)?.termination.clone())
    }

    /// The same as one condition, if no term that only the language knows decides.
    pub fn termination_condition(&mut self, normal: Normal) -> Result<Option<Expression>, Limit> {
        let mut all = truth(false, self.nowhere());
        for guard in self.termination(normal)? {
            match guard.as_condition() {
                Some(condition) => all = or(&all, &condition),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// For each process, whether no data let it end: the least solution, so one that only calls itself never does.
    fn processes_that_never_end(&mut self) -> Result<Rc<[bool]>, Limit> {
        if let Some(known) = &self.never_ending {
            return Ok(known.clone());
        }
        let model = self.model;
        let mut bodies = Vec::with_capacity(model.processes.len());
        for process in &model.processes {
            bodies.push(self.normalise(&process.body)?);
        }
        let mut never = vec![true; bodies.len()];
        loop {
            let mut done = HashMap::new();
            let next: Vec<bool> =
                bodies.iter().map(|body| self.never_ends(*body, &never, &mut done)).collect();
            if next == never {
                break;
            }
            never = next;
        }
        let never: Rc<[bool]> = never.into();
        self.never_ending = Some(never.clone());
        Ok(never)
    }

    /// Whether no data let a term end, if that is so for these processes.
    fn never_ends(&self, normal: Normal, processes: &[bool], done: &mut HashMap<Normal, bool>) -> bool {
        if let Some(known) = done.get(&normal) {
            return *known;
        }
        let result = match self.kind(normal) {
            NormalKind::Deadlock | NormalKind::Action(..) => true,
            NormalKind::Empty
            | NormalKind::Iteration(_)
            | NormalKind::Foreign(_)
            | NormalKind::Family(..) => false,
            NormalKind::Call(process, _) => processes[process.0 as usize],
            NormalKind::Sequence(..) => {
                let mut next = normal;
                loop {
                    match self.kind(next) {
                        NormalKind::Sequence(first, rest) => {
                            if self.never_ends(*first, processes, done) {
                                break true;
                            }
                            next = *rest;
                        }
                        _ => break self.never_ends(next, processes, done),
                    }
                }
            }
            NormalKind::Choice(alternatives) => {
                alternatives.iter().all(|part| self.never_ends(*part, processes, done))
            }
            NormalKind::Parallel(components) => {
                components.iter().any(|(part, _)| self.never_ends(*part, processes, done))
            }
            NormalKind::Conditional(_, yes, no) => {
                self.never_ends(*yes, processes, done) && self.never_ends(*no, processes, done)
            }
            NormalKind::Sum(_, _, body) => self.never_ends(*body, processes, done),
        };
        done.insert(normal, result);
        result
    }
}
