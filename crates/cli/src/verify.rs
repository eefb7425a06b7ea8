//! `probity verify`: what is asked for goes to `session`, what comes back is shown.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use report::ProofJson;
use session::{
    AnswerCache, Failure, LoadedProgram, ProgramText, ProvedPrograms, Registry, UseOf, VerifyListener,
    VerifyRequest,
};
use source::{Diagnostic, SourceMap};
use verdict::{ProofObserver, ProofReport, Reason, Stability, Verdict};

use crate::files::misplaced;
use crate::output::{diagnostics, err, out};
use crate::proof_terminal::ProofTerminal;
use crate::verify_arguments::VerifyArguments;
use crate::{BAD_INPUT, HOLDS, UNKNOWN, VIOLATED, interrupt};

pub(crate) fn run(arguments: &VerifyArguments) -> u8 {
    let start = Instant::now();
    let mut shown = Shown { arguments, json: ProofJson::default() };
    let files = arguments.files.iter().map(PathBuf::as_path);
    let code = match misplaced(files, UseOf::Programs) {
        Some(message) => {
            shown.rejected(&Failure::message(message));
            BAD_INPUT
        }
        None => {
            let proved = session::verify_files(&Registry::standard(), &request(arguments), &mut shown);
            if proved.is_begun && !arguments.json {
                show_tables(arguments, &proved);
                show_totals(&proved, start.elapsed());
            }
            match proved.verdict() {
                None => BAD_INPUT,
                Some(Verdict::Holds) => HOLDS,
                Some(Verdict::Violated) => VIOLATED,
                Some(Verdict::Unknown(_)) => UNKNOWN,
            }
        }
    };
    if arguments.json {
        out(&shown.json.finish());
    }
    code
}

/// What is asked for.
fn request(arguments: &VerifyArguments) -> VerifyRequest {
    VerifyRequest {
        files: arguments.files.clone(),
        together: arguments.together,
        load: arguments.language.options(),
        members: arguments.member.clone(),
        solver: arguments.solver.clone(),
        seed: arguments.seed,
        workers: arguments.workers,
        all_errors: arguments.all_errors,
        obligation_timeout: arguments.timeout,
        member_timeout: arguments.member_timeout,
        profile: arguments.profile,
        counterexamples: !arguments.no_counterexamples,
        logs: arguments.log_smt.clone(),
        history: !arguments.no_history,
        stability: arguments.stability.unwrap_or(0),
        answers: AnswerCache::of_user(arguments.recheck).filter(|_| !arguments.no_cache),
    }
}

/// Shows what a run tells, for people at once, for machines at the end.
struct Shown<'a> {
    arguments: &'a VerifyArguments,
    json: ProofJson,
}

impl VerifyListener for Shown<'_> {
    fn objection(&mut self, texts: &[ProgramText]) -> Option<String> {
        self.arguments.language.misuse(texts)
    }

    fn interrupt(&mut self) -> Result<Arc<AtomicBool>, String> {
        let interrupt = interrupt::flag()?;
        interrupt::insist(&interrupt);
        Ok(interrupt)
    }

    /// What cannot be verified leaves the question open, whatever the other files say.
    fn rejected(&mut self, failure: &Failure) {
        self.json.add_diagnostics(&failure.sources, &failure.diagnostics);
        self.json
            .add_verdict(Verdict::Unknown(Reason::Unsupported("the input is not a program".to_string())));
        if !self.arguments.json {
            diagnostics(&failure.sources, &failure.diagnostics);
        }
        if let Some(message) = &failure.message {
            self.json.add_error(message);
            err(&format!("probity: {message}\n"));
        }
    }

    fn read(&mut self, program: &LoadedProgram) {
        self.json.add_diagnostics(&program.sources, &program.warnings);
        if !self.arguments.json {
            diagnostics(&program.sources, &program.warnings);
        }
    }

    fn warned(&mut self, warning: &Diagnostic) {
        let (sources, warnings) = (SourceMap::default(), std::slice::from_ref(warning));
        self.json.add_diagnostics(&sources, warnings);
        if !self.arguments.json {
            diagnostics(&sources, warnings);
        }
    }

    fn during(&mut self, program: &LoadedProgram, workers: usize, prove: &mut dyn FnMut(&dyn ProofObserver)) {
        let terminal = ProofTerminal::new(&program.name, &program.sources, workers);
        terminal.during(|| prove(&terminal));
    }

    fn proved(&mut self, program: &LoadedProgram, report: &ProofReport, time: Duration) {
        if !self.arguments.json {
            let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            out(&report::failures_text(&program.sources, report, colour));
            out(&report::answers_text(&program.sources, report));
            out(&report::verdict_line(&program.name, report, time));
            out(&report::inherited_text(&program.sources, report));
        }
        self.json.add_report(&program.sources, report);
    }

    fn compared(&mut self, program: &LoadedProgram, stability: &Stability) {
        if !self.arguments.json {
            out(&report::stability_text(&program.sources, stability));
        }
        self.json.add_stability(&program.sources, stability);
    }
}

/// One line about all files, where there are several.
fn show_totals(proved: &ProvedPrograms, time: Duration) {
    if proved.programs.len() + proved.rejected > 1 {
        let verdicts: Vec<Verdict> = proved.programs.iter().map(|it| it.report.verdict()).collect();
        let members = proved.programs.iter().map(|it| it.report.members.len()).sum();
        out(&report::totals_text(&verdicts, proved.rejected, members, time));
    }
}

fn show_tables(arguments: &VerifyArguments, proved: &ProvedPrograms) {
    let reports: Vec<_> = proved.programs.iter().map(|it| (&it.program.sources, &it.report)).collect();
    if let Some(count) = arguments.slowest {
        out(&format!("\n{}\n", report::slowest_text(&reports, count)));
    }
    if arguments.trusted {
        out(&format!("\n{}\n", report::assumptions_text(&reports)));
    }
    if arguments.profile {
        out(&format!("\n{}\n", report::profile_text(&reports)));
    }
}
