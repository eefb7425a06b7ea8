//! Values that a solver gives to terms when it does not refute a formula.
//!
//! The text comes from outside and may be anything: what cannot be read as a value of the term's sort is kept as it
//! was written, and what is missing is [`ModelValue::Unknown`].

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::limits;
use crate::node::SortKind;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelValue {
    Bool(bool),
    Int(BigInt),
    Real(BigRational),
    /// An element of another sort, by the solver's name for it: equal names are equal elements.
    Element(String),
    /// The solver gave no value.
    Unknown,
}

impl std::fmt::Display for ModelValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ModelValue::Bool(value) => value.fmt(f),
            ModelValue::Int(value) => value.fmt(f),
            ModelValue::Real(value) => value.fmt(f),
            ModelValue::Element(name) => f.write_str(name),
            ModelValue::Unknown => f.write_str("?"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Expression {
    Atom(String),
    List(Vec<Expression>),
}

/// The value in the reply to `(get-value (t))`, which is `((t value))`.
pub(crate) fn read_value(text: &str, sort: &SortKind) -> ModelValue {
    let Some(value) = last_part(text) else { return ModelValue::Unknown };
    let Some(expression) = parse(value) else { return ModelValue::Element(squeeze(value)) };
    let understood = match sort {
        SortKind::Bool => match &expression {
            Expression::Atom(word) if word == "true" => Some(ModelValue::Bool(true)),
            Expression::Atom(word) if word == "false" => Some(ModelValue::Bool(false)),
            _ => None,
        },
        SortKind::Int => number(&expression)
            .filter(BigRational::is_integer)
            .map(|value| ModelValue::Int(value.to_integer())),
        SortKind::Real => number(&expression).map(ModelValue::Real),
        SortKind::Uninterpreted(_) | SortKind::Native(_) => match &expression {
            Expression::Atom(name) => Some(ModelValue::Element(name.clone())),
            Expression::List(parts) => match &parts[..] {
                [Expression::Atom(word), Expression::Atom(name), _] if word == "as" => {
                    Some(ModelValue::Element(name.clone()))
                }
                _ => None,
            },
        },
    };
    understood.unwrap_or_else(|| ModelValue::Element(squeeze(value)))
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A token and where it stands; strings and quoted symbols are one token.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        while place < bytes.len() && bytes[place].is_ascii_whitespace() {
            place += 1;
        }
        let start = place;
        let quote = *bytes.get(start)?;
        place += 1;
        match quote {
            b'(' | b')' => {}
            b'|' | b'"' => {
                while place < bytes.len() && bytes[place] != quote {
                    place += 1;
                }
                place = (place + 1).min(bytes.len());
            }
            _ => {
                while place < bytes.len()
                    && !bytes[place].is_ascii_whitespace()
                    && !b"()".contains(&bytes[place])
                {
                    place += 1;
                }
            }
        }
        text.get(start..place).map(|token| (start, token))
    })
}

/// The text of the value in `((t value))`, whatever the term looks like.
fn last_part(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut start = None;
    let mut parts = 0;
    for (place, token) in tokens(text) {
        if token == ")" {
            depth = depth.checked_sub(1)?;
            if depth == 1 {
                // The pair ends here.
                return start.filter(|_| parts == 2).and_then(|start| text.get(start..place)).map(str::trim);
            }
            continue;
        }
        if depth == 2 {
            start = Some(place);
            parts += 1;
        }
        if token == "(" {
            depth += 1;
        } else if depth < 2 {
            return None;
        }
    }
    None
}

fn parse(text: &str) -> Option<Expression> {
    let mut open: Vec<Vec<Expression>> = vec![Vec::new()];
    for (_, token) in tokens(text) {
        match token {
            "(" if open.len() > limits::VALUE_DEPTH => return None,
            "(" => open.push(Vec::new()),
            ")" => {
                let list = open.pop()?;
                open.last_mut()?.push(Expression::List(list));
            }
            _ => open.last_mut()?.push(Expression::Atom(token.to_owned())),
        }
    }
    let mut whole = open.pop().filter(|_| open.is_empty())?;
    whole.pop().filter(|_| whole.is_empty())
}

/// The depth of expressions is bounded by the reader.
fn number(expression: &Expression) -> Option<BigRational> {
    match expression {
        Expression::Atom(digits) => literal(digits),
        Expression::List(parts) => match &parts[..] {
            [Expression::Atom(sign), value] if sign == "-" => Some(-number(value)?),
            [Expression::Atom(word), value] if word == "to_real" => number(value),
            [Expression::Atom(slash), numerator, denominator] if slash == "/" => {
                let denominator = number(denominator).filter(|value| !value.is_zero())?;
                Some(number(numerator)? / denominator)
            }
            _ => None,
        },
    }
}

fn literal(text: &str) -> Option<BigRational> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let scale = fraction.bytes().fold(BigInt::one(), |scale, _| scale * 10);
    Some(BigRational::new(digits, scale))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(kind: &SortKind, replies: &[&str], expected: &Expect) {
        let values: Vec<String> =
            replies.iter().map(|reply| format!("{:?}\n", read_value(reply, kind))).collect();
        expected.assert_eq(&values.concat());
    }

    #[test]
    fn integers() {
        check(
            &SortKind::Int,
            &[
                "((x 4))",
                "(((+ x 1) (- 5)))",
                "((|a (b| 7))",
                "((x\n  12345678901234567890))",
                "((x 1.5))",
                "((x))",
            ],
            &expect![[r#"
                Int(4)
                Int(-5)
                Int(7)
                Int(12345678901234567890)
                Element("1.5")
                Unknown
            "#]],
        );
    }

    #[test]
    fn reals() {
        check(
            &SortKind::Real,
            &["((r 0.25))", "((r (- (/ 3.0 2.0))))", "((r (/ (- 3) 2)))", "((r (/ 1.0 0.0)))", "((r 2.0))"],
            &expect![[r#"
                Real(Ratio { numer: 1, denom: 4 })
                Real(Ratio { numer: -3, denom: 2 })
                Real(Ratio { numer: -3, denom: 2 })
                Element("(/ 1.0 0.0)")
                Real(Ratio { numer: 2, denom: 1 })
            "#]],
        );
    }

    #[test]
    fn elements_and_oddities() {
        check(
            &SortKind::Uninterpreted("S".into()),
            &[
                "((s S!val!0))",
                "((s (as @S_0 S)))",
                "((s ((as const (Array Int Int))   0)))",
                "",
                "((s",
                "(error \"line 3 column 2: model is not available\")",
                "garbage",
                "))((",
                "((s |odd ) name|))",
            ],
            &expect![[r#"
                Element("S!val!0")
                Element("@S_0")
                Element("((as const (Array Int Int)) 0)")
                Unknown
                Unknown
                Unknown
                Unknown
                Unknown
                Element("|odd ) name|")
            "#]],
        );
    }

    #[test]
    fn truth_values() {
        check(
            &SortKind::Bool,
            &["((p true))", "((p false))", "((p (not q)))"],
            &expect![[r#"
            Bool(true)
            Bool(false)
            Element("(not q)")
        "#]],
        );
    }
}
