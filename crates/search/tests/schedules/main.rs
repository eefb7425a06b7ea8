//! Every search that workers share, in turns that a seed decides, against the naive answer.
//!
//! Threads that run as the system pleases hardly ever stop at a bad moment, the less so on graphs small enough to
//! understand what went wrong. Here each of them asks before each step on what they share whether it may go on
//! (`store::schedule`), so every order of steps can come up, and one that shows a fault comes again with its two seeds: that
//! of the graph and that of the turns.
#![cfg(debug_assertions)]

#[allow(dead_code)]
#[path = "../emptiness/graph.rs"]
mod graph;

use std::panic::{AssertUnwindSafe, catch_unwind};

use graph::{Graph, OnTheFly, check_lasso, critical, faulty, follow, general, terminal, weak};
use search::naive::ExplicitGraph;
use search::{
    Algorithm, Control, Counterexample, Expansion, Fault, FaultClass, FaultKind, FaultPolicy, Marks, Outcome,
    Product, Question, StateId, Strength, run_shared,
};
use store::schedule::in_turns;
use verdict::{Limits, Silent, Verdict};

/// How many times more than usual is tried.
fn times() -> u64 {
    let asked = std::env::var("PROBITY_SCHEDULES").ok().and_then(|asked| asked.parse().ok());
    asked.unwrap_or(if std::env::var_os("PROBITY_SLOW_TESTS").is_some() { 20 } else { 1 })
}

/// The nodes that a graph has at most: mostly few, with which more of the orders there are come up.
fn nodes(seed: u64) -> usize {
    [4, 6, 8, 8, 12, 20, 60][seed as usize % 7]
}

/// A graph, and what is so of it by definition.
struct Case {
    graph: Graph,
    question: Question,
    whole: ExplicitGraph,
    is_violated: bool,
    faults: u64,
}

impl Case {
    fn new(graph: Graph, question: Question) -> Self {
        let whole = ExplicitGraph::explore(&mut OnTheFly::new(&graph)).expect("no limit");
        let mut faults = 0;
        let mut product = OnTheFly::new(&graph);
        product.initial().expect("no limit");
        let mut out = Expansion::new();
        for state in 0..whole.edges.len() as u32 {
            product.expand(StateId(state), &mut out).expect("no limit");
            faults += out.faults.len() as u64;
        }
        let is_violated = match question {
            Question::Faults { .. } => faults > 0,
            Question::Acceptance { .. } => !whole.accepting_components().is_empty(),
        };
        Case { graph, question, whole, is_violated, faults }
    }

    fn acceptance(graph: Graph, strength: Strength) -> Self {
        let question = Question::Acceptance { strength, sets: graph.sets };
        Case::new(graph, question)
    }

    /// Runs a search in turns, and checks all that it says. Gives the number of what was decided.
    fn check(&self, algorithm: Algorithm, policy: FaultPolicy, workers: usize, seed: u64) -> u64 {
        let (limits, mut silent) = (Limits::default(), Silent);
        let mut product = OnTheFly::new(&self.graph);
        let (outcome, decided) = in_turns(seed, || {
            let mut control = Control::new(&limits, &mut silent);
            run_shared(algorithm, self.question, &mut product, policy, &mut control, workers)
        });
        assert_eq!(outcome.cut_short, None);
        self.check_outcome(&mut product, policy, &outcome);
        decided
    }

    fn check_outcome(&self, product: &mut OnTheFly<'_>, policy: FaultPolicy, outcome: &Outcome) {
        match &outcome.verdict {
            Verdict::Holds => assert!(!self.is_violated, "a violation is missed"),
            Verdict::Violated => assert!(self.is_violated, "what is found does not exist"),
            Verdict::Unknown(reason) => panic!("not known: {reason}"),
        }
        if outcome.verdict == Verdict::Holds || policy == FaultPolicy::CountAll {
            assert_eq!(outcome.statistics.states as usize, self.whole.edges.len(), "everything is explored");
            let edges: usize = self.whole.edges.iter().map(Vec::len).sum();
            assert_eq!(outcome.statistics.transitions as usize, edges, "every edge is counted once");
        }
        if policy == FaultPolicy::CountAll {
            let counted: u64 = outcome.violations.iter().map(|violation| violation.count).sum();
            assert_eq!(counted, self.faults, "every fault is counted once");
        }
        for violation in &outcome.violations {
            assert!(product.initial().expect("no limit").contains(&violation.first.start));
            follow(product, violation.first.start, &violation.first.steps);
        }
        if let Some(Counterexample::Lasso(lasso)) = &outcome.counterexample {
            check_lasso(product, lasso);
        } else {
            let has_lasso = matches!(self.question, Question::Acceptance { .. });
            assert!(!(self.is_violated && has_lasso), "no lasso is given");
        }
    }

    /// The same, with what is needed to have it again.
    fn check_named(&self, algorithm: Algorithm, policy: FaultPolicy, workers: usize, seed: u64) {
        let checked = catch_unwind(AssertUnwindSafe(|| self.check(algorithm, policy, workers, seed)));
        assert!(
            checked.is_ok(),
            "{} with {workers} workers, turns {seed}, on {:?}",
            algorithm.name(),
            self.graph
        );
    }
}

/// Tries each search that fits on each of many graphs, with many turns. The more workers, the rarer they are.
fn agree_in_turns(graphs: u64, turns: u64, case: impl Fn(u64) -> Case, policy: FaultPolicy) {
    let graphs = graphs * times();
    let mut violated = 0;
    for graph in 0..graphs {
        let case = case(graph);
        violated += u64::from(case.is_violated);
        let fitting = Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_shared());
        for algorithm in fitting.filter(|algorithm| algorithm.objection(case.question).is_none()) {
            for seed in 0..turns {
                let workers = [2, 2, 3, 4, 2, 3, 2, 8][seed as usize % 8];
                case.check_named(algorithm, policy, workers, graph * turns + seed);
            }
        }
    }
    assert!(violated > graphs / 10 && violated < graphs * 9 / 10, "{violated} of {graphs} are violated");
}

#[test]
fn searches_agree_with_one_set_at_most() {
    let case = |seed| Case::acceptance(general(seed, 1, nodes(seed)), Strength::General);
    agree_in_turns(60, 8, case, FaultPolicy::Ignore);
}

#[test]
fn searches_agree_with_several_sets() {
    let case = |seed| Case::acceptance(general(seed + 1_000_000, 4, nodes(seed)), Strength::General);
    agree_in_turns(60, 8, case, FaultPolicy::Ignore);
}

#[test]
fn searches_agree_where_one_marked_edge_decides() {
    let case = |seed| Case::acceptance(critical(seed, 1, 2 + seed as usize % 9), Strength::General);
    agree_in_turns(300, 4, case, FaultPolicy::Ignore);
}

#[test]
fn searches_agree_where_one_edge_for_each_set_decides() {
    let case =
        |seed| Case::acceptance(critical(seed + 1_000_000, 4, 2 + seed as usize % 9), Strength::General);
    agree_in_turns(300, 4, case, FaultPolicy::Ignore);
}

#[test]
fn searches_agree_on_weak_graphs() {
    let case = |seed| Case::acceptance(weak(seed, nodes(seed)), Strength::Weak);
    agree_in_turns(60, 8, case, FaultPolicy::Ignore);
}

#[test]
fn searches_agree_on_terminal_graphs() {
    let case = |seed| Case::acceptance(terminal(seed, nodes(seed)), Strength::Terminal);
    agree_in_turns(40, 4, case, FaultPolicy::Ignore);
}

#[test]
fn searches_count_every_fault_once() {
    for shortest in [false, true] {
        let case = |seed| Case::new(faulty(seed, nodes(seed)), Question::Faults { shortest });
        agree_in_turns(60, 8, case, FaultPolicy::CountAll);
    }
}

/// Turns and graph together decide everything, so what fails once fails again.
#[test]
fn a_run_in_turns_can_be_had_again() {
    for seed in 0..10 {
        let case = Case::acceptance(general(seed, 1, 8), Strength::General);
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_shared()) {
            if algorithm.objection(case.question).is_none() {
                let run = || case.check(algorithm, FaultPolicy::Ignore, 3, seed);
                assert_eq!(run(), run(), "{} with turns {seed}", algorithm.name());
            }
        }
    }
}

/// A graph with some states in a line before the first one: which edges a worker takes first depends on the numbers of states.
fn after_a_line(before: usize, nodes: usize, edges: &[(usize, usize, bool)]) -> Graph {
    let mut graph = Graph::new(before + nodes, 1);
    for node in 0..before {
        graph.edges[node].push((node + 1, Marks::NONE));
    }
    for &(from, to, is_marked) in edges {
        let marks = if is_marked { Marks::one(0) } else { Marks::NONE };
        graph.edges[before + from].push((before + to, marks));
    }
    graph
}

/// Two workers go round the same component on two ways. While one unites its way, from the end on, the other unites the rest
/// of what the edge closes; so the first one stops, and what is united has a state that nothing in it leads to, until
/// somebody comes by the edge to it again. The mark is on the edge from that state.
#[test]
fn a_lasso_is_found_in_what_is_united_on_two_ways() {
    let [first, second, third, last, other] = [0, 1, 2, 3, 4];
    let edges = [
        (first, second, false),
        (first, other, false),
        (second, third, false),
        (third, last, true),
        (other, last, false),
        (last, first, false),
    ];
    for before in 0..4 {
        let case = Case::acceptance(after_a_line(before, 5, &edges), Strength::General);
        for seed in 0..100 * times() {
            for algorithm in [Algorithm::Ufscc, Algorithm::Renault, Algorithm::Lowe] {
                case.check_named(algorithm, FaultPolicy::Ignore, 2, seed);
            }
        }
    }
}

/// One worker has left the only accepting cycle, and is about to search it red from its accepting edge. Another one searches red
/// from an accepting edge that leads into the cycle: what it paints red before the first has come by hides the cycle.
#[test]
fn a_cycle_is_not_hidden_by_what_another_worker_paints_red() {
    let [first, before_mark, after_mark, third, last, side] = [0, 1, 2, 3, 4, 5];
    let edges = [
        (first, before_mark, false),
        (first, side, true),
        (before_mark, after_mark, true),
        (after_mark, third, false),
        (third, last, false),
        (last, before_mark, false),
        (side, third, false),
    ];
    for before in 0..4 {
        let case = Case::acceptance(after_a_line(before, 6, &edges), Strength::General);
        for seed in 0..100 * times() {
            for algorithm in [Algorithm::Cndfs, Algorithm::Pndfs, Algorithm::Swarm] {
                for workers in [2, 3] {
                    case.check_named(algorithm, FaultPolicy::Ignore, workers, seed);
                }
            }
        }
    }
}

/// A tree whose leaves each have a fault of their own: there is one way to each, however the work is given away.
#[test]
fn ways_to_faults_lead_through_what_was_given_away() {
    let (inner, nodes) = (40, 121);
    let mut graph = Graph::new(nodes, 0);
    for node in 0..inner {
        graph.edges[node].extend((1..=3).map(|child| (3 * node + child, Marks::NONE)));
    }
    for leaf in inner..nodes {
        let kind = FaultKind { class: FaultClass::Other, code: leaf as u32 };
        graph.faults[leaf].push(Fault { kind, edge: None });
    }
    let case = Case::new(graph, Question::Faults { shortest: false });
    for seed in 0..40 * times() {
        for workers in [2, 3] {
            case.check_named(Algorithm::Steal, FaultPolicy::CountAll, workers, seed);
        }
    }
}

/// Two searches begin in one component, and what one has of it is handed to the other but for its first state. That must wait for
/// what was handed over: it is part of the component, and the only marked edge leads to it.
#[test]
fn what_is_left_of_a_search_waits_for_what_was_handed_over() {
    let [first, second, third] = [0, 1, 2];
    for (middle, last) in [(second, first), (first, second)] {
        let mut graph = Graph::new(3, 1);
        graph.initial = vec![first, third];
        graph.edges[first].push((second, Marks::NONE));
        graph.edges[second].push((third, Marks::NONE));
        for target in [middle, last] {
            let marks = if target == first { Marks::one(0) } else { Marks::NONE };
            graph.edges[third].push((target, marks));
        }
        let case = Case::acceptance(graph, Strength::General);
        for seed in 0..150 * times() {
            case.check_named(Algorithm::Lowe, FaultPolicy::Ignore, 2, seed);
        }
    }
}

/// One worker is about to search the only accepting cycle red, from its accepting edge. Another one has left an accepting state
/// beside the cycle and searches that red. A third one comes by both: it must wait for both, not only for one of them, before
/// it paints the cycle red.
#[test]
fn a_worker_waits_for_all_accepting_states_that_it_meets() {
    let [first, before_mark, after_mark, second, third, last, side, beside, tail, end] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    let edges = [
        (first, before_mark, false),
        (first, beside, true),
        (first, side, true),
        (before_mark, after_mark, true),
        (after_mark, second, false),
        (second, third, false),
        (third, last, false),
        (last, before_mark, false),
        (side, beside, true),
        (side, third, false),
        (beside, tail, false),
        (tail, end, false),
    ];
    for before in 0..4 {
        let case = Case::acceptance(after_a_line(before, 10, &edges), Strength::General);
        for seed in 0..300 * times() {
            for algorithm in [Algorithm::Cndfs, Algorithm::Pndfs] {
                for workers in [3, 4] {
                    case.check_named(algorithm, FaultPolicy::Ignore, workers, seed);
                }
            }
        }
    }
}

/// Two workers search red behind the same accepting state, and each paints the state by which the other came: both wait to go on
/// from `join`, from where the cycle goes on. A third one comes late and finds everything behind the accepting state red. If it
/// painted that red at once, it would paint the rest of the cycle red as well, state by state, and nobody would find the cycle.
/// With a state beside it that is not red by itself, the third one searches red first.
#[test]
fn a_state_that_others_search_behind_is_not_painted_red() {
    let [first, before_mark, after_mark, left, right, join, last, beside] = [0, 1, 2, 3, 4, 5, 6, 7];
    let (way, detour) = (8, 16);
    for has_beside in [false, true] {
        let mut edges = vec![
            (first, before_mark, false),
            (first, last, false),
            (before_mark, after_mark, true),
            (after_mark, left, false),
            (after_mark, right, false),
            (left, join, false),
            (right, join, false),
            (join, left, false),
            (join, right, false),
            (last, before_mark, false),
        ];
        if has_beside {
            edges.extend([(after_mark, beside, false), (beside, beside, false)]);
        }
        // A long way to the end of the cycle, and a detour that makes a worker late.
        let mut line = |from: usize, begin: usize, length: usize| {
            edges.push((from, begin, false));
            edges.extend((begin + 1..begin + length).map(|node| (node - 1, node, false)));
            begin + length
        };
        let begin_of_detour = line(join, 8, way);
        let nodes = line(first, begin_of_detour, detour);
        edges.push((begin_of_detour - 1, last, false));
        for before in 0..4 {
            let case = Case::acceptance(after_a_line(before, nodes, &edges), Strength::General);
            // The first ones show a search that does not wait behind its seed, the others one that does not where all is red.
            for seed in (10..10 + 30 * times()).chain(595..615) {
                case.check_named(Algorithm::Pndfs, FaultPolicy::Ignore, 4, seed);
            }
        }
    }
}

/// One worker finds a violation at once, and beside it there is much to search: the others stop.
#[test]
fn all_stop_when_one_has_found_something() {
    let (nodes, seeds) = (400, 12);
    let mut graph = Graph::new(nodes, 1);
    graph.edges[0].extend([(0, Marks::one(0)), (1, Marks::NONE)]);
    for node in 1..nodes - 1 {
        graph.edges[node].push((node + 1, Marks::NONE));
    }
    let case = Case::acceptance(graph, Strength::General);
    for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_shared()) {
        if algorithm.objection(case.question).is_some() {
            continue;
        }
        let mut expansions = 0;
        for seed in 0..seeds {
            let (limits, mut silent) = (Limits::default(), Silent);
            let mut product = OnTheFly::new(&case.graph);
            let (outcome, _) = in_turns(seed, || {
                let mut control = Control::new(&limits, &mut silent);
                let policy = FaultPolicy::Ignore;
                run_shared(algorithm, case.question, &mut product, policy, &mut control, 3)
            });
            assert_eq!(outcome.verdict, Verdict::Violated, "{} with turns {seed}", algorithm.name());
            expansions += outcome.statistics.expansions;
        }
        assert!(expansions < seeds * nodes as u64 / 2, "{}: {expansions} expansions", algorithm.name());
    }
}

/// A search that waits for another one has states at hand that nobody has taken, and the other one comes by the same states. A
/// worker that begins at one of them must look whether it was the first to take it: no state is expanded by two.
#[test]
fn a_search_begins_at_a_state_that_nobody_has_taken() {
    let (first, other, middle, end, fan) = (0, 1, 2, 3, 8);
    let nodes = 4 + fan;
    let mut graph = Graph::new(nodes, 1);
    graph.initial = vec![first, other];
    graph.edges[first].push((middle, Marks::NONE));
    graph.edges[other].push((middle, Marks::NONE));
    for node in 4..nodes {
        graph.edges[first].push((node, Marks::NONE));
        graph.edges[middle].push((node, Marks::NONE));
        graph.edges[node].push((end, Marks::NONE));
    }
    let case = Case::acceptance(graph, Strength::General);
    for seed in 0..100 * times() {
        case.check_named(Algorithm::Lowe, FaultPolicy::Ignore, 2 + seed as usize % 2, seed);
    }
}
