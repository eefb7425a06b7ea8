//! What a search hands back.

use verdict::{Reason, Statistics, Verdict};

use crate::control::Control;
use crate::faults::{FaultLog, Violation};
use crate::path::{Counterexample, Lasso};
use crate::product::{Halt, Product};

/// The answer of a search with everything it learnt.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer. A search cut short that found nothing is unknown.
    pub verdict: Verdict,
    /// Why the search did not come to its end, when it did not. A search that met a fault before it was cut
    /// short is violated all the same, but its counts are not complete.
    pub cut_short: Option<Reason>,
    /// What it cost.
    pub statistics: Statistics,
    /// The run that refutes the property.
    pub counterexample: Option<Counterexample>,
    /// The faults met on the way, the one with the shortest path first.
    pub violations: Vec<Violation>,
}

/// Makes an outcome of how a search ended: with an accepting run, without one, or halted.
pub(crate) fn conclude<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    own_bytes: usize,
    faults: FaultLog,
    ended: Result<Option<Lasso>, Halt>,
) -> Outcome {
    // A search that was taken up counts what it did not need to look at.
    let ended = match ended {
        Ok(None) if faults.is_empty() => control.sweep(product).map(|()| None),
        ended => ended,
    };
    let statistics = control.statistics(product, own_bytes);
    let found_faults = !faults.is_empty();
    let (violations, faults_verdict) = match faults.into_violations(product) {
        Ok(violations) if found_faults => (violations, Verdict::Violated),
        Ok(violations) => (violations, Verdict::Holds),
        Err(Halt(reason)) => (Vec::new(), Verdict::Unknown(reason)),
    };
    let cut_short = ended.as_ref().err().map(|halt| halt.0.clone());
    let (lasso, search_verdict) = match ended {
        Ok(Some(lasso)) => (Some(lasso), Verdict::Violated),
        Ok(None) => (None, Verdict::Holds),
        Err(Halt(reason)) => (None, Verdict::Unknown(reason)),
    };
    let counterexample = match lasso {
        Some(lasso) => Some(Counterexample::Lasso(lasso)),
        None => violations.first().map(|violation| Counterexample::Path(violation.first.clone())),
    };
    let verdict = search_verdict.and(faults_verdict);
    Outcome { verdict, cut_short, statistics, counterexample, violations }
}
