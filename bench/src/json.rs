//! As much of JSON as is needed to find a number at the top of an object.

/// The number that belongs to a key of the outermost object.
pub(crate) fn number(text: &str, key: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (text.find('{')?, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = end_of_string(bytes, at)?;
                let rest = text.get(end..)?.trim_start();
                if depth == 1 && text.get(at + 1..end - 1) == Some(key) && rest.starts_with(':') {
                    let value = rest[1..].trim_start();
                    let length = value.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-'));
                    return value[..length.unwrap_or(value.len())].parse().ok();
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Behind the closing quotation mark of the string that begins at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_object_counts() {
        let text = r#"{"properties":[{"states":1,"name":"a \"states\": 9"}],"states": 27,"seconds":0.5}"#;
        assert_eq!(number(text, "states"), Some(27.0));
        assert_eq!(number(text, "seconds"), Some(0.5));
        assert_eq!(number(text, "name"), None);
        assert_eq!(number("{\"states", "states"), None);
    }
}
