//! The codes of errors and warnings about a text.
//!
//! Where VerCors has a code for an error, it is the same here, because its users and its test suite know it.

/// The text is not PVL.
pub const PARSE: &str = "parseError";
/// The construct is PVL, but not supported.
pub const UNSUPPORTED: &str = "unsupported";
/// The text looks like the language of VerCors 1.x.
pub const DIALECT: &str = "dialect";
/// The text can be read but probably does not mean what it seems to.
pub const SUSPICIOUS: &str = "suspicious";
