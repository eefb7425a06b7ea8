//! Which values are asked for.

use rustc_hash::FxHashSet;
use silver::typed::{BinaryOperator, FieldId, Local, LocalKind, Type, UnaryOperator};
use smt::Term;
use verdict::failure::{Origin, Shown};

use super::Scene;
use super::naming::{Names, constant_name, has_value, variable_name};
use crate::blame::Shortage;
use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::heap::{Chunk, Heap, Resource};
use crate::limits;

/// Something that may be shown.
pub(super) enum Item {
    /// A variable of a quantifier around the goal.
    Bound { name: Shown, term: Term },
    /// A term with a name.
    Value { name: Shown, term: Term, origin: Origin },
    /// A constant of a domain, by which other values can be recognised.
    Constant { name: Shown, term: Term },
    /// An element of a sequence; shown if the sequence is that long.
    Element { name: Shown, term: Term, index: u32, length: Term },
    /// The value of a key of a map; shown if the map has the key.
    Looked { name: Shown, term: Term, contained: Term },
    /// Shown where something is held to it.
    Field { receiver: Term, field: FieldId, value: Term, permission: Term, is_old: bool },
    /// A permission amount that decides.
    Held { resource: Resource, location: Vec<Term>, amount: Term },
}

/// In the order in which people want to read the answers.
#[derive(Default)]
pub(super) struct Questions {
    pub items: Vec<Item>,
    terms: Vec<Term>,
    asked: FxHashSet<Term>,
    mentioned: Vec<Term>,
}

impl Questions {
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Terms that may not occur in anything that the solver was told.
    pub(super) fn mentioned(&self) -> impl Iterator<Item = Term> {
        self.mentioned.iter().copied()
    }

    fn ask(&mut self, term: Term) {
        if self.asked.insert(term) {
            self.terms.push(term);
        }
    }

    fn value(&mut self, origin: Origin, name: Shown, term: Term) {
        self.ask(term);
        self.items.push(Item::Value { name, term, origin });
    }
}

impl<'p> Engine<'p> {
    pub(super) fn questions(
        &mut self,
        scene: Option<&Scene>,
        names: &Names,
        goal: Term,
        shortage: Option<&Shortage>,
    ) -> Questions {
        let mut questions = Questions::default();
        questions.terms.extend(names.null);
        let inner: Vec<Term> = self.around.variables().to_vec();
        for constant in inner {
            if let Some((function, _)) = self.encoder.terms.as_application(constant) {
                let name = Shown::Variable(variable_name(self, function));
                questions.ask(constant);
                questions.items.push(Item::Bound { name, term: constant });
            }
        }
        let facts: Vec<Term> =
            self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).chain([goal]).collect();
        let spoken = self.encoder.terms.reachable(&facts);
        self.ask_for_constants(scene, &spoken, &mut questions);
        if let Some(scene) = scene {
            self.ask_for_variables(scene, &spoken, &mut questions);
            self.ask_for_fields(&scene.state.heap, false, &mut questions);
            if let Some(old) = &scene.state.old {
                self.ask_for_fields(old, true, &mut questions);
            }
        }
        self.ask_for_applications(names, goal, &mut questions);
        self.ask_for_related(names, &spoken, &mut questions);
        if let Some(shortage) = shortage {
            shortage.location.iter().for_each(|term| questions.ask(*term));
            // Whether a quantified permission is for the location follows from the location alone.
            questions.mentioned.extend(&shortage.location);
            shortage.needed.iter().for_each(|term| questions.ask(*term));
            questions.ask(shortage.held);
            let Shortage { resource, location, held, .. } = shortage;
            questions.items.push(Item::Held {
                resource: *resource,
                location: location.clone(),
                amount: *held,
            });
        }
        let terms = &self.encoder.terms;
        questions.terms.retain(|term| terms.size(*term) <= limits::ASKED_NODES && terms.is_closed(*term));
        questions.mentioned.retain(|term| terms.size(*term) <= limits::ASKED_NODES && terms.is_closed(*term));
        questions
    }

    /// Those that the path speaks about, and those of the types of variables.
    fn ask_for_constants(&mut self, scene: Option<&Scene>, spoken: &[Term], questions: &mut Questions) {
        let mut constants = spoken.to_vec();
        for local in scene.iter().flat_map(|scene| scene.locals.iter()) {
            if let Type::Domain(domain, arguments) = &local.ty {
                constants.extend(self.encoder.known_constants(*domain, arguments));
            }
        }
        for term in constants {
            if let Some(name) = constant_name(self, term).filter(|_| !questions.asked.contains(&term)) {
                questions.ask(term);
                questions.items.push(Item::Constant { name, term });
            }
        }
    }

    fn ask_for_variables(&mut self, scene: &Scene, spoken: &[Term], questions: &mut Questions) {
        let mut held: Vec<Term> = Vec::new();
        for (_, chunk) in scene.state.heap.iter() {
            if let Chunk::Basic(basic) = chunk {
                held.extend(basic.arguments.iter().copied().chain([basic.permission, basic.snapshot]));
            }
        }
        let held = self.encoder.terms.reachable(&held);
        // A variable that has not been assigned has an arbitrary value, which is not shown.
        let is_assigned = |engine: &Self, term: &Term| {
            let application = engine.encoder.terms.as_application(*term);
            application.is_none_or(|(_, arguments)| !arguments.is_empty())
                || spoken.binary_search(term).is_ok()
                || held.binary_search(term).is_ok()
        };
        let mut variables: Vec<(&Local, Term)> = Vec::new();
        for (local, term) in scene.state.store.iter() {
            let Some(declared) = scene.locals.get(local.index()) else { continue };
            if matches!(declared.kind, LocalKind::Formal | LocalKind::Return | LocalKind::Variable) {
                // A variable of an inner scope hides one of the same name.
                variables.retain(|(other, _)| other.name != declared.name);
                if declared.kind == LocalKind::Formal || is_assigned(self, &term) {
                    variables.push((declared, term));
                }
            }
        }
        variables.truncate(limits::SHOWN_VARIABLES);
        for (declared, term) in &variables {
            match &declared.ty {
                Type::Seq(_) | Type::Set(_) | Type::Multiset(_) | Type::Map(..) => {
                    self.ask_for_parts(declared, *term, &variables, questions);
                }
                _ => questions.value(Origin::Variable, Shown::variable(&*declared.name), *term),
            }
        }
        if let Some(result) = scene.state.result {
            questions.value(Origin::Variable, Shown::Result, result);
        }
    }

    /// How large a collection is and some of what it contains, as far as the solver knows what that means.
    fn ask_for_parts(
        &mut self,
        declared: &Local,
        collection: Term,
        variables: &[(&Local, Term)],
        questions: &mut Questions,
    ) {
        let name = || Shown::variable(&*declared.name);
        let size = match &declared.ty {
            Type::Seq(_) => UnaryOperator::SeqLength,
            Type::Set(_) => UnaryOperator::SetCardinality,
            Type::Multiset(_) => UnaryOperator::MultisetCardinality,
            _ => UnaryOperator::MapCardinality,
        };
        let length = self.known(|engine| engine.encoder.unary(size, collection));
        if let Some(length) = length {
            questions.value(Origin::Part, name().size(), length);
            questions.mentioned.push(length);
        }
        let of_type = |ty: &Type| -> Vec<(Shown, Term)> {
            let found = variables.iter().filter(|(other, _)| other.ty == *ty);
            found
                .take(limits::SHOWN_ELEMENTS as usize)
                .map(|(other, term)| (Shown::variable(&*other.name), *term))
                .collect()
        };
        match &declared.ty {
            Type::Seq(_) => {
                let Some(length) = length else { return };
                for index in 0..limits::SHOWN_ELEMENTS {
                    let place = self.encoder.terms.int(index);
                    let element = self
                        .known(|engine| engine.encoder.binary(BinaryOperator::SeqIndex, collection, place));
                    if let Some(term) = element {
                        questions.ask(term);
                        questions.mentioned.push(term);
                        let name = name().at(Shown::Int(index.into()));
                        questions.items.push(Item::Element { name, term, index, length });
                    }
                }
            }
            Type::Set(element) | Type::Multiset(element) => {
                let operator = match &declared.ty {
                    Type::Set(_) => BinaryOperator::SetContains,
                    _ => BinaryOperator::MultisetCount,
                };
                for (other, value) in of_type(element) {
                    let part = self.known(|engine| engine.encoder.binary(operator, value, collection));
                    if let Some(part) = part {
                        questions.mentioned.extend(self.encoder.terms.as_application(part).map(|_| part));
                        questions.value(Origin::Part, other.clone().is_in(name()), part);
                    }
                }
            }
            Type::Map(key, _) => {
                for (other, value) in of_type(key) {
                    let operator = BinaryOperator::MapContains;
                    let contained = self.known(|engine| engine.encoder.binary(operator, value, collection));
                    let Some(contained) = contained else { continue };
                    questions
                        .mentioned
                        .extend(self.encoder.terms.as_application(contained).map(|_| contained));
                    questions.value(Origin::Part, other.clone().is_in(name()), contained);
                    let operator = BinaryOperator::MapLookup;
                    let found = self.known(|engine| engine.encoder.binary(operator, collection, value));
                    if let Some(term) = found {
                        questions.ask(term);
                        questions.mentioned.extend(self.encoder.terms.as_application(term).map(|_| term));
                        questions.items.push(Item::Looked { name: name().at(other), term, contained });
                    }
                }
            }
            _ => {}
        }
    }

    /// A term, unless it needs symbols that are new.
    fn known(&mut self, build: impl FnOnce(&mut Self) -> Term) -> Option<Term> {
        let before = self.encoder.terms.function_count();
        let term = build(self);
        (self.encoder.terms.function_count() == before).then_some(term)
    }

    fn ask_for_fields(&mut self, heap: &Heap, is_old: bool, questions: &mut Questions) {
        for (resource, chunk) in heap.iter().take(limits::SHOWN_CHUNKS) {
            let (Resource::Field(field), Chunk::Basic(basic)) = (resource, chunk) else { continue };
            let sort = self.encoder.sort(&self.run.program.field(field).ty);
            let (receiver, permission) = (basic.arguments[0], basic.permission);
            let value = self.encoder.unwrap(basic.snapshot, sort);
            [receiver, permission, value].into_iter().for_each(|term| questions.ask(term));
            questions.items.push(Item::Field { receiver, field, value, permission, is_old });
        }
    }

    /// Sizes of values that have a name, and elements of them, as far as the path speaks about them.
    fn ask_for_related(&mut self, names: &Names, spoken: &[Term], questions: &mut Questions) {
        let (int_sort, bool_sort) = (self.encoder.terms.int_sort(), self.encoder.terms.bool_sort());
        let mut found: Vec<(Shown, Term)> = Vec::new();
        for term in spoken.iter().rev() {
            let terms = &self.encoder.terms;
            let Some((function, arguments)) = terms.as_application(*term) else { continue };
            let sort = terms.sort_of(*term);
            let is_shown = match self.encoder.meanings.symbol(terms, function) {
                Some(Meaning::DomainFunction(_)) => {
                    arguments.len() == 1 && (sort == int_sort || sort == bool_sort)
                }
                Some(Meaning::Field(_)) => true,
                Some(Meaning::Function(_)) | None => false,
            };
            if is_shown
                && !questions.asked.contains(term)
                && terms.is_closed(*term)
                && let Some(name) = names.of(self, *term)
                && found.iter().all(|(other, _)| *other != name)
            {
                found.push((name, *term));
                if found.len() == limits::SHOWN_RELATED {
                    break;
                }
            }
        }
        found.into_iter().rev().for_each(|(name, term)| questions.value(Origin::Application, name, term));
    }

    /// Applications of functions in the goal, outermost last.
    fn ask_for_applications(&mut self, names: &Names, goal: Term, questions: &mut Questions) {
        let reference = self.encoder.sort(&Type::Ref);
        let terms = &self.encoder.terms;
        let mut found: Vec<(Shown, Term)> = Vec::new();
        for term in terms.reachable(&[goal]) {
            let Some((function, arguments)) = terms.as_application(term) else { continue };
            let meaning = self.encoder.meanings.symbol(terms, function);
            if !arguments.is_empty()
                && meaning.is_some_and(|meaning| has_value(self, meaning))
                && terms.sort_of(term) != reference
                && terms.is_closed(term)
                && let Some(name) = names.of(self, term)
                && found.iter().all(|(other, _)| *other != name)
            {
                found.push((name, term));
            }
        }
        let skipped = found.len().saturating_sub(limits::SHOWN_APPLICATIONS);
        found
            .into_iter()
            .skip(skipped)
            .for_each(|(name, term)| questions.value(Origin::Application, name, term));
    }
}
