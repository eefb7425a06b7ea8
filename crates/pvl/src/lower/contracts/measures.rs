//! What obviously ends needs no measure of its own to be used by what has a measure.
//!
//! Silver asks every function that is used by one with a measure for a measure too. Those that do not use themselves,
//! and use only functions that end, get the empty one here. A function that may go on forever gets none, so its use
//! is still an error.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::syntax::tree as s;

/// The function's measure, if it has one.
fn has_measure(function: &s::Function) -> bool {
    let mut clauses = function.preconditions.iter().chain(&function.postconditions);
    clauses.any(|clause| matches!(clause.kind, s::SpecificationKind::Decreases(_)))
}

/// Takes the measures of sums away whose terms may not end, so that the sums are not proved to end either.
pub(crate) fn withdraw(members: &mut [s::Member], sums: &FxHashSet<Arc<str>>) {
    let mut used: FxHashMap<Arc<str>, Vec<Arc<str>>> = FxHashMap::default();
    let mut ends: FxHashSet<Arc<str>> = FxHashSet::default();
    for member in &*members {
        let s::MemberKind::Function(function) = &member.kind else { continue };
        let name = &function.name.text;
        if has_measure(function) && !sums.contains(name) {
            ends.insert(name.clone());
        }
        used.insert(name.clone(), uses(function));
    }
    loop {
        let before = ends.len();
        for (name, uses) in &used {
            let is_itself = |callee: &Arc<str>| callee == name && sums.contains(name);
            if uses.iter().all(|it| is_itself(it) || !used.contains_key(it) || ends.contains(it)) {
                ends.insert(name.clone());
            }
        }
        if ends.len() == before {
            break;
        }
    }
    for member in members {
        let s::MemberKind::Function(function) = &mut member.kind else { continue };
        if sums.contains(&function.name.text) && !ends.contains(&function.name.text) {
            let is_measure =
                |clause: &s::Specification| matches!(clause.kind, s::SpecificationKind::Decreases(_));
            function.preconditions.retain(|clause| !is_measure(clause));
            // Without a measure, Silver has no applications of a function in what it ensures.
            function.postconditions.retain(|clause| match &clause.kind {
                s::SpecificationKind::Assertion(assertion) => !has_calls(assertion),
                s::SpecificationKind::Decreases(_) => true,
            });
        }
    }
}

/// Adds the measures that are missing.
pub(crate) fn complete(members: &mut [s::Member]) {
    let mut used: FxHashMap<Arc<str>, Vec<Arc<str>>> = FxHashMap::default();
    let mut measured: FxHashSet<Arc<str>> = FxHashSet::default();
    let mut open: Vec<Arc<str>> = Vec::new();
    for member in &*members {
        let s::MemberKind::Function(function) = &member.kind else { continue };
        if has_measure(function) {
            measured.insert(function.name.text.clone());
            open.push(function.name.text.clone());
        }
        used.insert(function.name.text.clone(), uses(function));
    }
    // Only functions that these use need a measure.
    let mut asked: FxHashSet<Arc<str>> = FxHashSet::default();
    while let Some(name) = open.pop() {
        for callee in used.get(&name).into_iter().flatten() {
            if used.contains_key(callee) && !measured.contains(callee) && asked.insert(callee.clone()) {
                open.push(callee.clone());
            }
        }
    }
    // Each round finds the functions that use only functions found before; a function that uses itself is never one.
    loop {
        let mut grew = false;
        for member in &mut *members {
            let s::MemberKind::Function(function) = &mut member.kind else { continue };
            let name = &function.name.text;
            if !asked.contains(name) || measured.contains(name) {
                continue;
            }
            let ends =
                used[name].iter().all(|callee| !used.contains_key(callee) || measured.contains(callee));
            if ends {
                measured.insert(name.clone());
                let span = function.name.span;
                let measure = s::Measure::Tuple(Vec::new());
                let kind = s::SpecificationKind::Decreases(s::Decreases { measure, condition: None, span });
                function.preconditions.push(s::Specification { kind, span });
                grew = true;
            }
        }
        if !grew {
            return;
        }
    }
}

/// The name of a method without a body.
pub(crate) fn trusted_method(member: &s::Member) -> Option<Arc<str>> {
    match &member.kind {
        s::MemberKind::Method(method) if method.body.is_none() => Some(method.name.text.clone()),
        _ => None,
    }
}

/// Adds measures to methods that end and that nobody wrote, if any method has a measure.
pub(crate) fn complete_methods(members: &mut [s::Member], ends: &FxHashSet<Arc<str>>) {
    let is_measure = |clause: &s::Specification| matches!(clause.kind, s::SpecificationKind::Decreases(_));
    let has_measure = |member: &s::Member| match &member.kind {
        s::MemberKind::Method(method) => method.preconditions.iter().any(is_measure),
        _ => false,
    };
    if !members.iter().any(has_measure) {
        return;
    }
    for member in members {
        let s::MemberKind::Method(method) = &mut member.kind else { continue };
        if ends.contains(&method.name.text) && !method.preconditions.iter().any(is_measure) {
            let span = method.name.span;
            let measure = s::Measure::Tuple(Vec::new());
            let kind = s::SpecificationKind::Decreases(s::Decreases { measure, condition: None, span });
            method.preconditions.push(s::Specification { kind, span });
        }
    }
}

fn has_calls(expression: &s::Expression) -> bool {
    let mut found = matches!(&*expression.kind, s::ExpressionKind::Call(..));
    expression.kind.for_each_child(&mut |child| found = found || has_calls(child));
    found
}

/// Names of everything that is applied in the function.
fn uses(function: &s::Function) -> Vec<Arc<str>> {
    let mut names = Vec::new();
    let clauses = function.preconditions.iter().chain(&function.postconditions);
    let clauses = clauses.filter_map(|clause| match &clause.kind {
        s::SpecificationKind::Assertion(assertion) => Some(assertion),
        s::SpecificationKind::Decreases(_) => None,
    });
    let mut open: Vec<&s::Expression> = clauses.chain(&function.body).collect();
    while let Some(expression) = open.pop() {
        if let s::ExpressionKind::Call(name, ..) = &*expression.kind {
            names.push(name.text.clone());
        }
        expression.kind.for_each_child(&mut |child| open.push(child));
    }
    names
}
