//! Reports about a PVL program, from what was found out about the Silver that it lowers into.
//!
//! Several members of Silver can stand for one of PVL. Failures that the program expects are none, and an expectation that
//! is not met exactly once is one.

use silver::port::{Context, render as silver_render};
use source::Span;
use verdict::failure::{Finding, Goal};
use verdict::{
    FailureReport, MemberKind, MemberReport, Obligation, ProofReport, QuantifierCount, QuantifierRole,
    Reason, Verdict,
};

use super::{Translated, render};
use crate::lower::LoweredMember;
use crate::syntax::tree::Expectation;

impl Translated {
    /// The report about the PVL program.
    pub(super) fn translate_report(&self, context: Context<'_>, findings: Vec<Finding>) -> ProofReport {
        let mut members: Vec<MemberReport> = Vec::new();
        let mut passed_over: Vec<MemberReport> = Vec::new();
        let (proofs, findings): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| self.is_proof(finding));
        let proofs = proofs.into_iter().map(|finding| self.translate_finding(context, finding)).collect();
        let proofs = self.proofs(proofs);
        for finding in findings {
            let mut member = self.translate_finding(context, finding);
            self.judge(context, &member.name.clone(), &mut member, &proofs);
            // Looking for places that are not reached does not end a member, see `looks_on`.
            if self.smoke && member.verdict == Verdict::Violated && member.failures.is_empty() {
                member.verdict = Verdict::Holds;
            }
            if let Verdict::Unknown(Reason::RestsOn(others)) = &mut member.verdict {
                self.translate_members(others);
            }
            for count in &mut member.profile {
                self.translate_count(count);
            }
            match self.member(&member.name) {
                Some(known) => {
                    member.kind = known.kind;
                    member.name = known.name.clone();
                    member.span = known.span;
                    member.head = known.head;
                    // What the language itself checks stands nowhere in the program.
                    let is_elsewhere = |stuck: &&mut Obligation| stuck.span.file != known.span.file;
                    if let Some(stuck) = member.stuck.as_mut().filter(is_elsewhere) {
                        stuck.span = known.span;
                    }
                }
                // It was generated: it is told of only if something is wrong with it.
                None if member.verdict == Verdict::Holds => continue,
                None => {
                    member.span = self.origins.place(member.span);
                    member.head = member.span;
                    // It was generated for a part of a member of the program.
                    if let Some(around) = self.around(member.span) {
                        member.kind = around.kind;
                        member.name = around.name.clone();
                        member.span = around.span;
                        member.head = around.head;
                    } else if member.verdict == Verdict::Unknown(Reason::Interrupted) {
                        passed_over.push(member);
                        continue;
                    }
                }
            }
            let same = |other: &&mut MemberReport| {
                other.name == member.name && other.span == member.span && self.member_of(&other.name)
            };
            match members.iter_mut().find(same) {
                Some(other) => other.join(member),
                None => members.push(member),
            }
        }
        let mut report = ProofReport { members };
        for member in &mut report.members {
            remove_duplicates(&mut member.failures);
        }
        blame_resources(&mut report);
        self.apply_expectations(&mut report);
        // Whatever happened on the way: what is reported decides.
        for member in report.members.iter_mut().filter(|member| !member.failures.is_empty()) {
            member.verdict = Verdict::Violated;
        }
        // That the run was interrupted is said of members of the program. What was generated and has no place in it is
        // named only where everything else holds: it must not be forgotten.
        if report.members.iter().all(|member| member.verdict == Verdict::Holds) {
            report.members.append(&mut passed_over);
        }
        report
    }

    fn translate_finding(&self, context: Context<'_>, finding: Finding) -> MemberReport {
        let problems = self.problems(context, &finding.failures);
        let rendered = problems.iter().map(|problem| render::failure(problem, &self.tree, context.sources));
        let failures = rendered.collect();
        let stuck = finding.stuck.as_ref().map(|goal| self.translate_obligation(goal));
        let answers = finding.answers.iter().cloned().map(|mut answered| {
            let refutation = answered.refutation.take().and_then(|failure| {
                let problems = self.problems(context, std::slice::from_ref(&failure));
                problems.first().map(|problem| render::failure(problem, &self.tree, context.sources))
            });
            let span = self.origins.statement_place(answered.span);
            answered.with(span, refutation)
        });
        let answers = answers.collect();
        finding.with(failures, answers, stuck)
    }

    /// The innermost member that is written around a place.
    pub(super) fn around(&self, place: Span) -> Option<&LoweredMember> {
        let is_around = |member: &&LoweredMember| {
            let span = member.span;
            span.file == place.file && span.start <= place.start && place.end <= span.end
        };
        let around = self.members.iter().filter(is_around);
        around.min_by_key(|member| member.span.end - member.span.start)
    }

    /// Puts the names of members into terms of the program.
    fn translate_members(&self, members: &mut [(MemberKind, String)]) {
        for (kind, name) in members {
            if let Some(known) = self.member(name) {
                *kind = known.kind;
                *name = known.name.clone();
            }
        }
    }

    /// Says in terms of the program what a quantifier is for.
    fn translate_count(&self, count: &mut QuantifierCount) {
        count.span = count.span.map(|span| self.origins.place(span));
        count.triggers.iter_mut().flatten().for_each(|span| *span = self.origins.place(*span));
        if let Some(theory) = count.span.and_then(|span| self.origins.theory(span.file)) {
            count.span = None;
            count.triggers.clear();
            let part = match &count.role {
                QuantifierRole::Function { part, .. } => (*part).to_string(),
                QuantifierRole::Axiom { label, .. } => label.clone(),
                role => role.to_string(),
            };
            count.role = QuantifierRole::Named(format!("{theory}.{part}"));
            return;
        }
        let name = match &count.role {
            QuantifierRole::Function { name, .. } => {
                let Some(owner) = self.members.iter().find(|member| *member.silver == **name) else { return };
                format!("definition of `{}`", owner.name)
            }
            QuantifierRole::Locations(_) => "permissions and values of many locations".to_string(),
            QuantifierRole::Collection { kind: "multiset", law } => format!("bag.{law}"),
            QuantifierRole::Axiom { domain, types, label } if types.is_empty() => format!("{domain}.{label}"),
            _ => return,
        };
        count.role = QuantifierRole::Named(name);
    }

    fn member_of(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    pub(super) fn translate_obligation(&self, goal: &Goal) -> Obligation {
        let mut obligation = silver_render::obligation(goal);
        obligation.code = None;
        if let Some(check) = self.origins.check(goal.part) {
            obligation.text = format!("the check that {check}");
            obligation.clause = None;
        } else if let Some(text) = self.origins.obligation(goal.construct, goal.part) {
            obligation.text = text.to_string();
        }
        obligation.construct = self.origins.statement_place(obligation.construct);
        obligation.span = self.origins.statement_place(obligation.span);
        obligation.clause = obligation.clause.map(|clause| self.origins.place(clause));
        obligation
    }

    /// The innermost expectation that a failure meets.
    fn expected(&self, failure: &FailureReport) -> Option<usize> {
        let fits = |(_, expectation): &(usize, &Expectation)| {
            *expectation.code == *failure.code && expectation.contains(failure.span)
        };
        let fitting = self.tree.expectations.iter().enumerate().filter(fits);
        let innermost = fitting.min_by_key(|(_, expectation)| expectation.span.end - expectation.span.start);
        innermost.map(|(index, _)| index)
    }

    /// Whether nobody can tell what fails at a place: its member was not asked for, or its verdict is unknown.
    fn is_undecided(&self, report: &ProofReport, place: Span) -> bool {
        let mut reported = report.members.iter().filter(|member| touches(place, member.span)).peekable();
        match reported.peek() {
            Some(_) => reported.any(|member| matches!(member.verdict, Verdict::Unknown(_))),
            None => self.members.iter().any(|member| touches(place, member.span)),
        }
    }

    /// A failure that is expected is none; an expectation that is not met exactly once is one.
    fn apply_expectations(&self, report: &mut ProofReport) {
        let mut met = vec![0_usize; self.tree.expectations.len()];
        for member in &mut report.members {
            member.failures.retain(|failure| match self.expected(failure) {
                Some(index) => {
                    met[index] += 1;
                    false
                }
                None => true,
            });
            if member.verdict == Verdict::Violated && member.failures.is_empty() {
                member.verdict = Verdict::Holds;
            }
        }
        for (expectation, met) in self.tree.expectations.iter().zip(met) {
            let (code, message) = match met {
                1 => continue,
                0 if self.is_undecided(report, expectation.span) => continue,
                0 => (
                    "notTripped",
                    format!("a failure `{}` is expected here, but there is none", expectation.code),
                ),
                _ => (
                    "trippedTwice",
                    format!(
                        "the failure `{}` is expected here once, but occurs more often",
                        expectation.code
                    ),
                ),
            };
            let failure = FailureReport {
                code: code.to_string(),
                span: expectation.opening,
                message,
                notes: Vec::new(),
                help: None,
                counterexample: None,
                run: None,
            };
            blame_member(report, expectation.span, failure);
        }
    }
}

pub(super) fn touches(place: Span, span: Span) -> bool {
    span.file == place.file && span.start < place.end && place.start < span.end
}

/// Adds a failure to the member around a place, or to a new one.
fn blame_member(report: &mut ProofReport, place: Span, failure: FailureReport) {
    let position = report.members.iter().position(|member| touches(place, member.span));
    match position {
        Some(position) => {
            let member = &mut report.members[position];
            member.failures.push(failure);
            member.verdict = Verdict::Violated;
        }
        None => {
            let mut member = MemberReport::new(MemberKind::Method, "expectation", place, Verdict::Violated);
            member.failures.push(failure);
            report.members.push(member);
        }
    }
}

/// A resource that is kept and has no meaning has none wherever it is used; it is said once, where it is kept.
fn blame_resources(report: &mut ProofReport) {
    let kept = report.members.iter().filter(|member| member.kind == MemberKind::Resource);
    let failures = kept.flat_map(|member| &member.failures);
    let blamed: Vec<(String, Span)> = failures.map(|failure| (failure.code.clone(), failure.span)).collect();
    for member in report.members.iter_mut().filter(|member| member.kind != MemberKind::Resource) {
        let before = member.failures.len();
        member.failures.retain(|failure| {
            !blamed.iter().any(|(code, span)| *code == failure.code && *span == failure.span)
        });
        if member.failures.is_empty() && before > 0 {
            let sentence = "it rests on a resource that is kept and has no meaning".to_string();
            member.verdict = Verdict::Unknown(Reason::Unsupported(sentence));
        }
    }
}

/// The same failure can be found on several paths.
fn remove_duplicates(failures: &mut Vec<FailureReport>) {
    let mut seen: Vec<(String, Span)> = Vec::new();
    failures.retain(|failure| {
        let key = (failure.code.clone(), failure.span);
        let is_new = !seen.contains(&key);
        if is_new {
            seen.push(key);
        }
        is_new
    });
}
