//! Programs for contracts of processes, proved by trying all values of small domains, against runs of the processes, which
//! code of its own plays. What is proved is never refuted by a run.
//!
//! Parameters are numbers up to two that calls make smaller, fields are truth values: nothing lies outside of what is tried.
//! `PROBITY_SLOW_TESTS` takes ten times as many models.

#[path = "../support/build.rs"]
mod build;
mod models;
mod prove;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/steps.rs"]
mod steps;
mod studies;
#[path = "../support/terms.rs"]
mod terms;

use process::{StatedEffects, Strategy, contract_proofs};

use crate::models::Scenario;
use crate::prove::{Outcome, attempts, proved};
use crate::random::Random;

#[test]
fn what_is_proved_is_never_refuted() {
    let all = if std::env::var_os("PROBITY_SLOW_TESTS").is_some() { 4_000 } else { 200 };
    let (mut parallel, mut refuted, mut open) = (0, 0, 0);
    let (mut commuted, mut expanded) = (0, 0);
    for seed in 0..all {
        let scenario = Scenario::random(&mut Random::new(seed));
        let model = scenario.model();
        let proofs = contract_proofs(&model, &StatedEffects);
        let tried: Vec<Vec<Outcome>> = proofs.iter().map(attempts).collect();
        let shown = proved(&proofs, &tried);
        for (place, proof) in proofs.iter().enumerate() {
            let process = proof.process.0 as usize;
            let run = scenario.refutation(process);
            match (shown.contains(&proof.process), &run) {
                (true, Some(run)) => {
                    let ways = proof.ways.iter().zip(&tried[place]);
                    let ways: Vec<_> =
                        ways.filter(|(_, outcome)| **outcome == Outcome::Valid).map(|(way, _)| way).collect();
                    panic!("seed {seed}: X{process} is proved and refuted by {run}: {scenario}\n{ways:#?}");
                }
                (true, None) => {
                    let mut valid = proof.ways.iter().zip(&tried[place]);
                    let way = valid.find(|(_, outcome)| **outcome == Outcome::Valid);
                    match way.map(|(way, _)| way.strategy) {
                        Some(Strategy::Commutation(_)) => commuted += 1,
                        Some(Strategy::Expansion(_)) => expanded += 1,
                        _ => {}
                    }
                    parallel += u32::from(proof.ways.iter().any(|way| way.strategy != Strategy::Sequential));
                }
                (false, Some(_)) => refuted += 1,
                (false, None) => open += 1,
            }
        }
    }
    let wanted = all as u32 / 10;
    assert!(
        parallel > wanted && refuted > wanted && commuted > wanted / 4 && expanded > wanted / 8,
        "{parallel} with parallel parts proved ({commuted} by commutation, {expanded} by expansion), \
         {refuted} refuted, {open} open"
    );
}
