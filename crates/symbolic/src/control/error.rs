//! Bodies whose jumps the engine has no rule for.

use source::Span;

/// A jump that cannot be given a meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlError {
    /// The place of the `goto`, where there is one.
    pub span: Span,
    pub message: String,
    /// Further places, with a remark on each.
    pub notes: Vec<(Span, String)>,
    pub help: &'static str,
}

impl ControlError {
    /// How Viper names what it cannot do.
    pub const CODE: &'static str = "internal:feature.unsupported";
}
