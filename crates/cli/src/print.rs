//! `probity print`

use std::path::PathBuf;

use session::{Failure, ProgramText, Registry, UseOf};

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
        arguments.files.iter().map(|path| session::read_program(&Registry::standard(), path)).collect();
    let texts = match texts {
        Ok(texts) => texts,
        Err(failure) => return bad_input(&failure),
    };
    if let Some(message) = arguments.language.misuse(&texts) {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let options = arguments.language.options();
    let printed = match &texts[..] {
        [text] if arguments.silver && !text.language.features().is_lowered => {
            err(&format!("probity: --silver is about PVL programs, and {} is not one\n", text.name));
            return BAD_INPUT;
        }
        [first, others @ ..] if !session::is_one_program(&texts) => {
            let is_alone = |text: &&ProgramText| !text.language.features().joins_texts;
            let alone = texts.iter().find(is_alone).or(others.last()).unwrap_or(first);
            let (name, kind) = (&alone.name, alone.language.description());
            err(&format!("probity: {name} is {kind}: print it by itself\n"));
            return BAD_INPUT;
        }
        texts if arguments.expanded => {
            session::load_program(texts, &options).map(|loaded| session::print_typed(&loaded))
        }
        texts => session::print_program(texts, &options),
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
