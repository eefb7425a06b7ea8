//! Tells an observer about the PVL program while the Silver that it lowers into is proved.
//!
//! Several members of Silver can stand for one of PVL, which is finished when all of them are. Members that nobody wrote
//! are not spoken of.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use source::SourceMap;
use verdict::{MemberKind, MemberReport, Obligation, ProofObserver};

use crate::pvl_program::Translation;

pub(crate) struct TranslatingObserver<'o> {
    observer: &'o dyn ProofObserver,
    translation: &'o Translation,
    sources: &'o SourceMap,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// For each member of Silver, which member of PVL it stands for.
    shown: Vec<Option<usize>>,
    members: Vec<Shown>,
}

#[derive(Clone, Debug, Default)]
struct Shown {
    /// How many parts are neither started nor finished.
    open: usize,
    is_started: bool,
    /// What was said about the finished parts.
    report: Option<MemberReport>,
}

impl<'o> TranslatingObserver<'o> {
    pub(crate) fn new(
        observer: &'o dyn ProofObserver,
        translation: &'o Translation,
        sources: &'o SourceMap,
    ) -> TranslatingObserver<'o> {
        TranslatingObserver { observer, translation, sources, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self, member: usize) -> Option<usize> {
        self.lock().shown.get(member).copied().flatten()
    }
}

impl ProofObserver for TranslatingObserver<'_> {
    fn started(&self, members: &[(MemberKind, String)]) {
        let mut names: Vec<(MemberKind, String)> = Vec::new();
        let mut state = State::default();
        for (kind, silver) in members {
            let shown = self.translation.member(silver).map(|member| {
                let name = (self.translation.kind(silver).unwrap_or(*kind), member.name.clone());
                let known = names.iter().position(|other| *other == name);
                known.unwrap_or_else(|| {
                    names.push(name);
                    state.members.push(Shown::default());
                    names.len() - 1
                })
            });
            if let Some(shown) = shown {
                state.members[shown].open += 1;
            }
            state.shown.push(shown);
        }
        *self.lock() = state;
        self.observer.started(&names);
    }

    fn expected(&self, times: &[Option<Duration>]) {
        let sums = {
            let state = self.lock();
            let mut sums = vec![Some(Duration::ZERO); state.members.len()];
            for (shown, time) in state.shown.iter().zip(times) {
                if let Some(shown) = shown {
                    sums[*shown] = sums[*shown].zip(*time).map(|(sum, time)| sum + time);
                }
            }
            sums
        };
        self.observer.expected(&sums);
    }

    fn member_started(&self, member: usize) {
        let Some(shown) = self.shown(member) else { return };
        let is_first = !std::mem::replace(&mut self.lock().members[shown].is_started, true);
        if is_first {
            self.observer.member_started(shown);
        }
    }

    fn obligation(&self, member: usize, obligation: &Obligation) {
        let Some(shown) = self.shown(member) else { return };
        let mut obligation = obligation.clone();
        self.translation.translate_obligation(&mut obligation);
        self.observer.obligation(shown, &obligation);
    }

    fn member_finished(&self, member: usize, report: &MemberReport) {
        let Some(shown) = self.shown(member) else { return };
        let mut report = report.clone();
        self.translation.translate_failures(&mut report.failures, self.sources);
        report.failures.retain(|failure| self.translation.expected(failure).is_none());
        let finished = {
            let mut state = self.lock();
            let whole = &mut state.members[shown];
            // A part can be looked at once more.
            whole.open = whole.open.saturating_sub(1);
            match &mut whole.report {
                Some(known) => known.failures.extend(report.failures),
                None => whole.report = Some(report),
            }
            whole.report.clone().filter(|_| whole.open == 0)
        };
        if let Some(report) = finished {
            self.observer.member_finished(shown, &report);
        }
    }
}

#[cfg(test)]
mod tests {
    use pvl::syntax::tree::Dialect;
    use verdict::{ProofCost, Verdict};

    use super::*;

    #[derive(Default)]
    struct Told {
        words: Mutex<Vec<String>>,
    }

    impl Told {
        fn tell(&self, text: String) {
            self.words.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
    }

    impl ProofObserver for Told {
        fn started(&self, members: &[(MemberKind, String)]) {
            members.iter().for_each(|(kind, name)| self.tell(format!("{} {name}", kind.word())));
        }

        fn expected(&self, times: &[Option<Duration>]) {
            self.tell(format!("{times:?}"));
        }

        fn member_started(&self, member: usize) {
            self.tell(format!("{member} starts"));
        }

        fn member_finished(&self, member: usize, _report: &MemberReport) {
            self.tell(format!("{member} ends"));
        }
    }

    /// Only what somebody wrote is spoken of, under the name that it has there.
    #[test]
    fn members_of_the_program_are_told_about() {
        let text =
            "lemma l(int n) { }\nclass C { int x; requires a != null && 0 < a.length; void m(int[] a) { } }";
        let texts = vec![("a.pvl".to_string(), text.into())];
        let loaded = crate::load_pvl_texts(texts, Dialect::New, &silver::Options::default());
        let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
        let Some(translation) = &loaded.translation else { panic!("it is a PVL program") };
        let functions = loaded.program.functions.iter().map(|it| (MemberKind::Function, it.name.clone()));
        let methods = loaded.program.methods.iter().map(|it| (MemberKind::Method, it.name.clone()));
        let members: Vec<(MemberKind, String)> = functions.chain(methods).collect();
        assert!(members.iter().any(|(_, name)| name == "length"), "arrays are there: {members:?}");
        let told = Told::default();
        let observer = TranslatingObserver::new(&told, translation, &loaded.sources);
        observer.started(&members);
        observer.expected(&vec![Some(Duration::from_secs(2)); members.len()]);
        for (index, (kind, name)) in members.iter().enumerate() {
            let report = MemberReport {
                name: name.clone(),
                kind: *kind,
                span: loaded.program.methods[0].span,
                verdict: Verdict::Holds,
                failures: Vec::new(),
                stuck: None,
                assumptions: Vec::new(),
                cost: ProofCost::default(),
                profile: Vec::new(),
            };
            observer.member_started(index);
            observer.member_finished(index, &report);
        }
        let words = told.words.into_inner().unwrap_or_else(PoisonError::into_inner);
        let expected =
            ["lemma l", "method C.m", "[Some(2s), Some(2s)]", "0 starts", "0 ends", "1 starts", "1 ends"];
        assert_eq!(words, expected);
    }
}
