//! Automata that are given besides a model: what they look at stays in the model's states.

use std::path::Path;

use session::{CheckOptions, PartialOrder, PropertySelection, Reductions};
use testing::TemporaryFile;
use verdict::{PropertyReport, Silent, Verdict};

fn options(partial_order: PartialOrder, optimise: bool, automaton: &Path) -> CheckOptions {
    CheckOptions {
        selection: PropertySelection {
            automata: vec![automaton.to_path_buf()],
            ..PropertySelection::default()
        },
        reductions: Reductions { partial_order, optimise },
        all_errors: true,
        ..CheckOptions::default()
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
    let model = TemporaryFile::new(
        "written.pml",
        "byte w; active proctype A() { byte t; w = 1; t = 1; w = 0; do :: t = 1 - t od }",
    );
    let automaton = TemporaryFile::new(
        "written.hoa",
        "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"w == 1\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    let ways = [PartialOrder::Off, PartialOrder::Sticky, PartialOrder::Inside];
    for (partial_order, optimise) in ways.into_iter().flat_map(|way| [(way, true), (way, false)]) {
        let options = options(partial_order, optimise, automaton.path());
        let verdicts: Vec<Verdict> = check(model.path(), &options).into_iter().map(|p| p.verdict).collect();
        assert_eq!(verdicts, [Verdict::Violated], "partial order {partial_order:?}, merging {optimise}");
    }
}
