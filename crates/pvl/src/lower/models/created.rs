//! Which processes a program creates, for what is said of the properties that it inherits.

use std::sync::Arc;

use process::ProcessId;
use source::Span;

use super::obligations::has_contract;
use crate::lower::Lowering;
use crate::models::{Converted, convert};
use crate::syntax::tree::NodeId;

/// A `create`.
#[derive(Clone, Debug)]
pub struct Created {
    pub span: Span,
    /// The process or action that is followed, as people write it: `Ring.Elect`.
    pub process: String,
    /// Where that is declared.
    pub declared: Span,
    /// An action keeps its contract by definition.
    pub is_action: bool,
    pub has_contract: bool,
    /// The model, where there are formulas in it, and which of its processes is followed; none is if it is an action.
    pub model: Option<Arc<Converted>>,
    pub number: Option<ProcessId>,
}

impl<'t> Lowering<'t> {
    /// Remembers that a process is created.
    pub(super) fn note_created(&mut self, model: NodeId, target: NodeId, span: Span) {
        if self.created.iter().any(|known| known.span == span) {
            return;
        }
        let items = &self.resolution.items;
        let (Some(known), Some((declared, is_action))) =
            (items.models.get(&model), self.process_declaration(target))
        else {
            return;
        };
        let converted = convert(self.resolution, model).filter(|converted| !converted.formulas.is_empty());
        let place = |converted: &Converted| converted.processes.iter().position(|it| *it == target);
        let number = converted.as_ref().and_then(place).map(|at| ProcessId(at as u32));
        self.created.push(Created {
            span,
            process: format!("{}.{}", known.name.text, declared.name.text),
            declared: declared.name.span,
            is_action,
            has_contract: has_contract(declared),
            model: converted.map(Arc::new),
            number,
        });
    }
}
