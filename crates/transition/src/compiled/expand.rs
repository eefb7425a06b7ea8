//! From a state to its successors: one round over the processes, handshakes, and the steps within exclusive
//! control up to the next ordinary state.

mod exclusive;

use super::ample::Reduction;
use super::evaluate::{Evaluator, View};
use super::execute::{Executor, Ready, Stop};
use super::jit::{Mask, Native};
use super::log::Log;
use super::program::{Edge, First, Process, Program};
use super::shape::{Shape, Shapes};
use super::successors::{FaultStep, Step, Successors};
use super::{Divergence, Executed, MicroStep, Patience, Stay};
use crate::model::{Fault, LocationId, ProcessTypeId};
use exclusive::{Pending, Remembered};

/// What is to be found.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'r> {
    /// The ordinary states that come next.
    Ordinary(Option<&'r Reduction>),
    /// Those behind the steps of the one process that may move alone; nothing where there is none.
    Alone(&'r Reduction),
    /// The states behind one statement, with this process in exclusive control.
    Inner(Option<u8>),
}

/// Buffers that are kept between calls.
#[derive(Default)]
pub(super) struct Scratch {
    registers: Vec<i32>,
    raised: Vec<Fault>,
    message: Vec<i32>,
    offer: Vec<i32>,
    pending: Vec<Pending>,
    pool: Vec<Vec<u32>>,
    remembered: Remembered,
    log: Log,
}

impl Scratch {
    pub(super) fn new(program: &Program) -> Scratch {
        Scratch { registers: vec![0; usize::from(program.registers) + 1], ..Scratch::default() }
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(super) fn evaluator<'a>(&'a mut self, program: &'a Program, shapes: &'a Shapes) -> Evaluator<'a> {
        if self.registers.len() <= usize::from(program.registers) {
            self.registers.resize(usize::from(program.registers) + 1, 0);
        }
        Evaluator { program, shapes, registers: &mut self.registers, depth: 0, patience: None }
    }
}

/// Where steps start.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) words: &'s [u32],
    pub(super) shape: &'s Shape,
    pub(super) timeout: bool,
    pub(super) log: u32,
    /// Who took part in the micro steps up to here, by bit, as far as there are bits.
    pub(super) moved: u64,
}

/// What expansion reads and never changes.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub(super) program: &'a Program,
    pub(super) shapes: &'a Shapes,
    pub(super) native: Option<&'a Native>,
    pub(super) patience: Option<&'a Patience>,
}

pub(super) struct Expansion<'a> {
    pub(super) evaluator: Evaluator<'a>,
    native: Option<&'a Native>,
    pub(super) out: &'a mut Successors,
    pub(super) raised: &'a mut Vec<Fault>,
    pub(super) message: &'a mut Vec<i32>,
    pub(super) offer: &'a mut Vec<i32>,
    pending: &'a mut Vec<Pending>,
    pub(super) pool: &'a mut Vec<Vec<u32>>,
    remembered: &'a mut Remembered,
    log: &'a mut Log,
    /// Internal states expanded so far.
    internal: u64,
    /// Who made the first micro step, and with whom.
    mover: u8,
    partner: Option<u8>,
    /// The first micro step is still to come.
    pub(super) at_start: bool,
    /// One statement is one step, wherever it leads.
    pub(super) inner: bool,
    /// A step needs no record but that it was made.
    is_plain: bool,
}

/// Fills `out` with the successors of `state`.
pub(super) fn expand(
    tables: Tables<'_>,
    scratch: &mut Scratch,
    state: &[u32],
    wanted: Wanted<'_>,
    out: &mut Successors,
) -> Result<(), Stop> {
    let Tables { program, shapes, native, patience } = tables;
    out.clear(state.len());
    scratch.log.clear();
    scratch.pending.clear();
    scratch.remembered.clear();
    if scratch.registers.len() <= usize::from(program.registers) {
        scratch.registers.resize(usize::from(program.registers) + 1, 0);
    }
    let shape = shapes.get(program.shape_number(state));
    let inner = matches!(wanted, Wanted::Inner(_));
    let is_plain = !inner && !program.uses_last && !scratch.log.wanted;
    let mut expansion = Expansion {
        evaluator: Evaluator { program, shapes, registers: &mut scratch.registers, depth: 0, patience },
        native: native.filter(|_| !inner),
        out,
        raised: &mut scratch.raised,
        message: &mut scratch.message,
        offer: &mut scratch.offer,
        pending: &mut scratch.pending,
        pool: &mut scratch.pool,
        remembered: &mut scratch.remembered,
        log: &mut scratch.log,
        internal: 0,
        mover: 0,
        partner: None,
        at_start: true,
        inner,
        is_plain,
    };
    let source = Source { words: state, shape, timeout: false, log: 0, moved: 0 };
    match wanted {
        Wanted::Ordinary(Some(reduction)) if expansion.reduced(&source, reduction)? => return Ok(()),
        Wanted::Alone(reduction) => {
            expansion.reduced(&source, reduction)?;
            return Ok(());
        }
        Wanted::Inner(Some(pid)) => {
            if usize::from(pid) < shape.count() {
                expansion.process(&source, usize::from(pid))?;
            }
            return Ok(());
        }
        _ => {}
    }
    let mut any = expansion.round(&source)?;
    if !any && program.uses_timeout {
        any = expansion.round(&Source { timeout: true, ..source })?;
        expansion.out.timeout = any;
    }
    if !any {
        expansion.out.deadlock = true;
        expansion.out.valid_end = rests(program, shape, state);
    }
    Ok(())
}

/// How an edge is ready of which machine code says that it is executable.
fn known_ready(first: &First) -> Ready {
    match first {
        First::Receive(_) => Ready::Message(0),
        _ => Ready::Yes,
    }
}

/// May every process rest where it is, and the event trace too?
pub(super) fn rests(program: &Program, shape: &Shape, words: &[u32]) -> bool {
    let processes = shape.kinds.iter().zip(&shape.frames).all(|(kind, frame)| {
        let process = &program.processes[*kind as usize];
        process.locations[(words[*frame as usize] & process.location_mask) as usize].rests
    });
    let trace = program.trace.as_ref().is_none_or(|trace| trace.rests[trace.cell.read(words, 0) as usize]);
    processes && (trace || shape.count() == 0)
}

impl<'a> Expansion<'a> {
    /// All processes, the youngest first. Was any edge executable?
    fn round(&mut self, source: &Source<'_>) -> Result<bool, Stop> {
        let mut any = false;
        for pid in (0..source.shape.count()).rev() {
            any |= self.process(source, pid)?;
        }
        Ok(any)
    }

    /// Only the steps of one process that is safe here, if there is one that can move.
    fn reduced(&mut self, source: &Source<'_>, reduction: &Reduction) -> Result<bool, Stop> {
        for pid in (0..source.shape.count()).rev() {
            let view = View::of(source.words, source.shape, pid, source.timeout);
            let safe = reduction.is_ample(&mut self.evaluator, &view);
            if safe && self.process(source, pid)? {
                // A process that comes to no ordinary state (it fails, or runs for ever) would keep all
                // others from ever moving.
                if self.out.steps.is_empty() {
                    self.out.clear(source.words.len());
                    self.log.clear();
                    self.remembered.clear();
                    return Ok(false);
                }
                self.out.reduced = true;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The steps of one process. Was any of its edges executable?
    #[inline]
    fn process(&mut self, source: &Source<'_>, pid: usize) -> Result<bool, Stop> {
        let program = self.evaluator.program;
        let shape = source.shape;
        if !program.free_to_move
            && !self.is_inside(source, pid)
            && !self.evaluator.may_move(&View::of(source.words, shape, pid, source.timeout))
        {
            return Ok(false);
        }
        let process = &program.processes[shape.kinds[pid] as usize];
        let number = source.words[shape.frames[pid] as usize] & process.location_mask;
        let mask = match self.native {
            Some(native) => {
                native.guard(process.first_location + number, source.words, shape, pid, source.timeout)
            }
            None => None,
        };
        match mask {
            // Most processes are blocked in most states.
            Some(Mask { yes: 0, ask: 0 }) => Ok(false),
            Some(Mask { yes, ask: 0 }) if self.is_plain && self.at_start && !process.deterministic => {
                self.known_edges(source, pid, process, number, yes)
            }
            _ => self.edges(source, pid, process, number, mask),
        }
    }

    /// The same as [`Expansion::edges`] where machine code knows all that is executable, and a step needs no record but that it
    /// was made: what happens most of the time, and nothing but that.
    fn known_edges(
        &mut self,
        source: &Source<'_>,
        pid: usize,
        process: &Process,
        number: u32,
        mut executable: u32,
    ) -> Result<bool, Stop> {
        let program = self.evaluator.program;
        let first = process.locations[number as usize].edges.start as usize;
        let mut moved = false;
        let mut escape = 0;
        while executable != 0 {
            let index = first + executable.trailing_zeros() as usize;
            executable &= executable - 1;
            let edge = &program.edges[index];
            if escape != 0 && escape != edge.escape {
                break;
            }
            if moved && edge.first == First::Else {
                continue;
            }
            if edge.atomic || !self.execute(source, pid, index) {
                self.known_edge(source, pid, index, number)?;
            } else {
                (self.mover, self.partner) = (pid as u8, None);
                self.out.steps.push(Step { pid: pid as u8, partner: None });
            }
            moved = true;
            escape = edge.escape;
        }
        if moved {
            self.out.executable.insert(pid as u8);
        }
        Ok(moved)
    }

    /// An edge that is executable.
    #[inline(never)]
    fn known_edge(
        &mut self,
        source: &Source<'_>,
        pid: usize,
        index: usize,
        location: u32,
    ) -> Result<(), Stop> {
        let edge = &self.evaluator.program.edges[index];
        let step = Executed { pid: pid as u8, location: LocationId(location), edge: edge.number };
        if self.natively(source, pid, index, step)? {
            return Ok(());
        }
        self.alone(source, pid, edge, known_ready(&edge.first), step)
    }

    /// The steps of a process from a location, given what machine code says about its edges.
    #[inline(never)]
    fn edges(
        &mut self,
        source: &Source<'_>,
        pid: usize,
        process: &Process,
        number: u32,
        mask: Option<Mask>,
    ) -> Result<bool, Stop> {
        let program = self.evaluator.program;
        let view = || View::of(source.words, source.shape, pid, source.timeout);
        let range = &process.locations[number as usize].edges;
        let edges = &program.edges[range.start as usize..range.end as usize];
        let mut moved = false;
        let mut escape = 0;
        for (index, edge) in edges.iter().enumerate() {
            if escape != 0 && escape != edge.escape {
                break;
            }
            let ready = match mask {
                Some(mask) if (mask.yes | mask.ask) >> index & 1 == 0 => continue,
                Some(mask) if mask.yes >> index & 1 == 1 => match &edge.first {
                    First::Else if moved => continue,
                    first => Ok(known_ready(first)),
                },
                _ => self.evaluator.ready(&view(), &edge.first, moved),
            };
            let step = Executed { pid: pid as u8, location: LocationId(number), edge: edge.number };
            match ready {
                Ok(Ready::No) => continue,
                Ok(Ready::Offer) => {
                    if !self.handshakes(source, &view(), edge, step)? {
                        continue;
                    }
                }
                Ok(ready) => {
                    if process.deterministic && moved && edge.first != First::Else {
                        self.raised.push(Fault::NotDeterministic);
                    }
                    if !self.natively(source, pid, range.start as usize + index, step)? {
                        self.alone(source, pid, edge, ready, step)?;
                    }
                }
                Err(fault) => self.fault(source, fault, MicroStep { mover: step, partner: None }),
            }
            moved = true;
            escape = edge.escape;
            if self.inner && process.locations[number as usize].in_step {
                break;
            }
        }
        if moved && self.at_start {
            self.out.executable.insert(pid as u8);
        }
        Ok(moved)
    }

    /// Is the process followed through a block that never ends?
    #[inline]
    fn is_inside(&self, source: &Source<'_>, pid: usize) -> bool {
        self.inner && {
            let view = View::of(source.words, source.shape, pid, source.timeout);
            self.evaluator.location(&view, pid).in_step
        }
    }

    #[inline]
    fn note(&mut self, source: &Source<'_>, step: MicroStep) -> u32 {
        if !self.log.wanted {
            return 0;
        }
        let kind = |side: Executed| source.shape.kinds.get(usize::from(side.pid)).copied();
        self.log.add(source.log, step, [kind(step.mover), step.partner.and_then(kind)])
    }

    pub(super) fn fault(&mut self, source: &Source<'_>, fault: Fault, step: MicroStep) {
        let node = self.note(source, step);
        self.report(fault, step, node);
    }

    fn report(&mut self, fault: Fault, step: MicroStep, node: u32) {
        let pid = if self.at_start { step.mover.pid } else { self.mover };
        self.out.faults.push(FaultStep { pid, fault, at: step.partner.unwrap_or(step.mover) });
        if self.log.wanted {
            self.log.of_faults.push(node);
        }
    }

    /// Control can stay for ever where this process is.
    pub(super) fn diverges(&mut self, source: &Source<'_>, pid: usize, stay: Stay) {
        let view = View::of(source.words, source.shape, pid, source.timeout);
        let location = LocationId(self.evaluator.location_number(&view, pid));
        let process = ProcessTypeId(source.shape.kinds[pid]);
        let found = Divergence { process, location, stay };
        self.out.diverges = Divergence::or_sequence(self.out.diverges, Some(found));
    }

    /// Appends the vector behind an edge to the output, by machine code. False: there is none, or something unusual happened,
    /// and nothing is appended.
    #[inline]
    fn execute(&mut self, source: &Source<'_>, pid: usize, edge: usize) -> bool {
        let Some(native) = self.native.filter(|native| native.has_effect(edge)) else { return false };
        let program = self.evaluator.program;
        let start = self.out.words.len();
        self.out.words.extend_from_slice(source.words);
        let mover = (pid, source.timeout);
        if !native.execute(program, edge, &mut self.out.words[start..], source.shape, mover) {
            self.out.words.truncate(start);
            return false;
        }
        true
    }

    /// Executes an edge by machine code, if there is any and nothing unusual happens.
    #[inline]
    fn natively(
        &mut self,
        source: &Source<'_>,
        pid: usize,
        edge: usize,
        step: Executed,
    ) -> Result<bool, Stop> {
        let start = self.out.words.len();
        if !self.execute(source, pid, edge) {
            return Ok(false);
        }
        let exclusive = self.evaluator.program.edges[edge].atomic.then_some(pid as u8);
        let micro = MicroStep { mover: step, partner: None };
        let node = self.note(source, micro);
        if !self.raised.is_empty() {
            self.report_raised(micro, node);
        }
        self.arrive(source, start, micro, node, pid as u8, exclusive)?;
        Ok(true)
    }

    /// Executes an edge without a partner.
    #[inline]
    fn alone(
        &mut self,
        source: &Source<'_>,
        pid: usize,
        edge: &Edge,
        ready: Ready,
        step: Executed,
    ) -> Result<(), Stop> {
        let start = self.out.words.len();
        self.out.words.extend_from_slice(source.words);
        let (words, message) = (&mut self.out.words[start..], std::mem::take(self.message));
        let mut executor = Executor::new(&mut self.evaluator, words, source.timeout, self.raised, message);
        let source_shape = executor.shape;
        let mut done = executor.edge(pid, edge, ready);
        if done.is_ok() && pid < executor.shape.count() {
            executor.set_location(pid, edge.target);
        }
        let is_endless = done == Err(Stop::Fault(Fault::StepDoesNotEnd));
        if is_endless && self.inner {
            executor.raised.clear();
            executor.words.copy_from_slice(source.words);
            executor.shape = source_shape;
            done = executor.enter(pid, edge, None);
        }
        if executor.shape.words as usize > executor.words.len() {
            done = Err(Stop::TooNarrow(executor.shape.words));
        }
        let alive = pid < executor.shape.count();
        *self.message = executor.message;
        let keeps = edge.atomic || is_endless || self.is_inside(source, pid);
        let exclusive = (keeps && alive).then_some(pid as u8);
        if is_endless {
            self.diverges(source, pid, Stay::Step);
        }
        self.finish(source, start, done, MicroStep { mover: step, partner: None }, pid as u8, exclusive)
    }

    /// Files what was built at `start` of the output.
    #[inline]
    pub(super) fn finish(
        &mut self,
        source: &Source<'_>,
        start: usize,
        done: Result<(), Stop>,
        step: MicroStep,
        last: u8,
        exclusive: Option<u8>,
    ) -> Result<(), Stop> {
        let node = self.note(source, step);
        if matches!(done, Err(Stop::Fault(_))) {
            // The step did not happen, so the faults that it noted without stopping do not count.
            self.raised.clear();
        }
        if !self.raised.is_empty() {
            self.report_raised(step, node);
        }
        match done {
            Ok(()) => self.arrive(source, start, step, node, last, exclusive),
            Err(Stop::Fault(fault)) => {
                self.out.words.truncate(start);
                self.report(fault, step, node);
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    /// Reports what a step noted without stopping.
    #[cold]
    fn report_raised(&mut self, step: MicroStep, node: u32) {
        let raised = std::mem::take(self.raised);
        for fault in &raised {
            self.report(*fault, step, node);
        }
        *self.raised = raised;
        self.raised.clear();
    }

    /// A step has led to the vector at `start` of the output.
    #[inline]
    fn arrive(
        &mut self,
        source: &Source<'_>,
        start: usize,
        step: MicroStep,
        node: u32,
        last: u8,
        exclusive: Option<u8>,
    ) -> Result<(), Stop> {
        let program = self.evaluator.program;
        if program.uses_last {
            program.set_last(&mut self.out.words[start..], last);
        }
        let bit = |pid: u8| 1_u64.checked_shl(u32::from(pid)).unwrap_or(0);
        let moved = source.moved | bit(step.mover.pid) | step.partner.map_or(0, |partner| bit(partner.pid));
        if self.at_start {
            self.mover = step.mover.pid;
            self.partner = step.partner.map(|partner| partner.pid);
        }
        match exclusive {
            _ if self.inner => {
                self.out.controls.push(exclusive);
                self.file(node, moved);
                Ok(())
            }
            None => {
                self.file(node, moved);
                Ok(())
            }
            Some(pid) => self.go_on(start, pid, node, moved),
        }
    }

    /// The vector at the end of the output is an ordinary successor.
    #[inline]
    fn file(&mut self, node: u32, moved: u64) {
        // Only a handshake inside an atomic sequence adds another process.
        if !self.at_start && moved.count_ones() > 1 {
            self.out.helpers.push((self.out.steps.len() as u32, moved));
        }
        self.out.steps.push(Step { pid: self.mover, partner: self.partner });
        if self.log.wanted {
            self.log.of_steps.push(node);
        }
    }
}
