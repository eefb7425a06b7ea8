//! The compiled successor function: a model turned into flat tables and code that work on packed states.
//!
//! A [`System`] is built once from a [`Model`]. States are vectors of [`System::width`] words, an even
//! number; two states are equal where their words from [`System::hidden_words`] on are. Whatever is unused
//! (message slots behind the last message, frames of processes that are gone) is zero, so equal states have
//! equal words. A step may need more words than there are: [`Successors::needs_width`] then says how many,
//! and after [`System::widen`] and widening the stored vectors with zeros the state can be expanded again.
//!
//! Internal states of exclusive control are never handed out: a successor is always an ordinary state.
//!
//! Hidden slots are the words before the compared part. They keep their value along a path: a successor
//! carries the values that its own path gave them, and the store keeps the hidden words of the
//! path that reached a state first. What a model does then depends on the order of the search if it reads a
//! hidden slot that an earlier step of another path has set; SPIN's verifier behaves in the same way.

mod ample;
mod block;
mod build_error;
mod evaluate;
mod execute;
mod expand;
mod fixed_channels;
mod handshake;
mod inside;
#[cfg(feature = "jit")]
mod jit;
#[cfg(not(feature = "jit"))]
#[path = "compiled/no_jit.rs"]
mod jit;
mod layout;
mod log;
mod program;
mod shape;
mod snapshot;
mod successors;
mod translate;
mod translate_expression;

use crate::limits;
use crate::model::{EdgeId, Expr, Fault, LocationId, Model, ProcessTypeId};
use crate::reduction::{Construction, ReductionTable};
pub use ample::Reduction;
pub use build_error::BuildError;
use evaluate::View;
use execute::{Executor, Stop};
use expand::{Scratch, Wanted};
use inside::Inside;
use jit::Native;
use log::Log;
use program::Program;
use shape::Shapes;
pub use snapshot::{ChannelSnapshot, ProcessSnapshot, Snapshot};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
pub use successors::{Divergence, FaultStep, PidSet, Stay, Step, Successors};

/// An edge that was executed, by whom and where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Executed {
    pub pid: u8,
    pub location: LocationId,
    pub edge: EdgeId,
}

/// One edge of one process, or a handshake of two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MicroStep {
    pub mover: Executed,
    /// The receiving side of a handshake.
    pub partner: Option<Executed>,
}

/// Says whether to go on with one expansion, given the bytes that it holds; asked now and then.
pub type Patience = dyn Fn(usize) -> bool + Send + Sync;

/// An expression that belongs to no process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PropositionId(u32);

/// A model, ready to be explored. Clones share the numbering of shapes: their vectors are interchangeable.
pub struct System {
    model: Arc<Model>,
    program: Arc<Program>,
    shapes: Shapes,
    scratch: Scratch,
    inside: Inside,
    width: usize,
    native: Option<Arc<Native>>,
    machine_code: Arc<MachineCode>,
    patience: Option<Arc<Patience>>,
    /// States expanded so far; machine code is made when it is clear that there are many.
    expanded: u32,
}

/// The machine code of a system and all its clones: whoever first finds it worth while makes it, for all, and the others go
/// on with bytecode until it is there.
#[derive(Default)]
struct MachineCode {
    is_begun: AtomicBool,
    /// None within: there is no machine code on this host.
    made: OnceLock<Option<Arc<Native>>>,
}

impl Clone for System {
    fn clone(&self) -> System {
        System {
            model: Arc::clone(&self.model),
            program: Arc::clone(&self.program),
            shapes: self.shapes.clone(),
            scratch: Scratch::new(&self.program),
            inside: Inside::default(),
            width: self.width,
            native: self.native.clone(),
            machine_code: Arc::clone(&self.machine_code),
            patience: self.patience.clone(),
            expanded: self.expanded,
        }
    }
}

impl System {
    pub fn new(model: &Model) -> Result<System, BuildError> {
        let program = translate::translate(model)?;
        Ok(System {
            model: Arc::new(model.clone()),
            shapes: Shapes::new(&program),
            scratch: Scratch::new(&program),
            inside: Inside::default(),
            width: program.width as usize,
            program: Arc::new(program),
            native: None,
            machine_code: Arc::default(),
            patience: None,
            expanded: 0,
        })
    }

    /// What is needed to read this system's vectors elsewhere: which process types were stacked upon which.
    pub fn shapes(&self) -> Vec<(u32, u32)> {
        self.shapes.list()
    }

    /// Takes over the numbers of a system of the same model, so that its vectors can be read here. Nothing may have been
    /// numbered here that is still in use. False where the list is not one of such a system.
    pub fn set_shapes(&mut self, shapes: &[(u32, u32)]) -> bool {
        match Shapes::of_list(&self.program, shapes) {
            Some(shapes) => {
                self.shapes = shapes;
                true
            }
            None => false,
        }
    }

    /// Words of a vector; always even.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Words at the start of a vector that are not compared; always even, and 0 for most models.
    pub fn hidden_words(&self) -> usize {
        self.program.hidden_words as usize
    }

    /// Sets the function that decides whether an expansion that takes long goes on. Without one, every expansion does.
    pub fn set_patience(&mut self, patience: Option<Arc<Patience>>) {
        self.patience = patience;
    }

    /// Asks the function of [`System::set_patience`] whether an expansion that holds this many bytes goes on.
    pub fn may_go_on(&self, bytes: usize) -> bool {
        self.patience.as_ref().is_none_or(|patience| patience(bytes))
    }

    /// From now on vectors have at least this many words (rounded up to an even number).
    pub fn widen(&mut self, words: usize) {
        self.width = self.width.max(words.next_multiple_of(2));
    }

    /// Takes up to this many steps from the first state and widens vectors to what they need, so that a
    /// store made afterwards seldom has to grow. Shows every state on the way with its successors.
    pub fn settle_width(&mut self, steps: usize, mut see: impl FnMut(&[u32], &Successors)) {
        // This is only a guess: where expansions take long, it is left.
        let questions = AtomicU32::new(0);
        let go_on = move |_| questions.fetch_add(1, Ordering::Relaxed) < limits::QUESTIONS_WHILE_SETTLING;
        let patience = self.patience.replace(Arc::new(go_on));
        self.walk_for_width(steps, &mut see);
        self.patience = patience;
    }

    fn walk_for_width(&mut self, steps: usize, see: &mut impl FnMut(&[u32], &Successors)) {
        let Ok(first) = self.initial() else { return };
        let mut state = first.clone();
        let mut out = Successors::new();
        for number in 0..steps {
            self.successors(&state, None, &mut out);
            if let Some(words) = out.needs_width {
                self.widen(words);
                state.resize(self.width, 0);
                continue;
            }
            if out.gave_up {
                return;
            }
            see(&state, &out);
            // Processes that create others tend to be the oldest, and come last.
            let choice = (number * 7).checked_rem(out.len());
            let choice = choice.map(|choice| if number % 2 == 0 { out.len() - 1 } else { choice });
            state.clear();
            // A run that has ended is followed by another one.
            state.extend_from_slice(choice.map_or(&first[..], |choice| out.vector(choice)));
            state.resize(self.width, 0);
        }
    }

    /// The first state, or what went wrong while the slots got their first values.
    pub fn initial(&mut self) -> Result<Vec<u32>, Fault> {
        loop {
            match self.try_initial() {
                Ok(words) => return Ok(words),
                Err(Stop::Fault(fault)) => return Err(fault),
                Err(Stop::NewShape { parent, kind }) => {
                    self.shapes.intern(&self.program, parent, kind);
                }
                Err(Stop::TooNarrow(words)) => self.widen(words as usize),
                // First values are quick to compute, so this is not given up.
                Err(Stop::GaveUp) => return Err(Fault::StepDoesNotEnd),
            }
        }
    }

    fn try_initial(&mut self) -> Result<Vec<u32>, Stop> {
        let program = Arc::clone(&self.program);
        let mut words = vec![0; self.width];
        let mut raised = Vec::new();
        let mut evaluator = self.scratch.evaluator(&program, &self.shapes);
        let mut executor = Executor {
            shape: self.shapes.get(0),
            evaluator: &mut evaluator,
            words: &mut words,
            timeout: false,
            raised: &mut raised,
            message: Vec::new(),
            block_depth: 0,
        };
        if let Some(trace) = &program.trace {
            trace.cell.write(executor.words, 0, trace.start as i32);
        }
        executor.initialise_globals()?;
        for kind in &program.active {
            executor.create(*kind, &[], None)?;
        }
        Ok(words)
    }

    /// Fills `out` with the successors of an ordinary state.
    pub fn successors(&mut self, state: &[u32], reduction: Option<&Reduction>, out: &mut Successors) {
        match reduction.filter(|reduction| reduction.construction() == Construction::Inside) {
            Some(reduction) => self.follow_inside(state, reduction, out),
            None => self.expand(state, Wanted::Ordinary(reduction), out),
        }
    }

    /// Fills `out` with the states that one statement leads to, whether they are ordinary or not; see
    /// [`Successors::control`]. Without exclusive control the state is an ordinary one and everybody may
    /// move, with it only its holder. A deterministic block is one statement, unless it never ends: then
    /// its first statement is, and its holder keeps control for ever.
    pub fn inner_successors(&mut self, state: &[u32], exclusive: Option<u8>, out: &mut Successors) {
        self.expand(state, Wanted::Inner(exclusive), out);
    }

    fn expand(&mut self, state: &[u32], wanted: Wanted<'_>, out: &mut Successors) {
        self.shapes.learn(self.program.shape_number(state));
        if self.expanded <= limits::WORTH_MACHINE_CODE {
            self.expanded += 1;
            if self.expanded == limits::WORTH_MACHINE_CODE {
                self.use_machine_code();
            }
        }
        loop {
            let tables = expand::Tables {
                program: &self.program,
                shapes: &self.shapes,
                native: self.native.as_deref(),
                patience: self.patience.as_deref(),
            };
            match expand::expand(tables, &mut self.scratch, state, wanted, out) {
                Ok(()) => return,
                Err(Stop::NewShape { parent, kind }) => {
                    self.shapes.intern(&self.program, parent, kind);
                }
                Err(Stop::TooNarrow(words)) => {
                    out.clear(state.len());
                    out.needs_width = Some((words as usize).next_multiple_of(2));
                    return;
                }
                Err(Stop::GaveUp) => {
                    out.clear(state.len());
                    out.gave_up = true;
                    return;
                }
                // Faults are listed with the successors; one that belongs to none of them has no steps.
                Err(Stop::Fault(_)) => return,
            }
        }
    }

    /// Makes machine code now instead of when many states were expanded; false where there is none on this
    /// host or in this build.
    pub fn make_machine_code(&mut self) -> bool {
        let made = self.machine_code.made.get_or_init(|| Native::new(&self.program).map(Arc::new));
        self.native = made.clone();
        self.expanded = limits::WORTH_MACHINE_CODE + 1;
        self.native.is_some()
    }

    /// Makes machine code, unless a clone does; then takes what that makes as soon as it is there.
    fn use_machine_code(&mut self) {
        let is_mine = !self.machine_code.is_begun.swap(true, Ordering::AcqRel);
        if is_mine || self.machine_code.made.get().is_some() {
            self.make_machine_code();
        } else {
            self.expanded -= limits::EXPANSIONS_BETWEEN_LOOKS_FOR_CODE;
        }
    }

    /// From now on bytecode only.
    pub fn forgo_machine_code(&mut self) {
        self.native = None;
        self.expanded = limits::WORTH_MACHINE_CODE + 1;
    }

    /// The micro steps that lead from a state to a vector which is one of its successors; `None` where it is
    /// none. The hidden words are not compared.
    pub fn record(&mut self, state: &[u32], successor: &[u32]) -> Option<Vec<MicroStep>> {
        self.record_fitting(state, successor, None, |_, _| true)
    }

    /// The same where several steps lead there, and not every one of them will do: `fits` is asked about each, by its
    /// number among the successors. With a reduction, what is taken inside the expansion is part of the answer.
    pub fn record_fitting(
        &mut self,
        state: &[u32],
        successor: &[u32],
        reduction: Option<&Reduction>,
        fits: impl Fn(&Successors, usize) -> bool,
    ) -> Option<Vec<MicroStep>> {
        let hidden = self.hidden_words();
        let mut out = Successors::new();
        self.logged(state, reduction, &mut out);
        let leads_there = |index: &usize| out.vector(*index).get(hidden..) == successor.get(hidden..);
        let index = (0..out.len()).filter(leads_there).find(|index| fits(&out, *index))?;
        let log = self.log(reduction);
        Some(log.path(*log.of_steps.get(index)?))
    }

    /// The statement that leads from a state to one of its [`System::inner_successors`].
    pub fn record_inner(
        &mut self,
        (state, exclusive): (&[u32], Option<u8>),
        (successor, control): (&[u32], Option<u8>),
    ) -> Option<Vec<MicroStep>> {
        let hidden = self.hidden_words();
        let mut out = Successors::new();
        self.scratch.log_mut().wanted = true;
        self.inner_successors(state, exclusive, &mut out);
        self.scratch.log_mut().wanted = false;
        let index = (0..out.len()).find(|i| {
            out.control(*i) == control && out.vector(*i).get(hidden..) == successor.get(hidden..)
        })?;
        let log = self.scratch.log_mut();
        Some(log.path(*log.of_steps.get(index)?))
    }

    /// The micro steps that lead from a state to the fault with this index in [`Successors::faults`]; the
    /// last one is the step at fault.
    pub fn record_fault(
        &mut self,
        state: &[u32],
        reduction: Option<&Reduction>,
        fault: usize,
    ) -> Option<Vec<MicroStep>> {
        self.logged(state, reduction, &mut Successors::new());
        let log = self.log(reduction);
        Some(log.path(*log.of_faults.get(fault)?))
    }

    /// Every edge that expanding a state executes, with the type of the process, what leads to a fault or into nothing
    /// included.
    pub fn executed(
        &mut self,
        state: &[u32],
        reduction: Option<&Reduction>,
    ) -> Vec<(ProcessTypeId, Executed)> {
        self.logged(state, reduction, &mut Successors::new());
        self.log(reduction).executed().collect()
    }

    /// Expands a state and notes the micro steps.
    fn logged(&mut self, state: &[u32], reduction: Option<&Reduction>, out: &mut Successors) {
        self.scratch.log_mut().wanted = true;
        self.successors(state, reduction, out);
        self.scratch.log_mut().wanted = false;
    }

    /// What the last expansion noted.
    fn log(&self, reduction: Option<&Reduction>) -> &Log {
        match reduction.filter(|reduction| reduction.construction() == Construction::Inside) {
            Some(_) => self.inside.log(),
            None => self.scratch.log(),
        }
    }

    /// Compiles an expression that belongs to no process: an atom of a formula, a condition of a claim.
    pub fn compile_proposition(&mut self, expr: &Expr) -> Result<PropositionId, BuildError> {
        Ok(PropositionId(self.compile(expr, None)?))
    }

    fn compile(&mut self, expr: &Expr, kind: Option<ProcessTypeId>) -> Result<u32, BuildError> {
        let program = Program::clone(&self.program);
        let program = translate::add_proposition(&self.model, program, expr, kind)?;
        let number = program.propositions.len() as u32 - 1;
        self.program = Arc::new(program);
        Ok(number)
    }

    /// Makes a static partial-order reduction of the same model ready for use.
    pub fn compile_reduction(&mut self, table: &ReductionTable) -> Result<Reduction, BuildError> {
        let (program, reduction) = ample::compile(&self.model, &self.program, table)?;
        self.program = Arc::new(program);
        Ok(reduction)
    }

    /// The value of a proposition in a state; `timeout` is false in it.
    pub fn holds(&mut self, state: &[u32], proposition: PropositionId) -> Result<bool, Fault> {
        let number = self.program.shape_number(state);
        self.shapes.learn(number);
        let view = View::of_nobody(state, self.shapes.get(number), false);
        let test = &self.program.propositions[proposition.0 as usize];
        self.scratch.evaluator(&self.program, &self.shapes).holds(&view, test)
    }

    /// Is some process at an accepting location?
    pub fn is_accepting(&self, state: &[u32]) -> bool {
        self.some_location(state, |location| location.is_accepting)
    }

    /// Is some process at a progress location?
    pub fn is_progress(&self, state: &[u32]) -> bool {
        self.some_location(state, |location| location.is_progress)
    }

    /// May every process rest where it is?
    pub fn is_valid_end(&self, state: &[u32]) -> bool {
        expand::rests(&self.program, self.shapes.get(self.program.shape_number(state)), state)
    }

    /// How many processes there are.
    pub fn process_count(&self, state: &[u32]) -> usize {
        self.shapes.get(self.program.shape_number(state)).count()
    }

    fn some_location(&self, state: &[u32], wanted: impl Fn(&program::Location) -> bool) -> bool {
        let shape = self.shapes.get(self.program.shape_number(state));
        shape.kinds.iter().zip(&shape.frames).any(|(kind, frame)| {
            let process = &self.program.processes[*kind as usize];
            wanted(&process.locations[(state[*frame as usize] & process.location_mask) as usize])
        })
    }

    /// The state in readable form.
    pub fn snapshot(&mut self, state: &[u32]) -> Snapshot {
        let number = self.program.shape_number(state);
        self.shapes.learn(number);
        snapshot::snapshot(&self.program, self.shapes.get(number), state)
    }
}
