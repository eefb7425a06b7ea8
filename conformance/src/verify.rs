//! The whole tool as the subject of a suite: the front end, then the deductive engine.
//!
//! Each file runs on a thread of its own with a large stack. A panic is a fault of that file, and so is a run that does
//! not heed its interrupt; neither ends the run over the suite.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, mpsc};
use std::time::{Duration, Instant};

use silver::port::{Context, Silver, Translation};
use source::{SourceMap, Span};
use symbolic::VerifyOptions;
use verdict::failure::FindingObserver;
use verdict::{MemberReport, Obligation, Reason, Silent, Verdict};

use crate::judge::{OPEN, Output, UNKNOWN};
use crate::run::{Member, Run, Subject, options_of, read};

const STACK_SIZE: usize = 512 << 20;
/// How long a run may take to notice that it is to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Front end and engine.
#[derive(Clone, Debug)]
pub struct Verifier {
    pub options: VerifyOptions,
    /// For each file.
    pub timeout: Option<Duration>,
    /// Where the solver's scripts go, in a folder for each file.
    pub log_folder: Option<PathBuf>,
}

impl Subject for Verifier {
    fn run(&self, root: &Path, path: &Path) -> Run {
        let (root, path) = (root.to_path_buf(), path.to_path_buf());
        let folder = self.log_folder.as_ref().map(|folder| log_folder(folder, &root, &path));
        let logs = match folder.as_deref().map(session::logs_in).transpose() {
            Ok(logs) => logs,
            Err(failure) => return Run { faults: failure.message.into_iter().collect(), ..Run::default() },
        };
        let options = VerifyOptions { logs, ..self.options.clone() };
        limited(&options, self.timeout, move |options| verify(&root, &path, options, &Silent))
    }
}

/// Does the work on a thread of its own, and interrupts it when its time is over.
pub(crate) fn limited(
    options: &VerifyOptions,
    timeout: Option<Duration>,
    work: impl FnOnce(VerifyOptions) -> Run + Send + 'static,
) -> Run {
    keep_panics();
    let (sender, receiver) = mpsc::channel();
    let interrupt: Arc<AtomicBool> = Arc::default();
    let options = VerifyOptions { interrupt: Arc::clone(&interrupt), ..options.clone() };
    let start = Instant::now();
    let work = move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(options)));
        // Nobody listens after the grace is over.
        let _ = sender.send(result.unwrap_or_default());
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work);
    let mut run = match thread {
        Err(error) => Run { faults: vec![format!("no thread: {error}")], ..Run::default() },
        Ok(_) => match timeout.map(|timeout| receiver.recv_timeout(timeout)) {
            Some(Ok(run)) => run,
            Some(Err(mpsc::RecvTimeoutError::Timeout)) => {
                interrupt.store(true, Ordering::Relaxed);
                receiver.recv_timeout(GRACE).unwrap_or_else(|_| Run {
                    outputs: vec![Output { line: None, id: "timeout".to_string() }],
                    faults: vec!["the run does not stop when it is asked to".to_string()],
                    ..Run::default()
                })
            }
            None | Some(Err(mpsc::RecvTimeoutError::Disconnected)) => receiver.recv().unwrap_or_default(),
        },
    };
    run.faults.extend(take_panics());
    run.time = start.elapsed();
    run
}

/// Reads and verifies a file on this thread.
pub fn verify(root: &Path, path: &Path, mut options: VerifyOptions, observer: &FindingObserver<'_>) -> Run {
    let mut read = match read(root, path) {
        Ok(read) => read,
        Err(run) => return run,
    };
    let Some(program) = &read.program else { return read.run };
    let language = options_of(root, path);
    options.respect_function_permission_amounts |= language.respect_function_permission_amounts;
    let findings = symbolic::verify(program, &options, observer);
    let context = Context { program, sources: &read.map };
    let report = Silver.report(context, findings.members);
    let run = &mut read.run;
    for member in &report.members {
        add_outputs(run, member, &read.map);
        let lines = (member.span.file == read.file).then(|| lines(&read.map, member.span));
        run.members.push(Member { name: member.name.clone(), lines, verdict: member.verdict.clone() });
    }
    read.run
}

pub(crate) fn add_outputs(run: &mut Run, member: &MemberReport, map: &SourceMap) {
    for failure in &member.failures {
        let place = map.place(failure.span);
        run.outputs.push(Output { line: Some(place.line), id: failure.code.clone() });
        run.messages.push(format!("{}: {}: {}", place.line, failure.code, failure.message));
        for note in &failure.notes {
            run.messages.push(format!("    {}", note.text));
        }
    }
    match &member.verdict {
        Verdict::Unknown(reason) => {
            let (span, id) = open_obligation(member, reason);
            let place = map.place(span);
            run.outputs.push(Output { line: Some(place.line), id });
            let stuck = member.stuck.as_ref().map_or("", |stuck| stuck.text.as_str());
            run.messages.push(format!("{}: unknown: {}: {reason} {stuck}", place.line, member.name));
        }
        Verdict::Violated if member.failures.is_empty() => {
            run.faults.push(format!("`{}` is violated without a failure", member.name));
        }
        Verdict::Holds if !member.failures.is_empty() => {
            run.faults.push(format!("`{}` holds in spite of a failure", member.name));
        }
        Verdict::Violated | Verdict::Holds => {}
    }
}

/// The place and the name of what is unknown. Where the engine has nothing left to try, an obligation is reported as open
/// where its failure would be, with the failure's name; where a limit was reached, there is only the place.
fn open_obligation(member: &MemberReport, reason: &Reason) -> (Span, String) {
    match (&member.stuck, reason) {
        (Some(Obligation { code: Some(code), construct, .. }), Reason::GaveUp(_)) => {
            (*construct, format!("{OPEN}{code}"))
        }
        (stuck, _) => (stuck.as_ref().map_or(member.span, |stuck| stuck.span), UNKNOWN.to_string()),
    }
}

pub(crate) fn lines(map: &SourceMap, span: Span) -> (u32, u32) {
    let file = map.file(span.file);
    (file.place(span.start).line, file.place(span.end.saturating_sub(1).max(span.start)).line)
}

/// A folder for each file, so that members of the same name do not overwrite each other.
fn log_folder(folder: &Path, root: &Path, path: &Path) -> PathBuf {
    folder.join(path.strip_prefix(root).unwrap_or(path).with_extension(""))
}

static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Panics of all threads are collected instead of printed; where files run at the same time, a panic may be told of
/// the wrong one, which its place makes good.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|information| {
            let payload = information.payload();
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let place = information.location().map(ToString::to_string).unwrap_or_default();
            if let Ok(mut panics) = PANICS.lock() {
                panics.push(format!("panic at {place}: {text}"));
            }
        }));
    });
}

fn take_panics() -> Vec<String> {
    PANICS.lock().map(|mut panics| std::mem::take(&mut *panics)).unwrap_or_default()
}
