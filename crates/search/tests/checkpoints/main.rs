//! Searches that are cut off at any moment and taken up again, against the naive answer.
//!
//! Workers run in turns that a seed decides, and a checkpoint is taken every few steps. From each of some of them the search
//! is taken up by any search that answers the same question, with any number of workers, and cut off again. Whatever was
//! taken for final must not hide an accepting run, and what is counted must be what there is.
#![cfg(debug_assertions)]

#[allow(dead_code)]
#[path = "../emptiness/graph.rs"]
mod graph;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use graph::{Graph, OnTheFly, Random, check_lasso, critical, faulty, follow, general, terminal, weak};
use search::naive::ExplicitGraph;
use search::{
    Algorithm, Checkpoint, Control, Counterexample, FaultPolicy, Keeper, Kept, Outcome, Product, Question,
    Stage, Strength, run_shared,
};
use store::schedule::in_turns;
use verdict::{Limits, Silent, Verdict};

/// How many times more than usual is tried.
fn times() -> u64 {
    let asked = std::env::var("PROBITY_SCHEDULES").ok().and_then(|asked| asked.parse().ok());
    asked.unwrap_or(if std::env::var_os("PROBITY_SLOW_TESTS").is_some() { 20 } else { 1 })
}

/// The nodes that a graph has at most.
fn nodes(seed: u64) -> usize {
    [4, 6, 8, 8, 12, 20, 40][seed as usize % 7]
}

/// Keeps every so many-th moment.
struct Memory {
    every: usize,
    asked: AtomicUsize,
    checkpoints: Mutex<Vec<Vec<u8>>>,
}

impl Memory {
    fn new(every: usize) -> Self {
        Memory { every, asked: AtomicUsize::new(0), checkpoints: Mutex::default() }
    }
}

impl Keeper for Memory {
    fn is_due(&self) -> bool {
        (self.asked.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.every)
    }

    fn save(&self, checkpoint: Checkpoint) {
        let mut bytes = Vec::new();
        checkpoint.write(&mut bytes).expect("memory");
        self.checkpoints.lock().expect("nobody panics").push(bytes);
    }
}

struct Case {
    graph: Graph,
    question: Question,
    policy: FaultPolicy,
    whole: ExplicitGraph,
    is_violated: bool,
    faults: u64,
}

/// How a search goes on.
#[derive(Clone, Copy, Debug)]
struct Way {
    algorithm: Algorithm,
    workers: usize,
    turns: u64,
    every: usize,
}

impl Case {
    fn new(graph: Graph, question: Question, policy: FaultPolicy) -> Self {
        let whole = ExplicitGraph::explore(&mut OnTheFly::new(&graph)).expect("no limit");
        let mut product = OnTheFly::new(&graph);
        product.initial().expect("no limit");
        let mut out = search::Expansion::new();
        let mut faults = 0;
        for state in 0..whole.edges.len() as u32 {
            product.expand(search::StateId(state), &mut out).expect("no limit");
            faults += out.faults.len() as u64;
        }
        let is_violated = match question {
            Question::Faults { .. } => faults > 0,
            Question::Acceptance { .. } => !whole.accepting_components().is_empty(),
        };
        Case { graph, question, policy, whole, is_violated, faults }
    }

    fn acceptance(graph: Graph, strength: Strength) -> Self {
        let question = Question::Acceptance { strength, sets: graph.sets };
        Case::new(graph, question, FaultPolicy::Ignore)
    }

    /// A search that fits, and how it goes. Searches for states go on with searches for states.
    fn way(&self, random: &mut Random, before: Option<&Way>) -> Way {
        let is_reachability = |algorithm| {
            matches!(algorithm, Algorithm::Dfs | Algorithm::Bfs | Algorithm::Steal | Algorithm::Levels)
        };
        let is_of_kind =
            |algorithm| before.is_none_or(|way| is_reachability(way.algorithm) == is_reachability(algorithm));
        let fits =
            |algorithm: &Algorithm| algorithm.objection(self.question).is_none() && is_of_kind(*algorithm);
        let fitting: Vec<Algorithm> = Algorithm::ALL.into_iter().filter(fits).collect();
        let longest = [3, 10, 40][random.below(3)];
        Way {
            algorithm: fitting[random.below(fitting.len())],
            workers: [1, 2, 2, 3, 4][random.below(5)],
            turns: random.below(1 << 20) as u64,
            every: 1 + random.below(longest),
        }
    }

    /// Runs a search, taken up from a checkpoint or from the beginning, and gives the checkpoints that were taken.
    fn run(&self, way: Way, from: Option<&[u8]>) -> Vec<Vec<u8>> {
        let (limits, mut silent, memory) = (Limits::default(), Silent, Memory::new(way.every));
        let mut product = OnTheFly::new(&self.graph);
        let mut kept = Kept::new(Some(&memory), Stage(0));
        if let Some(mut from) = from {
            kept.resume(&mut product, &mut from).expect("it is whole");
        }
        let (outcome, _) = in_turns(way.turns, || {
            let mut control = Control::new(&limits, &mut silent).with_kept(&kept);
            run_shared(way.algorithm, self.question, &mut product, self.policy, &mut control, way.workers)
        });
        assert_eq!(outcome.cut_short, None);
        self.check(&mut product, &outcome);
        memory.checkpoints.into_inner().expect("nobody panics")
    }

    /// The fewest steps to a fault; one on an edge is behind that.
    fn steps_to_fault(&self) -> Option<usize> {
        let mut distance: Vec<Option<usize>> = vec![None; self.graph.nodes()];
        let mut queue: Vec<usize> = self.graph.initial.clone();
        queue.iter().for_each(|node| distance[*node] = Some(0));
        let (mut next, mut shortest) = (0, None);
        while let Some(&node) = queue.get(next) {
            next += 1;
            let steps = distance[node].expect("it is in the queue");
            let behind =
                self.graph.faults[node].iter().map(|fault| steps + usize::from(fault.edge.is_some()));
            shortest = behind.chain(shortest).min();
            for &(target, _) in &self.graph.edges[node] {
                if distance[target].is_none() {
                    distance[target] = Some(steps + 1);
                    queue.push(target);
                }
            }
        }
        shortest
    }

    fn check(&self, product: &mut OnTheFly<'_>, outcome: &Outcome) {
        match &outcome.verdict {
            Verdict::Holds => assert!(!self.is_violated, "a violation is missed"),
            Verdict::Violated => assert!(self.is_violated, "what is found does not exist"),
            Verdict::Unknown(reason) => panic!("not known: {reason}"),
        }
        if outcome.verdict == Verdict::Holds || self.policy == FaultPolicy::CountAll {
            assert_eq!(outcome.statistics.states as usize, self.whole.edges.len(), "everything is stored");
            let edges: usize = self.whole.edges.iter().map(Vec::len).sum();
            assert_eq!(outcome.statistics.transitions as usize, edges, "every edge is counted once");
        }
        if self.policy == FaultPolicy::CountAll {
            let counted: u64 = outcome.violations.iter().map(|violation| violation.count).sum();
            assert_eq!(counted, self.faults, "every fault is counted once");
        }
        for violation in &outcome.violations {
            assert!(product.initial().expect("no limit").contains(&violation.first.start));
            follow(product, violation.first.start, &violation.first.steps);
        }
        if let (Question::Faults { shortest: true }, Some(first)) =
            (self.question, outcome.violations.first())
        {
            assert_eq!(Some(first.first.steps.len()), self.steps_to_fault(), "the path is a shortest one");
        }
        if let Some(Counterexample::Lasso(lasso)) = &outcome.counterexample {
            check_lasso(product, lasso);
        } else {
            let has_lasso = matches!(self.question, Question::Acceptance { .. });
            assert!(!(self.is_violated && has_lasso), "no lasso is given");
        }
    }
}

/// Cuts searches off and takes them up again.
fn agree(graphs: u64, case: impl Fn(u64) -> Case) {
    let (mut resumed, mut violated) = (0_u64, 0_u64);
    for seed in 0..graphs * times() {
        let case = case(seed);
        let mut random = Random::new(seed + 77);
        for _ in 0..4 {
            let mut ways = vec![case.way(&mut random, None)];
            let mut checkpoints = run_named(&case, &ways, None);
            // Taken up, cut off, taken up …
            for _ in 0..3 {
                if checkpoints.is_empty() {
                    break;
                }
                let from = checkpoints.swap_remove(random.below(checkpoints.len()));
                ways.push(case.way(&mut random, ways.last()));
                checkpoints = run_named(&case, &ways, Some(&from));
                resumed += 1;
                violated += u64::from(case.is_violated);
            }
        }
    }
    assert!(resumed > graphs && violated > resumed / 10 && violated < resumed, "{violated} of {resumed}");
}

fn run_named(case: &Case, ways: &[Way], from: Option<&[u8]>) -> Vec<Vec<u8>> {
    let way = *ways.last().expect("there is one");
    let run = catch_unwind(AssertUnwindSafe(|| case.run(way, from)));
    match run {
        Ok(checkpoints) => checkpoints,
        Err(_) => panic!("{ways:?} on {:?}", case.graph),
    }
}

#[test]
fn searches_are_taken_up_with_one_set_at_most() {
    agree(150, |seed| Case::acceptance(general(seed, 1, nodes(seed)), Strength::General));
}

#[test]
fn searches_are_taken_up_with_several_sets() {
    agree(150, |seed| Case::acceptance(general(seed + 1_000_000, 4, nodes(seed)), Strength::General));
}

#[test]
fn searches_are_taken_up_where_one_marked_edge_decides() {
    agree(400, |seed| Case::acceptance(critical(seed, 1, 2 + seed as usize % 12), Strength::General));
}

#[test]
fn searches_are_taken_up_where_one_edge_for_each_set_decides() {
    agree(200, |seed| {
        Case::acceptance(critical(seed + 1_000_000, 4, 2 + seed as usize % 12), Strength::General)
    });
}

#[test]
fn searches_of_weak_graphs_are_taken_up() {
    agree(200, |seed| Case::acceptance(weak(seed, nodes(seed)), Strength::Weak));
}

#[test]
fn searches_of_terminal_graphs_are_taken_up() {
    agree(60, |seed| Case::acceptance(terminal(seed, nodes(seed)), Strength::Terminal));
}

#[test]
fn searches_for_faults_are_taken_up() {
    for policy in [FaultPolicy::CountAll, FaultPolicy::StopAtFirst] {
        for shortest in [false, true] {
            agree(60, |seed| Case::new(faulty(seed, nodes(seed)), Question::Faults { shortest }, policy));
        }
    }
}
