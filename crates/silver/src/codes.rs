//! The ids of static errors, as Viper's test suite and the tools on top of Viper know them.

/// The text is not Silver, or a macro or import cannot be expanded.
pub const PARSER: &str = "parser.error";
/// The text can be read, but is written in a deprecated or suspicious way.
pub const PARSER_WARNING: &str = "parser.warning";
/// A name or a type is wrong.
pub const TYPECHECKER: &str = "typechecker.error";
/// The program is typed but breaks a rule of well-formedness.
pub const CONSISTENCY: &str = "consistency.error";
