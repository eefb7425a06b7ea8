//! States and steps in words.

use source::SourceMap;
use transition::interpret::{Executed, Interpreter, State};
use transition::model::{Action, Edge, Expr, Initialiser, Model, Slot, Statement};
use verdict::{Change, Message, Passage, TraceStep};

use crate::replay::Replayed;

/// Turns what the interpreter does into what people read.
pub struct Names<'a> {
    pub model: &'a Model,
    pub sources: &'a SourceMap,
}

impl Names<'_> {
    pub fn process(&self, state: &State, pid: u8) -> String {
        match state.processes.get(usize::from(pid)) {
            Some(process) => self.model.process(process.kind).name.clone(),
            None => format!("process {pid}"),
        }
    }

    pub fn value(&self, slot: &Slot, value: i32) -> String {
        if slot.is_channel {
            return if value == 0 { "no channel".to_string() } else { format!("channel {value}") };
        }
        self.symbol(slot.enumeration, value)
    }

    fn symbol(&self, enumeration: Option<u32>, value: i32) -> String {
        enumeration
            .and_then(|list| self.model.enumerations.get(list as usize))
            .and_then(|names| names.iter().find(|(number, _)| *number == value))
            .map_or_else(|| value.to_string(), |(_, name)| name.clone())
    }

    /// The name a channel was declared with: `q`, `q[1]`, or for a local one `P(2):q`.
    pub fn channel(&self, state: &State, number: i32) -> String {
        let Some(index) = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)) else {
            return "no channel".to_string();
        };
        let declared = |initialisers: &[Initialiser], position: usize| {
            initialisers
                .iter()
                .filter_map(|initialiser| match initialiser {
                    Initialiser::Channel(_, channel) => Some(channel.name.clone()),
                    Initialiser::Value(..) => None,
                })
                .nth(position)
        };
        if let Some(name) = declared(&self.model.initialisers, index) {
            return name;
        }
        let owner =
            state.processes.iter().enumerate().rev().find(|(_, p)| p.channels_below as usize <= index);
        match owner {
            Some((pid, process)) => {
                let kind = self.model.process(process.kind);
                match declared(&kind.initialisers, index - process.channels_below as usize) {
                    Some(name) => format!("{}({pid}):{name}", kind.name),
                    None => format!("channel {number}"),
                }
            }
            None => format!("channel {number}"),
        }
    }

    /// The message fields with their symbolic names.
    pub fn fields(&self, state: &State, number: i32, message: &[i32]) -> Vec<String> {
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).unwrap_or(usize::MAX);
        let mut types = Vec::new();
        let mut collect = |initialisers: &[Initialiser]| {
            for initialiser in initialisers {
                if let Initialiser::Channel(_, channel) = initialiser {
                    types.push(channel.enumerations.clone());
                }
            }
        };
        collect(&self.model.initialisers);
        state.processes.iter().for_each(|process| collect(&self.model.process(process.kind).initialisers));
        let enumerations = types.get(index).cloned().unwrap_or_default();
        let of = |field: usize| enumerations.get(field).copied().flatten();
        message.iter().enumerate().map(|(field, value)| self.symbol(of(field), *value)).collect()
    }

    pub fn edge(&self, state: &State, executed: Executed) -> Option<&Edge> {
        let process = state.processes.get(usize::from(executed.pid))?;
        let location = self.model.process(process.kind).location(executed.location);
        location.edges.get(executed.edge as usize)
    }

    /// A replayed step with its place, its text, and what it changed.
    pub fn step(&self, replayed: &Replayed) -> TraceStep {
        let mut step = self.side(&replayed.before, replayed.step.mover);
        step.partner = replayed.step.partner.map(|partner| Box::new(self.side(&replayed.before, partner)));
        step.atomic = replayed.exclusive.is_some();
        if let Some(after) = &replayed.after {
            step.changes = self.changes(&replayed.before, after);
        }
        step.message = self.message(replayed);
        step.output = self.output(replayed);
        step
    }

    fn side(&self, state: &State, executed: Executed) -> TraceStep {
        let mut step = TraceStep {
            pid: executed.pid,
            process: self.process(state, executed.pid),
            edge: (executed.location.0, executed.edge),
            ..TraceStep::default()
        };
        if let Some(statement) = self.edge(state, executed).and_then(|edge| edge.statements.first()) {
            step.jump = statement.number == Statement::JUMP;
            step.statement.clone_from(&statement.text);
            step.file.clone_from(&self.sources.file(statement.span.file).name);
            step.line = self.sources.place(statement.span).line;
        }
        step
    }

    fn changes(&self, before: &State, after: &State) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut compare = |prefix: &str, slots: &[Slot], old: &[i32], new: &[i32]| {
            for ((slot, old), new) in slots.iter().zip(old).zip(new) {
                if old != new {
                    changes.push(Change {
                        variable: format!("{prefix}{}", slot.name),
                        before: self.value(slot, *old),
                        after: self.value(slot, *new),
                    });
                }
            }
        };
        compare("", &self.model.globals, &before.globals, &after.globals);
        for (pid, (old, new)) in before.processes.iter().zip(&after.processes).enumerate() {
            if old.kind == new.kind {
                let kind = self.model.process(old.kind);
                compare(&format!("{}({pid}):", kind.name), &kind.locals, &old.locals, &new.locals);
            }
        }
        changes
    }

    fn message(&self, replayed: &Replayed) -> Option<Message> {
        let before = &replayed.before;
        let action = self.edge(before, replayed.step.mover)?.actions.first()?;
        let interpreter = Interpreter::new(self.model);
        let pid = replayed.step.mover.pid;
        let (Action::Send { channel, .. } | Action::Receive { channel, .. }) = action else { return None };
        let number = interpreter.evaluate(before, pid, channel).ok()?;
        let values = match action {
            Action::Send { arguments, .. } => arguments
                .iter()
                .map(|value| interpreter.evaluate(before, pid, value).ok())
                .collect::<Option<Vec<_>>>()?,
            _ => {
                // The message that is gone, or (it may stay) the first.
                let index = usize::try_from(number).ok()?.checked_sub(1)?;
                let old = &before.channels.get(index)?.messages;
                let new =
                    replayed.after.as_ref().and_then(|after| after.channels.get(index)).map(|c| &c.messages);
                let gone = new.and_then(|new| (0..old.len()).find(|at| old.get(*at) != new.get(*at)));
                old.get(gone.unwrap_or(0))?.clone()
            }
        };
        let is_full = Expr::Full(Box::new(Expr::Constant(number)));
        let passage = match action {
            Action::Receive { .. } => Passage::Received,
            _ if interpreter.evaluate(before, pid, &is_full) == Ok(1) => Passage::Lost,
            _ => Passage::Sent,
        };
        let channel = self.channel(before, number);
        Some(Message { channel, passage, fields: self.fields(before, number, &values) })
    }

    /// What a `printf` of the step writes, with `%d`, `%e` and the like filled in.
    fn output(&self, replayed: &Replayed) -> Option<String> {
        let edge = self.edge(&replayed.before, replayed.step.mover)?;
        let Action::Print { format, arguments, .. } = edge.actions.first()? else { return None };
        let interpreter = Interpreter::new(self.model);
        let mut values = arguments.iter().map(|argument| {
            interpreter.evaluate(&replayed.before, replayed.step.mover.pid, argument).unwrap_or(0)
        });
        let mut text = String::new();
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            match character {
                '%' => match characters.next() {
                    Some('%') => text.push('%'),
                    Some(kind) => {
                        let value = values.next().unwrap_or(0);
                        match kind {
                            'e' => text.push_str(&self.symbol(Some(0), value)),
                            'c' => text.push(u8::try_from(value).map_or('?', char::from)),
                            'x' => text.push_str(&format!("{value:x}")),
                            'o' => text.push_str(&format!("{value:o}")),
                            'u' => text.push_str(&(value as u32).to_string()),
                            _ => text.push_str(&value.to_string()),
                        }
                    }
                    None => text.push('%'),
                },
                '\\' => match characters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(other),
                    None => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        Some(text)
    }
}
