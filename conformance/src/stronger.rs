//! Obligations of the suite that are true, that Silicon does not prove and that Probity may.
//!
//! An expected error that is not reported is a missed one, so each of these is looked at by a person, who says why it
//! holds, whatever triggers are written: most of these tests are about triggers that match nothing. Where the error is
//! reported the entry changes nothing.

use crate::annotations::{Annotations, Kind};
use crate::judge::Output;

struct Stronger {
    file: &'static str,
    code: &'static str,
    line: u32,
}

const STRONGER: &[Stronger] = &[
    // `0 <= i < m` and `i * n <= j < (i + 1) * n`: as there is such a `j`, `n` is positive, so `0 <= i * n <= j < (i +
    // 1) * n <= m * n`, and `m * n == |xs|` is required.
    Stronger { file: "all/issues/silver/0175.vpr", code: "not.wellformed:seq.index.length", line: 11 },
    // For `0 <= v2 < 3`, `v2` itself is a `j2` with `0 <= j2 < 3 && j2 == v2`; the file says that it should hold.
    Stronger { file: "all/basic/quantifiers.vpr", code: "assert.failed:assertion.false", line: 121 },
    // 1 is a `j2` with `0 <= j2 < 3 && j2 > 0`; the file says that it should hold.
    Stronger { file: "all/basic/quantifiers.vpr", code: "assert.failed:assertion.false", line: 155 },
    // `s[i] > 0` is required of all `i` with `0 <= i < |s|`, and 0 is one of them as `|s| > 0`; the trigger decides
    // for Silicon only.
    Stronger { file: "all/asserting/trigger.vpr", code: "assert.failed:assertion.false", line: 21 },
    // `x != y` is assumed of all `x in zs`, and `z in zs` is assumed; the trigger is a wand that was not held when
    // this was assumed.
    Stronger {
        file: "all/heap-dependent_triggers/triggerFoldPackage.vpr",
        code: "assert.failed:assertion.false",
        line: 16,
    },
    // `g(a) && f(a, b, c)` is required of all `a`, `b`, `c`: for `a == w`, `g(w)`; the predicate is the same in both
    // states.
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 110,
    },
    // `f(a, b, c)` is required of all `b`, `c` for all `a`: for `x`, `y`, `z`, `f(x, y, z)`.
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 127,
    },
    // `f(a, b, c) && …` is required of all `a` to `e`: for `x`, `y`, `z` and any others, `f(x, y, z)`.
    Stronger {
        file: "all/issues/silicon/0005b.vpr",
        code: "postcondition.violated:assertion.false",
        line: 143,
    },
    // `at1(xs, i)` and `at2(i, xs)` both have the body `xs[i]`, so the permissions held are those that are asserted;
    // that `xs` has no element twice is inhaled.
    Stronger { file: "all/issues/silicon/0282.vpr", code: "assert.failed:insufficient.permission", line: 35 },
    // Permission to `at1(xs, k).f` is held as `0 <= k < |xs|`, and nobody holds permission to a field of null; Carbon
    // proves it.
    Stronger { file: "all/issues/silicon/0282.vpr", code: "assert.failed:assertion.false", line: 59 },
    // For `i == 5`: `lookup2(r1, 5) == old[before](lookup(r1, 5))`, of which it was assumed just before the label that
    // it is greater than 3.
    Stronger { file: "all/issues/silicon/0509b.vpr", code: "assert.failed:assertion.false", line: 49 },
    // The same; only the trigger, `old(lookup(r1, i))`, is another one.
    Stronger { file: "all/issues/silicon/0509b.vpr", code: "assert.failed:assertion.false", line: 69 },
    // As `b` holds, there is no `i` with `!(i > 0 ==> otherDummy(i))`: for 5, `otherDummy(5)`.
    Stronger { file: "all/issues/silver/0189.vpr", code: "assert.failed:assertion.false", line: 10 },
    // `i > 0` is assumed of all `i in s`, and `j in s` is assumed.
    Stronger { file: "all/issues/silver/0849.vpr", code: "assert.failed:assertion.false", line: 30 },
    // `foo(i)` is assumed of all `i in s`, and `c in s` is assumed.
    Stronger { file: "all/issues/silver/0849.vpr", code: "assert.failed:assertion.false", line: 44 },
    // `fun02(z.g) > 0` is assumed of all `z` that are `x` or `y`: for `x`, what is asserted.
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 27,
    },
    // `inv(z.f)`, which is `z.f == 0`, is assumed of all `z` that are `x` or `y`: for `x`, `x.f == 0`.
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 93,
    },
    // `z.g > 0` is assumed of all `z` that are `x` or `y`: for `y`, what is asserted.
    Stronger {
        file: "quantifiedpermissions/misc/triggers_field_deref.vpr",
        code: "assert.failed:assertion.false",
        line: 139,
    },
    // `fac1(3)` is `3 * 2 * 1`; `fac1` is not the opaque one of the three.
    Stronger { file: "all/annotation/opaque.vpr", code: "assert.failed:assertion.false", line: 206 },
    // The function is a conjunction of `mark()`, which is true, 49 times, and then true.
    Stronger { file: "all/issues/silver/0895.vpr", code: "assert.failed:assertion.false", line: 22 },
    // `B intersection B` has each element as often as `B` has it, so it is `B`; the file says that the axioms of sizes
    // are weak.
    Stronger { file: "all/multisets/multisets.vpr", code: "assert.failed:assertion.false", line: 73 },
    // An intersection has no more elements than either side, and `Multiset(x, y)` has two.
    Stronger { file: "all/multisets/multisets.vpr", code: "assert.failed:assertion.false", line: 102 },
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
    fn each_is_named_once() {
        for (index, entry) in STRONGER.iter().enumerate() {
            let is_same = |other: &&Stronger| (other.file, other.line) == (entry.file, entry.line);
            assert_eq!(STRONGER[..index].iter().find(is_same).map(|it| it.line), None, "{}", entry.file);
        }
    }

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
