//! The lines on a terminal that tell how a proof gets on; nothing where standard error is piped.

use std::io::IsTerminal;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use report::ProofProgress;
use session::{MemberWork, WorkState};
use source::SourceMap;
use verdict::{MemberKind, MemberReport, Obligation, ProofObserver};

use crate::output::err;

/// Nothing is shown of a run that is over sooner.
const DELAY: Duration = Duration::from_millis(300);
const PERIOD: Duration = Duration::from_millis(100);
/// Lines are drawn without wrapping them; then the cursor goes back to the beginning of the first.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// Watches a proof.
pub(crate) struct ProofTerminal<'a> {
    file: &'a str,
    sources: &'a SourceMap,
    workers: usize,
    start: Instant,
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    is_over: bool,
}

struct Member {
    name: String,
    /// How long it took in an earlier run.
    expected: Option<Duration>,
    since: Option<Instant>,
    /// What is being proved, and since when.
    current: Option<(String, Instant)>,
    /// Whether it failed, once it is finished.
    failed: Option<bool>,
}

impl<'a> ProofTerminal<'a> {
    pub(crate) fn new(file: &'a str, sources: &'a SourceMap, workers: usize) -> ProofTerminal<'a> {
        let state = Mutex::default();
        ProofTerminal { file, sources, workers, start: Instant::now(), state, over: Condvar::new() }
    }

    /// Runs `work` while the lines are kept up to date.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        if !std::io::stderr().is_terminal() {
            return work();
        }
        std::thread::scope(|scope| {
            scope.spawn(|| self.draw());
            let _end = End(self);
            work()
        })
    }

    fn draw(&self) {
        let mut period = DELAY;
        let mut is_drawn = false;
        let mut state = self.lock();
        loop {
            let waited = self.over.wait_timeout_while(state, period, |state| !state.is_over);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.is_over {
                break;
            }
            let lines = report::proof_progress(&self.progress(&state));
            let up = lines.len() - 1;
            let up = if up > 0 { format!("\x1b[{up}A") } else { String::new() };
            err(&format!("{NO_WRAP}\r\x1b[J{}{up}\r{WRAP}", lines.join("\n\r")));
            is_drawn = true;
            period = PERIOD;
        }
        if is_drawn {
            err("\r\x1b[J");
        }
    }

    fn progress(&self, state: &State) -> ProofProgress {
        let running = state.members.iter().filter_map(|member| Some((member, member.current.as_ref()?)));
        let mut running: Vec<_> = running.collect();
        running.sort_by_key(|(member, _)| member.since);
        ProofProgress {
            file: self.file.to_string(),
            finished: state.members.iter().filter(|member| member.failed.is_some()).count(),
            failed: state.members.iter().filter(|member| member.failed == Some(true)).count(),
            members: state.members.len(),
            time: self.start.elapsed(),
            left: session::time_left(&state.members.iter().map(work).collect::<Vec<_>>(), self.workers),
            running: running
                .into_iter()
                .map(|(member, (text, since))| (member.name.clone(), text.clone(), since.elapsed()))
                .collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, member: usize, current: Option<(String, Instant)>) {
        if let Some(member) = self.lock().members.get_mut(member) {
            member.current = current;
        }
    }
}

fn work(member: &Member) -> MemberWork {
    let state = match (member.failed, member.since) {
        (Some(_), _) => WorkState::Finished,
        (None, Some(since)) => WorkState::Running(since.elapsed()),
        (None, None) => WorkState::Waiting,
    };
    MemberWork { expected: member.expected, state }
}

/// Ends the drawing, also when the work panics: otherwise the program would wait for it without end.
struct End<'a, 'b>(&'a ProofTerminal<'b>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.over.notify_all();
    }
}

impl ProofObserver for ProofTerminal<'_> {
    fn started(&self, members: &[(MemberKind, String)]) {
        let member = |(kind, name): &(MemberKind, String)| Member {
            name: format!("{} `{name}`", kind.word()),
            expected: None,
            since: None,
            current: None,
            failed: None,
        };
        self.lock().members = members.iter().map(member).collect();
    }

    fn expected(&self, times: &[Option<Duration>]) {
        for (member, time) in self.lock().members.iter_mut().zip(times) {
            member.expected = *time;
        }
    }

    fn member_started(&self, member: usize) {
        let now = Instant::now();
        if let Some(member) = self.lock().members.get_mut(member) {
            member.since = member.since.or(Some(now));
        }
        self.set(member, Some(("getting ready".to_string(), now)));
    }

    fn obligation(&self, member: usize, obligation: &Obligation) {
        let text = report::obligation_text(self.sources, obligation);
        self.set(member, Some((text, Instant::now())));
    }

    fn member_finished(&self, member: usize, report: &MemberReport) {
        self.set(member, None);
        if let Some(member) = self.lock().members.get_mut(member) {
            member.failed = Some(!report.failures.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use source::Span;
    use verdict::Verdict;

    use super::*;

    #[test]
    fn every_member_that_is_being_proved_is_shown() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.vpr", "method m()\nmethod n()\n");
        let span = Span::new(file, 11, 21);
        let terminal = ProofTerminal::new("a.vpr", &sources, 1);
        let names = ["m", "n", "o"].map(|name| (MemberKind::Method, name.to_string()));
        terminal.started(&names);
        let minutes = [10, 20, 30].map(|minutes| Some(Duration::from_secs(60 * minutes)));
        terminal.expected(&minutes);
        terminal.member_started(0);
        terminal.member_started(1);
        terminal.obligation(
            1,
            &Obligation { span, clause: None, construct: span, text: "it holds".to_string(), code: None },
        );
        let progress = terminal.progress(&terminal.lock());
        assert_eq!((progress.members, progress.finished), (3, 0));
        let running: Vec<&str> = progress.running.iter().map(|(member, _, _)| member.as_str()).collect();
        assert_eq!(running, ["method `m`", "method `n`"]);
        let report = MemberReport::new(MemberKind::Method, "m", span, Verdict::Holds);
        terminal.member_finished(0, &report);
        let progress = terminal.progress(&terminal.lock());
        assert_eq!((progress.finished, progress.failed), (1, 0));
        // What ran for a moment has nearly all of its time left.
        let left = progress.left.map(|left| left.as_secs_f64() / 60.0);
        assert!(left.is_some_and(|minutes| (49.0..=50.0).contains(&minutes)), "{left:?}");
        let running: Vec<&str> = progress.running.iter().map(|(_, text, _)| text.as_str()).collect();
        assert_eq!(running, ["it holds, a.vpr:2"]);
    }
}
