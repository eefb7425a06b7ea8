//! What a file is by its name, and which command is for it.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;
use session::{FileKind, Registry, UseOf};

use crate::arguments::Arguments;

/// The command for such files where none is given.
fn verb(kind: FileKind) -> &'static str {
    match kind.uses.first() {
        Some(UseOf::Models) | None => "check",
        Some(UseOf::Programs) => "verify",
    }
}

/// Which files there are, and which commands are for them.
pub(crate) fn languages() -> String {
    let mut text = "Files:".to_string();
    for (extensions, kind) in Registry::standard().languages() {
        let names: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
        let verbs = kind.uses.iter().map(|use_of| match use_of {
            UseOf::Models => "check, simulate",
            UseOf::Programs => "verify, print",
        });
        let verbs: Vec<&str> = verbs.collect();
        text.push_str(&format!("\n  {:<28}{}: {}", names.join(" "), kind.description, verbs.join(", ")));
    }
    text
}

/// What is wrong with giving these files to a command: one is for another command, as its name tells, or standard input
/// is given twice.
pub(crate) fn misplaced<'f>(files: impl IntoIterator<Item = &'f Path>, wanted: UseOf) -> Option<String> {
    let files: Vec<&Path> = files.into_iter().collect();
    if files.iter().filter(|file| session::is_standard_input(file)).count() > 1 {
        return Some("standard input can be read only once".to_string());
    }
    let registry = Registry::standard();
    files.into_iter().find_map(|file| {
        let kind = registry.kind(file).filter(|kind| !kind.is_for(wanted))?;
        let (name, verb) = (crate::shell::quoted(file), verb(kind));
        Some(format!("{} is {}; try `probity {verb} {name}`", file.display(), kind.description))
    })
}

/// `probity FILE` and `probity OPTIONS FILE` pick the command by the file's kind.
pub(crate) fn with_verb(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let is_verb = |word: &OsString| {
        let names_it = |command: &clap::Command| word.to_str() == Some(command.get_name());
        word == "help" || Arguments::command().get_subcommands().any(names_it)
    };
    let Some(first) = arguments.get(1).filter(|first| !is_verb(first)) else { return arguments };
    // What is neither an option nor a file is a mistyped command, which deserves its own message.
    let is_option = first.to_str().is_some_and(|first| first.starts_with('-'));
    let registry = Registry::standard();
    let kind = |word: &OsString| registry.kind(Path::new(word));
    let found = if is_option { arguments.iter().skip(1).find_map(kind) } else { kind(first) };
    if let Some(kind) = found {
        arguments.insert(1, OsString::from(verb(kind)));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(words: &[&str]) -> String {
        let words = with_verb(words.iter().map(OsString::from));
        words.get(1).map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
    }

    #[test]
    fn a_file_alone_tells_the_command() {
        assert_eq!(second(&["probity", "a.pml", "--json"]), "check");
        assert_eq!(second(&["probity", "a.vpr", "b.vpr"]), "verify");
        assert_eq!(second(&["probity", "A.PVL"]), "verify");
        assert_eq!(second(&["probity", "-DN=3", "--safety", "a.pml"]), "check");
        assert_eq!(second(&["probity", "--workers", "2", "a.pvl"]), "verify");
    }

    #[test]
    fn commands_and_mistakes_are_left_alone() {
        assert_eq!(second(&["probity", "ltl", "p"]), "ltl");
        assert_eq!(second(&["probity", "verify", "a.pml"]), "verify");
        assert_eq!(second(&["probity", "chekc", "a.pml"]), "chekc");
        assert_eq!(second(&["probity", "--version"]), "--version");
        assert_eq!(second(&["probity"]), "");
    }
}
