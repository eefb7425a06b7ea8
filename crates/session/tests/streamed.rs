//! What an observer was told last about a member is what the report says at the end: for one worker and for several, for
//! single members, for several texts that are one program, and when the run is interrupted.
//!
//! By default this looks at some programs of the corpus; with `PROBITY_SLOW_TESTS=1` at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use session::{LoadedProgram, ProgramOptions, Registry, VerifyOptions};
use testing::files_below;
use verdict::{MemberKind, MemberReport, ProofObserver, Silent, Verdict};

type State = (Vec<(MemberKind, String)>, BTreeMap<usize, MemberReport>);

/// The members that were announced, and the last report about each.
#[derive(Default)]
struct Told {
    state: Mutex<State>,
}

impl ProofObserver for Told {
    fn started(&self, members: &[(MemberKind, String)]) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = members.to_vec();
    }

    fn member_finished(&self, member: usize, report: &MemberReport) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.insert(member, report.clone());
    }
}

/// Texts that are one program; none if they are not.
fn load(paths: &[&Path]) -> Option<LoadedProgram> {
    let registry = Registry::standard();
    let texts: Result<Vec<_>, _> = paths.iter().map(|path| session::read_program(&registry, path)).collect();
    session::load_program(&texts.ok()?, &ProgramOptions::default()).ok()
}

fn options(workers: usize) -> VerifyOptions {
    let solver = session::find_solver(None).unwrap_or_else(|error| panic!("{error}"));
    VerifyOptions { workers, ..VerifyOptions::new(solver) }
}

/// How the reports of a run differ from what was told.
fn differences(program: &LoadedProgram, options: &VerifyOptions) -> Vec<String> {
    let told = Told::default();
    let report = session::verify(program, options, &told).unwrap_or_else(|it| panic!("{:?}", it.message));
    let (announced, told) = told.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut wrong = Vec::new();
    for (index, (kind, name)) in announced.iter().enumerate() {
        match told.get(&index) {
            None => wrong.push(format!("{} `{name}` was announced and never told of", kind.word())),
            Some(last) if !report.members.contains(last) => {
                let now = report.members.iter().find(|it| it.name == last.name && it.span == last.span);
                // Members that were not asked for are proved where others need them, and are reported only if they fail.
                let is_silent = now.is_none() && options.members.is_some() && last.verdict == Verdict::Holds;
                if !is_silent {
                    wrong.push(format!("{} `{name}` was told as {last:?}\n  and is {now:?}", kind.word()));
                }
            }
            Some(_) => {}
        }
    }
    for member in report.members.iter().filter(|member| !told.values().any(|last| last == *member)) {
        wrong.push(format!("{} `{}` was not told of", member.kind.word(), member.name));
    }
    let (workers, members) = (options.workers, &options.members);
    wrong.into_iter().map(|it| format!("{}, {workers} workers, {members:?}: {it}", program.name)).collect()
}

/// Every so many programs of the corpus; all in the long round.
fn corpus(step: usize) -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let folders = ["footing", "pvl", "silver"].map(|folder| corpus.join(folder));
    let all = folders.iter().flat_map(|folder| files_below(folder, &["pvl", "vpr"]));
    let looked: Vec<PathBuf> = all.step_by(if testing::is_slow_round() { 1 } else { step }).collect();
    assert!(looked.len() > 4, "{looked:?}");
    looked
}

#[test]
fn what_was_told_last_is_the_report() {
    let programs = corpus(40);
    let programs = programs.iter().filter_map(|path| load(&[path]));
    let wrong: Vec<String> = programs
        .flat_map(|program| [1, 2, 5].map(|workers| differences(&program, &options(workers))))
        .flatten()
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One member at a time: what others that it needs turn out to be can change its report.
#[test]
fn single_members_are_told_of() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/footing");
    let step = if testing::is_slow_round() { 1 } else { 12 };
    let mut wrong = Vec::new();
    for path in files_below(&folder, &["pvl", "vpr"]).iter().step_by(step) {
        let Some(program) = load(&[path]) else { continue };
        let report =
            session::verify(&program, &options(2), &Silent).unwrap_or_else(|it| panic!("{:?}", it.message));
        for member in report.members {
            let options = VerifyOptions { members: Some(vec![member.name]), ..options(2) };
            wrong.extend(differences(&program, &options));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts that together are one program, in pairs.
#[test]
fn texts_that_are_one_program_are_told_of() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pvl");
    let names = ["fractions.pvl", "lock_counter.pvl", "termination.pvl", "refute.pvl", "goto.pvl"];
    let mut wrong = Vec::new();
    for pair in names.map(|name| examples.join(name)).windows(2) {
        let program = load(&[&pair[0], &pair[1]]).unwrap_or_else(|| panic!("{pair:?} are no program"));
        wrong.extend(differences(&program, &options(2)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A run that is told to stop reports about every member all the same.
#[test]
fn interrupted_runs_are_told_of() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut wrong = Vec::new();
    for name in ["pvl/scc.pvl", "pvl/union_find.pvl", "silver/marking.vpr"] {
        let program = load(&[&examples.join(name)]).unwrap_or_else(|| panic!("{name} is no program"));
        for (after, workers) in [(0, 1), (30, 1), (150, 2), (400, 3)] {
            let interrupt: Arc<AtomicBool> = Arc::default();
            let options = VerifyOptions { interrupt: interrupt.clone(), ..options(workers) };
            let timer = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(after));
                interrupt.store(true, Ordering::Relaxed);
            });
            wrong.extend(differences(&program, &options));
            assert!(timer.join().is_ok());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
