//! Random models full of atomic sequences, d_steps and loops that may not end, judged by definition.
//!
//! The oracle walks the unreduced model with the reference interpreter, statement by statement, and guesses
//! whenever an atomic sequence begins whether it will ever end. If so, nobody sees its states, and it must
//! end; if not, all of them are seen, and it must not. Fairness is taken by its definition: a process moves
//! again and again, or again and again could not. Every way to check must give the same answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use promela::lower::{Optimisations, lower};
use search::Algorithm;
use session::{CheckOptions, PartialOrder, Reductions};
use temporal::{AcceptanceKind, Automaton, FormulaStore};
use testing::Random;
use transition::interpret::{Interpreter, Move, State};
use transition::model::Fault;
use verdict::{Silent, Verdict};

/// Over `p` (`x == 1`) and `q` (`y == 1`), the first two variables of every model.
const FORMULAS: &[&str] = &[
    "[] !p",
    "<> p",
    "[] <> p",
    "<> [] p",
    "[] (p -> <> q)",
    "p U q",
    "[] <> p -> [] <> q",
    "[] (q -> [] q)",
];

// ---- models -------------------------------------------------------------------------------------------

#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    in_loop: bool,
    in_step: bool,
}

fn simple(random: &mut Random, place: Place) -> String {
    if place.in_loop && random.below(5) == 0 {
        return "break".to_string();
    }
    if !place.in_step && random.below(8) == 0 {
        return random.word(&["r!1", "r?t", "c!1", "c?t", "y == 1", "x != y"]).to_string();
    }
    let texts = ["x = 1 - x", "x = 0", "x = 1", "y = 1 - y", "y = x", "t = 1 - t", "x = t", "skip", "t = 0"];
    random.word(&texts).to_string()
}

fn statement(random: &mut Random, place: Place) -> String {
    let inner = Place { depth: place.depth.saturating_sub(1), ..place };
    if place.depth == 0 {
        return simple(random, place);
    }
    match random.below(10) {
        0 | 1 => format!("do {} od", options(random, Place { in_loop: true, ..inner })),
        2 => format!("if {} fi", options(random, inner)),
        3 | 4 if !place.in_step => format!("atomic {{ {} }}", sequence(random, inner)),
        5 => format!("d_step {{ {} }}", sequence(random, Place { in_loop: false, in_step: true, ..inner })),
        6 if !place.in_step => {
            format!(
                "{{ {} }} unless {{ {} }}",
                sequence(random, inner),
                random.word(&["t == 1", "x == 1", "y == 1"])
            )
        }
        _ => simple(random, place),
    }
}

fn options(random: &mut Random, place: Place) -> String {
    let count = 1 + random.below(3);
    let mut texts = Vec::new();
    for _ in 0..count {
        let guard = random.word(&["", "x == 1 -> ", "y == 0 -> ", "t == 0 -> ", "true -> "]);
        texts.push(format!(":: {guard}{}", sequence(random, place)));
    }
    if random.below(3) == 0 {
        texts.push(if place.in_loop { ":: else -> break" } else { ":: else" }.to_string());
    }
    texts.join(" ")
}

fn sequence(random: &mut Random, place: Place) -> String {
    let count = 1 + random.below(3);
    (0..count).map(|_| statement(random, place)).collect::<Vec<_>>().join("; ")
}

fn model(random: &mut Random) -> String {
    let mut text = "#define p (x == 1)\n#define q (y == 1)\n\
        bit x, y; chan r = [0] of { bit }; chan c = [1] of { bit };\n"
        .to_string();
    for name in ["A", "B"].iter().take(1 + random.below(2)) {
        let place = Place { depth: 3, in_loop: false, in_step: false };
        let mut body = sequence(random, place);
        if random.below(2) == 0 {
            body = format!("atomic {{ {body}; {} }}", statement(random, Place { depth: 2, ..place }));
        }
        if random.below(3) == 0 {
            body = format!("do :: {body} od");
        }
        text.push_str(&format!("active proctype {name}() {{ bit t; {body} }}\n"));
    }
    for (index, formula) in FORMULAS.iter().enumerate() {
        text.push_str(&format!("ltl f{index} {{ {formula} }}\n"));
    }
    text
}

// ---- the oracle ---------------------------------------------------------------------------------------

/// Who sees a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Mode {
    Ordinary,
    /// Inside a sequence that will end.
    Hidden(u8),
    /// Inside a sequence that will not.
    Seen(u8),
}

/// The states of the model that this many suffice for; larger models are left out.
const MOST_STATES: usize = 4000;

struct Graph {
    /// Target and fairness marks.
    edges: Vec<Vec<(usize, u64)>>,
    letters: Vec<u64>,
    modes: Vec<Mode>,
}

fn movers(found: &Move) -> u64 {
    1 << found.step.mover.pid | found.step.partner.map_or(0, |partner| 1 << partner.pid)
}

/// The model's runs; nothing where there are too many states.
fn explore(interpreter: Interpreter<'_>) -> Option<Graph> {
    let mut numbers: HashMap<(State, Mode), usize> = HashMap::new();
    let mut states = vec![(interpreter.initial().ok()?, Mode::Ordinary)];
    numbers.insert(states[0].clone(), 0);
    let mut graph = Graph { edges: Vec::new(), letters: Vec::new(), modes: Vec::new() };
    while graph.edges.len() < states.len() {
        let (state, mode) = states[graph.edges.len()].clone();
        let holder = match mode {
            Mode::Ordinary => None,
            Mode::Hidden(pid) | Mode::Seen(pid) => Some(pid),
        };
        let moves = interpreter.moves(&state, holder);
        let executable = moves.iter().fold(0, |all, found| all | movers(found));
        let resting = match mode {
            Mode::Ordinary => !executable,
            Mode::Hidden(_) => 0,
            Mode::Seen(pid) => !(1 << pid),
        };
        let mut targets: Vec<((State, Mode), u64)> = Vec::new();
        for found in &moves {
            let Some(after) = &found.state else { continue };
            let marks = movers(found) | resting;
            let mut add = |mode| targets.push(((after.clone(), mode), marks));
            let never_ends = found.fault == Some(Fault::StepDoesNotEnd);
            match (mode, found.exclusive) {
                (Mode::Seen(_), None) => {}
                (_, None) => add(Mode::Ordinary),
                (Mode::Ordinary, Some(pid)) => {
                    add(Mode::Seen(pid));
                    if !never_ends {
                        add(Mode::Hidden(pid));
                    }
                }
                (Mode::Hidden(_), Some(pid)) if !never_ends => add(Mode::Hidden(pid)),
                (Mode::Hidden(_), Some(_)) => {}
                (Mode::Seen(_), Some(pid)) => add(Mode::Seen(pid)),
            }
        }
        match mode {
            Mode::Hidden(_) if moves.is_empty() => targets.push(((state.clone(), Mode::Ordinary), 0)),
            _ => {}
        }
        let mut edges = Vec::new();
        for (target, marks) in targets {
            let number = *numbers.entry(target.clone()).or_insert_with(|| {
                states.push(target);
                states.len() - 1
            });
            edges.push((number, marks));
        }
        graph.edges.push(edges);
        graph.letters.push(u64::from(state.globals[0] == 1) | u64::from(state.globals[1] == 1) << 1);
        graph.modes.push(mode);
        if states.len() > MOST_STATES {
            return None;
        }
    }
    for node in 0..graph.edges.len() {
        if graph.modes[node] == Mode::Ordinary && stops(&graph, node) {
            graph.edges[node].push((node, u64::MAX));
        }
    }
    Some(graph)
}

/// Does every run end here? Nothing can move, or all that can ends in an error before anybody sees more.
fn stops(graph: &Graph, node: usize) -> bool {
    let mut reached = vec![node];
    let mut next = 0;
    while let Some(at) = reached.get(next).copied() {
        next += 1;
        for (target, _) in &graph.edges[at] {
            if graph.modes[*target] == Mode::Ordinary {
                return false;
            }
            if !reached.contains(target) {
                reached.push(*target);
            }
        }
    }
    // Whoever can stay inside for ever is left when those that cannot go on are taken away.
    let mut left: Vec<usize> =
        reached.into_iter().filter(|at| matches!(graph.modes[*at], Mode::Seen(_))).collect();
    loop {
        let can_go_on = |at: &usize| graph.edges[*at].iter().any(|(target, _)| left.contains(target));
        let staying: Vec<usize> = left.iter().copied().filter(can_go_on).collect();
        if staying.len() == left.len() {
            return staying.is_empty();
        }
        left = staying;
    }
}

/// Has the graph a run that the automaton accepts?
fn accepts(graph: &Graph, automaton: &Automaton, fair: bool) -> bool {
    let bit = |name: &str| u64::from(name == "q");
    let letter = |letter: u64| {
        let propositions = automaton.propositions.iter().enumerate();
        propositions.fold(0, |all, (index, name)| all | (letter >> bit(name) & 1) << index)
    };
    // Nodes of the product in order of discovery; an edge has a target, the automaton's marks, those of
    // fairness, and whether the automaton moved.
    let mut numbers: HashMap<(usize, u32), usize> = HashMap::from([((0, automaton.initial), 0)]);
    let mut nodes = vec![(0, automaton.initial)];
    let mut edges: Vec<Vec<(usize, u64, u64, bool)>> = Vec::new();
    while edges.len() < nodes.len() {
        let (at, state) = nodes[edges.len()];
        let moves: Vec<(u32, u64, bool)> = match graph.modes[at] {
            Mode::Hidden(_) => vec![(state, 0, false)],
            _ => automaton
                .successors(state, letter(graph.letters[at]))
                .map(|edge| (edge.target, u64::from(edge.marks.0), true))
                .collect(),
        };
        let mut here = Vec::new();
        for (target, fairness) in &graph.edges[at] {
            for (next, marks, moved) in &moves {
                let number = *numbers.entry((*target, *next)).or_insert_with(|| {
                    nodes.push((*target, *next));
                    nodes.len() - 1
                });
                here.push((number, *marks, *fairness, *moved));
            }
        }
        edges.push(here);
    }
    let all = if automaton.sets == 0 { 0 } else { u64::MAX >> (64 - automaton.sets) };
    let component = components(&edges);
    let mut found: HashMap<usize, (u64, u64, bool)> = HashMap::new();
    for (from, here) in edges.iter().enumerate() {
        for (to, marks, fairness, moved) in here {
            if component[from] == component[*to] {
                let entry = found.entry(component[from]).or_default();
                *entry = (entry.0 | marks, entry.1 | fairness, entry.2 | moved);
            }
        }
    }
    found
        .values()
        .any(|(marks, fairness, moved)| *moved && marks & all == all && (!fair || fairness & 0xff == 0xff))
}

/// The number of each node's strongly connected component (Kosaraju).
fn components(edges: &[Vec<(usize, u64, u64, bool)>]) -> Vec<usize> {
    let mut backwards: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, here) in edges.iter().enumerate() {
        for (to, ..) in here {
            backwards[*to].push(from);
        }
    }
    let forwards: Vec<Vec<usize>> =
        edges.iter().map(|here| here.iter().map(|edge| edge.0).collect()).collect();
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    for root in 0..edges.len() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((at, next)) = stack.last_mut() {
            match forwards[*at].get(*next) {
                Some(to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*to], true) {
                        stack.push((*to, 0));
                    }
                }
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; edges.len()];
    for root in order.into_iter().rev() {
        let mut stack = vec![root];
        while let Some(at) = stack.pop() {
            if component[at] == usize::MAX {
                component[at] = root;
                stack.extend(&backwards[at]);
            }
        }
    }
    component
}

// ---- the comparison -----------------------------------------------------------------------------------

fn options_of(way: (PartialOrder, bool), algorithm: Option<Algorithm>, weak_fairness: bool) -> CheckOptions {
    CheckOptions {
        algorithm,
        reductions: Reductions { partial_order: way.0, optimise: way.1 },
        all_errors: true,
        weak_fairness,
        ..CheckOptions::default()
    }
}

fn program(path: &Path) -> Option<promela::resolve::Program> {
    let (options, mut map) = (promela::Options::default(), source::SourceMap::default());
    promela::load(path.to_str()?, &session::Disk, &options, &mut map).0
}

/// What each formula should be, unfairly and fairly; nothing where the model is not read or too large.
fn expected(path: &Path) -> Option<[Vec<bool>; 2]> {
    let program = program(path)?;
    let lowered = lower(&program, Optimisations::NONE, &[]).ok()?;
    let graph = explore(Interpreter::new(&lowered.model))?;
    let holds = |fair: bool| {
        let verdict = |text: &&str| {
            let mut store = FormulaStore::with_propositions(["p", "q"]);
            let (formula, _) = temporal::parse(&mut store, source::FileId(0), text, temporal::Dialect::Spin);
            let negation = store.not(formula);
            let automaton = temporal::translate(&mut store, negation, AcceptanceKind::Tgba);
            automaton.is_ok_and(|automaton| !accepts(&graph, &automaton, fair))
        };
        FORMULAS.iter().map(verdict).collect()
    };
    Some([holds(false), holds(true)])
}

fn compare(path: &Path, text: &str, expected: &[Vec<bool>; 2], number: u64) {
    let algorithms = [Algorithm::NestedDfs, Algorithm::SetBasedScc, Algorithm::WeakDfs, Algorithm::Bfs];
    let other = algorithms[(number % 4) as usize];
    let ways = [
        ((PartialOrder::Inside, true), None, false),
        ((PartialOrder::Inside, true), Some(other), false),
        ((PartialOrder::Sticky, true), None, false),
        ((PartialOrder::Off, false), None, false),
        ((PartialOrder::Off, true), Some(other), false),
        ((PartialOrder::Inside, true), None, true),
        ((PartialOrder::Off, false), None, true),
    ];
    for (way, algorithm, fair) in ways {
        let checked = match session::check(path, &options_of(way, algorithm, fair), &mut Silent) {
            Ok(checked) => checked,
            Err(failure) => panic!("{:?} {:?}\n{text}", failure.message, failure.diagnostics),
        };
        for property in checked.report.properties {
            if let Verdict::Unknown(reason) = &property.verdict {
                panic!("{}: {reason}, {way:?} {algorithm:?} fair {fair}\n{text}", property.name);
            }
            let Some(index) = property.name.strip_prefix('f').and_then(|n| n.parse::<usize>().ok()) else {
                continue;
            };
            let wanted = if expected[usize::from(fair)][index] { Verdict::Holds } else { Verdict::Violated };
            assert_eq!(
                property.verdict, wanted,
                "{} ({}), {way:?} {algorithm:?} fair {fair}\n{text}",
                property.name, FORMULAS[index]
            );
        }
    }
}

/// How many models are tried unless `PROBITY_MODELS` says it.
fn usual_models() -> u64 {
    if std::env::var_os("PROBITY_SLOW_TESTS").is_some() { 300 } else { 30 }
}

/// Half of the random models: each is searched in many ways, by one thread, so the halves run side by side.
fn half(number: u64) {
    let asked = std::env::var("PROBITY_MODELS").ok().and_then(|text| text.parse().ok());
    let models = asked.unwrap_or_else(usual_models).div_ceil(2);
    let seed = std::env::var("PROBITY_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    let mut random = Random::new(2 * seed + number);
    let name = format!("probity-oracle-{}-{number}.pml", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    let mut compared = 0;
    for number in 0..models {
        let text = model(&mut random);
        if let Err(error) = std::fs::write(&path, &text) {
            panic!("the model cannot be written: {error}");
        }
        let Some(expected) = expected(&path) else { continue };
        compare(&path, &text, &expected, number);
        compared += 1;
    }
    let _ = std::fs::remove_file(&path);
    assert!(compared * 3 > models, "only {compared} of {models} models were compared");
}

#[test]
fn random_models_agree_with_the_definition() {
    half(0);
}

#[test]
fn more_random_models_agree_with_the_definition() {
    half(1);
}
