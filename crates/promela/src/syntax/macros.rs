//! The definitions a preprocessor run has made.

/// The macros that are defined at some point of the text.
#[derive(Clone, Default, Debug)]
pub struct Macros {}
