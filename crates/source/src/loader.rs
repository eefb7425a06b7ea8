//! Where texts come from: the one way in which a language reads them.
//!
//! A language opens no files. It is given a [`Loader`] and asks it for texts by their paths: for the text that was asked
//! for, for what that includes and for what it imports. The loader decides what is behind a path: a disk,
//! texts in memory, or texts in memory that hide those on a disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::paths::normalize;

/// Has texts by their paths. What a path means that stands in another text is decided in [`crate::paths`], not here.
pub trait Loader: Sync {
    /// The text behind a path; an error says why there is none, as the end of a sentence.
    fn load(&self, path: &str) -> Result<Arc<str>, String>;

    /// One name for all paths that lead to the same text, as far as that can be known: two texts never have one.
    fn identity(&self, path: &str) -> String {
        normalize(path)
    }
}

/// Has no text at all.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _path: &str) -> Result<Arc<str>, String> {
        Err("no files can be imported here".to_string())
    }
}

/// Texts in memory over another loader, which is asked for all others.
///
/// A text is found under every path that leads to it for that loader.
pub struct Texts<'l> {
    texts: BTreeMap<String, Arc<str>>,
    others: &'l dyn Loader,
}

impl Default for Texts<'static> {
    /// No texts, and no others.
    fn default() -> Texts<'static> {
        Texts::over(&NoFiles)
    }
}

impl<'l> Texts<'l> {
    /// No texts yet, over another loader.
    pub fn over(others: &'l dyn Loader) -> Texts<'l> {
        Texts { texts: BTreeMap::new(), others }
    }

    /// One text more, which hides what was there under its path.
    #[must_use]
    pub fn with(mut self, path: &str, text: impl Into<Arc<str>>) -> Texts<'l> {
        self.add(path, text);
        self
    }

    /// One text more, which hides what was there under its path.
    pub fn add(&mut self, path: &str, text: impl Into<Arc<str>>) {
        self.texts.insert(self.others.identity(path), text.into());
    }
}

impl Loader for Texts<'_> {
    fn load(&self, path: &str) -> Result<Arc<str>, String> {
        match self.texts.get(&self.others.identity(path)) {
            Some(text) => Ok(text.clone()),
            None => self.others.load(path),
        }
    }

    fn identity(&self, path: &str) -> String {
        self.others.identity(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_memory_hide_others() {
        let below = Texts::default().with("in/a.x", "old").with("b.x", "b");
        let texts = Texts::over(&below).with("./in/a.x", "new");
        assert_eq!(texts.load("in/a.x").as_deref(), Ok("new"));
        assert_eq!(texts.load("in/../in//a.x").as_deref(), Ok("new"));
        assert_eq!(texts.load("b.x").as_deref(), Ok("b"));
        assert_eq!(texts.load("a.x"), NoFiles.load("a.x"));
        assert_eq!(below.load("in/a.x").as_deref(), Ok("old"));
    }

    #[test]
    fn names_that_are_no_paths_are_names() {
        let texts = Texts::default().with("<stdin>", "text").with("standard input", "other");
        assert_eq!(texts.load("<stdin>").as_deref(), Ok("text"));
        assert_eq!(texts.load("standard input").as_deref(), Ok("other"));
    }
}
