//! What a model language is, and what a model that was read in one offers.

use source::{Diagnostic, Loader, SourceMap};
use verdict::{Limits, Observer};

use crate::answer::Checked;
use crate::formula::Ltl;
use crate::options::{LanguageOption, LoadOptions, SearchOptions};
use crate::property::Property;
use crate::simulate::{Simulation, Unstarted};

/// A condition on states, in the language's own expressions. Only the model that gave it out knows what it means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

/// A formula that a model has, or that it was given. Only the model that gave it out knows what it means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FormulaId(pub u32);

/// What a model has that can be checked.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The formulas that stand in the model, by name.
    pub formulas: Vec<(String, FormulaId)>,
    /// The names of its claims, automata of what is forbidden.
    pub claims: Vec<String>,
    /// There are places that must not be visited again and again.
    pub has_accepting_places: bool,
}

/// Opens what is to be written, once there is something to write.
pub type Open<'a> = &'a mut dyn FnMut() -> std::io::Result<Box<dyn std::io::Write>>;

/// A language that models are written in.
pub trait ModelLanguage: Sync {
    /// The options that only this language has. What is given for them comes in [`LoadOptions::own`]; nothing else is
    /// ever there.
    fn options(&self) -> &'static [LanguageOption] {
        &[]
    }

    /// Reads the model that the loader has under `name`. There is a model exactly if no diagnostic is an error. Options
    /// that the language has no use for are errors.
    fn load(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &LoadOptions,
        map: &mut SourceMap,
    ) -> (Option<Box<dyn LoadedModel>>, Vec<Diagnostic>);
}

/// What a model calls things: properties that stand in it, formulas and conditions over its own expressions.
pub trait Vocabulary: Send + Sync {
    /// What can be checked.
    fn contents(&self) -> Contents;

    /// Reads a formula that is given besides the model. There is an error among the diagnostics where there is none.
    fn read_formula(&mut self, text: &str, map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>>;

    /// Reads a condition that is given besides the model, such as a proposition of an automaton; none where the text is
    /// no condition over this model.
    fn read_atom(&mut self, text: &str) -> Option<AtomId>;

    /// A formula that this model has given out.
    fn formula(&self, formula: FormulaId) -> &Ltl;

    /// A condition that this model has given out, as its author wrote it.
    fn show_atom(&self, atom: AtomId) -> String;
}

/// A model that was read without errors.
///
/// It is shared by all searches of a run: what they have in common (the lowered model, the automata of claims, tables of
/// reductions) is made when it is first needed and kept.
pub trait LoadedModel: Send + Sync {
    /// What a model calls things.
    fn vocabulary(&self) -> &dyn Vocabulary;

    /// The same, to read more formulas and conditions.
    fn vocabulary_mut(&mut self) -> &mut dyn Vocabulary;

    /// Looks for a violation of a property. `sources` are the texts that the model was read from. An error says why the
    /// model cannot be searched at all.
    fn check(
        &self,
        sources: &SourceMap,
        property: &Property,
        options: &SearchOptions,
        observer: &mut dyn Observer,
    ) -> Checked;

    /// Writes all transitions of the model in the format of Aldebaran. An error says why that cannot be done; nothing is
    /// opened then, unless writing itself failed.
    fn write_transitions(&self, limits: &Limits, open: Open<'_>) -> Result<(), String> {
        let _ = (limits, open);
        Err("the transition system of such a model cannot be written".to_string())
    }

    /// One run from the beginning, to be taken step by step.
    fn simulate<'m>(&'m self, sources: &'m SourceMap) -> Result<Box<dyn Simulation + 'm>, Unstarted>;
}
