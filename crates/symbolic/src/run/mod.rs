//! A run over a program: which members are looked at, in which order, by how many workers.
//!
//! Members are jobs of their own. A job depends on the program and on what is known of the functions that its proof can
//! mention, and on nothing else, so reports are the same for every number of workers.

mod bundle;
mod doubt;
mod job;
mod plan;
mod pool;
mod profile;

use std::sync::Arc;

use silver::port::is_meaningless;
use silver::typed::Program;
use smt::Standby;
use verdict::failure::{Finding, FindingObserver, Findings};
use verdict::{ProofReport, Verdict};

use crate::dependencies::Dependencies;
use crate::engine::Untrusted;
use crate::options::VerifyOptions;
use crate::wands::WandTable;

use job::Base;
use plan::Plan;
use pool::Pool;

/// Verifies the members of a program and reports on each, in the order of the source.
///
/// If only some members are asked for, what their proofs take for granted is checked too: the functions that they can
/// mention, the predicates that they open, and the contracts of the methods that they call. These are reported only if
/// something is wrong with them, because then the proofs rest on nothing.
pub fn verify(program: &Program, options: &VerifyOptions, observer: &FindingObserver<'_>) -> Findings {
    let standby = Arc::new(Standby::new(&options.solver, options.profile));
    // Whatever there is to prove, a solver will be needed, and it takes a while to start: unless it has answered before.
    if !options.expects_answers() {
        standby.want(1);
        standby.fill();
    }
    let dependencies = Dependencies::of(program);
    let wands = Arc::new(WandTable::new(dependencies.wand_shapes().clone()));
    let plan = Plan::new(program, &dependencies, options.members.as_deref());
    let names: Vec<_> = plan.entries.iter().map(|entry| (entry.kind, entry.name.clone())).collect();
    observer.started(&names);
    let base = Base { program, options, wands, dependencies: &dependencies, standby, observer };
    let mut pool = Pool::new(&base, &plan);
    pool.run(&Arc::default());
    let untrusted = untrusted(program, &plan, pool.reports());
    let again = plan.users(&dependencies, &untrusted, pool.reports());
    let untrusted = Arc::new(untrusted);
    if !again.is_empty() {
        pool.run_again(&again, &untrusted);
    }
    if !options.all_errors {
        doubt::look_again(&plan, &dependencies, &mut pool, &untrusted);
    }
    base.standby.close();
    let reports = doubt::settle(&plan, &dependencies, pool.into_reports(), observer);
    let members = plan
        .entries
        .iter()
        .zip(reports)
        .filter(|(entry, report)| entry.is_wanted || report.verdict != Verdict::Holds)
        .map(|(_, report)| report)
        .collect();
    ProofReport { members }
}

/// Members that others must not take on trust.
fn untrusted<'r>(program: &Program, plan: &Plan, reports: impl Iterator<Item = &'r Finding>) -> Untrusted {
    use crate::dependencies::Member;
    let mut untrusted = Untrusted::default();
    for (entry, report) in plan.entries.iter().zip(reports) {
        if is_meaningless(program, report) {
            match entry.member {
                Member::Function(id) => untrusted.functions.insert(id),
                Member::Predicate(id) => untrusted.predicates.insert(id),
                Member::Method(id) => untrusted.methods.insert(id),
            };
        }
    }
    untrusted
}
