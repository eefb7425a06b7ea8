//! Writes an automaton as a never claim that `spin -a` accepts.
//!
//! A never claim is a state-based automaton whose accepting states have labels that begin with `accept`. The
//! first state is the initial one. `accept_all` stands for the state that accepts whatever follows.

use std::fmt::Write as _;

use crate::automaton::{AcceptanceKind, Automaton};
use crate::kinds::convert;
use crate::translate::TranslationError;

/// The automaton as a never claim; automata of other kinds are converted first.
pub fn write_never_claim(automaton: &Automaton) -> Result<String, TranslationError> {
    let converted;
    let automaton = if automaton.kind == AcceptanceKind::Sba && automaton.sets == 1 {
        automaton
    } else {
        converted = convert(automaton, AcceptanceKind::Sba)?;
        &converted
    };
    let mut out = String::from("never {");
    if let Some(name) = &automaton.name {
        // The end of a comment inside the name would end the comment around it.
        let _ = write!(out, "    /* {} */", name.replace("*/", "* /"));
    }
    out.push('\n');
    let count = automaton.states.len() as u32;
    let others = (0..count).filter(|state| *state != automaton.initial);
    let order: Vec<u32> = [automaton.initial].into_iter().chain(others).collect();
    let labels: Vec<String> = (0..count).map(|state| label(automaton, state)).collect();
    // The state that accepts everything is written last, because its claim ends by running off the end.
    let (last, first): (Vec<u32>, Vec<u32>) = order.iter().partition(|state| accepts_all(automaton, **state));
    for state in first {
        let _ = writeln!(out, "{}:\n  if", labels[state as usize]);
        let edges = automaton.edges(state);
        if edges.is_empty() {
            let _ = writeln!(out, "  :: (false) -> goto {}", labels[state as usize]);
        }
        for edge in edges {
            let guard = edge.label.spell(
                &|index| operand(&automaton.propositions[index as usize]),
                "!",
                " && ",
                " || ",
            );
            let guard = if edge.label.is_anything() { "true".to_owned() } else { guard };
            let _ = writeln!(out, "  :: ({guard}) -> goto {}", labels[edge.target as usize]);
        }
        out.push_str("  fi;\n");
    }
    if !last.is_empty() {
        out.push_str("accept_all:\n  skip\n");
    }
    out.push_str("}\n");
    Ok(out)
}

fn accepts_all(automaton: &Automaton, state: u32) -> bool {
    let loops = automaton.edges(state).iter().any(|edge| edge.target == state && edge.label.is_anything());
    state != automaton.initial && loops && automaton.state_marks(state).contains(0)
}

fn label(automaton: &Automaton, state: u32) -> String {
    let accepting = automaton.state_marks(state).contains(0);
    match (accepting, state == automaton.initial) {
        _ if accepts_all(automaton, state) => "accept_all".to_owned(),
        (true, true) => "accept_init".to_owned(),
        (false, true) => "T0_init".to_owned(),
        (true, false) => format!("accept_S{state}"),
        (false, false) => format!("T0_S{state}"),
    }
}

fn operand(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(simple) { name.to_owned() } else { format!("({name})") }
}
