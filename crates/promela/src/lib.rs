//! The Promela language: preprocessor, parser, names and types.
//!
//! `syntax` reads text into a tree, `resolve` turns the tree into a [`resolve::Program`] in which every
//! name is an id and the statements are the ones SPIN 6.5 would generate. Nothing here opens a file:
//! included texts come through a [`Loader`] of the caller.
#![forbid(unsafe_code)]

pub mod lower;
pub mod resolve;
pub mod syntax;
