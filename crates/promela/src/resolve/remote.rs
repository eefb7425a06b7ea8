//! Remote references: another process's label or local variable, possibly of a process declared later.

use source::{Diagnostic, Span};

use super::Resolver;
use super::program::{
    Expr, ExprKind, Initial, LabelId, ProcessId, Program, Scalar, Temporal, TemporalKind, Type, VarId,
};
use super::walk;
use crate::syntax::tree;

/// A ticket: what was asked for, and where.
pub(super) struct Remote {
    pub process: ProcessId,
    pub target: RemoteTarget,
    pub span: Span,
    pub call: Option<u32>,
}

pub(super) enum RemoteTarget {
    Label(tree::Name),
    Variable(tree::Name),
}

/// What a ticket turned out to stand for.
#[derive(Clone, Copy)]
enum Answer {
    Label(LabelId),
    Variable(VarId, Scalar),
    Nothing,
}

impl Resolver {
    /// Replaces the tickets in all expressions.
    pub(super) fn redeem_remotes(&mut self) {
        let remotes = std::mem::take(&mut self.remotes);
        let mut answers = Vec::with_capacity(remotes.len());
        for remote in &remotes {
            let answer = self.answer(remote);
            answers.push(answer);
        }
        let mut faults = Vec::new();
        let mut redeem = |expr: &mut Expr| redeem(expr, &answers, &mut faults);
        for process in &mut self.processes {
            walk::expressions(&mut process.body, &mut redeem);
            if let Some(provided) = &mut process.provided {
                walk::expression(provided, &mut redeem);
            }
        }
        for variable in &mut self.variables {
            if let Initial::Value(value) = &mut variable.initial {
                walk::expression(value, &mut redeem);
            }
        }
        for formula in &mut self.formulas {
            atoms(&mut formula.formula, &mut redeem);
        }
        for (var, span, indexed) in faults {
            let length = self.variables[var.0 as usize].length;
            match (length, indexed) {
                (Some(_), false) => {
                    self.error(
                        "type.index.missing",
                        span,
                        "this variable is an array and needs an index",
                        "write `P:name[index]`",
                    );
                }
                (None, true) => {
                    self.error("type.index.scalar", span, "this variable is no array", "remove the index");
                }
                _ => {}
            }
        }
    }

    fn answer(&mut self, remote: &Remote) -> Answer {
        let Some(process) = self.processes.get_mut(remote.process.0 as usize) else { return Answer::Nothing };
        let (code, message, help) = match &remote.target {
            RemoteTarget::Label(name) => {
                let found = process.labels.iter().position(|label| *label.name == *name.text);
                if let Some(index) = found {
                    process.labels[index].remote = true;
                    return Answer::Label(LabelId(index as u32));
                }
                let message = format!("process `{}` has no label `{}`", process.name, name.text);
                ("label.undefined", message, "check the spelling")
            }
            RemoteTarget::Variable(name) => {
                let found = process
                    .variables
                    .iter()
                    .copied()
                    .find(|var| *self.variables[var.0 as usize].name == *name.text);
                match found.map(|var| (var, self.variables[var.0 as usize].ty)) {
                    Some((var, Type::Scalar(ty))) => return Answer::Variable(var, ty),
                    Some((_, Type::Structure(_))) => (
                        "remote.structure",
                        format!("`{}` is a structure", name.text),
                        "a remote reference reaches numbers and arrays of numbers only",
                    ),
                    None => (
                        "name.undeclared",
                        format!("process `{}` has no variable `{}`", process.name, name.text),
                        "a remote reference names a local variable of the process",
                    ),
                }
            }
        };
        let mut diagnostic = Diagnostic::error(code, remote.span, message).help(help);
        if let Some(call) = remote.call.and_then(|call| self.expansions.get(call as usize)) {
            diagnostic = diagnostic.label(call.call, format!("in this call of inline `{}`", call.name));
        }
        self.report(diagnostic);
        Answer::Nothing
    }
}

fn redeem(expr: &mut Expr, answers: &[Answer], faults: &mut Vec<(VarId, Span, bool)>) {
    match &mut expr.kind {
        ExprKind::RemoteLabel { label, .. } => {
            if let Some(Answer::Label(id)) = answers.get(label.0 as usize) {
                *label = *id;
            }
        }
        ExprKind::RemoteVariable { place, .. } => {
            if let Some(Answer::Variable(id, ty)) = answers.get(place.var.0 as usize) {
                place.var = *id;
                place.ty = *ty;
                faults.push((*id, place.span, place.index.is_some()));
            }
        }
        _ => {}
    }
}

fn atoms(formula: &mut Temporal, visit: &mut dyn FnMut(&mut Expr)) {
    match &mut formula.kind {
        TemporalKind::Constant(_) => {}
        TemporalKind::Atom(expr) => walk::expression(expr, visit),
        TemporalKind::Unary(_, inner) => atoms(inner, visit),
        TemporalKind::Binary(_, left, right) => {
            atoms(left, visit);
            atoms(right, visit);
        }
    }
}

impl Program {
    /// Notes the labels a formula refers to, so that [`super::program::Label::remote`] is right for a
    /// formula that was not part of the text. To be called before the program is lowered.
    pub fn mark_remote_labels(&mut self, formula: &Temporal) {
        let mut formula = formula.clone();
        let mut named = Vec::new();
        atoms(&mut formula, &mut |expr| {
            if let ExprKind::RemoteLabel { process, label, .. } = expr.kind {
                named.push((process, label));
            }
        });
        for (process, label) in named {
            let process = self.processes.get_mut(process.0 as usize);
            if let Some(label) = process.and_then(|process| process.labels.get_mut(label.0 as usize)) {
                label.remote = true;
            }
        }
    }
}
