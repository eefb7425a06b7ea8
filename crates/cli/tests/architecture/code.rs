//! The code of the rooms as the tests look at it: without comments, without what only tests use, strings kept or not.

use std::path::{Path, PathBuf};

/// A file of a room.
pub(crate) struct File {
    /// From the folder of all rooms, such as `session/src/files.rs`.
    pub name: String,
    pub text: String,
}

/// All rooms' folders.
pub(crate) fn rooms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files of a room but its tests.
pub(crate) fn files(room: &str) -> Vec<File> {
    let mut files = Vec::new();
    collect(&rooms().join(room).join("src"), &format!("{room}/src"), &mut files);
    assert!(!files.is_empty(), "`{room}` has code");
    files.sort_by(|left, right| left.name.cmp(&right.name));
    files
}

/// The names of all rooms.
pub(crate) fn room_names() -> Vec<String> {
    let entries = std::fs::read_dir(rooms()).expect("there are rooms").flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names
}

fn collect(folder: &Path, name: &str, files: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, part) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let name = format!("{name}/{part}");
        let is_test = part == "tests" || part == "tests.rs" || part.ends_with("_tests.rs");
        if is_test {
            continue;
        }
        if path.is_dir() {
            collect(&path, &name, files);
        } else if part.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).expect("code is text");
            files.push(File { name, text });
        }
    }
}

/// What is kept of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Neither comments nor what stands in strings.
    Code,
    /// No comments.
    Strings,
    All,
}

/// The text of a file without what only tests use; what is not kept of the rest is blank, lines stay where they are.
pub(crate) fn code(text: &str, keep: Keep) -> String {
    let bare = blank(text, Keep::Code);
    let mut kept = blank(text, keep).into_bytes();
    for (start, end) in test_items(&bare) {
        kept[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The items behind `#[cfg(test)]`: up to their closing brace, or to their semicolon.
fn test_items(bare: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    let mut from = 0;
    while let Some(found) = bare[from..].find("#[cfg(test)]") {
        let start = from + found;
        let mut depth = 0;
        let mut end = bare.len();
        for (at, byte) in bare.bytes().enumerate().skip(start) {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b';' if depth == 0 => {}
                _ => continue,
            }
            if depth == 0 {
                end = at + 1;
                break;
            }
        }
        items.push((start, end));
        from = end;
    }
    items
}

/// Blanks comments, and what stands in strings, unless it is kept. Every byte stays where it is.
fn blank(text: &str, keep: Keep) -> String {
    let bytes = text.as_bytes();
    let mut result = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let (length, is_kept) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), keep == Keep::All)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), keep == Keep::All)
        } else if let Some(length) = string(rest, at > 0 && is_word(bytes[at - 1])) {
            (length, keep != Keep::Code)
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), true)
        };
        if !is_kept {
            result[at..at + length].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        at += length;
    }
    String::from_utf8_lossy(&result).into_owned()
}

/// The length of the string or character that a text begins with, if it does.
fn string(text: &str, in_word: bool) -> Option<usize> {
    let raw = text.strip_prefix('r').filter(|_| !in_word).map(|rest| rest.trim_start_matches('#'));
    if let Some(rest) = raw.filter(|rest| rest.starts_with('"')) {
        let hashes = text.len() - rest.len() - 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let start = text.len() - rest.len() + 1;
        return Some(text[start..].find(&end).map_or(text.len(), |found| start + found + end.len()));
    }
    // A quote that is no character begins a lifetime.
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    if quote == '\'' && !text[1..].starts_with('\\') && text.chars().nth(2) != Some('\'') {
        return None;
    }
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            other if other == quote => return Some(at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The lines with one of some words, which may begin and end with anything but letters and digits.
pub(crate) fn lines_with<'w>(code: &str, words: &[&'w str]) -> Vec<(usize, &'w str)> {
    let mut found = Vec::new();
    for (number, line) in code.lines().enumerate() {
        for word in words {
            let stands_alone = |(at, _): (usize, &str)| {
                let before = line[..at].bytes().next_back().filter(|_| is_word(word.as_bytes()[0]));
                let after = line[at + word.len()..].bytes().next();
                let after = after.filter(|_| word.bytes().next_back().is_some_and(is_word));
                !before.is_some_and(is_word) && !after.is_some_and(is_word)
            };
            if line.match_indices(word).any(stands_alone) {
                found.push((number + 1, *word));
            }
        }
    }
    found
}

/// What stands in each line of all files, as `file:line: word`.
pub(crate) fn find(files: &[File], keep: Keep, words: &[&str]) -> Vec<String> {
    let of_file = |file: &File| -> Vec<String> {
        let found = lines_with(&code(&file.text, keep), words);
        found.into_iter().map(|(line, word)| format!("{}:{line}: {word}", file.name)).collect()
    };
    files.iter().flat_map(of_file).collect()
}

#[test]
fn comments_strings_and_tests_are_told_from_code() {
    let text = "let a = \"x // y\"; // z\n#[cfg(test)]\nmod t;\nlet b = '\"'; /* c */ let d = r#\"e\"f\"#;\n\
                fn f<'a>(g: &'a str) {}\n#[cfg(test)]\nmod tests { fn h() {} }\nlet i = 'j';\n";
    let trimmed = |keep| -> Vec<String> {
        code(text, keep).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let bare = ["let a = ;", "", "", "let b = ; let d = ;", "fn f<'a>(g: &'a str) {}", "", "", "let i = ;"];
    assert_eq!(trimmed(Keep::Code), bare);
    assert_eq!(trimmed(Keep::Strings)[0], "let a = \"x // y\";");
    assert_eq!(trimmed(Keep::Strings)[3], "let b = '\"'; let d = r#\"e\"f\"#;");
    assert_eq!(trimmed(Keep::All)[0], "let a = \"x // y\"; // z");
}

#[test]
fn words_stand_alone() {
    let code = "ndfs::run(); fs::read(); SourceFile::new(); std::fs::write(); a.is_file();";
    assert_eq!(lines_with(code, &["fs::", "File::", ".is_file("]), [(1, "fs::"), (1, ".is_file(")]);
    assert!(lines_with("reach_dfs::x SourceFile::y spinning", &["fs::", "File::", "spin"]).is_empty());
}
