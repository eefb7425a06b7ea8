//! Limits and interruption hold inside one expansion: an atomic sequence can have billions of states.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use session::CheckOptions;
use testing::TemporaryFile;
use verdict::{Limits, PropertyReport, Reason, Silent, Verdict};

fn options(limits: Limits) -> CheckOptions {
    CheckOptions { all_errors: true, limits, ..CheckOptions::default() }
}

fn check(path: &Path, options: &CheckOptions) -> Vec<PropertyReport> {
    match session::check(path, options, &mut Silent) {
        Ok(checked) => checked.report.properties,
        Err(failure) => panic!("{:?} {:?}", failure.message, failure.diagnostics),
    }
}

/// Billions of states inside one atomic sequence, as many steps of one `d_step`, and of a process that may move alone.
const ENDLESS: [(&str, &str); 5] = [
    ("counts.pml", "byte y; active proctype A() { int x; atomic { do :: x++ :: y == 1 -> break od } }"),
    (
        "formula.pml",
        "int y; active proctype A() { int x; atomic { do :: x++; y = x od } } ltl p { [] (y >= 0) }",
    ),
    (
        "ample.pml",
        "active proctype A() { int x; atomic { do :: x++ :: x-- od } } active proctype B() { skip }",
    ),
    ("step.pml", "int y; active proctype A() { int x; d_step { do :: x++; y = x * x + x od } }"),
    ("alone.pml", "active [2] proctype A() { int x; do :: x++ :: x = x + 2 od }"),
];

fn all_stop(options: &CheckOptions, reason: &Reason) {
    for (name, text) in ENDLESS {
        let file = TemporaryFile::new(&format!("{reason:?}-{name}"), text);
        let start = Instant::now();
        for property in check(file.path(), options) {
            assert_eq!(property.verdict, Verdict::Unknown(reason.clone()), "{name}: {}", property.name);
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{name} took {:?}", start.elapsed());
    }
}

#[test]
fn the_time_is_over_inside_one_expansion() {
    let time = Some(Duration::from_millis(200));
    all_stop(&CheckOptions { time, ..options(Limits::default()) }, &Reason::Timeout);
}

#[test]
fn memory_is_bounded_inside_one_expansion() {
    for (name, text) in &ENDLESS[..3] {
        let file = TemporaryFile::new(&format!("memory-{name}"), text);
        let limits = Limits { max_memory_bytes: Some(4 << 20), ..Limits::default() };
        for property in check(file.path(), &options(limits)) {
            assert_eq!(property.verdict, Verdict::Unknown(Reason::MemoryLimit), "{name}: {}", property.name);
        }
    }
}

#[test]
fn an_interruption_is_seen_inside_one_expansion() {
    let interrupt = Arc::new(AtomicBool::new(false));
    let setter = Arc::clone(&interrupt);
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        setter.store(true, Ordering::Relaxed);
    });
    all_stop(&options(Limits { interrupt, ..Limits::default() }), &Reason::Interrupted);
    assert!(thread.join().is_ok());
}
