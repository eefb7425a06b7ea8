//! Several files in one run: in which order they are read, proved or checked, and what becomes of the others when one
//! cannot be.
//!
//! The caller is told of every file as soon as there is something to tell, and decides what to show. Nothing
//! here knows of a terminal or of an exit code.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use silver::port::LoadOptions;
use source::Diagnostic;
use symbolic::VerifyOptions;
use verdict::{Observer, ProofObserver, ProofReport, Reason, Stability, Verdict};

use crate::answers::AnswerCache;
use crate::check::{CheckOptions, Checked, Failure, check_in};
use crate::files::flat_name;
use crate::history::History;
use crate::programs::{ProgramText, load, programs_of, read_program};
use crate::registry::Registry;
use crate::solver::{find_solver, logs_in};
use crate::stability::try_again;
use crate::verify::{LoadedProgram, verify_with_history};

/// Which programs to prove, and how.
#[derive(Clone, Debug, Default)]
pub struct VerifyRequest {
    pub files: Vec<PathBuf>,
    /// All files of a language whose programs can be several texts are one program.
    pub together: bool,
    pub load: LoadOptions,
    /// Only these members; all if there are none.
    pub members: Vec<String>,
    /// As [`find_solver`] takes it.
    pub solver: Option<String>,
    pub seed: u32,
    /// One for each core if absent.
    pub workers: Option<usize>,
    pub all_errors: bool,
    pub obligation_timeout: Option<Duration>,
    pub member_timeout: Option<Duration>,
    pub profile: bool,
    pub counterexamples: bool,
    /// Where to keep what the solver is told.
    pub logs: Option<PathBuf>,
    /// Whether to read and keep how long members take.
    pub history: bool,
    /// How many times to prove each program again, with other seeds and orders, to see what depends on luck.
    pub stability: u32,
    /// The solver's answers that are read and kept; none if absent.
    pub answers: Option<AnswerCache>,
}

/// The other side of a run over programs: it is told of every file, and decides what to show.
pub trait VerifyListener {
    /// What is wrong with asking this of these texts.
    fn objection(&mut self, _texts: &[ProgramText]) -> Option<String> {
        None
    }

    /// The flag by which the run is told to stop; asked for once, before the first proof.
    fn interrupt(&mut self) -> Result<Arc<AtomicBool>, String> {
        Ok(Arc::default())
    }

    /// Something cannot be proved.
    fn rejected(&mut self, failure: &Failure);

    /// A program was read.
    fn read(&mut self, program: &LoadedProgram);

    /// Calls `prove` once, with an observer that is told how the proof gets on.
    fn during(&mut self, program: &LoadedProgram, workers: usize, prove: &mut dyn FnMut(&dyn ProofObserver));

    /// Something is worth a look that is about no program.
    fn warned(&mut self, _warning: &Diagnostic) {}

    /// A program has its report.
    fn proved(&mut self, program: &LoadedProgram, report: &ProofReport, time: Duration);

    /// A program was proved again, as often as was asked for.
    fn compared(&mut self, _program: &LoadedProgram, _stability: &Stability) {}
}

/// A program and its report.
pub struct Proved {
    pub program: LoadedProgram,
    pub report: ProofReport,
}

/// What became of the programs.
#[derive(Default)]
pub struct ProvedPrograms {
    pub programs: Vec<Proved>,
    /// How many files could not be verified at all.
    pub rejected: usize,
    /// Whether there was something to prove, and what it takes: programs, and a solver.
    pub is_begun: bool,
}

impl ProvedPrograms {
    /// The answer about all of them; none if a file leaves the question open, because it is no program.
    pub fn verdict(&self) -> Option<Verdict> {
        if self.rejected > 0 {
            return None;
        }
        if !self.is_begun {
            return Some(Verdict::Unknown(Reason::Unsupported("nothing was proved".to_string())));
        }
        let reports = self.programs.iter().map(|proved| proved.report.verdict());
        Some(reports.fold(Verdict::Holds, Verdict::and))
    }
}

/// Reads all files, then proves the programs one after the other.
///
/// A text that is no program does not keep the others from being proved. A request that cannot be met (a member that no
/// program has, no solver) keeps all of them.
pub fn verify_files(
    registry: &Registry,
    request: &VerifyRequest,
    listener: &mut dyn VerifyListener,
) -> ProvedPrograms {
    let mut batch = Batch { request, listener, result: ProvedPrograms::default() };
    let Some((programs, several)) = batch.read(registry) else { return batch.result };
    let options = match batch.options() {
        Ok(options) => options,
        Err(Helpless { message, is_requested }) => {
            batch.listener.rejected(&Failure::message(message));
            batch.result.rejected += usize::from(is_requested);
            return batch.result;
        }
    };
    batch.result.is_begun = true;
    let mut history = if request.history { History::of_user() } else { History::default() };
    for Read { program, texts } in programs {
        let is_wanted = |name: &String| program.has_member(name);
        if request.members.is_empty() || request.members.iter().any(is_wanted) {
            batch.prove(program, several, &options, &mut history);
            batch.prove_again(&texts, &options);
        }
    }
    if let Some(answers) = &request.answers {
        answers.finish();
        if let Some(warning) = answers.warning() {
            batch.listener.warned(&warning);
        }
    }
    batch.result
}

/// A program that was read, and what it was read from.
struct Read {
    program: LoadedProgram,
    texts: Vec<ProgramText>,
}

/// Why nothing can be proved.
struct Helpless {
    message: String,
    /// It is what was asked for that is not there.
    is_requested: bool,
}

struct Batch<'a> {
    request: &'a VerifyRequest,
    listener: &'a mut dyn VerifyListener,
    result: ProvedPrograms,
}

impl Batch<'_> {
    fn reject(&mut self, failure: &Failure) {
        self.listener.rejected(failure);
        self.result.rejected += 1;
    }

    /// The programs, and whether there were several texts; none if there is nothing to prove.
    fn read(&mut self, registry: &Registry) -> Option<(Vec<Read>, bool)> {
        let mut texts = Vec::new();
        for path in &self.request.files {
            match read_program(registry, path) {
                Ok(text) => texts.push(text),
                Err(failure) => self.reject(&failure),
            }
        }
        if let Some(message) = self.listener.objection(&texts) {
            self.reject(&Failure::message(message));
            return None;
        }
        let several = texts.len() > 1;
        let mut programs = Vec::new();
        for texts in programs_of(texts, self.request.together) {
            match load(&texts, &self.request.load) {
                Ok(program) => {
                    self.listener.read(&program);
                    programs.push(Read { program, texts });
                }
                Err(failure) => self.reject(&failure),
            }
        }
        let is_absent = |name: &&String| !programs.iter().any(|read| read.program.has_member(name));
        if self.result.rejected == 0
            && let Some(name) = self.request.members.iter().find(is_absent)
        {
            let near: Vec<String> =
                programs.iter().flat_map(|read| read.program.near_members(name)).collect();
            self.reject(&Failure::message(absent(name, &near)));
            return None;
        }
        (!programs.is_empty()).then_some((programs, several))
    }

    fn options(&mut self) -> Result<VerifyOptions, Helpless> {
        let request = self.request;
        let solver = find_solver(request.solver.as_deref());
        let mut solver = solver.map_err(|error| Helpless {
            message: error.to_string(),
            is_requested: request.solver.is_some(),
        })?;
        solver.seed = request.seed;
        let interrupt =
            self.listener.interrupt().map_err(|message| Helpless { message, is_requested: false })?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(VerifyOptions {
            workers: request.workers.unwrap_or(cores),
            members: (!request.members.is_empty()).then(|| request.members.clone()),
            all_errors: request.all_errors,
            obligation_timeout: request.obligation_timeout,
            member_timeout: request.member_timeout,
            profile: request.profile,
            respect_function_permission_amounts: request.load.respect_function_permission_amounts,
            counterexamples: request.counterexamples,
            interrupt,
            ..VerifyOptions::new(solver)
        })
    }

    fn prove(
        &mut self,
        program: LoadedProgram,
        several: bool,
        options: &VerifyOptions,
        history: &mut History,
    ) {
        let folder = self.request.logs.as_deref().map(|folder| log_folder(folder, &program.name, several));
        let logs = match folder.as_deref().map(logs_in).transpose() {
            Ok(logs) => logs,
            Err(failure) => return self.reject(&failure),
        };
        let answers = self.request.answers.as_ref().map(|answers| answers.books(&program, &options.solver));
        let options = VerifyOptions { logs, answers, ..options.clone() };
        let start = Instant::now();
        let mut result = None;
        self.listener.during(&program, options.workers, &mut |observer| {
            result = Some(verify_with_history(&program, &options, observer, history));
        });
        match result {
            Some(Ok(report)) => {
                self.listener.proved(&program, &report, start.elapsed());
                self.result.programs.push(Proved { program, report });
            }
            Some(Err(failure)) => self.reject(&failure),
            None => self.reject(&Failure::message(format!("{} was not proved", program.name))),
        }
    }

    /// Compares the last program that was proved with further proofs of it.
    fn prove_again(&mut self, texts: &[ProgramText], options: &VerifyOptions) {
        let Some(Proved { program, report }) = self.result.programs.last() else { return };
        if self.request.stability > 0 {
            match try_again(texts, &self.request.load, options, report, self.request.stability) {
                Ok(stability) => self.listener.compared(program, &stability),
                Err(failure) => self.reject(&failure),
            }
        }
    }
}

/// What to say where a member is asked for that is not there.
fn absent(name: &str, near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match near.split_last() {
        None => format!("there is no member `{name}`"),
        Some((only, [])) => format!("there is no member `{name}`; did you mean {only}?"),
        Some((last, others)) => {
            format!("there is no member `{name}`; did you mean {} or {last}?", others.join(", "))
        }
    }
}

/// Scripts of several programs are kept apart, also where files in different folders have the same name.
fn log_folder(folder: &Path, program: &str, several: bool) -> PathBuf {
    if !several {
        return folder.to_path_buf();
    }
    folder.join(flat_name(&Path::new(program).with_extension("")))
}

/// The other side of a run over models: it is told of every file and how the searches get on.
pub trait CheckListener: Observer + Send {
    /// What became of a model.
    fn checked(&mut self, model: &Path, result: &Result<Checked, Failure>);
}

/// What became of several models.
#[derive(Default)]
pub struct CheckedModels {
    /// In the order of the models; none for one that could not be read. Shorter than the list of models where the run was
    /// interrupted.
    pub verdicts: Vec<Option<Verdict>>,
    /// Whether models were left out.
    pub is_interrupted: bool,
}

impl CheckedModels {
    /// The answer about all of them; none if one leaves the question open, because it cannot be read.
    pub fn verdict(&self) -> Option<Verdict> {
        let verdicts: Option<Vec<Verdict>> = self.verdicts.iter().cloned().collect();
        let rest = if self.is_interrupted { Verdict::Unknown(Reason::Interrupted) } else { Verdict::Holds };
        Some(verdicts?.into_iter().fold(rest, Verdict::and))
    }
}

/// Checks models one after the other, until the run is interrupted.
pub fn check_files(
    registry: &Registry,
    models: &[PathBuf],
    options: &CheckOptions,
    listener: &mut dyn CheckListener,
) -> CheckedModels {
    let mut result = CheckedModels::default();
    for model in models {
        if options.limits.is_interrupted() {
            result.is_interrupted = true;
            break;
        }
        let checked = check_in(registry, model, options, &mut *listener);
        listener.checked(model, &checked);
        result.verdicts.push(checked.ok().map(|checked| checked.report.verdict));
    }
    result
}
