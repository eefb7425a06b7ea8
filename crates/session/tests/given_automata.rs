//! Automata that are given besides a model: what they look at stays in the model's states.

use std::path::{Path, PathBuf};

use session::{CheckOptions, LoadOptions, PartialOrder, PropertySelection, Reductions};
use verdict::{Limits, PropertyReport, Silent, Verdict};

/// A file of this test, removed at its end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let path = std::env::temp_dir().join(format!("probity-{}-{name}", std::process::id()));
        if let Err(error) = std::fs::write(&path, text) {
            panic!("{} cannot be written: {error}", path.display());
        }
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn options(partial_order: PartialOrder, optimise: bool, automaton: &Path) -> CheckOptions {
    CheckOptions {
        load: LoadOptions::default(),
        selection: PropertySelection {
            automata: vec![automaton.to_path_buf()],
            ..PropertySelection::default()
        },
        algorithm: None,
        reductions: Reductions { partial_order, optimise },
        all_errors: true,
        coverage: false,
        shortest: false,
        strict_ends: false,
        weak_fairness: false,
        workers: 1,
        time: None,
        limits: Limits::default(),
        transitions: None,
    }
}

fn check(path: &Path, options: &CheckOptions) -> Vec<PropertyReport> {
    match session::check(path, options, &mut Silent) {
        Ok(checked) => checked.report.properties,
        Err(failure) => panic!("{:?} {:?}", failure.message, failure.diagnostics),
    }
}

#[test]
fn what_an_automaton_looks_at_is_kept() {
    // Nobody reads `w`, and the merged graph passes over the moment when it is 1.
    let model = File::new(
        "written.pml",
        "byte w; active proctype A() { byte t; w = 1; t = 1; w = 0; do :: t = 1 - t od }",
    );
    let automaton = File::new(
        "written.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"w == 1\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    let ways = [PartialOrder::Off, PartialOrder::Sticky, PartialOrder::Inside];
    for (partial_order, optimise) in ways.into_iter().flat_map(|way| [(way, true), (way, false)]) {
        let options = options(partial_order, optimise, &automaton.0);
        let verdicts: Vec<Verdict> = check(&model.0, &options).into_iter().map(|p| p.verdict).collect();
        assert_eq!(verdicts, [Verdict::Violated], "partial order {partial_order:?}, merging {optimise}");
    }
}
