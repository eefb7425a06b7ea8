//! The value of an expression of the source, by the values of a counterexample.
//!
//! Understands sums, differences and products of integers, and everything that the counterexample has a value for. What
//! is not understood has no value.

use verdict::Counterexample;

pub(crate) struct Values<'v> {
    values: &'v [(String, String)],
}

impl<'v> Values<'v> {
    pub(crate) fn new(counterexample: Option<&'v Counterexample>) -> Values<'v> {
        Values { values: counterexample.map_or(&[], |found| &found.values) }
    }

    /// A value as text; fields can be written without their object.
    pub(crate) fn text(&self, expression: &str) -> Option<&'v str> {
        let find = |wanted: &str| {
            let found = self.values.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        find(expression).or_else(|| find(&format!("this.{expression}")))
    }

    /// An integer.
    pub(crate) fn integer(&self, expression: &str) -> Option<i128> {
        let mut reader = Reader { values: self, rest: expression.trim(), depth: 0 };
        let value = reader.sum()?;
        reader.rest.trim().is_empty().then_some(value)
    }
}

/// Deeper expressions have no value.
const MAX_DEPTH: u32 = 50;

struct Reader<'r, 'v> {
    values: &'r Values<'v>,
    rest: &'r str,
    depth: u32,
}

impl Reader<'_, '_> {
    fn sum(&mut self) -> Option<i128> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product()?)?;
            } else if self.take('-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i128> {
        let mut value = self.operand()?;
        while self.take('*') {
            // Not `**`
            value = value.checked_mul(self.operand()?)?;
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        if self.take('-') {
            return self.operand()?.checked_neg();
        }
        if self.take('(') {
            let value = self.sum()?;
            return self.take(')').then_some(value);
        }
        self.rest = self.rest.trim_start();
        let end = end_of_operand(self.rest)?;
        let (operand, rest) = self.rest.split_at(end);
        self.rest = rest;
        match operand.parse() {
            Ok(number) => Some(number),
            Err(_) => self.values.text(operand)?.parse().ok(),
        }
    }

    fn take(&mut self, character: char) -> bool {
        let rest = self.rest.trim_start();
        let is_there = rest.starts_with(character);
        if is_there {
            self.rest = &rest[character.len_utf8()..];
        }
        is_there
    }
}

/// Behind a name with what is selected from it, a number, or a size.
fn end_of_operand(text: &str) -> Option<usize> {
    if let Some(inner) = text.strip_prefix('|') {
        return inner.find('|').map(|end| end + 2);
    }
    let mut depth = 0_u32;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return (at > 0).then_some(at),
            ')' | ']' => depth -= 1,
            _ if depth > 0 => {}
            _ if character.is_alphanumeric() || matches!(character, '_' | '.' | '\\') => {}
            _ => return (at > 0).then_some(at),
        }
    }
    (depth == 0 && !text.is_empty()).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_what_is_known_have_values() {
        let pairs =
            [("i", "4"), ("a.length", "5"), ("this.x", "-2"), ("|xs|", "3"), ("a[i]", "7"), ("o", "null")];
        let values = pairs.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
        let counterexample = Counterexample { values, bound: 0 };
        let values = Values::new(Some(&counterexample));
        let value = |text: &str| values.integer(text);
        assert_eq!(value("i"), Some(4));
        assert_eq!(value("i + 1"), Some(5));
        assert_eq!(value("a.length - i*2"), Some(-3));
        assert_eq!(value("-(x - 1)"), Some(3));
        assert_eq!(value("|xs| + a[i]"), Some(10));
        assert_eq!(value("12"), Some(12));
        for unknown in ["", "j", "o", "i / 2", "i ** i", "(i", "i)", "f(i)", "|xs", "a[i"] {
            assert_eq!(value(unknown), None, "{unknown}");
        }
        assert_eq!(value(&"(".repeat(10_000)), None);
        assert_eq!(value(&"-".repeat(10_000)), None);
    }
}
