//! What terms are called in the source.

use rustc_hash::FxHashMap;
use silver::typed::{DomainFunctionOrigin, FunctionOrigin, LocalKind};
use smt::{Node, Operator, Term};

use super::Scene;
use crate::engine::Engine;
use crate::heap::{Chunk, Heap, Resource};

/// Longer names explain nothing.
const MAX_LENGTH: usize = 60;
const MAX_DEPTH: u32 = 4;

/// Names of terms, from the variables and the heap of a scene.
#[derive(Default)]
pub(super) struct Names {
    of: FxHashMap<Term, String>,
    /// Maps from which values of many locations are read, and whether they are those of the old state.
    maps: FxHashMap<Term, bool>,
    pub null: Option<Term>,
}

impl Names {
    pub(super) fn new(engine: &mut Engine<'_>, scene: Option<&Scene>) -> Names {
        let null = engine.encoder.null();
        let mut names = Names { null: Some(null), ..Names::default() };
        names.of.insert(null, "null".to_string());
        for constant in &engine.quantified {
            if let Some((function, _)) = engine.encoder.terms.as_application(*constant) {
                names.of.insert(*constant, plain_name(engine.encoder.terms.function_name(function)));
            }
        }
        let Some(scene) = scene else { return names };
        for (local, term) in scene.state.store.iter() {
            // A state may know variables of another member, which have no name here.
            let Some(declared) = scene.locals.get(local.index()) else { continue };
            if declared.kind != LocalKind::Generated && !is_literal(engine, term) {
                names.of.entry(term).or_insert_with(|| declared.name.to_string());
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
                let declared = engine.program.field(field);
                let sort = engine.encoder.sort(&declared.ty);
                let value = engine.encoder.unwrap(basic.snapshot, sort);
                if is_literal(engine, value) || self.of.contains_key(&value) {
                    continue;
                }
                if let Some(receiver) = self.of.get(&basic.arguments[0]) {
                    let name = format!("{receiver}.{}", declared.name);
                    let name = if is_old { format!("old({name})") } else { name };
                    if name.len() <= MAX_LENGTH {
                        self.of.insert(value, name);
                    }
                }
            }
        }
    }

    /// How the source would write a term.
    pub(super) fn of(&self, engine: &Engine<'_>, term: Term) -> Option<String> {
        self.at_depth(engine, term, 0).filter(|name| name.len() <= MAX_LENGTH)
    }

    /// How the source would write a location.
    pub(super) fn location(
        &self,
        engine: &Engine<'_>,
        resource: Resource,
        location: &[Term],
    ) -> Option<String> {
        let arguments: Option<Vec<String>> = location.iter().map(|term| self.of(engine, *term)).collect();
        place(engine, resource, &arguments?)
    }

    fn at_depth(&self, engine: &Engine<'_>, term: Term, depth: u32) -> Option<String> {
        if let Some(name) = self.of.get(&term) {
            return Some(name.clone());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let inner = |term: &Term| self.at_depth(engine, *term, depth + 1);
        let terms = &engine.encoder.terms;
        match terms.node(term) {
            Node::Bool(value) => Some(value.to_string()),
            Node::Int(value) => Some(value.to_string()),
            Node::Real(value) => Some(super::show::amount(value)),
            Node::Operation(operator, operands) => {
                let symbol = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply => "*",
                    _ => return None,
                };
                let [left, right] = &operands[..] else { return None };
                Some(format!("{} {symbol} {}", bracketed(inner(left)?), bracketed(inner(right)?)))
            }
            Node::Apply(function, arguments) => {
                let name = terms.function_name(*function);
                if let Some(field) = name.strip_prefix("$map.lookup<field ") {
                    let [map, receiver] = &arguments[..] else { return None };
                    let place = format!("{}.{}", bracketed(inner(receiver)?), field.trim_end_matches('>'));
                    let is_old = *self.maps.get(map)?;
                    return Some(if is_old { format!("old({place})") } else { place });
                }
                // Heaps are not written.
                let snapshot = engine.encoder.snap_sort();
                let written: Option<Vec<String>> =
                    arguments.iter().filter(|term| terms.sort_of(**term) != snapshot).map(inner).collect();
                let written = written?;
                match (name.split('<').next().unwrap_or(name), &written[..]) {
                    ("Seq_length" | "Set_cardinality" | "Multiset_cardinality" | "Map_cardinality", [of]) => {
                        Some(format!("|{of}|"))
                    }
                    ("Seq_index" | "Map_lookup", [of, at]) => {
                        Some(format!("{}[{at}]", bracketed(of.clone())))
                    }
                    _ => written_application(engine, function_name(name)?, &written),
                }
            }
            Node::Bound(_) | Node::Quantified(_) => None,
        }
    }
}

/// `x.f` or `P(x, y)`.
pub(super) fn place(engine: &Engine<'_>, resource: Resource, arguments: &[String]) -> Option<String> {
    match resource {
        Resource::Field(field) => {
            let receiver = bracketed(arguments.first()?.clone());
            Some(format!("{receiver}.{}", engine.program.field(field).name))
        }
        Resource::Predicate(predicate) => {
            Some(format!("{}({})", engine.program.predicate(predicate).name, arguments.join(", ")))
        }
        Resource::Wand(_) => None,
    }
}

/// An application as the source writes it: `t.key` for a field of a data type, `P(x)` for an instance of a predicate.
/// What nobody can write has no name.
fn written_application(engine: &Engine<'_>, name: &str, arguments: &[String]) -> Option<String> {
    let program = engine.program;
    let list = || arguments.join(", ");
    if let Some(function) = program.functions.iter().find(|function| function.name == name) {
        return Some(match function.origin {
            FunctionOrigin::Source => format!("{name}({})", list()),
            FunctionOrigin::PredicateInstance(id) => format!("{}({})", program.predicate(id).name, list()),
        });
    }
    let origin = program.find_domain_function(name).map(|id| &program.domain_function(id).origin);
    match (origin, arguments) {
        (Some(DomainFunctionOrigin::Tag), _) => None,
        (Some(DomainFunctionOrigin::Field(field)), [of]) => {
            Some(format!("{}.{field}", bracketed(of.clone())))
        }
        _ => Some(format!("{name}({})", list())),
    }
}

/// Whether a term stands for an instance of a predicate, whose value says nothing.
pub(super) fn is_predicate_instance(engine: &Engine<'_>, symbol: &str) -> bool {
    let functions = engine.program.functions.iter();
    let name = function_name(symbol);
    let mut named = functions.filter(|function| Some(function.name.as_str()) == name);
    named.any(|function| function.origin != FunctionOrigin::Source)
}

/// The name in the source of a function of the program or of a domain.
pub(super) fn function_name(symbol: &str) -> Option<&str> {
    if let Some(name) = symbol.strip_prefix("fun.") {
        return match name.split_once('.') {
            None => Some(name),
            Some((name, "limited")) => Some(name),
            Some(_) => None,
        };
    }
    // Domain functions have their type arguments in brackets.
    let (name, arguments) = symbol.split_once('[')?;
    arguments.ends_with(']').then_some(name).filter(|name| !name.starts_with('$'))
}

pub(super) fn is_literal(engine: &Engine<'_>, term: Term) -> bool {
    matches!(engine.encoder.terms.node(term), Node::Bool(_) | Node::Int(_) | Node::Real(_))
}

/// The name of a constant of a domain, as Silver writes it.
pub(super) fn constant_name(engine: &Engine<'_>, term: Term) -> Option<String> {
    let (function, arguments) = engine.encoder.terms.as_application(term)?;
    let name = function_name(engine.encoder.terms.function_name(function)).filter(|_| arguments.is_empty());
    name.map(|name| format!("{name}()"))
}

/// A fresh symbol without its number.
pub(super) fn plain_name(symbol: &str) -> String {
    symbol.split('@').next().unwrap_or(symbol).to_string()
}

fn bracketed(text: String) -> String {
    let mut depth = 0u32;
    for character in text.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => return format!("({text})"),
            _ => {}
        }
    }
    text
}
