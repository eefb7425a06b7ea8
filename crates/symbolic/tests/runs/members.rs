//! Asking for some members only.

use symbolic::VerifyOptions;
use verdict::ProofReport;

use crate::support::{load_text, options, verify};

const PROGRAM: &str = "
function half(n: Int): Int
    ensures 2 * result <= n
{ n \\ 2 }

function wrong(n: Int): Int
    ensures result > n
{ n }

predicate p(x: Int) { wrong(x) > 0 }

method uses_half(n: Int) { assert 2 * half(n) <= n }

method uses_wrong(n: Int) { assert wrong(n) > n }

method uses_nothing(n: Int) { assert n == n }
";

fn run(members: &[&str]) -> ProofReport {
    let members = Some(members.iter().map(|name| (*name).to_string()).collect());
    verify(&load_text(PROGRAM), &VerifyOptions { members, ..options() })
}

fn words(report: &ProofReport) -> Vec<String> {
    report.members.iter().map(|member| format!("{} {}", member.name, member.verdict.word())).collect()
}

#[test]
fn only_what_is_asked_for_is_reported() {
    assert_eq!(words(&run(&["uses_nothing"])), ["uses_nothing holds"]);
    assert_eq!(words(&run(&["uses_half"])), ["uses_half holds"]);
    assert_eq!(words(&run(&["half", "uses_nothing"])), ["half holds", "uses_nothing holds"]);
}

#[test]
fn what_is_wrong_with_a_function_that_a_proof_uses_is_reported() {
    assert_eq!(words(&run(&["uses_wrong"])), ["wrong violated", "uses_wrong holds"]);
}
