//! A run of a process, step by step.

use std::cell::RefCell;

use process::{Explorer, Successor};
use source::SourceMap;
use verdict::{Change, Snapshot, TraceStep, Waiting};

use super::ProcessModel;
use crate::simulate::{Ahead, Steps, Unstarted, Walk};

pub(super) struct Player<'m> {
    model: &'m ProcessModel,
    sources: &'m SourceMap,
    explorer: RefCell<Explorer<'m>>,
}

/// At the first of the initial states.
pub(super) fn start<'m>(
    model: &'m ProcessModel,
    sources: &'m SourceMap,
    mut explorer: Explorer<'m>,
) -> Result<Walk<Player<'m>>, Unstarted> {
    let initial = explorer.initial().map_err(Unstarted::NoInitialState)?;
    let first = initial.into_iter().next();
    let first = first.ok_or_else(|| {
        Unstarted::NoInitialState("no value satisfies `requires` and the conditions".to_string())
    })?;
    Ok(Walk::new(Player { model, sources, explorer: RefCell::new(explorer) }, first))
}

impl Player<'_> {
    fn step(&self, explorer: &Explorer<'_>, here: &[u32], successor: &Successor, number: u32) -> TraceStep {
        let model = &self.model.model;
        let text = explorer.text(&successor.step);
        let name = model.actions[text.action.0 as usize].name.to_string();
        let arguments: Vec<String> = text.arguments.iter().map(|value| value.show(model)).collect();
        let fields = model.fields.iter().zip(explorer.fields(here)).zip(explorer.fields(&successor.words));
        let changes =
            fields.filter(|((_, before), after)| before != after).map(|((field, before), after)| Change {
                variable: field.name.to_string(),
                before: before.show(model),
                after: after.show(model),
            });
        TraceStep {
            process: text.component,
            file: self.sources.file(text.span.file).name.clone(),
            line: self.sources.place(text.span).line,
            statement: format!("{name}({})", arguments.join(", ")),
            changes: changes.collect(),
            edge: (0, number),
            action: Some((name, arguments)),
            ..TraceStep::default()
        }
    }
}

impl Steps for Player<'_> {
    type Position = Vec<u32>;

    fn steps(&self, at: &mut Vec<u32>) -> Result<Vec<Ahead<Vec<u32>>>, String> {
        let mut explorer = self.explorer.borrow_mut();
        let mut successors = Vec::new();
        explorer.successors(at, &mut successors)?;
        let ahead = successors.into_iter().zip(0..).map(|(successor, number)| Ahead {
            step: self.step(&explorer, at, &successor, number),
            fault: None,
            next: Some(successor.words),
        });
        Ok(ahead.collect())
    }

    fn snapshot(&self, at: &Vec<u32>) -> Snapshot {
        let explorer = self.explorer.borrow();
        let model = &self.model.model;
        let fields = model.fields.iter().zip(explorer.fields(at));
        let mut variables: Vec<(String, String)> =
            fields.map(|(field, value)| (field.name.to_string(), value.show(model))).collect();
        variables.push(("process".to_string(), explorer.term(at)));
        Snapshot { variables, ..Snapshot::default() }
    }

    fn is_valid_end(&self, at: &Vec<u32>) -> bool {
        self.explorer.borrow_mut().may_end(at).unwrap_or(false)
    }

    fn waiting(&self, at: &Vec<u32>) -> Vec<Waiting> {
        let mut explorer = self.explorer.borrow_mut();
        let for_what = explorer.blocked(at);
        vec![Waiting {
            pid: 0,
            process: explorer.term(at),
            file: String::new(),
            line: 0,
            for_what,
            may_rest: false,
        }]
    }
}
