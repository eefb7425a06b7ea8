//! What must be true of the processes of a model beyond names and types: bodies read parameters only, contracts speak
//! about fields that are modified or accessible, and a process that calls itself before it has done anything gets
//! smaller.

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use super::{CallTarget, Member, NameTarget, Operation, Resolution, Selection};
use crate::codes;
use crate::syntax::tree::{
    BinaryOperator, ClauseKind, Expression, ExpressionKind, Model, ModelKind, ModelMemberKind, NodeId,
    Process, QuantifierKind,
};

/// The fields that a contract may change and those that it may only read, as written or inferred.
#[derive(Clone, Default, Debug)]
pub(crate) struct Frame {
    pub(crate) modifies: Vec<NodeId>,
    pub(crate) accessible: Vec<NodeId>,
}

/// Checks all models.
pub(super) fn check(resolution: &Resolution<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for declaration in &resolution.items.declarations {
        let Some(model) = resolution.items.models.get(&declaration.id) else { continue };
        // Histories are refused as a whole.
        if model.kind == ModelKind::History {
            continue;
        }
        for member in &model.members {
            let (ModelMemberKind::Process(process) | ModelMemberKind::Action(process)) = &member.kind else {
                continue;
            };
            check_frame(resolution, model, process, &mut diagnostics);
            if let Some(body) = &process.body {
                check_callees(resolution, (model, process), body, &mut diagnostics);
                forbid_fields(resolution, body, &mut diagnostics);
            }
        }
        check_recursion(resolution, model, &mut diagnostics);
    }
    diagnostics
}

/// The field that an expression names, if it is one of the model around.
fn field_of(resolution: &Resolution<'_>, expression: &Expression) -> Option<NodeId> {
    match resolution.names.get(&expression.id) {
        Some(NameTarget::ModelField(field)) => return Some(*field),
        Some(_) => return None,
        None => {}
    }
    match resolution.selections.get(&expression.id) {
        Some(Selection::ModelField(field)) => Some(*field),
        _ => None,
    }
}

fn forbid_fields(resolution: &Resolution<'_>, body: &Expression, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(field) = field_of(resolution, body) {
        let name = match &*body.kind {
            ExpressionKind::Name(name) | ExpressionKind::Field(_, name) => name.text.to_string(),
            _ => format!("{field:?}"),
        };
        let message = format!("the body of a process reads the field `{name}`");
        diagnostics.push(Diagnostic::error(codes::PROCESS_FIELD, body.span, message).help(
            "what a process does depends on its parameters only: pass the value, or let an action wait for it \
             with `requires`",
        ));
        return;
    }
    body.kind.for_each_child(&mut |child| forbid_fields(resolution, child, diagnostics));
}

/// Fields that an expression reads, before (`\old`) or after what the contract is about.
fn read_fields(
    resolution: &Resolution<'_>,
    expression: &Expression,
    in_old: bool,
    found: &mut dyn FnMut(NodeId, Span, bool),
) {
    if let Some(field) = field_of(resolution, expression) {
        found(field, expression.span, in_old);
    }
    let in_old = in_old || matches!(&*expression.kind, ExpressionKind::Old(..));
    expression.kind.for_each_child(&mut |child| read_fields(resolution, child, in_old, found));
}

/// The frame as the clauses say it; where one is left out it is inferred from what the contract reads.
///
/// A field whose value afterwards an `ensures` speaks about is taken to be modified, unless it is listed as accessible.
/// A process modifies what its actions do.
pub(crate) fn frame(resolution: &Resolution<'_>, model: &Model, process: &Process) -> Frame {
    let mut seen = FxHashSet::default();
    frame_within(resolution, model, process, &mut seen)
}

fn frame_within(
    resolution: &Resolution<'_>,
    model: &Model,
    process: &Process,
    seen: &mut FxHashSet<NodeId>,
) -> Frame {
    let (modifies, accessible) = written_frame(model, process);
    let mut changed: Vec<NodeId> = Vec::new();
    let mut read: Vec<NodeId> = Vec::new();
    for condition in process.contract.preconditions() {
        read_fields(resolution, condition, false, &mut |field, _, _| read.push(field));
    }
    for condition in process.contract.postconditions() {
        read_fields(resolution, condition, false, &mut |field, _, in_old| {
            if in_old || process.body.is_some() { read.push(field) } else { changed.push(field) }
        });
    }
    if let Some(body) = &process.body {
        called(resolution, body, &mut |member, callee, _| {
            if seen.insert(member) {
                let inner = frame_within(resolution, model, callee, seen);
                changed.extend(inner.modifies);
                read.extend(inner.accessible);
            }
        });
    }
    let listed = accessible.clone().unwrap_or_default();
    changed.retain(|field| !listed.contains(field));
    let mut modifies = modifies.unwrap_or(changed);
    let mut accessible = accessible.unwrap_or_else(|| {
        read.extend(modifies.iter().copied());
        read
    });
    modifies.sort_unstable();
    modifies.dedup();
    accessible.retain(|field| !modifies.contains(field));
    accessible.sort_unstable();
    accessible.dedup();
    Frame { modifies, accessible }
}

/// The actions and processes that a term calls, and where.
fn called<'tree>(
    resolution: &Resolution<'tree>,
    term: &Expression,
    found: &mut dyn FnMut(NodeId, &'tree Process, Span),
) {
    if let Some(CallTarget::Process(member)) = resolution.calls.get(&term.id)
        && let Some(declared) = resolution.items.model_members.get(member).copied()
        && let ModelMemberKind::Process(callee) | ModelMemberKind::Action(callee) = &declared.kind
    {
        found(*member, callee, term.span);
    }
    term.kind.for_each_child(&mut |child| called(resolution, child, found));
}

/// The clauses `modifies` and `accessible`, where they are written.
fn written_frame(model: &Model, process: &Process) -> (Option<Vec<NodeId>>, Option<Vec<NodeId>>) {
    let mut fields = FxHashMap::default();
    for member in &model.members {
        if let ModelMemberKind::Fields(it) = &member.kind {
            fields.extend(it.names.iter().map(|(id, name)| (name.text.clone(), *id)));
        }
    }
    let (mut modifies, mut accessible) = (None, None);
    for clause in &process.contract.clauses {
        let (list, names) = match &clause.kind {
            ClauseKind::Modifies(names) => (&mut modifies, names),
            ClauseKind::Accessible(names) => (&mut accessible, names),
            _ => continue,
        };
        list.get_or_insert_with(Vec::new).extend(names.iter().filter_map(|it| fields.get(&it.text)));
    }
    (modifies, accessible)
}

fn check_frame(
    resolution: &Resolution<'_>,
    model: &Model,
    process: &Process,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (Some(modifies), accessible) = written_frame(model, process) else { return };
    // What is left out is inferred from `requires` and, of a process, from its body.
    if accessible.is_none() && process.body.is_some() {
        return;
    }
    let listed = accessible.unwrap_or_default();
    for condition in process.contract.postconditions() {
        read_fields(resolution, condition, false, &mut |field, span, _| {
            if !modifies.contains(&field) && !listed.contains(&field) {
                let message = "this field is neither modified nor accessible";
                diagnostics.push(
                    Diagnostic::error(codes::FRAME, span, message)
                        .label(process.name.span, "in the contract of this")
                        .help("list it under `modifies` if it changes, or else under `accessible`"),
                );
            }
        });
    }
}

/// What the actions and processes that a process calls change or read, it changes or reads itself, so that a clause that is
/// written has to say so.
fn check_callees(
    resolution: &Resolution<'_>,
    (model, process): (&Model, &Process),
    body: &Expression,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (modifies, accessible) = written_frame(model, process);
    if modifies.is_none() && accessible.is_none() {
        return;
    }
    let own = frame(resolution, model, process);
    let mut told = FxHashSet::default();
    called(resolution, body, &mut |_, callee, span| {
        let inner = frame(resolution, model, callee);
        let changed = inner.modifies.iter().filter(|field| !own.modifies.contains(field));
        let read = inner.accessible.iter().filter(|field| {
            accessible.is_some() && !own.accessible.contains(field) && !own.modifies.contains(field)
        });
        let changed = changed.map(|field| (*field, "changes", "modifies"));
        for (field, does, clause) in changed.chain(read.map(|field| (*field, "reads", "accessible"))) {
            if !told.insert(field) {
                continue;
            }
            let name = field_name(model, field);
            let message = format!(
                "`{}` {does} `{name}`, which `{clause}` of `{}` does not list",
                callee.name.text, process.name.text
            );
            diagnostics.push(
                Diagnostic::error(codes::CALLEE_FRAME, span, message)
                    .label(process.name.span, "in the body of this")
                    .help(format!(
                        "list `{name}` under `{clause}`, or leave the clauses out: then they are inferred"
                    )),
            );
        }
    });
}

/// The name of a field of the model.
fn field_name(model: &Model, field: NodeId) -> &str {
    let mut fields = model.members.iter().flat_map(|member| match &member.kind {
        ModelMemberKind::Fields(fields) => &fields.names[..],
        _ => &[],
    });
    fields.find(|(id, _)| *id == field).map_or("", |(_, name)| &name.text)
}

/// A call that can be made before anything is done.
struct EarlyCall<'tree> {
    member: NodeId,
    arguments: &'tree [Expression],
    span: Span,
    /// Conditions around it, and whether they are true there.
    conditions: Vec<(&'tree Expression, bool)>,
}

fn check_recursion(resolution: &Resolution<'_>, model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    let mut early: FxHashMap<NodeId, Vec<EarlyCall<'_>>> = FxHashMap::default();
    for member in &model.members {
        if let ModelMemberKind::Process(process) = &member.kind
            && let Some(body) = &process.body
        {
            let calls = early.entry(member.id).or_default();
            early_calls(resolution, body, &mut Vec::new(), calls);
        }
    }
    for member in &model.members {
        let ModelMemberKind::Process(process) = &member.kind else { continue };
        if process.contract.measure().is_some() {
            continue;
        }
        let Some(calls) = early.get(&member.id) else { continue };
        for call in calls {
            if !reaches(&early, call.member, member.id) {
                continue;
            }
            if call.member == member.id && gets_smaller(resolution, process, call) {
                continue;
            }
            let message = format!(
                "`{}` calls itself before it has done anything, and nothing says that this ends",
                process.name.text
            );
            diagnostics.push(
                Diagnostic::error(codes::UNGUARDED, call.span, message)
                    .label(process.name.span, "of this process")
                    .help("do an action before the call, or say with `decreases` what gets smaller"),
            );
            break;
        }
    }
}

fn reaches(early: &FxHashMap<NodeId, Vec<EarlyCall<'_>>>, from: NodeId, to: NodeId) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![from];
    while let Some(member) = work.pop() {
        if member == to {
            return true;
        }
        if seen.insert(member) {
            work.extend(early.get(&member).into_iter().flatten().map(|call| call.member));
        }
    }
    false
}

/// The calls of processes that a term can make before an action; whether it can be through with no action at all.
fn early_calls<'tree>(
    resolution: &Resolution<'tree>,
    term: &'tree Expression,
    conditions: &mut Vec<(&'tree Expression, bool)>,
    found: &mut Vec<EarlyCall<'tree>>,
) -> bool {
    match &*term.kind {
        ExpressionKind::EmptyProcess => true,
        ExpressionKind::StuckProcess => false,
        ExpressionKind::Binary(operator, left, right)
            if resolution.operations.get(&term.id) == Some(&Operation::Processes) =>
        {
            let left = early_calls(resolution, left, conditions, found);
            match operator {
                BinaryOperator::Multiply if !left => false,
                BinaryOperator::Add => early_calls(resolution, right, conditions, found) || left,
                _ => early_calls(resolution, right, conditions, found) && left,
            }
        }
        ExpressionKind::Conditional(condition, then, otherwise) => {
            conditions.push((condition, true));
            let then = early_calls(resolution, then, conditions, found);
            conditions.pop();
            conditions.push((condition, false));
            let otherwise = early_calls(resolution, otherwise, conditions, found);
            conditions.pop();
            then || otherwise
        }
        ExpressionKind::Builtin(_, arguments) => {
            for argument in arguments {
                early_calls(resolution, argument, conditions, found);
            }
            true
        }
        ExpressionKind::Quantifier { kind, condition, body, .. } => {
            let before = conditions.len();
            conditions.extend(condition.as_ref().map(|condition| (condition, true)));
            let may_end = early_calls(resolution, body, conditions, found);
            conditions.truncate(before);
            may_end || *kind == QuantifierKind::Parallel
        }
        ExpressionKind::Call(call) => {
            let Some(CallTarget::Process(member)) = resolution.calls.get(&term.id) else { return true };
            let kind = resolution.items.model_members.get(member).map(|member| &member.kind);
            if matches!(kind, Some(ModelMemberKind::Action(_))) {
                return false;
            }
            found.push(EarlyCall {
                member: *member,
                arguments: &call.arguments,
                span: term.span,
                conditions: conditions.clone(),
            });
            // Whether the other process can end at once is not looked at: what follows may come first.
            true
        }
        _ => true,
    }
}

/// Whether one of the arguments of a process is smaller at a call of itself, and cannot get smaller for ever.
fn gets_smaller(resolution: &Resolution<'_>, process: &Process, call: &EarlyCall<'_>) -> bool {
    process.parameters.iter().zip(call.arguments).any(|(parameter, argument)| {
        let is_parameter = |expression: &Expression| {
            resolution.names.get(&expression.id) == Some(&NameTarget::Variable(parameter.id))
        };
        let steps = |amount: &Expression| match &*amount.kind {
            ExpressionKind::Int(digits) => digits.bytes().any(|digit| digit != b'0'),
            _ => false,
        };
        match &*argument.kind {
            ExpressionKind::Binary(BinaryOperator::Subtract, left, right)
                if is_parameter(left) && steps(right) =>
            {
                call.conditions
                    .iter()
                    .any(|(condition, is_true)| bounds(condition, *is_true, &is_parameter, true))
            }
            ExpressionKind::Binary(BinaryOperator::Add, left, right)
                if is_parameter(left) && steps(right) =>
            {
                call.conditions
                    .iter()
                    .any(|(condition, is_true)| bounds(condition, *is_true, &is_parameter, false))
            }
            ExpressionKind::Field(sequence, _) => {
                resolution.selections.get(&argument.id) == Some(&Selection::Member(Member::SeqTail))
                    && is_parameter(sequence)
                    && !call.conditions.is_empty()
            }
            // The old dialect's `tail(xs)`.
            ExpressionKind::Call(tail) => {
                let target = resolution.calls.get(&argument.id);
                matches!(target, Some(CallTarget::MemberFunction(Member::SeqTail)))
                    && tail.arguments.first().is_some_and(is_parameter)
                    && !call.conditions.is_empty()
            }
            ExpressionKind::Slice(sequence, Some(low), None) => {
                is_parameter(sequence) && steps(low) && !call.conditions.is_empty()
            }
            _ => false,
        }
    })
}

/// Whether a condition that is true (or false) bounds the parameter from below, or from above. What it is compared with
/// does not change with the parameter where that does not occur in it.
fn bounds(
    condition: &Expression,
    is_true: bool,
    is_parameter: &dyn Fn(&Expression) -> bool,
    from_below: bool,
) -> bool {
    use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return false };
    match operator {
        And if is_true => {
            bounds(left, is_true, is_parameter, from_below)
                || bounds(right, is_true, is_parameter, from_below)
        }
        Or if !is_true => {
            bounds(left, is_true, is_parameter, from_below)
                || bounds(right, is_true, is_parameter, from_below)
        }
        Less | LessEqual | Greater | GreaterEqual => {
            // `p < e`, and its negation `p >= e`.
            let parameter_is_less = match (is_parameter(left), is_parameter(right)) {
                (true, false) => matches!(operator, Less | LessEqual) == is_true,
                (false, true) => matches!(operator, Greater | GreaterEqual) == is_true,
                _ => return false,
            };
            parameter_is_less != from_below && is_constant(left, right, is_parameter)
        }
        // Down to a number and no further: true of runs that begin on the right side, which nothing says.
        Equal | NotEqual => false,
        _ => false,
    }
}

/// Whether the side that is not the parameter is a number, or a name that calls may pass on.
fn is_constant(left: &Expression, right: &Expression, is_parameter: &dyn Fn(&Expression) -> bool) -> bool {
    let other = if is_parameter(left) { right } else { left };
    let mut mentions = false;
    mentions_parameter(other, is_parameter, &mut mentions);
    !mentions
}

fn mentions_parameter(expression: &Expression, is_parameter: &dyn Fn(&Expression) -> bool, found: &mut bool) {
    if is_parameter(expression) {
        *found = true;
        return;
    }
    expression.kind.for_each_child(&mut |child| mentions_parameter(child, is_parameter, found));
}
