//! Bisimilarity of the finite graphs of what two terms do, by partition refinement (Kanellakis and Smolka).
//!
//! Conditions, arguments and terms that only the language knows are labels here, nothing more. Graphs that are bisimilar
//! this way are so for all data, but only where every label is known exactly the converse is true as well.

use std::collections::{BTreeSet, HashMap};

use super::{Difference, Distinction, Equality, Step};
use crate::expression::{Expression, ExpressionKind};
use crate::head::{Frame, Head};
use crate::limits;
use crate::model::ActionId;
use crate::normal::{Algebra, Limit, Normal};
use crate::simplify::truth_of;

/// What stands at an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Label {
    Ends { condition: Expression, foreign: BTreeSet<u32> },
    Does { condition: Expression, foreign: BTreeSet<u32>, action: ActionId, arguments: Vec<Expression> },
    Opaque { condition: Expression, foreign: BTreeSet<u32>, inside: u32, around: Vec<Side> },
}

/// A [`Frame`] as a part of a label.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Side(bool, Normal);

/// Edges of each state: a label by its number, and where it leads to.
struct Graph {
    labels: Vec<Label>,
    edges: Vec<Vec<(u32, u32)>>,
    /// After how many steps each state is first reached.
    levels: Vec<usize>,
    /// If there are more states: how many levels are there whole, with the edges of their states.
    whole_levels: Option<usize>,
    /// Whether labels are equal exactly when they mean the same.
    exact: bool,
}

/// What is known from the graphs, as far as so many states show them.
pub(super) fn compare(
    algebra: &mut Algebra<'_>,
    first: Normal,
    second: Normal,
    states: usize,
) -> Result<Option<Equality>, Limit> {
    let Some(graph) = explore(algebra, [first, second], states)? else { return Ok(None) };
    let (together, history) = refine(&graph);
    match (together, graph.whole_levels) {
        (true, None) => Ok(Some(Equality::Equal)),
        (false, _) if graph.exact => Ok(Some(Equality::Different(explain(&graph, &history)))),
        _ => Ok(None),
    }
}

/// The states that can be reached, level by level, up to a number; nothing if there are bound variables.
fn explore(algebra: &mut Algebra<'_>, roots: [Normal; 2], most: usize) -> Result<Option<Graph>, Limit> {
    debug_assert!(roots[0] != roots[1], "who is equal is not compared");
    // Where edges lead to that nothing comes after.
    let done = algebra.deadlock()?;
    let mut found = Found::default();
    for root in roots {
        found.state(root);
    }
    let mut graph =
        Graph { labels: Vec::new(), edges: Vec::new(), levels: vec![0, 0], exact: true, whole_levels: None };
    while graph.edges.len() < found.states.len() {
        let level = graph.levels[graph.edges.len()];
        if found.states.len() > most {
            graph.whole_levels = Some(level);
            break;
        }
        let head = algebra.head(found.states[graph.edges.len()])?;
        let mut edges = Vec::new();
        for (binders, label, target) in labels_of(&head) {
            if binders {
                return Ok(None);
            }
            graph.exact = graph.exact && is_exact(&label);
            edges.push((found.label(label), found.state(target.unwrap_or(done))));
        }
        graph.edges.push(edges);
        graph.levels.resize(found.states.len(), level + 1);
    }
    graph.edges.resize(found.states.len(), Vec::new());
    graph.labels = found.labels;
    Ok(Some(graph))
}

/// States and labels with their numbers.
#[derive(Default)]
struct Found {
    states: Vec<Normal>,
    state_numbers: HashMap<Normal, u32>,
    labels: Vec<Label>,
    label_numbers: HashMap<Label, u32>,
}

impl Found {
    fn state(&mut self, state: Normal) -> u32 {
        *self.state_numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.states.len() as u32 - 1
        })
    }

    fn label(&mut self, label: Label) -> u32 {
        *self.label_numbers.entry(label).or_insert_with_key(|label| {
            self.labels.push(label.clone());
            self.labels.len() as u32 - 1
        })
    }
}

/// Everything that a head says, as labels: whether it binds variables, the label, and what is left to do.
fn labels_of(head: &Head) -> Vec<(bool, Label, Option<Normal>)> {
    let mut found = Vec::new();
    for guard in &head.termination {
        let label = Label::Ends { condition: guard.condition.clone(), foreign: guard.foreign_ends.clone() };
        found.push((!guard.binders.is_empty(), label, None));
    }
    for summand in &head.summands {
        let label = Label::Does {
            condition: summand.guard.condition.clone(),
            foreign: summand.guard.foreign_ends.clone(),
            action: summand.action,
            arguments: summand.arguments.clone(),
        };
        found.push((!summand.guard.binders.is_empty(), label, Some(summand.rest)));
    }
    for opaque in &head.opaque {
        let around = opaque.around.iter().map(|frame| match frame {
            Frame::Before(then) => Side(true, *then),
            Frame::Beside(other) => Side(false, *other),
        });
        let label = Label::Opaque {
            condition: opaque.guard.condition.clone(),
            foreign: opaque.guard.foreign_ends.clone(),
            inside: opaque.foreign,
            around: around.collect(),
        };
        found.push((!opaque.guard.binders.is_empty(), label, None));
    }
    found
}

fn is_exact(label: &Label) -> bool {
    match label {
        Label::Ends { condition, foreign } => truth_of(condition) == Some(true) && foreign.is_empty(),
        Label::Does { condition, foreign, arguments, .. } => {
            let is_value = |argument: &Expression| matches!(argument.kind(), ExpressionKind::Literal(_));
            truth_of(condition) == Some(true) && foreign.is_empty() && arguments.iter().all(is_value)
        }
        Label::Opaque { .. } => false,
    }
}

/// Whether states 0 and 1 are bisimilar, as far as the graph is there, and the classes of all states after each round until
/// they were told apart. With each round, one level less is known whole; what lies beyond keeps its class.
fn refine(graph: &Graph) -> (bool, Vec<Vec<u32>>) {
    let mut classes = vec![0_u32; graph.edges.len()];
    let mut count = 1;
    let mut history = vec![classes.clone()];
    for round in 1.. {
        if graph.whole_levels.is_some_and(|whole| round > whole) {
            break;
        }
        let mut numbers: HashMap<(u32, Vec<(u32, u32)>), u32> = HashMap::new();
        let mut next = Vec::with_capacity(classes.len());
        for (state, edges) in graph.edges.iter().enumerate() {
            if graph.whole_levels.is_some_and(|whole| graph.levels[state] + round > whole) {
                next.push(BEYOND);
                continue;
            }
            let mut signature: Vec<(u32, u32)> =
                edges.iter().map(|(label, target)| (*label, classes[*target as usize])).collect();
            signature.sort_unstable();
            signature.dedup();
            let fresh = numbers.len() as u32;
            next.push(*numbers.entry((classes[state], signature)).or_insert(fresh));
        }
        classes = next;
        if history.len() <= limits::EXPLAINED_STEPS {
            history.push(classes.clone());
        }
        if classes[0] != classes[1] {
            return (false, history);
        }
        if numbers.len() == count && graph.whole_levels.is_none() {
            break;
        }
        count = numbers.len();
    }
    (true, history)
}

/// The class of states about which a round says nothing.
const BEYOND: u32 = u32::MAX;

/// A way to tell states 0 and 1 apart, as far as the rounds were kept.
fn explain(graph: &Graph, history: &[Vec<u32>]) -> Difference {
    let (mut one, mut other) = (0_usize, 1_usize);
    let mut after = Vec::new();
    loop {
        let apart = history.iter().position(|classes| {
            classes[one] != classes[other] && classes[one] != BEYOND && classes[other] != BEYOND
        });
        let before = &history[apart.unwrap_or(history.len()).saturating_sub(1)];
        let found = unanswered(graph, before, one, other)
            .map(|edge| (true, edge))
            .or_else(|| unanswered(graph, before, other, one).map(|edge| (false, edge)));
        let Some((first, (label, target))) = found else {
            // The rounds that would tell were not kept; the last ones differ in what follows.
            let step = graph.edges[one].iter().find_map(|(label, _)| step_of(&graph.labels[*label as usize]));
            let what = match step {
                Some(step) => Distinction::Does { first: true, step },
                None => Distinction::Ends { first: true },
            };
            return Difference { after, what };
        };
        let Some(step) = step_of(&graph.labels[label as usize]) else {
            return Difference { after, what: Distinction::Ends { first } };
        };
        let answers = if first { &graph.edges[other] } else { &graph.edges[one] };
        match answers.iter().find(|(answer, _)| *answer == label) {
            None => return Difference { after, what: Distinction::Does { first, step } },
            Some((_, answer)) => {
                after.push(step);
                let pair = (target as usize, *answer as usize);
                (one, other) = if first { pair } else { (pair.1, pair.0) };
            }
        }
    }
}

/// An edge that the other state has no answer to that ends in the same class.
fn unanswered(graph: &Graph, classes: &[u32], one: usize, other: usize) -> Option<(u32, u32)> {
    let answers = |label: u32, target: u32| {
        let same =
            |edge: &&(u32, u32)| edge.0 == label && classes[edge.1 as usize] == classes[target as usize];
        graph.edges[other].iter().find(same).is_some()
    };
    graph.edges[one].iter().copied().find(|(label, target)| !answers(*label, *target))
}

fn step_of(label: &Label) -> Option<Step> {
    match label {
        Label::Does { action, arguments, .. } => Some(Step { action: *action, arguments: arguments.clone() }),
        Label::Ends { .. } | Label::Opaque { .. } => None,
    }
}
