//! Values in source terms for which an obligation fails.
//!
//! The solver is asked once more, for values of terms that the state has names for: variables, fields of the objects
//! that variables name, parts of collections, applications of functions in the goal. What it gives need not be a model
//! of everything that is known, for it does not look at quantifiers to the end; so values explain a failure, and decide
//! nothing.

mod collect;
mod naming;
mod show;

use std::rc::Rc;

use rustc_hash::FxHashMap;
use silver::typed::Local;
use smt::{ModelValue, Term};
use verdict::Counterexample;

use crate::blame::{Detail, Shortage};
use crate::engine::Engine;
use crate::heap::Resource;
use crate::state::State;

use collect::{Item, Questions};
use naming::Names;
use show::Shown;

/// Where the current step began: what messages speak about.
#[derive(Clone)]
pub(crate) struct Scene {
    pub state: State,
    pub locals: Rc<Vec<Local>>,
}

/// What is said about a failure beside the reason.
#[derive(Default)]
pub(crate) struct Explanation {
    /// What is missing, in words.
    pub words: Option<String>,
    pub counterexample: Option<Counterexample>,
}

/// Values of one model.
struct Model {
    values: FxHashMap<Term, ModelValue>,
}

impl Model {
    fn get(&self, term: Term) -> Option<&ModelValue> {
        self.values.get(&term).filter(|value| **value != ModelValue::Unknown)
    }
}

/// Whether an amount is a whole number above one.
fn is_more_than_all(amount: &str) -> bool {
    amount.parse::<u64>().is_ok_and(|amount| amount > 1)
}

impl<'p> Engine<'p> {
    /// Explains why a goal fails. Neither the path nor what the solver knows changes.
    pub(crate) fn explain(&mut self, goal: Term, detail: Detail) -> Explanation {
        // Nobody reads about an attempt that is followed by another.
        if !self.last_attempt || self.refuting {
            return Explanation::default();
        }
        let scene = self.scene.clone();
        // Asking for values must not bring in symbols whose axioms nobody has told the solver.
        let theories = self.encoder.theories.clone();
        let names = Names::new(self, scene.as_ref());
        let shortage = match &detail {
            Detail::Shortage(shortage) => Some(shortage),
            _ => None,
        };
        let mut explanation = Explanation::default();
        let mut shown = None;
        if self.settings.counterexamples {
            let questions = self.questions(scene.as_ref(), &names, goal, shortage);
            if let Some(model) = self.ask_for_values(goal, &questions) {
                let null = self.encoder.null();
                let shown = shown.insert(Shown::new(model, null));
                let found = shown.counterexample(self, &names, &questions);
                explanation.counterexample = (!found.values.is_empty()).then_some(found);
            }
        }
        explanation.words = match detail {
            Detail::None => None,
            Detail::Text(text) => Some(text),
            Detail::Shortage(shortage) => Some(self.shortage_words(&names, shown.as_mut(), &shortage)),
        };
        self.encoder.theories = theories;
        explanation
    }

    fn ask_for_values(&mut self, goal: Term, questions: &Questions) -> Option<Model> {
        let outer = self.path.open_scope();
        for term in questions.mentioned() {
            let fact = self.mentioning(term);
            self.path.add(fact);
        }
        // Other values may be a guess of the solver that is no counterexample.
        for pin in self.prover.pins() {
            self.path.add(*pin);
        }
        let values = self.prover.model(&self.encoder.terms, &self.path, goal, questions.terms());
        self.path.close_scope(&outer);
        let values = questions.terms().iter().copied().zip(values?).collect();
        Some(Model { values })
    }

    /// A fact without content that shows a term to the solver, so that it looks at what is known about it.
    fn mentioning(&mut self, term: Term) -> Term {
        let terms = &mut self.encoder.terms;
        let (sort, bool_sort) = (terms.sort_of(term), terms.bool_sort());
        let name = format!("$shown.{}", crate::encode::names::sort_name(terms, sort));
        let function = terms.function(&name, &[sort], bool_sort);
        terms.apply(function, &[term])
    }

    fn shortage_words(&mut self, names: &Names, shown: Option<&mut Shown>, shortage: &Shortage) -> String {
        let held = self.simplify(shortage.held);
        let (mut needed_text, mut held_text) = (None, self.encoder.terms.as_real(held).map(show::amount));
        if let Some(needed) = shortage.needed {
            needed_text = self.encoder.terms.as_real(needed).map(show::amount);
        }
        let mut place = names.location(self, shortage.resource, &shortage.location);
        if let Some(shown) = shown {
            held_text = held_text.or_else(|| shown.amount(shortage.held));
            needed_text = needed_text.or_else(|| shortage.needed.and_then(|needed| shown.amount(needed)));
            place = place.or_else(|| shown.location(self, names, shortage.resource, &shortage.location));
        }
        if matches!(shortage.resource, Resource::Wand(_)) {
            return match held_text.as_deref() {
                Some("none") => "needs this magic wand, holds none like it".to_string(),
                _ => "needs this magic wand, which may not be held".to_string(),
            };
        }
        let place = place.map_or_else(|| "here".to_string(), |place| format!("to `{place}`"));
        let needs = match (shortage.needed, needed_text) {
            (None, _) => format!("needs some permission {place}"),
            (Some(_), Some(needed)) if is_more_than_all(&needed) => {
                format!("needs {needed} times the whole permission {place}")
            }
            (Some(_), Some(needed)) => format!("needs {needed} permission {place}"),
            (Some(_), None) => format!("may need more permission {place} than is held"),
        };
        match (held_text, shortage.needed) {
            (Some(held), _) => format!("{needs}, holds {held}"),
            (None, _) if needs.starts_with("may") => needs,
            (None, _) => format!("{needs}, which may not be held"),
        }
    }
}
