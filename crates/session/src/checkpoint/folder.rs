//! A folder with a checkpoint: replaced as a whole, and only by one that is complete on disk.
//!
//! Every search that is kept has a file of its own, and the manifest names the files that belong together, with their lengths
//! and sums. A new file never replaces another one: it has a number of its own, and counts from the moment at which a manifest
//! that names it has taken the place of the one before. What no manifest names is removed after that.

use std::fs::{self, File};
use std::io::{BufWriter, Error, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::manifest::{Identity, KeptFile, Manifest};
use super::sum::{Sum, Summed};

/// The manifest, and the one that takes its place.
pub(super) const MANIFEST: &str = "checkpoint";
const NEW_MANIFEST: &str = "checkpoint.new";
/// How the names of all other files begin.
const SEARCH: &str = "property-";

/// Manifests are short.
const LONGEST_MANIFEST: u64 = 1 << 24;

/// A folder that checkpoints are written to.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    state: Mutex<State>,
    /// The number of the next file.
    next: AtomicU64,
}

#[derive(Debug)]
struct State {
    manifest: Manifest,
    /// The names of files that are being written.
    writing: Vec<String>,
}

/// The manifest of a folder, as it is written.
pub(super) fn read_manifest(folder: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(folder.join(MANIFEST))?.take(LONGEST_MANIFEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a file is what the manifest says.
pub(super) fn is_whole(folder: &Path, file: &KeptFile) -> Result<bool> {
    let sum = Sum::of_all(&mut File::open(folder.join(&file.name))?)?;
    Ok((sum.length(), sum.value()) == (file.length, file.sum))
}

impl Folder {
    /// Makes a folder ready; an error says that it cannot be written. `files` are those there that still count.
    pub(super) fn new(path: &Path, identity: Identity, files: Vec<KeptFile>) -> Result<Folder> {
        fs::create_dir_all(path)?;
        let probe = path.join(NEW_MANIFEST);
        File::create(&probe)?.write_all(b"probity\n")?;
        fs::remove_file(&probe)?;
        let highest = names(path)?.iter().filter_map(|name| number(name)).max().unwrap_or(0);
        let state = State { manifest: Manifest { identity, files }, writing: Vec::new() };
        let next = AtomicU64::new(highest + 1);
        Ok(Folder { path: path.to_path_buf(), state: Mutex::new(state), next })
    }

    /// Replaces what is kept of a property by what `write` writes. Nothing is changed where that fails. Gives the new file.
    pub(super) fn replace(
        &self,
        property: usize,
        write: impl FnOnce(&mut dyn Write) -> Result<()>,
        is_written: impl FnOnce(),
    ) -> Result<PathBuf> {
        let name = format!("{SEARCH}{property}.{}", self.next.fetch_add(1, Ordering::Relaxed));
        let path = self.path.join(&name);
        self.lock().writing.push(name.clone());
        let replaced = self.write_file(&path, write).and_then(|sum| {
            is_written();
            let file = KeptFile { property, name: name.clone(), length: sum.length(), sum: sum.value() };
            self.name(file)
        });
        if replaced.is_err() {
            let _ = fs::remove_file(&path);
        }
        self.lock().writing.retain(|other| *other != name);
        replaced.map(|()| path)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_file(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Sum> {
        let out = Summed { out: File::create_new(path)?, sum: Sum::default() };
        let mut out = BufWriter::with_capacity(1 << 20, out);
        write(&mut out)?;
        let Summed { out, sum } = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        out.sync_all()?;
        Ok(sum)
    }

    /// Has the manifest name a file, in place of what it named for the same property.
    fn name(&self, file: KeptFile) -> Result<()> {
        let mut state = self.lock();
        let mut files = state.manifest.files.clone();
        files.retain(|other| other.property != file.property);
        files.push(file);
        let renewed = Manifest { files, ..state.manifest.clone() };
        let path = self.path.join(NEW_MANIFEST);
        let mut out = File::create(&path)?;
        out.write_all(renewed.print().as_bytes())?;
        out.sync_all()?;
        fs::rename(&path, self.path.join(MANIFEST))?;
        state.manifest = renewed;
        // The names themselves must be on disk before what they replace is gone. Where a folder cannot be synchronised, the
        // system does so by itself.
        let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
        self.clear(&state);
        Ok(())
    }

    /// Removes searches that the manifest does not name and that nobody writes any more.
    fn clear(&self, state: &State) {
        let is_named = |name: &String| state.manifest.files.iter().any(|file| file.name == *name);
        for name in names(&self.path).unwrap_or_default() {
            if name.starts_with(SEARCH) && !is_named(&name) && !state.writing.contains(&name) {
                let _ = fs::remove_file(self.path.join(name));
            }
        }
    }
}

fn number(name: &str) -> Option<u64> {
    name.strip_prefix(SEARCH)?.split_once('.')?.1.parse().ok()
}

fn names(folder: &Path) -> std::result::Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder)?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
