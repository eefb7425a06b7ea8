//! From several acceptance sets to one, and from marks on edges to marks on states.
//!
//! Each component is treated by itself, with the sets it needs and in the order that serves it best: copies of
//! its states count which set is awaited next and skip sets that an edge satisfies on the way (Babiak et al.,
//! SPIN'13). Which copy a component is entered by is free, because finitely many letters never decide
//! acceptance; so only one bottom component of the copies is kept, the smallest.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::BddManager;
use crate::components::{ComponentKind, Components, components_of};
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// What a copy of a state remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counting {
    /// The next awaited set; marks on edges.
    Transitions,
    /// The same, and being past the last one; marks on states.
    States,
    /// The marks of the edge taken to get here; generalised marks on states.
    Arrivals,
}

struct Copy {
    state: u32,
    level: u32,
}

/// The automaton with one set (for [`Counting::Arrivals`]: as many sets) and the same language. `trivial`
/// tells which marks the states of state-based results that lie on no cycle get.
pub(crate) fn degeneralise(
    graph: &Graph,
    manager: &mut BddManager,
    counting: Counting,
    trivial: bool,
) -> Graph {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    let mut copies: Vec<Copy> = Vec::new();
    // The copies of each state, as a range of levels in the order of `copies`.
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut entry: Vec<u32> = vec![u32::MAX; graph.len()];
    let mut steps: Vec<Stepper> = Vec::new();
    for (component, kind) in kinds.iter().enumerate() {
        let stepper = match kind {
            ComponentKind::Mixed => best_stepper(graph, &components, component as u32, counting),
            _ => Stepper::default(),
        };
        for member in &components.members[component] {
            let levels: Vec<u32> = match kind {
                ComponentKind::Mixed => stepper
                    .kept
                    .iter()
                    .filter(|(state, _)| state == member)
                    .map(|(_, level)| *level)
                    .collect(),
                _ => vec![0],
            };
            for level in levels {
                let number = copies.len() as u32;
                if entry[*member as usize] == u32::MAX {
                    entry[*member as usize] = number;
                }
                numbers.insert((*member, level), number);
                copies.push(Copy { state: *member, level });
            }
        }
        steps.push(stepper);
    }
    let sets = if counting == Counting::Arrivals { graph.sets.max(1) } else { 1 };
    let full = Marks::all(sets);
    let mut states: Vec<Vec<GraphEdge>> = Vec::with_capacity(copies.len());
    for copy in &copies {
        let component = components.of[copy.state as usize] as usize;
        let stepper = &steps[component];
        let state_marks = match (kinds[component], counting) {
            (ComponentKind::Accepting, _) => full,
            (ComponentKind::Rejecting, _) => Marks::NONE,
            (ComponentKind::Trivial, _) => {
                if trivial {
                    full
                } else {
                    Marks::NONE
                }
            }
            (ComponentKind::Mixed, Counting::States) => Marks(stepper.is_accepting(copy) as u32),
            (ComponentKind::Mixed, _) => Marks(copy.level),
        };
        let edges = graph.states[copy.state as usize].iter().enumerate().map(|(index, edge)| {
            let inside = components.of[edge.target as usize] as usize == component;
            if !inside || kinds[component] != ComponentKind::Mixed {
                let marks =
                    if counting != Counting::Transitions || inside { state_marks } else { Marks::NONE };
                return GraphEdge { target: entry[edge.target as usize], marks, ..*edge };
            }
            let marks = stepper.marks(copy.state, index, edge);
            let (level, accepting) = stepper.step(counting, copy.level, marks);
            let target = numbers[&(edge.target, level)];
            let marks = if counting == Counting::Transitions { Marks(accepting as u32) } else { state_marks };
            GraphEdge { target, marks, ..*edge }
        });
        states.push(edges.collect());
    }
    let initial = entry[graph.initial as usize];
    let mut result = Graph { initial, states, sets, state_based: counting != Counting::Transitions };
    result.merge_edges(manager);
    result.renumber();
    result
}

/// How levels change inside one component, and which copies are kept.
#[derive(Default)]
struct Stepper {
    /// The accepting states, if they suffice and there is only one level.
    accepting: Option<Vec<u32>>,
    order: Vec<u32>,
    kept: Vec<(u32, u32)>,
    enriched: FxHashMap<(u32, usize), Marks>,
}

impl Stepper {
    fn is_accepting(&self, copy: &Copy) -> bool {
        match &self.accepting {
            Some(accepting) => accepting.contains(&copy.state),
            None => copy.level as usize == self.order.len(),
        }
    }

    fn marks(&self, state: u32, index: usize, edge: &GraphEdge) -> Marks {
        self.enriched.get(&(state, index)).copied().unwrap_or(edge.marks)
    }

    /// The level after an edge with these marks, and whether the edge completes a round.
    fn step(&self, counting: Counting, level: u32, marks: Marks) -> (u32, bool) {
        if self.accepting.is_some() {
            return (0, false);
        }
        let count = self.order.len() as u32;
        let advance = |mut level: u32| {
            while level < count && marks.contains(self.order[level as usize]) {
                level += 1;
            }
            level
        };
        match counting {
            Counting::Arrivals => (marks.0, false),
            Counting::States => (advance(if level == count { 0 } else { level }), false),
            Counting::Transitions => match advance(level) {
                reached if reached < count => (reached, false),
                _ => (advance(0) % count.max(1), true),
            },
        }
    }

    /// The smallest bottom component of the copies reachable from level 0 of the component's first state.
    fn keep_smallest(&mut self, graph: &Graph, components: &Components, component: u32, counting: Counting) {
        let mut copies = vec![(components.members[component as usize][0], 0)];
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        numbers.insert(copies[0], 0);
        let mut successors: Vec<Vec<u32>> = Vec::new();
        while successors.len() < copies.len() {
            let (state, level) = copies[successors.len()];
            let mut targets = Vec::new();
            for (index, edge) in graph.states[state as usize].iter().enumerate() {
                if components.of[edge.target as usize] == component {
                    let (level, _) = self.step(counting, level, self.marks(state, index, edge));
                    targets.push(*numbers.entry((edge.target, level)).or_insert_with(|| {
                        copies.push((edge.target, level));
                        copies.len() as u32 - 1
                    }));
                }
            }
            successors.push(targets);
        }
        let parts = components_of(copies.len(), [0], |copy| successors[copy as usize].iter().copied());
        let bottom = |part: &&Vec<u32>| {
            part.iter()
                .flat_map(|copy| &successors[*copy as usize])
                .all(|target| parts.of[*target as usize] == parts.of[part[0] as usize])
        };
        let smallest = parts.members.iter().filter(bottom).min_by_key(|part| part.len());
        let mut kept: Vec<(u32, u32)> =
            smallest.map_or(Vec::new(), |part| part.iter().map(|copy| copies[*copy as usize]).collect());
        kept.sort_unstable();
        self.kept = kept;
    }
}

fn best_stepper(graph: &Graph, components: &Components, component: u32, counting: Counting) -> Stepper {
    if counting == Counting::States
        && let Some(stepper) = state_labelling(graph, components, component)
    {
        return stepper;
    }
    let enrichments: &[Enrichment] = match counting {
        Counting::Transitions => &[Enrichment::None],
        _ => &[Enrichment::None, Enrichment::Continuations, Enrichment::Both],
    };
    let candidates = enrichments.iter().map(|enrichment| {
        let enriched = enrich(graph, components, component, *enrichment);
        best_order(graph, components, component, counting, enriched)
    });
    let best = candidates.min_by_key(|stepper| stepper.kept.len());
    best.unwrap_or_else(Stepper::default)
}

fn best_order(
    graph: &Graph,
    components: &Components,
    component: u32,
    counting: Counting,
    enriched: FxHashMap<(u32, usize), Marks>,
) -> Stepper {
    let sets = components.needed_sets(graph, component);
    let orders = match (counting, sets.len()) {
        (Counting::Arrivals, _) | (_, 0 | 1) => vec![sets],
        (_, count) if count <= limits::ALL_ORDERS => permutations(&sets),
        (_, count) => (0..count)
            .map(|shift| {
                let mut order = sets.clone();
                order.rotate_left(shift);
                order
            })
            .collect(),
    };
    let candidates = orders.into_iter().map(|order| {
        let mut stepper = Stepper { order, enriched: enriched.clone(), ..Stepper::default() };
        stepper.keep_smallest(graph, components, component, counting);
        stepper
    });
    let best = candidates.min_by_key(|stepper| stepper.kept.len());
    best.unwrap_or_else(Stepper::default)
}

/// Accepting states that describe the component's acceptance without copying any state, if there are such.
///
/// A state may be accepting if all cycles through it are, so the largest candidate is the set of all those
/// states; it does if no accepting cycle avoids it.
fn state_labelling(graph: &Graph, components: &Components, component: u32) -> Option<Stepper> {
    let members = &components.members[component as usize];
    let inside = |edge: &&GraphEdge| components.of[edge.target as usize] == component;
    let mut accepting: Vec<u32> = members.clone();
    for set in 0..graph.sets {
        let missing = components_of(graph.len(), members.iter().copied(), |state| {
            let edges = graph.states[state as usize].iter().filter(inside);
            edges.filter(move |edge| !edge.marks.contains(set)).map(|edge| edge.target)
        });
        accepting.retain(|state| {
            let alone = missing.members[missing.of[*state as usize] as usize].len() == 1;
            let edges = &mut graph.states[*state as usize].iter();
            alone && !edges.any(|edge| edge.target == *state && !edge.marks.contains(set))
        });
    }
    let mut remaining = graph.clone();
    for state in 0..graph.len() as u32 {
        let kept = |state: u32| components.of[state as usize] == component && !accepting.contains(&state);
        remaining.states[state as usize].retain(|edge| kept(state) && kept(edge.target));
    }
    let parts = components_of(remaining.len(), members.iter().copied(), |state| {
        remaining.states[state as usize].iter().map(|edge| edge.target)
    });
    let kinds = parts.kinds(&remaining);
    if kinds.iter().any(|kind| matches!(kind, ComponentKind::Accepting | ComponentKind::Mixed)) {
        return None;
    }
    Some(Stepper {
        kept: members.iter().map(|member| (*member, 0)).collect(),
        accepting: Some(accepting),
        ..Stepper::default()
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Enrichment {
    None,
    Continuations,
    Both,
}

/// Marks that all continuations of an edge carry are as good on the edge itself, and so are those of all ways
/// to its source: a cycle meets them as often.
fn enrich(
    graph: &Graph,
    components: &Components,
    component: u32,
    enrichment: Enrichment,
) -> FxHashMap<(u32, usize), Marks> {
    let members = &components.members[component as usize];
    let inside = |edge: &GraphEdge| components.of[edge.target as usize] == component;
    let mut marks: FxHashMap<(u32, usize), Marks> = FxHashMap::default();
    for state in members {
        for (index, edge) in graph.states[*state as usize].iter().enumerate().filter(|(_, edge)| inside(edge))
        {
            marks.insert((*state, index), edge.marks);
        }
    }
    if enrichment == Enrichment::None {
        return marks;
    }
    loop {
        let mut outgoing: FxHashMap<u32, Marks> = FxHashMap::default();
        let mut incoming: FxHashMap<u32, Marks> = FxHashMap::default();
        for ((state, index), value) in &marks {
            let target = graph.states[*state as usize][*index].target;
            let entry = outgoing.entry(*state).or_insert(*value);
            *entry = entry.intersection(*value);
            let entry = incoming.entry(target).or_insert(*value);
            *entry = entry.intersection(*value);
        }
        let mut changed = false;
        for ((state, index), value) in &mut marks {
            let target = graph.states[*state as usize][*index].target;
            let mut richer = value.union(outgoing[&target]);
            if enrichment == Enrichment::Both {
                richer = richer.union(incoming[state]);
            }
            changed |= richer != *value;
            *value = richer;
        }
        if !changed {
            return marks;
        }
    }
}

fn permutations(items: &[u32]) -> Vec<Vec<u32>> {
    let mut result = vec![Vec::new()];
    for item in items {
        let mut longer = Vec::new();
        for order in &result {
            for place in 0..=order.len() {
                let mut extended: Vec<u32> = order.clone();
                extended.insert(place, *item);
                longer.push(extended);
            }
        }
        result = longer;
    }
    result
}
