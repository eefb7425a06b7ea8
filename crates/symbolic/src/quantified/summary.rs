//! Summaries: one map that has the values of several chunks.
//!
//! A summary is equal to the map of each chunk wherever that chunk holds permission. It is made once for a list of
//! chunks, so that reading the same heap again reads the same map.

use std::rc::Rc;

use silver::typed::{ExpressionKind, ExpressionRef, Resource as Location, visit_expression};
use smt::Term;

use crate::encode::names;
use crate::engine::Engine;
use crate::heap::{Chunk, Resource};

impl<'p> Engine<'p> {
    /// The map that values of these chunks were read from, if they were.
    pub(crate) fn known_summary(&self, resource: Resource, chunks: &[Chunk]) -> Option<Term> {
        match self.only_quantified(chunks) {
            Some(only) => Some(only.map),
            None => self.member.quantified.summaries.get(&(resource, identity(chunks))).map(|(map, _)| *map),
        }
    }

    /// A map that agrees with every chunk on what the chunk holds.
    pub(crate) fn summary(&mut self, resource: Resource, chunks: &[Chunk], location: &[Term]) -> Term {
        if let Some(only) = self.only_quantified(chunks) {
            return only.map;
        }
        let key = (resource, identity(chunks));
        let (map, facts) = match self.member.quantified.summaries.get(&key) {
            Some(known) => known.clone(),
            None => {
                let made = self.build_summary(resource, chunks, &key.1, location);
                self.member.quantified.summaries.insert(key, made.clone());
                made
            }
        };
        for fact in facts.iter() {
            self.assume_of_heap(*fact);
        }
        map
    }

    fn build_summary(
        &mut self,
        resource: Resource,
        chunks: &[Chunk],
        identity: &[Term],
        location: &[Term],
    ) -> (Term, Rc<[Term]>) {
        let sort = self.encoder.snap_sort();
        let around = self.mentioned_around(identity);
        let summary = self.fresh_over("heap", sort, &around);
        let is_in_patterns = self.is_in_patterns(resource);
        let mut facts = Vec::new();
        for (index, chunk) in chunks.iter().enumerate() {
            match chunk {
                Chunk::Basic(basic) => {
                    let read = self.map_lookup(resource, summary, &basic.arguments);
                    let value = self.snapshot_value(resource, basic.snapshot);
                    let equal = self.encoder.terms.equal(read, value);
                    let held = self.positive(basic.permission);
                    let held = self.held_first(resource, held, &chunks[..index], &basic.arguments);
                    facts.push(self.encoder.terms.implies(held, equal));
                }
                Chunk::Quantified(quantified) => {
                    let formals = self.location_variables(location);
                    let place = self.bound_terms(&formals);
                    let read = self.map_lookup(resource, summary, &place);
                    let value = self.map_lookup(resource, quantified.map, &place);
                    let held = self.is_held_in(quantified, &place);
                    let held = self.held_first(resource, held, &chunks[..index], &place);
                    facts.extend(quantified.definitions.iter().copied());
                    let equal = self.encoder.terms.equal(read, value);
                    let body = self.encoder.terms.implies(held, equal);
                    let mut triggers = vec![vec![read]];
                    if is_in_patterns {
                        triggers.push(vec![value]);
                    }
                    facts.push(self.encoder.terms.forall(&formals, &triggers, body, names::SUMMARY));
                }
            }
        }
        (summary, Rc::from(facts))
    }
}

impl<'p> Engine<'p> {
    /// Two instances of one wand may have different snapshots: the summary has that of the first chunk, which is also
    /// the first to be taken from.
    fn held_first(&mut self, resource: Resource, held: Term, before: &[Chunk], place: &[Term]) -> Term {
        if !matches!(resource, Resource::Wand(_)) {
            return held;
        }
        let mut first = held;
        for chunk in before {
            let other = match chunk {
                Chunk::Basic(basic) => {
                    let same = self.same_location(&basic.arguments, place);
                    let some = self.positive(basic.permission);
                    self.encoder.terms.and(same, some)
                }
                Chunk::Quantified(quantified) => self.is_held_in(quantified, place),
            };
            let not_other = self.encoder.terms.not(other);
            first = self.encoder.terms.and(first, not_other);
        }
        first
    }
}

/// Resources that occur in patterns of quantifiers.
pub(super) fn resources_in_patterns(expressions: &[&ExpressionRef]) -> Vec<Resource> {
    let mut found: Vec<Resource> = Vec::new();
    let mut look = |expression: &ExpressionRef| {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::Forall { triggers, .. } | ExpressionKind::Exists { triggers, .. } =
                &node.kind
            {
                for pattern in triggers.iter().flat_map(|trigger| trigger.expressions.iter()) {
                    visit_expression(pattern, &mut |part| {
                        let resource = match &part.kind {
                            ExpressionKind::FieldAccess { field, .. } => Some(Resource::Field(*field)),
                            ExpressionKind::ResourceTerm(Location::Field { field, .. }) => {
                                Some(Resource::Field(*field))
                            }
                            ExpressionKind::ResourceTerm(Location::Predicate { predicate, .. }) => {
                                Some(Resource::Predicate(*predicate))
                            }
                            ExpressionKind::ResourceTerm(Location::Wand(_)) => {
                                Some(Resource::Wand(crate::heap::WandShapeId(0)))
                            }
                            _ => None,
                        };
                        found.extend(resource.filter(|resource| !found.contains(resource)));
                        true
                    });
                }
            }
            true
        });
    };
    expressions.iter().for_each(|expression| look(expression));
    found
}

/// What a summary is made from.
fn identity(chunks: &[Chunk]) -> Vec<Term> {
    let mut identity: Vec<Term> = Vec::new();
    for chunk in chunks {
        match chunk {
            Chunk::Basic(basic) => {
                identity.extend(basic.arguments.iter().copied());
                identity.extend([basic.permission, basic.snapshot]);
            }
            Chunk::Quantified(quantified) => {
                let shape = &quantified.shape;
                identity.extend(shape.arguments.iter().copied());
                identity.extend([shape.condition, shape.permission, quantified.map]);
            }
        }
    }
    identity
}
