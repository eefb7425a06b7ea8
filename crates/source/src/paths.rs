//! Paths as programs write them: what a path in one text means that was written in another.
//!
//! Paths are strings, as texts hold them, and are handled by their spelling: nothing is asked of the system, links are
//! not followed. `/` parts folders everywhere, and so does what else the system has for that.

use std::sync::Arc;

use crate::Loader;

/// The path of a text that is named in the text at `from`: relative to the folder of that, unless it says from where.
pub fn beside(from: &str, wanted: &str) -> String {
    join(folder_of(from), wanted)
}

/// The path in a folder. The folder in which everything is has no name.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || is_absolute(path) {
        path.to_string()
    } else {
        format!("{}/{path}", folder.trim_end_matches(is_separator))
    }
}

/// The folder of a path, with what parts it from the rest; empty for a mere name.
pub fn folder_of(path: &str) -> &str {
    path.rfind(is_separator).map_or("", |end| &path[..=end])
}

/// Whether a path says from where it goes.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || std::path::Path::new(path).is_absolute()
}

/// One spelling of a path for many: `.`, `..` and empty parts are gone as far as the spelling allows.
pub fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(is_separator) {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The first of some paths behind which there is a text, and the text.
pub fn first(
    loader: &dyn Loader,
    candidates: impl IntoIterator<Item = String>,
) -> Option<(String, Arc<str>)> {
    candidates.into_iter().find_map(|path| {
        let text = loader.load(&path).ok()?;
        Some((path, text))
    })
}

fn is_separator(character: char) -> bool {
    character == '/' || std::path::is_separator(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Texts;

    #[test]
    fn what_a_text_names_is_beside_it() {
        assert_eq!(beside("a.x", "b.x"), "b.x");
        assert_eq!(beside("in/a.x", "b.x"), "in/b.x");
        assert_eq!(beside("in/a.x", "../b.x"), "in/../b.x");
        assert_eq!(beside("/a.x", "b.x"), "/b.x");
        assert_eq!(beside("in/a.x", "/b.x"), "/b.x");
    }

    #[test]
    fn folders_may_end_as_they_like() {
        assert_eq!(join("", "b.x"), "b.x");
        assert_eq!(join("in", "b.x"), "in/b.x");
        assert_eq!(join("in//", "b.x"), "in/b.x");
        assert_eq!(join("/", "b.x"), "/b.x");
        assert_eq!(join("in", "/b.x"), "/b.x");
    }

    #[test]
    fn spellings_of_a_path_become_one() {
        assert_eq!(normalize("a/./b/../c.x"), "a/c.x");
        assert_eq!(normalize("a//b.x"), "a/b.x");
        assert_eq!(normalize("./a.x"), "a.x");
        assert_eq!(normalize("../x.x"), "../x.x");
        assert_eq!(normalize("a/../../x.x"), "../x.x");
        assert_eq!(normalize("/a/../b"), "/b");
        assert_eq!(normalize(""), "");
    }

    #[test]
    fn the_first_folder_that_has_it_gives_it() {
        let texts = Texts::default().with("two/a.x", "2").with("three/a.x", "3");
        let found = first(&texts, ["one", "two", "three"].map(|folder| join(folder, "a.x")));
        assert_eq!(found, Some(("two/a.x".to_string(), "2".into())));
        assert_eq!(first(&texts, ["b.x".to_string()]), None);
    }
}
