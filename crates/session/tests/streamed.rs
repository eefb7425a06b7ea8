//! What an observer was told last about a member is what the report says at the end, for one worker and for several.
//!
//! By default this looks at some programs of the corpus; with `PROBITY_SLOW_TESTS=1` at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use session::{ProgramOptions, Registry, VerifyOptions};
use testing::files_below;
use verdict::{MemberKind, MemberReport, ProofObserver};

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

/// How the reports of a run differ from what was told.
fn differences(path: &Path, workers: usize) -> Vec<String> {
    let Ok(text) = session::read_program(&Registry::standard(), path) else { return Vec::new() };
    let Ok(program) = session::load_program(&[text], &ProgramOptions::default()) else { return Vec::new() };
    let solver = session::find_solver(None).unwrap_or_else(|error| panic!("{error}"));
    let options = VerifyOptions { workers, ..VerifyOptions::new(solver) };
    let told = Told::default();
    let report = session::verify(&program, &options, &told).unwrap_or_else(|it| panic!("{:?}", it.message));
    let (announced, told) = told.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut wrong = Vec::new();
    for (index, (kind, name)) in announced.iter().enumerate() {
        match told.get(&index) {
            None => wrong.push(format!("{} `{name}` was announced and never told of", kind.word())),
            Some(last) if !report.members.contains(last) => {
                let now = report.members.iter().find(|it| it.name == last.name && it.span == last.span);
                wrong.push(format!("{} `{name}` was told as {last:?}\n  and is {now:?}", kind.word()));
            }
            Some(_) => {}
        }
    }
    for member in report.members.iter().filter(|member| !told.values().any(|last| last == *member)) {
        wrong.push(format!("{} `{}` was not told of", member.kind.word(), member.name));
    }
    wrong.into_iter().map(|it| format!("{}, {workers} workers: {it}", path.display())).collect()
}

#[test]
fn what_was_told_last_is_the_report() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let folders = ["footing", "pvl", "silver"].map(|folder| corpus.join(folder));
    let all: Vec<PathBuf> = folders.iter().flat_map(|folder| files_below(folder, &["pvl", "vpr"])).collect();
    let step = if testing::is_slow_round() { 1 } else { 40 };
    let looked: Vec<&PathBuf> = all.iter().step_by(step).collect();
    assert!(looked.len() > 4, "{looked:?}");
    let wrong: Vec<String> =
        looked.iter().flat_map(|path| [1, 2].map(|workers| differences(path, workers))).flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
