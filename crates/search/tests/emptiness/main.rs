//! Every search against the naive one on random graphs, and every counterexample against the graph.

mod graph;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use graph::{
    Graph, MOST_NODES, OnTheFly, check_lasso, check_path, critical, faulty, general, terminal, weak,
};
use search::naive::ExplicitGraph;
use search::{
    Algorithm, Control, Counterexample, Edge, Expansion, FaultKind, FaultPolicy, Halt, Marks, Outcome,
    Product, Question, ReachOptions, Shared, StateId, Strength, reach_bfs, reach_dfs, run_shared,
    shortest_lasso,
};
use verdict::{Limits, Observer, Progress, Reason, Silent, Verdict};

fn search_with(
    algorithm: Algorithm,
    question: Question,
    product: &mut OnTheFly<'_>,
    workers: usize,
) -> Outcome {
    let limits = Limits::default();
    let mut silent = Silent;
    let mut control = Control::new(&limits, &mut silent);
    run_shared(algorithm, question, product, FaultPolicy::Ignore, &mut control, workers)
}

/// The same with a head start, which so small a graph does not outlast.
fn search_alone_at_first(
    algorithm: Algorithm,
    question: Question,
    product: &mut OnTheFly<'_>,
    workers: usize,
) -> Outcome {
    let limits = Limits::default();
    let mut silent = Silent;
    let mut control = Control::new(&limits, &mut silent).with_head_start(search::HEAD_START);
    run_shared(algorithm, question, product, FaultPolicy::Ignore, &mut control, workers)
}

/// How many workers are tried, of those that share a search.
const WORKERS: &[usize] = &[1, 2, 4, 8, 16];

/// The same for most graphs of the short round: many workers on few cores mostly wait for each other, and orders of their
/// steps are tried elsewhere (`schedules`).
const FEW_WORKERS: &[usize] = &[1, 2, 4];

fn is_long_round() -> bool {
    std::env::var_os("PROBITY_SLOW_TESTS").is_some()
}

/// Asks every search that has no objection, and compares with the naive one.
fn agree(graph: &Graph, strength: Strength, workers: &[usize]) -> bool {
    let whole = ExplicitGraph::explore(&mut OnTheFly::new(graph)).expect("no limit");
    let expected = !whole.accepting_components().is_empty();
    let question = Question::Acceptance { strength, sets: graph.sets };
    let able = Algorithm::ALL.into_iter().filter(|algorithm| algorithm.objection(question).is_none());
    let with_workers = able.flat_map(|algorithm| {
        let counts = if algorithm.is_shared() { workers } else { &[1] };
        counts.iter().map(move |&count| (algorithm, count))
    });
    for (algorithm, workers) in with_workers {
        let mut product = OnTheFly::new(graph);
        let outcome = search_with(algorithm, question, &mut product, workers);
        let name = format!("{} with {workers} workers", algorithm.name());
        assert_eq!(outcome.cut_short, None);
        match outcome.verdict {
            Verdict::Holds => {
                assert!(!expected, "{name} misses a cycle");
                assert_eq!(
                    outcome.statistics.states as usize,
                    whole.edges.len(),
                    "{name} explores everything"
                );
                let edges: usize = whole.edges.iter().map(Vec::len).sum();
                assert_eq!(outcome.statistics.transitions as usize, edges, "{name} sees every edge once");
            }
            Verdict::Violated => {
                assert!(expected, "{name} finds a cycle that does not exist");
                let Some(Counterexample::Lasso(lasso)) = &outcome.counterexample else {
                    panic!("{name} gives no lasso");
                };
                check_lasso(&mut product, lasso);
            }
            Verdict::Unknown(reason) => panic!("{name} does not know: {reason}"),
        }
    }
    expected
}

/// How many graphs of a class are tried.
fn graphs() -> u64 {
    if is_long_round() { 5_000 } else { 300 }
}

/// Checks many graphs, and that both answers occur often enough to mean something.
fn agree_on_all(count: u64, strength: Strength, make: impl Fn(u64) -> Graph) {
    let mut violated = 0;
    for seed in 0..count {
        let graph = make(seed);
        let workers = if is_long_round() || seed % 8 == 0 { WORKERS } else { FEW_WORKERS };
        let result = std::panic::catch_unwind(|| agree(&graph, strength, workers));
        match result {
            Ok(expected) => violated += u64::from(expected),
            Err(_) => panic!("seed {seed} fails on {graph:?}"),
        }
    }
    assert!(violated > count / 10 && violated < count * 9 / 10, "{violated} of {count} have a cycle");
}

#[test]
fn searches_agree_on_random_graphs_with_one_set_at_most() {
    agree_on_all(graphs(), Strength::General, |seed| general(seed, 1, MOST_NODES));
}

#[test]
fn searches_agree_on_random_graphs_with_several_sets() {
    agree_on_all(graphs(), Strength::General, |seed| general(seed + 1_000_000, 4, MOST_NODES));
}

#[test]
fn searches_agree_where_few_edges_decide() {
    agree_on_all(graphs() / 2, Strength::General, |seed| critical(seed, 3, MOST_NODES));
}

#[test]
fn searches_agree_on_random_weak_graphs() {
    agree_on_all(graphs(), Strength::Weak, |seed| weak(seed, MOST_NODES));
}

#[test]
fn searches_agree_on_random_terminal_graphs() {
    agree_on_all(graphs(), Strength::Terminal, |seed| terminal(seed, MOST_NODES));
}

/// With a head start a short search is the same every time, whichever it is.
#[test]
fn what_is_short_is_the_same_every_time() {
    for seed in 0..100 {
        let graph = general(seed, 1, MOST_NODES);
        let question = Question::Acceptance { strength: Strength::General, sets: graph.sets };
        let shared = Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_shared());
        for algorithm in shared.filter(|algorithm| algorithm.objection(question).is_none()) {
            let mut first: Option<String> = None;
            for workers in [2, 2, 4] {
                let outcome = search_alone_at_first(algorithm, question, &mut OnTheFly::new(&graph), workers);
                let costs = &outcome.statistics;
                let said = format!(
                    "{:?} {:?} {} {} {} {}",
                    outcome.verdict,
                    outcome.counterexample,
                    costs.states,
                    costs.transitions,
                    costs.expansions,
                    costs.depth
                );
                let before = first.get_or_insert_with(|| said.clone());
                assert_eq!(*before, said, "seed {seed}, {} with {workers} workers", algorithm.name());
            }
        }
    }
}

#[test]
fn more_sets_than_thirty_two_are_told_apart() {
    // A ring in which each edge bears one of sixty marks; without one edge's mark nothing is accepting.
    for forgotten in [None, Some(0), Some(31), Some(59)] {
        let mut graph = Graph::new(60, 60);
        for node in 0..60 {
            let marks = if Some(node) == forgotten { Marks::NONE } else { Marks::one(node as u32) };
            graph.edges[node].push(((node + 1) % 60, marks));
            graph.edges[node].push((node, Marks::NONE));
        }
        assert_eq!(agree(&graph, Strength::General, WORKERS), forgotten.is_none());
    }
}

/// The lengths of the shortest stem to a state of an accepting component and, over all states so near, of the shortest
/// accepting cycle, by definition: words of states and marks, one step longer each time.
fn shortest_by_definition(whole: &ExplicitGraph) -> Option<(usize, usize)> {
    let components = whole.accepting_components();
    let component_of = |state: StateId| components.iter().position(|states| states.contains(&state));
    let mut level: std::collections::BTreeSet<u32> = whole.initial.iter().map(|state| state.0).collect();
    for stem in 0..=whole.edges.len() {
        let beginnings: Vec<StateId> = level
            .iter()
            .map(|state| StateId(*state))
            .filter(|state| component_of(*state).is_some())
            .collect();
        let cycle_from = |home: StateId| {
            let mut reached = std::collections::BTreeSet::from([(home.0, 0_u64)]);
            (1..).find(|_| {
                let step = |(state, marks): &(u32, u64)| {
                    let inner = |edge: &&Edge| component_of(edge.target) == component_of(home);
                    let edges = whole.edges[*state as usize].iter().filter(inner);
                    let marks = *marks;
                    edges.map(move |edge| (edge.target.0, marks | edge.marks.0)).collect::<Vec<_>>()
                };
                reached = reached.iter().flat_map(step).collect();
                reached.contains(&(home.0, whole.required.0))
            })
        };
        if let Some(cycle) = beginnings.into_iter().filter_map(cycle_from).min() {
            return Some((stem, cycle));
        }
        let targets = |state: &u32| whole.edges[*state as usize].iter().map(|edge| edge.target.0);
        level = level.iter().flat_map(targets).collect();
    }
    None
}

#[test]
fn shortest_lassos_are_shortest() {
    let limits = Limits::default();
    let mut found = 0;
    for seed in 0..1_000 {
        for graph in [general(seed, 1, MOST_NODES), general(seed, 3, MOST_NODES), weak(seed, MOST_NODES)] {
            let whole = ExplicitGraph::explore(&mut OnTheFly::new(&graph)).expect("no limit");
            let mut product = OnTheFly::new(&graph);
            let mut silent = Silent;
            let lasso = shortest_lasso(&mut product, &mut Control::new(&limits, &mut silent));
            let lengths = lasso.as_ref().ok().map(|lasso| (lasso.stem.steps.len(), lasso.cycle.len()));
            assert_eq!(lengths, shortest_by_definition(&whole), "seed {seed}: {graph:?}");
            if let Ok(lasso) = lasso {
                check_lasso(&mut product, &lasso);
                found += 1;
            }
        }
    }
    assert!(found > 500);
}

/// The number of steps to the nearest fault of each kind, and how many there are.
fn faults_by_definition(whole: &ExplicitGraph, graph: &Graph) -> BTreeMap<FaultKind, (usize, u64)> {
    let mut distance = vec![usize::MAX; whole.edges.len()];
    let mut level: Vec<StateId> = whole.initial.clone();
    let mut steps = 0;
    while !level.is_empty() {
        level.retain(|state| distance[state.index()] == usize::MAX);
        for state in &level {
            distance[state.index()] = steps;
        }
        level = level
            .iter()
            .flat_map(|state| whole.edges[state.index()].iter().map(|edge| edge.target))
            .collect();
        steps += 1;
    }
    let mut product = OnTheFly::new(graph);
    product.initial().expect("no limit");
    let mut out = Expansion::new();
    let mut faults = BTreeMap::new();
    for (state, &steps) in distance.iter().enumerate() {
        product.expand(StateId(state as u32), &mut out).expect("no limit");
        for fault in &out.faults {
            let entry = faults.entry(fault.kind).or_insert((usize::MAX, 0));
            entry.0 = entry.0.min(steps + usize::from(fault.edge.is_some()));
            entry.1 += 1;
        }
    }
    faults
}

#[test]
fn reachability_counts_the_faults_of_random_graphs() {
    for seed in 0..5_000 {
        let graph = faulty(seed, MOST_NODES);
        let whole = ExplicitGraph::explore(&mut OnTheFly::new(&graph)).expect("no limit");
        let expected = faults_by_definition(&whole, &graph);
        for policy in [FaultPolicy::CountAll, FaultPolicy::StopAtFirst] {
            for breadth_first in [false, true] {
                let mut product = OnTheFly::new(&graph);
                let limits = Limits::default();
                let mut silent = Silent;
                let mut control = Control::new(&limits, &mut silent);
                let options = ReachOptions { faults: policy, accepting_sinks: false };
                let search = if breadth_first { reach_bfs } else { reach_dfs };
                let outcome = search(&mut product, options, &mut control);
                assert_eq!(outcome.verdict == Verdict::Violated, !expected.is_empty(), "seed {seed}");
                assert_ne!(matches!(outcome.verdict, Verdict::Holds), !expected.is_empty());
                for violation in &outcome.violations {
                    check_path(&mut product, &violation.first);
                    let (shortest, count) = expected[&violation.kind];
                    assert!(shortest <= violation.first.steps.len());
                    if policy == FaultPolicy::CountAll {
                        assert_eq!(violation.count, count, "seed {seed}");
                        if breadth_first {
                            assert_eq!(violation.first.steps.len(), shortest, "seed {seed}");
                        }
                    }
                }
                if policy == FaultPolicy::CountAll {
                    assert_eq!(outcome.violations.len(), expected.len());
                }
                if breadth_first && let Some(Counterexample::Path(path)) = &outcome.counterexample {
                    let shortest = expected.values().map(|&(steps, _)| steps).min();
                    assert_eq!(Some(path.steps.len()), shortest, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn several_workers_count_the_same_faults() {
    let mut found = 0;
    let count = if is_long_round() { 5_000 } else { 500 };
    for seed in 0..count {
        let graph = faulty(seed, MOST_NODES);
        let whole = ExplicitGraph::explore(&mut OnTheFly::new(&graph)).expect("no limit");
        let edges: usize = whole.edges.iter().map(Vec::len).sum();
        let expected = faults_by_definition(&whole, &graph);
        found += u64::from(!expected.is_empty());
        for algorithm in [Algorithm::Steal, Algorithm::Levels] {
            for workers in [2, [1, 4, 8, 16][(seed % 4) as usize]] {
                for policy in [FaultPolicy::CountAll, FaultPolicy::StopAtFirst] {
                    let mut product = OnTheFly::new(&graph);
                    let limits = Limits::default();
                    let mut silent = Silent;
                    let mut control = Control::new(&limits, &mut silent);
                    let question = Question::Faults { shortest: algorithm == Algorithm::Levels };
                    let outcome =
                        run_shared(algorithm, question, &mut product, policy, &mut control, workers);
                    let case = format!("seed {seed}, {} with {workers} workers", algorithm.name());
                    assert_eq!(outcome.cut_short, None, "{case}");
                    let is_violated = outcome.verdict == Verdict::Violated;
                    assert_eq!(is_violated, !expected.is_empty(), "{case}");
                    if policy == FaultPolicy::CountAll || !is_violated {
                        assert_eq!(outcome.statistics.states as usize, whole.edges.len(), "{case}");
                        assert_eq!(outcome.statistics.transitions as usize, edges, "{case}");
                        assert_eq!(outcome.statistics.expansions as usize, whole.edges.len(), "{case}");
                        assert_eq!(outcome.violations.len(), expected.len(), "{case}");
                    }
                    for violation in &outcome.violations {
                        check_path(&mut product, &violation.first);
                        let (shortest, count) = expected[&violation.kind];
                        assert!(shortest <= violation.first.steps.len(), "{case}");
                        if policy == FaultPolicy::CountAll {
                            assert_eq!(violation.count, count, "{case}");
                            if algorithm == Algorithm::Levels {
                                assert_eq!(violation.first.steps.len(), shortest, "{case}");
                            }
                        }
                    }
                    if algorithm == Algorithm::Levels
                        && let Some(Counterexample::Path(path)) = &outcome.counterexample
                    {
                        let shortest = expected.values().map(|&(steps, _)| steps).min();
                        assert_eq!(Some(path.steps.len()), shortest, "{case}");
                    }
                }
            }
        }
    }
    assert!(found > count / 5 && found < count * 49 / 50, "{found} of {count}");
}

/// A line of states without end in sight, for limits and depth.
struct Line {
    length: u32,
    stored: Arc<AtomicU32>,
    closes: bool,
}

impl Line {
    fn new(length: u32, closes: bool) -> Self {
        Line { length, stored: Arc::default(), closes }
    }
}

impl Product for Line {
    fn acceptance_sets(&self) -> u32 {
        1
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        self.stored.fetch_max(1, Ordering::SeqCst);
        Ok(vec![StateId(0)])
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        if state.0 + 1 < self.length {
            let is_new = self.stored.fetch_max(state.0 + 2, Ordering::SeqCst) < state.0 + 2;
            out.edges.push(Edge { target: StateId(state.0 + 1), marks: Marks::NONE, is_new });
        } else if self.closes {
            out.edges.push(Edge { target: StateId(0), marks: Marks::one(0), is_new: false });
        }
        Ok(())
    }

    fn stored(&self) -> usize {
        self.stored.load(Ordering::SeqCst) as usize
    }

    fn memory_bytes(&self) -> usize {
        self.stored() * 16
    }
}

impl Shared for Line {
    fn another(&mut self) -> Result<Self, Halt> {
        Ok(Line { stored: Arc::clone(&self.stored), ..*self })
    }
}

const EVERY_SEARCH: [(Algorithm, Question); 17] = [
    (Algorithm::Dfs, Question::Faults { shortest: false }),
    (Algorithm::Bfs, Question::Faults { shortest: false }),
    (Algorithm::Dfs, Question::Acceptance { strength: Strength::Terminal, sets: 1 }),
    (Algorithm::Bfs, Question::Acceptance { strength: Strength::Terminal, sets: 1 }),
    (Algorithm::WeakDfs, Question::Acceptance { strength: Strength::Weak, sets: 1 }),
    (Algorithm::NestedDfs, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::SetBasedScc, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Steal, Question::Faults { shortest: false }),
    (Algorithm::Levels, Question::Faults { shortest: true }),
    (Algorithm::Steal, Question::Acceptance { strength: Strength::Terminal, sets: 1 }),
    (Algorithm::Levels, Question::Acceptance { strength: Strength::Terminal, sets: 1 }),
    (Algorithm::Cndfs, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Ufscc, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Renault, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Pndfs, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Swarm, Question::Acceptance { strength: Strength::General, sets: 1 }),
    (Algorithm::Lowe, Question::Acceptance { strength: Strength::General, sets: 1 }),
];

/// How many workers a search is tried with where its answer is tested: shared ones with several.
fn workers_for(algorithm: Algorithm) -> usize {
    if algorithm.is_shared() { 3 } else { 1 }
}

#[test]
fn a_search_that_meets_a_limit_does_not_know() {
    let unlimited = Limits::default();
    let cases = [
        (Limits { max_states: Some(1000), ..unlimited.clone() }, Reason::StateLimit),
        (Limits { max_memory_bytes: Some(100_000), ..unlimited.clone() }, Reason::MemoryLimit),
        (Limits { deadline: Some(Instant::now()), ..unlimited.clone() }, Reason::Timeout),
        (Limits { interrupt: Arc::new(AtomicBool::new(true)), ..unlimited.clone() }, Reason::Interrupted),
    ];
    for (algorithm, question) in EVERY_SEARCH {
        for (limits, reason) in &cases {
            let mut product = Line::new(100_000, false);
            let mut silent = Silent;
            let mut control = Control::new(limits, &mut silent);
            let workers = workers_for(algorithm);
            let outcome =
                run_shared(algorithm, question, &mut product, FaultPolicy::CountAll, &mut control, workers);
            assert_eq!(outcome.verdict, Verdict::Unknown(reason.clone()), "{}", algorithm.name());
            assert_eq!(outcome.cut_short, Some(reason.clone()));
            assert!(outcome.statistics.states > 0 && outcome.statistics.states < 100_000);
        }
    }
}

#[test]
fn exactly_as_many_states_as_allowed_is_no_limit() {
    for (algorithm, question) in EVERY_SEARCH {
        let limits = Limits { max_states: Some(500), ..Limits::default() };
        let mut silent = Silent;
        let mut control = Control::new(&limits, &mut silent);
        let mut product = Line::new(500, false);
        let workers = workers_for(algorithm);
        let outcome =
            run_shared(algorithm, question, &mut product, FaultPolicy::CountAll, &mut control, workers);
        assert_eq!(outcome.verdict, Verdict::Holds);
        assert_eq!(outcome.statistics.states, 500);
    }
}

#[test]
fn a_path_of_many_states_is_no_depth() {
    struct Count(u64);
    impl Observer for Count {
        fn observe(&mut self, progress: &Progress) {
            assert!(progress.states > 0 && progress.time < Duration::from_secs(600));
            self.0 += 1;
        }
    }
    for (algorithm, question) in EVERY_SEARCH {
        let limits = Limits::default();
        let mut count = Count(0);
        let mut control = Control::new(&limits, &mut count);
        // Level by level, workers wait for each other after each state.
        let length = if algorithm == Algorithm::Levels { 2_000 } else { 200_000 };
        let mut product = Line::new(length, true);
        let workers = workers_for(algorithm);
        let outcome =
            run_shared(algorithm, question, &mut product, FaultPolicy::CountAll, &mut control, workers);
        assert_eq!(outcome.statistics.states, u64::from(length));
        let looks_on = outcome.verdict == Verdict::Holds || !algorithm.is_shared();
        assert!(!looks_on || outcome.statistics.transitions == u64::from(length));
        assert!(algorithm.is_shared() || outcome.statistics.depth == 200_000);
        assert!(count.0 >= 3 || algorithm.is_shared());
        let looks_for_cycles =
            matches!(question, Question::Acceptance { strength: Strength::Weak | Strength::General, .. });
        assert_eq!(outcome.verdict == Verdict::Violated, looks_for_cycles);
    }
}

/// Two processes each do one step and end: `n = 1` and `n = 2`; a third one runs for ever and changes
/// nothing. The automaton looks for runs on which `n` differs from 1 again and again.
///
/// Set 0 is the automaton's, sets 1 to 3 are the processes': an edge bears a process's mark when the process
/// moves on it or cannot move in its source.
#[test]
fn weak_fairness_lets_processes_end_and_starves_nobody() {
    // Nodes by who has ended: nobody, the first, the second, both with n = 2 and both with n = 1.
    const NOBODY: usize = 0;
    const FIRST: usize = 1;
    const SECOND: usize = 2;
    const BOTH_WITH_2: usize = 3;
    const BOTH_WITH_1: usize = 4;
    let value = [0, 1, 2, 2, 1];
    let can_move = [[true, true], [false, true], [true, false], [false, false], [false, false]];
    let marks = |node: usize, mover: usize| {
        let mut marks = Marks::one(1 + mover as u32);
        if value[node] != 1 {
            marks = marks.union(Marks::one(0));
        }
        for process in (0..2).filter(|&process| !can_move[node][process]) {
            marks = marks.union(Marks::one(1 + process as u32));
        }
        marks
    };
    let make = |with_second_writer: bool| {
        let mut graph = Graph::new(5, 4);
        let moves =
            [(NOBODY, 0, FIRST), (SECOND, 0, BOTH_WITH_1), (NOBODY, 1, SECOND), (FIRST, 1, BOTH_WITH_2)];
        for (from, mover, to) in moves {
            // Without the second writer its step leaves n alone, so both orders end with n = 1.
            let to = if with_second_writer || to != BOTH_WITH_2 { to } else { BOTH_WITH_1 };
            graph.edges[from].push((to, marks(from, mover)));
        }
        for node in 0..5 {
            graph.edges[node].push((node, marks(node, 2)));
        }
        graph
    };

    // Only the end with n = 2 is a fair run with n other than 1: waiting at the start is unfair.
    let graph = make(true);
    assert!(agree(&graph, Strength::General, WORKERS));
    let mut product = OnTheFly::new(&graph);
    let question = Question::Acceptance { strength: Strength::General, sets: 4 };
    let outcome = search_with(Algorithm::SetBasedScc, question, &mut product, 1);
    let Some(Counterexample::Lasso(lasso)) = outcome.counterexample else { panic!("no lasso") };
    assert_eq!(lasso.stem.steps.len(), 2);
    assert_eq!(lasso.cycle.len(), 1);

    // Without that end nothing is left, though unfair runs are.
    assert!(!agree(&make(false), Strength::General, WORKERS));
}
