//! The disk, and models that are read from it.

use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use model::{LoadOptions, LoadedModel};
use source::{Diagnostic, Loader, SourceMap, Texts, paths};

use crate::check::Failure;
use crate::registry::Registry;

/// A model that was read.
pub struct Loaded {
    pub name: String,
    pub sources: SourceMap,
    pub model: Box<dyn LoadedModel>,
    /// Warnings: errors end the loading.
    pub warnings: Vec<Diagnostic>,
}

/// The text of a file; bytes that are no UTF-8 become replacement characters, so that every file can be
/// given places and diagnostics.
pub fn read_text(path: &Path) -> Result<Arc<str>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Writes a text; an error says why it cannot be done, as the end of a sentence.
pub fn write_text(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| error.to_string())
}

/// A file that is written anew.
pub(crate) fn open_new(path: &Path) -> std::io::Result<Box<dyn Write>> {
    Ok(Box::new(std::io::BufWriter::new(std::fs::File::create(path)?)))
}

/// A path as the name of one file: files in different folders have different ones.
pub fn flat_name(path: &Path) -> String {
    let name = path.display().to_string();
    name.trim_start_matches(['.', '/']).replace(['/', '\\'], "_")
}

/// How a model or program is named that is read from standard input.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Whether a path stands for standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The texts of files by their paths.
#[derive(Clone, Copy, Default, Debug)]
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<Arc<str>, String> {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into())
    }

    /// Links are followed; where there is no such file yet, those to its folder are.
    fn identity(&self, path: &str) -> String {
        let real = |path: &Path| path.canonicalize().ok();
        let in_real_folder = || {
            let path = Path::new(path);
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Some(real(folder.unwrap_or(Path::new(".")))?.join(path.file_name()?))
        };
        match real(Path::new(path)).or_else(in_real_folder) {
            Some(real) => real.into_os_string().into_string().unwrap_or_else(|_| path.to_string()),
            None => paths::normalize(path),
        }
    }
}

pub(crate) fn read_standard_input() -> Result<Arc<str>, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Reads a model in the language that its name tells; `-` is standard input.
pub fn load_model(registry: &Registry, path: &Path, options: &LoadOptions) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::default();
    let (name, text) = if is_standard_input(path) {
        (STANDARD_INPUT.to_string(), read_standard_input())
    } else {
        (path.display().to_string(), read_text(path))
    };
    let loader = Texts::over(&Disk).with(&name, text.map_err(Failure::message)?);
    let Some(language) = registry.model_language(path) else {
        return Err(Failure::message(format!("{name} is in no language of models that is known here")));
    };
    let is_unknown =
        |given: &&(String, String)| !language.options().iter().any(|known| known.name == given.0);
    if let Some((option, _)) = options.own.iter().find(is_unknown) {
        return Err(Failure::message(format!(
            "--{option} says nothing about {name}: its language has no such option"
        )));
    }
    let (model, diagnostics) = language.load(&name, &loader, options, &mut sources);
    match model {
        Some(model) if !diagnostics.iter().any(Diagnostic::is_error) => {
            Ok(Loaded { name, sources, model, warnings: diagnostics })
        }
        _ => Err(Failure { sources, diagnostics, ..Failure::default() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_memory_hides_the_file_however_that_is_reached() {
        let folder = std::env::temp_dir().join(format!("probity-disk-{}", std::process::id()));
        assert!(std::fs::create_dir_all(folder.join("in")).is_ok());
        assert!(std::fs::write(folder.join("a.x"), b"on disk \xff").is_ok());
        let path = |name: &str| folder.join(name).display().to_string();
        assert_eq!(Disk.load(&path("a.x")).as_deref(), Ok("on disk \u{fffd}"));
        let texts =
            Texts::over(&Disk).with(&path("in/../a.x"), "in memory").with(&path("new.x"), "not saved");
        assert_eq!(texts.load(&path("./a.x")).as_deref(), Ok("in memory"));
        assert_eq!(texts.load(&path("in/../new.x")).as_deref(), Ok("not saved"));
        assert!(texts.load(&path("b.x")).is_err());
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// What is behind a link to a folder and back is another file, whatever the spelling says.
    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let folder = std::env::temp_dir().join(format!("probity-links-{}", std::process::id()));
        assert!(std::fs::create_dir_all(folder.join("far/away")).is_ok());
        assert!(std::os::unix::fs::symlink(folder.join("far/away"), folder.join("link")).is_ok());
        assert!(std::fs::write(folder.join("far/a.x"), "far").is_ok());
        assert!(std::fs::write(folder.join("a.x"), "near").is_ok());
        let path = |name: &str| folder.join(name).display().to_string();
        let texts = Texts::over(&Disk).with(&path("a.x"), "in memory");
        assert_eq!(texts.load(&path("link/../a.x")).as_deref(), Ok("far"));
        assert_eq!(texts.load(&path("a.x")).as_deref(), Ok("in memory"));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
