//! A model into a [`Program`]: layout first, then code for every edge.

use super::build_error::BuildError;
use super::fixed_channels::{FixedChannels, fixed_channels};
use super::layout::{Allocator, Cell, ChannelLayout};
use super::program::{
    Block, Edge, Effect, Event, Field, First, Location, Process, Program, Receive, Run, Send, Target, Test,
    Trace, Value,
};
use super::shape::ChannelPosition;
use crate::limits;
use crate::model::{
    self, Action, ChannelType, EventTrace, Expr, Initialiser, Model, Pattern, Place, ProcessType,
    ProcessTypeId, RunUse, Scalar, Scope,
};
use std::ops::Range;

/// The process type whose code is being made.
pub(super) struct FrameContext {
    pub(super) kind: u16,
    pub(super) cells: Vec<Cell>,
    pub(super) fixed_channels: FixedChannels,
    pub(super) channels: Vec<ChannelPosition>,
}

pub(super) struct Translator<'m> {
    pub(super) model: &'m Model,
    pub(super) program: Program,
    pub(super) fixed_global_channels: FixedChannels,
    pub(super) frame: Option<FrameContext>,
    location_count: u32,
}

pub(super) fn translate(model: &Model) -> Result<Program, BuildError> {
    let (fixed_global_channels, fixed_local_channels) = fixed_channels(model);
    let mut translator = Translator {
        model,
        program: Program::default(),
        fixed_global_channels,
        frame: None,
        location_count: 0,
    };
    translator.globals()?;
    for process in &model.processes {
        let frame = translator.lay_out_frame(process)?;
        translator.program.processes.push(frame);
    }
    for ((kind, process), fixed) in model.processes.iter().enumerate().zip(fixed_local_channels) {
        translator.process(kind, process, fixed)?;
    }
    translator.frame = None;
    if let Some(trace) = &model.trace {
        translator.trace(trace)?;
    }
    translator.finish()
}

/// Adds the code of an expression, of a process type or of no process, as the last proposition.
pub(super) fn add_proposition(
    model: &Model,
    program: Program,
    expr: &Expr,
    kind: Option<ProcessTypeId>,
) -> Result<Program, BuildError> {
    let mut translator = Translator::again(model, program, kind)?;
    let test = translator.test(expr)?;
    translator.program.propositions.push(test);
    Ok(translator.program)
}

/// Adds the code of an expression of a process type.
pub(super) fn add_value(
    model: &Model,
    program: Program,
    expr: &Expr,
    kind: ProcessTypeId,
) -> Result<(Program, Value), BuildError> {
    let mut translator = Translator::again(model, program, Some(kind))?;
    let value = translator.value(expr)?;
    Ok((translator.program, value))
}

impl<'m> Translator<'m> {
    /// Goes on with a finished program, inside a process type or outside of all.
    fn again(
        model: &'m Model,
        program: Program,
        kind: Option<ProcessTypeId>,
    ) -> Result<Translator<'m>, BuildError> {
        let (fixed_global_channels, fixed_local_channels) = fixed_channels(model);
        let mut translator =
            Translator { model, program, fixed_global_channels, frame: None, location_count: 0 };
        if let Some(kind) = kind {
            translator.known_process(kind)?;
            let laid_out = &translator.program.processes[kind.0 as usize];
            translator.frame = Some(FrameContext {
                kind: kind.0 as u16,
                cells: laid_out.cells.clone(),
                fixed_channels: fixed_local_channels[kind.0 as usize].clone(),
                channels: laid_out.channels.clone(),
            });
        }
        Ok(translator)
    }
}

impl Translator<'_> {
    fn globals(&mut self) -> Result<(), BuildError> {
        let model = self.model;
        let hidden: Vec<bool> = model.globals.iter().map(|slot| slot.hidden).collect();
        let scalars = |wanted: bool| -> Vec<Scalar> {
            let slots = model.globals.iter().filter(|slot| slot.hidden == wanted);
            slots.map(|slot| slot.scalar).collect()
        };
        let mut hidden_area = Allocator::new(0);
        let mut hidden_cells = hidden_area.place(&scalars(true)).into_iter();
        let hidden_words = hidden_area.words().next_multiple_of(2);
        let mut area = Allocator::new(4);
        let mut shown = scalars(false);
        if let Some(trace) = &model.trace {
            shown.push(location_scalar(&trace.process)?);
        }
        // Bits stay together, since so many of them are one value, and numbers of channels, which do not change.
        let slots = model.globals.iter().filter(|slot| !slot.hidden);
        let mut is_apart: Vec<bool> = slots.map(|slot| slot.scalar.bits > 1 && !slot.is_channel).collect();
        is_apart.resize(shown.len(), true);
        if is_apart.iter().filter(|is_apart| **is_apart).count() > limits::GLOBALS_APART {
            is_apart.fill(false);
        }
        let mut shown_cells = area.place_apart(&shown, &is_apart).into_iter();
        let program = &mut self.program;
        program.hidden_words = hidden_words;
        for is_hidden in hidden {
            let cell = if is_hidden { hidden_cells.next() } else { shown_cells.next() };
            let cell = cell.ok_or(BuildError::BadSlot)?;
            program.global_cells.push(if is_hidden { cell } else { cell.moved(hidden_words) });
        }
        if let (Some(cell), Some(trace)) = (shown_cells.next(), &model.trace) {
            program.trace = Some(Trace {
                forbidden: trace.forbidden,
                cell: cell.moved(hidden_words),
                start: trace.process.start.0,
                events: Vec::new(),
                rests: Vec::new(),
                ends: Vec::new(),
            });
        }
        let mut next = hidden_words + area.words();
        for channel in opened_channels(&model.initialisers) {
            let position = self.channel_at(&mut next, channel)?;
            self.program.global_channels.push(position);
        }
        self.program.global_words = next;
        self.program.global_initial = self.initialisers(&model.initialisers)?;
        Ok(())
    }

    /// Appends a channel at `next`; the word of its position is `next` as it was.
    fn channel_at(&mut self, next: &mut u32, channel: &ChannelType) -> Result<ChannelPosition, BuildError> {
        if channel.capacity > u32::from(u16::MAX) {
            return Err(BuildError::TooLarge);
        }
        let layout = ChannelLayout::new(channel);
        if u64::from(*next) + u64::from(layout.words) > limits::STATE_WORDS {
            return Err(BuildError::TooLarge);
        }
        let word = *next;
        *next += layout.words;
        // Equal layouts are one: code for channels known only by number tells them apart by index.
        let known = self.program.channels.iter().position(|other| *other == layout);
        let index = known.unwrap_or(self.program.channels.len());
        if known.is_none() {
            self.program.channels.push(layout);
        }
        Ok(ChannelPosition { word, layout: index as u32 })
    }

    fn lay_out_frame(&mut self, process: &ProcessType) -> Result<Process, BuildError> {
        let location = location_scalar(process)?;
        let location_bytes = u32::from(location.bits / 8);
        let with_priority = self.model.uses_priorities || sets_priorities(self.model);
        let mut area = Allocator::new(location_bytes);
        let mut scalars: Vec<Scalar> = Vec::with_capacity(process.locals.len() + 1);
        if with_priority {
            scalars.push(Scalar::BYTE);
        }
        scalars.extend(process.locals.iter().map(|slot| slot.scalar));
        let mut cells = area.place(&scalars);
        let priority_cell = with_priority.then(|| cells.remove(0));
        let mut next = area.words();
        let mut channels = Vec::new();
        for channel in opened_channels(&process.initialisers) {
            channels.push(self.channel_at(&mut next, channel)?);
        }
        if u64::from(next) > limits::STATE_WORDS {
            return Err(BuildError::TooLarge);
        }
        Ok(Process {
            locations: Vec::new(),
            first_location: 0,
            start: process.start.0,
            location_mask: u32::MAX >> (32 - location.bits),
            cells,
            parameters: process.parameters,
            priority_cell,
            priority: process.priority,
            frame_words: next,
            channels,
            initial: 0..0,
            provided: Test::Always,
            deterministic: process.deterministic,
        })
    }

    fn process(
        &mut self,
        kind: usize,
        process: &ProcessType,
        fixed: FixedChannels,
    ) -> Result<(), BuildError> {
        let laid_out = &self.program.processes[kind];
        self.frame = Some(FrameContext {
            kind: u16::try_from(kind).map_err(|_| BuildError::TooLarge)?,
            cells: laid_out.cells.clone(),
            fixed_channels: fixed,
            channels: laid_out.channels.clone(),
        });
        let provided = match &process.provided {
            Some(provided) => self.test(&provided.condition)?,
            None => Test::Always,
        };
        let initial = self.initialisers(&process.initialisers)?;
        let known = |location: u32| (location as usize) < process.locations.len();
        if !known(process.start.0) {
            return Err(BuildError::BadLocation);
        }
        let mut locations = Vec::with_capacity(process.locations.len());
        for location in &process.locations {
            let mut edges = Vec::with_capacity(location.edges.len());
            for (number, edge) in location.edges.iter().enumerate() {
                if !known(edge.target.0) {
                    return Err(BuildError::BadLocation);
                }
                edges.push(self.edge(kind, process, number, edge)?);
            }
            let start = self.program.edges.len() as u32;
            let may_receive =
                edges.iter().any(|edge| matches!(edge.first, First::Receive(_) | First::Block(_)));
            self.program.edges.extend(edges);
            locations.push(Location {
                edges: start..self.program.edges.len() as u32,
                rests: rests(location),
                is_accepting: location.is_accepting,
                is_progress: location.is_progress,
                may_receive,
                in_step: location.in_step,
            });
        }
        let laid_out = &mut self.program.processes[kind];
        laid_out.first_location = self.location_count;
        self.location_count += locations.len() as u32;
        laid_out.locations = locations;
        laid_out.provided = provided;
        laid_out.initial = initial;
        Ok(())
    }

    fn initialisers(&mut self, initialisers: &[Initialiser]) -> Result<Range<u32>, BuildError> {
        let mut effects = Vec::with_capacity(initialisers.len());
        let mut index = 0;
        for initialiser in initialisers {
            effects.push(match initialiser {
                Initialiser::Value(place, value) => {
                    Effect::Store { value: self.value(value)?, target: self.target(place)? }
                }
                Initialiser::Channel(place, _) => {
                    index += 1;
                    Effect::OpenChannel { target: self.target(place)?, index: index - 1 }
                }
            });
        }
        Ok(self.add_effects(effects))
    }

    fn add_effects(&mut self, effects: Vec<Effect>) -> Range<u32> {
        let start = self.program.effects.len() as u32;
        self.program.effects.extend(effects);
        start..self.program.effects.len() as u32
    }

    fn edge(
        &mut self,
        kind: usize,
        process: &ProcessType,
        number: usize,
        edge: &model::Edge,
    ) -> Result<Edge, BuildError> {
        let (first_action, further) = edge.actions.split_first().ok_or(BuildError::NoAction)?;
        let mut effects = Vec::new();
        let first = self.action(kind, process, first_action, &mut effects)?;
        let mut ends = first == First::End;
        for action in further {
            match self.action(kind, process, action, &mut effects)? {
                First::Test(Test::Always) => {}
                first => {
                    ends |= first == First::End;
                    effects.push(Effect::Further(first));
                }
            }
        }
        if !ends {
            for place in &edge.resets {
                let target = self.target(place)?;
                effects.push(Effect::Store { target, value: Value::Constant(0) });
            }
        }
        let private = effects.iter().all(|effect| {
            matches!(effect, Effect::Store { target: Target::Local(_), value: Value::Constant(_) })
        });
        Ok(Edge {
            first,
            private,
            effects: self.add_effects(effects),
            target: edge.target.0,
            atomic: edge.atomic,
            escape: edge.escape,
            number: number as u32,
        })
    }

    /// What decides, returned; what else happens, appended.
    fn action(
        &mut self,
        kind: usize,
        process: &ProcessType,
        action: &Action,
        effects: &mut Vec<Effect>,
    ) -> Result<First, BuildError> {
        Ok(match action {
            Action::Skip | Action::Print { .. } => First::Test(Test::Always),
            Action::Else => First::Else,
            Action::Condition(expr) => First::Test(self.test(expr)?),
            Action::Assign(place, expr) => {
                let value = self.value(expr)?;
                effects.push(Effect::Store { target: self.target(place)?, value });
                First::Test(Test::Always)
            }
            Action::Assert(expr) => {
                effects.push(Effect::Assert(self.test(expr)?));
                First::Test(Test::Always)
            }
            Action::Send { channel, arguments, sorted } => {
                let channel = self.channel(channel)?;
                let arguments = arguments.iter().map(|a| self.value(a)).collect::<Result<_, _>>()?;
                self.program.sends.push(Send { channel, arguments, sorted: *sorted });
                First::Send(self.program.sends.len() as u32 - 1)
            }
            Action::Receive { channel, patterns, random, keep } => {
                let channel = self.channel(channel)?;
                let mut fields = Vec::with_capacity(patterns.len());
                let mut looks_around = false;
                for pattern in patterns {
                    fields.push(match pattern {
                        Pattern::Any => Field::Any,
                        Pattern::Match(expr) => {
                            looks_around |= !reads_slots_only(expr);
                            Field::Match(self.value(expr)?)
                        }
                        Pattern::Store(place) => Field::Store(self.target(place)?),
                    });
                }
                let (random, keep) = (*random, *keep);
                self.program.receives.push(Receive { channel, fields, random, keep, looks_around });
                First::Receive(self.program.receives.len() as u32 - 1)
            }
            Action::Run(run) => {
                self.known_process(run.process)?;
                let arguments = run.arguments.iter().map(|a| self.value(a)).collect::<Result<_, _>>()?;
                let priority = run.priority.as_ref().map(|expr| self.value(expr)).transpose()?;
                let (first, assign) = match &run.then {
                    RunUse::Condition(expr) => (First::Test(self.test(expr)?), None),
                    RunUse::Assign(place, expr) => {
                        let value = self.value(expr)?;
                        (First::Test(Test::Always), Some((self.target(place)?, value)))
                    }
                };
                self.program.runs.push(Run { kind: run.process.0, arguments, priority, assign });
                effects.push(Effect::Run(self.program.runs.len() as u32 - 1));
                first
            }
            Action::SetPriority(pid, priority) => {
                effects.push(Effect::SetPriority(self.value(pid)?, self.value(priority)?));
                First::Test(Test::Always)
            }
            Action::End => First::End,
            Action::Block(block) => {
                let count = process.locations.len();
                if block.entry.0 as usize >= count || block.exit.0 as usize >= count {
                    return Err(BuildError::BadLocation);
                }
                self.program.blocks.push(Block {
                    kind: kind as u32,
                    entry: block.entry.0,
                    exit: block.exit.0,
                });
                First::Block(self.program.blocks.len() as u32 - 1)
            }
        })
    }

    fn trace(&mut self, trace: &EventTrace) -> Result<(), BuildError> {
        let locations = &trace.process.locations;
        if locations.is_empty() || trace.process.start.0 as usize >= locations.len() {
            return Err(BuildError::BadLocation);
        }
        let mut events = Vec::with_capacity(locations.len());
        for location in locations {
            let mut here = Vec::new();
            for edge in &location.edges {
                if edge.target.0 as usize >= locations.len() {
                    return Err(BuildError::BadLocation);
                }
                if let Some(event) = edge.actions.first().map(|a| self.event(a)).transpose()?.flatten() {
                    here.push((event, edge.target.0));
                }
            }
            events.push(here);
        }
        if let Some(compiled) = &mut self.program.trace {
            compiled.events = events;
            compiled.rests = locations.iter().map(rests).collect();
            compiled.ends = locations.iter().map(only_ends).collect();
        }
        Ok(())
    }

    fn event(&mut self, action: &Action) -> Result<Option<Event>, BuildError> {
        Ok(match action {
            Action::Send { channel, arguments, .. } => {
                let channel = self.value(channel)?;
                let mut fields = Vec::new();
                for argument in arguments {
                    fields.push(if argument.is_constant() { Some(self.value(argument)?) } else { None });
                }
                Some(Event { is_send: true, channel, fields })
            }
            Action::Receive { channel, patterns, .. } => {
                let channel = self.value(channel)?;
                let mut fields = Vec::new();
                for pattern in patterns {
                    fields.push(match pattern {
                        Pattern::Match(expr) => Some(self.value(expr)?),
                        Pattern::Any | Pattern::Store(_) => None,
                    });
                }
                Some(Event { is_send: false, channel, fields })
            }
            _ => None,
        })
    }

    fn finish(mut self) -> Result<Program, BuildError> {
        let model = self.model;
        for kind in &model.active {
            self.known_process(*kind)?;
        }
        let program = &mut self.program;
        program.active = model.active.iter().map(|kind| kind.0).collect();
        program.uses_last = model.uses_last;
        program.uses_priorities = model.uses_priorities;
        program.uses_timeout = model.uses_timeout;
        program.loses_messages = model.loses_messages;
        program.block_step_limit = model.block_step_limit;
        program.free_to_move =
            !program.uses_priorities && program.processes.iter().all(|p| p.provided == Test::Always);
        program.looks_around = program.receives.iter().any(|receive| receive.looks_around);
        let frame = |kind: &u32| u64::from(program.processes[*kind as usize].frame_words);
        let words = u64::from(program.global_words)
            + program.active.iter().map(frame).sum::<u64>()
            + program.runs.iter().map(|run| frame(&run.kind)).sum::<u64>();
        if words > limits::STATE_WORDS {
            return Err(BuildError::TooLarge);
        }
        program.width = (words as u32).next_multiple_of(2);
        Ok(self.program)
    }

    fn known_process(&self, process: ProcessTypeId) -> Result<(), BuildError> {
        let known = (process.0 as usize) < self.model.processes.len();
        if known { Ok(()) } else { Err(BuildError::BadProcess) }
    }

    pub(super) fn locations_of(&self, process: ProcessTypeId) -> Result<usize, BuildError> {
        self.known_process(process)?;
        Ok(self.model.process(process).locations.len())
    }

    pub(super) fn cell(&self, scope: Scope, slot: u32) -> Result<Cell, BuildError> {
        let cells = match scope {
            Scope::Global => &self.program.global_cells,
            Scope::Local => &self.frame.as_ref().ok_or(BuildError::NoProcess)?.cells,
        };
        cells.get(slot as usize).copied().ok_or(BuildError::BadSlot)
    }

    /// Every slot that the place can reach exists.
    pub(super) fn check_place(&self, place: &Place) -> Result<(), BuildError> {
        self.cell(place.scope, last_slot(place)?).map(|_| ())
    }

    /// Do the slots that the place can reach lie side by side?
    pub(super) fn is_even(&self, place: &Place) -> Result<bool, BuildError> {
        let first = self.cell(place.scope, place.slot)?;
        for slot in place.slot..=last_slot(place)? {
            let cell = self.cell(place.scope, slot)?;
            let bits = u64::from(slot - place.slot) * u64::from(first.storage);
            let at = u64::from(first.word) * 32 + u64::from(first.shift) + bits;
            if cell.storage != first.storage || u64::from(cell.word) * 32 + u64::from(cell.shift) != at {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn check_remote_place(&self, process: ProcessTypeId, place: &Place) -> Result<(), BuildError> {
        self.known_process(process)?;
        let locals = self.model.process(process).locals.len();
        if place.scope == Scope::Local && (last_slot(place)? as usize) < locals {
            Ok(())
        } else {
            Err(BuildError::BadSlot)
        }
    }
}

fn last_slot(place: &Place) -> Result<u32, BuildError> {
    let reach: u64 =
        place.indices.iter().map(|i| u64::from(i.length.saturating_sub(1)) * u64::from(i.stride)).sum();
    u32::try_from(u64::from(place.slot) + reach).map_err(|_| BuildError::BadSlot)
}

fn opened_channels(initialisers: &[Initialiser]) -> impl Iterator<Item = &ChannelType> {
    initialisers.iter().filter_map(|initialiser| match initialiser {
        Initialiser::Channel(_, channel) => Some(channel),
        Initialiser::Value(..) => None,
    })
}

fn location_scalar(process: &ProcessType) -> Result<Scalar, BuildError> {
    match process.locations.len() {
        0..=256 => Ok(Scalar::BYTE),
        257..=65536 => Ok(Scalar { bits: 16, signed: false }),
        _ => Err(BuildError::TooManyLocations),
    }
}

fn sets_priorities(model: &Model) -> bool {
    let edges = model.processes.iter().flat_map(|p| &p.locations).flat_map(|l| &l.edges);
    edges.flat_map(|edge| &edge.actions).any(|action| match action {
        Action::SetPriority(..) => true,
        Action::Run(run) => run.priority.is_some(),
        _ => false,
    })
}

/// Is the value a matter of slots, constants and the pid alone? Deep expressions are not looked through.
fn reads_slots_only(expr: &Expr) -> bool {
    let simple = |expr: &Expr| match expr {
        Expr::Constant(_) | Expr::Pid => true,
        Expr::Load(place) => place.indices.iter().all(|index| {
            matches!(&index.value, Expr::Constant(_) | Expr::Pid)
                || matches!(&index.value, Expr::Load(inner) if inner.indices.is_empty())
        }),
        _ => false,
    };
    match expr {
        Expr::Unary(_, operand) => simple(operand),
        Expr::Binary(_, left, right) => simple(left) && simple(right),
        _ => simple(expr),
    }
}

fn only_ends(location: &model::Location) -> bool {
    let ends = |edge: &model::Edge| matches!(edge.actions.first(), Some(Action::End));
    !location.edges.is_empty() && location.edges.iter().all(ends)
}

fn rests(location: &model::Location) -> bool {
    location.is_end || only_ends(location)
}
