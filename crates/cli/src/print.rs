//! `probity print`

use std::path::PathBuf;

use session::Failure;

use crate::files::{FileKind, misplaced};
use crate::output::{diagnostics, err, out};
use crate::verify_arguments::{PrintArguments, is_pvl};
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &PrintArguments) -> u8 {
    let files = &arguments.files;
    let misplaced = misplaced(files.iter().map(PathBuf::as_path), |kind| kind != FileKind::Promela);
    if let Some(message) = misplaced.or_else(|| arguments.language.misuse(files)) {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let are_pvl = files.iter().all(|file| is_pvl(file));
    let printed = match &files[..] {
        _ if are_pvl && arguments.expanded => {
            session::load_pvl(files, arguments.language.dialect(), &arguments.language.options())
                .map(|loaded| session::print_typed(&loaded))
        }
        _ if are_pvl => session::print_lowered(files, arguments.language.dialect()),
        [file] if arguments.silver => {
            err(&format!("probity: --silver is about PVL programs, and {} is not one\n", file.display()));
            return BAD_INPUT;
        }
        [file] if arguments.expanded => session::load_program(file, &arguments.language.options())
            .map(|loaded| session::print_typed(&loaded)),
        [file] => session::print_program(file),
        _ => {
            err("probity: print Silver programs one at a time, and apart from PVL files\n");
            return BAD_INPUT;
        }
    };
    match printed {
        Ok(text) => {
            out(&text);
            HOLDS
        }
        Err(failure) => bad_input(&failure),
    }
}

pub(crate) fn bad_input(failure: &Failure) -> u8 {
    diagnostics(&failure.sources, &failure.diagnostics);
    if let Some(message) = &failure.message {
        err(&format!("probity: {message}\n"));
    }
    BAD_INPUT
}
