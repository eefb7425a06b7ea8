//! The texts of a run and the way from a byte offset to a line and column.
//!
//! Offsets are bytes into one file's text. Texts are valid UTF-8 by construction: a file that is not is
//! decoded lossily by its reader, so that any byte sequence can be given a place. A map drops a byte order
//! mark and ends lines with `\n`, where a text ends them with `\r` alone: read the text from the map, not beside it.

use std::sync::Arc;

use crate::Unit;

/// One text of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A range of bytes of one file, `start` included, `end` not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Where it begins.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `self` where they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people count it: both numbers start at 1, columns count characters unless another [`Unit`] is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A named text with its line starts.
#[derive(Debug)]
pub struct SourceFile {
    /// What messages call it; a path, where it has one.
    pub name: String,
    /// What it says.
    pub text: Arc<str>,
    /// It is no text of the user: it belongs to a language, such as its library, or stands for no text at all.
    pub is_own: bool,
    pub(crate) line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>, is_own: bool) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        SourceFile { name, text, is_own, line_starts }
    }

    /// The place of a byte offset, in characters; an offset past the end is the end.
    pub fn place(&self, offset: u32) -> Place {
        self.place_in(offset, Unit::Characters)
    }

    /// The text of a line (counted from 1) without its line break.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |e| *e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// All texts of a run.
#[derive(Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A text that was given.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.push(name.into(), text.into(), false)
    }

    /// A text of the language's own, such as its library.
    pub fn add_own(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.push(name.into(), text.into(), true)
    }

    fn push(&mut self, name: String, text: Arc<str>, is_own: bool) -> FileId {
        self.files.push(SourceFile::new(name, plain(text), is_own));
        FileId(self.files.len() as u32 - 1)
    }

    /// The part of a span that is on its first line, without the blanks at the end.
    pub fn first_line(&self, span: Span) -> Span {
        let text = self.text(span);
        let length = text.lines().next().unwrap_or_default().trim_end().len();
        Span { end: span.start + length as u32, ..span }
    }

    /// The file of an id; ids come from [`SourceMap::add`] of the same map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All texts, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// Where a span begins.
    pub fn place(&self, span: Span) -> Place {
        self.file(span.file).place(span.start)
    }

    /// The source text of a span, empty where the span does not lie on character borders.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// The text without a byte order mark, with lines that end with `\n` or `\r\n`.
fn plain(text: Arc<str>) -> Arc<str> {
    let marked = text.strip_prefix('\u{feff}');
    let body = marked.unwrap_or(&text);
    let bytes = body.as_bytes();
    let is_lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(is_lone) {
        return if marked.is_some() { body.into() } else { text };
    }
    let mut changed = String::with_capacity(body.len());
    for (at, character) in body.char_indices() {
        changed.push(if character == '\r' && is_lone(at) { '\n' } else { character });
    }
    changed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let mut map = SourceMap::default();
        let file = map.add("a.pml", "x\nä = 1\n");
        let at = |offset| map.file(file).place(offset);
        assert_eq!(at(0), Place { line: 1, column: 1 });
        assert_eq!(at(2), Place { line: 2, column: 1 });
        assert_eq!(at(4), Place { line: 2, column: 2 });
        assert_eq!(at(999), Place { line: 3, column: 1 });
        assert_eq!(map.file(file).line(2), "ä = 1");
        assert_eq!(map.file(file).line(9), "");
    }

    #[test]
    fn lines_may_end_in_every_way_and_a_mark_is_dropped() {
        let mut map = SourceMap::default();
        let file = map.add("a.pml", "\u{feff}a\rb\r\nc\n\rd\r");
        assert_eq!(&*map.file(file).text, "a\nb\r\nc\n\nd\n");
        assert_eq!(map.file(file).line(2), "b");
        assert_eq!(map.file(file).line(5), "d");
    }
}
