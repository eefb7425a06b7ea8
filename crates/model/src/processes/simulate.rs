//! A run of a process, step by step.

use std::cell::RefCell;
use std::rc::Rc;

use process::{Explorer, Successor};
use source::SourceMap;
use verdict::{Change, Snapshot, TraceStep, Waiting};

use super::ProcessModel;
use crate::limits;
use crate::simulate::{Ahead, Steps, Unstarted, Walk};

pub(super) struct Player<'m> {
    model: &'m ProcessModel,
    sources: &'m SourceMap,
    explorer: RefCell<Explorer<'m>>,
}

/// Where a run is.
#[derive(Clone)]
pub(super) enum Position {
    /// Before the first step: which instance it is, the step decides. All states that runs begin in.
    Start(Rc<[Vec<u32>]>),
    At(Vec<u32>),
}

/// At the initial states.
pub(super) fn start<'m>(
    model: &'m ProcessModel,
    sources: &'m SourceMap,
    mut explorer: Explorer<'m>,
) -> Result<Walk<Player<'m>>, Unstarted> {
    let mut initial = explorer.initial().map_err(Unstarted::NoInitialState)?;
    if initial.len() > limits::PLAYED_INSTANCES {
        let sentence = format!(
            "there are {} instances, too many to choose from: `--for` and `--where` make them fewer",
            initial.len()
        );
        return Err(Unstarted::NoInitialState(sentence));
    }
    let first = match (initial.pop(), initial.is_empty()) {
        (Some(only), true) => Position::At(only),
        (Some(last), false) => {
            initial.push(last);
            Position::Start(initial.into())
        }
        (None, _) => {
            let sentence = "no value satisfies `requires` and the conditions".to_string();
            return Err(Unstarted::NoInitialState(sentence));
        }
    };
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
            edge: (here.first().copied().unwrap_or(0), number),
            action: Some((name, arguments)),
            ..TraceStep::default()
        }
    }
}

impl Player<'_> {
    /// The steps that leave a state. Those of the first states name their instance.
    fn steps_of(&self, here: &[u32], is_start: bool) -> Result<Vec<Ahead<Position>>, String> {
        let mut explorer = self.explorer.borrow_mut();
        let mut successors = Vec::new();
        explorer.successors(here, &mut successors)?;
        let instance = if is_start { self.instance(&explorer, here) } else { String::new() };
        let ahead = successors.into_iter().zip(0..).map(|(successor, number)| {
            let mut step = self.step(&explorer, here, &successor, number);
            step.process.push_str(&instance);
            Ahead { step, fault: None, next: Some(Position::At(successor.words)) }
        });
        Ok(ahead.collect())
    }

    fn instance(&self, explorer: &Explorer<'_>, state: &[u32]) -> String {
        let model = &self.model.model;
        let fields = model.fields.iter().zip(explorer.fields(state));
        let fields: Vec<String> =
            fields.map(|(field, value)| format!("{} = {}", field.name, value.show(model))).collect();
        format!(" where {}", fields.join(", "))
    }

    fn fields(&self, explorer: &Explorer<'_>, state: &[u32]) -> Vec<(String, String)> {
        let model = &self.model.model;
        let fields = model.fields.iter().zip(explorer.fields(state));
        fields.map(|(field, value)| (field.name.to_string(), value.show(model))).collect()
    }
}

impl Steps for Player<'_> {
    type Position = Position;

    fn steps(&self, at: &mut Position) -> Result<Vec<Ahead<Position>>, String> {
        match at {
            Position::At(state) => self.steps_of(state, false),
            Position::Start(states) => {
                let mut all = Vec::new();
                for state in states.iter() {
                    all.extend(self.steps_of(state, true)?);
                }
                Ok(all)
            }
        }
    }

    fn snapshot(&self, at: &Position) -> Snapshot {
        let explorer = self.explorer.borrow();
        let variables = match at {
            Position::Start(states) => {
                vec![("process".to_string(), format!("one of {} instances", states.len()))]
            }
            Position::At(state) => {
                let mut variables = self.fields(&explorer, state);
                variables.push(("process".to_string(), explorer.term(state)));
                variables
            }
        };
        Snapshot { variables, ..Snapshot::default() }
    }

    fn is_valid_end(&self, at: &Position) -> bool {
        let mut explorer = self.explorer.borrow_mut();
        match at {
            Position::Start(states) => states.iter().all(|it| explorer.may_end(it).unwrap_or(false)),
            Position::At(state) => explorer.may_end(state).unwrap_or(false),
        }
    }

    fn waiting(&self, at: &Position) -> Vec<Waiting> {
        let mut explorer = self.explorer.borrow_mut();
        let state = match at {
            Position::At(state) => Some(state),
            Position::Start(states) => states.iter().find(|it| !explorer.may_end(it).unwrap_or(false)),
        };
        let Some(state) = state else { return Vec::new() };
        let span = self.model.subject().process().span;
        let for_what = explorer.blocked(state);
        vec![Waiting {
            pid: 0,
            process: explorer.term(state),
            file: self.sources.file(span.file).name.clone(),
            line: self.sources.place(span).line,
            for_what,
            may_rest: false,
        }]
    }
}
