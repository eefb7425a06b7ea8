//! What an answer is worth that rests on a member nobody could finish with.
//!
//! A function that was given up has no definition, so what fails where it is applied may fail for that reason alone,
//! and its counterexample be none. What holds may hold because a contract was taken to be well formed that is not. Both
//! are no answers: they become *unknown*, and say on which members they rest.

use std::collections::BTreeMap;

use verdict::{MemberReport, ProofObserver, Reason, Verdict};

use super::plan::{Entry, Plan};
use crate::dependencies::{Dependencies, Member};

/// The reports, without the answers that rest on members of which it is not known what they mean.
pub(super) fn settle(
    plan: &Plan,
    dependencies: &Dependencies,
    reports: Vec<(MemberReport, bool)>,
    observer: &dyn ProofObserver,
) -> Vec<MemberReport> {
    let entries = plan.entries.iter();
    let open: BTreeMap<Member, &Entry> = entries
        .zip(&reports)
        .filter(|(_, (_, is_settled))| !is_settled)
        .map(|(entry, _)| (entry.member, entry))
        .collect();
    let mut settled = Vec::new();
    for (place, (mut report, _)) in reports.into_iter().enumerate() {
        let entry = &plan.entries[place];
        if !open.is_empty() && !matches!(report.verdict, Verdict::Unknown(_)) {
            let is_refuted = report.verdict == Verdict::Violated;
            let used = dependencies.used_by(entry.member);
            // What is missing of others is not missing from what a proof knows, only from why it may.
            let matters = |member: &&Member| !is_refuted || matches!(member, Member::Function(_));
            let rests: Vec<_> = used
                .iter()
                .filter(matters)
                .filter_map(|member| open.get(member))
                .map(|other| (other.kind, other.name.clone()))
                .collect();
            if !rests.is_empty() {
                report.failures.clear();
                report.verdict = Verdict::Unknown(Reason::RestsOn(rests));
                observer.member_finished(place, &report);
            }
        }
        settled.push(report);
    }
    settled
}
