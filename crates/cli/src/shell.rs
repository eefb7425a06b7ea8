//! Command lines that can be pasted into a shell.

use std::path::Path;

/// A word as a POSIX shell reads it: bare where nothing in it is special, else in single quotes.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A path as a word; one that looks like an option is made to look like a path.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_like_an_option = text.starts_with('-') && text != "-";
    word(&if is_like_an_option { format!("./{text}") } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_special_is_quoted() {
        assert_eq!(word("models/a-1.pml"), "models/a-1.pml");
        assert_eq!(word("my model.pml"), "'my model.pml'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word(""), "''");
        assert_eq!(word("N=(a>b)"), "'N=(a>b)'");
        assert_eq!(quoted(Path::new("-x.pml")), "./-x.pml");
        assert_eq!(quoted(Path::new("-")), "-");
    }
}
