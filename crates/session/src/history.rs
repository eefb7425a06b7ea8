//! How long members took in earlier runs.
//!
//! What is remembered only helps to say how long a run will last; no verdict depends on it. Nothing but numbers is
//! kept: a program is the hash of its files' paths and of the solver, a member the hash of its kind and name. A history
//! that cannot be read is empty, and one that cannot be written is lost.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use verdict::{MemberKind, MemberReport, Reason, Verdict};

use crate::cache;
use crate::recorder::MemberText;

/// The first line; another version is not understood.
const HEADER: &str = "probity history 1";
/// The oldest are forgotten first. A row is about 60 bytes.
const MAX_ROWS: usize = 8192;
const MAX_BYTES: u64 = 1 << 20;

/// What is remembered about earlier runs, the latest last.
#[derive(Clone, Debug, Default)]
pub struct History {
    path: Option<PathBuf>,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    program: u64,
    member: u64,
    /// Of the member as it was written then.
    text: u64,
    microseconds: u64,
}

impl History {
    /// Reads what is remembered for the user: nothing if they want nothing kept, or if there is no place for it.
    pub fn of_user() -> History {
        cache::history_file().map_or_else(History::default, |path| History::read(&path))
    }

    /// Reads what a file remembers.
    pub fn read(path: &Path) -> History {
        let mut text = String::new();
        let is_read =
            std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text)).is_ok();
        let rows = if is_read { parse(&text) } else { Vec::new() };
        History { path: Some(path.to_path_buf()), rows }
    }

    /// Writes the file anew: another process that reads it at the same time sees either all of it or what was there before.
    pub(crate) fn write(&self) {
        let Some(path) = &self.path else { return };
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let other = path.with_extension(format!("{}.tmp", std::process::id()));
        let is_written =
            std::fs::write(&other, self.print()).is_ok() && std::fs::rename(&other, path).is_ok();
        if !is_written {
            let _ = std::fs::remove_file(&other);
        }
    }

    fn print(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for row in &self.rows {
            let Row { program, member, text: hash, microseconds } = row;
            let _ = writeln!(text, "{program:x} {member:x} {hash:x} {microseconds}");
        }
        text
    }

    /// How long a member took, if it was then what it is now.
    pub(crate) fn time(&self, program: u64, member: &MemberText) -> Option<Duration> {
        let wanted = self.rows.iter().rev().find(|row| (row.program, row.member) == (program, member.name));
        wanted.filter(|row| row.text == member.text).map(|row| Duration::from_micros(row.microseconds))
    }

    /// Remembers members; whether there was anything new.
    pub(crate) fn add(&mut self, program: u64, finished: &[(MemberText, Duration)]) -> bool {
        for (member, time) in finished {
            self.rows.retain(|row| (row.program, row.member) != (program, member.name));
            let microseconds = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            self.rows.push(Row { program, member: member.name, text: member.text, microseconds });
        }
        self.rows.drain(..self.rows.len().saturating_sub(MAX_ROWS));
        !finished.is_empty()
    }
}

/// Whether the time that a report took says something about the next run.
pub(crate) fn is_typical<F, O>(report: &MemberReport<F, O>) -> bool {
    !matches!(report.verdict, Verdict::Unknown(Reason::Interrupted | Reason::Internal(_)))
}

/// Rows up to the first one that is none.
fn parse(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Vec::new();
    }
    let rows: Vec<Row> = lines.map_while(parse_row).collect();
    rows[rows.len().saturating_sub(MAX_ROWS)..].to_vec()
}

fn parse_row(line: &str) -> Option<Row> {
    let mut words = line.split(' ');
    let mut hash = || u64::from_str_radix(words.next()?, 16).ok();
    let (program, member, text) = (hash()?, hash()?, hash()?);
    Some(Row { program, member, text, microseconds: words.next()?.parse().ok()? })
}

/// FNV-1a, which is the same in every build; no part is the beginning of another.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

pub(crate) fn member_hash(kind: MemberKind, name: &str) -> u64 {
    hash([kind.word(), name])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: u64, text: u64) -> MemberText {
        MemberText { name, text }
    }

    #[test]
    fn a_member_is_remembered_until_it_changes() {
        let mut history = History::default();
        let second = Duration::from_secs(1);
        assert!(history.add(1, &[(member(7, 70), second), (member(8, 80), 2 * second)]));
        assert_eq!(history.time(1, &member(7, 70)), Some(second));
        assert_eq!(history.time(1, &member(7, 71)), None, "it was changed");
        assert_eq!(history.time(2, &member(7, 70)), None, "it is another program");
        history.add(1, &[(member(7, 71), 3 * second)]);
        assert_eq!(history.time(1, &member(7, 71)), Some(3 * second));
        assert_eq!(history.rows.len(), 2, "there is one row for each member");
        assert_eq!(parse(&history.print()), history.rows);
        assert!(!history.add(1, &[]));
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let mut history = History::default();
        let time = Duration::from_millis(1);
        let rows: Vec<_> = (0..MAX_ROWS as u64 + 10).map(|name| (member(name, 0), time)).collect();
        history.rows = rows
            .iter()
            .map(|(member, _)| Row { program: 1, member: member.name, text: 0, microseconds: 1 })
            .collect();
        history.add(1, &[(member(u64::MAX, 0), time)]);
        assert_eq!(history.rows.len(), MAX_ROWS);
        assert_eq!(history.time(1, &member(0, 0)), None);
        assert_eq!(history.time(1, &member(u64::MAX, 0)), Some(time));
        assert!((history.print().len() as u64) < MAX_BYTES);
    }

    #[test]
    fn whatever_is_in_the_file_is_read() {
        for text in ["", "something else", "probity history 2\n1 2 3 4", "probity history 1\nx y z"] {
            assert!(parse(text).is_empty(), "{text}");
        }
        assert_eq!(parse("probity history 1\n1 2 3 4\n5 6\n7 8 9 a").len(), 1);
        let nowhere = History::read(Path::new("/proc/nobody/has/this"));
        assert!(nowhere.rows.is_empty());
        nowhere.write();
        History::default().write();
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = std::env::temp_dir().join(format!("probity-history-{}", std::process::id()));
        let path = folder.join("inner/history");
        let mut history = History::read(&path);
        history.add(1, &[(member(2, 3), Duration::from_secs(4))]);
        history.write();
        assert_eq!(History::read(&path).rows, history.rows);
        let files = std::fs::read_dir(folder.join("inner")).map(Iterator::count);
        assert_eq!(files.ok(), Some(1), "nothing else is left there");
        let _ = std::fs::remove_dir_all(&folder);
    }
}
