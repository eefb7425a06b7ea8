//! The compiled successor function and the reference interpreter, step by step on random models. They share
//! no code, so where they agree on thousands of models both are likely right.

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use support::*;
use transition::compiled::{
    ChannelSnapshot, Executed, MicroStep, ProcessSnapshot, Snapshot, Successors, System,
};
use transition::interpret::{Interpreter, State};
use transition::model::{
    Action, Binary, DeterministicBlock, Edge, Expr, Fault, Initialiser, LocationId, Model, Pattern, Place,
    ProcessType, ProcessTypeId, Provided, RunAction, RunUse, Scalar, Slot, Unary,
};

/// Marsaglia's xorshift: the same models on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len() as u32) as usize]
    }
}

const SCALARS: [Scalar; 5] =
    [Scalar::BIT, Scalar::BYTE, Scalar::SHORT, Scalar::INT, Scalar { bits: 5, signed: false }];

/// Globals: two channels, an array of three bytes, and single slots of every kind.
const CHANNELS: u32 = 2;
const ARRAY: u32 = CHANNELS;
const SINGLES: u32 = ARRAY + 3;
/// Locals: a parameter that may hold a channel's number, an array of two shorts, an int, an own channel.
const OWN_CHANNEL: u32 = 4;

struct Generator {
    random: Random,
    kinds: u32,
    /// The fields that every channel of the model has.
    fields: Vec<Scalar>,
    /// Not together with handshakes: who goes first then is a question without an answer.
    priorities: bool,
}

impl Generator {
    fn place(&mut self, depth: u32) -> Place {
        match self.random.below(8) {
            0 | 1 => {
                let index = self.index(3, depth);
                element(global(ARRAY, Scalar::BYTE), index, 3)
            }
            2 => local(0, Scalar::BYTE),
            3 => {
                let index = self.index(2, depth);
                element(local(1, Scalar::SHORT), index, 2)
            }
            4 => local(3, Scalar::INT),
            _ => {
                let which = self.random.below(SCALARS.len() as u32);
                global(SINGLES + which, SCALARS[which as usize])
            }
        }
    }

    /// Mostly in range.
    fn index(&mut self, length: u32, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(60) {
            return number(self.random.below(length) as i32);
        }
        let value = self.expr(depth - 1);
        if self.random.chance(90) {
            let low = binary(Binary::BitAnd, value, number(0x7fff));
            binary(Binary::Remainder, low, number(length as i32))
        } else {
            value
        }
    }

    fn channel(&mut self) -> Expr {
        match self.random.below(20) {
            0 => load(local(0, Scalar::BYTE)),
            1 => number(self.random.below(4) as i32),
            2..=4 => load(local(OWN_CHANNEL, Scalar::BYTE)),
            5 | 6 => {
                let index = self.index(CHANNELS, 1);
                load(element(global(0, Scalar::BYTE), index, CHANNELS))
            }
            other => load(global(other % CHANNELS, Scalar::BYTE)),
        }
    }

    fn small(&mut self) -> Expr {
        number(self.random.below(4) as i32 - 1)
    }

    fn pattern(&mut self) -> Pattern {
        match self.random.below(6) {
            0 => Pattern::Any,
            1 => Pattern::Match(self.small()),
            2 => Pattern::Match(self.expr(1)),
            _ => Pattern::Store(self.place(1)),
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.random.chance(30) {
            return if self.random.chance(50) { self.small() } else { load(self.place(0)) };
        }
        let below = depth - 1;
        match self.random.below(24) {
            0 => Expr::Unary(
                *self.random.pick(&[Unary::Negate, Unary::Not, Unary::Complement]),
                Box::new(self.expr(below)),
            ),
            1 => Expr::Conditional(Box::new((self.expr(below), self.expr(below), self.expr(below)))),
            2 => Expr::Pid,
            3 => Expr::ProcessCount,
            4 => Expr::Length(Box::new(self.channel())),
            5 => {
                let channel = Box::new(self.channel());
                match self.random.below(4) {
                    0 => Expr::Empty(channel),
                    1 => Expr::NotEmpty(channel),
                    2 => Expr::Full(channel),
                    _ => Expr::NotFull(channel),
                }
            }
            6 => {
                let random = self.random.chance(50);
                // Which of several values to match is at fault depends on the order they are looked at.
                let patterns = self
                    .fields
                    .clone()
                    .iter()
                    .map(|_| if random { Pattern::Match(self.small()) } else { self.pattern() })
                    .collect();
                Expr::Poll { channel: Box::new(self.channel()), patterns, random }
            }
            7 => Expr::RemoteLoad {
                process: ProcessTypeId(self.random.below(self.kinds)),
                pid: Box::new(number(self.random.below(3) as i32)),
                place: Box::new(local(3, Scalar::INT)),
            },
            8 => Expr::RemoteAt {
                process: ProcessTypeId(self.random.below(self.kinds)),
                pid: Box::new(number(self.random.below(3) as i32)),
                locations: vec![LocationId(self.random.below(3)), LocationId(0)],
            },
            9 => Expr::ProgramCounter(Box::new(number(self.random.below(3) as i32))),
            10 => Expr::Timeout,
            11 => Expr::Last,
            12 => Expr::NonProgress,
            13 => Expr::Priority(Box::new(number(self.random.below(3) as i32))),
            14 => Expr::FirstOfType(ProcessTypeId(self.random.below(self.kinds))),
            _ => {
                let operators = [
                    Binary::Add,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::Divide,
                    Binary::Remainder,
                    Binary::BitAnd,
                    Binary::BitOr,
                    Binary::BitXor,
                    Binary::ShiftLeft,
                    Binary::ShiftRight,
                    Binary::Equal,
                    Binary::NotEqual,
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::GreaterEqual,
                    Binary::And,
                    Binary::Or,
                    Binary::Equal,
                    Binary::Less,
                    Binary::And,
                    Binary::Or,
                ];
                let operator = *self.random.pick(&operators);
                binary(operator, self.expr(below), self.expr(below))
            }
        }
    }

    fn assignment(&mut self) -> Action {
        Action::Assign(self.place(2), self.expr(2))
    }

    fn action(&mut self) -> Action {
        match self.random.below(20) {
            0 => Action::Skip,
            1..=4 => Action::Condition(self.expr(3)),
            5 => Action::Assert(self.expr(2)),
            6..=8 => {
                let arguments = self.fields.clone().iter().map(|_| self.expr(1)).collect();
                let sorted = self.random.chance(30);
                Action::Send { channel: Box::new(self.channel()), arguments, sorted }
            }
            9..=11 => {
                let patterns = self.fields.clone().iter().map(|_| self.pattern()).collect();
                let (random, keep) = (self.random.chance(30), self.random.chance(20));
                Action::Receive { channel: Box::new(self.channel()), patterns, random, keep }
            }
            12 => {
                let then = if self.random.chance(50) {
                    RunUse::Condition(Expr::RunResult)
                } else {
                    RunUse::Assign(self.place(1), Expr::RunResult)
                };
                Action::Run(Box::new(RunAction {
                    process: ProcessTypeId(self.random.below(self.kinds)),
                    arguments: vec![if self.random.chance(50) { self.channel() } else { self.expr(1) }],
                    priority: None,
                    then,
                }))
            }
            13 => {
                let pid = number(self.random.below(3) as i32);
                Action::SetPriority(pid, number(self.random.below(4) as i32))
            }
            _ => self.assignment(),
        }
    }

    /// `own`: exclusive control is kept only forward from there, so that it always ends.
    fn edge(&mut self, own: u32, targets: u32) -> Edge {
        let mut actions = vec![self.action()];
        // What follows a handshake's sender is no matter of the two sides together; see the front end.
        if !matches!(actions[0], Action::Send { .. }) {
            while self.random.chance(25) {
                actions.push(self.assignment());
            }
        }
        let mut edge = merged(actions, self.random.below(targets));
        edge.atomic = edge.target.0 > own && self.random.chance(40);
        if self.random.chance(10) {
            edge.resets.push(local(3, Scalar::INT));
        }
        edge
    }

    fn process(&mut self) -> ProcessType {
        let count = 2 + self.random.below(4);
        // Locations behind the last ordinary one belong to blocks.
        let mut blocks = Vec::new();
        let mut locations = Vec::new();
        for own in 0..count {
            let mut edges = Vec::new();
            if self.random.chance(15) {
                edges.push(escape(1 + self.random.below(2), self.edge(own, count + 1)));
            }
            for _ in 0..1 + self.random.below(3) {
                edges.push(self.edge(own, count + 1));
            }
            if self.random.chance(15) {
                let entry = count + 1 + 2 * blocks.len() as u32;
                blocks.push(());
                let block = DeterministicBlock { entry: LocationId(entry), exit: LocationId(count) };
                edges.push(edge(Action::Block(Box::new(block)), self.random.below(count + 1)));
            }
            let offers = edges.iter().any(|e| matches!(e.actions[0], Action::Send { .. }));
            if !offers && self.random.chance(30) {
                edges.push(edge(Action::Else, self.random.below(count + 1)));
            }
            let mut location = at(edges);
            location.is_end = self.random.chance(10);
            location.is_progress = self.random.chance(10);
            locations.push(location);
        }
        let mut process = process("P", self.locals(), locations);
        for number in 0..blocks.len() as u32 {
            let own = count + 1 + 2 * number;
            let exit = count;
            let inner = |generator: &mut Generator, targets: &[u32]| {
                let mut edges = Vec::new();
                for _ in 0..1 + generator.random.below(2) {
                    let mut step = generator.edge(0, 1);
                    step.atomic = false;
                    while matches!(step.actions[0], Action::Run(_)) {
                        step = generator.edge(0, 1);
                    }
                    step.target = LocationId(*generator.random.pick(targets));
                    edges.push(step);
                }
                if generator.random.chance(50) {
                    edges.push(edge(Action::Else, exit));
                }
                at(edges)
            };
            process.locations.push(inner(self, &[own + 1, exit]));
            process.locations.push(inner(self, &[own + 1, exit, exit]));
        }
        process.parameters = 1;
        let capacity = self.random.below(3).max(u32::from(self.priorities));
        process.initialisers = vec![
            channel(local(OWN_CHANNEL, Scalar::BYTE), capacity, &self.fields),
            Initialiser::Value(local(3, Scalar::INT), self.expr(1)),
        ];
        if self.random.chance(10) {
            // Only slots: whether control counts as moved during a handshake is nobody's business.
            let condition = equal(load(global(SINGLES, SCALARS[0])), self.small());
            process.provided = Some(Provided { condition, text: String::new() });
        }
        process.priority = 1 + self.random.below(3) as u8;
        process
    }

    fn locals(&self) -> Vec<Slot> {
        vec![
            slot("p", Scalar::BYTE),
            slot("s[0]", Scalar::SHORT),
            slot("s[1]", Scalar::SHORT),
            slot("i", Scalar::INT),
            slot("c", Scalar::BYTE),
        ]
    }

    fn model(&mut self) -> Model {
        let mut globals = vec![slot("q[0]", Scalar::BYTE), slot("q[1]", Scalar::BYTE)];
        globals.extend((0..3).map(|_| slot("a", Scalar::BYTE)));
        globals.extend(SCALARS.map(|scalar| slot("x", scalar)));
        let processes: Vec<ProcessType> = (0..self.kinds).map(|_| self.process()).collect();
        let mut model = model(globals, processes);
        model.initialisers = (0..CHANNELS)
            .map(|q| {
                let capacity = self.random.below(4).max(u32::from(self.priorities));
                channel(global(q, Scalar::BYTE), capacity, &self.fields)
            })
            .collect();
        model.active.push(ProcessTypeId(0));
        model.uses_timeout = true;
        model.uses_last = self.random.chance(50);
        model.uses_priorities = self.priorities;
        model.block_step_limit = 20;
        model
    }
}

fn readable(state: &State) -> Snapshot {
    Snapshot {
        globals: state.globals.clone(),
        processes: state
            .processes
            .iter()
            .map(|process| ProcessSnapshot {
                kind: process.kind,
                location: process.location,
                locals: process.locals.clone(),
                priority: process.priority,
            })
            .collect(),
        channels: state
            .channels
            .iter()
            .map(|channel| ChannelSnapshot { capacity: channel.capacity, messages: channel.messages.clone() })
            .collect(),
        last: state.last,
        trace: state.trace,
    }
}

/// The states, each with room for more.
fn widened(seen: HashMap<Vec<u32>, Snapshot>, width: usize) -> HashMap<Vec<u32>, Snapshot> {
    let widen = |(mut key, value): (Vec<u32>, Snapshot)| {
        key.resize(width, 0);
        (key, value)
    };
    seen.into_iter().map(widen).collect()
}

/// Explores both in step, up to a number of states; how many were seen.
fn compare(model: &Model, limit: usize, with_machine_code: bool, name: &str) -> usize {
    let interpreter = Interpreter::new(model);
    let mut system = System::new(model).expect("the model compiles");
    let first = match (interpreter.initial(), system.initial()) {
        (Ok(state), Ok(vector)) => (state, vector),
        (Err(left), Err(right)) => {
            assert_eq!(left, right, "{name}");
            return 0;
        }
        (left, right) => panic!("{name}: {left:?} against {right:?}"),
    };
    assert_eq!(readable(&first.0), system.snapshot(&first.1), "{name}: the first state");
    let mut out = Successors::new();
    // The same by machine code, where there is any.
    let mut native_out = Successors::new();
    let mut native = system.clone();
    let has_native = with_machine_code && native.make_machine_code();
    assert_eq!(has_native, with_machine_code && cfg!(feature = "jit"));
    system.forgo_machine_code();
    let mut seen: HashMap<Vec<u32>, Snapshot> = HashMap::new();
    let mut waiting = VecDeque::from([first]);
    let mut count = 0;
    while let Some((state, mut vector)) = waiting.pop_front() {
        count += 1;
        if count > limit {
            break;
        }
        vector.resize(system.width(), 0);
        system.successors(&vector, None, &mut out);
        while let Some(width) = out.needs_width {
            system.widen(2 * width);
            seen = widened(seen, system.width());
            vector.resize(system.width(), 0);
            system.successors(&vector, None, &mut out);
        }
        if has_native {
            native.successors(&vector, None, &mut native_out);
            assert_eq!(out.words(), native_out.words(), "{name}: machine code, state {count}");
            assert_eq!(out.faults, native_out.faults, "{name}: machine code, state {count}");
            assert_eq!(out.deadlock, native_out.deadlock, "{name}: machine code, state {count}");
            assert_eq!(out.executable, native_out.executable, "{name}: machine code, state {count}");
        }
        let moves = interpreter.macro_moves(&state);
        let mut expected: BTreeMap<String, State> = BTreeMap::new();
        let mut expected_faults: BTreeSet<Fault> = BTreeSet::new();
        for step in moves {
            expected_faults.extend(step.fault);
            if let Some(after) = step.state {
                expected.insert(format!("{:?}", readable(&after)), after);
            }
        }
        let mut obtained: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (_, after) in out.iter() {
            obtained.insert(format!("{:?}", system.snapshot(after)), after.to_vec());
        }
        let faults: BTreeSet<Fault> = out.faults.iter().map(|step| step.fault).collect();
        let context = || format!("{name}, state {count}: {:?}", readable(&state));
        assert_eq!(
            expected.keys().collect::<Vec<_>>(),
            obtained.keys().collect::<Vec<_>>(),
            "{}\nfaults {expected_faults:?} {faults:?}",
            context()
        );
        // A step that fails an assertion and then breaks is reported twice here and once there.
        let grave = |faults: &BTreeSet<Fault>| -> BTreeSet<Fault> {
            faults.iter().copied().filter(|fault| *fault != Fault::Assertion).collect()
        };
        assert!(expected_faults.is_subset(&faults), "{expected_faults:?} {faults:?} {}", context());
        assert_eq!(grave(&expected_faults), grave(&faults), "{}", context());
        assert_eq!(expected_faults.is_empty(), faults.is_empty(), "{}", context());
        let moves = interpreter.moves(&state, None);
        assert_eq!(out.deadlock, moves.is_empty(), "{}", context());
        if out.deadlock {
            assert_eq!(out.valid_end, interpreter.is_valid_end(&state), "{}", context());
        }
        for (after, reached) in expected.into_values().zip(obtained.into_values()) {
            if count % 4 == 0 {
                let path = system.record(&vector, &reached).expect("a successor can be recorded");
                assert_eq!(replay(&interpreter, &state, &path).as_ref(), Some(&after), "{}", context());
            }
            let snapshot = readable(&after);
            match seen.get(&reached) {
                Some(before) => assert_eq!(*before, snapshot, "{name}: equal vectors, other states"),
                None => {
                    seen.insert(reached.clone(), snapshot);
                    waiting.push_back((after, reached));
                }
            }
        }
    }
    // Different vectors are different states.
    let distinct: BTreeSet<String> = seen.values().map(|snapshot| format!("{snapshot:?}")).collect();
    assert_eq!(distinct.len(), seen.len(), "{name}: different vectors, equal states");
    count
}

/// Takes the micro steps on the interpreter; `None` where one is not possible.
fn replay(interpreter: &Interpreter<'_>, from: &State, path: &[MicroStep]) -> Option<State> {
    let same = |left: &Executed, right: &transition::interpret::Executed| {
        (left.pid, left.location, left.edge) == (right.pid, right.location, right.edge)
    };
    let mut state = from.clone();
    let mut exclusive = None;
    for step in path {
        let taken = interpreter.moves(&state, exclusive).into_iter().find(|possible| {
            let partners = match (&step.partner, &possible.step.partner) {
                (Some(left), Some(right)) => same(left, right),
                (left, right) => left.is_none() && right.is_none(),
            };
            possible.state.is_some() && partners && same(&step.mover, &possible.step.mover)
        })?;
        exclusive = taken.exclusive;
        state = taken.state?;
    }
    Some(state)
}

fn generate(seed: u64) -> Model {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let fields = match random.below(4) {
        0 => vec![Scalar::BYTE],
        1 => vec![Scalar::BYTE, Scalar::BIT],
        2 => vec![Scalar::BYTE, Scalar::SHORT],
        _ => vec![Scalar::INT, Scalar::BYTE],
    };
    let kinds = 1 + random.below(3);
    let priorities = random.chance(15);
    Generator { random, kinds, fields, priorities }.model()
}

#[test]
fn random_models_have_the_same_successors() {
    let models = std::env::var("PROBITY_RANDOM_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let mut states = 0;
    let first = std::env::var("PROBITY_RANDOM_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for seed in first..first + models {
        // Making machine code takes longer than all the rest.
        states += compare(&generate(seed), 60, seed % 8 == 0, &format!("seed {seed}"));
    }
    assert!(states > 5 * models as usize, "only {states} states: the generator makes dull models");
}
