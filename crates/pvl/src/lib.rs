//! PVL, the language of VerCors: from text to a program whose names and types are known.
//!
//! `syntax` reads and prints text, `resolve` finds what it means, `erasure` keeps ghost code apart from the program,
//! `lower` makes a Silver program of it, `models` puts its models into their own form. Errors in the input are [`source::Diagnostic`]s with stable codes; nothing in
//! the input makes this crate panic.
#![forbid(unsafe_code)]

pub mod codes;
mod erasure;
mod limits;
pub mod lower;
pub mod models;
pub mod port;
pub mod resolve;
pub mod syntax;
