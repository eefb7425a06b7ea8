//! Files that tests look at, and files that they make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use source::Loader;

/// All files below a folder with one of these extensions, in the order of their paths.
///
/// # Panics
///
/// If the folder cannot be listed: a corpus that is not there must not pass for an empty one.
pub fn files_below(root: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    list_below(root, extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// As `files_below`; a folder that cannot be listed is an error that names it.
pub fn list_below(root: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let failed = |error| format!("{} cannot be listed: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let has_extension = |extension: &&str| path.extension().is_some_and(|it| it == *extension);
            if path.is_dir() {
                folders.push(path);
            } else if extensions.iter().any(has_extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Reads every path from the disk as it is written.
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<Arc<str>, String> {
        std::fs::read_to_string(path).map(Into::into).map_err(|error| error.to_string())
    }
}

/// A file for the time of a test, removed at its end. Its name is the one given, with the number of the process.
pub struct TemporaryFile(PathBuf);

impl TemporaryFile {
    /// # Panics
    ///
    /// If the file cannot be written.
    pub fn new(name: &str, text: &str) -> TemporaryFile {
        let path = std::env::temp_dir().join(format!("probity-{}-{name}", std::process::id()));
        if let Err(error) = std::fs::write(&path, text) {
            panic!("{} cannot be written: {error}", path.display());
        }
        TemporaryFile(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_in_order() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names: Vec<String> = files_below(root, &["rs", "toml"])
            .iter()
            .map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string())
            .collect();
        assert_eq!(names, ["Cargo.toml", "src/files.rs", "src/lib.rs", "src/random.rs"]);
        assert!(files_below(root, &["pml"]).is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let error = list_below(Path::new("no/such/folder"), &["pml"]);
        assert!(error.is_err_and(|error| error.starts_with("no/such/folder cannot be listed")));
    }

    #[test]
    fn temporary_files_are_removed() {
        let file = TemporaryFile::new("removed.txt", "text");
        let path = file.path().to_path_buf();
        assert_eq!(Disk.load(&path.to_string_lossy()).as_deref(), Ok("text"));
        drop(file);
        assert!(!path.exists());
    }
}
