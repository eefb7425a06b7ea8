//! Why a check of PVL fails, as a sentence about what is written there, and what can be done about it.
//!
//! Works on the text of the place, its code, and the values of the counterexample; where these do not tell enough,
//! nothing is said beyond what the code says.

use crate::pvl_values::Values;

/// What a failure is about.
pub(crate) struct Subject<'s> {
    pub(crate) code: &'s str,
    /// What is written at the place.
    pub(crate) text: &'s str,
    /// What is written before it.
    pub(crate) before: &'s str,
    pub(crate) values: Values<'s>,
}

impl Subject<'_> {
    /// The reason.
    pub(crate) fn reason(&self) -> Option<String> {
        let text = self.text.trim().trim_end_matches(';');
        match self.code {
            "arrayBounds" => {
                let (array, index) = subscript(text)?;
                self.index(index, &format!("{array}.length"))
            }
            "indexNegative" | "indexExceedsLength" => {
                let sequence = subscripted(self.before)?;
                self.index(text, &format!("|{sequence}|"))
            }
            "divByZero" if self.is_vector(text) => Some(format!("an element of `{text}` may be zero")),
            "divByZero" => Some(format!("`{text}` may be zero")),
            "setEmpty" => {
                let set = text.strip_prefix("\\choose(")?.strip_suffix(')')?;
                Some(format!("`{set}` may be empty"))
            }
            "negativeExponent" => {
                let (_, exponent) = text.rsplit_once("^^")?;
                Some(format!("`{}` may be negative", exponent.trim()))
            }
            "mapKey" => match subscripted(self.before) {
                Some(map) => Some(format!("`{text}` may not be a key of `{map}`")),
                None => Some(format!("`{text}` may not be a key")),
            },
            "arraySize" => {
                let (_, size) = subscript(text)?;
                Some(format!("`{size}` may be negative"))
            }
            _ => self.absent().map(|subject| match self.code {
                "optNone" => format!("`{subject}` may be `None`"),
                "left" => format!("`{subject}` may be a left value"),
                "right" => format!("`{subject}` may be a right value"),
                _ => format!("`{subject}` may be null"),
            }),
        }
    }

    /// Whether a divisor is a vector, as far as the counterexample knows it by name.
    fn is_vector(&self, text: &str) -> bool {
        self.values.integer(&format!("|{text}|")).is_some()
    }

    fn index(&self, index: &str, length: &str) -> Option<String> {
        let (at, size) = (self.values.integer(index), self.values.integer(length));
        let is_literal = index.trim().parse::<u64>().is_ok();
        match (at, size) {
            (Some(_), Some(size)) if is_literal => Some(format!("`{length}` may be {size}")),
            (Some(at), _) if at < 0 => Some(format!("`{index}` may be negative")),
            (Some(at), Some(size)) if at == size => Some(format!("`{index}` may equal `{length}`")),
            (Some(at), Some(size)) if at > size => Some(format!("`{index}` may be greater than `{length}`")),
            _ if self.code == "indexNegative" => Some(format!("`{index}` may be negative")),
            _ => Some(format!("`{index}` may not be less than `{length}`"))
                .filter(|_| at.is_some_and(|at| at >= 0)),
        }
    }

    /// What may be null, or empty.
    fn absent(&self) -> Option<&str> {
        let text = self.text.trim().trim_end_matches(';').trim_end();
        let subject = match self.code {
            "arrayNull" | "ptrNull" => {
                let base = subscript(text).map(|(base, _)| base).or_else(|| text.strip_suffix(".length"));
                base?
            }
            "invocationObjectNull" => {
                let call = text.split(" given").next()?.split(" yields").next()?.trim_end();
                let callee = &call[..opening(call, '(', ')')?];
                callee.rsplit_once('.')?.0
            }
            "lockNull" | "forkNull" | "joinNull" => text.split_once(char::is_whitespace)?.1,
            "optNone" => text.strip_suffix(".get")?,
            "left" => text.strip_suffix(".right")?,
            "right" => text.strip_suffix(".left")?,
            _ => return None,
        };
        Some(subject.trim()).filter(|subject| !subject.is_empty() && !subject.contains('\n'))
    }

    /// What is likely to help; `location` is what there is too little permission to.
    pub(crate) fn next_step(&self, location: Option<&str>) -> Option<String> {
        let text = self.text.trim().trim_end_matches(';').trim_end();
        let object = text.split_once(char::is_whitespace).map_or("", |(_, object)| object.trim());
        Some(match self.code {
            "perm" | "arrayPerm" | "assignFieldFailed" => {
                let amount = if self.code == "assignFieldFailed" { "write" } else { "read" };
                let location = location.filter(|location| !location.contains('#'))?;
                format!(
                    "`Perm({location}, {amount})` has to be held here: ask for it in the precondition and in the \
                     invariants of loops around, or unfold the predicate that holds it"
                )
            }
            "arrayBounds" => {
                let (array, index) = subscript(text)?;
                bounds(index, &format!("{array}.length"))?
            }
            "indexNegative" | "indexExceedsLength" => {
                bounds(text, &format!("|{}|", subscripted(self.before)?))?
            }
            "divByZero" if self.is_vector(text) => return None,
            "divByZero" => format!("require `{} != 0`, or test it by `if`", bracketed(text)),
            "arraySize" => format!("require `{} >= 0`", bracketed(subscript(text)?.1)),
            "mapKey" => format!(
                "require `{} in {}.keys`, or test it by `if`",
                bracketed(text),
                subscripted(self.before)?
            ),
            "arrayNull" | "ptrNull" | "invocationObjectNull" | "lockNull" | "forkNull" | "joinNull" => {
                format!("require `{} != null`, or test it by `if`", self.absent()?)
            }
            "optNone" => format!("require `{} != None`, or test it by `if`", self.absent()?),
            "running" => format!(
                "`fork` needs `idle({object})`: the constructor has to ensure `idle(this)`, and `join` gives it back"
            ),
            "idle" => format!("`join` needs `running({object})`, which `fork` gives"),
            "lockNotCommitted" => {
                format!("require `committed({object})`; `commit` establishes it, at the end of a constructor")
            }
            "heldFailed:perm" => format!("`held({object})` comes from `lock {object};`"),
            "invariantFailed:perm" => {
                format!("`unlock` gives back what the lock invariant holds: it comes from `lock {object};`")
            }
            "commitFailed:perm" => {
                "`commit` gives the lock invariant to the lock: all of it has to be held before".to_string()
            }
            "parPreFailed:perm" => {
                "all threads together need this: each of them needs locations of its own, \
                                    or a fraction that is small enough for all"
                    .to_string()
            }
            "inconsistent:perm" => {
                "what threads take away from a barrier has to be brought there by some thread".to_string()
            }
            "preFailed:perm" | "contextPreFailed:perm" | "forkPre:perm" => {
                let location = location.filter(|location| !location.contains('#'))?;
                format!(
                    "the caller has to hold it: ask for `{location}` in its own contract, or get it from a call before"
                )
            }
            _ => return None,
        })
    }
}

fn bounds(index: &str, length: &str) -> Option<String> {
    let index = bracketed(index);
    if index.parse::<u64>().is_ok() {
        return Some(format!("require `{index} < {length}`, or test it by `if`"));
    }
    Some(format!(
        "make sure of `0 <= {index} && {index} < {length}`: in the precondition, a loop invariant or a condition before"
    ))
}

fn bracketed(text: &str) -> String {
    let is_plain =
        text.chars().all(|character| character.is_alphanumeric() || "_.|[]()\\ +-*".contains(character));
    if is_plain { text.to_string() } else { format!("({text})") }
}

/// The position of the bracket that belongs to the last character.
fn opening(text: &str, open: char, close: char) -> Option<usize> {
    if !text.ends_with(close) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, character) in text.char_indices().rev() {
        if character == close {
            depth += 1;
        } else if character == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// `a[i]` as `a` and `i`.
fn subscript(text: &str) -> Option<(&str, &str)> {
    let at = opening(text, '[', ']')?;
    let (base, index) = (text[..at].trim(), text[at + 1..text.len() - 1].trim());
    let is_whole = !base.is_empty() && !index.is_empty() && !text.contains('\n') && index != "*";
    is_whole.then_some((base, index))
}

/// The expression in front of `[` at the end of a text.
fn subscripted(before: &str) -> Option<&str> {
    let text = before.trim_end().strip_suffix('[')?.trim_end();
    let mut depth = 0_usize;
    let mut start = text.len();
    for (at, character) in text.char_indices().rev() {
        match character {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => break,
            '(' | '[' => depth -= 1,
            '\n' => return None,
            _ if depth > 0 => {}
            _ if character.is_alphanumeric() || matches!(character, '_' | '.' | '\\') => {}
            _ => break,
        }
        start = at;
    }
    Some(&text[start..]).filter(|text| !text.is_empty() && depth == 0)
}

/// Why a measure fails, by what the counterexample says about it: pairs of the smaller and the larger measure, measures
/// that have to be bounded.
pub(crate) fn measure(
    decreasing: &[(String, String)],
    bounded: &[String],
    values: &Values<'_>,
) -> Option<String> {
    let ([(smaller, larger)], [_]) = (decreasing, bounded) else { return None };
    Some(match values.integer(larger) {
        Some(value) if value < 0 => format!("`{larger}` may be negative"),
        _ if smaller == larger => format!("`{larger}` may stay as it is"),
        _ => format!("`{smaller}` may not be less than `{larger}`"),
    })
}

#[cfg(test)]
mod tests {
    use verdict::Counterexample;

    use super::*;

    fn reason(code: &str, before: &str, text: &str, pairs: &[(&str, &str)]) -> String {
        let values = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let counterexample = Counterexample { values, bound: 0 };
        let values = Values::new(Some(&counterexample));
        let subject = Subject { code, text, before, values };
        subject.reason().unwrap_or_default()
    }

    #[test]
    fn an_index_is_compared_with_the_length() {
        let values = [("i", "4"), ("j", "-1"), ("a.length", "4"), ("|xs|", "3")];
        let array = |text: &str| reason("arrayBounds", "", text, &values);
        assert_eq!(array("a[i]"), "`i` may equal `a.length`");
        assert_eq!(array("a[i + 1]"), "`i + 1` may be greater than `a.length`");
        assert_eq!(array("a[j]"), "`j` may be negative");
        assert_eq!(array("a[7]"), "`a.length` may be 4");
        assert_eq!(array("b[i]"), "`i` may not be less than `b.length`");
        assert_eq!(array("a[k]"), "");
        assert_eq!(array("a[*]"), "");
        let sequence = |code: &str, text: &str| reason(code, "return f(ys) + xs[", text, &values);
        assert_eq!(sequence("indexExceedsLength", "i"), "`i` may be greater than `|xs|`");
        assert_eq!(sequence("indexNegative", "j"), "`j` may be negative");
    }

    #[test]
    fn what_may_be_absent_is_named() {
        assert_eq!(reason("arrayNull", "", "m[1][i]", &[]), "`m[1]` may be null");
        assert_eq!(reason("arrayNull", "", "a.length", &[]), "`a` may be null");
        assert_eq!(
            reason("invocationObjectNull", "", "x.f(1).g(h(2)) given { n = 3 }", &[]),
            "`x.f(1)` may be null"
        );
        assert_eq!(reason("invocationObjectNull", "", "g(2)", &[]), "");
        assert_eq!(reason("lockNull", "", "lock this.o;", &[]), "`this.o` may be null");
        assert_eq!(reason("optNone", "", "o.get", &[]), "`o` may be `None`");
        assert_eq!(reason("mapKey", "x = m[", "k", &[]), "`k` may not be a key of `m`");
        assert_eq!(reason("divByZero", "", "(n - 1)", &[]), "`(n - 1)` may be zero");
        assert_eq!(reason("divByZero", "", "w", &[("|w|", "2")]), "an element of `w` may be zero");
    }

    #[test]
    fn measures_say_what_is_wrong_with_them() {
        let counterexample = Counterexample { values: vec![("n".to_string(), "-1".to_string())], bound: 0 };
        let values = Values::new(Some(&counterexample));
        let pair = |smaller: &str, larger: &str| vec![(smaller.to_string(), larger.to_string())];
        let sentence = |pairs: &[(String, String)]| measure(pairs, &["n".to_string()], &values);
        assert_eq!(sentence(&pair("n - 1", "n")).as_deref(), Some("`n` may be negative"));
        assert_eq!(sentence(&pair("m", "m")).as_deref(), Some("`m` may stay as it is"));
        assert_eq!(sentence(&pair("m + 1", "m")).as_deref(), Some("`m + 1` may not be less than `m`"));
        assert_eq!(sentence(&[]), None);
    }
}
