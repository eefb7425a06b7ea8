//! What a made-up report looks like.

use std::time::Duration;

use expect_test::expect;
use source::{FileId, SourceMap, Span};
use verdict::{
    Assumption, Counterexample, FailureReport, MemberKind, MemberReport, Note, Obligation, ProofCost,
    ProofReport, QuantifierCount, QuantifierRole, Reason, Verdict,
};

use crate::{
    ProofJson, assumptions_text, failures_text, profile_text, slowest_text, totals_text, verdict_line,
};

const TEXT: &str =
    "method m(x: Ref, i: Int)\n{\n  if (i > 0) {\n    assert i > 1 && x != null\n  }\n}\nmethod n()\n";

fn span(part: &str) -> Span {
    let start = TEXT.find(part).expect("the text has this part");
    Span::new(FileId(0), start, start + part.len())
}

fn member(name: &str, verdict: Verdict) -> MemberReport {
    MemberReport {
        name: name.to_string(),
        kind: MemberKind::Method,
        span: span(&format!("method {name}(")),
        head: span(&format!("method {name}(")),
        verdict,
        failures: Vec::new(),
        stuck: None,
        assumptions: Vec::new(),
        relies_on: Vec::new(),
        creations: Vec::new(),
        cost: ProofCost { time: Duration::from_millis(250), queries: 7, paths: 2, ..ProofCost::default() },
        profile: vec![QuantifierCount {
            role: QuantifierRole::Named("all".to_string()),
            span: Some(span("i > 0")),
            triggers: vec![vec![span("x != null")]],
            instances: 1200,
        }],
        warnings: Vec::new(),
        answers: Vec::new(),
    }
}

fn example() -> (SourceMap, ProofReport) {
    let mut sources = SourceMap::default();
    sources.add("a.vpr", TEXT);
    let failure = FailureReport {
        code: "assert.failed:assertion.false".to_string(),
        span: span("i > 1 && x != null"),
        message: "the assertion might not hold".to_string(),
        notes: vec![
            Note { span: Some(span("i > 1")), text: "this might be false".to_string() },
            Note { span: Some(span("i > 0")), text: "taken to be true".to_string() },
            Note { span: None, text: "nothing is known about the heap".to_string() },
        ],
        help: Some("say more".to_string()),
        counterexample: Some(Counterexample {
            values: vec![("i".to_string(), "1".to_string()), ("perm(x.f)".to_string(), "1/2".to_string())],
        }),
        run: None,
    };
    let violated = MemberReport { failures: vec![failure], ..member("m", Verdict::Violated) };
    let unknown = MemberReport {
        stuck: Some(Obligation {
            span: span("method n()"),
            clause: None,
            construct: span("method n()"),
            text: "the postcondition holds".to_string(),
            code: None,
        }),
        ..member("n", Verdict::Unknown(Reason::Timeout))
    };
    (sources, ProofReport { members: vec![violated, unknown] })
}

#[test]
fn failures_are_shown_at_their_places() {
    let (sources, report) = example();
    expect![[r#"
        error[assert.failed:assertion.false]: the assertion might not hold
         --> a.vpr:4:12
          |
        3 |   if (i > 0) {
          |       ----- taken to be true
        4 |     assert i > 1 && x != null
          |            -----^^^^^^^^^^^^^
          |            |
          |            this might be false
          |
          = note: nothing is known about the heap
          = note: it fails for
                    i         = 1
                    perm(x.f) = 1/2
          = help: say more

        warning[unknown]: no verdict on method `n`: the time is over
         --> a.vpr:7:1
          |
        7 | method n()
          | ^^^^^^^^^^ not proved: the postcondition holds

    "#]]
    .assert_eq(&failures_text(&sources, &report, false));
}

#[test]
fn a_file_has_one_line_and_several_have_totals() {
    let (sources, report) = example();
    let time = Duration::from_millis(500);
    let mut text = verdict_line("a.vpr", &report, time);
    text.push_str(&totals_text(&[Verdict::Holds, Verdict::Violated], 1, 12, time));
    text.push_str(&slowest_text(&[(&sources, &report)], 1));
    text.push_str(&profile_text(&[(&sources, &report)]));
    expect![[r#"
        VIOLATED  a.vpr  method `m`  (0.50 s, 14 queries)
        3 files: 1 holds, 1 violated, 1 rejected (12 members, 0.50 s)
          seconds   solver  queries    paths  member
            0.250    0.000        7        2  method `m` at a.vpr:1:1
           instances  quantifier
               2 400  a.vpr:3:7  all
    "#]]
    .assert_eq(&text);
}

#[test]
fn programs_get_one_object() {
    let (sources, report) = example();
    let mut json = ProofJson::default();
    json.add_report(&sources, &report);
    expect![[r#"
        {"assumptions":[],"diagnostics":[],"members":[{"assumptions":[],"column":1,"failures":[{"code":"assert.failed:assertion.false","column":12,"counterexample":{"i":"1","perm(x.f)":"1/2"},"end_column":30,"end_line":4,"file":"a.vpr","line":4,"message":"the assertion might not hold\nthis might be false (a.vpr:4)\ntaken to be true (a.vpr:3)\nnothing is known about the heap\nsay more"}],"file":"a.vpr","kind":"method","line":1,"name":"m","queries":7,"reused":0,"seconds":0.25,"verdict":"violated"},{"assumptions":[],"column":1,"failures":[],"file":"a.vpr","kind":"method","line":7,"name":"n","queries":7,"reason":"the time is over, at a.vpr:7:1: the postcondition holds","reused":0,"seconds":0.25,"verdict":"unknown"}],"queries":14,"reused":0,"verdict":"violated","version":1}
    "#]].assert_eq(&json.finish());
}

#[test]
fn members_that_rest_on_one_are_told_of_together() {
    let (sources, _) = example();
    let rests = || Verdict::Unknown(Reason::RestsOn(vec![(MemberKind::Function, "f".to_string())]));
    let assumption = |kind, part: &str| Assumption { kind, name: "m".to_string(), span: span(part) };
    let first = MemberReport {
        assumptions: vec![
            assumption("assume", "i > 0"),
            assumption("axiom", "i > 1"),
            assumption(Assumption::UNMEASURED, "method m("),
        ],
        ..member("m", rests())
    };
    let second = MemberReport {
        assumptions: vec![assumption("assume", "i > 0"), assumption(Assumption::NOT_SELECTED, "method m(")],
        ..member("n", rests())
    };
    let report = ProofReport { members: vec![first, second] };
    let mut text = failures_text(&sources, &report, false);
    text.push_str(&verdict_line("a.vpr", &report, Duration::from_millis(500)));
    text.push_str(&assumptions_text(&[(&sources, &report)]));
    expect![[r#"
        warning[unknown]: no verdict on method `m`, method `n`: it rests on the function `f`, which is not proved
         --> a.vpr:1:1
          |
        1 | method m(x: Ref, i: Int)
          | ^^^^^^^^^
        ...
        7 | method n()
          | ---------

        unknown   a.vpr  method `m`, method `n`; rests on 2 trusted items, 1 recursive function without a measure and 1 member not selected  (0.50 s, 14 queries)
          a.vpr:1:1  not selected, `m`
          a.vpr:1:1  unmeasured recursion, `m`
          a.vpr:3:7  assume, `m`
          a.vpr:4:12  axiom, `m`
    "#]].assert_eq(&text);
}
