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
use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef, Local, Predicate};
use smt::{ModelValue, Term};
use verdict::failure::{self, Detail, Failure, Measure, Needed, ResourceKind, Shown, Value};

use crate::blame::{Missing, Shortage};
use crate::engine::Engine;
use crate::heap::{Chunk, Resource};
use crate::limits;
use crate::state::State;

use collect::{Item, Questions};
use naming::Names;
use show::Interpretation;

/// Where the current step began: what messages speak about.
#[derive(Clone)]
pub(crate) struct Scene {
    pub state: State,
    pub locals: Rc<Vec<Local>>,
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

/// Domains whose functions the checks of termination apply; programs write measures, not these.
const RELATIONS: [&str; 2] = ["WellFoundedOrder", "PredicateInstancesNestedRelation"];

impl<'p> Engine<'p> {
    /// Adds to a failure what is missing and for which values it fails. Neither the path nor what the solver knows
    /// changes.
    pub(crate) fn explain(&mut self, goal: Term, missing: Missing, failure: &mut Failure) {
        // The failure of an attempt that is followed by another is not reported, nor is that of a proof that is.
        if !self.attempt.is_last || self.attempt.refuting.is_some() || self.prover.has_reused() {
            return;
        }
        let scene = self.attempt.scene.clone();
        // Asking for values must not bring in symbols whose axioms the solver was not given.
        let theories = self.encoder.theories.clone();
        let names = Names::new(self, scene.as_ref());
        let shortage = match &missing {
            Missing::Permission(shortage) => Some(shortage),
            Missing::Nothing | Missing::CommonShare => None,
        };
        let mut interpretation = None;
        if self.run.settings.counterexamples {
            let questions = self.questions(scene.as_ref(), &names, goal, shortage);
            if let Some(model) = self.ask_for_values(goal, scene.as_ref(), &questions) {
                let null = self.encoder.null();
                let interpretation = interpretation.insert(Interpretation::new(model, null));
                failure.values = interpretation.values(self, &names, &questions);
                failure.measures = self.take_measures(&mut failure.values);
            }
        }
        failure.detail = match missing {
            Missing::Nothing => Detail::None,
            Missing::CommonShare => Detail::NoCommonShare,
            Missing::Permission(shortage) => {
                Detail::Shortage(self.missing_permission(&names, interpretation.as_mut(), &shortage))
            }
        };
        failure.held = self.held_instances(&names, scene.as_ref());
        self.encoder.theories = theories;
    }

    /// Instances of predicates that are held, each as often as it is there.
    fn held_instances(&self, names: &Names, scene: Option<&Scene>) -> Vec<Shown> {
        let chunks = scene.into_iter().flat_map(|scene| scene.state.heap.iter());
        let held = chunks.filter_map(|(resource, chunk)| match (resource, chunk) {
            (Resource::Predicate(_), Chunk::Basic(basic)) => names.location(self, resource, &basic.arguments),
            _ => None,
        });
        held.take(limits::SHOWN_CHUNKS).collect()
    }

    /// Takes out the relations of termination checks: that `decreasing(n, m)` is false says in words of the encoding
    /// what is said about the measures.
    fn take_measures(&self, values: &mut Vec<Value>) -> Vec<Measure> {
        let domains =
            self.run.program.domains.iter().filter(|domain| RELATIONS.contains(&domain.name.as_str()));
        let relations: Vec<&str> = domains
            .flat_map(|domain| &domain.functions)
            .map(|function| self.run.program.domain_function(*function).name.as_str())
            .collect();
        let mut measures = Vec::new();
        values.retain(|value| {
            let Shown::Apply(name, arguments) = &value.term else { return true };
            if !relations.contains(&name.as_str()) {
                return true;
            }
            measures.extend(match (name.as_str(), &arguments[..]) {
                ("decreasing", [smaller, larger]) => {
                    Some(Measure::Decreasing { smaller: smaller.clone(), larger: larger.clone() })
                }
                ("bounded", [measure]) => Some(Measure::Bounded(measure.clone())),
                _ => None,
            });
            false
        });
        measures
    }

    fn ask_for_values(&mut self, goal: Term, scene: Option<&Scene>, questions: &Questions) -> Option<Model> {
        let outer = self.path.open_scope();
        for term in questions.mentioned() {
            let fact = self.mentioning(term);
            self.path.add(fact);
        }
        // Other values may be a guess of the solver that is no counterexample.
        for pin in self.prover.pins() {
            self.path.add(*pin);
        }
        let mut values = None;
        let wish = self.receivers_exist(scene);
        if !self.encoder.terms.is_true(wish) {
            let goal = self.encoder.terms.implies(wish, goal);
            values = self.prover.model(&self.encoder.terms, &self.path, goal, questions.terms());
        }
        let values =
            values.or_else(|| self.prover.model(&self.encoder.terms, &self.path, goal, questions.terms()));
        self.path.close_scope(&outer);
        let values = questions.terms().iter().copied().zip(values?).collect();
        Some(Model { values })
    }

    /// That nothing is null whose fields a predicate has which is held: such values are impossible, although nothing is
    /// known of them before it is unfolded.
    fn receivers_exist(&mut self, scene: Option<&Scene>) -> Term {
        let null = self.encoder.null();
        let mut wishes = Vec::new();
        for (resource, chunk) in scene.into_iter().flat_map(|scene| scene.state.heap.iter()) {
            let (Resource::Predicate(predicate), Chunk::Basic(basic)) = (resource, chunk) else { continue };
            let held = self.positive(basic.permission);
            for place in receivers(self.run.program.predicate(predicate)) {
                let terms = &mut self.encoder.terms;
                let exists = terms.not_equal(basic.arguments[place], null);
                wishes.push(terms.implies(held, exists));
            }
        }
        self.encoder.terms.all(wishes)
    }

    /// A fact without content that shows a term to the solver, so that it looks at what is known about it.
    fn mentioning(&mut self, term: Term) -> Term {
        let terms = &mut self.encoder.terms;
        let (sort, bool_sort) = (terms.sort_of(term), terms.bool_sort());
        let name = format!("$shown.{}", crate::encode::names::sort_name(terms, sort));
        let function = terms.function(&name, &[sort], bool_sort);
        terms.apply(function, &[term])
    }

    /// What is missing, with a location that has a name and amounts that are known, as far as there are any.
    fn missing_permission(
        &mut self,
        names: &Names,
        mut interpretation: Option<&mut Interpretation>,
        shortage: &Shortage,
    ) -> failure::Shortage {
        let held = self.simplify(shortage.held);
        let amount = |engine: &Self, written: Term, term: Term| {
            let literal = engine.encoder.terms.as_real(written).cloned();
            literal.or_else(|| interpretation.as_ref().and_then(|it| it.amount(term)))
        };
        let held = amount(self, held, shortage.held);
        let needed = match shortage.needed {
            None => Needed::Some,
            Some(needed) => amount(self, needed, needed).map_or(Needed::Unknown, Needed::Amount),
        };
        let mut location = names.location(self, shortage.resource, &shortage.location);
        if let Some(interpretation) = &mut interpretation {
            location = location
                .or_else(|| interpretation.location(self, names, shortage.resource, &shortage.location));
        }
        let resource = match shortage.resource {
            Resource::Field(_) => ResourceKind::Field,
            Resource::Predicate(_) => ResourceKind::Predicate,
            Resource::Wand(_) => ResourceKind::Wand,
        };
        failure::Shortage { resource, location, needed, held }
    }
}

/// The places of parameters whose fields the body of a predicate always has.
fn receivers(predicate: &Predicate) -> Vec<usize> {
    let mut found = Vec::new();
    let mut work: Vec<&ExpressionRef> = predicate.body.iter().collect();
    while let Some(part) = work.pop() {
        match &part.kind {
            ExpressionKind::Binary(BinaryOperator::And, left, right) => work.extend([left, right]),
            ExpressionKind::FieldPermission { receiver, amount: None, .. } => {
                if let ExpressionKind::Local(local) = &receiver.kind {
                    found.extend(predicate.formals.iter().position(|formal| formal == local));
                }
            }
            _ => {}
        }
    }
    found
}
