//! *Violated* needs values that nothing contradicts: where the solver gives up on products, or on a question that is
//! only to be quick, nothing is violated for that.

use std::path::Path;
use std::time::Duration;

use symbolic::VerifyOptions;
use verdict::{MemberReport, Reason, Verdict};

use crate::support::{load, load_text, options, verify};

fn members(text: &str) -> Vec<MemberReport> {
    let limit = Some(Duration::from_secs(60));
    verify(&load_text(text), &VerifyOptions { obligation_timeout: limit, ..options() }).members
}

/// True, and beyond the solver.
const TRUE: &str = "
field f: Int

method cubes(a: Int, b: Int, c: Int)
    requires a > 0 && b > 0 && c > 0
    ensures a * a * a + b * b * b != c * c * c
{}

method in_the_heap(x: Ref, y: Ref, z: Ref)
    requires acc(x.f) && acc(y.f) && acc(z.f) && x.f > 0 && y.f > 0 && z.f > 0
{
    if (x.f * x.f * x.f + y.f * y.f * y.f == z.f * z.f * z.f) { assert false }
}
";

#[test]
fn a_guess_of_the_solver_violates_nothing() {
    for member in members(TRUE) {
        assert!(matches!(member.verdict, Verdict::Unknown(_)), "{}: {:?}", member.name, member.failures);
        if let Verdict::Unknown(Reason::GaveUp(sentence)) = &member.verdict {
            assert!(sentence.contains("products"), "{sentence}");
        }
        assert!(member.stuck.is_some(), "the obligation is named");
    }
}

/// False, each with a small counterexample.
const FALSE: &str = "
method six(a: Int, b: Int) requires a > 0 && b > 0 ensures a * b != 6 {}
method grows(a: Int, b: Int) ensures a * b >= a {}
method rounds(a: Int, b: Int) requires b != 0 ensures (a \\ b) * b == a {}
method rest(a: Int, b: Int) requires b > 1 ensures a % b != 1 {}
method path(a: Int, b: Int, c: Int) requires a * b == c && a > 1 && b > 1 { assert c < 50 }
method elements(s: Seq[Int]) requires |s| == 2 { assert s[0] * s[1] != 12 }
method late(a: Int, n: Int) requires n == a * a && a > 0 { var k: Int := n + 1 assert k < 30 }
";

#[test]
fn what_really_fails_is_violated() {
    for member in members(FALSE) {
        assert_eq!(member.verdict, Verdict::Violated, "{}", member.name);
    }
}

#[test]
fn values_shown_are_a_counterexample() {
    let members = members("method six(a: Int, b: Int) requires a > 0 && b > 0 ensures a * b != 6 {}");
    let counterexample = members[0].failures[0].counterexample.as_ref().expect("there are values");
    let value = |name: &str| {
        let found = counterexample.values.iter().find(|(other, _)| other == name);
        found.and_then(|(_, value)| value.parse::<i64>().ok()).expect("an integer")
    };
    assert_eq!(value("a") * value("b"), 6);
}

/// Programs of the corpus whose proofs ask much before they decide.
const ASKING: [&str; 6] = [
    "soundness/one_share_of_infinitely_many.vpr",
    "soundness/quantified_exhale_takes.vpr",
    "soundness/quantified_chunks_overlap.vpr",
    "soundness/conditional_permission.vpr",
    "soundness/aliases_share_permission.vpr",
    "soundness/branches_join.vpr",
];

#[test]
fn quick_questions_decide_no_failure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/silver");
    for name in ASKING {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).expect("the program is there");
        let loaded = load(&path, &text).expect("the program has no errors");
        let limits = VerifyOptions { obligation_timeout: Some(Duration::from_secs(20)), ..options() };
        let usual = verify(&loaded, &limits);
        let hasty = verify(&loaded, &VerifyOptions { quick_resources: 1, ..limits });
        for (usual, hasty) in usual.members.iter().zip(&hasty.members) {
            let is_new = hasty.verdict == Verdict::Violated && usual.verdict != Verdict::Violated;
            assert!(!is_new, "{name}, {}: {:?}", hasty.name, hasty.failures);
        }
    }
}
