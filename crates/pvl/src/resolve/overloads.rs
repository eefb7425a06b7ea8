//! Two routines or constructors of one name with the same parameters: no call can mean the second.
//!
//! That is an error. VerCors lets a predicate and a method share a name, though, so that is warned about only.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use super::{Resolution, Type};
use crate::codes;
use crate::syntax::tree::{NodeId, Routine};

/// Where a routine is declared, its name, and the types of its parameters.
type Signature<'r> = (Option<NodeId>, &'r str, Vec<Option<&'r Type>>);

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut first: FxHashMap<Signature<'_>, (Span, bool)> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for id in order {
        let items = &resolution.items;
        let (name, parameters, span, is_generic) = match (items.routines.get(id), items.constructors.get(id))
        {
            (Some(routine), _) => {
                let name = routine.name();
                (&*name.text, routine.parameters(), name.span, !routine.type_parameters().is_empty())
            }
            (None, Some(it)) => {
                ("constructor", &it.parameters[..], it.keyword, !it.type_parameters.is_empty())
            }
            (None, None) => continue,
        };
        if is_generic {
            continue;
        }
        let is_predicate = matches!(items.routines.get(id), Some(Routine::Predicate(_)));
        let owner = items.owners.get(id).copied();
        let types: Vec<_> = parameters.iter().map(|it| resolution.variables.get(&it.id)).collect();
        match first.entry((owner, name, types)) {
            Entry::Occupied(before) => {
                let message = format!("`{name}` is declared before with the same parameters");
                let (first, is_predicate_first) = *before.get();
                let diagnostic = match is_predicate == is_predicate_first {
                    true => Diagnostic::error(codes::DUPLICATE_NAME, span, message),
                    false => Diagnostic::warning(codes::DUPLICATE_NAME, span, message),
                };
                let help = "remove one of them, or give it another name";
                diagnostics.push(diagnostic.label(first, "calls mean this one").help(help));
            }
            Entry::Vacant(free) => {
                free.insert((span, is_predicate));
            }
        }
    }
    diagnostics
}
