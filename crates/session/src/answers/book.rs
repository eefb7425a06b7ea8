//! The answers of one member, in memory and as a file.
//!
//! A file is a header, the number of records, records of one length, and a hash over all of it and over what the book is
//! of. Records that were used last come first. Those of earlier runs are kept for a while, so that undoing an edit finds
//! its answers again.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use smt::{Answers, Kept, KeptAnswer, Key, SolverOptions};

use super::Shared;

/// The first bytes; another version is not understood.
pub(super) const HEADER: &[u8; 16] = b"probity answers1";
const RECORD: usize = 32 + 1 + 8;
const CHECKSUM: usize = 32;
/// Records beside those of the last run: as many edits of a large member as somebody may want to undo.
const OLDER: usize = 8_192;
/// Records at most, which is more than a proof of an hour asks.
const MOST: usize = 1 << 17;
/// How old a book looks at most that is in use; to say so in every run would cost more than it is worth.
const AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The answers of one member.
pub(super) struct Book {
    shared: Arc<Shared>,
    path: PathBuf,
    id: [u8; 32],
    solver: SolverOptions,
    /// What was there when the proof began.
    old: HashMap<Key, Kept>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was used, in the order of its first use.
    used: Vec<Key>,
    /// What was found out now.
    new: HashMap<Key, Kept>,
    /// The same.
    is_used: HashSet<Key>,
}

impl Book {
    /// Reads a book; it is empty if there is none.
    pub(super) fn open(shared: Arc<Shared>, path: PathBuf, id: [u8; 32], solver: SolverOptions) -> Book {
        let records = if shared.is_refuted.load(Ordering::Relaxed) { Vec::new() } else { read(&path, &id) };
        let old = records.into_iter().rev().collect();
        Book { shared, path, id, solver, old, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file should hold now: what was used, then what is there, the latest first.
    fn merged(&self, state: &State) -> Vec<(Key, Kept)> {
        let find = |key: &Key| state.new.get(key).or_else(|| self.old.get(key)).map(|kept| (*key, *kept));
        let mut records: Vec<(Key, Kept)> = state.used.iter().filter_map(find).collect();
        let most = (records.len() + OLDER).min(MOST);
        // Another process may have written meanwhile.
        let others = read(&self.path, &self.id);
        records.extend(others.into_iter().filter(|(key, _)| !state.is_used.contains(key)));
        records.truncate(most);
        records
    }
}

impl State {
    fn use_key(&mut self, key: &Key) {
        if self.is_used.insert(*key) {
            self.used.push(*key);
        }
    }
}

impl Answers for Book {
    fn solver(&self) -> String {
        self.shared.solver(&self.solver).to_string()
    }

    fn get(&self, key: &Key) -> Option<Kept> {
        let kept = *self.old.get(key)?;
        if self.shared.is_refuted.load(Ordering::Relaxed) {
            return None;
        }
        self.lock().use_key(key);
        Some(kept)
    }

    fn put(&self, key: Key, kept: Kept) {
        let mut state = self.lock();
        state.use_key(&key);
        let before = state.new.get(&key).map(|before| before.answer);
        // A solver may prove in one state of mind what it leaves open in another.
        if before != Some(KeptAnswer::Unsat) {
            state.new.insert(key, kept);
        }
    }

    fn is_rechecked(&self, key: &Key) -> bool {
        let share = u16::from_le_bytes([key.0[0], key.0[1]]);
        u32::from(share) * 100 < u32::from(self.shared.recheck) << 16
    }

    fn refuted(&self, _key: &Key) {
        self.shared.refute();
    }

    fn close(&self) {
        let state = self.lock();
        if self.shared.is_refuted.load(Ordering::Relaxed) {
            return;
        }
        let is_same =
            |(key, kept): (&Key, &Kept)| self.old.get(key).is_some_and(|old| old.answer == kept.answer);
        if state.new.iter().all(is_same) {
            if !state.used.is_empty() {
                touch(&self.path);
            }
            return;
        }
        match write(&self.path, &self.id, &self.merged(&state)) {
            Ok(()) => self.shared.is_changed.store(true, Ordering::Relaxed),
            Err(error) => self.shared.blame(&error),
        }
    }
}

/// Says that a book is in use.
fn touch(path: &Path) {
    let is_old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > AGE);
    if let Ok(file) = std::fs::File::options().write(true).open(path)
        && file.metadata().and_then(|it| it.modified()).is_ok_and(is_old)
    {
        // A book that looks older than it is may be thrown away, which does no harm.
        let _ = file.set_modified(SystemTime::now());
    }
}

/// The records of a book; none if it is not there, or not as it was written.
pub(super) fn read(path: &Path, id: &[u8; 32]) -> Vec<(Key, Kept)> {
    let most = (HEADER.len() + 4 + MOST * RECORD + CHECKSUM) as u64;
    let mut bytes = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return Vec::new() };
    match file.take(most + 1).read_to_end(&mut bytes) {
        Ok(_) => parse(&bytes, id).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

fn parse(bytes: &[u8], id: &[u8; 32]) -> Option<Vec<(Key, Kept)>> {
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    if blake3::keyed_hash(id, body) != *<&[u8; CHECKSUM]>::try_from(sum).ok()? {
        return None;
    }
    let (header, rest) = body.split_at_checked(HEADER.len())?;
    let (count, records) = rest.split_first_chunk::<4>()?;
    let is_whole = records.len() == u32::from_le_bytes(*count) as usize * RECORD;
    if header != HEADER || !is_whole {
        return None;
    }
    records.chunks_exact(RECORD).map(parse_record).collect()
}

fn parse_record(record: &[u8]) -> Option<(Key, Kept)> {
    let (key, rest) = record.split_first_chunk::<32>()?;
    let (answer, rest) = rest.split_first()?;
    let spent = u64::from_le_bytes(rest.try_into().ok()?);
    let answer = ANSWERS.iter().find(|(_, code)| code == answer)?.0;
    Some((Key(*key), Kept { answer, spent }))
}

/// How answers are written.
const ANSWERS: [(KeptAnswer, u8); 5] = [
    (KeptAnswer::Unsat, 1),
    (KeptAnswer::Sat, 2),
    (KeptAnswer::Incomplete, 3),
    (KeptAnswer::Arithmetic, 4),
    (KeptAnswer::ResourceLimit, 5),
];

/// Writes a book anew: who reads it at the same time sees either all of it or what was there before.
pub(super) fn write(path: &Path, id: &[u8; 32], records: &[(Key, Kept)]) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut bytes = Vec::with_capacity(HEADER.len() + 4 + records.len() * RECORD + CHECKSUM);
    bytes.extend_from_slice(HEADER);
    bytes.extend_from_slice(&(records.len() as u32).to_le_bytes());
    for (key, kept) in records {
        bytes.extend_from_slice(&key.0);
        bytes.extend(ANSWERS.iter().find(|(answer, _)| *answer == kept.answer).map(|(_, code)| *code));
        bytes.extend_from_slice(&kept.spent.to_le_bytes());
    }
    let sum = blake3::keyed_hash(id, &bytes);
    bytes.extend_from_slice(sum.as_bytes());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let other = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    let written = std::fs::write(&other, &bytes).and_then(|()| std::fs::rename(&other, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&other);
    }
    written
}
