//! Arithmetic without bounds: small integers quickly, everything else exactly.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::expression::Binary;

use super::evaluator::Stop;
use super::words::{Stored, Table, Word};

/// Any number as a rational one.
pub(crate) fn rational(table: &Table, word: Word) -> Result<BigRational, Stop> {
    match (word.as_small(), table.stored(word)) {
        (Some(small), _) => Ok(BigRational::from_integer(BigInt::from(small))),
        (None, Some(Stored::Integer(it))) => Ok(BigRational::from_integer(BigInt::clone(it))),
        (None, Some(Stored::Rational(it))) => Ok(BigRational::clone(it)),
        _ => Err(Stop::Undefined("an operand is no number")),
    }
}

fn integer(table: &Table, word: Word) -> Result<BigInt, Stop> {
    let number = rational(table, word)?;
    if number.is_integer() {
        Ok(number.to_integer())
    } else {
        Err(Stop::Undefined("an operand is no integer"))
    }
}

/// Arithmetic and comparisons.
#[inline]
pub(crate) fn binary(table: &mut Table, operator: Binary, a: Word, b: Word) -> Result<Word, Stop> {
    if let (Some(x), Some(y)) = (a.as_small(), b.as_small()) {
        let result = match operator {
            Binary::Less => return Ok(Word::boolean(x < y)),
            Binary::AtMost => return Ok(Word::boolean(x <= y)),
            Binary::Add => Some(x + y),
            Binary::Subtract => Some(x - y),
            Binary::Multiply => x.checked_mul(y),
            Binary::DivideEuclidean if y != 0 => Some(x.div_euclid(y)),
            Binary::RemainderEuclidean if y != 0 => Some(x.rem_euclid(y)),
            Binary::Remainder if y != 0 => Some(x % y),
            _ => None,
        };
        if let Some(word) = result.and_then(Word::small) {
            return Ok(word);
        }
    }
    exactly(table, operator, a, b)
}

fn exactly(table: &mut Table, operator: Binary, a: Word, b: Word) -> Result<Word, Stop> {
    let zero = Err(Stop::Undefined("a division by zero"));
    let (x, y) = (rational(table, a)?, rational(table, b)?);
    let result = match operator {
        Binary::Less => return Ok(Word::boolean(x < y)),
        Binary::AtMost => return Ok(Word::boolean(x <= y)),
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        _ if y.is_zero() => return zero,
        Binary::Divide => x / y,
        Binary::DivideEuclidean | Binary::RemainderEuclidean | Binary::Remainder => {
            let (x, y) = (integer(table, a)?, integer(table, b)?);
            let remainder = x.mod_floor(&y.abs());
            let result = match operator {
                Binary::DivideEuclidean => (x - remainder) / y,
                Binary::RemainderEuclidean => remainder,
                _ => x % y,
            };
            return Ok(table.integer(result));
        }
        _ => return Err(Stop::Undefined("an operator that is none of numbers")),
    };
    Ok(table.number(result))
}

pub(crate) fn negate(table: &mut Table, a: Word) -> Result<Word, Stop> {
    if let Some(word) = a.as_small().and_then(|small| Word::small(-small)) {
        return Ok(word);
    }
    let negated = -rational(table, a)?;
    Ok(table.number(negated))
}
