//! `probity print`

use std::path::PathBuf;

use session::Failure;

use crate::output::{diagnostics, err, out};
use crate::verify_arguments::PrintArguments;
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &PrintArguments) -> u8 {
    let files = &arguments.files;
    let is_pvl = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "pvl");
    // PVL files given together form one program.
    let printed = if files.iter().all(is_pvl) {
        let dialect = arguments.language.dialect();
        match arguments.expanded {
            true => session::load_pvl(files, dialect, &arguments.language.options())
                .map(|loaded| session::print_typed(&loaded)),
            false => session::print_lowered(files, dialect),
        }
    } else if let [file] = &files[..]
        && !arguments.silver
    {
        match arguments.expanded {
            true => session::load_program(file, &arguments.language.options())
                .map(|loaded| session::print_typed(&loaded)),
            false => session::print_program(file),
        }
    } else {
        let message = match arguments.silver {
            true => "`--silver` is for PVL programs, whose files end in `.pvl`",
            false => "Silver programs are printed one at a time",
        };
        Err(Failure::message(message.to_string()))
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
