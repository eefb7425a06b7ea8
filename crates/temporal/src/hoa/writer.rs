//! Writes an automaton in the HOA format.

use std::fmt::Write as _;

use crate::automaton::{Automaton, Marks};
use crate::classify::classify;

/// The automaton as HOA text, with every property that is cheap to know.
pub fn write_hoa(automaton: &Automaton) -> String {
    let mut out = String::from("HOA: v1\n");
    if let Some(name) = &automaton.name {
        push(&mut out, format_args!("name: {}\n", quoted(name)));
    }
    push(&mut out, format_args!("States: {}\n", automaton.states.len()));
    push(&mut out, format_args!("Start: {}\n", automaton.initial));
    push(&mut out, format_args!("AP: {}", automaton.propositions.len()));
    for proposition in &automaton.propositions {
        push(&mut out, format_args!(" {}", quoted(proposition)));
    }
    let sets = automaton.sets;
    let acceptance = match sets {
        0 => "all".to_owned(),
        1 => "Buchi".to_owned(),
        _ => format!("generalized-Buchi {sets}"),
    };
    let condition = match sets {
        0 => "t".to_owned(),
        _ => (0..sets).map(|set| format!("Inf({set})")).collect::<Vec<_>>().join("&"),
    };
    push(&mut out, format_args!("\nacc-name: {acceptance}\nAcceptance: {sets} {condition}\n"));
    let classes = classify(automaton);
    let state_based = automaton.kind.is_state_based() || sets == 0;
    let mut properties = vec!["trans-labels", "explicit-labels"];
    properties.push(if state_based { "state-acc" } else { "trans-acc" });
    let flags = [
        (classes.complete, "complete"),
        (classes.deterministic, "deterministic"),
        (classes.very_weak, "very-weak"),
        (classes.terminal, "terminal"),
        (classes.weak, "weak"),
    ];
    properties.extend(flags.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name));
    push(&mut out, format_args!("properties: {}\n--BODY--\n", properties.join(" ")));
    for (number, state) in automaton.states.iter().enumerate() {
        let marks = if state_based { automaton.state_marks(number as u32) } else { Marks::NONE };
        push(&mut out, format_args!("State: {number}{}\n", marks_text(marks)));
        for edge in &state.edges {
            let label = edge.label.spell(&|proposition| proposition.to_string(), "!", "&", " | ");
            let label = if edge.label.is_anything() { "t".to_owned() } else { label };
            let marks = if state_based { Marks::NONE } else { edge.marks };
            push(&mut out, format_args!("[{label}] {}{}\n", edge.target, marks_text(marks)));
        }
    }
    out.push_str("--END--\n");
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
}

fn marks_text(marks: Marks) -> String {
    if marks == Marks::NONE {
        return String::new();
    }
    let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    format!(" {{{}}}", sets.join(" "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
