//! Proving a program again with other seeds, and with its declarations in other orders, to see which proofs depend on luck.
//!
//! Seeds and orders change what a solver tries first and nothing that a program means. Whatever differs is a proof that may be
//! lost with the next change of the program or the next version of the solver.

use std::sync::atomic::Ordering;

use silver::port::LoadOptions;
use symbolic::VerifyOptions;
use verdict::{MemberReport, ProofReport, Reason, Silent, Stability, Varying, Verdict};

use crate::check::Failure;
use crate::programs::{ProgramText, load};
use crate::verify::verify;

/// How many times as much a member must cost in one run as in another to be told of.
const FACTOR: u64 = 4;

/// What it must cost at least for that: about half a second of the solver's work.
const COSTLY: u64 = 5_000_000;

/// Proves a program so many times again, and compares with a first report. Fewer times where it is interrupted.
pub(crate) fn try_again(
    texts: &[ProgramText],
    load_options: &LoadOptions,
    options: &VerifyOptions,
    first: &ProofReport,
    runs: u32,
) -> Result<Stability, Failure> {
    let mut reports = Vec::new();
    for run in 1..=runs {
        let load_options = LoadOptions { order: Some(u64::from(run)), ..load_options.clone() };
        let program = load(texts, &load_options)?;
        let mut options = options.clone();
        options.solver.seed = options.solver.seed.wrapping_add(run);
        // What matters is what the solver says now.
        options.answers = None;
        let report = verify(&program, &options, &Silent)?;
        if options.interrupt.load(Ordering::Relaxed) {
            break;
        }
        reports.push(report);
    }
    let compared = first.members.iter().map(|member| compared(member, &reports));
    let varying = compared.filter(|it| it.flips() || is_costly(it.resources)).collect();
    Ok(Stability { runs: reports.len() as u32, compared: first.members.len(), varying })
}

/// A member as it came out in all runs. It has its place in the text, whatever the order in which members were proved.
fn compared(first: &MemberReport, reports: &[ProofReport]) -> Varying {
    let is_it = |it: &&MemberReport| (it.kind, it.span) == (first.kind, first.span) && it.name == first.name;
    let others = || reports.iter().map(|report| report.members.iter().find(is_it));
    let missing = || Verdict::Unknown(Reason::Internal("it has no report in this run".to_string()));
    let verdicts = others().map(|it| it.map_or_else(missing, |it| it.verdict.clone()));
    let resources = || others().flatten().chain([first]).map(|it| it.cost.resources);
    Varying {
        kind: first.kind,
        name: first.name.clone(),
        span: first.span,
        verdicts: [first.verdict.clone()].into_iter().chain(verdicts).collect(),
        resources: (resources().min().unwrap_or(0), resources().max().unwrap_or(0)),
    }
}

fn is_costly((least, most): (u64, u64)) -> bool {
    most >= COSTLY && most / FACTOR >= least
}

#[cfg(test)]
mod tests {
    use source::{FileId, Span};
    use verdict::{MemberKind, ProofCost};

    use super::*;

    fn report(name: &str, verdict: Verdict, resources: u64) -> MemberReport {
        let span = Span::new(FileId(0), 3, 4);
        let cost = ProofCost { resources, ..ProofCost::default() };
        MemberReport { cost, ..MemberReport::new(MemberKind::Method, name, span, verdict) }
    }

    #[test]
    fn what_differs_is_seen_whatever_the_order() {
        let first = report("a", Verdict::Holds, COSTLY);
        let run = |members: Vec<MemberReport>| ProofReport { members };
        let same = run(vec![report("b", Verdict::Violated, 1), report("a", Verdict::Holds, COSTLY)]);
        let stable = compared(&first, std::slice::from_ref(&same));
        assert!(!stable.flips() && !is_costly(stable.resources));
        // The cost alone, the verdict, a member that was lost.
        let cheap = run(vec![report("a", Verdict::Holds, COSTLY / FACTOR)]);
        let varying = compared(&first, &[same, cheap]);
        assert!(!varying.flips() && is_costly(varying.resources));
        assert!(compared(&first, &[run(vec![report("a", Verdict::Violated, 1)])]).flips());
        assert!(compared(&first, &[run(Vec::new())]).flips());
    }
}
