//! What several tests of this crate need.
#![allow(dead_code, reason = "each test needs a part of it")]

use pvl::syntax::tree::Program;

/// A tree without places and ids.
pub(crate) fn shape(program: &Program) -> String {
    let written = format!("{:?}", program.declarations);
    let mut shape = String::with_capacity(written.len() / 2);
    let mut rest = written.as_str();
    while let Some(at) = rest.find(['S', '#']) {
        shape.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("Span {") {
            rest = &rest[rest.find(" }").map_or(rest.len(), |end| end + 2)..];
        } else if rest[1..].starts_with(|c: char| c.is_ascii_digit()) && rest.starts_with('#') {
            rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        } else {
            shape.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    shape.push_str(rest);
    shape
}
