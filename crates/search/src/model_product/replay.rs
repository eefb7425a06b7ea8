//! How a step of a search is told again: the steps of the model that it is made of.

use transition::compiled::{Executed, MicroStep, Successors};
use transition::model;

use super::fairness::fairness_marks;
use super::{ModelProduct, fault_kind, takes_steps_inside};
use crate::path::Step;
use crate::product::{FaultKind, StateId};

impl ModelProduct {
    /// The micro steps of an edge; empty for a stuttering step. Where several processes can make the same step it is
    /// made by one with whom the run is as fair as the edge's marks say.
    pub fn micro_steps(&mut self, step: &Step) -> Option<Vec<MicroStep>> {
        // What was found before a limit is told after it.
        self.system.set_patience(None);
        let from = self.model_state(step.source);
        let holder = self.control();
        let to = self.model_state(step.target);
        if let Some(pid) = self.control() {
            return self.system.record_inner((&from, holder), (&to, Some(pid)));
        }
        let fairness = self.own_sets..if self.options.weak_fairness { u64::BITS } else { self.own_sets };
        let is_as_fair = |successors: &Successors, index: usize| {
            let marks = fairness_marks(fairness.clone(), &successors.executable, successors, index);
            fairness.clone().all(|bit| marks & (1 << bit) != 0 || step.marks.0 & (1 << bit) == 0)
        };
        let inside = self.options.reduction.as_ref().filter(|reduction| takes_steps_inside(reduction));
        match self.system.record_fitting(&from, &to, inside, is_as_fair) {
            Some(steps) => Some(steps),
            None if from == to => Some(Vec::new()),
            None => None,
        }
    }

    /// The micro steps that end with a fault of this kind in a state.
    pub fn fault_steps(&mut self, source: StateId, kind: FaultKind) -> Option<Vec<MicroStep>> {
        self.system.set_patience(None);
        let from = self.model_state(source);
        let mut successors = Successors::new();
        let inside = self.options.reduction.as_ref().filter(|reduction| takes_steps_inside(reduction));
        self.system.successors(&from, inside, &mut successors);
        let index = successors.faults.iter().position(|fault| fault_kind(fault.fault) == kind)?;
        self.system.record_fault(&from, inside, index)
    }

    /// Every edge that expanding a state of the model executes, with the type of the process.
    pub fn executed(&mut self, state: &[u32]) -> Vec<(model::ProcessTypeId, Executed)> {
        let inside = self.options.reduction.as_ref().filter(|reduction| takes_steps_inside(reduction));
        self.system.executed(state, inside)
    }

    /// Can expanding a state execute more than the next step of each process?
    pub fn takes_steps_inside(&self) -> bool {
        self.options.reduction.as_ref().is_some_and(takes_steps_inside)
    }
}
