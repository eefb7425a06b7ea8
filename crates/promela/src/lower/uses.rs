//! Which variables a statement reads and writes, and whether it touches anything that others can see.

use std::collections::{BTreeMap, BTreeSet};

use crate::resolve::program::{
    AssignForm, Expr, ExprKind, Initial, Match, Owner, Place, Probe, Process, ProcessId, Program, Scalar,
    Stmt, StmtKind, Target, Temporal, TemporalKind, Type, VarId, Visibility,
};

/// Calls `visit` for every expression of a statement, not descending into the statements it contains.
pub(super) fn each_expr<'s>(statement: &'s Stmt, visit: &mut dyn FnMut(&'s Expr)) {
    match &statement.kind {
        StmtKind::Assign { target, value, .. } => {
            if let Target::Place(target) = target {
                each_index(target, visit);
            }
            visit(value);
        }
        StmtKind::Condition(expr) | StmtKind::Assert(expr) | StmtKind::Printm(expr) => visit(expr),
        StmtKind::Send { channel, arguments, .. } => {
            each_index(channel, visit);
            arguments.iter().for_each(visit);
        }
        StmtKind::Receive { channel, arguments, .. } => {
            each_index(channel, visit);
            each_match(arguments, visit);
        }
        StmtKind::Printf { arguments, .. } => arguments.iter().for_each(visit),
        StmtKind::SetPriority { pid, priority } => {
            visit(pid);
            visit(priority);
        }
        _ => {}
    }
}

fn each_index<'s>(place: &'s Place, visit: &mut dyn FnMut(&'s Expr)) {
    place.index.iter().for_each(|index| visit(index));
    place.fields.iter().filter_map(|access| access.index.as_deref()).for_each(visit);
}

fn each_match<'s>(arguments: &'s [Match], visit: &mut dyn FnMut(&'s Expr)) {
    for argument in arguments {
        match argument {
            Match::Store(place) => each_index(place, visit),
            Match::Discard => {}
            Match::Equal(expr) => visit(expr),
        }
    }
}

/// Calls `visit` for the expression and everything in it.
pub(super) fn each_part<'s>(expr: &'s Expr, visit: &mut dyn FnMut(&'s Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Read(place) | ExprKind::Length(place) | ExprKind::Probe(_, place) => {
            each_index(place, &mut |index| each_part(index, visit));
        }
        ExprKind::Unary(_, operand)
        | ExprKind::Enabled(operand)
        | ExprKind::PcValue(operand)
        | ExprKind::GetPriority(operand) => each_part(operand, visit),
        ExprKind::Binary(_, left, right) => {
            each_part(left, visit);
            each_part(right, visit);
        }
        ExprKind::Conditional(condition, yes, no) => {
            each_part(condition, visit);
            each_part(yes, visit);
            each_part(no, visit);
        }
        ExprKind::Run { arguments, .. } => arguments.iter().for_each(|argument| each_part(argument, visit)),
        ExprKind::Poll { channel, arguments, .. } => {
            each_index(channel, &mut |index| each_part(index, visit));
            each_match(arguments, &mut |part| each_part(part, visit));
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| each_part(pid, visit)),
        ExprKind::RemoteVariable { pid, place, .. } => {
            pid.iter().for_each(|pid| each_part(pid, visit));
            each_index(place, &mut |index| each_part(index, visit));
        }
        _ => {}
    }
}

/// Calls `visit` for every statement of a list and of the statements in it.
pub(super) fn each_statement<'s>(statements: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
    for statement in statements {
        visit(statement);
        match &statement.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().for_each(|option| each_statement(option, visit));
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => {
                each_statement(body, visit)
            }
            StmtKind::Unless { main, escape } => {
                each_statement(main, visit);
                each_statement(escape, visit);
            }
            _ => {}
        }
    }
}

/// Calls `visit` for the atoms of a formula.
pub(super) fn each_atom<'f>(formula: &'f Temporal, visit: &mut dyn FnMut(&'f Expr)) {
    match &formula.kind {
        TemporalKind::Constant(_) => {}
        TemporalKind::Atom(expr) => visit(expr),
        TemporalKind::Unary(_, operand) => each_atom(operand, visit),
        TemporalKind::Binary(_, left, right) => {
            each_atom(left, visit);
            each_atom(right, visit);
        }
    }
}

/// The plain local variables (no arrays, structures or channels) that a statement reads and writes.
#[derive(Default, Clone)]
pub(super) struct Uses {
    pub(super) reads: BTreeSet<VarId>,
    pub(super) writes: BTreeSet<VarId>,
}

pub(super) fn uses(program: &Program, statement: &Stmt) -> Uses {
    let mut uses = Uses::default();
    let reads = &mut uses.reads;
    each_expr(statement, &mut |expr| {
        each_part(expr, &mut |part| {
            if let ExprKind::Read(place) = &part.kind
                && is_plain_local(program, place.var)
            {
                reads.insert(place.var);
            }
        });
    });
    let mut write = |place: &Place| {
        if is_plain_local(program, place.var) {
            uses.writes.insert(place.var);
        }
    };
    match &statement.kind {
        StmtKind::Assign { target: Target::Place(place), .. } => write(place),
        StmtKind::Receive { arguments, .. } => {
            for argument in arguments {
                if let Match::Store(place) = argument {
                    write(place);
                }
            }
        }
        _ => {}
    }
    uses
}

fn is_plain_local(program: &Program, id: VarId) -> bool {
    let variable = program.variable(id);
    variable.length.is_none()
        && matches!(variable.owner, Owner::Local(_))
        && matches!(variable.ty, Type::Scalar(scalar) if scalar != Scalar::Chan)
}

/// Globals that no expression of the model reads: assigning them changes nothing that can be observed.
pub(super) fn write_only_globals(program: &Program, extra: &[&Expr]) -> BTreeSet<VarId> {
    let mut candidates: BTreeSet<VarId> = program
        .globals
        .iter()
        .copied()
        .filter(|id| matches!(program.variable(*id).ty, Type::Scalar(scalar) if scalar != Scalar::Chan))
        .collect();
    let mut read = |expr: &Expr, except: Option<VarId>| {
        each_part(expr, &mut |part| {
            if let ExprKind::Read(place) = &part.kind
                && Some(place.var) != except
            {
                candidates.remove(&place.var);
            }
        });
    };
    for process in &program.processes {
        each_statement(&process.body, &mut |statement| match &statement.kind {
            StmtKind::Printf { .. } | StmtKind::Printm(_) => {}
            StmtKind::Assign {
                target: Target::Place(place),
                form: AssignForm::Increment | AssignForm::Decrement,
                ..
            } => each_index(place, &mut |index| read(index, None)),
            StmtKind::Receive { arguments, .. } => {
                each_expr(statement, &mut |expr| read(expr, None));
                for argument in arguments {
                    if let Match::Store(place) = argument {
                        read(&Expr { span: place.span, kind: ExprKind::Read(place.clone()) }, None);
                    }
                }
            }
            _ => each_expr(statement, &mut |expr| read(expr, None)),
        });
        process.provided.iter().for_each(|expr| read(expr, None));
    }
    for variable in &program.variables {
        if let Initial::Value(expr) = &variable.initial {
            read(expr, None);
        }
    }
    for formula in &program.formulas {
        each_atom(&formula.formula, &mut |expr| read(expr, None));
    }
    extra.iter().for_each(|expr| read(expr, None));
    candidates
}

/// What makes a statement visible to other processes.
pub(super) struct Sharing<'p> {
    program: &'p Program,
    /// Locals that a remote reference reads.
    pub(super) observed: BTreeSet<VarId>,
    receive_exclusive: BTreeSet<VarId>,
    send_exclusive: BTreeSet<VarId>,
}

impl<'p> Sharing<'p> {
    pub(super) fn new(program: &'p Program, extra: &[&Expr]) -> Sharing<'p> {
        let mut observed = BTreeSet::new();
        let mut look = |expr: &Expr| {
            each_part(expr, &mut |part| {
                if let ExprKind::RemoteVariable { place, .. } = &part.kind {
                    observed.insert(place.var);
                }
            });
        };
        for process in &program.processes {
            each_statement(&process.body, &mut |statement| each_expr(statement, &mut |expr| look(expr)));
            process.provided.iter().for_each(&mut look);
        }
        for formula in &program.formulas {
            each_atom(&formula.formula, &mut |expr| look(expr));
        }
        extra.iter().for_each(|expr| look(expr));
        Sharing {
            program,
            observed,
            receive_exclusive: exclusive(program, true),
            send_exclusive: exclusive(program, false),
        }
    }

    /// Does the statement read or write anything that another process may write or read?
    pub(super) fn is_global(&self, statement: &Stmt) -> bool {
        let mut global = false;
        match &statement.kind {
            StmtKind::Else => return false,
            StmtKind::Send { channel, arguments, .. } => {
                return !self.send_exclusive.contains(&channel.var)
                    || arguments.iter().any(|argument| self.reads_global(argument));
            }
            StmtKind::Receive { channel, arguments, .. } => {
                return !self.receive_exclusive.contains(&channel.var)
                    || arguments.iter().any(|argument| match argument {
                        Match::Store(place) => self.is_shared(place),
                        Match::Discard => false,
                        Match::Equal(expr) => self.reads_global(expr),
                    });
            }
            StmtKind::Assign { target: Target::Place(place), .. } => global |= self.is_shared(place),
            StmtKind::Assign { target: Target::Priority, .. } | StmtKind::SetPriority { .. } => return true,
            _ => {}
        }
        each_expr(statement, &mut |expr| global |= self.reads_global(expr));
        global
    }

    fn is_shared(&self, place: &Place) -> bool {
        let variable = self.program.variable(place.var);
        let shared = match variable.owner {
            Owner::Global => variable.visibility != Visibility::Local,
            Owner::Local(_) => self.observed.contains(&place.var),
        };
        let mut index_shared = false;
        each_index(place, &mut |index| index_shared |= self.reads_global(index));
        shared || index_shared
    }

    /// May a new process look at shared variables when its own get their first values? SPIN judges by the last
    /// initial value alone; where that is no more than a constant, but another one reads what is shared, this is
    /// the stricter of the two. (`run` is not allowed in initial values, so this does not come back here.)
    fn starts_from_shared(&self, process: ProcessId) -> bool {
        let process = self.program.process(process);
        process.computes_initial
            || process.variables.iter().any(|id| match &self.program.variable(*id).initial {
                Initial::Value(value) => self.reads_global(value),
                Initial::Zero | Initial::List(_) | Initial::Channel(_) => false,
            })
    }

    fn reads_global(&self, expr: &Expr) -> bool {
        let mut global = false;
        each_part(expr, &mut |part| {
            global |= match &part.kind {
                ExprKind::Read(place) => self.is_shared(place),
                ExprKind::ProcessCount
                | ExprKind::Last
                | ExprKind::Timeout
                | ExprKind::NonProgress
                | ExprKind::Enabled(_)
                | ExprKind::PcValue(_)
                | ExprKind::GetPriority(_)
                | ExprKind::RemoteLabel { .. }
                | ExprKind::RemoteVariable { .. } => true,
                ExprKind::Run { process, .. } => self.starts_from_shared(*process),
                ExprKind::Length(channel) | ExprKind::Poll { channel, .. } => {
                    !self.receive_exclusive.contains(&channel.var)
                        || !self.send_exclusive.contains(&channel.var)
                }
                ExprKind::Probe(Probe::NotEmpty | Probe::Full, channel) => {
                    !self.receive_exclusive.contains(&channel.var)
                }
                ExprKind::Probe(Probe::NotFull | Probe::Empty, channel) => {
                    !self.send_exclusive.contains(&channel.var)
                }
                _ => false,
            };
        });
        global
    }
}

/// Channels that exactly one process type claims for receiving (or sending).
fn exclusive(program: &Program, receive: bool) -> BTreeSet<VarId> {
    let mut owners: BTreeMap<VarId, BTreeSet<usize>> = BTreeMap::new();
    for (index, process) in program.processes.iter().enumerate() {
        for claim in process.exclusive.iter().filter(|claim| claim.receive == receive) {
            owners.entry(claim.channel.var).or_default().insert(index);
        }
    }
    owners.into_iter().filter(|(_, owners)| owners.len() == 1).map(|(id, _)| id).collect()
}

/// The labels of a process that a remote reference names, in the model or in `extra`.
pub(super) fn observed_labels(
    process: &Process,
    id: ProcessId,
    extra: &[&Expr],
) -> Vec<crate::resolve::program::LabelId> {
    let mut observed: Vec<_> = process
        .labels
        .iter()
        .enumerate()
        .filter(|(_, label)| label.remote)
        .map(|(index, _)| crate::resolve::program::LabelId(index as u32))
        .collect();
    for expr in extra {
        each_part(expr, &mut |part| {
            if let ExprKind::RemoteLabel { process, label, .. } = &part.kind
                && *process == id
                && !observed.contains(label)
            {
                observed.push(*label);
            }
        });
    }
    observed
}
