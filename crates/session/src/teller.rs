//! Tells an observer about the program as it is written while the Silver that stands for it is proved.
//!
//! Several members of Silver can stand for one of the source, which is finished when all of them are; then it has the
//! report that it has at the end, unless what was found out about others changes it. Members that were generated are not
//! spoken of.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use silver::port::{Context, Translation, Written, fold_generated, generated};
use verdict::failure::{Failure, Finding, Goal};
use verdict::{MemberKind, MemberReport, ProofObserver, ProofReport};

pub(crate) struct Teller<'o> {
    observer: &'o dyn ProofObserver,
    translation: &'o dyn Translation,
    context: Context<'o>,
    state: Mutex<State>,
    /// Held while a member is told of. Otherwise a report could be overtaken by a later one about the same member, and
    /// what was told last would not be what is known.
    telling: Mutex<()>,
}

#[derive(Default)]
struct State {
    /// For each member of Silver, which member of the source it stands for.
    shown: Vec<Option<usize>>,
    /// What was found out about each member of Silver.
    findings: Vec<Option<Finding>>,
    members: Vec<Shown>,
}

struct Shown {
    written: Written,
    is_started: bool,
    /// What was told last.
    told: Option<MemberReport>,
}

impl<'o> Teller<'o> {
    pub(crate) fn new(
        observer: &'o dyn ProofObserver,
        translation: &'o dyn Translation,
        context: Context<'o>,
    ) -> Teller<'o> {
        Teller { observer, translation, context, state: Mutex::default(), telling: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self, member: usize) -> Option<usize> {
        self.lock().shown.get(member).copied().flatten()
    }

    /// The member of the source that a member of Silver stands for, or was generated for.
    fn written(&self, kind: MemberKind, silver: &str) -> Option<Written> {
        let owner = generated(self.context.program).find(|(part, _)| *part == (kind, silver));
        let (kind, silver) = owner.map_or((kind, silver), |(_, owner)| owner);
        self.translation.written(self.context, kind, silver)
    }

    /// What there is to say about a member, if everything is known about it.
    fn report(&self, written: &Written, parts: Vec<Finding>) -> Option<MemberReport> {
        let mut findings = ProofReport { members: parts };
        fold_generated(&mut findings, self.context.program);
        let report = self.translation.report(self.context, findings.members);
        report.members.into_iter().find(|member| is_about(member, written))
    }

    /// Tells of members whose reports have changed since they were told of.
    pub(crate) fn finish(&self, report: &ProofReport) {
        let changed: Vec<(usize, &MemberReport)> = {
            let state = self.lock();
            let members = state.members.iter().enumerate();
            let last = members.filter_map(|(index, shown)| {
                let last = report.members.iter().find(|member| is_about(member, &shown.written))?;
                let is_told = shown.told.as_ref().is_some_and(|told| told == last);
                (!is_told).then_some((index, last))
            });
            last.collect()
        };
        changed.into_iter().for_each(|(index, last)| self.observer.member_finished(index, last));
    }
}

fn is_about(report: &MemberReport, written: &Written) -> bool {
    report.kind == written.kind && report.name == written.name && report.span == written.span
}

impl ProofObserver<Failure, Goal> for Teller<'_> {
    fn started(&self, members: &[(MemberKind, String)]) {
        let mut state = State { findings: vec![None; members.len()], ..State::default() };
        for (kind, silver) in members {
            let shown = self.written(*kind, silver).map(|written| {
                let known = state.members.iter().position(|other| other.written == written);
                known.unwrap_or_else(|| {
                    state.members.push(Shown { written, is_started: false, told: None });
                    state.members.len() - 1
                })
            });
            state.shown.push(shown);
        }
        let names: Vec<(MemberKind, String)> =
            state.members.iter().map(|shown| (shown.written.kind, shown.written.name.clone())).collect();
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

    fn obligation(&self, member: usize, goal: &Goal) {
        let Some(shown) = self.shown(member) else { return };
        self.observer.obligation(shown, &self.translation.obligation(goal));
    }

    fn member_finished(&self, member: usize, finding: &Finding) {
        let Some(shown) = self.shown(member) else { return };
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        // A part can be looked at once more; what was found out last counts.
        let known = {
            let mut state = self.lock();
            state.findings[member] = Some(finding.clone());
            let parts = state.shown.iter().zip(&state.findings).filter(|(part, _)| **part == Some(shown));
            let parts: Option<Vec<Finding>> = parts.map(|(_, finding)| finding.clone()).collect();
            parts.map(|parts| (state.members[shown].written.clone(), parts))
        };
        let Some((written, parts)) = known else { return };
        if let Some(report) = self.report(&written, parts) {
            self.observer.member_finished(shown, &report);
            self.lock().members[shown].told = Some(report);
        }
    }
}

#[cfg(test)]
mod tests {
    use pvl::port::Pvl;
    use silver::port::{LoadOptions, ProofLanguage, Silver};
    use verdict::Verdict;

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

        fn member_finished(&self, member: usize, report: &MemberReport) {
            self.tell(format!("{member} {}", report.verdict.word()));
        }
    }

    /// What is told of a program whose members all hold, and when one of them turns out to rest on something else.
    fn told(language: &dyn ProofLanguage, text: &str) -> Vec<String> {
        let texts = source::Texts::default().with("a", text);
        let loaded = language.load(&["a".to_string()], &texts, &LoadOptions::default());
        let loaded = loaded.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
        let functions = loaded.program.functions.iter();
        let functions = functions.map(|it| (MemberKind::Function, it.name.clone(), it.span));
        let methods = loaded.program.methods.iter().map(|it| (MemberKind::Method, it.name.clone(), it.span));
        let members: Vec<(MemberKind, String, source::Span)> = functions.chain(methods).collect();
        let told = Told::default();
        let context = Context { program: &loaded.program, sources: &loaded.sources };
        let teller = Teller::new(&told, &*loaded.translation, context);
        teller.started(&members.iter().map(|(kind, name, _)| (*kind, name.clone())).collect::<Vec<_>>());
        teller.expected(&vec![Some(Duration::from_secs(2)); members.len()]);
        let mut findings = Vec::new();
        for (index, (kind, name, span)) in members.iter().enumerate() {
            let finding = Finding::new(*kind, name, *span, Verdict::Holds);
            teller.member_started(index);
            teller.member_finished(index, &finding);
            findings.push(finding);
        }
        let mut findings = ProofReport { members: findings };
        fold_generated(&mut findings, &loaded.program);
        let mut report = loaded.translation.report(context, findings.members);
        teller.finish(&report);
        if let Some(member) = report.members.last_mut() {
            member.verdict = Verdict::Violated;
        }
        teller.finish(&report);
        told.words.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Only members of the source are told of, under the name that they have there.
    #[test]
    fn members_of_the_program_are_told_about() {
        let text =
            "lemma l(int n) { }\nclass C { int x; requires a != null && 0 < a.length; void m(int[] a) { } }";
        let expected = [
            "lemma l",
            "method C.m",
            "[Some(2s), Some(2s)]",
            "0 starts",
            "0 holds",
            "1 starts",
            "1 holds",
            "1 violated",
        ];
        assert_eq!(told(&Pvl, text), expected);
    }

    /// An observer that takes its time over the first report.
    #[derive(Default)]
    struct Slow {
        is_late: std::sync::atomic::AtomicBool,
        last: Mutex<Option<Verdict>>,
    }

    impl ProofObserver for Slow {
        fn member_finished(&self, _: usize, report: &MemberReport) {
            if !self.is_late.swap(true, std::sync::atomic::Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(200));
            }
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(report.verdict.clone());
        }
    }

    /// Two workers finish parts of a member one after the other: the later report is the one that is told last.
    #[test]
    fn no_report_is_overtaken() {
        let texts = source::Texts::default().with("a", "method m() { }");
        let loaded = Silver.load(&["a".to_string()], &texts, &LoadOptions::default());
        let loaded = loaded.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
        let context = Context { program: &loaded.program, sources: &loaded.sources };
        let observer = Slow::default();
        let teller = Teller::new(&observer, &*loaded.translation, context);
        teller.started(&[(MemberKind::Method, "m".to_string())]);
        let span = loaded.program.methods[0].span;
        let finish =
            |verdict| teller.member_finished(0, &Finding::new(MemberKind::Method, "m", span, verdict));
        std::thread::scope(|scope| {
            scope.spawn(|| finish(Verdict::Holds));
            std::thread::sleep(Duration::from_millis(50));
            scope.spawn(|| finish(Verdict::Violated));
        });
        assert_eq!(
            observer.last.into_inner().unwrap_or_else(PoisonError::into_inner),
            Some(Verdict::Violated)
        );
    }

    /// What a plugin generates for a member is part of it.
    #[test]
    fn generated_members_are_parts_of_their_owners() {
        let text = "import <decreases/int.vpr>
            function f(n: Int): Int decreases n { n <= 0 ? 0 : f(n - 1) }
            method m() { }";
        let words = told(&Silver, text);
        let expected = ["function f", "method m", "[Some(4s), Some(2s)]", "0 starts"];
        assert_eq!(words[..4], expected);
        assert_eq!(words.iter().filter(|word| *word == "0 holds").count(), 1);
        assert_eq!(words.last().map(String::as_str), Some("1 violated"));
    }
}
