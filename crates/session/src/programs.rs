//! Reading programs that are to be proved: in which language a text is, where imported files are, which dialect of PVL
//! it is written in.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pvl::syntax::tree::Dialect;
use source::{Diagnostic, FileId, Span};

use crate::check::Failure;
use crate::files::read_text;
use crate::pvl_program::load_pvl_texts;
use crate::verify::LoadedProgram;

/// What standard input is called in messages.
const STANDARD_INPUT: &str = "standard input";

/// A program in a language that is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Silver,
    Pvl,
}

impl Language {
    /// The language of a file by its name; `None` for a name that says nothing.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "vpr" | "sil" => Some(Language::Silver),
            "pvl" => Some(Language::Pvl),
            _ => None,
        }
    }
}

/// How programs are read.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    pub silver: silver::Options,
    /// Where files behind `import <…>` are looked for that the built-in library does not have.
    pub folders: Vec<PathBuf>,
    /// The dialect of PVL; if absent, that of VerCors 2.x, or else the one that a program reads in.
    pub dialect: Option<Dialect>,
}

/// A text that was read, with the name that messages call it by.
#[derive(Clone, Debug)]
pub struct ProgramText {
    pub name: String,
    pub text: Arc<str>,
    pub language: Language,
}

/// Reads a file, or standard input for `-`. Where the name does not tell the language it is the one that the text reads
/// in, Silver first.
pub fn read_program(path: &Path) -> Result<ProgramText, Failure> {
    let (name, text) = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::message(format!("cannot read {STANDARD_INPUT}: {error}")))?;
        (STANDARD_INPUT.to_string(), String::from_utf8_lossy(&bytes).into())
    } else {
        (path.display().to_string(), read_text(path).map_err(Failure::message)?)
    };
    let language = Language::of(path).unwrap_or_else(|| {
        let is_silver = !has_error(&silver::syntax::parse(FileId(0), &text).1);
        let is_pvl = || [Dialect::New, Dialect::Old].iter().any(|dialect| parses(&text, *dialect));
        if is_silver || !is_pvl() { Language::Silver } else { Language::Pvl }
    });
    Ok(ProgramText { name, text, language })
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

fn parses(text: &str, dialect: Dialect) -> bool {
    !has_error(&pvl::syntax::parse(FileId(0), text, pvl::syntax::Options { dialect }).1)
}

/// Reads texts that together are one program: one of Silver, or any number of PVL.
pub fn load(texts: &[ProgramText], options: &ProgramOptions) -> Result<LoadedProgram, Failure> {
    let mut loaded = match texts {
        [ProgramText { language: Language::Silver, name, text }] => {
            crate::verify::load_silver_text(name, text, options)?
        }
        _ => load_pvl_in_some_dialect(texts, options)?,
    };
    if loaded.is_empty() {
        let span = Span::new(FileId(0), 0, 0);
        let message = "there is nothing to prove: the program has no member with a contract or a body";
        loaded.warnings.push(Diagnostic::warning("empty", span, message));
    }
    Ok(loaded)
}

/// In the dialect that was asked for. If none was, a program that only parses in the old one is read in it: what parses
/// in both may mean something else there.
fn load_pvl_in_some_dialect(
    texts: &[ProgramText],
    options: &ProgramOptions,
) -> Result<LoadedProgram, Failure> {
    let named: Vec<(String, Arc<str>)> =
        texts.iter().map(|text| (text.name.clone(), text.text.clone())).collect();
    let dialect = dialect_of(texts, options.dialect);
    if options.dialect.is_some() || dialect == Dialect::New {
        return load_pvl_texts(named, dialect, &options.silver);
    }
    let (file, error) = first_error(texts, Dialect::New);
    let mut note = Diagnostic::warning("dialect", Span::new(file, 0, 0), NOTE);
    if let Some(error) = error
        && let Some(span) = error.span()
    {
        note = Diagnostic::warning("dialect", span, NOTE).at(format!("in VerCors 2.x: {}", error.message));
    }
    let note = note.help("`--dialect 1` says so without this note, `--dialect 2` insists on VerCors 2.x");
    match load_pvl_texts(named, Dialect::Old, &options.silver) {
        Ok(mut loaded) => {
            loaded.warnings.insert(0, note);
            Ok(loaded)
        }
        Err(mut failure) => {
            failure.diagnostics.insert(0, note);
            Err(failure)
        }
    }
}

/// The dialect that texts are read in, if none or this one is asked for.
pub fn dialect_of(texts: &[ProgramText], wanted: Option<Dialect>) -> Dialect {
    let all_parse = |dialect| texts.iter().all(|text| parses(&text.text, dialect));
    wanted.unwrap_or_else(|| match !all_parse(Dialect::New) && all_parse(Dialect::Old) {
        true => Dialect::Old,
        false => Dialect::New,
    })
}

const NOTE: &str = "this is read as a program for VerCors 1.x";

/// The first of several texts that does not parse, and why. Files are numbered as they will be in the program.
fn first_error(texts: &[ProgramText], dialect: Dialect) -> (FileId, Option<Diagnostic>) {
    for (index, text) in texts.iter().enumerate() {
        let file = FileId(index as u32);
        let (_, diagnostics) = pvl::syntax::parse(file, &text.text, pvl::syntax::Options { dialect });
        let error = diagnostics.into_iter().find(Diagnostic::is_error);
        if error.is_some() {
            return (file, error);
        }
    }
    (FileId(0), None)
}
