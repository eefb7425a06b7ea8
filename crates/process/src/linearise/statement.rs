//! Small programs: arbitrary values, assumptions, assertions, and arbitrary branches.

use crate::expression::Expression;
use crate::normal::Bound;
use crate::term::Term;

/// Statements one after the other.
pub type Block = Vec<Statement>;

/// A statement. Variables are never assigned: new values have new variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// A new variable with an arbitrary value of its type.
    Declare(Bound),
    /// Runs in which this is not true are none.
    Assume(Expression),
    /// To be proved.
    Assert(Expression, Claim),
    /// One of these, arbitrarily. Variables that are declared in one of them are not used after it.
    Branch(Vec<Block>),
}

/// What an assertion is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Nothing gets as far as this term, behind the bound: a declared process with a contract that it matches would help.
    Beyond(Term),
    /// What was to be swapped is swapped.
    Swapped,
}
