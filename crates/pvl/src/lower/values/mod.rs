//! Types, and the values that are not in the heap: numbers, collections, data types, vectors.

pub(crate) mod collections;
pub(crate) mod conversions;
pub(crate) mod data;
pub(crate) mod operators;
pub(crate) mod type_values;
pub(crate) mod types;
pub(crate) mod vector_arithmetic;
