//! Proving a Silver program: reading it with its imports, and running the deductive engine over its members.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use silver::typed::{FunctionOrigin, MethodOrigin, Program};
use source::{Diagnostic, SourceMap, Span};
use symbolic::VerifyOptions;
use verdict::{MemberKind, MemberReport, ProofCost, ProofObserver, ProofReport, Reason, Verdict};

use crate::callees;
use crate::check::Failure;
use crate::footing;
use crate::history::History;
use crate::near_names::near_names;
use crate::programs::{ProgramOptions, ProgramText};
use crate::pvl_observer::TranslatingObserver;
use crate::pvl_program::Translation;
use crate::recorder::{MemberText, Recorder};

/// A program that was read and typed.
pub struct LoadedProgram {
    pub name: String,
    /// The files that were asked for, without those that they import.
    pub files: Vec<String>,
    pub sources: SourceMap,
    pub program: Program,
    /// Warnings: errors end the loading.
    pub warnings: Vec<Diagnostic>,
    /// For a program that was lowered from PVL.
    pub translation: Option<Translation>,
}

/// Imported files by their paths, which the front end has already made relative to the importing file; files of a
/// library in the folders that were given for that, in order.
struct DiskLoader<'f> {
    folders: &'f [PathBuf],
}

impl silver::Loader for DiskLoader<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn load_library(&self, path: &str) -> Option<(String, String)> {
        self.folders.iter().find_map(|folder| {
            let file = folder.join(path);
            let bytes = std::fs::read(&file).ok()?;
            Some((file.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
        })
    }
}

/// Parses and types a Silver program.
pub(crate) fn load_silver_text(
    name: &str,
    text: &Arc<str>,
    options: &ProgramOptions,
) -> Result<LoadedProgram, Failure> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text.clone());
    let loader = DiskLoader { folders: &options.folders };
    let resolved = silver::resolve(&mut sources, file, &loader, &options.silver);
    match resolved.program {
        Some(program) => {
            let (name, warnings) = (name.to_string(), resolved.diagnostics);
            let files = vec![name.clone()];
            Ok(LoadedProgram { name, files, sources, program, warnings, translation: None })
        }
        None => Err(Failure { sources, diagnostics: resolved.diagnostics, message: None }),
    }
}

/// The program as it is written, without comments, in the layout of the printer.
pub fn print_program(program: &ProgramText) -> Result<String, Failure> {
    let mut sources = SourceMap::default();
    let file = sources.add(program.name.clone(), program.text.clone());
    let (tree, diagnostics) = silver::syntax::parse(file, &sources.file(file).text);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Failure { sources, diagnostics, message: None });
    }
    Ok(silver::with_large_stack(|| silver::syntax::print(&tree)))
}

/// The program as the engine sees it: imports, macros and plugins are gone.
pub fn print_typed(loaded: &LoadedProgram) -> String {
    silver::with_large_stack(|| silver::typed::print(&loaded.program))
}

/// Verifies the members of a program.
///
/// Every member that was asked for has a report: what the engine passes over in silence is unknown, never verified.
pub fn verify(
    loaded: &LoadedProgram,
    options: &VerifyOptions,
    observer: &dyn ProofObserver,
) -> Result<ProofReport, Failure> {
    verify_with_history(loaded, options, observer, &mut History::default())
}

/// As [`verify`]; the observer is told how long members took before, and the history how long they take now.
pub fn verify_with_history(
    loaded: &LoadedProgram,
    options: &VerifyOptions,
    observer: &dyn ProofObserver,
    history: &mut History,
) -> Result<ProofReport, Failure> {
    let (mut report, meaningless) = match &loaded.translation {
        Some(translation) => {
            let observer = TranslatingObserver::new(observer, translation, &loaded.sources);
            let recorder = Recorder::new(&observer, history, loaded, options);
            let report = verify_translated(loaded, translation, options, &recorder);
            remember(recorder.finished(), history);
            report
        }
        None => {
            let recorder = Recorder::new(observer, history, loaded, options);
            let mut report = verify_silver(loaded, options, &recorder);
            remember(recorder.finished(), history);
            if let Ok((report, _)) = &mut report {
                hide_relations(report, &loaded.program);
            }
            report
        }
    }?;
    footing::complete(&mut report, loaded, options, &meaningless);
    Ok(report)
}

fn remember((program, finished): (u64, Vec<(MemberText, Duration)>), history: &mut History) {
    if history.add(program, &finished) {
        history.write();
    }
}

/// Verifies the Silver that a PVL program lowers into, and reports about the PVL program.
fn verify_translated(
    loaded: &LoadedProgram,
    translation: &Translation,
    options: &VerifyOptions,
    observer: &dyn ProofObserver,
) -> Result<(ProofReport, BTreeSet<String>), Failure> {
    let mut options = options.clone();
    options.members = options.members.map(|names| translation.with_resources(&names));
    options.all_errors |= translation.looks_on();
    let (report, meaningless) = verify_silver(loaded, &options, observer)?;
    Ok((translation.report(report, &loaded.sources), meaningless))
}

/// The report, and the names of members whose contracts or bodies are not well formed.
fn verify_silver(
    loaded: &LoadedProgram,
    options: &VerifyOptions,
    observer: &dyn ProofObserver,
) -> Result<(ProofReport, BTreeSet<String>), Failure> {
    let options = &with_generated(options, &loaded.program);
    if let Some(folder) = &options.log_folder {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::message(format!("cannot make {}: {error}", folder.display())))?;
    }
    let run = || catch_unwind(AssertUnwindSafe(|| symbolic::verify(&loaded.program, options, observer)));
    let (mut report, reason) = match silver::with_large_stack(run) {
        Ok(report) if options.interrupt.load(Ordering::Relaxed) => (report, Reason::Interrupted),
        Ok(report) => (report, Reason::Internal("the engine did not look at it".to_string())),
        Err(_) => {
            let sentence = "the engine stopped by a fault of its own; please report it with this input";
            (ProofReport::default(), Reason::Internal(sentence.to_string()))
        }
    };
    let is_meaningless = |member: &&MemberReport| {
        member.failures.iter().any(|failure| failure.code.contains("not.wellformed:"))
    };
    let meaningless =
        report.members.iter().filter(is_meaningless).map(|member| member.name.clone()).collect();
    callees::name(&mut report, &loaded.program, loaded.translation.as_ref());
    fold_generated(&mut report, &loaded.program);
    // Others are there only if something is wrong with them that the proofs rest on.
    report.members.retain(|member| is_wanted(options, &member.name) || member.verdict != Verdict::Holds);
    complete(&mut report, &loaded.program, options, &reason);
    Ok((report, meaningless))
}

/// Domains whose functions the checks of termination apply; programs write measures, not these.
const RELATIONS: [&str; 2] = ["WellFoundedOrder", "PredicateInstancesNestedRelation"];

/// Takes the relations of termination checks out of counterexamples: that `decreasing(n, m)` is false says in words of
/// the encoding what the failure says in those of the program.
fn hide_relations(report: &mut ProofReport, program: &Program) {
    let domains = program.domains.iter().filter(|domain| RELATIONS.contains(&domain.name.as_str()));
    let hidden: Vec<&str> = domains
        .flat_map(|domain| &domain.functions)
        .map(|function| program.domain_function(*function).name.as_str())
        .collect();
    let is_shown = |name: &str| name.split_once('(').is_none_or(|(word, _)| !hidden.contains(&word));
    for failure in report.members.iter_mut().flat_map(|member| &mut member.failures) {
        if let Some(counterexample) = &mut failure.counterexample {
            counterexample.values.retain(|(name, _)| is_shown(name));
        }
        failure.counterexample = failure.counterexample.take().filter(|found| !found.values.is_empty());
    }
}

/// What plugins generated, with the member that it was generated for.
fn generated(program: &Program) -> impl Iterator<Item = ((MemberKind, &str), (MemberKind, &str))> {
    let proofs = program.methods.iter().filter_map(|method| match method.origin {
        MethodOrigin::TerminationProof(id) => {
            let owner = program.function(id).name.as_str();
            Some(((MemberKind::Method, method.name.as_str()), (MemberKind::Function, owner)))
        }
        MethodOrigin::Source => None,
    });
    let instances = program.functions.iter().filter_map(|function| match function.origin {
        FunctionOrigin::PredicateInstance(id) => {
            let owner = program.predicate(id).name.as_str();
            Some(((MemberKind::Function, function.name.as_str()), (MemberKind::Predicate, owner)))
        }
        FunctionOrigin::Source => None,
    });
    proofs.chain(instances)
}

/// Who asks for a member asks for what was generated for it.
fn with_generated(options: &VerifyOptions, program: &Program) -> VerifyOptions {
    let mut options = options.clone();
    if let Some(names) = &mut options.members {
        for ((_, name), (_, owner)) in generated(program) {
            if names.iter().any(|wanted| wanted == owner) {
                names.push(name.to_string());
            }
        }
    }
    options
}

/// Nobody wrote the generated members, so what is said about them is said about their owners.
fn fold_generated(report: &mut ProofReport, program: &Program) {
    for ((kind, name), (owner_kind, owner)) in generated(program) {
        let position = |kind: MemberKind, name: &str, report: &ProofReport| {
            report.members.iter().position(|member| member.kind == kind && member.name == name)
        };
        let Some(from) = position(kind, name, report) else { continue };
        if position(owner_kind, owner, report).is_none() {
            // The owner is left out because it holds by itself; then this is what there is to say about it.
            report.members[from].kind = owner_kind;
            report.members[from].name = owner.to_string();
            continue;
        }
        let part = report.members.remove(from);
        let Some(to) = position(owner_kind, owner, report) else { continue };
        let whole = &mut report.members[to];
        whole.verdict = whole.verdict.clone().and(part.verdict);
        whole.failures.extend(part.failures);
        whole.stuck = whole.stuck.take().or(part.stuck);
        whole.profile.extend(part.profile);
        whole.cost.time += part.cost.time;
        whole.cost.solver_time += part.cost.solver_time;
        whole.cost.queries += part.cost.queries;
        whole.cost.resources += part.cost.resources;
        whole.cost.paths += part.cost.paths;
    }
}

fn is_wanted(options: &VerifyOptions, name: &str) -> bool {
    options.members.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name))
}

/// Adds the members without a report.
fn complete(report: &mut ProofReport, program: &Program, options: &VerifyOptions, reason: &Reason) {
    for (kind, name, span) in members(program) {
        let has_report = report.members.iter().any(|member| member.kind == kind && member.name == name);
        if is_wanted(options, name) && !has_report {
            report.members.push(MemberReport {
                name: name.to_string(),
                kind,
                span,
                verdict: Verdict::Unknown(reason.clone()),
                failures: Vec::new(),
                stuck: None,
                assumptions: Vec::new(),
                cost: ProofCost::default(),
                profile: Vec::new(),
            });
        }
    }
}

/// The members of the source that are proved. Domains are assumed, and what plugins generate is part of the member
/// that it was generated for.
fn members(program: &Program) -> impl Iterator<Item = (MemberKind, &str, Span)> {
    let functions = program
        .functions
        .iter()
        .filter(|function| function.origin == FunctionOrigin::Source)
        .map(|function| (MemberKind::Function, function.name.as_str(), function.span));
    let predicates = program
        .predicates
        .iter()
        .map(|predicate| (MemberKind::Predicate, predicate.name.as_str(), predicate.span));
    let methods = program
        .methods
        .iter()
        .filter(|method| method.origin == MethodOrigin::Source)
        .map(|method| (MemberKind::Method, method.name.as_str(), method.span));
    functions.chain(predicates).chain(methods)
}

impl LoadedProgram {
    /// What is written where the members of the Silver program come from, by their kinds and names.
    pub(crate) fn texts(&self) -> BTreeMap<(&'static str, &str), &str> {
        let mut texts = BTreeMap::new();
        for (kind, name, span) in members(&self.program) {
            let place = match &self.translation {
                Some(translation) => translation.written(name),
                None => Some(span),
            };
            if let Some(place) = place {
                texts.insert((kind.word(), name), self.sources.text(place));
            }
        }
        texts
    }

    /// Whether nothing is there that could be proved.
    pub fn is_empty(&self) -> bool {
        match &self.translation {
            Some(translation) => translation.members.is_empty(),
            None => members(&self.program).next().is_none(),
        }
    }

    /// Names of members that somebody may have meant, the nearest first.
    pub fn near_members(&self, name: &str) -> Vec<String> {
        let names: Vec<&str> = match &self.translation {
            Some(translation) => translation.members.iter().map(|member| member.name.as_str()).collect(),
            None => members(&self.program).map(|(_, name, _)| name).collect(),
        };
        near_names(name, &names)
    }

    /// Whether a member has this name.
    pub fn has_member(&self, name: &str) -> bool {
        if let Some(translation) = &self.translation {
            return translation.has_member(name);
        }
        let program = &self.program;
        program.domains.iter().any(|domain| domain.name == name)
            || members(program).any(|(_, member, _)| member == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        let mut sources = SourceMap::default();
        let file = sources.add("a.vpr", text);
        let resolved = silver::resolve(&mut sources, file, &silver::NoFiles, &silver::Options::default());
        resolved.program.expect("the program is well-formed")
    }

    fn options(members: Option<&[&str]>) -> VerifyOptions {
        let solver = smt::SolverOptions { kind: smt::SolverKind::Z3, path: "z3".into(), seed: 0 };
        let members = members.map(|names| names.iter().map(|name| (*name).to_string()).collect());
        VerifyOptions { members, ..VerifyOptions::new(solver) }
    }

    #[test]
    fn what_the_engine_passes_over_is_unknown() {
        let program = program("function f(): Int predicate p() method m() {} method n()");
        let mut report = ProofReport::default();
        complete(&mut report, &program, &options(None), &Reason::Interrupted);
        let names: Vec<&str> = report.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["f", "p", "m", "n"]);
        assert_eq!(report.verdict(), Verdict::Unknown(Reason::Interrupted));
        let mut report = ProofReport::default();
        complete(&mut report, &program, &options(Some(&["m"])), &Reason::Interrupted);
        assert_eq!(report.members.len(), 1);
    }

    #[test]
    fn a_generated_proof_belongs_to_its_function() {
        let text = "function f(n: Int): Int decreases n { n <= 0 ? 0 : f(n - 1) }";
        let program = program(text);
        let names: Vec<(&str, &str)> =
            generated(&program).map(|((_, name), (_, owner))| (name, owner)).collect();
        assert!(matches!(names.as_slice(), [(_, "f")]), "{names:?}");
        let asked = with_generated(&options(Some(&["f"])), &program).members;
        assert_eq!(asked.map(|names| names.len()), Some(2));
        let mut report = ProofReport::default();
        complete(&mut report, &program, &options(None), &Reason::Timeout);
        let mut proof = report.members[0].clone();
        proof.kind = MemberKind::Method;
        proof.name = names[0].0.to_string();
        proof.verdict = Verdict::Violated;
        report.members.push(proof);
        fold_generated(&mut report, &program);
        assert_eq!(report.members.len(), 1);
        assert_eq!(report.members[0].verdict, Verdict::Violated);
    }
}
