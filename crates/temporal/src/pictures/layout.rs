//! Places states in layers by their distance from the initial state (Sugiyama's scheme without dummy nodes).
//!
//! Within a layer, states are ordered by the mean place of their neighbours, a few sweeps in both directions.
//! Layers are as far apart as the longest text between them needs.

use crate::automaton::Automaton;

/// Where each state is drawn, and the size of the whole.
pub(super) struct Layout {
    pub(super) places: Vec<(f64, f64)>,
    pub(super) layer: Vec<usize>,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) const RADIUS: f64 = 18.0;
const ROW: f64 = 130.0;
const MARGIN: f64 = 70.0;

/// `text_width` is the width of the text on an edge, given by state and index.
pub(super) fn lay_out(automaton: &Automaton, text_width: impl Fn(u32, usize) -> f64) -> Layout {
    let count = automaton.states.len();
    let layer = distances(automaton);
    let layers = layer.iter().copied().max().unwrap_or(0) + 1;
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers];
    for (state, layer) in layer.iter().enumerate() {
        rows[*layer].push(state);
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges.edges.iter().filter(|edge| edge.target as usize != state) {
            neighbours[state].push(edge.target as usize);
            neighbours[edge.target as usize].push(state);
        }
    }
    let mut y: Vec<f64> = vec![0.0; count];
    let assign = |rows: &[Vec<usize>], y: &mut Vec<f64>| {
        for row in rows {
            let top = -(row.len() as f64 - 1.0) * ROW / 2.0;
            for (index, state) in row.iter().enumerate() {
                y[*state] = top + index as f64 * ROW;
            }
        }
    };
    assign(&rows, &mut y);
    for sweep in 0..8 {
        let order: Vec<usize> =
            if sweep % 2 == 0 { (0..layers).collect() } else { (0..layers).rev().collect() };
        for index in order {
            let mean = |state: &usize| {
                let others: Vec<f64> =
                    neighbours[*state].iter().filter(|n| layer[**n] != index).map(|n| y[*n]).collect();
                if others.is_empty() { y[*state] } else { others.iter().sum::<f64>() / others.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> =
                rows[index].iter().map(|state| (mean(state), *state)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            rows[index] = keyed.into_iter().map(|(_, state)| state).collect();
            assign(&rows, &mut y);
        }
    }
    // The gap after a layer fits the widest text on an edge across it or on a loop in it.
    let mut gaps = vec![110.0f64; layers];
    for (state, edges) in automaton.states.iter().enumerate() {
        for (index, edge) in edges.edges.iter().enumerate() {
            let width = text_width(state as u32, index) + 80.0;
            let (from, to) = (layer[state], layer[edge.target as usize]);
            let across = from.abs_diff(to).max(1) as f64;
            for gap in &mut gaps[from.min(to)..from.max(to).max(from.min(to) + 1)] {
                *gap = gap.max((width / across).min(420.0));
            }
        }
    }
    let mut x = vec![MARGIN + 20.0; layers];
    for index in 1..layers {
        x[index] = x[index - 1] + gaps[index - 1];
    }
    let lowest = y.iter().copied().fold(0.0, f64::min);
    let highest = y.iter().copied().fold(0.0, f64::max);
    let places = (0..count).map(|state| (x[layer[state]], y[state] - lowest + MARGIN + 30.0)).collect();
    let width = x.last().copied().unwrap_or(0.0) + gaps.last().copied().unwrap_or(0.0) / 2.0 + MARGIN;
    Layout { places, width, height: highest - lowest + 2.0 * MARGIN + 60.0, layer }
}

fn distances(automaton: &Automaton) -> Vec<usize> {
    let count = automaton.states.len();
    let mut distance = vec![usize::MAX; count];
    let mut queue = std::collections::VecDeque::from([automaton.initial as usize]);
    distance[automaton.initial as usize] = 0;
    while let Some(state) = queue.pop_front() {
        for edge in &automaton.states[state].edges {
            let target = edge.target as usize;
            if distance[target] == usize::MAX {
                distance[target] = distance[state] + 1;
                queue.push_back(target);
            }
        }
    }
    distance.into_iter().map(|distance| if distance == usize::MAX { 0 } else { distance }).collect()
}
