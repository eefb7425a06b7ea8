//! What verifying a program says, for people: the failures at their places, then a line for the file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use source::{Severity, SourceMap, Span, excerpt};
use verdict::{
    Assumption, Counterexample, FailureReport, How, InheritedProperty, MemberReport, ProofReport,
    QuantifierCount, QuantifierRole, Reason, Verdict,
};

use crate::diagnostics::{Message, render_diagnostics, render_message};
use crate::number::{counted, grouped};
use crate::trace_text::trace_text;

/// The failures of all members, and the members without a verdict, with the lines they are about.
pub fn failures_text(sources: &SourceMap, report: &ProofReport, colour: bool) -> String {
    let mut text = String::new();
    for member in &report.members {
        text.push_str(&render_diagnostics(sources, &member.warnings, colour));
        for failure in &member.failures {
            text.push_str(&failure_text(sources, failure, colour));
        }
        if let Verdict::Unknown(reason) = &member.verdict
            && !matches!(reason, Reason::RestsOn(_))
        {
            let (span, label) = match &member.stuck {
                Some(stuck) => (stuck.span, format!("not proved: {}", stuck.text)),
                None => (sources.first_line(member.head), String::new()),
            };
            let message = Message {
                severity: Severity::Warning,
                code: "unknown",
                text: &format!("no verdict on {} `{}`: {reason}", member.kind.word(), member.name),
                labels: vec![(span, &label)],
                notes: Vec::new(),
                help: None,
            };
            text.push_str(&render_message(sources, &message, colour));
        }
    }
    text.push_str(&withdrawn_text(sources, report, colour));
    text
}

/// Members without a verdict for the same reason, that they rest on others, are told of together.
fn withdrawn_text(sources: &SourceMap, report: &ProofReport, colour: bool) -> String {
    let mut groups: Vec<(&Reason, Vec<&MemberReport>)> = Vec::new();
    for member in &report.members {
        let Verdict::Unknown(reason @ Reason::RestsOn(_)) = &member.verdict else { continue };
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, members)) => members.push(member),
            None => groups.push((reason, vec![member])),
        }
    }
    let mut text = String::new();
    for (reason, members) in groups {
        let message = Message {
            severity: Severity::Warning,
            code: "unknown",
            text: &format!("no verdict on {}: {reason}", names(members.clone())),
            labels: members.iter().take(SHOWN).map(|it| (sources.first_line(it.head), "")).collect(),
            notes: Vec::new(),
            help: None,
        };
        text.push_str(&render_message(sources, &message, colour));
    }
    text
}

/// Notes that have a place are shown there, the others below.
fn failure_text(sources: &SourceMap, failure: &FailureReport, colour: bool) -> String {
    let mut labels = vec![(failure.span, "")];
    let mut notes = Vec::new();
    for note in &failure.notes {
        match note.span {
            Some(span) if span == failure.span && labels[0].1.is_empty() => labels[0].1 = &note.text,
            Some(span) => labels.push((span, &note.text)),
            None => notes.push(note.text.clone()),
        }
    }
    if let Some(counterexample) = &failure.counterexample
        && !counterexample.values.is_empty()
    {
        notes.push(counterexample_text(counterexample));
    }
    if let Some(run) = &failure.run {
        notes.push(format!("the run\n{}", trace_text(run).trim_end()));
    }
    let message = Message {
        severity: Severity::Error,
        code: &failure.code,
        text: &failure.message,
        labels,
        notes,
        help: failure.help.as_deref(),
    };
    render_message(sources, &message, colour)
}

/// The values below each other, with the equals signs in one column.
fn counterexample_text(counterexample: &Counterexample) -> String {
    let lengths = counterexample.values.iter().map(|(expression, _)| expression.chars().count());
    // A single long expression must not push all values to the right.
    let width = lengths.max().unwrap_or(0).min(30);
    let mut text = "it fails for".to_string();
    for (expression, value) in &counterexample.values {
        let _ = write!(text, "\n  {expression:width$} = {value}");
    }
    text
}

/// The answer about a file in one line.
pub fn verdict_line(name: &str, report: &ProofReport, time: Duration) -> String {
    let (mark, what) = match report.verdict() {
        Verdict::Holds => ("holds   ", counted(report.members.len() as u64, "member")),
        Verdict::Violated => {
            let failing = report.members.iter().filter(|member| !member.failures.is_empty());
            ("VIOLATED", names(failing.collect()))
        }
        Verdict::Unknown(_) => {
            let open = report.members.iter().filter(|member| matches!(member.verdict, Verdict::Unknown(_)));
            ("unknown ", names(open.collect()))
        }
    };
    let queries: u64 = report.members.iter().map(|member| member.cost.queries).sum();
    let reused: u64 = report.members.iter().map(|member| member.cost.reused).sum();
    let footing = footing_text(&report.assumptions());
    let queries = queries_text(queries, reused);
    format!("{mark}  {name}  {what}{footing}  ({:.2} s, {queries})\n", time.as_secs_f64())
}

/// What members inherit from the processes that they follow, a line for each property; empty if there are none.
pub fn inherited_text(sources: &SourceMap, report: &ProofReport) -> String {
    let mut text = String::new();
    for member in &report.members {
        let (kind, name) = (member.kind.word(), &member.name);
        for it in &member.creations {
            let place = sources.place(it.span);
            let file = &sources.file(it.span.file).name;
            let at = format!("{file}:{}:{}", place.line, place.column);
            let _ = writeln!(text, "          {kind} `{name}` follows `{}` ({at})", it.process);
            let width = it.inherits.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).min(30);
            for property in &it.inherits {
                let _ = writeln!(text, "            {:width$}  {}", property.name, established(property));
            }
        }
        // Where the member does not hold, it follows nothing yet.
        for it in member.relies_on.iter().filter(|_| member.creations.is_empty()) {
            let how = how_text(it.how);
            let _ =
                writeln!(text, "          {kind} `{name}` follows `{}`, whose contract is {how}", it.name);
        }
    }
    text
}

fn established(property: &InheritedProperty) -> String {
    let how = how_text(property.how);
    match &property.detail {
        Some(detail) => format!("{how}: {detail}"),
        None => how.to_string(),
    }
}

fn how_text(how: How) -> &'static str {
    match how {
        How::Proved => "proved for all inputs",
        How::Checked => "checked",
        How::Assumed => "assumed without a proof",
        How::Refuted => "refuted",
        How::Unknown => "not proved",
    }
}

/// How many unproved things a verdict rests on; empty if there is none.
fn footing_text(assumptions: &[&Assumption]) -> String {
    let count = |kind: &str| assumptions.iter().filter(|assumption| assumption.kind == kind).count() as u64;
    let (unmeasured, left_out) = (count(Assumption::UNMEASURED), count(Assumption::NOT_SELECTED));
    let trusted = assumptions.len() as u64 - unmeasured - left_out;
    let mut parts = Vec::new();
    if trusted > 0 {
        parts.push(counted(trusted, "trusted item"));
    }
    if unmeasured > 0 {
        parts.push(format!("{} without a measure", counted(unmeasured, "recursive function")));
    }
    if left_out > 0 {
        parts.push(format!("{} not selected", counted(left_out, "member")));
    }
    match parts.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; rests on {only}"),
        Some((last, others)) => format!("; rests on {} and {last}", others.join(", ")),
    }
}

/// What verdicts rest on without a proof, with the places.
pub fn assumptions_text(reports: &[(&SourceMap, &ProofReport)]) -> String {
    let mut text = String::new();
    for (sources, report) in reports {
        for Assumption { kind, name, span } in report.assumptions() {
            let _ = writeln!(text, "  {}  {kind}, `{name}`", place(sources, *span));
        }
    }
    if text.is_empty() { "  nothing is taken for granted\n".to_string() } else { text }
}

fn queries_text(queries: u64, reused: u64) -> String {
    let reused = if reused == 0 { String::new() } else { format!(", {} answered before", grouped(reused)) };
    format!("{} {}{reused}", grouped(queries), if queries == 1 { "query" } else { "queries" })
}

/// What is kept of a solver's answers: for how many members, how many, and in how many bytes.
pub fn cache_text(folder: &str, members: u64, answers: u64, bytes: u64) -> String {
    let size = if bytes < 1 << 20 {
        format!("{} KiB", bytes.div_ceil(1 << 10))
    } else {
        format!("{} MiB", bytes >> 20)
    };
    format!("{folder}\n  {} for {}, {size}\n", counted(answers, "answer"), counted(members, "member"))
}

/// How many members are named.
const SHOWN: usize = 4;

/// The first members by name, the others by number.
fn names(members: Vec<&MemberReport>) -> String {
    let shown: Vec<String> = members
        .iter()
        .take(SHOWN)
        .map(|member| format!("{} `{}`", member.kind.word(), member.name))
        .collect();
    let mut text = shown.join(", ");
    if members.len() > SHOWN {
        let _ = write!(text, " and {} more", members.len() - SHOWN);
    }
    text
}

/// What became of several files; `rejected` are those that were not verified at all.
pub fn totals_text(verdicts: &[Verdict], rejected: usize, members: usize, time: Duration) -> String {
    let count = |word: &str| verdicts.iter().filter(|verdict| verdict.word() == word).count();
    let mut parts = Vec::new();
    for word in ["holds", "violated", "unknown"] {
        if count(word) > 0 {
            parts.push(format!("{} {word}", count(word)));
        }
    }
    if rejected > 0 {
        parts.push(format!("{rejected} rejected"));
    }
    format!(
        "{}: {} ({}, {:.2} s)\n",
        counted((verdicts.len() + rejected) as u64, "file"),
        parts.join(", "),
        counted(members as u64, "member"),
        time.as_secs_f64()
    )
}

/// The members that took longest.
pub fn slowest_text(reports: &[(&SourceMap, &ProofReport)], count: usize) -> String {
    let mut members: Vec<(&SourceMap, &MemberReport)> = reports
        .iter()
        .flat_map(|(sources, report)| report.members.iter().map(|member| (*sources, member)))
        .collect();
    members.sort_by_key(|(_, member)| std::cmp::Reverse(member.cost.time));
    let mut text = "  seconds   solver  queries    paths  member\n".to_string();
    for (sources, member) in members.into_iter().take(count) {
        let cost = &member.cost;
        let _ = writeln!(
            text,
            "{:>9.3} {:>8.3} {:>8} {:>8}  {} `{}` at {}",
            cost.time.as_secs_f64(),
            cost.solver_time.as_secs_f64(),
            cost.queries,
            cost.paths,
            member.kind.word(),
            member.name,
            place(sources, member.span)
        );
    }
    text
}

/// The most instantiated quantifiers, by the place where they are written.
pub fn profile_text(reports: &[(&SourceMap, &ProofReport)]) -> String {
    const SHOWN: usize = 30;
    let mut instances: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (sources, report) in reports {
        for count in report.members.iter().flat_map(|member| &member.profile) {
            let place = count.span.map_or_else(|| "built in".to_string(), |span| place(sources, span));
            *instances.entry((place, quantifier_text(sources, count))).or_default() += count.instances;
        }
    }
    let mut rows: Vec<((String, String), u64)> = instances.into_iter().collect();
    rows.sort_by_key(|(_, instances)| std::cmp::Reverse(*instances));
    let mut text = "   instances  quantifier\n".to_string();
    for ((place, name), instances) in rows.iter().take(SHOWN) {
        let _ = writeln!(text, "{:>12}  {place}  {name}", grouped(*instances));
    }
    if rows.len() > SHOWN {
        let _ = writeln!(text, "              and {} more", rows.len() - SHOWN);
    }
    text
}

/// What a quantifier is called; one that is written somewhere is shown, with what it is instantiated for.
fn quantifier_text(sources: &SourceMap, count: &QuantifierCount) -> String {
    let is_written = matches!(count.role, QuantifierRole::Written | QuantifierRole::Body);
    let Some(span) = count.span.filter(|_| is_written) else { return count.role.to_string() };
    let mut text = excerpt(sources.text(span), 60);
    if count.role == QuantifierRole::Body {
        text.push_str("  (what its body needs)");
    }
    let texts = |terms: &Vec<Span>| {
        let terms: Vec<String> = terms.iter().map(|term| excerpt(sources.text(*term), 40)).collect();
        terms.join(", ")
    };
    let mut triggers: Vec<String> =
        count.triggers.iter().map(texts).filter(|text| !text.is_empty()).collect();
    triggers.dedup();
    if !triggers.is_empty() {
        text.push_str(&format!("  triggers: {}", triggers.join(" | ")));
    }
    text
}

fn place(sources: &SourceMap, span: Span) -> String {
    let place = sources.place(span);
    format!("{}:{}:{}", sources.file(span.file).name, place.line, place.column)
}
