//! Warns about routines that no call can mean, because one with the same parameters is declared before.

use rustc_hash::FxHashMap;
use source::Diagnostic;

use super::{Resolution, Type};
use crate::codes;
use crate::syntax::tree::{Name, NodeId};

/// Where a routine is declared, its name, and the types of its parameters.
type Signature<'r> = (Option<NodeId>, &'r str, Vec<Option<&'r Type>>);

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut first: FxHashMap<Signature<'_>, &Name> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for id in order {
        let Some(routine) = resolution.items.routines.get(id) else { continue };
        if !routine.type_parameters().is_empty() {
            continue;
        }
        let owner = resolution.items.owners.get(id).copied();
        let types = routine.parameters().iter().map(|it| resolution.variables.get(&it.id)).collect();
        let name = routine.name();
        match first.get(&(owner, &*name.text, types)) {
            Some(before) => {
                let message = format!("`{}` is declared before with the same parameters", name.text);
                let warning = Diagnostic::warning(codes::DUPLICATE_NAME, name.span, message)
                    .label(before.span, "calls mean this one")
                    .help("remove one of them, or give it another name");
                diagnostics.push(warning);
            }
            None => {
                let types = routine.parameters().iter().map(|it| resolution.variables.get(&it.id)).collect();
                first.insert((owner, &name.text, types), name);
            }
        }
    }
    diagnostics
}
