//! Whether an automaton accepts an ultimately periodic word.
//!
//! Works on the product of the word's positions with the automaton's states by the fixpoint of Emerson and Lei
//! (1986): keep the nodes from which, for every acceptance set, a marked edge between kept nodes is reachable.
//! It shares no code with the translation or its component analysis, so that either can vouch for the other.

use crate::automaton::{Automaton, Marks};
use crate::evaluate::Lasso;

/// Whether some accepting run reads the word. An empty cycle repeats the last letter of the stem.
pub fn accepts(automaton: &Automaton, word: &Lasso) -> bool {
    let letters: Vec<u64> = word.stem.iter().chain(&word.cycle).copied().collect();
    let letters = if letters.is_empty() { vec![0] } else { letters };
    let back = if word.cycle.is_empty() { letters.len() - 1 } else { word.stem.len() };
    let states = automaton.states.len();
    let mut successors: Vec<Option<Vec<(usize, Marks)>>> = vec![None; letters.len() * states];
    let mut work = vec![automaton.initial as usize];
    while let Some(node) = work.pop() {
        if successors[node].is_some() {
            continue;
        }
        let (position, state) = (node / states, node % states);
        let next = if position + 1 == letters.len() { back } else { position + 1 };
        let edges: Vec<(usize, Marks)> = automaton
            .successors(state as u32, letters[position])
            .map(|edge| (next * states + edge.target as usize, edge.marks))
            .collect();
        work.extend(edges.iter().map(|(target, _)| *target));
        successors[node] = Some(edges);
    }
    let nodes: Vec<usize> = (0..successors.len()).filter(|node| successors[*node].is_some()).collect();
    let mut kept: Vec<bool> = successors.iter().map(Option::is_some).collect();
    loop {
        let before = kept.iter().filter(|kept| **kept).count();
        // Without acceptance sets any edge between kept nodes will do.
        for set in 0..automaton.sets.max(1) {
            let marked = |marks: Marks| automaton.sets == 0 || marks.contains(set);
            kept = reaching(&nodes, &successors, &kept, &marked);
        }
        let after = kept.iter().filter(|kept| **kept).count();
        if after == before {
            return after > 0;
        }
    }
}

/// The kept nodes from which a marked edge between kept nodes can be reached through kept nodes.
fn reaching(
    nodes: &[usize],
    successors: &[Option<Vec<(usize, Marks)>>],
    kept: &[bool],
    marked: &impl Fn(Marks) -> bool,
) -> Vec<bool> {
    let mut result = vec![false; kept.len()];
    loop {
        let mut changed = false;
        for &node in nodes.iter().rev().filter(|node| kept[**node]) {
            let edges = successors[node].as_deref().unwrap_or(&[]);
            let good =
                |(target, marks): &(usize, Marks)| kept[*target] && (marked(*marks) || result[*target]);
            if !result[node] && edges.iter().any(good) {
                result[node] = true;
                changed = true;
            }
        }
        if !changed {
            return result;
        }
    }
}
