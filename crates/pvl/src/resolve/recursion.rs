//! A postcondition that applies its own function says something only if the function ends.
//!
//! Without a measure, `ensures f(x) != f(x)` could be proved by itself, so Silver refuses it.

use source::Diagnostic;

use super::inlining::{Calls, block_calls, calls, reaches};
use super::{CallTarget, Resolution};
use crate::codes;
use crate::syntax::tree::{Contract, Expression, Name, NodeId, Routine};

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    // In bodies only.
    let mut edges = Calls::default();
    let mut functions: Vec<(NodeId, &Name, &Contract)> = Vec::new();
    for id in order {
        match resolution.items.routines.get(id) {
            Some(Routine::Function(function)) => {
                edges.insert(*id, calls(resolution, &function.body));
                functions.push((*id, &function.name.name, &function.contract));
            }
            Some(Routine::Method(method)) if method.modifiers.pure.is_some() => {
                let called = method.body.as_ref().map(|body| block_calls(resolution, body));
                edges.insert(*id, called.unwrap_or_default());
                functions.push((*id, &method.name.name, &method.contract));
            }
            _ => {}
        }
    }
    let mut errors = Vec::new();
    for (id, name, contract) in functions {
        if contract.measure().is_some() {
            continue;
        }
        for postcondition in contract.everywhere().chain(contract.postconditions()) {
            let depends =
                |called: NodeId| called == id || (reaches(called, id, &edges) && reaches(id, called, &edges));
            if let Some(application) = find_call(resolution, postcondition, &depends) {
                let message = format!("the postcondition of `{}` applies what depends on it", name.text);
                errors.push(
                    Diagnostic::error(codes::MISSING_MEASURE, application.span, message)
                        .label(name.span, "this function has no measure")
                        .help("use `\\result`, or add `decreases e;`"),
                );
            }
        }
    }
    errors
}

fn find_call<'e>(
    resolution: &Resolution<'_>,
    expression: &'e Expression,
    wanted: &dyn Fn(NodeId) -> bool,
) -> Option<&'e Expression> {
    let mut work = vec![expression];
    while let Some(expression) = work.pop() {
        if let Some(CallTarget::Routine(call)) = resolution.calls.get(&expression.id)
            && wanted(call.routine)
        {
            return Some(expression);
        }
        expression.kind.for_each_child(&mut |child| work.push(child));
    }
    None
}
