//! Reading programs that are to be proved: in which language a text is, where imported files are, which dialect of PVL
//! it is written in.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pvl::port::Pvl;
use pvl::syntax::tree::Dialect;
use silver::port::{Loaded, ProofLanguage, Rejected, Silver};
use source::{Diagnostic, FileId, Span};

use crate::check::Failure;
use crate::files::read_text;
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

    /// How programs of the language are read and spoken about.
    fn port(self, dialect: Option<Dialect>) -> Box<dyn ProofLanguage> {
        match self {
            Language::Silver => Box::new(Silver),
            Language::Pvl => Box::new(Pvl { dialect }),
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
        let reads = |language: Language| language.port(None).reads(&text);
        if reads(Language::Silver) || !reads(Language::Pvl) { Language::Silver } else { Language::Pvl }
    });
    Ok(ProgramText { name, text, language })
}

/// Imported files by their paths, which the front end has already made relative to the importing file; files of a
/// library in the folders that were given for that, in order.
struct DiskLoader<'f> {
    folders: &'f [PathBuf],
}

impl silver::Loader for DiskLoader<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn load_library(&self, path: &str) -> Option<(String, String)> {
        self.folders.iter().find_map(|folder| {
            let file = folder.join(path);
            let bytes = std::fs::read(&file).ok()?;
            Some((file.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
        })
    }
}

/// Reads texts that together are one program: one of Silver, or any number of PVL.
pub fn load(texts: &[ProgramText], options: &ProgramOptions) -> Result<LoadedProgram, Failure> {
    let language = match texts {
        [text] => text.language,
        _ => Language::Pvl,
    };
    let loader = DiskLoader { folders: &options.folders };
    let read = language.port(options.dialect).load(named(texts), &options.silver, &loader)?;
    let files: Vec<String> = texts.iter().map(|text| text.name.clone()).collect();
    let name = files.first().cloned().unwrap_or_default();
    let Loaded { sources, program, warnings, translation } = read;
    let mut loaded = LoadedProgram { name, files, sources, program, warnings, translation };
    if loaded.is_empty() {
        let span = Span::new(FileId(0), 0, 0);
        let message = "there is nothing to prove: the program has no member with a contract or a body";
        loaded.warnings.push(Diagnostic::warning("empty", span, message));
    }
    Ok(loaded)
}

fn named(texts: &[ProgramText]) -> Vec<(String, Arc<str>)> {
    texts.iter().map(|text| (text.name.clone(), text.text.clone())).collect()
}

/// The program as it is written, without comments, in the layout of the printer.
pub fn print_program(program: &ProgramText) -> Result<String, Failure> {
    Ok(Language::Silver.port(None).print(named(std::slice::from_ref(program)))?)
}

/// The Silver that texts lower into.
pub fn print_lowered(texts: &[ProgramText], dialect: Option<Dialect>) -> Result<String, Failure> {
    Ok(Language::Pvl.port(dialect).print(named(texts))?)
}

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Failure {
        let Rejected { sources, diagnostics, message } = rejected;
        Failure { sources, diagnostics, message }
    }
}
