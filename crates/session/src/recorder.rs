//! An observer in between that learns how long members take, and says how long they took before.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use symbolic::VerifyOptions;
use verdict::failure::{Failure, Finding, FindingObserver, Goal};
use verdict::{MemberKind, ProofObserver};

use crate::history::{self, History};
use crate::verify::LoadedProgram;

/// A member by the hashes of its name and of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberText {
    pub(crate) name: u64,
    pub(crate) text: u64,
}

/// Watches one run.
pub(crate) struct Recorder<'r> {
    observer: &'r FindingObserver<'r>,
    history: &'r History,
    program: u64,
    texts: BTreeMap<(&'static str, &'r str), &'r str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    members: Vec<MemberText>,
    times: Vec<Option<Duration>>,
}

impl<'r> Recorder<'r> {
    pub(crate) fn new(
        observer: &'r FindingObserver<'r>,
        history: &'r History,
        loaded: &'r LoadedProgram,
        options: &VerifyOptions,
    ) -> Recorder<'r> {
        let absolute = |name: &String| match std::path::absolute(name) {
            Ok(path) => path.display().to_string(),
            Err(_) => name.clone(),
        };
        let mut parts: Vec<String> = loaded.files.iter().map(absolute).collect();
        // The order of files has no meaning.
        parts.sort();
        parts.push(options.solver.path.display().to_string());
        let program = history::hash(parts.iter().map(String::as_str));
        Recorder { observer, history, program, texts: loaded.texts(), state: Mutex::default() }
    }

    /// The program, and what is to be remembered about it.
    pub(crate) fn finished(self) -> (u64, Vec<(MemberText, Duration)>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let times = state.members.into_iter().zip(state.times);
        (self.program, times.filter_map(|(member, time)| Some((member, time?))).collect())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProofObserver<Failure, Goal> for Recorder<'_> {
    fn started(&self, members: &[(MemberKind, String)]) {
        self.observer.started(members);
        let member = |(kind, name): &(MemberKind, String)| MemberText {
            name: history::member_hash(*kind, name),
            text: history::hash(self.texts.get(&(kind.word(), name.as_str())).copied()),
        };
        let members: Vec<MemberText> = members.iter().map(member).collect();
        let expected: Vec<Option<Duration>> =
            members.iter().map(|member| self.history.time(self.program, member)).collect();
        let times = vec![None; members.len()];
        *self.lock() = State { members, times };
        self.observer.expected(&expected);
    }

    fn member_started(&self, member: usize) {
        self.observer.member_started(member);
    }

    fn obligation(&self, member: usize, goal: &Goal) {
        self.observer.obligation(member, goal);
    }

    fn member_finished(&self, member: usize, report: &Finding) {
        self.observer.member_finished(member, report);
        if history::is_typical(report)
            && let Some(time) = self.lock().times.get_mut(member)
        {
            // A member that is looked at once more takes the time of both.
            *time = Some(time.unwrap_or_default() + report.cost.time);
        }
    }
}
