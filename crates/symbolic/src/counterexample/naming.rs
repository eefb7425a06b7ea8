//! What terms are called in the source.

use rustc_hash::FxHashMap;
use silver::typed::{DomainFunctionOrigin, FunctionOrigin, LocalKind};
use smt::{Access, Function, Node, Operator, Term};
use verdict::failure::{self, Shown};

use super::Scene;
use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::heap::{Chunk, Heap, Resource};
use crate::limits;

/// Names of terms, from the variables and the heap of a scene.
#[derive(Default)]
pub(super) struct Names {
    of: FxHashMap<Term, Shown>,
    /// Maps from which values of many locations are read, and whether they are those of the old state.
    maps: FxHashMap<Term, bool>,
    pub null: Option<Term>,
}

impl Names {
    pub(super) fn new(engine: &mut Engine<'_>, scene: Option<&Scene>) -> Names {
        let null = engine.encoder.null();
        let mut names = Names { null: Some(null), ..Names::default() };
        names.of.insert(null, Shown::Null);
        for constant in &engine.around.quantified {
            if let Some((function, _)) = engine.encoder.terms.as_application(*constant) {
                let name = variable_name(engine, function);
                names.of.insert(*constant, Shown::Variable(name));
            }
        }
        let Some(scene) = scene else { return names };
        for (local, term) in scene.state.store.iter() {
            // A state may know variables of another member, which have no name here.
            let Some(declared) = scene.locals.get(local.index()) else { continue };
            if declared.kind != LocalKind::Generated && !is_literal(engine, term) {
                names.of.entry(term).or_insert_with(|| Shown::variable(&*declared.name));
            }
        }
        names.add_heap(engine, &scene.state.heap, false);
        names.add_maps(engine, &scene.state.heap, false);
        if let Some(old) = &scene.state.old {
            names.add_heap(engine, old, true);
            names.add_maps(engine, old, true);
        }
        names
    }

    fn add_maps(&mut self, engine: &Engine<'_>, heap: &Heap, is_old: bool) {
        for resource in heap.resources() {
            let chunks = heap.of(resource);
            let single = chunks.iter().filter_map(|chunk| match chunk {
                Chunk::Quantified(quantified) => Some(quantified.map),
                Chunk::Basic(_) => None,
            });
            for map in single.chain(engine.known_summary(resource, &chunks)) {
                self.maps.entry(map).or_insert(is_old);
            }
        }
    }

    /// Names values of fields by the location that has them; a few rounds follow references.
    fn add_heap(&mut self, engine: &mut Engine<'_>, heap: &Heap, is_old: bool) {
        for _ in 0..3 {
            for (resource, chunk) in heap.iter() {
                let (Resource::Field(field), Chunk::Basic(basic)) = (resource, chunk) else { continue };
                let declared = engine.run.program.field(field);
                let sort = engine.encoder.sort(&declared.ty);
                let value = engine.encoder.unwrap(basic.snapshot, sort);
                if is_literal(engine, value) || self.of.contains_key(&value) {
                    continue;
                }
                if let Some(receiver) = self.of.get(&basic.arguments[0]) {
                    let name = receiver.clone().field(&*declared.name);
                    let name = if is_old { name.old() } else { name };
                    if name.width() <= limits::NAME_WIDTH {
                        self.of.insert(value, name);
                    }
                }
            }
        }
    }

    /// How the source would write a term.
    pub(super) fn of(&self, engine: &Engine<'_>, term: Term) -> Option<Shown> {
        self.at_depth(engine, term, 0).filter(|name| name.width() <= limits::NAME_WIDTH)
    }

    /// How the source would write a location.
    pub(super) fn location(
        &self,
        engine: &Engine<'_>,
        resource: Resource,
        location: &[Term],
    ) -> Option<Shown> {
        let arguments: Option<Vec<Shown>> = location.iter().map(|term| self.of(engine, *term)).collect();
        place(engine, resource, arguments?)
    }

    fn at_depth(&self, engine: &Engine<'_>, term: Term, depth: u32) -> Option<Shown> {
        if let Some(name) = self.of.get(&term) {
            return Some(name.clone());
        }
        if depth > limits::NAME_DEPTH {
            return None;
        }
        let inner = |term: &Term| self.at_depth(engine, *term, depth + 1);
        let terms = &engine.encoder.terms;
        match terms.node(term) {
            Node::Bool(value) => Some(Shown::Bool(*value)),
            Node::Int(value) => Some(Shown::Int((**value).clone())),
            Node::Real(value) => Some(Shown::Amount((**value).clone())),
            Node::Operation(operator, operands) => {
                let operator = match operator {
                    Operator::Add => failure::Operator::Add,
                    Operator::Subtract => failure::Operator::Subtract,
                    Operator::Multiply => failure::Operator::Multiply,
                    _ => return None,
                };
                let [left, right] = &operands[..] else { return None };
                Some(Shown::Operation(operator, Box::new(inner(left)?), Box::new(inner(right)?)))
            }
            Node::Apply(function, arguments) => {
                let meaning = engine.encoder.meanings.symbol(terms, *function);
                if let Some(Meaning::Field(field)) = meaning {
                    let [map, receiver] = &arguments[..] else { return None };
                    let place = inner(receiver)?.field(&*engine.run.program.field(field).name);
                    let is_old = *self.maps.get(map)?;
                    return Some(if is_old { place.old() } else { place });
                }
                // Heaps are not written.
                let snapshot = engine.encoder.snap_sort();
                let written: Option<Vec<Shown>> =
                    arguments.iter().filter(|term| terms.sort_of(**term) != snapshot).map(inner).collect();
                let written = written?;
                match (engine.encoder.theories.access(*function), &written[..]) {
                    (Some(Access::Size), [of]) => Some(of.clone().size()),
                    (Some(Access::Element), [of, at]) => Some(of.clone().at(at.clone())),
                    _ => written_application(engine, meaning?, written),
                }
            }
            Node::Bound(_) | Node::Quantified(_) => None,
        }
    }
}

/// `x.f` or `P(x, y)`.
pub(super) fn place(engine: &Engine<'_>, resource: Resource, arguments: Vec<Shown>) -> Option<Shown> {
    match resource {
        Resource::Field(field) => {
            let receiver = arguments.into_iter().next()?;
            Some(receiver.field(&*engine.run.program.field(field).name))
        }
        Resource::Predicate(predicate) => {
            Some(Shown::Apply(engine.run.program.predicate(predicate).name.clone(), arguments))
        }
        Resource::Wand(_) => None,
    }
}

/// An application as the source writes it: `t.key` for a field of a data type, `P(x)` for an instance of a predicate.
/// None for what no program can write.
fn written_application(engine: &Engine<'_>, meaning: Meaning, mut arguments: Vec<Shown>) -> Option<Shown> {
    let program = engine.run.program;
    match meaning {
        Meaning::Function(id) => {
            let function = program.function(id);
            let name = match function.origin {
                FunctionOrigin::Source => &function.name,
                FunctionOrigin::PredicateInstance(id) => &program.predicate(id).name,
            };
            Some(Shown::Apply(name.clone(), arguments))
        }
        Meaning::DomainFunction(id) => {
            let function = program.domain_function(id);
            match &function.origin {
                DomainFunctionOrigin::Tag | DomainFunctionOrigin::Height => None,
                DomainFunctionOrigin::Field(field) if arguments.len() == 1 => {
                    arguments.pop().map(|of| Shown::Selection(Box::new(of), field.to_string()))
                }
                _ => Some(Shown::Apply(function.name.clone(), arguments)),
            }
        }
        Meaning::Field(_) => None,
    }
}

/// Whether values of applications of a symbol are shown: those of instances of predicates are not.
pub(super) fn has_value(engine: &Engine<'_>, meaning: Meaning) -> bool {
    match meaning {
        Meaning::Function(id) => engine.run.program.function(id).origin == FunctionOrigin::Source,
        Meaning::DomainFunction(_) | Meaning::Field(_) => true,
    }
}

pub(super) fn is_literal(engine: &Engine<'_>, term: Term) -> bool {
    matches!(engine.encoder.terms.node(term), Node::Bool(_) | Node::Int(_) | Node::Real(_))
}

/// The name of a constant of a domain or of a function without parameters, as Silver writes it.
pub(super) fn constant_name(engine: &Engine<'_>, term: Term) -> Option<Shown> {
    let (function, arguments) = engine.encoder.terms.as_application(term)?;
    let meaning = engine.encoder.meanings.symbol(&engine.encoder.terms, function);
    let name = match meaning.filter(|_| arguments.is_empty())? {
        Meaning::Function(id) => &engine.run.program.function(id).name,
        Meaning::DomainFunction(id) => &engine.run.program.domain_function(id).name,
        Meaning::Field(_) => return None,
    };
    Some(Shown::Apply(name.clone(), Vec::new()))
}

/// The name of the variable that a fresh symbol stands for.
pub(super) fn variable_name(engine: &Engine<'_>, function: Function) -> String {
    let terms = &engine.encoder.terms;
    terms.stem(function).unwrap_or_else(|| terms.function_name(function)).to_string()
}
