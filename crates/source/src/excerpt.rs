//! Texts of a source as they are shown in the middle of a sentence or of a table.

/// A text on one line: what stands between its words is one blank each.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text on one line, cut where it has more than so many characters.
pub fn excerpt(text: &str, most: usize) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{} …", line[..at].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(on_one_line(" a\n  b\t c "), "a b c");
        assert_eq!(excerpt("a\n  b", 3), "a b");
        assert_eq!(excerpt("a  bcd", 2), "a …");
        assert_eq!(excerpt("äöü", 2), "äö …");
    }
}
