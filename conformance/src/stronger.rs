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
    // No trigger of what is assumed matches anything here, which is what these tests are about; but what is assumed of all
    // values is assumed of the one that is asserted about: 0 of `|s|`, `z` of `zs`, `w` and each `a`, `k` of `xs`, 5, `j`
    // and `c` of `s`, `x` and `y`.
    Stronger { file: "all/asserting/trigger.vpr", code: "assert.failed:assertion.false", line: 21 },
    Stronger {
        file: "all/heap-dependent_triggers/triggerFoldPackage.vpr",
        code: "assert.failed:assertion.false",
        line: 16,
    },
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 110,
    },
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 127,
    },
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 143,
    },
    Stronger { file: "all/issues/silicon/0282.vpr", code: "assert.failed:insufficient.permission", line: 35 },
    Stronger { file: "all/issues/silicon/0282.vpr", code: "assert.failed:assertion.false", line: 59 },
    Stronger { file: "all/issues/silicon/0509b.vpr", code: "assert.failed:assertion.false", line: 49 },
    Stronger { file: "all/issues/silicon/0509b.vpr", code: "assert.failed:assertion.false", line: 69 },
    Stronger { file: "all/issues/silver/0189.vpr", code: "assert.failed:assertion.false", line: 10 },
    Stronger { file: "all/issues/silver/0849.vpr", code: "assert.failed:assertion.false", line: 30 },
    Stronger { file: "all/issues/silver/0849.vpr", code: "assert.failed:assertion.false", line: 44 },
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 27,
    },
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 93,
    },
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 139,
    },
    // `3 * 2 * 1` is 6, and `mark()` is true 49 times.
    Stronger { file: "all/annotation/opaque.vpr", code: "assert.failed:assertion.false", line: 206 },
    Stronger { file: "all/issues/silver/0895.vpr", code: "assert.failed:assertion.false", line: 22 },
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
