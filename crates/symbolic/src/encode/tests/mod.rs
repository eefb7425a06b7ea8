//! What programs look like to the solver.

mod axioms;
mod snapshots;
mod solver;
mod text;

use silver::Options;
use silver::typed::Program;
use source::{NoFiles, SourceMap};

use super::Encoder;
use crate::dependencies::Texts;

fn program(text: &str) -> Program {
    let mut map = SourceMap::default();
    let file = map.add("test.vpr", text);
    let resolved = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    assert!(resolved.diagnostics.is_empty(), "{:?}", resolved.diagnostics);
    resolved.program.expect("a program without errors")
}

/// An encoder for a proof that can meet everything.
fn encoder(program: &Program) -> Encoder<'_> {
    Encoder::new(program, &Texts::everything(program))
}
