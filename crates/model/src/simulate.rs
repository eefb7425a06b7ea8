//! One run of a model, step by step.

use source::Diagnostic;
use verdict::{Snapshot, TraceStep, Waiting};

/// Something that can happen next.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its place among those that were listed together.
    pub number: usize,
    /// What happens.
    pub step: TraceStep,
    /// What is wrong with the step.
    pub fault: Option<&'static str>,
}

/// Why there is no run.
pub enum Unstarted {
    /// The model cannot be run at all.
    Diagnostics(Vec<Diagnostic>),
    /// There is no initial state; the sentence says why.
    NoInitialState(String),
}

/// A run in the making.
pub trait Simulation {
    /// Everything that can happen now; empty where the run has ended. An error says why that cannot be computed.
    fn choices(&mut self) -> Result<Vec<Choice>, String>;

    /// Goes on with one of the choices that were listed last. False where the step has no successor.
    fn take(&mut self, choice: &Choice) -> bool;

    /// From now on steps can be taken back.
    fn remember(&mut self);

    /// How many steps can be taken back.
    fn length(&self) -> usize;

    /// Takes the last steps back, as many as there are.
    fn undo(&mut self, steps: usize);

    /// The state as people look at it.
    fn snapshot(&self) -> Snapshot;

    /// May the run end here?
    fn is_valid_end(&self) -> bool;

    /// Which processes wait for what, in a state where nothing can move.
    fn waiting(&self) -> Vec<Waiting>;
}

/// A step from one position to the next; there is no next where a fault left no state behind.
pub(crate) struct Ahead<P> {
    pub(crate) step: TraceStep,
    pub(crate) fault: Option<&'static str>,
    pub(crate) next: Option<P>,
}

/// How a kind of model moves from position to position.
pub(crate) trait Steps {
    type Position: Clone;

    /// All that can happen at a position. What the position says about who is in control may be corrected.
    fn steps(&self, at: &mut Self::Position) -> Result<Vec<Ahead<Self::Position>>, String>;
    fn snapshot(&self, at: &Self::Position) -> Snapshot;
    fn is_valid_end(&self, at: &Self::Position) -> bool;
    fn waiting(&self, at: &Self::Position) -> Vec<Waiting>;
}

/// A run of any kind of model.
pub(crate) struct Walk<S: Steps> {
    model: S,
    at: S::Position,
    /// Where the choices that were listed last lead to.
    listed: Vec<Option<S::Position>>,
    /// Where the run was before each of its steps, if that is to be remembered.
    past: Vec<S::Position>,
    remembers: bool,
}

impl<S: Steps> Walk<S> {
    pub(crate) fn new(model: S, at: S::Position) -> Walk<S> {
        Walk { model, at, listed: Vec::new(), past: Vec::new(), remembers: false }
    }
}

impl<S: Steps> Simulation for Walk<S> {
    fn choices(&mut self) -> Result<Vec<Choice>, String> {
        self.listed.clear();
        let mut choices = Vec::new();
        for (number, Ahead { step, fault, next }) in self.model.steps(&mut self.at)?.into_iter().enumerate() {
            self.listed.push(next);
            choices.push(Choice { number, step, fault });
        }
        Ok(choices)
    }

    fn take(&mut self, choice: &Choice) -> bool {
        let Some(next) = self.listed.get(choice.number).cloned().flatten() else { return false };
        let before = std::mem::replace(&mut self.at, next);
        if self.remembers {
            self.past.push(before);
        }
        true
    }

    fn remember(&mut self) {
        self.remembers = true;
    }

    fn length(&self) -> usize {
        self.past.len()
    }

    fn undo(&mut self, steps: usize) {
        for _ in 0..steps {
            let Some(before) = self.past.pop() else { return };
            self.at = before;
        }
    }

    fn snapshot(&self) -> Snapshot {
        self.model.snapshot(&self.at)
    }

    fn is_valid_end(&self) -> bool {
        self.model.is_valid_end(&self.at)
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.model.waiting(&self.at)
    }
}
