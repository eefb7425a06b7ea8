//! Tests of VerCors whose expectation says nothing about the program, with the answers that are right instead.
//!
//! VerCors cancels tests of what it does not support; and where a program passes because nobody has looked, that is an
//! accident. Probity judges these programs, so each of its answers was looked at by a person, who says here why it is right.
//! A program agrees with the argument if exactly these failures are reported, no more and, but for those that a solver may
//! not find, no fewer: then the failure is missed.

use crate::judge::Output;
use crate::pvl_judge::RESTS_ON;
use crate::run::Run;

struct Argued {
    file: &'static str,
    line: u32,
    code: &'static str,
    presence: Presence,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    /// The failure is there, and takes a solver that finds it.
    WhereFound,
}

const fn always(file: &'static str, line: u32, code: &'static str) -> Argued {
    Argued { file, line, code, presence: Presence::Always }
}

const SUM: &str = "examples/demo/demo3d.pvl";
const COUNTER: &str = "examples/concepts/futures/counteradd_n.pvl";
const PERMISSIONS: &str = "examples/technical/TestFuturePermsFail.pvl";
const QUANTIFIERS: &str = "examples/concepts/triggers/simplify_quantifiers.pvl";

const ARGUED: &[Argued] = &[
    // `ensures sum == seqSum(xs)` forgets what `sum` is at the start: from 1, `P([0])` ends with 1.
    always(SUM, 21, "contractFalse"),
    // `parsum` creates that process and uses what it ensures.
    always(SUM, 35, RESTS_ON),
    // A lock is committed before it is used, and nobody commits that of `prog`; the program is one for version 1, where
    // the end of the constructor did so.
    always(COUNTER, 38, "lockNotCommitted"),
    // The constructor of `Worker` does not ensure `idle(this)`, which `fork` needs.
    always(COUNTER, 78, "running"),
    // As in line 38.
    always(COUNTER, 95, "lockNotCommitted"),
    // The file is there to fail, in all of its methods: `HPerm`, `APerm` and `Perm` are three kinds of permission, none of
    // which gives another, and a field of a model is written with `Perm` only.
    always(PERMISSIONS, 16, "modelWrite"),
    always(PERMISSIONS, 21, "assertFailed:perm"),
    always(PERMISSIONS, 26, "assertFailed:perm"),
    always(PERMISSIONS, 31, "assertFailed:perm"),
    always(PERMISSIONS, 36, "assertFailed:perm"),
    always(PERMISSIONS, 41, "assertFailed:perm"),
    always(PERMISSIONS, 46, "assertFailed:perm"),
    // With `n == 5` and any `m > 5`, `h[5]` is 1 for `i, j, k = 0, 1, 0` and 5 for `5, 0, 0`; a comment in the file says that
    // this is not consistent.
    Argued { file: QUANTIFIERS, line: 1, code: "unsatisfiable", presence: Presence::WhereFound },
];

/// What is to be thought of the answer to a program of which there is something to say here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    Agrees,
    /// A failure that is one is not reported.
    Misses,
}

/// Compares what was said with what is argued; `None` if that does not settle it.
pub(crate) fn argue(name: &str, run: &Run) -> Option<Argument> {
    let entries: Vec<&Argued> = ARGUED.iter().filter(|entry| entry.file == name).collect();
    let fits = |entry: &Argued, output: &Output| output.line == Some(entry.line) && output.id == entry.code;
    let is_reported = |entry: &Argued| run.outputs.iter().any(|output| fits(entry, output));
    let is_argued = |output: &Output| entries.iter().any(|entry| fits(entry, output));
    // What the front end refuses is not judged by an argument about runs.
    if entries.is_empty() || run.members.is_empty() || !run.outputs.iter().all(is_argued) {
        return None;
    }
    let is_absent = |entry: &&Argued| entry.presence == Presence::Always && !is_reported(entry);
    if entries.iter().any(is_absent) {
        return Some(Argument::Misses);
    }
    // Who says nothing at all agrees with the test as it is.
    (!run.outputs.is_empty()).then_some(Argument::Agrees)
}

#[cfg(test)]
mod tests {
    use verdict::Verdict;

    use super::*;
    use crate::run::Member;

    fn run(outputs: &[(u32, &str)]) -> Run {
        let output = |(line, id): &(u32, &str)| Output { line: Some(*line), id: (*id).to_string() };
        let members = vec![Member { name: "m".to_string(), lines: None, verdict: Verdict::Violated }];
        Run { outputs: outputs.iter().map(output).collect(), members, ..Run::default() }
    }

    #[test]
    fn each_is_named_once() {
        for (index, entry) in ARGUED.iter().enumerate() {
            let is_same = |other: &Argued| (other.file, other.line) == (entry.file, entry.line);
            assert!(!ARGUED[..index].iter().any(is_same), "{}:{}", entry.file, entry.line);
        }
    }

    #[test]
    fn only_all_of_what_is_listed_agrees() {
        let both = [(21, "contractFalse"), (35, RESTS_ON)];
        assert_eq!(argue(SUM, &run(&both)), Some(Argument::Agrees));
        assert_eq!(argue("examples/other.pvl", &run(&both)), None);
        assert_eq!(argue(SUM, &run(&both[..1])), Some(Argument::Misses));
        assert_eq!(argue(SUM, &run(&[])), Some(Argument::Misses));
        for other in [(35, "unknown"), (34, RESTS_ON), (40, "perm"), (21, "crash")] {
            assert_eq!(argue(SUM, &run(&[both[0], both[1], other])), None, "{other:?}");
            assert_eq!(argue(SUM, &run(&[both[0], other])), None, "{other:?}");
        }
        let refused = Run { members: Vec::new(), ..run(&both) };
        assert_eq!(argue(SUM, &refused), None);
    }

    #[test]
    fn what_a_solver_may_not_find_may_be_absent() {
        assert_eq!(argue(QUANTIFIERS, &run(&[(1, "unsatisfiable")])), Some(Argument::Agrees));
        assert_eq!(argue(QUANTIFIERS, &run(&[])), None);
        assert_eq!(argue(QUANTIFIERS, &run(&[(21, "unsatisfiable")])), None);
    }
}
