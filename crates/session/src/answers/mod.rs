//! The solver's answers on disk, so that what did not change is not asked again.
//!
//! Every member of a program has a book of its own, a small file with answers by the hashes of their questions (see
//! `smt::kept`). It is read when the proof of the member begins and written when it ends. Books need not be right: one that
//! is damaged, or another one's, is empty, and one that cannot be written is lost. Which answers may be taken, and that only
//! *unsat* proves anything, is for others to see to.

mod book;
mod folder;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

use smt::{Books, SolverOptions, solver_version};
use source::{Diagnostic, Severity};

use crate::cache;
use crate::check::without_place;
use crate::verify::LoadedProgram;
use book::Book;
pub use folder::CacheSize;

/// The answers that are kept for a user.
#[derive(Clone, Debug)]
pub struct AnswerCache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Where the books are.
    folder: PathBuf,
    /// How many of a hundred answers are asked for all the same.
    recheck: u8,
    /// Which solver the answers are of; found out when it is first needed.
    solver: OnceLock<String>,
    /// Something was written.
    is_changed: AtomicBool,
    /// An answer was wrong: nothing is believed any more, and nothing is kept.
    is_refuted: AtomicBool,
    /// Why something could not be written.
    fault: Mutex<Option<String>>,
}

impl AnswerCache {
    /// What is kept for the user; none if they want nothing kept, or if there is no place for it.
    pub fn of_user(recheck: u8) -> Option<AnswerCache> {
        cache::answers_folder().map(|folder| AnswerCache::in_folder(&folder, recheck))
    }

    /// What is kept in a folder, which need not be there. So many of a hundred answers are asked for again and compared.
    pub fn in_folder(folder: &Path, recheck: u8) -> AnswerCache {
        AnswerCache(Arc::new(Shared {
            folder: folder.to_path_buf(),
            recheck,
            solver: OnceLock::new(),
            is_changed: AtomicBool::new(false),
            is_refuted: AtomicBool::new(false),
            fault: Mutex::default(),
        }))
    }

    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// How much is kept.
    pub fn size(&self) -> CacheSize {
        folder::size(&self.0.folder)
    }

    /// Forgets everything.
    pub fn clear(&self) -> Result<(), String> {
        folder::clear(&self.0.folder)
            .map_err(|error| format!("{} cannot be emptied: {error}", self.0.folder.display()))
    }

    /// The books of a program.
    pub(crate) fn books(&self, loaded: &LoadedProgram, solver: &SolverOptions) -> Books {
        let absolute = |name: &String| std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
        let mut files: Vec<PathBuf> = loaded.files.iter().map(absolute).collect();
        // The order of files has no meaning.
        files.sort();
        let mut hasher = blake3::Hasher::new();
        for file in files {
            let name = file.as_os_str().as_encoded_bytes();
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name);
        }
        let program = hasher.finalize();
        let folder = self.0.folder.join(&program.to_hex()[..16]);
        let is_filled = folder.is_dir() && !self.0.is_refuted.load(Ordering::Relaxed);
        self.ask_solver_early(solver);
        let (shared, solver) = (self.0.clone(), solver.clone());
        Books::new(is_filled, move |member| {
            let id = blake3::keyed_hash(program.as_bytes(), member.as_bytes());
            let path = folder.join(&id.to_hex()[..32]);
            Arc::new(Book::open(shared.clone(), path, *id.as_bytes(), solver.clone()))
        })
    }

    /// Begins to find out which solver it is, which takes as long as a small proof.
    fn ask_solver_early(&self, solver: &SolverOptions) {
        let (shared, solver) = (self.0.clone(), solver.clone());
        let ask = move || {
            shared.solver(&solver);
        };
        // Without a thread, whoever needs it asks.
        let _ = std::thread::Builder::new().name("solver version".to_owned()).spawn(ask);
    }

    /// Keeps the folder from growing for ever.
    pub(crate) fn finish(&self) {
        if self.0.is_changed.load(Ordering::Relaxed) {
            folder::bound(&self.0.folder, folder::MAX_BYTES, folder::MAX_BOOKS);
        }
    }

    /// What is to be said about a run: that answers could not be kept.
    pub(crate) fn warning(&self) -> Option<Diagnostic> {
        let fault = self.0.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let message = format!("the solver's answers cannot be kept in {}: {fault}", self.0.folder.display());
        let mut warning = without_place(Severity::Warning, "cache.unwritten", message);
        let help = "name a folder that can be written in PROBITY_CACHE, or keep none with --no-cache";
        warning.help = Some(help.to_string());
        Some(warning)
    }
}

impl Shared {
    /// What tells a solver from others: what it says it is, and which file it is.
    fn solver(&self, options: &SolverOptions) -> &str {
        self.solver.get_or_init(|| {
            let version = solver_version(&options.path).unwrap_or_default();
            let path = options.path.canonicalize().unwrap_or_else(|_| options.path.clone());
            let (size, time) = match path.metadata() {
                Ok(it) => {
                    (it.len(), it.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()))
                }
                Err(_) => (0, None),
            };
            format!("{:?} {version} {size} {time:?} {}", options.kind, path.display())
        })
    }

    fn blame(&self, fault: &std::io::Error) {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| fault.to_string());
    }

    fn refute(&self) {
        self.is_refuted.store(true, Ordering::Relaxed);
        if let Err(error) = folder::clear(&self.folder) {
            self.blame(&error);
        }
    }
}

#[cfg(test)]
mod tests;
