//! Bodies whose jumps the engine has no rule for.

use source::Span;
use verdict::failure::Jump;

/// A jump that cannot be given a meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlError {
    /// The place of the `goto`, where there is one.
    pub span: Span,
    pub jump: Jump,
}
