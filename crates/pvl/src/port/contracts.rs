//! Contracts of processes, from what was found out about the ways to prove them.
//!
//! One way is enough. A way may use the contracts of other processes inductively, so that contracts stand and fall
//! together: those are proved that are left when all are taken away that need one that is not. Where there is no proof,
//! small instances are searched for a run that refutes the contract.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use model::processes::SmallSearch;
use silver::port::Context;
use source::Diagnostic;
use verdict::failure::Finding;
use verdict::{Counterexample, FailureReport, Instance, MemberKind, MemberReport, Reason, Trace, Verdict};

use super::Translated;
use crate::codes;
use crate::lower::{ContractWay, ContractWays, LoweredMember};
use crate::models::Converted;

/// What a search found, and how long it took.
pub(super) type Searched = (SmallSearch, Duration);

/// The methods of the contracts with these names; what is wrong with a name otherwise.
pub(super) fn assumed(
    names: &[String],
    members: &[LoweredMember],
    ways: &[ContractWays],
) -> Result<Vec<Arc<str>>, String> {
    let mut found = Vec::new();
    for name in names {
        let is_contract = |member: &&LoweredMember| {
            member.name == *name && ways.iter().any(|known| known.contract == member.silver)
        };
        match members.iter().find(is_contract) {
            Some(member) => found.push(member.silver.clone()),
            None => return Err(format!("there is no process `{name}` with a contract")),
        }
    }
    Ok(found)
}

/// What is known of the methods that are proofs.
pub(super) struct Proofs {
    /// Contracts that are proved, by their methods.
    proved: BTreeSet<Arc<str>>,
    reports: Vec<MemberReport>,
}

impl Translated {
    /// Names of methods, with those that prove contracts among them.
    pub(super) fn with_proofs(&self, mut names: Vec<String>) -> Vec<String> {
        for contract in &self.ways {
            if names.iter().any(|name| **name == *contract.contract) {
                names.extend(contract.methods().map(|method| method.to_string()));
            }
        }
        names
    }

    /// Names of members of the program, with those of contracts among them that others need for their proofs.
    pub(super) fn with_relied_on(&self, silver: Vec<String>) -> Vec<String> {
        let mut names = self.with_proofs(silver);
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            let known = self.ways.iter().find(|known| *known.contract == *name);
            let used = known.iter().flat_map(|known| &known.ways).flat_map(|way| &way.relies_on);
            let new: Vec<String> = used
                .filter(|it| !names.iter().any(|name| **name == ***it))
                .map(|it| it.to_string())
                .collect();
            names.extend(self.with_proofs(new));
        }
        names
    }

    pub(super) fn is_proof(&self, finding: &Finding) -> bool {
        self.ways.iter().flat_map(ContractWays::methods).any(|method| **method == *finding.name)
    }

    /// Which contracts are proved, where these are the reports about the methods that may prove them.
    pub(super) fn proofs(&self, reports: Vec<MemberReport>) -> Proofs {
        let mut proofs = Proofs { proved: BTreeSet::new(), reports };
        for contract in &self.ways {
            if self.assumed.contains(&contract.contract)
                || contract.ways.iter().any(|way| proofs.is_shown(way))
            {
                proofs.proved.insert(contract.contract.clone());
            }
        }
        loop {
            let is_lost = |contract: &&ContractWays| {
                proofs.proved.contains(&contract.contract)
                    && !self.assumed.contains(&contract.contract)
                    && !contract.ways.iter().any(|way| proofs.is_shown(way) && proofs.has_all(way))
            };
            let lost: Vec<Arc<str>> =
                self.ways.iter().filter(is_lost).map(|contract| contract.contract.clone()).collect();
            if lost.is_empty() {
                return proofs;
            }
            proofs.proved.retain(|contract| !lost.contains(contract));
        }
    }

    /// The contracts that one is believed by: itself, and what ways to prove it use.
    pub(super) fn assumed_by(&self, contract: &str) -> Vec<&LoweredMember> {
        let mut reached: Vec<&str> = vec![contract];
        let mut at = 0;
        while let Some(next) = reached.get(at).copied() {
            at += 1;
            let is_assumed = self.assumed.iter().any(|known| **known == *next);
            let known = self.ways.iter().find(|known| *known.contract == *next).filter(|_| !is_assumed);
            for used in known.iter().flat_map(|known| &known.ways).flat_map(|way| &way.relies_on) {
                if !reached.contains(&&**used) {
                    reached.push(used);
                }
            }
        }
        let assumed = self.assumed.iter().filter(|known| reached.contains(&&***known));
        assumed.filter_map(|known| self.member(known)).collect()
    }

    /// What is said of a contract: nothing else but its proof counts.
    pub(super) fn judge(
        &self,
        context: Context<'_>,
        contract: &str,
        report: &mut MemberReport,
        proofs: &Proofs,
    ) {
        let Some(known) = self.ways.iter().find(|known| *known.contract == *contract) else { return };
        for method in known.methods().filter_map(|name| proofs.report(name)) {
            report.cost.time += method.cost.time;
            report.cost.solver_time += method.cost.solver_time;
            report.cost.queries += method.cost.queries;
            report.cost.paths += method.cost.paths;
        }
        report.warnings.extend(proofs.emptiness(known));
        let failures = std::mem::take(&mut report.failures);
        report.stuck = None;
        if proofs.proved.contains(&known.contract) {
            report.verdict = Verdict::Holds;
            return;
        }
        let missing = self.missing(known, proofs);
        // What is used may still be proved: then there is nothing to refute.
        if missing.as_ref().is_some_and(|missing| missing.iter().any(|used| !proofs.is_done(used))) {
            report.verdict = Verdict::Unknown(Reason::RestsOn(named(missing.unwrap_or_default())));
            return;
        }
        let (found, time) = &*self.searched(context, known);
        report.cost.time += *time;
        match (found, missing) {
            (SmallSearch::Refuted { sentence, trace, instance }, _) => {
                report.verdict = Verdict::Violated;
                report.failures.push(refuted(known, sentence, trace, instance));
            }
            (SmallSearch::Nothing(_), Some(missing)) => {
                report.verdict = Verdict::Unknown(Reason::RestsOn(named(missing)));
            }
            (SmallSearch::Nothing(covered), None) => {
                let why = proofs.sentence(known, &failures);
                report.verdict = Verdict::Unknown(Reason::GaveUp(format!("{why}; {}", covered.sentence())));
            }
        }
    }

    /// What a search through small instances of a contract found; it is done once.
    fn searched(&self, context: Context<'_>, contract: &ContractWays) -> Arc<Searched> {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let searched = searches.entry(contract.contract.clone()).or_insert_with(|| {
            let begin = Instant::now();
            let Converted { model, foreign, .. } = &*contract.converted;
            let found = silver::with_large_stack(|| {
                model::processes::refute(model, foreign, contract.process, context.sources)
            });
            Arc::new((found, begin.elapsed()))
        });
        searched.clone()
    }

    /// The contracts that a way needs that is shown but for them.
    fn missing(&self, contract: &ContractWays, proofs: &Proofs) -> Option<Vec<Missing<'_>>> {
        let way = contract.ways.iter().find(|way| proofs.is_shown(way))?;
        let missing = way.relies_on.iter().filter(|used| !proofs.proved.contains(*used));
        let found = missing.filter_map(|used| {
            let ways = self.ways.iter().find(|known| known.contract == *used)?;
            Some(Missing { member: self.member(used)?, ways })
        });
        Some(found.collect()).filter(|missing: &Vec<_>| !missing.is_empty())
    }
}

/// A contract that is used and not proved.
struct Missing<'t> {
    member: &'t LoweredMember,
    ways: &'t ContractWays,
}

fn named(missing: Vec<Missing<'_>>) -> Vec<(MemberKind, String)> {
    missing.into_iter().map(|it| (it.member.kind, it.member.name.clone())).collect()
}

/// A contract that a run refutes.
fn refuted(contract: &ContractWays, sentence: &str, trace: &Trace, instance: &Instance) -> FailureReport {
    let process = &contract.converted.model.processes[contract.process.0 as usize];
    let values = instance.arguments.iter().chain(&instance.fields).cloned().collect();
    FailureReport {
        code: "contractFalse".to_string(),
        span: process.span,
        message: format!("a run of `{}` ends where its contract is false: {sentence}", process.name),
        notes: Vec::new(),
        help: None,
        counterexample: Some(Counterexample { values }).filter(|found| !found.values.is_empty()),
        run: Some(Box::new(trace.clone())),
    }
}

impl ContractWay {
    fn has(&self, method: &str) -> bool {
        self.methods.iter().any(|known| **known == *method)
    }
}

impl Proofs {
    fn report(&self, method: &str) -> Option<&MemberReport> {
        self.reports.iter().find(|it| *it.name == *method)
    }

    fn is_proved(&self, method: &str) -> bool {
        self.report(method).is_some_and(|it| it.verdict == Verdict::Holds)
    }

    /// Whether all methods of a way are proved.
    fn is_shown(&self, way: &ContractWay) -> bool {
        way.methods.iter().all(|method| self.is_proved(method))
    }

    /// What is said of a contract that says nothing.
    fn emptiness(&self, contract: &ContractWays) -> Option<Diagnostic> {
        let empty = contract.emptiness.as_ref()?;
        let process = &contract.converted.model.processes[contract.process.0 as usize];
        let warning = |message: String, help: &str| {
            Some(Diagnostic::warning(codes::EMPTY_CONTRACT, process.span, message).help(help))
        };
        if empty.requires.as_ref().is_some_and(|method| self.is_proved(method)) {
            let message =
                format!("the contract of `{}` says nothing: its `requires` is never true", process.name);
            return warning(message, "a program can never create this process");
        }
        if empty.ends.iter().any(|way| self.is_shown(way) && self.has_all(way)) {
            let message = format!("the contract of `{}` says nothing: no run of it ends", process.name);
            return warning(
                message,
                "`ensures` is about runs that end; what holds on the way is said by `ltl`",
            );
        }
        None
    }

    /// Whether everything is known about the ways to prove a contract.
    fn is_done(&self, missing: &Missing<'_>) -> bool {
        let mut methods = missing.ways.ways.iter().flat_map(|way| &way.methods);
        methods.all(|method| self.report(method).is_some())
    }

    fn has_all(&self, way: &ContractWay) -> bool {
        way.relies_on.iter().all(|used| self.proved.contains(used))
    }

    /// Why no way leads to a proof.
    fn sentence(&self, contract: &ContractWays, own: &[FailureReport]) -> String {
        let about_meaning = own.iter().filter(|failure| failure.code != "contractUnproved");
        let mut sentences: Vec<String> = about_meaning.map(|failure| failure.message.clone()).collect();
        for way in &contract.ways {
            for method in self.reports.iter().filter(|it| way.has(&it.name)) {
                for failure in &method.failures {
                    let text = match (&*failure.code, &way.beyond) {
                        ("contractBeyond", Some(term)) => format!(
                            "runs get as far as `{term}`: a process that is defined as this, with a contract, would help"
                        ),
                        _ => failure.message.clone(),
                    };
                    if !sentences.contains(&text) {
                        sentences.push(text);
                    }
                }
            }
        }
        if sentences.is_empty() {
            return "no way to prove the contract was found".to_string();
        }
        format!("the contract is not proved: {}", sentences.join("; "))
    }
}
