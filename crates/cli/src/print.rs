//! `probity print`

use session::Failure;

use crate::output::{diagnostics, err, out};
use crate::verify_arguments::PrintArguments;
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &PrintArguments) -> u8 {
    let files = &arguments.files;
    let is_pvl = files.iter().any(|file| file.extension().is_some_and(|extension| extension == "pvl"));
    let printed = match (&files[..], is_pvl || arguments.silver) {
        (_, true) if arguments.expanded && !arguments.silver => {
            session::load_pvl(files, arguments.language.dialect(), &arguments.language.options())
                .map(|loaded| session::print_typed(&loaded))
        }
        (_, true) => session::print_lowered(files, arguments.language.dialect()),
        ([file], false) if arguments.expanded => session::load_program(file, &arguments.language.options())
            .map(|loaded| session::print_typed(&loaded)),
        ([file], false) => session::print_program(file),
        _ => {
            err("probity: Silver programs are printed one at a time\n");
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
