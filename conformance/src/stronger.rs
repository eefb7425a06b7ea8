//! Obligations of the suite that are true, that Silicon does not prove and that Probity may.
//!
//! An expected error that is not reported is a missed one, so each of these is looked at by a person, who says why it
//! holds. Where the error is reported the entry changes nothing.

use crate::annotations::{Annotations, Kind};
use crate::judge::Output;

struct Stronger {
    file: &'static str,
    code: &'static str,
    line: u32,
}

const STRONGER: &[Stronger] = &[
    // With `m * n == |xs|`, `0 <= i < m` and `i * n <= j < (i + 1) * n`: as there is such a `j`, `n` is positive, and then
    // `0 <= i * n <= j < (i + 1) * n <= m * n`.
    Stronger { file: "all/issues/silver/0175.vpr", code: "not.wellformed:seq.index.length", line: 11 },
    // There is a `j` with `0 <= j < 3` and `j == v` for each `v` with `0 <= v < 3`, and one with `j > 0`: `v` and 1. The
    // file says of both that they should hold.
    Stronger { file: "all/basic/quantifiers.vpr", code: "assert.failed:assertion.false", line: 121 },
    Stronger { file: "all/basic/quantifiers.vpr", code: "assert.failed:assertion.false", line: 155 },
];

/// Leaves out the expected errors of a file that are known to be none and that were not reported.
pub(crate) fn excuse(name: &str, annotations: &mut Annotations, outputs: &[Output]) {
    annotations.all.retain(|annotation| {
        let is_listed = STRONGER.iter().any(|entry| {
            entry.file == name && entry.line == annotation.line && entry.code == annotation.id()
        });
        let is_reported = outputs.iter().any(|output| output.line == Some(annotation.line));
        annotation.kind != Kind::Expected || !is_listed || is_reported
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::parse;

    #[test]
    fn only_what_is_listed_and_silent_is_excused() {
        let entry = &STRONGER[0];
        let lines = "\n".repeat(entry.line as usize - 2);
        let text = format!("{lines}//:: ExpectedOutput({})\nx", entry.code);
        let left = |name: &str, outputs: &[Output]| {
            let mut annotations = parse(&text);
            excuse(name, &mut annotations, outputs);
            annotations.all.len()
        };
        let reported = Output { line: Some(entry.line), id: entry.code.to_string() };
        assert_eq!(left(entry.file, &[]), 0);
        assert_eq!(left(entry.file, &[reported]), 1);
        assert_eq!(left("all/other.vpr", &[]), 1);
    }
}
