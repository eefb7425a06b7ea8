//! From what a search came back with to what is reported of each property.

use search::{Counterexample, FaultClass, Halt, INVALID_END_STATE, Lost, Outcome, Violation};
use verdict::{Limits, PropertyKind, PropertyReport, Reason, Statistics, Trace, Verdict};

use crate::drive::{Refutation, Searchable, Unshown};
use crate::lossy;
use crate::property::Property;
use crate::sought::Sought;

/// A property that was not searched at all.
pub(crate) fn unknown(property: &Property, reason: Reason) -> PropertyReport {
    PropertyReport {
        name: property.name(),
        kind: property.kind(),
        reason: Some(reason.to_string()),
        verdict: Verdict::Unknown(reason),
        statistics: Statistics::default(),
        violations: 0,
        algorithm: "none".to_string(),
        why_algorithm: String::new(),
        reduction: "none".to_string(),
        trace: None,
        instances: None,
        store: None,
    }
}

/// Everything needed to turn an outcome into reports.
pub(crate) struct Found<'a> {
    pub(crate) property: &'a Property,
    pub(crate) strict_ends: bool,
    pub(crate) all_errors: bool,
    pub(crate) limits: &'a Limits,
    pub(crate) algorithm: String,
    pub(crate) why: String,
    pub(crate) reduction: String,
    /// Where the store may have forgotten states.
    pub(crate) lost: Option<Lost>,
}

impl Found<'_> {
    pub(crate) fn reports(&self, search: &mut impl Searchable, outcome: &Outcome) -> Vec<PropertyReport> {
        match search.sought() {
            Sought::Faults => self.safety_reports(search, outcome),
            _ => vec![self.acceptance_report(search, outcome)],
        }
    }

    fn report(&self, name: &str, kind: PropertyKind, verdict: Verdict, outcome: &Outcome) -> PropertyReport {
        PropertyReport {
            name: name.to_string(),
            kind,
            reason: match &verdict {
                Verdict::Unknown(reason) => Some(reason.to_string()),
                _ => None,
            },
            verdict,
            statistics: outcome.statistics.clone(),
            violations: 0,
            algorithm: self.algorithm.clone(),
            why_algorithm: self.why.clone(),
            reduction: self.reduction.clone(),
            trace: None,
            instances: None,
            store: self.lost.map(lossy::report),
        }
    }

    /// Assertions (with errors at run time) and end states: two properties, one search.
    fn safety_reports(&self, search: &mut impl Searchable, outcome: &Outcome) -> Vec<PropertyReport> {
        if let Some(sentence) = search.without_initial_state() {
            let mut report = self.report("assertions", PropertyKind::Assertion, Verdict::Violated, outcome);
            report.violations = 1;
            report.reason = Some(sentence);
            let end = self.report(
                "end states",
                PropertyKind::Deadlock,
                Verdict::Unknown(Reason::Unsupported("the model has no initial state".to_string())),
                outcome,
            );
            return vec![report, end];
        }
        let is_end_state = |violation: &&Violation| violation.kind.class == FaultClass::InvalidEndState;
        let faults: Vec<&Violation> = outcome.violations.iter().filter(|v| !is_end_state(v)).collect();
        let end_states: Vec<&Violation> = outcome.violations.iter().filter(is_end_state).collect();
        let open = |found_elsewhere: bool| match &outcome.cut_short {
            Some(reason) => Verdict::Unknown(reason.clone()),
            None if found_elsewhere && !self.all_errors => Verdict::Unknown(Reason::Unsupported(
                "the search stopped at another violation; `--all-errors` looks on".to_string(),
            )),
            None => self.not_found(),
        };
        let mut reports = Vec::new();
        let (assertions, ends) = search.safety_names();
        for (name, kind, violations, others) in [
            (&assertions, PropertyKind::Assertion, &faults, &end_states),
            (&ends, PropertyKind::Deadlock, &end_states, &faults),
        ] {
            if kind == PropertyKind::Assertion && !search.has_assertions() {
                continue;
            }
            let verdict = match violations.first() {
                Some(_) => Verdict::Violated,
                None if self.is_unknown(outcome) => self.put(&outcome.verdict),
                None => open(!others.is_empty()),
            };
            let mut report = self.report(name, kind, verdict, outcome);
            report.violations = violations.iter().map(|violation| violation.count).sum();
            if let Some(violation) = violations.first() {
                self.refute_fault(search, violation, &mut report);
            }
            reports.push(report);
        }
        reports
    }

    /// The verdict of a search that came to its end and found nothing.
    fn not_found(&self) -> Verdict {
        self.lost.map_or(Verdict::Holds, |lost| Verdict::Unknown(lossy::nothing_found(lost)))
    }

    /// A verdict of the search, with what there is to say about it.
    fn put(&self, verdict: &Verdict) -> Verdict {
        match verdict {
            Verdict::Unknown(Reason::NothingFound(_)) => self.not_found(),
            verdict => verdict.clone(),
        }
    }

    fn is_unknown(&self, outcome: &Outcome) -> bool {
        matches!(outcome.verdict, Verdict::Unknown(_))
    }

    fn refute_fault(&self, search: &mut impl Searchable, violation: &Violation, report: &mut PropertyReport) {
        let refutation = if violation.kind == INVALID_END_STATE {
            Refutation::EndState { strict: self.strict_ends }
        } else {
            Refutation::Fault(violation.kind)
        };
        let path = Counterexample::Path(violation.first.clone());
        self.conclude(search.counterexample(&path, &refutation), report);
    }

    fn acceptance_report(&self, search: &mut impl Searchable, outcome: &Outcome) -> PropertyReport {
        let kind = self.property.kind();
        let verdict = match &outcome.verdict {
            Verdict::Holds => match search.without_value() {
                Some(sentence) => Verdict::Unknown(Reason::Unsupported(sentence)),
                None => Verdict::Holds,
            },
            Verdict::Unknown(Reason::NothingFound(_)) => match search.without_value() {
                Some(sentence) => Verdict::Unknown(Reason::Unsupported(sentence)),
                None => self.not_found(),
            },
            verdict => verdict.clone(),
        };
        let mut report = self.report(&self.property.name(), kind, verdict, outcome);
        if let Some(sentence) = search.without_initial_state() {
            report.reason = Some(sentence);
        }
        if outcome.verdict == Verdict::Violated
            && let Some(found) = &outcome.counterexample
        {
            report.violations = 1;
            let mut built = search.counterexample(found, &Refutation::Cycle);
            // Not every beginning that refutes a property can be seen to do so.
            if let (Counterexample::Path(path), Err(Unshown::Undecided)) = (found, &built) {
                match search::extend_to_lasso(search.product(), self.limits, path.clone()) {
                    Ok(lasso) => {
                        built = search.counterexample(&Counterexample::Lasso(lasso), &Refutation::Cycle);
                    }
                    Err(Halt(reason)) => {
                        report.reason = Some(reason.to_string());
                        report.verdict = Verdict::Unknown(reason);
                        return report;
                    }
                }
            }
            self.conclude(built, &mut report);
        }
        report
    }

    /// A run that does not replay is our error, and then there is no verdict.
    fn conclude(&self, built: Result<(Trace, String), Unshown>, report: &mut PropertyReport) {
        match built {
            Ok((trace, reason)) => {
                report.reason = Some(reason);
                report.trace = Some(trace);
            }
            Err(unshown) => {
                let error = match unshown {
                    Unshown::Undecided => "the run does not refute the property".to_string(),
                    Unshown::Wrong(error) => error,
                };
                let sentence = format!("internal error: {error}; please report this model");
                report.verdict = Verdict::Unknown(Reason::Internal(sentence.clone()));
                report.reason = Some(sentence);
            }
        }
    }
}
