//! Models that are explored in states of their own.
//!
//! A language says where runs begin, which steps leave a state, where a run may end and which conditions hold
//! ([`Explored`]). Its states are stored as words and searched like any others. What a search finds is walked again by
//! asking the language alone, and the property is evaluated on that run directly; nothing of the search is trusted.

mod counterexample;
mod product;
mod search;
mod simulate;

use source::{SourceMap, Span};
use verdict::Observer;

use crate::answer::{Answer, Checked};
use crate::options::SearchOptions;
use crate::port::{AtomId, LoadedModel, Vocabulary};
use crate::property::Property;
use crate::simulate::{Simulation, Unstarted};

/// A language's own model: what it calls things, and how it moves.
///
/// All functions are functions of their arguments: the same state has the same steps in the same order every time.
/// Where one of them cannot say (a number has grown too large to be counted), the sentence says why, and a search that
/// comes there has no verdict.
pub trait Explored: Vocabulary {
    /// A state. Two states that are equal are the same state.
    type State: Clone + Eq;

    /// Where runs begin; at least one state.
    fn initial(&self) -> Result<Vec<Self::State>, String>;

    /// The steps that leave a state.
    fn steps(&self, state: &Self::State) -> Result<Vec<Step<Self::State>>, String>;

    /// May a run end in a state that no step leaves?
    fn may_end(&self, state: &Self::State) -> bool;

    /// Whether a condition holds in a state.
    fn holds(&self, state: &Self::State, atom: AtomId) -> Result<bool, String>;

    /// The state as words; different states have different words.
    fn encode(&self, state: &Self::State, words: &mut Vec<u32>);

    /// The state whose words these are. Words come from [`Explored::encode`].
    fn decode(&self, words: &[u32]) -> Self::State;

    /// The parts of a state by name, as people look at them: always the same names in the same order, so that what a
    /// step changes can be told.
    fn show(&self, state: &Self::State) -> Vec<(String, String)>;

    /// The steps that cannot be taken in a state where none can, and why not.
    fn blocked(&self, state: &Self::State) -> Vec<(String, String)> {
        let _ = state;
        Vec::new()
    }
}

/// A step of an explored model.
#[derive(Clone, Debug)]
pub struct Step<S> {
    /// Who moves: the name of a process or of the whole.
    pub actor: String,
    /// What is done, as it is written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// Where it leads.
    pub target: S,
}

/// A model that is explored: how an [`Explored`] becomes a [`LoadedModel`].
pub struct ExploredModel<E> {
    language: E,
}

impl<E: Explored> ExploredModel<E> {
    /// A model from what the language knows of it.
    pub fn new(language: E) -> ExploredModel<E> {
        ExploredModel { language }
    }
}

impl<E: Explored> LoadedModel for ExploredModel<E> {
    fn vocabulary(&self) -> &dyn Vocabulary {
        &self.language
    }

    fn vocabulary_mut(&mut self) -> &mut dyn Vocabulary {
        &mut self.language
    }

    fn check(
        &self,
        sources: &SourceMap,
        property: &Property,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) -> Checked {
        crate::drive::with_second_look(options, observer, |options, observer| {
            Ok(search::search_for(&self.language, sources, property, options, observer)
                .unwrap_or_else(|sentence| Answer::unknown(property, sentence)))
        })
    }

    fn simulate<'m>(&'m self, sources: &'m SourceMap) -> Result<Box<dyn Simulation + 'm>, Unstarted> {
        Ok(Box::new(simulate::start(&self.language, sources)?))
    }
}
