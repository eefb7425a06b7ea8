//! `probity print`

use session::Failure;

use crate::output::{diagnostics, err, out};
use crate::verify_arguments::PrintArguments;
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &PrintArguments) -> u8 {
    let is_pvl = arguments.file.extension().is_some_and(|extension| extension == "pvl");
    let printed = if arguments.silver || is_pvl && !arguments.expanded {
        session::print_lowered(std::slice::from_ref(&arguments.file), arguments.language.dialect())
    } else if is_pvl {
        session::load_pvl(
            std::slice::from_ref(&arguments.file),
            arguments.language.dialect(),
            &arguments.language.options(),
        )
        .map(|loaded| session::print_typed(&loaded))
    } else if arguments.expanded {
        session::load_program(&arguments.file, &arguments.language.options())
            .map(|loaded| session::print_typed(&loaded))
    } else {
        session::print_program(&arguments.file)
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
