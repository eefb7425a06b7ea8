//! Reading programs that are to be proved: in which language a text is, and which texts are one program.

use std::path::Path;
use std::sync::Arc;

use silver::port::{LoadOptions, Loaded, Rejected};
use source::{Diagnostic, FileId, Span, Texts};

use crate::check::Failure;
use crate::files::{Disk, STANDARD_INPUT, is_standard_input, read_standard_input, read_text};
use crate::registry::{ProgramLanguage, Registry};
use crate::verify::LoadedProgram;

/// A text that was read, with the name that messages call it by.
#[derive(Clone, Debug)]
pub struct ProgramText {
    pub name: String,
    pub text: Arc<str>,
    pub language: ProgramLanguage,
}

/// Reads a file, or standard input for `-`, in one of the languages of a registry. Where the name does not tell which, it
/// is the first that the text reads in.
pub fn read_program(registry: &Registry, path: &Path) -> Result<ProgramText, Failure> {
    let (name, text) = if is_standard_input(path) {
        (STANDARD_INPUT.to_string(), read_standard_input())
    } else {
        (path.display().to_string(), read_text(path))
    };
    let text = text.map_err(Failure::message)?;
    match registry.program_language(path).or_else(|| registry.language_of_program(&text)) {
        Some(language) => Ok(ProgramText { name, text, language }),
        None => Err(Failure::message(format!("{name} is in no language of programs that is known here"))),
    }
}

/// The programs that texts are: each by itself, or, if asked for, all of a language together whose programs can be
/// several texts.
pub fn programs_of(texts: Vec<ProgramText>, together: bool) -> Vec<Vec<ProgramText>> {
    let (joined, alone): (Vec<_>, Vec<_>) =
        texts.into_iter().partition(|text| together && text.language.features().joins_texts);
    let mut programs: Vec<Vec<ProgramText>> = alone.into_iter().map(|text| vec![text]).collect();
    let first_of_joined = programs.len();
    for text in joined {
        let mut others = programs[first_of_joined..].iter_mut();
        match others.find(|others| others.iter().any(|other| other.language == text.language)) {
            Some(others) => others.push(text),
            None => programs.push(vec![text]),
        }
    }
    programs
}

/// Whether texts can be one program.
pub fn is_one_program(texts: &[ProgramText]) -> bool {
    match texts {
        [] => false,
        [_] => true,
        [first, others @ ..] => {
            first.language.features().joins_texts && others.iter().all(|text| text.language == first.language)
        }
    }
}

/// A program in memory: its language, the names of its texts, and the texts over those on disk.
struct Together<'d> {
    language: ProgramLanguage,
    names: Vec<String>,
    texts: Texts<'d>,
}

impl<'d> Together<'d> {
    fn new(texts: &[ProgramText], disk: &'d Disk) -> Result<Together<'d>, Failure> {
        let Some(first) = texts.first() else { return Err(Failure::message("there is no program to read")) };
        let mut together = Together { language: first.language, names: Vec::new(), texts: Texts::over(disk) };
        for text in texts {
            if text.language != first.language {
                let (kind, other) = (first.language.description(), text.language.description());
                let message =
                    format!("{} is {kind} and {} is {other}: they are two programs", first.name, text.name);
                return Err(Failure::message(message));
            }
            // One name can stand for one text only, or a text would be left out.
            if texts.iter().any(|other| other.name == text.name && other.text != text.text) {
                let message = format!("{} was given twice, with different texts", text.name);
                return Err(Failure::message(message));
            }
            together.names.push(text.name.clone());
            together.texts.add(&text.name, text.text.clone());
        }
        Ok(together)
    }
}

/// Reads texts that together are one program.
pub fn load(texts: &[ProgramText], options: &LoadOptions) -> Result<LoadedProgram, Failure> {
    let Together { language, names, texts } = Together::new(texts, &Disk)?;
    let read = language.port().load(&names, &texts, options)?;
    let name = names.first().cloned().unwrap_or_default();
    let Loaded { sources, program, warnings, translation } = read;
    let mut loaded = LoadedProgram { name, files: names, sources, program, warnings, translation };
    if loaded.is_empty() {
        let span = Span::new(FileId(0), 0, 0);
        let message = "there is nothing to prove: the program has no member with a contract or a body";
        loaded.warnings.push(Diagnostic::warning("empty", span, message));
    }
    Ok(loaded)
}

/// Texts that together are one program, as the language prints them: as they are written, without comments, or as what
/// they are lowered into.
pub fn print_program(texts: &[ProgramText], options: &LoadOptions) -> Result<String, Failure> {
    let Together { language, names, texts } = Together::new(texts, &Disk)?;
    Ok(language.port().print(&names, &texts, options)?)
}

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Failure {
        let Rejected { sources, diagnostics, message } = rejected;
        Failure { sources, diagnostics, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, text: &str) -> ProgramText {
        let language = Registry::standard().program_language(Path::new(name));
        let language = language.or_else(|| Registry::standard().language_of_program(text));
        ProgramText {
            name: name.to_string(),
            text: text.into(),
            language: language.expect("there are languages"),
        }
    }

    fn names(programs: &[Vec<ProgramText>]) -> Vec<Vec<&str>> {
        programs.iter().map(|texts| texts.iter().map(|text| text.name.as_str()).collect()).collect()
    }

    #[test]
    fn texts_are_programs_by_themselves_or_together() {
        let texts = ["a.pvl", "b.vpr", "c.pvl"].map(|name| text(name, ""));
        assert_eq!(names(&programs_of(texts.to_vec(), false)), [["a.pvl"], ["b.vpr"], ["c.pvl"]]);
        assert_eq!(names(&programs_of(texts.to_vec(), true)), [vec!["b.vpr"], vec!["a.pvl", "c.pvl"]]);
        assert!(is_one_program(&[texts[0].clone(), texts[2].clone()]));
        assert!(is_one_program(&texts[1..2]));
        assert!(!is_one_program(&texts));
        assert!(!is_one_program(&[texts[1].clone(), texts[1].clone()]));
        assert!(!is_one_program(&[]));
    }

    #[test]
    fn what_is_no_one_program_is_refused() {
        let refused = |texts: &[ProgramText]| {
            load(texts, &LoadOptions::default()).err().and_then(|failure| failure.message).unwrap_or_default()
        };
        let class = "class C { ensures false; void m() { } }";
        expect_test::expect!["a.pvl is a PVL program and b.vpr is a Silver program: they are two programs"]
            .assert_eq(&refused(&[text("a.pvl", class), text("b.vpr", "")]));
        expect_test::expect!["a program of Silver is one file, which imports the others"]
            .assert_eq(&refused(&[text("a.vpr", ""), text("b.vpr", "")]));
        // Otherwise one of the texts would be read twice, and the other not at all.
        expect_test::expect!["<stdin> was given twice, with different texts"].assert_eq(&refused(&[
            text(STANDARD_INPUT, class),
            text(STANDARD_INPUT, "class D { void n() { } }"),
        ]));
        expect_test::expect!["there is no program to read"].assert_eq(&refused(&[]));
    }

    #[test]
    fn a_dialect_that_a_language_does_not_have_is_refused() {
        let refused = |name: &str, dialect: u8| {
            let options = LoadOptions { dialect: Some(dialect), ..LoadOptions::default() };
            load(&[text(name, "")], &options).err().and_then(|failure| failure.message)
        };
        assert_eq!(refused("a.vpr", 1).as_deref(), Some("Silver has no dialects"));
        assert_eq!(refused("a.pvl", 3).as_deref(), Some("PVL has the dialects 1 and 2, and no dialect 3"));
        assert_eq!(refused("a.pvl", 1), None);
    }
}
