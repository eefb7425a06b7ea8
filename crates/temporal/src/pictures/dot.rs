//! Writes an automaton in Graphviz's language.

use std::fmt::Write as _;

use super::edge_text;
use crate::automaton::Automaton;

/// The automaton as Graphviz source: accepting states are double circles, marks on edges are set in braces.
pub fn write_dot(automaton: &Automaton) -> String {
    let mut out = String::from("digraph automaton {\n  rankdir=LR\n  node [shape=circle]\n");
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "  label=\"{}\"\n  labelloc=t", escaped(name));
    }
    let _ = writeln!(out, "  start [shape=point, width=0]\n  start -> {}", automaton.initial);
    let state_based = automaton.kind.is_state_based();
    for (number, state) in automaton.states.iter().enumerate() {
        let marks = automaton.state_marks(number as u32);
        match (state_based, automaton.sets) {
            (true, 1) if marks.contains(0) => {
                let _ = writeln!(out, "  {number} [shape=doublecircle]");
            }
            (true, 2..) if marks.0 != 0 => {
                let _ = writeln!(out, "  {number} [label=\"{number}\\n{}\"]", braces(marks.iter()));
            }
            _ => {
                let _ = writeln!(out, "  {number}");
            }
        }
        for edge in &state.edges {
            let mut text = escaped(&edge_text(automaton, edge));
            if !state_based && edge.marks.0 != 0 {
                text = format!("{text}\\n{}", braces(edge.marks.iter()));
            }
            let _ = writeln!(out, "  {number} -> {} [label=\"{text}\"]", edge.target);
        }
    }
    out.push_str("}\n");
    out
}

fn braces(sets: impl Iterator<Item = u32>) -> String {
    format!("{{{}}}", sets.map(|set| set.to_string()).collect::<Vec<_>>().join(","))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
