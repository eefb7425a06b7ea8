//! Terminal automata: an accepting run exists when an accepting sink can be reached.
//!
//! The automaton of a guarantee property accepts as soon as it has seen a good prefix: it enters a sink from
//! which every continuation is accepted. Reachability finds it, depth first or, for the shortest stem,
//! breadth first; any walk from there ends in a cycle, since the product is finite and goes on.

use verdict::{Limits, Reason, Silent, Verdict};

use crate::control::Control;
use crate::faults::{ACCEPTING_SINK, FaultPolicy};
use crate::lasso::walk_into_cycle;
use crate::limits;
use crate::outcome::Outcome;
use crate::path::{Counterexample, Lasso, Path};
use crate::product::{Halt, Product};
use crate::reach_bfs::reach_bfs;
use crate::reach_dfs::{ReachOptions, reach_dfs};

/// Looks for an accepting sink depth first.
pub fn terminal_dfs<P: Product>(product: &mut P, policy: FaultPolicy, control: &mut Control<'_>) -> Outcome {
    let outcome = reach_dfs(product, ReachOptions { faults: policy, accepting_sinks: true }, control);
    complete(product, control, outcome)
}

/// Looks for an accepting sink breadth first.
pub fn terminal_bfs<P: Product>(product: &mut P, policy: FaultPolicy, control: &mut Control<'_>) -> Outcome {
    let outcome = reach_bfs(product, ReachOptions { faults: policy, accepting_sinks: true }, control);
    complete(product, control, outcome)
}

/// Makes a lasso of the path to the sink. Where a limit ends the walk, the path stays: it is a good prefix,
/// and that is what refutes the property.
pub(crate) fn complete<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    mut outcome: Outcome,
) -> Outcome {
    let Some(sink) = outcome.violations.iter().find(|violation| violation.kind == ACCEPTING_SINK) else {
        return outcome;
    };
    match walk_into_cycle(product, control, sink.first.clone(), limits::LONGEST_WALK) {
        Ok(Some(lasso)) => outcome.counterexample = Some(Counterexample::Lasso(lasso)),
        Ok(None) => {}
        Err(Halt(Reason::Internal(sentence))) => {
            outcome.verdict = Verdict::Unknown(Reason::Internal(sentence));
        }
        Err(_) => {}
    }
    outcome.violations.retain(|violation| violation.kind != ACCEPTING_SINK);
    outcome
}

/// Makes a lasso of a path to an accepting sink, however long that takes within the limits.
pub fn extend_to_lasso<P: Product>(product: &mut P, limits: &Limits, path: Path) -> Result<Lasso, Halt> {
    let mut silent = Silent;
    let mut control = Control::new(limits, &mut silent);
    let lasso = walk_into_cycle(product, &mut control, path, usize::MAX)?;
    lasso.ok_or(Halt(Reason::TooManyStates))
}
