//! What proofs rest on: what they take for granted, and members that are not proved themselves.
//!
//! A verdict *holds* says that everything was proved that can be. Axioms, contracts without a body, `assume` and their
//! like cannot be, and a function that applies itself without a measure may have no value at all; a proof that can reach
//! one of these, through whatever it uses, rests on it. What the tool adds by itself, its own library and the encoding
//! of a language, is not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use silver::port::{Reached, Written};
use silver::typed::{DomainId, FunctionId, FunctionOrigin, MethodId, MethodOrigin, PredicateId, Program};
use source::Span;
use symbolic::VerifyOptions;
use symbolic::dependencies::{Dependencies, Member};
use verdict::{Assumption, Inherited, MemberKind, MemberReport, ProofReport, Reason, Verdict};

use crate::verify::LoadedProgram;

/// Completes a report about a program: notes what each member rests on, and withdraws what holds only if something
/// holds that does not.
///
/// `meaningless` are members of the Silver program whose contracts or bodies are not well formed.
pub(crate) fn complete(
    report: &mut ProofReport,
    loaded: &LoadedProgram,
    options: &VerifyOptions,
    meaningless: &BTreeSet<String>,
) {
    let mut footing = Footing::new(loaded, options);
    for member in &mut report.members {
        member.assumptions = footing.assumptions(member);
    }
    footing.withdraw(report, meaningless);
    footing.inherit(report);
}

/// The members to prove when some are asked for by their names: these, and whatever their proofs use that nobody runs.
///
/// Whoever runs a program meets the failure of a method that is believed to do what its contract says. A lemma, ghost code
/// or the contract of a process is met by nobody: what rests on one holds only if that is proved as well.
pub(crate) fn with_what_nobody_runs(loaded: &LoadedProgram, names: &[String]) -> Vec<String> {
    let mut footing = Footing::unselected(loaded);
    let mut names = names.to_vec();
    let mut seen: BTreeSet<Member> = BTreeSet::new();
    loop {
        let silver = loaded.translation.wanted(&names);
        let is_wanted = |member: &Member| silver.iter().any(|name| name == footing.silver_name(*member));
        let mut work: Vec<Member> = footing.all().into_iter().filter(is_wanted).collect();
        let before = names.len();
        while let Some(member) = work.pop() {
            if !seen.insert(member) {
                continue;
            }
            for used in footing.uses(member).0.iter().copied() {
                match footing.unrun(used) {
                    Some(name) if !names.contains(&name) => names.push(name),
                    Some(_) => work.push(used),
                    // Of a method only the contract is used, which calls no other.
                    None if matches!(used, Member::Method(_)) => {}
                    None => work.push(used),
                }
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// What a member uses itself: other members, and the domains whose axioms say something about its terms.
type Uses = Rc<(BTreeSet<Member>, BTreeSet<DomainId>)>;

struct Footing<'p> {
    loaded: &'p LoadedProgram,
    program: &'p Program,
    dependencies: Dependencies,
    /// Names of the members that were asked for; all if absent.
    selected: Option<&'p [String]>,
    /// Methods that show that a function ends.
    proofs: BTreeMap<FunctionId, Vec<Member>>,
    uses: BTreeMap<Member, Uses>,
    /// Members that are made from one of the source, of which one is its proof and the others are other forms of it.
    forms: BTreeMap<Member, Rc<[Member]>>,
}

impl<'p> Footing<'p> {
    fn new(loaded: &'p LoadedProgram, options: &'p VerifyOptions) -> Footing<'p> {
        Footing { selected: options.members.as_deref(), ..Footing::unselected(loaded) }
    }

    fn unselected(loaded: &'p LoadedProgram) -> Footing<'p> {
        let program = &loaded.program;
        let mut proofs: BTreeMap<FunctionId, Vec<Member>> = BTreeMap::new();
        for (index, method) in program.methods.iter().enumerate() {
            if let MethodOrigin::TerminationProof(function) = method.origin {
                proofs.entry(function).or_default().push(Member::Method(MethodId(index as u32)));
            }
        }
        let dependencies = Dependencies::of(program);
        let forms = forms(loaded);
        Footing { loaded, program, dependencies, selected: None, proofs, uses: BTreeMap::new(), forms }
    }

    fn all(&self) -> Vec<Member> {
        let functions = (0..self.program.functions.len()).map(|at| Member::Function(FunctionId(at as u32)));
        let predicates =
            (0..self.program.predicates.len()).map(|at| Member::Predicate(PredicateId(at as u32)));
        let methods = (0..self.program.methods.len()).map(|at| Member::Method(MethodId(at as u32)));
        functions.chain(predicates).chain(methods).collect()
    }

    /// The name of what a method stands for, if nobody runs that and there is something to prove.
    fn unrun(&self, member: Member) -> Option<String> {
        let Member::Method(id) = member else { return None };
        let method = self.program.method(id);
        let context = self.loaded.context();
        let written = self.loaded.translation.made_from(context, MemberKind::Method, &method.name)?;
        let report = MemberReport::new(written.kind, &written.name, written.span, Verdict::Holds);
        let is_unrun =
            self.has_proof(member) && (is_proof(written.kind) || self.loaded.translation.is_erased(&report));
        is_unrun.then_some(written.name)
    }

    /// A member with all other forms of what it is made from.
    fn with_forms(&self, member: Member) -> Vec<Member> {
        self.forms.get(&member).map_or_else(|| vec![member], |forms| forms.to_vec())
    }

    /// The members of the Silver program that a report is about.
    fn members_of(&self, report: &MemberReport) -> Vec<Member> {
        let names = self.loaded.translation.parts(report);
        let is_named = |name: &String| names.contains(name);
        let mut found = Vec::new();
        for (index, function) in self.program.functions.iter().enumerate() {
            if is_named(&function.name) {
                let id = FunctionId(index as u32);
                found.push(Member::Function(id));
                found.extend(self.proofs.get(&id).into_iter().flatten().copied());
            }
        }
        let predicates = self.program.predicates.iter().enumerate();
        found.extend(
            predicates
                .filter(|(_, predicate)| is_named(&predicate.name))
                .map(|(index, _)| Member::Predicate(PredicateId(index as u32))),
        );
        let methods = self.program.methods.iter().enumerate();
        found.extend(
            methods
                .filter(|(_, method)| is_named(&method.name))
                .map(|(index, _)| Member::Method(MethodId(index as u32))),
        );
        let all: BTreeSet<Member> = found.into_iter().flat_map(|member| self.with_forms(member)).collect();
        all.into_iter().collect()
    }

    fn silver_name(&self, member: Member) -> &'p str {
        match member {
            Member::Function(id) => &self.program.function(id).name,
            Member::Predicate(id) => &self.program.predicate(id).name,
            Member::Method(id) => &self.program.method(id).name,
        }
    }

    fn uses(&mut self, member: Member) -> Uses {
        let (program, dependencies, proofs) = (self.program, &self.dependencies, &self.proofs);
        let forms = &self.forms;
        let uses = self.uses.entry(member).or_insert_with(|| {
            let mut used = dependencies.used_by(member);
            let others = used.iter().chain([&member]).filter_map(|used| forms.get(used));
            let others: Vec<Member> = others.flat_map(|forms| forms.iter().copied()).collect();
            used.extend(others);
            let functions: Vec<FunctionId> = used
                .iter()
                .filter_map(|member| match member {
                    Member::Function(id) => Some(*id),
                    _ => None,
                })
                .collect();
            used.extend(functions.iter().filter_map(|id| proofs.get(id)).flatten().copied());
            if let Member::Function(id) = member
                && let FunctionOrigin::PredicateInstance(predicate) = program.function(id).origin
            {
                used.insert(Member::Predicate(predicate));
            }
            Rc::new((used, dependencies.reach(member).domains))
        });
        uses.clone()
    }

    /// Everything that the proofs of some members can reach, these included. A method that was not asked for is a
    /// contract and nothing else.
    fn reached(&mut self, roots: &[Member]) -> (BTreeSet<Member>, BTreeSet<DomainId>) {
        let mut members: BTreeSet<Member> = roots.iter().copied().collect();
        let mut domains = BTreeSet::new();
        let mut work = roots.to_vec();
        while let Some(member) = work.pop() {
            if !roots.contains(&member) && self.is_left_out(member) {
                continue;
            }
            let uses = self.uses(member);
            domains.extend(&uses.1);
            work.extend(uses.0.iter().copied().filter(|used| members.insert(*used)));
        }
        (members, domains)
    }

    /// Whether only the contract of a member was looked at.
    fn is_left_out(&self, member: Member) -> bool {
        let Member::Method(id) = member else { return false };
        let Some(names) = self.selected.filter(|_| self.program.method(id).origin == MethodOrigin::Source)
        else {
            return false;
        };
        let asked_for = self.loaded.translation.silver_names(names);
        let is_asked_for = |form: &Member| asked_for.iter().any(|name| name == self.silver_name(*form));
        !self.with_forms(member).iter().any(is_asked_for)
    }

    // ---- what is taken for granted ----

    fn assumptions(&mut self, report: &MemberReport) -> Vec<Assumption> {
        let roots = self.members_of(report);
        let (members, domains) = self.reached(&roots);
        let graph = self.dependencies.call_graph();
        let mut found = Vec::new();
        let mut reached = Reached { domains, ..Reached::default() };
        for member in &members {
            // What has no body is trusted in any case, and the language says as what.
            if self.is_left_out(*member) && (roots.contains(member) || self.has_proof(*member)) {
                found.extend(self.left_out(*member).filter(|_| !roots.contains(member)));
                continue;
            }
            match member {
                Member::Function(id) => {
                    reached.functions.insert(*id);
                    reached.recursive.extend(Some(*id).filter(|id| graph.is_recursive_call(*id, *id)));
                }
                Member::Predicate(id) => {
                    reached.predicates.insert(*id);
                }
                Member::Method(id) => {
                    reached.methods.insert(*id);
                }
            }
        }
        found.extend(self.loaded.translation.assumptions(self.loaded.context(), &reached));
        found.retain(|assumption| !self.is_built_in(assumption.span));
        found.sort_by_key(|it| (it.span.file, it.span.start, it.span.end, it.kind));
        found.dedup();
        found
    }

    /// The library of the language, and what stands for no text.
    fn is_built_in(&self, span: Span) -> bool {
        self.loaded.sources.file(span.file).is_own
    }

    /// Whether there is a body to prove, in one of the forms that a member has.
    fn has_proof(&self, member: Member) -> bool {
        let is_proof = |form: &Member| match form {
            Member::Method(id) => self.program.method(*id).body.is_some(),
            _ => true,
        };
        self.with_forms(member).iter().any(is_proof)
    }

    /// What is said of a method that was not asked for.
    fn left_out(&self, member: Member) -> Option<Assumption> {
        let Member::Method(id) = member else { return None };
        let method = self.program.method(id);
        if method.postconditions.is_empty() {
            return None;
        }
        let context = self.loaded.context();
        let written = self.loaded.translation.made_from(context, MemberKind::Method, &method.name)?;
        Some(Assumption { kind: Assumption::NOT_SELECTED, name: written.name, span: written.span })
    }

    // ---- what is inherited ----

    /// Notes for each member which contracts of processes it follows, and how these were established.
    fn inherit(&mut self, report: &mut ProofReport) {
        let known: Vec<Inherited> = report
            .members
            .iter()
            .filter_map(|member| {
                let (name, span) = (member.name.clone(), member.span);
                Some(Inherited { name, span, how: member.how()? })
            })
            .collect();
        for member in report.members.iter_mut().filter(|member| member.kind != MemberKind::Process) {
            let used: BTreeSet<Member> =
                self.members_of(member).iter().flat_map(|root| self.uses(*root).0.clone()).collect();
            let mut followed = Vec::new();
            for used in used {
                let Member::Method(id) = used else { continue };
                let name = &self.program.method(id).name;
                let written =
                    self.loaded.translation.written(self.loaded.context(), MemberKind::Method, name);
                let Some(written) = written.filter(|it| it.kind == MemberKind::Process) else { continue };
                let is_it = |it: &&Inherited| it.name == written.name && it.span == written.span;
                followed.extend(known.iter().find(is_it).cloned());
            }
            followed.sort_by_key(|it| (it.span.file, it.span.start));
            member.relies_on = followed;
        }
        // Who does not follow a process has nothing of it.
        let holds = |it: &&mut MemberReport| it.verdict == Verdict::Holds;
        for member in report.members.iter_mut().filter(holds) {
            member.creations = self.loaded.translation.creations(self.loaded.context(), member, &known);
        }
    }

    // ---- what is not proved ----

    /// Withdraws what holds only because something is believed that is not proved: a function, a lemma, or that a
    /// contract or a predicate has a meaning. A method that is wrong is believed to do what its contract says, because
    /// a run of the program comes to its failure first. Ghost code is not run, so it is not believed.
    fn withdraw(&mut self, report: &mut ProofReport, meaningless: &BTreeSet<String>) {
        let mut unproved: BTreeMap<Member, (MemberKind, String)> = BTreeMap::new();
        for member in report.members.iter().filter(|it| it.verdict != Verdict::Holds) {
            let is_proof = is_proof(member.kind) || self.loaded.translation.is_erased(member);
            for about in self.members_of(member) {
                if is_proof || meaningless.contains(self.silver_name(about)) {
                    unproved.insert(about, (member.kind, member.name.clone()));
                }
            }
        }
        // What is withdrawn was not refuted, so no run need fail there first: all that use it are withdrawn, too.
        while !unproved.is_empty() && self.withdraw_once(report, &mut unproved) {}
    }

    /// Withdraws what uses something unproved itself; whether there was anything.
    fn withdraw_once(
        &mut self,
        report: &mut ProofReport,
        unproved: &mut BTreeMap<Member, (MemberKind, String)>,
    ) -> bool {
        let mut withdrawn: Vec<(Member, (MemberKind, String))> = Vec::new();
        for member in report.members.iter_mut().filter(|member| member.verdict == Verdict::Holds) {
            let roots = self.members_of(member);
            let mut rests: Vec<(MemberKind, String)> = Vec::new();
            for used in roots.iter().flat_map(|root| self.uses(*root).0.clone()) {
                if let Some(known) = unproved.get(&used)
                    && !roots.contains(&used)
                    && !rests.contains(known)
                {
                    rests.push(known.clone());
                }
            }
            if !rests.is_empty() {
                member.verdict = Verdict::Unknown(Reason::RestsOn(rests));
                withdrawn.extend(roots.iter().map(|root| (*root, (member.kind, member.name.clone()))));
            }
        }
        let is_any = !withdrawn.is_empty();
        unproved.extend(withdrawn);
        is_any
    }
}

/// Whether such members are there for proofs only.
fn is_proof(kind: MemberKind) -> bool {
    matches!(kind, MemberKind::Function | MemberKind::Lemma | MemberKind::Process)
}

/// Which members are made from the same one of the source; those that are alone are left out.
fn forms(loaded: &LoadedProgram) -> BTreeMap<Member, Rc<[Member]>> {
    let program = &loaded.program;
    let functions = program.functions.iter().enumerate();
    let predicates = program.predicates.iter().enumerate();
    let methods = program.methods.iter().enumerate();
    let all = functions
        .map(|(index, it)| (Member::Function(FunctionId(index as u32)), MemberKind::Function, &it.name))
        .chain(predicates.map(|(index, it)| {
            (Member::Predicate(PredicateId(index as u32)), MemberKind::Predicate, &it.name)
        }))
        .chain(
            methods.map(|(index, it)| (Member::Method(MethodId(index as u32)), MemberKind::Method, &it.name)),
        );
    let mut written: Vec<(Written, Vec<Member>)> = Vec::new();
    for (member, kind, name) in all {
        let Some(origin) = loaded.translation.made_from(loaded.context(), kind, name) else { continue };
        match written.iter_mut().find(|(other, _)| other.span == origin.span && other.name == origin.name) {
            Some((_, forms)) => forms.push(member),
            None => written.push((origin, vec![member])),
        }
    }
    let several = written.into_iter().filter(|(_, forms)| forms.len() > 1);
    several
        .flat_map(|(_, forms)| {
            let forms: Rc<[Member]> = forms.into();
            forms.iter().map(|form| (*form, forms.clone())).collect::<Vec<_>>()
        })
        .collect()
}
