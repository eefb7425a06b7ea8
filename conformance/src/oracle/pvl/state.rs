//! A state of a running program: the heap, the threads with what they are about to do, locks, shared invariants,
//! blocks of threads and messages. It is copied where a schedule forks, so big parts are shared until written.

use std::collections::BTreeMap;
use std::rc::Rc;

use pvl::resolve::Type;
use pvl::syntax::tree::{Block as Statements, Expression, NodeId, ParRegion, Statement};
use source::Span;

use super::stop::{Failure, Result, Stop};
use super::value::Value;

/// A block and a slot in it.
pub(super) type Location = (usize, usize);
pub(super) type Heap = Vec<Rc<HeapBlock>>;

#[derive(Clone, Debug)]
pub(super) struct HeapBlock {
    pub(super) kind: BlockKind,
    pub(super) slots: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(super) enum BlockKind {
    Object(NodeId),
    Array,
    /// A variable whose address is taken, or the static fields.
    Cell,
}

/// For each thread, up to which of its steps another one is ordered behind it.
#[derive(Clone, Default, Debug)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    pub(super) fn of(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    pub(super) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    pub(super) fn tick(&mut self, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
    }
}

/// Who wrote a location last, and who has read it since.
#[derive(Clone, Default, Debug)]
pub(super) struct Accesses {
    write: Option<(usize, u32)>,
    reads: Vec<(usize, u32)>,
}

/// What names mean in a routine or thread.
#[derive(Clone, Default, Debug)]
pub(super) struct Env {
    /// The last one counts. A variable whose address is taken holds a pointer to its cell.
    pub(super) variables: Vec<(NodeId, Value)>,
    pub(super) this: Option<Value>,
    pub(super) result: Option<Value>,
    pub(super) old: Option<Rc<Heap>>,
    pub(super) labels: Vec<(NodeId, Rc<Heap>)>,
    /// The shared invariants around, by their statements.
    pub(super) invariants: Vec<(NodeId, usize)>,
    /// The blocks of threads around, by their regions, and the iteration of the innermost one.
    pub(super) blocks: Vec<(NodeId, usize)>,
    pub(super) iteration: Option<Iteration>,
    pub(super) types: Vec<(NodeId, Type)>,
}

/// Which iteration of a block or loop with a contract for its iterations this is; known if it has one variable.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    pub(super) instance: usize,
    pub(super) variable: NodeId,
    pub(super) value: i128,
}

/// A region of par blocks whose bounds have been evaluated.
#[derive(Clone, Debug)]
pub(super) enum Planned<'t> {
    Parallel(Vec<Planned<'t>>),
    Sequential(Vec<Planned<'t>>),
    Block(&'t ParRegion, Vec<(i128, i128)>),
}

/// What a thread is about to do.
#[derive(Clone, Debug)]
pub(super) enum Task<'t> {
    Statement(&'t Statement),
    /// The statements of a block from this one on.
    Sequence(&'t Statements, usize),
    Evaluate(&'t Expression),
    /// The parts of the expression that were evaluated first are on the stack of values.
    Combine(&'t Expression, usize),
    /// The left side of `&&`, `||`, `==>` or the condition of `?:` is on the stack.
    Shortcut(&'t Expression),
    Discard,
    /// Puts the value under this variable.
    Declare(NodeId),
    /// The parts of the target and then the value are on the stack.
    Store(&'t Expression),
    Return,
    /// The condition is on the stack.
    Branch(&'t Statement),
    LoopHead(&'t Statement, Option<i128>),
    LoopTest(&'t Statement, Option<i128>),
    /// The bounds are on the stack.
    RangeBounds(&'t Statement),
    /// A ranged loop: the next value and the bound.
    Range(&'t Statement, i128, i128),
    /// A loop with a contract for its iterations, run one after the other; the team stands for its messages.
    IterationHead(&'t Statement, usize),
    IterationTest(&'t Statement, usize),
    IterationEnd(&'t Statement, Box<Env>),
    /// The bounds of all blocks of the region are on the stack.
    Parallel(&'t ParRegion),
    Region(Planned<'t>),
    /// Waits for these threads; then what the blocks ensure is there.
    Await(Vec<usize>, Vec<Planned<'t>>),
    Barrier(&'t Statement),
    BarrierPassed(&'t Statement),
    /// A lock, with the object on the stack, or the invariants of an atomic block.
    Acquire(&'t Statement),
    AtomicEnd(Vec<usize>),
    InvariantEnd(usize),
    /// With the object on the stack.
    Synchronise(&'t Statement),
    Receive(&'t Statement),
    FrameEnd(&'t Statement),
    /// Forgets variables declared since.
    Scope(usize),
}

/// What runs in a frame, and what is to be done at its end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Activity<'t> {
    Routine(NodeId, &'t Expression),
    Constructor(Option<NodeId>, &'t Expression),
    Run(NodeId),
    Block(&'t ParRegion),
    /// An iteration of a loop, run as a thread.
    Loop(&'t Statement),
    /// Waits for others.
    Coordinator,
    Entry(NodeId),
}

#[derive(Clone, Debug)]
pub(super) struct Frame<'t> {
    pub(super) activity: Activity<'t>,
    pub(super) env: Env,
    /// The values of parameters at the start, which postconditions speak about.
    pub(super) arguments: Vec<(NodeId, Value)>,
    pub(super) tasks: Vec<Task<'t>>,
    pub(super) values: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct Thread<'t> {
    pub(super) frames: Vec<Frame<'t>>,
    pub(super) clock: Clock,
    pub(super) is_done: bool,
    /// The answer to the choice that it asked for.
    pub(super) choice: Option<usize>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Lock {
    pub(super) committed: bool,
    pub(super) holder: Option<usize>,
    pub(super) clock: Clock,
}

#[derive(Clone, Debug)]
pub(super) struct Shared<'t> {
    pub(super) resource: &'t Expression,
    pub(super) env: Env,
    pub(super) holder: Option<usize>,
    pub(super) clock: Clock,
}

/// The threads of a par block, or the iterations of a loop.
#[derive(Clone, Default, Debug)]
pub(super) struct Team {
    pub(super) threads: Vec<usize>,
    /// Of its only variable.
    pub(super) bounds: Option<(i128, i128)>,
    /// The iteration that each thread is.
    pub(super) iterations: Vec<i128>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct State<'t> {
    pub(super) heap: Heap,
    accesses: BTreeMap<Location, Accesses>,
    pub(super) threads: Vec<Thread<'t>>,
    pub(super) locks: BTreeMap<usize, Lock>,
    /// The thread of every object that is running.
    pub(super) running: BTreeMap<usize, usize>,
    pub(super) shared: Vec<Shared<'t>>,
    pub(super) teams: Vec<Team>,
    /// What was sent, by team, statement and the iteration that sent it.
    pub(super) messages: BTreeMap<(usize, NodeId, i128), (Clock, Env)>,
    pub(super) serial: i128,
}

impl State<'_> {
    pub(super) fn allocate(&mut self, kind: BlockKind, slots: Vec<Value>, thread: usize) -> usize {
        let block = self.heap.len();
        for slot in 0..slots.len() {
            let clock = self.threads[thread].clock.of(thread);
            self.accesses.insert((block, slot), Accesses { write: Some((thread, clock)), reads: Vec::new() });
        }
        self.heap.push(Rc::new(HeapBlock { kind, slots }));
        block
    }

    pub(super) fn read(&mut self, location: Location, thread: usize, place: Span) -> Result<Value> {
        let accesses = self.accesses.entry(location).or_default();
        let clock = &self.threads[thread].clock;
        if let Some((other, at)) = accesses.write
            && other != thread
            && clock.of(other) < at
        {
            return Err(race(place, "a read and a write of another thread"));
        }
        let now = clock.of(thread);
        match accesses.reads.iter_mut().find(|read| read.0 == thread) {
            Some(read) => read.1 = now,
            None => accesses.reads.push((thread, now)),
        }
        Ok(self.heap[location.0].slots[location.1].clone())
    }

    pub(super) fn write(
        &mut self,
        location: Location,
        value: Value,
        thread: usize,
        place: Span,
    ) -> Result<()> {
        let accesses = self.accesses.entry(location).or_default();
        let clock = &self.threads[thread].clock;
        let mut others = accesses.write.iter().chain(&accesses.reads);
        if others.any(|(other, at)| *other != thread && clock.of(*other) < *at) {
            return Err(race(place, "a write and an access of another thread"));
        }
        *accesses = Accesses { write: Some((thread, clock.of(thread))), reads: Vec::new() };
        Rc::make_mut(&mut self.heap[location.0]).slots[location.1] = value;
        Ok(())
    }

    /// What a thread has done so far, for somebody who will wait for it.
    pub(super) fn release(&mut self, thread: usize) -> Clock {
        let clock = &mut self.threads[thread].clock;
        let released = clock.clone();
        clock.tick(thread);
        released
    }

    pub(super) fn acquire(&mut self, thread: usize, clock: &Clock) {
        self.threads[thread].clock.join(clock);
    }
}

impl<'t> State<'t> {
    /// A new thread behind what its parent has done.
    pub(super) fn start(&mut self, parent: Option<usize>, frame: Frame<'t>) -> usize {
        let number = self.threads.len();
        let mut clock = parent.map(|parent| self.release(parent)).unwrap_or_default();
        clock.tick(number);
        self.threads.push(Thread { frames: vec![frame], clock, is_done: false, choice: None });
        number
    }
}

fn race(place: Span, detail: &str) -> Stop {
    Stop::Fail(Failure { code: "dataRace", place: Some(place), detail: detail.to_string() })
}
