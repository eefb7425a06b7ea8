//! The value of a term, by the values of a counterexample.
//!
//! Understands sums, differences and products of integers, and everything that the counterexample has a value for. What
//! is not understood has no value.

use num_bigint::BigInt;
use verdict::failure::Operator;

use super::term::Term;

/// Deeper terms have no value.
const MAX_DEPTH: u32 = 50;

/// What a counterexample says, in the order in which it is told.
#[derive(Clone, Default, Debug)]
pub(super) struct Values {
    pub(super) pairs: Vec<(Term, Term)>,
}

impl Values {
    /// The value that is told of a term; fields can be written without their object.
    fn told(&self, term: &Term) -> Option<&Term> {
        let find = |wanted: &Term| self.pairs.iter().find(|(it, _)| it == wanted).map(|(_, value)| value);
        find(term).or_else(|| find(&of_this(term)?))
    }

    /// An integer.
    pub(super) fn integer(&self, term: &Term) -> Option<BigInt> {
        self.at_depth(term, 0)
    }

    fn at_depth(&self, term: &Term, depth: u32) -> Option<BigInt> {
        if depth > MAX_DEPTH {
            return None;
        }
        let inner = |term: &Term| self.at_depth(term, depth + 1);
        match term {
            Term::Int(value) => Some(value.clone()),
            Term::Negate(of) => Some(-inner(of)?),
            Term::Operation(operator, left, right) => {
                let (left, right) = (inner(left)?, inner(right)?);
                Some(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                })
            }
            _ => match self.told(term)? {
                Term::Int(value) => Some(value.clone()),
                _ => None,
            },
        }
    }
}

/// A term that starts with a field of `this`, if it starts with a name.
fn of_this(term: &Term) -> Option<Term> {
    Some(match term {
        Term::Name(name) => Term::name("this").field(name),
        Term::Field(of, name) => of_this(of)?.field(name),
        Term::Index(of, at) => Term::Index(Box::new(of_this(of)?), at.clone()),
        Term::Size(of) => Term::Size(Box::new(of_this(of)?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_what_is_known_have_values() {
        let name = Term::name;
        let boxed = |term: Term| Box::new(term);
        let element = Term::Index(boxed(name("a")), boxed(name("i")));
        let size = Term::Size(boxed(name("xs")));
        let int = |value: i32| Term::Int(value.into());
        let pairs = vec![
            (name("i"), int(4)),
            (name("a").field("length"), int(5)),
            (name("this").field("x"), int(-2)),
            (size.clone(), int(3)),
            (element.clone(), int(7)),
            (name("this").field("items").field("length"), int(6)),
            (name("o"), name("null")),
        ];
        let values = Values { pairs };
        let operate =
            |operator, left: Term, right: Term| Term::Operation(operator, boxed(left), boxed(right));
        let value = |term: Term| values.integer(&term).map(|value| value.to_string());
        assert_eq!(value(name("i")).as_deref(), Some("4"));
        assert_eq!(value(name("items").field("length")).as_deref(), Some("6"));
        assert_eq!(value(operate(Operator::Add, name("i"), int(1))).as_deref(), Some("5"));
        let twice = operate(Operator::Multiply, name("i"), int(2));
        assert_eq!(
            value(operate(Operator::Subtract, name("a").field("length"), twice)).as_deref(),
            Some("-3")
        );
        let less = operate(Operator::Subtract, name("x"), int(1));
        assert_eq!(value(Term::Negate(boxed(less))).as_deref(), Some("3"));
        assert_eq!(value(operate(Operator::Add, size, element)).as_deref(), Some("10"));
        for unknown in [name("j"), name("o"), name("i").field("f")] {
            assert_eq!(value(unknown.clone()), None, "{unknown}");
        }
        let deep = (0..200).fold(int(1), |term, _| Term::Negate(boxed(term)));
        assert_eq!(values.integer(&deep), None);
    }
}
