//! Explicit graphs as products, and random ones of many shapes.

use std::sync::Arc;

use store::ThawError;
use store::sync::{Mutex, MutexGuard, yield_now};

use search::{
    Edge, Expansion, Fault, FaultClass, FaultKind, Frozen, Halt, Lasso, Marks, Path, Product, Shared,
    StateId, Step,
};

/// A small generator of pseudo-random numbers (splitmix64), so that a failing case can be named by its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x1234_5678)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A graph with everything a product has. Its nodes are numbered by whoever builds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) sets: u32,
    pub(crate) initial: Vec<usize>,
    pub(crate) edges: Vec<Vec<(usize, Marks)>>,
    pub(crate) faults: Vec<Vec<Fault>>,
    pub(crate) is_sink: Vec<bool>,
}

impl Graph {
    pub(crate) fn new(nodes: usize, sets: u32) -> Self {
        Graph {
            sets,
            initial: vec![0],
            edges: vec![Vec::new(); nodes],
            faults: vec![Vec::new(); nodes],
            is_sink: vec![false; nodes],
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.edges.len()
    }
}

/// A graph searched on the fly: states are numbered in the order of their discovery, by whichever worker.
pub(crate) struct OnTheFly<'a> {
    graph: &'a Graph,
    numbers: Arc<Mutex<Numbers>>,
    /// Lets others go on now and then, where there are others.
    random: Option<Random>,
}

struct Numbers {
    node_of: Vec<usize>,
    state_of: Vec<Option<StateId>>,
}

impl Numbers {
    fn intern(&mut self, node: usize) -> (StateId, bool) {
        let known = self.node_of.len();
        let state = *self.state_of[node].get_or_insert_with(|| {
            self.node_of.push(node);
            StateId(self.node_of.len() as u32 - 1)
        });
        (state, self.node_of.len() > known)
    }
}

impl<'a> OnTheFly<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        let numbers = Numbers { node_of: Vec::new(), state_of: vec![None; graph.nodes()] };
        OnTheFly { graph, numbers: Arc::new(Mutex::new(numbers)), random: None }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().expect("nobody panics")
    }
}

impl Product for OnTheFly<'_> {
    fn acceptance_sets(&self) -> u32 {
        self.graph.sets
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        let mut numbers = self.numbers();
        Ok(self.graph.initial.iter().map(|&node| numbers.intern(node).0).collect())
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        if self.random.as_mut().is_some_and(|random| random.chance(3)) {
            yield_now();
        }
        let mut numbers = self.numbers();
        let node = numbers.node_of[state.index()];
        for &(target, marks) in &self.graph.edges[node] {
            let (target, is_new) = numbers.intern(target);
            out.edges.push(Edge { target, marks, is_new });
        }
        out.faults.extend_from_slice(&self.graph.faults[node]);
        out.accepting_sink = self.graph.is_sink[node];
        Ok(())
    }

    fn stored(&self) -> usize {
        self.numbers().node_of.len()
    }

    fn memory_bytes(&self) -> usize {
        self.stored() * 8
    }

    fn freeze(&mut self) -> Option<Box<dyn Frozen>> {
        Some(Box::new(FrozenNodes(self.numbers().node_of.clone())))
    }

    fn thaw(&mut self, from: &mut dyn std::io::Read) -> Result<(), ThawError> {
        let mut nodes = Vec::new();
        from.read_to_end(&mut nodes)?;
        for node in nodes.as_chunks::<8>().0 {
            self.numbers().intern(u64::from_le_bytes(*node) as usize);
        }
        Ok(())
    }
}

/// The nodes that were discovered, in their order.
struct FrozenNodes(Vec<usize>);

impl Frozen for FrozenNodes {
    fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.0.iter().try_for_each(|node| out.write_all(&(*node as u64).to_le_bytes()))
    }
}

impl Shared for OnTheFly<'_> {
    fn another(&mut self) -> Result<Self, Halt> {
        let seed = Arc::strong_count(&self.numbers) as u64 * 77 + self.graph.nodes() as u64;
        self.random.get_or_insert_with(|| Random::new(seed));
        let random = Some(Random::new(seed + 1));
        Ok(OnTheFly { graph: self.graph, numbers: Arc::clone(&self.numbers), random })
    }
}

/// The nodes of a random graph, unless a test asks for fewer.
pub(crate) const MOST_NODES: usize = 60;

/// A random graph without marks: one of several shapes, of one to so many nodes.
fn shape(random: &mut Random, sets: u32, most_nodes: usize) -> Graph {
    let nodes = 1 + random.below(most_nodes);
    let mut graph = Graph::new(nodes, sets);
    let mut link = |from: usize, to: usize| graph.edges[from].push((to, Marks::NONE));
    match random.below(6) {
        // Any edges, sparse to dense.
        0 | 1 => {
            let edges = nodes * (1 + random.below(4)) * (1 + random.below(3)) / 2;
            for _ in 0..edges {
                link(random.below(nodes), random.below(nodes));
            }
        }
        // Nearly acyclic: forward edges and a few back edges.
        2 => {
            for _ in 0..nodes * (1 + random.below(3)) {
                let (one, other) = (random.below(nodes), random.below(nodes));
                link(one.min(other), one.max(other));
            }
            for _ in 0..random.below(4) {
                link(random.below(nodes), random.below(nodes));
            }
        }
        // A chain of rings: many components.
        3 => {
            let ring = 1 + random.below(5);
            for node in 0..nodes {
                let first = node / ring * ring;
                let last = (first + ring).min(nodes) - 1;
                if node < last {
                    link(node, node + 1);
                } else if random.chance(70) {
                    link(node, first);
                }
                if node + ring < nodes && (node == first || random.chance(20)) {
                    link(node, node + ring);
                }
            }
        }
        // A long line with chords back and forth.
        4 => {
            for node in 1..nodes {
                link(node - 1, node);
            }
            for _ in 0..random.below(nodes + 1) {
                let from = random.below(nodes);
                link(from, from.saturating_sub(random.below(6)));
            }
        }
        // A tree with leaves that lead back up, and parallel edges.
        _ => {
            for node in 1..nodes {
                let parent = random.below(node);
                link(parent, node);
                if random.chance(10) {
                    link(parent, node);
                }
                if random.chance(15) {
                    link(node, random.below(node + 1));
                }
            }
        }
    }
    if random.chance(20) {
        for _ in 0..random.below(4) {
            graph.initial.push(random.below(nodes));
        }
    }
    for edges in &mut graph.edges {
        for position in (1..edges.len()).rev() {
            edges.swap(position, random.below(position + 1));
        }
    }
    graph
}

/// A random graph whose edges are marked at random, with up to `most_sets` acceptance sets.
pub(crate) fn general(seed: u64, most_sets: u32, most_nodes: usize) -> Graph {
    let mut random = Random::new(seed);
    let sets = random.below(most_sets as usize + 1) as u32;
    let mut graph = shape(&mut random, sets, most_nodes);
    let percent = [2, 5, 15, 40][random.below(4)];
    for (_, marks) in graph.edges.iter_mut().flatten() {
        for set in 0..sets {
            if random.chance(percent) {
                *marks = marks.union(Marks::one(set));
            }
        }
    }
    graph
}

/// A random graph that is weak: inside a component all edges bear all marks or none does; between components
/// they bear anything.
pub(crate) fn weak(seed: u64, most_nodes: usize) -> Graph {
    let mut random = Random::new(seed);
    let sets = random.below(3) as u32;
    let mut graph = shape(&mut random, sets, most_nodes);
    let reaches = reachability(&graph);
    let percent = [3, 10, 30][random.below(3)];
    let is_accepting: Vec<bool> = (0..graph.nodes()).map(|_| random.chance(percent)).collect();
    for node in 0..graph.nodes() {
        for position in 0..graph.edges[node].len() {
            let target = graph.edges[node][position].0;
            let is_inner = reaches[target][node];
            // The smallest member stands for the component.
            let representative = (0..graph.nodes())
                .find(|&other| other == node || reaches[node][other] && reaches[other][node]);
            let marked =
                if is_inner { is_accepting[representative.unwrap_or(node)] } else { random.chance(50) };
            graph.edges[node][position].1 = if marked { Marks::all(sets) } else { Marks::NONE };
        }
    }
    graph
}

/// A random graph in which everything depends on few edges: of those inside of components at most one bears the mark of each
/// set, most often in the same component, and those between components, which do not count, bear any. Whoever loses a mark,
/// or looks away once too often, misses the only accepting cycle.
pub(crate) fn critical(seed: u64, most_sets: u32, most_nodes: usize) -> Graph {
    let mut random = Random::new(seed);
    let sets = 1 + random.below(most_sets as usize) as u32;
    let mut graph = shape(&mut random, sets, most_nodes);
    let reaches = reachability(&graph);
    let percent = [0, 30, 60, 100][random.below(4)];
    let mut inner = Vec::new();
    for (node, edges) in graph.edges.iter_mut().enumerate() {
        for (position, (target, marks)) in edges.iter_mut().enumerate() {
            if reaches[*target][node] {
                inner.push((node, position));
            } else if random.chance(percent) {
                *marks = Marks::all(sets);
            }
        }
    }
    if inner.is_empty() {
        return graph;
    }
    let home = inner[random.below(inner.len())].0;
    let around: Vec<(usize, usize)> = inner
        .iter()
        .copied()
        .filter(|&(node, _)| node == home || reaches[home][node] && reaches[node][home])
        .collect();
    for set in 0..sets {
        let from = if random.chance(80) { &around } else { &inner };
        let (node, position) = from[random.below(from.len())];
        if random.chance(85) {
            let marks = &mut graph.edges[node][position].1;
            *marks = marks.union(Marks::one(set));
        }
    }
    graph
}

/// A random graph that is terminal: no marks, but for some sinks that go on among themselves with all marks.
pub(crate) fn terminal(seed: u64, most_nodes: usize) -> Graph {
    let mut random = Random::new(seed);
    let sets = 1 + random.below(2) as u32;
    let mut graph = shape(&mut random, sets, most_nodes);
    let plain = graph.nodes();
    let sinks = random.below(4);
    for sink in plain..plain + sinks {
        graph.edges.push(Vec::new());
        graph.faults.push(Vec::new());
        graph.is_sink.push(true);
        for _ in 0..1 + random.below(2) {
            graph.edges[sink].push((plain + random.below(sinks), Marks::all(sets)));
        }
        let from = random.below(plain);
        graph.edges[from].push((sink, Marks::NONE));
    }
    graph
}

/// A random graph with faults of a few kinds on states and edges.
pub(crate) fn faulty(seed: u64, most_nodes: usize) -> Graph {
    let mut random = Random::new(seed);
    let mut graph = shape(&mut random, 0, most_nodes);
    let percent = [0, 2, 10][random.below(3)];
    for node in 0..graph.nodes() {
        if random.chance(percent) {
            let code = random.below(2) as u32;
            let kind = FaultKind { class: FaultClass::InvalidEndState, code };
            graph.faults[node].push(Fault { kind, edge: None });
        }
        for edge in 0..graph.edges[node].len() as u32 {
            if random.chance(percent) {
                let kind = FaultKind { class: FaultClass::Assertion, code: random.below(3) as u32 };
                graph.faults[node].push(Fault { kind, edge: Some(edge) });
            }
        }
    }
    graph
}

/// Which node reaches which over at least one edge, by the definition.
fn reachability(graph: &Graph) -> Vec<Vec<bool>> {
    let nodes = graph.nodes();
    let mut reaches = vec![vec![false; nodes]; nodes];
    for (from, row) in reaches.iter_mut().enumerate() {
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            for &(target, _) in &graph.edges[node] {
                if !row[target] {
                    row[target] = true;
                    waiting.push(target);
                }
            }
        }
    }
    reaches
}

/// Checks that steps are edges of the product, each beginning where the one before it ends; gives the marks
/// on the way.
pub(crate) fn follow(product: &mut OnTheFly<'_>, start: StateId, steps: &[Step]) -> (StateId, Marks) {
    let mut out = Expansion::new();
    let mut here = start;
    let mut marks = Marks::NONE;
    for step in steps {
        assert_eq!(step.source, here, "a step begins where the one before ends");
        product.expand(here, &mut out).expect("no limit");
        let edge = out.edges[step.edge as usize];
        assert_eq!((edge.target, edge.marks), (step.target, step.marks), "the step is an edge");
        marks = marks.union(step.marks);
        here = step.target;
    }
    (here, marks)
}

pub(crate) fn check_path(product: &mut OnTheFly<'_>, path: &Path) {
    assert!(product.initial().expect("no limit").contains(&path.start), "a path begins at an initial state");
    let (end, _) = follow(product, path.start, &path.steps);
    assert_eq!(end, path.end());
}

pub(crate) fn check_lasso(product: &mut OnTheFly<'_>, lasso: &Lasso) {
    check_path(product, &lasso.stem);
    assert!(!lasso.cycle.is_empty(), "a cycle has an edge");
    let (end, marks) = follow(product, lasso.stem.end(), &lasso.cycle);
    assert_eq!(end, lasso.stem.end(), "the cycle is closed");
    assert!(marks.covers(Marks::all(product.acceptance_sets())), "the cycle bears all marks");
}
