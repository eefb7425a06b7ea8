//! Automata as pictures: Graphviz source, and SVG drawn here.

mod dot;
mod layout;
mod svg;

pub use dot::write_dot;
pub use svg::write_svg;

use crate::automaton::{Automaton, Edge};

/// The label of an edge as people write it.
fn edge_text(automaton: &Automaton, edge: &Edge) -> String {
    if edge.label.is_anything() {
        return "1".to_owned();
    }
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = |index: u32| {
        let name = &automaton.propositions[index as usize];
        if name.chars().all(simple) { name.clone() } else { format!("({name})") }
    };
    edge.label.spell(&name, "!", " & ", " | ")
}
