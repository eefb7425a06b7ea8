//! Text and trees of PVL: tokens, the parse tree, the parser and the printer.

mod parser;
mod printer;
mod token;
pub mod tree;
pub(crate) mod words;

pub use parser::{Options, parse, read_condition, read_formula, read_process, read_range};
pub use printer::{print, print_expression, print_formula, print_parameter_types};

use source::{Diagnostic, FileId, SourceMap};

/// Parses files that together form one program.
pub fn parse_files(map: &SourceMap, files: &[FileId], options: Options) -> (tree::Program, Vec<Diagnostic>) {
    let mut program = tree::Program { dialect: options.dialect, ..tree::Program::default() };
    let mut diagnostics = Vec::new();
    for file in files {
        let (part, mut found) = parse(*file, &map.file(*file).text, options);
        program.declarations.extend(part.declarations);
        program.expectations.extend(part.expectations);
        diagnostics.append(&mut found);
    }
    (program, diagnostics)
}
