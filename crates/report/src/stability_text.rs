//! Which proofs depend on luck, for people.

use std::fmt::Write;

use source::SourceMap;
use verdict::{Stability, Varying, Verdict};

use crate::number::grouped;

/// What further runs said that the first did not.
pub fn stability_text(sources: &SourceMap, stability: &Stability) -> String {
    let Stability { runs, compared, varying } = stability;
    let times = if *runs == 1 { "once".to_string() } else { format!("{runs} times") };
    let how = format!("proved {times} again, with other seeds and orders");
    if varying.is_empty() {
        return format!("stable    {how}: all {compared} members as before\n");
    }
    let mut text = format!("unstable  {how}: {} of {compared} members vary\n", varying.len());
    for member in varying {
        let place = sources.place(member.span);
        let file = &sources.file(member.span.file).name;
        let (kind, name) = (member.kind.word(), &member.name);
        let what = if member.flips() { verdicts(member) } else { costs(member) };
        let _ = writeln!(text, "  {kind} `{name}` at {file}:{}:{}: {what}", place.line, place.column);
    }
    text
}

/// How often it had which verdict.
fn verdicts(member: &Varying) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in member.verdicts.iter().map(Verdict::word) {
        match counts.iter_mut().find(|(other, _)| *other == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{word} {count} times")).collect();
    counts.join(", ")
}

fn costs(member: &Varying) -> String {
    let (least, most) = member.resources;
    format!("between {} and {} units of the solver's work", grouped(least), grouped(most))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use source::{FileId, Span};
    use verdict::{MemberKind, Reason};

    use super::*;

    fn varying(verdicts: &[Verdict], resources: (u64, u64)) -> Varying {
        let (kind, name) = (MemberKind::Method, "m".to_string());
        Varying { kind, name, span: Span::new(FileId(0), 0, 6), verdicts: verdicts.to_vec(), resources }
    }

    #[test]
    fn members_that_vary_are_told_with_what_differs() {
        let mut sources = SourceMap::default();
        sources.add("a.vpr", "method m() {}");
        let unknown = Verdict::Unknown(Reason::Timeout);
        let mut stability = Stability { runs: 2, compared: 3, varying: Vec::new() };
        expect!["stable    proved 2 times again, with other seeds and orders: all 3 members as before\n"]
            .assert_eq(&stability_text(&sources, &stability));
        stability.varying = vec![
            varying(&[Verdict::Holds, unknown.clone(), Verdict::Holds], (1, 2)),
            varying(&[Verdict::Holds, Verdict::Holds], (1_000, 9_000_000)),
        ];
        expect![[r#"
            unstable  proved 2 times again, with other seeds and orders: 2 of 3 members vary
              method `m` at a.vpr:1:1: holds 2 times, unknown 1 times
              method `m` at a.vpr:1:1: between 1 000 and 9 000 000 units of the solver's work
        "#]]
        .assert_eq(&stability_text(&sources, &stability));
    }
}
