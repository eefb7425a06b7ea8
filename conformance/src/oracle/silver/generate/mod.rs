//! Random programs that have a good chance both to be proved and to be wrong.
//!
//! A program is written down line by line, with more claims than can be true: assertions, postconditions, invariants. It is
//! then executed, and what fails in some run is left out again, most of the time. What remains is true as far as
//! small states show. Many of the programs are changed a little afterwards. Every second program is short instead, about
//! one rule each, and keep a claim that may be false.

mod body;
mod claims;
mod declarations;
mod perturb;
mod probes;

use std::collections::BTreeSet;

use super::members::Lines;
use crate::oracle::Effort;
use testing::Random;

/// A line of a program.
#[derive(Clone, Debug)]
pub(super) struct Line {
    text: String,
    /// Whether the program is still one without it.
    can_go: bool,
    /// Left out because it fails.
    is_out: bool,
}

/// What is there to be used, and what was written so far.
pub(super) struct Writer<'r> {
    random: &'r mut Random,
    lines: Vec<Line>,
    indent: usize,
    has: BTreeSet<&'static str>,
    labels: Vec<String>,
    /// Permissions that were asked for, to be spoken of again.
    held: Vec<String>,
    /// Wands that were packaged.
    wands: Vec<String>,
    statements_left: usize,
    /// Only parameters and results can be named.
    in_contract: bool,
}

impl Writer<'_> {
    fn has(&self, name: &str) -> bool {
        self.has.contains(name)
    }

    fn fixed(&mut self, text: impl Into<String>) {
        self.push(text.into(), false);
    }

    fn line(&mut self, text: impl Into<String>) {
        self.push(text.into(), true);
    }

    fn push(&mut self, text: String, can_go: bool) {
        let text = format!("{}{text}", "  ".repeat(self.indent));
        self.lines.push(Line { text, can_go, is_out: false });
    }
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().filter(|line| !line.is_out).map(|line| format!("{}\n", line.text)).collect()
}

/// The method under attack.
const METHOD: &str = "m";

/// Rounds of execution after which a program is taken as it is.
const ROUNDS: usize = 16;

pub(super) fn program(random: &mut Random) -> String {
    if random.chance(1, 2) {
        return probes::program(random);
    }
    let mut writer = Writer {
        random,
        lines: Vec::new(),
        indent: 0,
        has: BTreeSet::new(),
        labels: Vec::new(),
        wands: Vec::new(),
        held: Vec::new(),
        statements_left: 0,
        in_contract: false,
    };
    writer.declarations();
    writer.method();
    let mut lines = std::mem::take(&mut writer.lines);
    drop(writer);
    repair(&mut lines, random);
    if random.chance(1, 4) {
        // Something that fails comes back: the tool has to see it, too.
        let places: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].is_out).collect();
        if let Some(index) = random.pick(&places) {
            lines[*index].is_out = false;
        }
        return text_of(&lines);
    }
    lines.retain(|line| !line.is_out);
    if random.chance(1, 8) {
        perturb::claim_false(&mut lines);
    } else if random.chance(1, 3) {
        perturb::change(&mut lines, random);
    }
    text_of(&lines)
}

/// Leaves out lines that fail when they are executed, and what keeps runs from getting anywhere.
fn repair(lines: &mut Vec<Line>, random: &mut Random) {
    let effort = Effort { runs: 24, steps: 6000 };
    for round in 0..ROUNDS {
        let Ok((program, map)) = super::resolve(&text_of(lines)) else { return };
        let mut seen = Lines::default();
        let executed = silver::with_large_stack(|| {
            super::members::execute(&program, &map, random, &effort, Some(&mut seen))
        });
        let Ok(runs) = executed else { return };
        seen.failing.extend(runs.failures.iter().map(|run| run.line));
        let mut is_changed = false;
        for (number, line) in (1..).zip(lines.iter_mut().filter(|line| !line.is_out)) {
            if line.can_go && seen.failing.contains(&number) {
                line.is_out = true;
                is_changed = true;
            }
        }
        if is_changed {
            continue;
        }
        // What fails is out; the rest has the numbers of lines that were seen.
        let mut rest: Vec<Line> = lines.iter().filter(|line| !line.is_out).cloned().collect();
        let before = rest.len();
        if runs.members.get(METHOD) == Some(&0) {
            // What nothing satisfies proves everything: something that is assumed goes.
            let start = rest.iter().position(|line| line.text.starts_with("method m(")).unwrap_or(0);
            drop_one(&mut rest, start, random, |line| {
                starts_with(line, &["requires ", "assume ", "inhale "])
            });
        } else if !drop_obstacle(&mut rest, &seen) && round + 2 > ROUNDS {
            return;
        }
        if rest.len() == before {
            return;
        }
        keep_only(lines, &rest);
    }
}

/// Removes the lines that are no longer among the rest; those that are left out stay where they are.
fn keep_only(lines: &mut Vec<Line>, rest: &[Line]) {
    let mut left = rest.iter().peekable();
    lines.retain(|line| line.is_out || left.next_if(|next| next.text == line.text).is_some());
}

fn starts_with(line: &Line, words: &[&str]) -> bool {
    let text = line.text.trim_start();
    line.can_go && words.iter().any(|word| text.starts_with(word))
}

fn drop_one(lines: &mut Vec<Line>, start: usize, random: &mut Random, goes: impl Fn(&Line) -> bool) {
    let places: Vec<usize> = (start..lines.len()).filter(|index| goes(&lines[*index])).collect();
    if let Some(index) = random.pick(&places) {
        lines.remove(*index);
    }
}

/// Leaves out the first statement that no run gets past; whether there was one. Statements that come next in the same block
/// are then never reached.
fn drop_obstacle(lines: &mut Vec<Line>, seen: &Lines) -> bool {
    let is_reached = |index: usize| seen.reached.contains(&(index as u32 + 1));
    let indent = |line: &Line| line.text.len() - line.text.trim_start().len();
    for index in 0..lines.len().saturating_sub(1) {
        let stays = indent(&lines[index]) == indent(&lines[index + 1]);
        let is_obstacle = is_reached(index) && !is_reached(index + 1) && lines[index + 1].can_go && stays;
        let is_statement = !starts_with(&lines[index + 1], &["requires ", "ensures ", "invariant "]);
        if is_obstacle && is_statement && lines[index].can_go {
            lines.remove(index);
            return true;
        }
    }
    false
}
