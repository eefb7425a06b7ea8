//! Values as they are: numbers, ranges, and types with few values.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use process::{EnumerationId, Model, Type, Value};

/// More values than this are not listed.
const MOST: i64 = 100_000;

/// The integers of a range, the end excluded.
pub(super) fn integers(low: &Value, high: &Value) -> Result<Vec<Value>, String> {
    let number = |value: &Value| match value {
        Value::Integer(it) => it.to_i64().ok_or_else(|| "a range is too large".to_string()),
        _ => Err("a range of something else than integers".to_string()),
    };
    let (low, high) = (number(low)?, number(high)?);
    if high - low > MOST {
        return Err("a range is too large".to_string());
    }
    Ok((low..high).map(|it| Value::Integer(BigInt::from(it))).collect())
}

/// All values of a type that has few.
pub(super) fn few(ty: &Type, model: &Model) -> Vec<Value> {
    match ty {
        Type::Boolean => vec![Value::Boolean(false), Value::Boolean(true)],
        Type::Enumeration(EnumerationId(id)) => {
            let count = model.enumerations.get(*id as usize).map_or(0, |it| it.constants.len());
            let constants = (0..count as u32).map(|it| Value::Constant(EnumerationId(*id), it));
            constants.chain([Value::Opaque(0)]).collect()
        }
        _ => Vec::new(),
    }
}

/// Integers near one: what a sum adds to its variable is mostly small.
pub(super) fn neighbours(value: &Value) -> Vec<Value> {
    match value {
        Value::Integer(it) => (-64..=64).map(|by| Value::Integer(it + BigInt::from(by))).collect(),
        _ => Vec::new(),
    }
}

/// Any number as a rational one.
pub(super) fn rational(value: &Value) -> Result<BigRational, String> {
    match value {
        Value::Integer(it) => Ok(BigRational::from_integer(it.clone())),
        Value::Rational(it) => Ok(it.clone()),
        Value::Character(it) => Ok(BigRational::from_integer(BigInt::from(u32::from(*it)))),
        _ => Err("an operand is no number".to_string()),
    }
}
