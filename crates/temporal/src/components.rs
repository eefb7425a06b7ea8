//! Strongly connected components, and what each of them means for acceptance.
//!
//! Tarjan's algorithm with an explicit stack. Components are numbered so that every edge between two of them
//! leads from a larger number to a smaller one.

use crate::automaton::Marks;
use crate::symbolic::Graph;

pub(crate) struct Components {
    /// The component of each state.
    pub(crate) of: Vec<u32>,
    pub(crate) members: Vec<Vec<u32>>,
}

/// Components of the part of a graph on `count` nodes that is reachable from the roots.
///
/// Unreachable nodes get the component `u32::MAX`.
pub(crate) fn components_of<I: Iterator<Item = u32>>(
    count: usize,
    roots: impl IntoIterator<Item = u32>,
    successors: impl Fn(u32) -> I,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut of = vec![u32::MAX; count];
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut next_order = 0;
    for root in roots {
        if order[root as usize] != UNSEEN {
            continue;
        }
        order[root as usize] = next_order;
        low[root as usize] = next_order;
        next_order += 1;
        open.push(root);
        let mut stack = vec![(root, successors(root))];
        while let Some((state, edges)) = stack.last_mut() {
            let state = *state;
            if let Some(target) = edges.next() {
                if order[target as usize] == UNSEEN {
                    order[target as usize] = next_order;
                    low[target as usize] = next_order;
                    next_order += 1;
                    open.push(target);
                    stack.push((target, successors(target)));
                } else if of[target as usize] == u32::MAX {
                    low[state as usize] = low[state as usize].min(order[target as usize]);
                }
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                low[*parent as usize] = low[*parent as usize].min(low[state as usize]);
            }
            if low[state as usize] == order[state as usize] {
                let start = open.iter().rposition(|member| *member == state).unwrap_or(0);
                let component = open.split_off(start);
                for member in &component {
                    of[*member as usize] = members.len() as u32;
                }
                members.push(component);
            }
        }
    }
    Components { of, members }
}

/// How the cycles of a component behave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComponentKind {
    /// A single state without a loop.
    Trivial,
    /// No cycle is accepting.
    Rejecting,
    /// Every cycle is accepting.
    Accepting,
    /// Some cycles are accepting and some are not.
    Mixed,
}

impl Components {
    pub(crate) fn of_graph(graph: &Graph) -> Components {
        components_of(graph.len(), [graph.initial], |state| {
            graph.states[state as usize].iter().map(|edge| edge.target)
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.members.len()
    }

    /// The kind of every component.
    pub(crate) fn kinds(&self, graph: &Graph) -> Vec<ComponentKind> {
        (0..self.count()).map(|component| self.kind(graph, component)).collect()
    }

    fn kind(&self, graph: &Graph, component: usize) -> ComponentKind {
        let members = &self.members[component];
        let inner: Vec<(u32, u32, Marks)> = members
            .iter()
            .flat_map(|state| {
                graph.states[*state as usize].iter().map(|edge| (*state, edge.target, edge.marks))
            })
            .filter(|(_, target, _)| self.of[*target as usize] == component as u32)
            .collect();
        if inner.is_empty() {
            return ComponentKind::Trivial;
        }
        let union = inner.iter().fold(Marks::NONE, |union, (_, _, marks)| union.union(*marks));
        if union != graph.all_marks() {
            return ComponentKind::Rejecting;
        }
        // A cycle that misses set `i` uses only edges without it.
        let misses = |set: u32| {
            let rest = inner.iter().filter(|(_, _, marks)| !marks.contains(set));
            has_cycle(members, rest.map(|(from, to, _)| (*from, *to)))
        };
        if (0..graph.sets).any(misses) { ComponentKind::Mixed } else { ComponentKind::Accepting }
    }
}

impl Components {
    /// The acceptance sets that contain no other one inside the component: meeting these meets all.
    pub(crate) fn needed_sets(&self, graph: &Graph, component: u32) -> Vec<u32> {
        let marks: Vec<Marks> = self.members[component as usize]
            .iter()
            .flat_map(|state| &graph.states[*state as usize])
            .filter(|edge| self.of[edge.target as usize] == component)
            .map(|edge| edge.marks)
            .collect();
        let contained =
            |inner: u32, outer: u32| marks.iter().all(|m| !m.contains(inner) || m.contains(outer));
        let mut needed: Vec<u32> = Vec::new();
        for set in 0..graph.sets {
            if !needed.iter().any(|other| contained(*other, set)) {
                needed.retain(|other| !contained(set, *other));
                needed.push(set);
            }
        }
        needed
    }
}

fn has_cycle(states: &[u32], edges: impl Iterator<Item = (u32, u32)>) -> bool {
    let mut sorted = states.to_vec();
    sorted.sort_unstable();
    let index = |state: u32| sorted.binary_search(&state).unwrap_or(0);
    let mut successors = vec![Vec::new(); sorted.len()];
    let mut incoming = vec![0u32; sorted.len()];
    for (from, to) in edges {
        successors[index(from)].push(index(to));
        incoming[index(to)] += 1;
    }
    let mut free: Vec<usize> = (0..sorted.len()).filter(|state| incoming[*state] == 0).collect();
    let mut removed = 0;
    while let Some(state) = free.pop() {
        removed += 1;
        for target in &successors[state] {
            incoming[*target] -= 1;
            if incoming[*target] == 0 {
                free.push(*target);
            }
        }
    }
    removed < sorted.len()
}
