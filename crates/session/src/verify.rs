//! Proving a program: running the deductive engine over the members of its Silver, and reporting about its source.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use silver::port::{Context, Translation, fold_generated, generated, is_meaningless, members};
use silver::typed::Program;
use source::{Diagnostic, SourceMap};
use symbolic::VerifyOptions;
use verdict::failure::{Finding, FindingObserver, Findings};
use verdict::{MemberKind, ProofObserver, ProofReport, Reason, Verdict};

use crate::check::Failure;
use crate::footing;
use crate::history::History;
use crate::near_names::near_names;
use crate::processor::processor_time;
use crate::recorder::{MemberText, Recorder};
use crate::teller::Teller;

/// A program that was read and typed.
pub struct LoadedProgram {
    pub name: String,
    /// The files that were asked for, without those that they import.
    pub files: Vec<String>,
    pub sources: SourceMap,
    pub program: Program,
    /// Warnings: errors end the loading.
    pub warnings: Vec<Diagnostic>,
    /// How the program is spoken about.
    pub translation: Box<dyn Translation>,
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
    let context = loaded.context();
    let mut options = options.clone();
    options.members = options.members.map(|names| footing::with_what_nobody_runs(loaded, &names));
    options.processor_time.get_or_insert_with(processor_time);
    let options = &options;
    let teller = Teller::new(observer, &*loaded.translation, context);
    let recorder = Recorder::new(&teller, history, loaded, options);
    let findings = find(loaded, options, &recorder);
    remember(recorder.finished(), history);
    let (findings, meaningless) = findings?;
    let mut report = loaded.translation.report(context, findings.members);
    footing::complete(&mut report, loaded, options, &meaningless);
    teller.finish(&report);
    Ok(report)
}

fn remember((program, finished): (u64, Vec<(MemberText, Duration)>), history: &mut History) {
    if history.add(program, &finished) {
        history.write();
    }
}

/// What the engine says about the members that were asked for, and the names of members whose contracts or bodies are
/// not well formed.
fn find(
    loaded: &LoadedProgram,
    options: &VerifyOptions,
    observer: &FindingObserver<'_>,
) -> Result<(Findings, BTreeSet<String>), Failure> {
    let mut options = options.clone();
    options.members = options.members.map(|names| loaded.translation.wanted(&names));
    options.all_errors |= loaded.translation.looks_on();
    options.triggers_are_written = loaded.translation.triggers_are_written();
    options.chooses_where_known = loaded.translation.has_own_steps();
    let (translation, context, kind) = (&loaded.translation, loaded.context(), MemberKind::Function);
    let functions = || loaded.program.functions.iter().map(|function| &function.name);
    let is_made = |name: &&String| translation.written(context, kind, name).is_none();
    options.made_functions = Arc::new(functions().filter(is_made).cloned().collect());
    let domains = loaded.program.domains.iter().filter(|domain| !translation.writes_domain(context, domain));
    options.made_domains = Arc::new(domains.map(|domain| domain.name.clone()).collect());
    options.written_quantifiers = translation.written_quantifiers().cloned().map(Arc::new);
    let names = functions().map(|name| {
        let origin = translation.made_from(context, kind, name);
        (name.clone(), origin.map(|origin| origin.name))
    });
    options.function_names =
        Arc::new(names.filter(|(name, written)| written.as_ref() != Some(name)).collect());
    let options = &with_generated(&options, &loaded.program);
    let run = || catch_unwind(AssertUnwindSafe(|| symbolic::verify(&loaded.program, options, observer)));
    let (mut report, reason) = match silver::with_large_stack(run) {
        Ok(report) if options.interrupt.load(Ordering::Relaxed) => (report, Reason::Interrupted),
        Ok(report) => (report, Reason::Internal("the engine did not look at it".to_string())),
        Err(_) => {
            let sentence = "the engine stopped by a fault of its own; please report it with this input";
            (Findings::default(), Reason::Internal(sentence.to_string()))
        }
    };
    let meaningless = report.members.iter().filter(|member| is_meaningless(&loaded.program, member));
    let meaningless = meaningless.map(|member| member.name.clone()).collect();
    fold_generated(&mut report, &loaded.program);
    // Others are there only if something is wrong with them that the proofs rest on.
    report.members.retain(|member| is_wanted(options, &member.name) || member.verdict != Verdict::Holds);
    complete(&mut report, &loaded.program, options, &reason);
    Ok((report, meaningless))
}

/// With a member, what was generated for it is selected, too.
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

fn is_wanted(options: &VerifyOptions, name: &str) -> bool {
    options.members.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == name))
}

/// Adds the members without a report.
fn complete(report: &mut Findings, program: &Program, options: &VerifyOptions, reason: &Reason) {
    for (kind, name, span) in members(program) {
        let has_report = report.members.iter().any(|member| member.kind == kind && member.name == name);
        if is_wanted(options, name) && !has_report {
            report.members.push(Finding::new(kind, name, span, Verdict::Unknown(reason.clone())));
        }
    }
}

impl LoadedProgram {
    pub(crate) fn context(&self) -> Context<'_> {
        Context { program: &self.program, sources: &self.sources }
    }

    /// What is written where the members of the Silver program come from, by their kinds and names.
    pub(crate) fn texts(&self) -> BTreeMap<(&'static str, &str), &str> {
        let mut texts = BTreeMap::new();
        for (kind, name, _) in members(&self.program) {
            if let Some(written) = self.translation.written(self.context(), kind, name) {
                texts.insert((kind.word(), name), self.sources.text(written.span));
            }
        }
        texts
    }

    /// Whether nothing is there that could be proved.
    pub fn is_empty(&self) -> bool {
        self.translation.members(self.context()).is_empty()
    }

    /// Names of members that are near to one that is unknown, the nearest first.
    pub fn near_members(&self, name: &str) -> Vec<String> {
        let members = self.translation.members(self.context());
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        near_names(name, &names)
    }

    /// Whether a member has this name.
    pub fn has_member(&self, name: &str) -> bool {
        self.translation.has_member(self.context(), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        let mut sources = SourceMap::default();
        let file = sources.add("a.vpr", text);
        let resolved = silver::resolve(&mut sources, file, &source::NoFiles, &silver::Options::default());
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
        let mut report = Findings::default();
        complete(&mut report, &program, &options(None), &Reason::Interrupted);
        let names: Vec<&str> = report.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["f", "p", "m", "n"]);
        assert_eq!(report.verdict(), Verdict::Unknown(Reason::Interrupted));
        let mut report = Findings::default();
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
        let mut report = Findings::default();
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
