//! `probity print`

use std::path::PathBuf;

use session::{Failure, Language, ProgramText, UseOf};

use crate::files::misplaced;
use crate::output::{diagnostics, err, out};
use crate::verify_arguments::PrintArguments;
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &PrintArguments) -> u8 {
    let files = arguments.files.iter().map(PathBuf::as_path);
    if let Some(message) = misplaced(files, UseOf::Programs) {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let texts: Result<Vec<ProgramText>, Failure> =
        arguments.files.iter().map(|path| session::read_program(path)).collect();
    let texts = match texts {
        Ok(texts) => texts,
        Err(failure) => return bad_input(&failure),
    };
    if let Some(message) = arguments.language.misuse(&texts) {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let are_pvl = texts.iter().all(|text| text.language == Language::Pvl);
    let options = arguments.language.options();
    let printed = match &texts[..] {
        _ if are_pvl && !arguments.expanded => session::print_lowered(&texts, options.dialect),
        [text] if arguments.silver => {
            err(&format!("probity: --silver is about PVL programs, and {} is not one\n", text.name));
            return BAD_INPUT;
        }
        _ if arguments.expanded && (are_pvl || texts.len() == 1) => {
            session::load_program(&texts, &options).map(|loaded| session::print_typed(&loaded))
        }
        [text] => session::print_program(text),
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
