//! Small changes of a program that is true as far as anyone has seen.

use super::Line;
use testing::Random;

/// What is written, and what could be written there.
const EXCHANGES: &[(&str, &[&str])] = &[
    (" == ", &[" != ", " <= ", " >= "]),
    (" != ", &[" == "]),
    (" >= ", &[" > ", " == "]),
    (" > ", &[" >= ", " < "]),
    (" < ", &[" <= "]),
    (" <= ", &[" < "]),
    (" && ", &[" || ", " ==> "]),
    (" ==> ", &[" && "]),
    (" + 1", &["", " + 2", " - 1"]),
    ("1/2", &["1/3", "write", "2/3", "wildcard"]),
    ("wildcard", &["1/2", "write", "1/100"]),
    ("acc(x.f)", &["acc(x.f, 1/2)", "acc(x.f, wildcard)", "acc(y.f)"]),
    ("acc(r.f)", &["acc(r.f, wildcard)", "acc(r.f, 1/2)"]),
    ("x.", &["y.", "o."]),
    ("y.", &["x."]),
    ("(x)", &["(y)", "(o)"]),
    ("old(", &["(", "old("]),
    ("x in s", &["y in s", "true"]),
    ("P(x)", &["P(y)", "acc(P(x), 1/2)"]),
    (" --* ", &[" ==> "]),
    ("exhale", &["assert", "inhale"]),
    ("inhale", &["exhale"]),
    ("fold", &["unfold"]),
    ("none", &["write"]),
    ("write", &["none", "1/2"]),
    ("0", &["1"]),
    ("1", &["0", "2"]),
];

/// Changes one place, or two.
pub(super) fn change(lines: &mut Vec<Line>, random: &mut Random) {
    for _ in 0..1 + random.below(2) {
        match random.below(6) {
            0 => drop_line(lines, random),
            1 => repeat_line(lines, random),
            2 => add_claim(lines, random),
            _ => exchange(lines, random),
        }
    }
}

/// Says `false` at the end of the last method: what holds nevertheless has assumed too much.
pub(super) fn claim_false(lines: &mut Vec<Line>) {
    let end = lines.len().saturating_sub(1);
    lines.insert(end, Line { text: "  assert false".to_string(), can_go: true, is_out: false });
}

fn drop_line(lines: &mut Vec<Line>, random: &mut Random) {
    let places: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].can_go).collect();
    if let Some(index) = random.pick(&places) {
        lines.remove(*index);
    }
}

fn repeat_line(lines: &mut Vec<Line>, random: &mut Random) {
    let places: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].can_go).collect();
    if let Some(index) = random.pick(&places) {
        let line = lines[*index].clone();
        lines.insert(*index, line);
    }
}

/// Says something false where there is an assertion.
fn add_claim(lines: &mut Vec<Line>, random: &mut Random) {
    let is_assertion = |line: &Line| line.text.trim_start().starts_with("assert ");
    let places: Vec<usize> = (0..lines.len()).filter(|index| is_assertion(&lines[*index])).collect();
    if let Some(index) = random.pick(&places) {
        let text =
            random.word(&["assert false", "assert x == y", "assert x != y", "assert b", "assert i > 0"]);
        lines.insert(*index + 1, Line { text: format!("  {text}"), can_go: true, is_out: false });
    }
}

fn exchange(lines: &mut [Line], random: &mut Random) {
    for _ in 0..20 {
        let Some((from, to)) = random.pick(EXCHANGES) else { return };
        let places: Vec<usize> = (3..lines.len()).filter(|index| lines[*index].text.contains(from)).collect();
        let Some(index) = random.pick(&places) else { continue };
        let line = &mut lines[*index];
        let starts: Vec<usize> = line.text.match_indices(from).map(|(start, _)| start).collect();
        let (Some(start), to) = (random.pick(&starts), random.word(to)) else { continue };
        line.text.replace_range(*start..start + from.len(), to);
        return;
    }
}
