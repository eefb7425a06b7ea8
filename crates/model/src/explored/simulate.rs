//! A run of an explored model, step by step.

use source::SourceMap;
use verdict::{Snapshot, Waiting};

use super::Explored;
use super::counterexample::{show_step, waiting};
use crate::simulate::{Ahead, Steps, Unstarted, Walk};

pub(super) struct Explorer<'m, E> {
    model: &'m E,
    sources: &'m SourceMap,
}

/// At the first of the initial states.
pub(super) fn start<'m, E: Explored>(
    model: &'m E,
    sources: &'m SourceMap,
) -> Result<Walk<Explorer<'m, E>>, Unstarted> {
    let initial = model.initial().map_err(Unstarted::NoInitialState)?;
    let first = initial.into_iter().next();
    let first = first.ok_or_else(|| Unstarted::NoInitialState("there is none".to_string()))?;
    Ok(Walk::new(Explorer { model, sources }, first))
}

impl<E: Explored> Steps for Explorer<'_, E> {
    type Position = E::State;

    fn steps(&self, at: &mut E::State) -> Result<Vec<Ahead<E::State>>, String> {
        let steps = self.model.steps(at)?.into_iter().zip(0..);
        let ahead = steps.map(|(step, number)| Ahead {
            step: show_step(self.model, self.sources, at, &step, number),
            fault: None,
            next: Some(step.target),
        });
        Ok(ahead.collect())
    }

    fn snapshot(&self, at: &E::State) -> Snapshot {
        Snapshot { variables: self.model.show(at), ..Snapshot::default() }
    }

    fn is_valid_end(&self, at: &E::State) -> bool {
        self.model.may_end(at)
    }

    fn waiting(&self, at: &E::State) -> Vec<Waiting> {
        vec![waiting(self.model, self.sources, at, None)]
    }
}
