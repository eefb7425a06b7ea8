//! Which edges are executable, and what executing one does to a packed state.

use std::cmp::Ordering;

use super::evaluate::{Channel, Evaluator, View};
use super::layout::cut;
use super::program::{Edge, Effect, Field, First, Receive, Test, Value};
use super::shape::Shape;
use crate::limits;
use crate::model::Fault;

/// Why a step was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The step leaves no state.
    Fault(Fault),
    /// A shape is needed that is not known yet.
    NewShape { parent: u32, kind: u32 },
    /// The vector is too short; this many words are needed.
    TooNarrow(u32),
    /// It takes too long.
    GaveUp,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// Is an edge executable?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ready {
    No,
    Yes,
    /// A receive that takes the message at this position.
    Message(u32),
    /// A send that needs a partner.
    Offer,
}

/// A message on offer in a handshake.
#[derive(Clone, Copy)]
pub(super) struct Offer<'a> {
    pub(super) channel: Channel,
    pub(super) message: &'a [i32],
}

impl<'a> Evaluator<'a> {
    /// `moved`: an earlier edge of the location was executable.
    #[inline]
    pub(super) fn ready(&mut self, view: &View<'_>, first: &First, moved: bool) -> Result<Ready, Fault> {
        match first {
            First::Test(test) => Ok(if self.holds(view, test)? { Ready::Yes } else { Ready::No }),
            First::Else => Ok(if moved { Ready::No } else { Ready::Yes }),
            First::Send(send) => {
                let send = &self.program.sends[*send as usize];
                let channel = self.channel(view, &send.channel)?;
                let layout = &self.program.channels[channel.layout as usize];
                Ok(if layout.capacity == 0 {
                    Ready::Offer
                } else if self.program.loses_messages
                    || layout.count(view.words, channel.word) < layout.capacity
                {
                    Ready::Yes
                } else {
                    Ready::No
                })
            }
            First::Receive(receive) => self.ready_to_receive(view, *receive),
            First::End => Ok(if view.pid + 1 == view.shape.count() { Ready::Yes } else { Ready::No }),
            First::Block(block) => {
                if self.depth >= limits::BLOCK_DEPTH {
                    return Err(Fault::StepDoesNotEnd);
                }
                self.depth += 1;
                let found = self.block_edge(view, *block, None, None);
                self.depth -= 1;
                Ok(if found?.is_some() { Ready::Yes } else { Ready::No })
            }
        }
    }

    fn ready_to_receive(&mut self, view: &View<'_>, receive: u32) -> Result<Ready, Fault> {
        let program = self.program;
        let receive = &program.receives[receive as usize];
        let channel = self.channel(view, &receive.channel)?;
        let layout = &program.channels[channel.layout as usize];
        let count = layout.count(view.words, channel.word);
        if count == 0 {
            return Ok(Ready::No);
        }
        if receive.fields.len() > layout.fields.len() {
            return Err(Fault::ReceiveTooLong);
        }
        let candidates = if receive.random { count } else { 1 };
        'messages: for position in 0..candidates {
            for (field, pattern) in receive.fields.iter().enumerate() {
                if let Field::Match(wanted) = pattern {
                    let held = layout.field(view.words, channel.word, field, position);
                    if held != self.value(view, wanted)? {
                        continue 'messages;
                    }
                }
            }
            return Ok(Ready::Message(position));
        }
        Ok(Ready::No)
    }

    /// Would this edge take the message on offer?
    pub(super) fn accepts(&mut self, view: &View<'_>, edge: &Edge, offer: &Offer<'_>) -> Result<bool, Fault> {
        match edge.first {
            First::Receive(receive) => self.fits(view, &self.program.receives[receive as usize], offer),
            First::Block(block) => Ok(self.block_edge(view, block, None, Some(offer))?.is_some()),
            _ => Ok(false),
        }
    }

    fn fits(&mut self, view: &View<'_>, receive: &Receive, offer: &Offer<'_>) -> Result<bool, Fault> {
        if receive.keep {
            return Ok(false);
        }
        match self.channel(view, &receive.channel) {
            Ok(channel) if channel.number == offer.channel.number => {}
            Ok(_) | Err(Fault::NoSuchChannel) => return Ok(false),
            Err(fault) => return Err(fault),
        }
        if receive.fields.len() > offer.message.len() {
            return Err(Fault::ReceiveTooLong);
        }
        for (pattern, held) in receive.fields.iter().zip(offer.message) {
            if let Field::Match(wanted) = pattern
                && self.value(view, wanted)? != *held
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Has the process an executable edge? A send that needs a partner counts, a receive that needs one
    /// does not. A guard that cannot be evaluated counts: executing it is a fault.
    pub(super) fn is_enabled(&mut self, view: &View<'_>) -> bool {
        let location = self.location(view, view.pid);
        let program = self.program;
        let edges = &program.edges[location.edges.start as usize..location.edges.end as usize];
        edges.iter().any(|edge| self.ready(view, &edge.first, false) != Ok(Ready::No))
    }

    /// Rule 1 of the model: the process may move at all.
    #[inline(always)]
    pub(super) fn may_move(&mut self, view: &View<'_>) -> bool {
        self.program.free_to_move || self.is_let_move(view)
    }

    #[cold]
    fn is_let_move(&mut self, view: &View<'_>) -> bool {
        if !self.is_provided(view) {
            return false;
        }
        if !self.program.uses_priorities {
            return true;
        }
        let own = self.priority(view, view.pid);
        (0..view.shape.count()).all(|pid| {
            if pid == view.pid || self.priority(view, pid) <= own {
                return true;
            }
            let other = View::of(view.words, view.shape, pid, view.timeout);
            !(self.is_provided(&other) && self.is_enabled(&other))
        })
    }

    #[inline]
    fn is_provided(&mut self, view: &View<'_>) -> bool {
        let process = &self.program.processes[view.shape.kinds[view.pid] as usize];
        match &process.provided {
            Test::Always => true,
            test => self.holds(&View { timeout: false, ..*view }, test).unwrap_or(false),
        }
    }

    /// The first edge of a location within a block that is executable, and how. `None` for the location:
    /// the entry. With an offer, only edges that take it count.
    pub(super) fn block_edge(
        &mut self,
        view: &View<'_>,
        block: u32,
        location: Option<u32>,
        offer: Option<&Offer<'_>>,
    ) -> Result<Option<(&'a Edge, Ready)>, Fault> {
        let program = self.program;
        let block = &program.blocks[block as usize];
        let location = location.unwrap_or(block.entry);
        let edges = &program.processes[block.kind as usize].locations[location as usize].edges;
        for edge in &program.edges[edges.start as usize..edges.end as usize] {
            let ready = match (offer, &edge.first) {
                (Some(offer), First::Receive(receive)) => {
                    let receive = &program.receives[*receive as usize];
                    if self.fits(view, receive, offer)? { Ready::Yes } else { Ready::No }
                }
                (Some(_), _) => Ready::No,
                (None, _) => self.ready(view, &edge.first, false)?,
            };
            match ready {
                Ready::No => {}
                Ready::Offer => return Err(self.offer_in_block(view, edge)),
                ready => return Ok(Some((edge, ready))),
            }
        }
        Ok(None)
    }
}

impl Evaluator<'_> {
    /// The message of a send, cut to the channel's fields.
    pub(super) fn message(
        &mut self,
        view: &View<'_>,
        send: u32,
        message: &mut Vec<i32>,
    ) -> Result<Channel, Fault> {
        let program = self.program;
        let send = &program.sends[send as usize];
        let channel = self.channel(view, &send.channel)?;
        let fields = &program.channels[channel.layout as usize].fields;
        message.clear();
        for argument in &send.arguments {
            message.push(self.value(view, argument)?);
        }
        match send.arguments.len().cmp(&fields.len()) {
            Ordering::Greater => return Err(Fault::MessageTooLong),
            Ordering::Less => return Err(Fault::MessageTooShort),
            Ordering::Equal => {}
        }
        for (value, field) in message.iter_mut().zip(fields) {
            *value = cut(field.bits, field.signed, *value);
        }
        Ok(channel)
    }

    /// No other process moves during a block: offering a handshake there is an error of the model, unless the
    /// message cannot even be made.
    #[cold]
    fn offer_in_block(&mut self, view: &View<'_>, edge: &Edge) -> Fault {
        if let First::Send(send) = edge.first {
            for argument in &self.program.sends[send as usize].arguments {
                if let Err(fault) = self.value(view, argument) {
                    return fault;
                }
            }
        }
        Fault::BlockInStep
    }
}

/// Executes edges on a state that may be changed.
pub(super) struct Executor<'e, 'a> {
    pub(super) evaluator: &'e mut Evaluator<'a>,
    pub(super) words: &'e mut [u32],
    pub(super) shape: &'a Shape,
    pub(super) timeout: bool,
    /// Faults that did not stop the step.
    pub(super) raised: &'e mut Vec<Fault>,
    /// Scratch for messages and arguments.
    pub(super) message: Vec<i32>,
    pub(super) block_depth: u32,
}

impl<'e, 'a> Executor<'e, 'a> {
    /// An executor on these words, with a vector that it may use for messages.
    #[inline]
    pub(super) fn new(
        evaluator: &'e mut Evaluator<'a>,
        words: &'e mut [u32],
        timeout: bool,
        raised: &'e mut Vec<Fault>,
        message: Vec<i32>,
    ) -> Executor<'e, 'a> {
        let shape = evaluator.shapes.get(evaluator.program.shape_number(words));
        Executor { evaluator, words, shape, timeout, raised, message, block_depth: 0 }
    }

    #[inline]
    fn value(&mut self, pid: usize, value: &Value) -> Result<i32, Fault> {
        let view = View::of(self.words, self.shape, pid, self.timeout);
        self.evaluator.value(&view, value)
    }

    fn store(&mut self, pid: usize, target: &super::program::Target, value: i32) -> Result<(), Fault> {
        let view = View::of(self.words, self.shape, pid, self.timeout);
        let (cell, base) = self.evaluator.target(&view, target)?;
        cell.write(self.words, base, value);
        Ok(())
    }

    /// Executes an edge that is ready, all but the change of location.
    #[inline]
    pub(super) fn edge(&mut self, pid: usize, edge: &Edge, ready: Ready) -> Result<(), Stop> {
        self.first(pid, &edge.first, ready)?;
        self.effects(pid, edge.effects.clone())
    }

    /// The part of an edge behind its first action.
    pub(super) fn effects(&mut self, pid: usize, effects: std::ops::Range<u32>) -> Result<(), Stop> {
        let program = self.evaluator.program;
        for effect in &program.effects[effects.start as usize..effects.end as usize] {
            match effect {
                Effect::Store { target, value } => {
                    let view = View::of(self.words, self.shape, pid, self.timeout);
                    let value = self.evaluator.value(&view, value);
                    match value.and_then(|value| Ok((self.evaluator.target(&view, target)?, value))) {
                        Ok(((cell, base), value)) => cell.write(self.words, base, value),
                        Err(Fault::IndexOutOfRange) => self.raised.push(Fault::IndexOutOfRange),
                        Err(fault) => return Err(fault.into()),
                    }
                }
                Effect::Assert(test) => {
                    let view = View::of(self.words, self.shape, pid, self.timeout);
                    if !self.evaluator.holds(&view, test)? {
                        self.raised.push(Fault::Assertion);
                    }
                }
                Effect::Run(run) => self.run(pid, *run)?,
                Effect::SetPriority(of, priority) => {
                    let of = self.value(pid, of)?;
                    let priority = self.value(pid, priority)?.clamp(1, 255);
                    if let Some(of) = usize::try_from(of).ok().filter(|of| *of < self.shape.count()) {
                        let process = &program.processes[self.shape.kinds[of] as usize];
                        if let Some(cell) = process.priority_cell {
                            cell.write(self.words, self.shape.frames[of] as usize, priority);
                        }
                    }
                }
                Effect::OpenChannel { target, index } => {
                    let number = self.shape.channels_below[pid] + index + 1;
                    if number > 255 {
                        return Err(Fault::TooManyChannels.into());
                    }
                    self.store(pid, target, number as i32)?;
                }
                Effect::Further(first) => {
                    let view = View::of(self.words, self.shape, pid, self.timeout);
                    match self.evaluator.ready(&view, first, false)? {
                        Ready::No | Ready::Offer => return Err(Fault::BlockInStep.into()),
                        ready => self.first(pid, first, ready)?,
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn first(&mut self, pid: usize, first: &First, ready: Ready) -> Result<(), Stop> {
        match first {
            First::Test(_) | First::Else => Ok(()),
            First::Send(send) => self.send(pid, *send),
            First::Receive(receive) => {
                let position = if let Ready::Message(position) = ready { position } else { 0 };
                self.receive(pid, *receive, position)
            }
            First::End => {
                self.end(pid);
                Ok(())
            }
            First::Block(block) => self.block(pid, *block, None),
        }
    }

    pub(super) fn set_location(&mut self, pid: usize, location: u32) {
        let process = &self.evaluator.program.processes[self.shape.kinds[pid] as usize];
        let word = &mut self.words[self.shape.frames[pid] as usize];
        *word = *word & !process.location_mask | location;
    }

    fn send(&mut self, pid: usize, send: u32) -> Result<(), Stop> {
        let view = View::of(self.words, self.shape, pid, self.timeout);
        let program = self.evaluator.program;
        if program.loses_messages {
            let channel = self.evaluator.channel(&view, &program.sends[send as usize].channel)?;
            let layout = &program.channels[channel.layout as usize];
            if layout.count(self.words, channel.word) >= layout.capacity {
                return Ok(());
            }
        }
        let channel = self.evaluator.message(&view, send, &mut self.message)?;
        let layout = &program.channels[channel.layout as usize];
        if program.sends[send as usize].sorted {
            layout.insert_sorted(self.words, channel.word, &self.message);
        } else {
            layout.append(self.words, channel.word, &self.message);
        }
        if program.trace.is_some() {
            let message = std::mem::take(&mut self.message);
            self.event(true, channel.number, &message)?;
            self.message = message;
        }
        Ok(())
    }

    fn receive(&mut self, pid: usize, receive: u32, position: u32) -> Result<(), Stop> {
        let program = self.evaluator.program;
        let receive = &program.receives[receive as usize];
        let view = View::of(self.words, self.shape, pid, self.timeout);
        let channel = self.evaluator.channel(&view, &receive.channel)?;
        let layout = &program.channels[channel.layout as usize];
        self.message.clear();
        for field in 0..layout.fields.len() {
            self.message.push(layout.field(self.words, channel.word, field, position));
        }
        if !receive.keep {
            layout.remove(self.words, channel.word, position);
        }
        let message = std::mem::take(&mut self.message);
        self.store_fields(pid, receive, &message)?;
        if !receive.keep && program.trace.is_some() {
            self.event(false, channel.number, &message)?;
        }
        self.message = message;
        Ok(())
    }

    fn store_fields(&mut self, pid: usize, receive: &Receive, message: &[i32]) -> Result<(), Fault> {
        for (field, value) in receive.fields.iter().zip(message) {
            if let Field::Store(target) = field {
                self.store(pid, target, *value)?;
            }
        }
        Ok(())
    }

    /// The receiving side of a handshake, all but the change of location.
    pub(super) fn accept(&mut self, pid: usize, edge: &Edge, offer: &Offer<'_>) -> Result<(), Stop> {
        match edge.first {
            First::Receive(receive) => self.take_offer(pid, receive, offer)?,
            First::Block(block) => self.block(pid, block, Some(offer))?,
            _ => {}
        }
        self.effects(pid, edge.effects.clone())
    }

    pub(super) fn take_offer(&mut self, pid: usize, receive: u32, offer: &Offer<'_>) -> Result<(), Stop> {
        let program = self.evaluator.program;
        self.store_fields(pid, &program.receives[receive as usize], offer.message)?;
        if program.trace.is_some() {
            self.event(false, offer.channel.number, offer.message)?;
        }
        Ok(())
    }

    /// The youngest process leaves; its frame becomes zero.
    fn end(&mut self, pid: usize) {
        let shapes = self.evaluator.shapes;
        let (start, end) = (self.shape.frames[pid] as usize, self.shape.words as usize);
        self.words[start..end].fill(0);
        self.evaluator.program.set_shape_number(self.words, self.shape.parent);
        self.shape = shapes.get(self.shape.parent);
    }

    fn run(&mut self, pid: usize, run: u32) -> Result<(), Stop> {
        let program = self.evaluator.program;
        let run = &program.runs[run as usize];
        let mut arguments = Vec::with_capacity(run.arguments.len());
        for argument in &run.arguments {
            arguments.push(self.value(pid, argument)?);
        }
        let priority = match &run.priority {
            Some(value) => Some(self.value(pid, value)?.clamp(1, 255)),
            None => None,
        };
        let created = self.create(run.kind, &arguments, priority)?;
        if let Some((target, value)) = &run.assign {
            let view = View::of(self.words, self.shape, pid, self.timeout);
            let view = View { run_result: created as i32, ..view };
            let value = self.evaluator.value(&view, value)?;
            self.store(pid, target, value)?;
        }
        Ok(())
    }

    /// Gives the global slots their first values; no process exists yet.
    pub(super) fn initialise_globals(&mut self) -> Result<(), Stop> {
        let program = self.evaluator.program;
        let initial = &program.global_initial;
        for effect in &program.effects[initial.start as usize..initial.end as usize] {
            let view = View::of_nobody(self.words, self.shape, false);
            let (target, value) = match effect {
                Effect::Store { target, value } => (target, self.evaluator.value(&view, value)?),
                Effect::OpenChannel { target, index } => {
                    if *index >= 255 {
                        return Err(Fault::TooManyChannels.into());
                    }
                    (target, *index as i32 + 1)
                }
                _ => continue,
            };
            let (cell, base) = self.evaluator.target(&view, target)?;
            cell.write(self.words, base, value);
        }
        Ok(())
    }

    /// Adds a process; its pid.
    pub(super) fn create(
        &mut self,
        kind: u32,
        arguments: &[i32],
        priority: Option<i32>,
    ) -> Result<usize, Stop> {
        let program = self.evaluator.program;
        let pid = self.shape.count();
        if pid >= 255 {
            return Err(Fault::TooManyProcesses.into());
        }
        let parent = program.shape_number(self.words);
        let child = self.shape.child(kind).ok_or(Stop::NewShape { parent, kind })?;
        let shape = self.evaluator.shapes.get(child);
        if shape.words as usize > self.words.len() {
            return Err(Stop::TooNarrow(shape.words));
        }
        self.shape = shape;
        program.set_shape_number(self.words, child);
        let process = &program.processes[kind as usize];
        let base = shape.frames[pid] as usize;
        for (cell, value) in process.cells.iter().zip(arguments).take(process.parameters as usize) {
            cell.write(self.words, base, *value);
        }
        if let Some(cell) = process.priority_cell {
            cell.write(self.words, base, priority.unwrap_or(i32::from(process.priority)));
        }
        self.set_location(pid, process.start);
        let raised = self.raised.len();
        self.effects(pid, process.initial.clone())?;
        // Without first values there is no state: every fault stops this.
        if self.raised.len() > raised {
            return Err(Fault::IndexOutOfRange.into());
        }
        Ok(pid)
    }

    /// Lets the event trace see a send or a receive. A violation does not stop the step.
    pub(super) fn event(&mut self, is_send: bool, number: u32, message: &[i32]) -> Result<(), Fault> {
        let program = self.evaluator.program;
        let Some(trace) = &program.trace else { return Ok(()) };
        let view = View::of_nobody(self.words, self.shape, false);
        let mut in_scope = false;
        for (event, _) in trace.events.iter().flatten() {
            in_scope |=
                event.is_send == is_send && self.evaluator.value(&view, &event.channel)? == number as i32;
        }
        if !in_scope {
            return Ok(());
        }
        let here = trace.cell.read(view.words, 0) as usize;
        let mut next = None;
        'events: for (event, target) in &trace.events[here] {
            if event.is_send != is_send || self.evaluator.value(&view, &event.channel)? != number as i32 {
                continue;
            }
            for (wanted, held) in event.fields.iter().zip(message) {
                if let Some(wanted) = wanted
                    && self.evaluator.value(&view, wanted)? != *held
                {
                    continue 'events;
                }
            }
            next = Some(*target);
            break;
        }
        match next {
            Some(target) => {
                trace.cell.write(self.words, 0, target as i32);
                if trace.forbidden && trace.ends[target as usize] {
                    self.raised.push(Fault::EventTrace);
                }
            }
            None if trace.forbidden => {
                // A `notrace` is about the run from its start: once the run differs, it is not followed any further.
                if let Some(end) = trace.ends.iter().position(|ends| *ends) {
                    trace.cell.write(self.words, 0, end as i32);
                }
            }
            None => self.raised.push(Fault::EventTrace),
        }
        Ok(())
    }
}
