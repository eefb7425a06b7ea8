//! Any bytes as a Promela model: preprocess, parse, resolve, print. Seeds: `crates/promela/tests/corpus`.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use promela::{Loader, Options};
use source::SourceMap;

struct Model(Arc<str>);

impl Loader for Model {
    fn load(&self, path: &str) -> Option<Arc<str>> {
        // The model may include itself.
        (path == "model.pml").then(|| self.0.clone())
    }
}

fuzz_target!(|data: &[u8]| {
    let text: Arc<str> = String::from_utf8_lossy(data).into_owned().into();
    let mut map = SourceMap::default();
    let (program, diagnostics) = promela::load("model.pml", &Model(text), &Options::default(), &mut map);
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
