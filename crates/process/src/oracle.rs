//! Who knows about data: the algebra asks whether a condition follows from others, and goes on with what it is told.

use crate::expression::Expression;
use crate::simplify::{conjuncts, truth_of};

/// Whether something follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It follows.
    Yes,
    /// There are values of the variables for which all assumptions are true and it is not.
    No,
    /// Nobody knows.
    Unknown,
}

/// Something that knows about data. All free variables are universally quantified.
pub trait Oracle {
    /// Whether the condition is true for all values of the variables for which all assumptions are true.
    fn entails(&mut self, assumptions: &[Expression], condition: &Expression) -> Answer;
}

/// An oracle that knows what it sees: what is known on sight, and what is assumed word by word.
#[derive(Clone, Copy, Default, Debug)]
pub struct OnSight;

impl Oracle for OnSight {
    fn entails(&mut self, assumptions: &[Expression], condition: &Expression) -> Answer {
        match truth_of(condition) {
            Some(true) => return Answer::Yes,
            Some(false) if assumptions.iter().all(|known| truth_of(known) == Some(true)) => {
                return Answer::No;
            }
            _ => {}
        }
        if assumptions.iter().any(|known| truth_of(known) == Some(false)) {
            return Answer::Yes;
        }
        let known: Vec<Expression> = assumptions.iter().flat_map(conjuncts).collect();
        if conjuncts(condition).iter().all(|part| known.contains(part)) {
            Answer::Yes
        } else {
            Answer::Unknown
        }
    }
}
