//! Equality up to bisimilarity: at each step, for all stores, with equal termination (VMCAI 2020, section 3.1).
//!
//! Equal normal forms are equal processes. Otherwise three ways are tried, from the cheapest on: the terms match part by
//! part under conditions that follow from what is assumed (`matching.rs`); the graphs of what they do, conditions and
//! arguments taken as mere names, are bisimilar (`graph.rs`), which decides where all data are known; they can follow each
//! other step by step, data being asked about (`game.rs`). *Equal* is never said unless it is so, *different* never unless
//! there are data for which it is so; everything else is *unknown*, with the conditions that would have helped.

mod game;
mod graph;
mod matching;
mod summand;

pub(crate) use matching::{Effort, Matching, matches};
pub use summand::Equation;

use crate::expression::Expression;
use crate::limits;
use crate::model::ActionId;
use crate::normal::{Algebra, Limit, Normal};
use crate::oracle::Oracle;
use crate::term::Term;

/// What is known about two terms, for all values of their variables for which the assumptions are true.
#[derive(Clone, Debug)]
pub enum Equality {
    /// They are bisimilar.
    Equal,
    /// There are values for which they are not.
    Different(Difference),
    /// Neither is known.
    Unknown(Doubt),
}

/// How two terms can be told apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Steps that lead there. Where the other term has several answers to a step, one of them.
    pub after: Vec<Step>,
    /// What only one of both does then.
    pub what: Distinction,
}

/// A step of a term.
#[derive(Clone, Debug)]
pub struct Step {
    /// The action.
    pub action: ActionId,
    /// Its arguments.
    pub arguments: Vec<Expression>,
}

/// What only one of two terms does.
#[derive(Clone, Debug)]
pub enum Distinction {
    /// It may end; it is the first of both or not.
    Ends {
        /// Whether it is the first term.
        first: bool,
    },
    /// It does a step that the other has no answer to.
    Does {
        /// Whether it is the first term.
        first: bool,
        /// The step.
        step: Step,
    },
}

/// Why nothing is known.
#[derive(Clone, Debug, Default)]
pub struct Doubt {
    /// Conditions that were not known to follow; equality may rest on some of them.
    pub needed: Vec<Entailment>,
    /// A bound that was reached.
    pub limit: Option<Limit>,
    /// Terms that only the language knows stand in different places.
    pub foreign: bool,
}

/// A condition that had to follow from others.
#[derive(Clone, Debug)]
pub struct Entailment {
    /// What was assumed.
    pub assumptions: Vec<Expression>,
    /// What had to follow.
    pub condition: Expression,
}

impl Equality {
    /// Whether they are known to be equal.
    pub fn is_equal(&self) -> bool {
        matches!(self, Equality::Equal)
    }

    /// Whether they are known to be different.
    pub fn is_different(&self) -> bool {
        matches!(self, Equality::Different(_))
    }
}

impl Algebra<'_> {
    /// Whether two terms are bisimilar for all values of their variables for which the assumptions are true.
    pub fn equal(
        &mut self,
        first: Normal,
        second: Normal,
        assumptions: &[Expression],
        oracle: &mut dyn Oracle,
    ) -> Equality {
        if first == second {
            return Equality::Equal;
        }
        if let Ok(Some(known)) = graph::compare(self, first, second, limits::COMPARED_FIRST) {
            return known;
        }
        // Without variables there is nothing to ask about, so following the terms shows little that the graph does not.
        let closed = self.free_variables(first).is_empty() && self.free_variables(second).is_empty();
        let pairs = if closed { limits::COMPARED_CLOSED_PAIRS } else { limits::COMPARED_PAIRS };
        let found = game::compare(self, [first, second], assumptions, oracle, pairs);
        if let Equality::Unknown(_) = found
            && let Ok(Some(known)) = graph::compare(self, first, second, limits::COMPARED_STATES)
        {
            return known;
        }
        found
    }

    /// The same for terms as they are written.
    pub fn equal_terms(
        &mut self,
        first: &Term,
        second: &Term,
        assumptions: &[Expression],
        oracle: &mut dyn Oracle,
    ) -> Equality {
        let normals = self.normalise(first).and_then(|first| Ok((first, self.normalise(second)?)));
        match normals {
            Ok((first, second)) => self.equal(first, second, assumptions, oracle),
            Err(limit) => Equality::Unknown(Doubt { limit: Some(limit), ..Doubt::default() }),
        }
    }
}
