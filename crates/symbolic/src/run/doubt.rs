//! Withdraws answers that rest on members without a verdict.
//!
//! A function that was given up has no definition, so what fails where it is applied may fail for that reason alone,
//! and its counterexample be none. What holds may hold because a contract was taken to be well formed that is not. Both
//! are no answers: they become *unknown*, and say on which members they rest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use verdict::failure::{Finding, FindingObserver};
use verdict::{Reason, Verdict};

use super::plan::{Entry, Plan};
use super::pool::Pool;
use crate::dependencies::{Dependencies, Member};
use crate::engine::Untrusted;

/// A function that is refuted has no definition either. What fails where it is applied is looked at once more with the
/// definition as it is written: if it does not fail then, nothing is known about it.
pub(super) fn look_again(
    plan: &Plan,
    dependencies: &Dependencies,
    pool: &mut Pool<'_>,
    untrusted: &Arc<Untrusted>,
) {
    let refuted: Vec<bool> = pool.reports().map(|report| report.verdict == Verdict::Violated).collect();
    let functions: BTreeMap<Member, usize> = (0..plan.entries.len())
        .map(|place| (plan.entries[place].member, place))
        .filter(|(member, place)| refuted[*place] && matches!(member, Member::Function(_)))
        .collect();
    let rests_on = |place: usize| -> Vec<usize> {
        let used = dependencies.used_by(plan.entries[place].member);
        used.iter().filter_map(|member| functions.get(member)).copied().collect()
    };
    // Callees come first in the order, functions before others.
    let places = plan.order.iter().copied().filter(|place| refuted[*place]);
    let users: Vec<(usize, Vec<usize>)> =
        places.map(|place| (place, rests_on(place))).filter(|(_, rests)| !rests.is_empty()).collect();
    let needed: BTreeSet<usize> = users.iter().flat_map(|(_, rests)| rests).copied().collect();
    let mut undefined: BTreeSet<usize> = BTreeSet::new();
    for place in plan.order.iter().filter(|place| needed.contains(place)) {
        if !pool.define_as_written(*place, untrusted) {
            undefined.insert(*place);
        }
    }
    for (place, rests) in users {
        let is_certain = rests.iter().all(|other| !undefined.contains(other))
            && pool.look_again(place, untrusted) == Verdict::Violated;
        if !is_certain {
            let names = rests.iter().map(|other| &plan.entries[*other]);
            let rests = names.map(|other| (other.kind, other.name.clone())).collect();
            pool.revise(place, |report| {
                report.failures.clear();
                report.verdict = Verdict::Unknown(Reason::RestsOn(rests));
            });
        }
    }
}

/// The reports, without the answers that rest on members of which it is not known what they mean.
pub(super) fn settle(
    plan: &Plan,
    dependencies: &Dependencies,
    reports: Vec<(Finding, bool)>,
    observer: &FindingObserver<'_>,
) -> Vec<Finding> {
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
