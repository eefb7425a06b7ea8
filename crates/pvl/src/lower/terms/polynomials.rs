//! Integer terms as polynomials, so that terms that are equal by the laws of arithmetic can be recognised.
//!
//! What is not a sum or product is an atom; atoms are told apart by their structure. All laws used here hold for all
//! integers, so two terms with one polynomial are equal wherever both are defined.

use std::collections::BTreeMap;

use silver::syntax::tree as s;

use crate::limits;
use crate::lower::build::Build;

/// Terms that are not sums or products, by their numbers.
#[derive(Default)]
pub(crate) struct Atoms {
    atoms: Vec<s::Expression>,
}

/// A sum of products: the numbers of the factors, sorted, and how often the product occurs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Vec<usize>, i128>,
}

impl Polynomial {
    pub(crate) fn constant(value: i128) -> Polynomial {
        let mut result = Polynomial::default();
        result.add_term(Vec::new(), value);
        result
    }

    fn add_term(&mut self, factors: Vec<usize>, count: i128) -> Option<()> {
        let entry = self.terms.entry(factors.clone()).or_default();
        *entry = entry.checked_add(count)?;
        if *entry == 0 {
            self.terms.remove(&factors);
        }
        (self.terms.len() <= limits::POLYNOMIAL_TERMS).then_some(())
    }

    /// The value, if it is the same for all values of the atoms.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// How many factors a product has at most.
    pub(crate) fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or(0)
    }

    pub(crate) fn add(&self, other: &Polynomial, factor: i128) -> Option<Polynomial> {
        let mut result = self.clone();
        for (factors, count) in &other.terms {
            result.add_term(factors.clone(), count.checked_mul(factor)?)?;
        }
        Some(result)
    }

    pub(crate) fn multiply(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut result = Polynomial::default();
        for (left, count) in &self.terms {
            for (right, times) in &other.terms {
                let mut factors = [&left[..], &right[..]].concat();
                factors.sort_unstable();
                result.add_term(factors, count.checked_mul(*times)?)?;
            }
        }
        Some(result)
    }

    /// Splits `rest + coefficient * variable`; `None` if the variable occurs in another way.
    pub(crate) fn linear_in(&self, variable: usize) -> Option<(Polynomial, Polynomial)> {
        let (mut coefficient, mut rest) = (Polynomial::default(), Polynomial::default());
        for (factors, count) in &self.terms {
            match factors.iter().filter(|factor| **factor == variable).count() {
                0 => rest.add_term(factors.clone(), *count)?,
                1 => {
                    let others = factors.iter().copied().filter(|factor| *factor != variable).collect();
                    coefficient.add_term(others, *count)?;
                }
                _ => return None,
            }
        }
        Some((coefficient, rest))
    }

    /// The polynomial as a term.
    pub(crate) fn term(&self, atoms: &Atoms, build: &mut Build<'_>) -> s::Expression {
        let mut sum: Option<s::Expression> = None;
        for (factors, count) in self.terms.iter().rev() {
            let is_negative = *count < 0;
            let size = count.unsigned_abs();
            let mut product: Option<s::Expression> = None;
            if size != 1 || factors.is_empty() {
                product = Some(build.expression(s::ExpressionKind::Int(size.to_string().into())));
            }
            for factor in factors {
                let Some(atom) = atoms.atoms.get(*factor).cloned() else { continue };
                product = Some(match product {
                    None => atom,
                    Some(left) => build.binary(s::BinaryOperator::Multiply, left, atom),
                });
            }
            let Some(product) = product else { continue };
            sum = Some(match (sum, is_negative) {
                (None, false) => product,
                (None, true) => build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, product)),
                (Some(left), false) => build.binary(s::BinaryOperator::Add, left, product),
                (Some(left), true) => build.subtract(left, product),
            });
        }
        sum.unwrap_or_else(|| build.int(0))
    }
}

impl Atoms {
    /// The number of an atom.
    pub(crate) fn number(&mut self, atom: &s::Expression) -> usize {
        if let Some(known) = self.atoms.iter().position(|known| is_same(known, atom)) {
            return known;
        }
        self.atoms.push(atom.clone());
        self.atoms.len() - 1
    }

    /// The polynomial of a term; `None` if it is too large.
    pub(crate) fn polynomial(&mut self, term: &s::Expression) -> Option<Polynomial> {
        use s::BinaryOperator::{Add, Multiply, Subtract};
        match &*term.kind {
            s::ExpressionKind::Int(digits) => digits.parse().ok().map(Polynomial::constant),
            s::ExpressionKind::Unary(s::UnaryOperator::Negate, operand) => {
                let operand = self.polynomial(operand)?;
                Polynomial::default().add(&operand, -1)
            }
            s::ExpressionKind::Binary(operator @ (Add | Subtract | Multiply), left, right) => {
                let (left, right) = (self.polynomial(left)?, self.polynomial(right)?);
                match operator {
                    Add => left.add(&right, 1),
                    Subtract => left.add(&right, -1),
                    _ => left.multiply(&right),
                }
            }
            _ => {
                let atom = self.number(term);
                let mut result = Polynomial::default();
                result.add_term(vec![atom], 1)?;
                Some(result)
            }
        }
    }
}

/// Whether two terms are the same text. Kinds of terms that are not compared are different.
fn is_same(left: &s::Expression, right: &s::Expression) -> bool {
    use s::ExpressionKind::*;
    match (&*left.kind, &*right.kind) {
        (Int(a), Int(b)) => a == b,
        (Name(a), Name(b)) => a.text == b.text,
        (Field(a, f), Field(b, g)) => f.text == g.text && is_same(a, b),
        (Call(f, xs, _), Call(g, ys, _)) => {
            f.text == g.text && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| is_same(x, y))
        }
        (Size(a), Size(b)) | (Old(None, a), Old(None, b)) => is_same(a, b),
        (Binary(f, a, b), Binary(g, c, d)) => f == g && is_same(a, c) && is_same(b, d),
        (Index(a, b), Index(c, d)) => is_same(a, c) && is_same(b, d),
        _ => false,
    }
}
