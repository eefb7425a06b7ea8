//! All books together: how much they take, and that they do not take more and more.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::book::HEADER;

/// What all books may take; the oldest go first.
pub(super) const MAX_BYTES: u64 = 256 << 20;
/// How many books there may be: looking at all of them takes some milliseconds.
pub(super) const MAX_BOOKS: usize = 8_192;
/// When a file that was to become a book has been given up by whoever wrote it.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// How much is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheSize {
    /// Members with answers.
    pub books: usize,
    pub answers: u64,
    pub bytes: u64,
}

struct Found {
    path: PathBuf,
    bytes: u64,
    time: SystemTime,
    /// It is still being written, or was left behind.
    is_unfinished: bool,
}

pub(super) fn size(folder: &Path) -> CacheSize {
    let mut size = CacheSize::default();
    for book in books(folder).iter().filter(|book| !book.is_unfinished) {
        size.books += 1;
        size.bytes += book.bytes;
        size.answers += count(&book.path).unwrap_or(0);
    }
    size
}

/// How many answers a book says it has.
fn count(path: &Path) -> Option<u64> {
    let mut start = [0; HEADER.len() + 4];
    io::Read::read_exact(&mut std::fs::File::open(path).ok()?, &mut start).ok()?;
    let (header, count) = start.split_first_chunk::<{ HEADER.len() }>()?;
    (header == HEADER).then_some(u64::from(u32::from_le_bytes(count.try_into().ok()?)))
}

/// Removes all books. What else is there is not ours, and stays.
pub(super) fn clear(folder: &Path) -> io::Result<()> {
    for book in books(folder) {
        std::fs::remove_file(&book.path).or_else(absent)?;
    }
    for program in entries(folder) {
        // One that is not empty has something in it that is not ours.
        let _ = std::fs::remove_dir(program.path());
    }
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// Removes the oldest books until the others are few enough and take little enough. What another process does meanwhile
/// makes no difference.
pub(super) fn bound(folder: &Path, bytes: u64, most: usize) {
    let mut books = books(folder);
    let now = SystemTime::now();
    let is_abandoned = |book: &Found| now.duration_since(book.time).is_ok_and(|age| age > ABANDONED);
    for book in books.iter().filter(|book| book.is_unfinished && is_abandoned(book)) {
        let _ = std::fs::remove_file(&book.path);
    }
    books.retain(|book| !book.is_unfinished);
    let mut total: u64 = books.iter().map(|book| book.bytes).sum();
    if total <= bytes && books.len() <= most {
        return;
    }
    // Somewhat less, so that it is not done again in the next run.
    let (bytes, most) = (bytes / 4 * 3, most / 4 * 3);
    books.sort_by(|left, right| (left.time, &left.path).cmp(&(right.time, &right.path)));
    let mut left = books.len();
    for book in books {
        if total <= bytes && left <= most {
            break;
        }
        let _ = std::fs::remove_file(&book.path);
        if let Some(program) = book.path.parent() {
            let _ = std::fs::remove_dir(program);
        }
        total -= book.bytes;
        left -= 1;
    }
}

/// All files in the folders of programs.
fn books(folder: &Path) -> Vec<Found> {
    let found = |entry: DirEntry| {
        let data: Metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        let time = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let path = entry.path();
        let is_unfinished = path.extension().is_some();
        Some(Found { path, bytes: data.len(), time, is_unfinished })
    };
    entries(folder).into_iter().flat_map(|program| entries(&program.path())).filter_map(found).collect()
}

fn entries(folder: &Path) -> Vec<DirEntry> {
    std::fs::read_dir(folder).map(|entries| entries.flatten().collect()).unwrap_or_default()
}

fn absent(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
