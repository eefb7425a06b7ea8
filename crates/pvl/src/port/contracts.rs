//! Contracts of processes, from what was found out about the ways to prove them.
//!
//! One way is enough. A way may use the contracts of other processes inductively, so that contracts stand and fall
//! together: those are proved that are left when all are taken away that need one that is not.

use std::collections::BTreeSet;
use std::sync::Arc;

use verdict::failure::Finding;
use verdict::{FailureReport, MemberReport, Reason, Verdict};

use super::Translated;
use crate::lower::{ContractWay, ContractWays, LoweredMember};

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
                let methods = contract.ways.iter().flat_map(|way| &way.methods);
                names.extend(methods.map(|method| method.to_string()));
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
        let mut ways = self.ways.iter().flat_map(|contract| &contract.ways);
        ways.any(|way| way.methods.iter().any(|method| **method == *finding.name))
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
    pub(super) fn judge(&self, contract: &str, report: &mut MemberReport, proofs: &Proofs) {
        let Some(known) = self.ways.iter().find(|known| *known.contract == *contract) else { return };
        for way in &known.ways {
            for method in proofs.reports.iter().filter(|it| way.has(&it.name)) {
                report.cost.time += method.cost.time;
                report.cost.solver_time += method.cost.solver_time;
                report.cost.queries += method.cost.queries;
                report.cost.paths += method.cost.paths;
            }
        }
        let failures = std::mem::take(&mut report.failures);
        report.stuck = None;
        if proofs.proved.contains(&known.contract) {
            report.verdict = Verdict::Holds;
            return;
        }
        report.verdict = Verdict::Unknown(match self.missing(known, proofs) {
            Some(missing) => Reason::RestsOn(missing),
            None => Reason::GaveUp(proofs.sentence(known, &failures)),
        });
    }

    /// The contracts that a way needs that is shown but for them.
    fn missing(
        &self,
        contract: &ContractWays,
        proofs: &Proofs,
    ) -> Option<Vec<(verdict::MemberKind, String)>> {
        let way = contract.ways.iter().find(|way| proofs.is_shown(way))?;
        let missing = way.relies_on.iter().filter(|used| !proofs.proved.contains(*used));
        let named = missing.filter_map(|used| self.member(used)).map(|it| (it.kind, it.name.clone()));
        Some(named.collect()).filter(|missing: &Vec<_>| !missing.is_empty())
    }
}

impl ContractWay {
    fn has(&self, method: &str) -> bool {
        self.methods.iter().any(|known| **known == *method)
    }
}

impl Proofs {
    /// Whether all methods of a way are proved.
    fn is_shown(&self, way: &ContractWay) -> bool {
        let is_proved = |method: &Arc<str>| {
            self.reports.iter().any(|it| *it.name == **method && it.verdict == Verdict::Holds)
        };
        way.methods.iter().all(is_proved)
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
