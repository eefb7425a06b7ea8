//! Head normal form: what a term can do first, and whether it may end.
//!
//! A term equals the sum of its summands `Σ binders. condition → action(arguments)·rest`, of what it does inside of terms
//! that only the language knows, and of ε where its termination is true. `||` is expanded (one component moves, the others
//! wait), calls are unfolded up to a bound, and conditions become conditions of summands. What a family over unknown bounds
//! does is one summand with a bound index: the member that moves, between those before and those after it.

mod expand;
mod guard;

use std::collections::HashSet;
use std::rc::Rc;

pub use guard::Guard;

use crate::expression::Expression;
use crate::limits;
use crate::model::ActionId;
use crate::normal::{Algebra, Limit, Normal};

/// What a term can do first.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The actions that it can begin with.
    pub summands: Vec<Summand>,
    /// What begins inside of terms that only the language knows.
    pub opaque: Vec<Opaque>,
    /// It may end where one of these is true.
    pub termination: Vec<Guard>,
}

/// `Σ binders. condition → action(arguments)·rest`
#[derive(Clone, Debug)]
pub struct Summand {
    /// Where it can be taken.
    pub guard: Guard,
    /// The action.
    pub action: ActionId,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// What is left to do after it.
    pub rest: Normal,
}

/// A term that only the language knows makes the first step, within what stands around it.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// Where it can be taken.
    pub guard: Guard,
    /// Its number in the language.
    pub foreign: u32,
    /// What stands around it, from the inside out.
    pub around: Vec<Frame>,
}

/// What stands around a term that makes a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// This comes after it.
    Before(Normal),
    /// This waits beside it.
    Beside(Normal),
}

impl Head {
    /// Whether all that it says is said without conditions, binders, and terms that only the language knows.
    pub fn is_plain(&self) -> bool {
        self.opaque.is_empty()
            && self.summands.iter().all(|summand| summand.guard.is_true())
            && self.termination.iter().all(Guard::is_true)
    }
}

impl Algebra<'_> {
    /// The head normal form of a term.
    pub fn head(&mut self, normal: Normal) -> Result<Rc<Head>, Limit> {
        if let Some(known) = self.heads.get(&normal) {
            return Ok(known.clone());
        }
        let head = self.expand(normal)?;
        let head = Rc::new(self.without_repetition(head)?);
        // What was found while a process is being unfolded is as true as any other.
        self.heads.insert(normal, head.clone());
        Ok(head)
    }

    /// The head normal form without what lies behind more than a few calls. Every summand in it is one, and it may end
    /// where this says so; others may be missing.
    pub fn partial_head(&mut self, normal: Normal) -> Result<Head, Limit> {
        // What is left out must not be taken for whole later on.
        let whole = std::mem::take(&mut self.heads);
        self.leaves_out = true;
        let head = self.head(normal);
        self.leaves_out = false;
        self.heads = whole;
        Ok((*head?).clone())
    }

    /// The term that a summand is: `Σ binders. condition → action(arguments)·rest`, in normal form.
    ///
    /// Only what stands under a termination of a foreign term has none, since such a condition is no expression.
    pub fn summand_term(&mut self, summand: &Summand) -> Result<Option<Normal>, Limit> {
        if !summand.guard.foreign_ends.is_empty() {
            return Ok(None);
        }
        let action = self.action(summand.action, &summand.arguments)?;
        let step = self.sequence(action, summand.rest)?;
        self.guarded(&summand.guard, step).map(Some)
    }

    /// A term under a guard without foreign terms.
    pub(crate) fn guarded(&mut self, guard: &Guard, body: Normal) -> Result<Normal, Limit> {
        let deadlock = self.deadlock()?;
        let mut result = self.conditional(&guard.condition, body, deadlock)?;
        let always = crate::simplify::truth(true, self.nowhere());
        for bound in guard.binders.iter().rev() {
            result = self.sum(bound, &always, result)?;
        }
        Ok(result)
    }

    /// Each summand once, whatever its bound variables are called.
    fn without_repetition(&mut self, mut head: Head) -> Result<Head, Limit> {
        if head.summands.len() > limits::SUMMANDS {
            return Err(Limit::Work);
        }
        let mut seen = HashSet::new();
        let mut kept = Vec::with_capacity(head.summands.len());
        for summand in head.summands {
            let fresh = match self.summand_term(&summand)? {
                Some(term) => seen.insert(term),
                None => true,
            };
            if fresh {
                kept.push(summand);
            }
        }
        head.summands = kept;
        if head.termination.iter().any(Guard::is_true) {
            head.termination.retain(Guard::is_true);
            head.termination.truncate(1);
        }
        Ok(head)
    }
}
