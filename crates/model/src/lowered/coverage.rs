//! Which statements of the model a search has executed.
//!
//! Every stored state is expanded once more, with a log of what each step executes, unless all its processes are at places
//! where everything is known to be executed. Statements are counted as they stand in the model: those that a search
//! executes as parts of one step have their own numbers, and those that merging leaves out (`skip`, jumps) are executed
//! where they are reached. A partial-order reduction puts no process off for ever, so what can be executed at all is
//! executed in some stored state or inside its expansion. The statements of a `d_step` are executed with it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use search::{ModelProduct, StateId};
use source::SourceMap;
use transition::compiled::Executed;
use transition::model::{Action, LocationId, Model, ProcessType, ProcessTypeId, Statement};
use verdict::{Coverage, Limits, ProcessCoverage, Unexecuted};

/// How many states are looked at between two looks at the clock.
const LOOK: usize = 1 << 10;

/// What was executed in the states of a search over `model`, told by the statements of the `plain` one. `explored_all`
/// says whether the search came to its end.
pub(super) fn coverage(
    plain: &Model,
    sources: &SourceMap,
    model: &Model,
    product: &mut ModelProduct,
    explored_all: bool,
    limits: &Limits,
) -> Coverage {
    let mut executed = ExecutedStatements::new(model);
    let mut is_complete = explored_all;
    for (number, state) in product.states().enumerate() {
        if executed.is_everything() {
            break;
        }
        let is_late = || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if number.is_multiple_of(LOOK) && (limits.is_interrupted() || is_late()) {
            is_complete = false;
            break;
        }
        executed.look_at(product, state);
    }
    let processes = plain
        .processes
        .iter()
        .zip(0..)
        .map(|(process, kind)| executed.report(process, ProcessTypeId(kind), sources));
    Coverage { is_complete, processes: processes.collect() }
}

/// What is known up to now, by process type.
struct ExecutedStatements<'m> {
    model: &'m Model,
    /// For each process type and location, how many of the edges there or in the atomic sequence behind are not executed.
    open: Vec<Vec<BTreeSet<(u32, u32)>>>,
    /// How many edges are not executed yet.
    left: usize,
    done: BTreeSet<(u32, u32, u32)>,
    statements: BTreeSet<(u32, u32)>,
    seen: BTreeSet<u32>,
}

impl<'m> ExecutedStatements<'m> {
    fn new(model: &'m Model) -> ExecutedStatements<'m> {
        let open: Vec<Vec<BTreeSet<(u32, u32)>>> = model.processes.iter().map(edges_in_one_step).collect();
        let edges = |process: &ProcessType| process.locations.iter().map(|at| at.edges.len()).sum::<usize>();
        let left = model.processes.iter().map(edges).sum();
        let (done, statements, seen) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        ExecutedStatements { model, open, left, done, statements, seen }
    }

    fn is_everything(&self) -> bool {
        self.left == 0
    }

    fn look_at(&mut self, product: &mut ModelProduct, state: StateId) {
        let words = product.model_state(state);
        let snapshot = product.system().snapshot(&words);
        self.seen.extend(snapshot.processes.iter().map(|process| process.kind.0));
        let is_open = |process: &transition::compiled::ProcessSnapshot| {
            let edges = &self.open[process.kind.0 as usize][process.location.0 as usize];
            edges.iter().any(|(location, edge)| !self.done.contains(&(process.kind.0, *location, *edge)))
        };
        if !product.takes_steps_inside() && !snapshot.processes.iter().any(is_open) {
            return;
        }
        for (kind, side) in product.executed(&words) {
            self.seen.insert(kind.0);
            self.execute(kind.0, side);
        }
    }

    fn execute(&mut self, kind: u32, executed: Executed) {
        if !self.done.insert((kind, executed.location.0, executed.edge)) {
            return;
        }
        self.left = self.left.saturating_sub(1);
        let location = self.model.processes[kind as usize].location(executed.location);
        if let Some(edge) = location.edges.get(executed.edge as usize) {
            self.statements.extend(edge.statements.iter().map(|statement| (kind, statement.number)));
        }
    }

    /// The statements of a process type of the plain model, and which of them were not executed.
    fn report(&self, process: &ProcessType, kind: ProcessTypeId, sources: &SourceMap) -> ProcessCoverage {
        let searched = &self.model.processes[kind.0 as usize];
        let edges = searched.locations.iter().flat_map(|location| &location.edges);
        let kept: BTreeSet<u32> =
            edges.flat_map(|edge| &edge.statements).map(|statement| statement.number).collect();
        let mut executed: BTreeSet<u32> = BTreeSet::new();
        let mut reached = BTreeSet::new();
        let mut work = Vec::new();
        if self.seen.contains(&kind.0) {
            work.push((process.start, None));
        }
        while let Some((at, exit)) = work.pop() {
            if !reached.insert(at) {
                continue;
            }
            for edge in &process.location(at).edges {
                let numbers = || edge.statements.iter().map(|statement| statement.number);
                // What merging left out is executed where it is reached; a `d_step` is executed as a whole.
                let is_executed = exit.is_some()
                    || numbers().all(|number| {
                        self.statements.contains(&(kind.0, number))
                            || number == Statement::JUMP
                            || !kept.contains(&number)
                    });
                if !is_executed {
                    continue;
                }
                executed.extend(numbers());
                for action in &edge.actions {
                    if let Action::Block(block) = action {
                        work.push((block.entry, Some(block.exit)));
                    }
                }
                if exit != Some(edge.target) {
                    work.push((edge.target, exit));
                }
            }
        }
        self.list(process, &executed, &reached, sources)
    }

    fn list(
        &self,
        process: &ProcessType,
        executed: &BTreeSet<u32>,
        reached: &BTreeSet<LocationId>,
        sources: &SourceMap,
    ) -> ProcessCoverage {
        let mut all: BTreeMap<u32, (&Statement, bool)> = BTreeMap::new();
        for (location, number) in process.locations.iter().zip(0..) {
            let is_reached = reached.contains(&LocationId(number));
            for statement in location.edges.iter().flat_map(|edge| &edge.statements) {
                if statement.number != Statement::JUMP {
                    all.entry(statement.number).or_insert((statement, false)).1 |= is_reached;
                }
            }
        }
        let mut never: Vec<(u32, u32, Unexecuted)> = all
            .iter()
            .filter(|(number, _)| !executed.contains(number))
            .map(|(_, (statement, reached))| {
                let unexecuted = Unexecuted {
                    file: sources.file(statement.span.file).name.clone(),
                    line: sources.place(statement.span).line,
                    statement: statement.text.clone(),
                    reached: *reached,
                };
                // The end of a process comes last, wherever its place is said to be.
                (u32::from(statement.number == Statement::END), statement.span.start, unexecuted)
            })
            .collect();
        never.sort_by_key(|(end, start, _)| (*end, *start));
        let never = never.into_iter().map(|(_, _, unexecuted)| unexecuted).collect();
        ProcessCoverage { process: process.name.clone(), statements: all.len(), never }
    }
}

/// For each location the edges that one step from there can execute: those that leave it, and those of the atomic sequence
/// behind them.
fn edges_in_one_step(process: &ProcessType) -> Vec<BTreeSet<(u32, u32)>> {
    (0..process.locations.len() as u32)
        .map(|start| {
            let mut edges = BTreeSet::new();
            let mut work = vec![start];
            while let Some(at) = work.pop() {
                for (edge, number) in process.location(LocationId(at)).edges.iter().zip(0..) {
                    if edges.insert((at, number)) && edge.atomic {
                        work.push(edge.target.0);
                    }
                }
            }
            edges
        })
        .collect()
}
