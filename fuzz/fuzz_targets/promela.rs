//! Any bytes as a Promela model: preprocess, parse, resolve, print. Seeds: `crates/promela/tests/corpus`.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use promela::Options;
use source::{SourceMap, Texts};

fuzz_target!(|data: &[u8]| {
    let text: Arc<str> = String::from_utf8_lossy(data).into_owned().into();
    let mut map = SourceMap::default();
    // The model may include itself.
    let texts = Texts::default().with("model.pml", text);
    let (program, diagnostics) = promela::load("model.pml", &texts, &Options::default(), &mut map);
    assert_eq!(program.is_none(), diagnostics.iter().any(|diagnostic| diagnostic.is_error()));
    if let Some(program) = program {
        for id in program.process_ids() {
            for stmt in &program.process(id).body {
                program.show_stmt(id, stmt);
            }
        }
        for formula in &program.formulas {
            let text = program.show_temporal(&formula.formula);
            promela::formula(&text, &program, &mut map);
        }
    }
});
