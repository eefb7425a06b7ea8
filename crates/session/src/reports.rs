//! From what a search came back with to what is reported of each property.

use search::{
    Counterexample, FaultClass, Halt, INVALID_END_STATE, ModelProduct, Outcome, Valueless, Violation,
    fault_kind,
};
use transition::model::{Fault, Model};
use verdict::{Limits, PropertyKind, PropertyReport, Reason, Statistics, Verdict};

use crate::counterexample::{self, Refutation, UNDECIDED};
use crate::files::Loaded;
use crate::goal::Goal;
use crate::job::Job;

/// A property that was not searched at all.
pub(crate) fn unknown(job: &Job, reason: Reason) -> PropertyReport {
    PropertyReport {
        name: job.name(),
        kind: job.kind(),
        reason: Some(reason.to_string()),
        verdict: Verdict::Unknown(reason),
        statistics: Statistics::default(),
        violations: 0,
        algorithm: "none".to_string(),
        why_algorithm: String::new(),
        reduction: "none".to_string(),
        trace: None,
    }
}

/// Everything needed to turn an outcome into reports.
pub(crate) struct Found<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) job: &'a Job,
    pub(crate) goal: &'a Goal,
    pub(crate) model: &'a Model,
    pub(crate) fair: bool,
    pub(crate) strict_ends: bool,
    pub(crate) all_errors: bool,
    pub(crate) limits: &'a Limits,
    pub(crate) algorithm: String,
    pub(crate) why: String,
    pub(crate) reduction: String,
}

impl Found<'_> {
    pub(crate) fn reports(&self, product: &mut ModelProduct, outcome: &Outcome) -> Vec<PropertyReport> {
        match self.goal {
            Goal::Faults => self.safety_reports(product, outcome),
            _ => vec![self.acceptance_report(product, outcome)],
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
        }
    }

    /// Assertions (with errors at run time) and end states: two properties, one search.
    fn safety_reports(&self, product: &mut ModelProduct, outcome: &Outcome) -> Vec<PropertyReport> {
        if let Some(fault) = product.initial_fault() {
            let mut report = self.report("assertions", PropertyKind::Assertion, Verdict::Violated, outcome);
            report.violations = 1;
            report.reason = Some(format!("in the initial values: {}", evidence::explain_fault(fault)));
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
            None => Verdict::Holds,
        };
        let mut reports = Vec::new();
        for (name, kind, violations, others) in [
            ("assertions", PropertyKind::Assertion, &faults, &end_states),
            ("end states", PropertyKind::Deadlock, &end_states, &faults),
        ] {
            let verdict = match violations.first() {
                Some(_) => Verdict::Violated,
                None if self.is_unknown(outcome) => outcome.verdict.clone(),
                None => open(!others.is_empty()),
            };
            let mut report = self.report(name, kind, verdict, outcome);
            report.violations = violations.iter().map(|violation| violation.count).sum();
            if let Some(violation) = violations.first() {
                self.refute_fault(product, violation, &mut report);
            }
            reports.push(report);
        }
        reports
    }

    fn is_unknown(&self, outcome: &Outcome) -> bool {
        matches!(outcome.verdict, Verdict::Unknown(_))
    }

    fn refute_fault(&self, product: &mut ModelProduct, violation: &Violation, report: &mut PropertyReport) {
        let refutation = if violation.kind == INVALID_END_STATE {
            Refutation::EndState { strict: self.strict_ends }
        } else {
            let fault = Fault::ALL.into_iter().find(|fault| fault_kind(*fault) == violation.kind);
            Refutation::Fault(fault.unwrap_or(Fault::Assertion), violation.kind)
        };
        let path = Counterexample::Path(violation.first.clone());
        let built =
            counterexample::build(self.loaded, self.model, product, &path, &refutation, self.goal, false);
        self.conclude(built, report);
    }

    fn acceptance_report(&self, product: &mut ModelProduct, outcome: &Outcome) -> PropertyReport {
        let kind = self.job.kind();
        let verdict = match (&outcome.verdict, product.valueless()) {
            (Verdict::Holds, Some(place)) => {
                Verdict::Unknown(Reason::Unsupported(self.without_value(product, place)))
            }
            (verdict, _) => verdict.clone(),
        };
        let mut report = self.report(&self.job.name(), kind, verdict, outcome);
        if let Some(fault) = product.initial_fault() {
            report.reason = Some(format!("in the initial values: {}", evidence::explain_fault(fault)));
        }
        if outcome.verdict == Verdict::Violated
            && let Some(found) = &outcome.counterexample
        {
            report.violations = 1;
            let build = |product: &mut ModelProduct, found: &Counterexample| {
                counterexample::build(
                    self.loaded,
                    self.model,
                    product,
                    found,
                    &Refutation::Cycle,
                    self.goal,
                    self.fair,
                )
            };
            let mut built = build(product, found);
            // Not every beginning that refutes a property can be seen to do so.
            if let Counterexample::Path(path) = found
                && built.as_ref().is_err_and(|error| error == UNDECIDED)
            {
                match search::extend_to_lasso(product, self.limits, path.clone()) {
                    Ok(lasso) => built = build(product, &Counterexample::Lasso(lasso)),
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

    /// Why a property that holds on the runs where it means something was not decided.
    fn without_value(&self, product: &mut ModelProduct, place: Valueless) -> String {
        let words = product.model_state(place.state);
        let snapshot = product.system().snapshot(&words);
        let at = snapshot.processes.iter().enumerate().map(|(pid, process)| {
            let kind = self.model.process(process.kind);
            let edges = &kind.location(process.location).edges;
            let line = edges.iter().find_map(|edge| edge.statements.first()).map(|statement| {
                let file = &self.loaded.sources.file(statement.span.file).name;
                format!(" at {file}:{}", self.loaded.sources.place(statement.span).line)
            });
            format!("{}({pid}){}", kind.name, line.unwrap_or_else(|| " at its end".to_string()))
        });
        let at: Vec<String> = at.collect();
        let name = match self.goal {
            Goal::Formula { automaton, .. }
            | Goal::Automaton { automaton, .. }
            | Goal::NonProgress { automaton, .. } => automaton.propositions.get(place.proposition),
            Goal::Faults | Goal::AcceptingLocations => None,
        };
        let name = name.map_or("a condition of the property", String::as_str);
        let fault = evidence::explain_fault(place.fault);
        format!(
            "it is not violated where it has a value, but `{name}` has none ({fault}) with {}",
            at.join(", ")
        )
    }

    /// A run that does not replay is our error, and then there is no verdict.
    fn conclude(&self, built: Result<(verdict::Trace, String), String>, report: &mut PropertyReport) {
        match built {
            Ok((trace, reason)) => {
                report.reason = Some(reason);
                report.trace = Some(trace);
            }
            Err(error) => {
                let sentence = format!("internal error: {error}; please report this model");
                report.verdict = Verdict::Unknown(Reason::Internal(sentence.clone()));
                report.reason = Some(sentence);
            }
        }
    }
}
