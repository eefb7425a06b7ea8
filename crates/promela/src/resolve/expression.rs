//! Expressions.

use source::Span;

use super::Resolver;
use super::place::{Resolved, Special};
use super::program::{Expr, ExprKind, Match, Place, ProcessId, ProcessKind};
use super::remote::{Remote, RemoteTarget};
use crate::syntax::tree;

impl Resolver {
    pub(super) fn expr(&mut self, expr: &tree::Expr) -> Expr {
        let span = expr.span;
        let kind = self.expr_kind(expr).unwrap_or(ExprKind::Constant(0));
        Expr { span, kind }
    }

    pub(super) fn boxed(&mut self, expr: &tree::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    /// None after a report.
    fn expr_kind(&mut self, expr: &tree::Expr) -> Option<ExprKind> {
        let span = expr.span;
        Some(match &expr.kind {
            tree::ExprKind::Number(value) => ExprKind::Constant(*value),
            tree::ExprKind::Constant { name, .. } => {
                let (list, value) = self.constants.get(&name.text).copied()?;
                ExprKind::Mtype(list, value)
            }
            tree::ExprKind::Reference(reference) => match self.reference(reference) {
                Resolved::Place(place) => ExprKind::Read(place),
                Resolved::Whole(whole) => {
                    self.incomplete(whole.span);
                    return None;
                }
                Resolved::Special(special) => self.special(special, span)?,
                Resolved::Error => return None,
            },
            tree::ExprKind::Unary(operator, inner) => {
                self.check_probe_operand(inner);
                ExprKind::Unary(*operator, self.boxed(inner))
            }
            tree::ExprKind::Binary(operator, left, right) => {
                if !matches!(operator, tree::BinaryOp::And | tree::BinaryOp::Or) {
                    self.check_probe_operand(left);
                    self.check_probe_operand(right);
                }
                let left = self.boxed(left);
                ExprKind::Binary(*operator, left, self.boxed(right))
            }
            tree::ExprKind::Conditional(test, yes, no) => {
                let test = self.boxed(test);
                let yes = self.boxed(yes);
                ExprKind::Conditional(test, yes, self.boxed(no))
            }
            tree::ExprKind::Run { process, arguments, priority } => {
                self.run(process, arguments, priority.as_deref(), span)?
            }
            tree::ExprKind::Length(channel) => ExprKind::Length(self.channel(channel)?),
            tree::ExprKind::Probe(probe, channel) => ExprKind::Probe(*probe, self.channel(channel)?),
            tree::ExprKind::Poll { channel, random, arguments } => {
                let channel = self.channel(channel);
                let arguments = self.matches(arguments);
                ExprKind::Poll { channel: channel?, random: *random, arguments }
            }
            tree::ExprKind::Enabled(inner) => {
                self.claim_only(span, "enabled()");
                ExprKind::Enabled(self.boxed(inner))
            }
            tree::ExprKind::PcValue(inner) => {
                self.claim_only(span, "pc_value()");
                ExprKind::PcValue(self.boxed(inner))
            }
            tree::ExprKind::GetPriority(inner) => ExprKind::GetPriority(self.boxed(inner)),
            tree::ExprKind::Timeout => ExprKind::Timeout,
            tree::ExprKind::NonProgress => self.non_progress(span),
            tree::ExprKind::RemoteLabel { process, pid, label } => {
                let pid = pid.as_ref().map(|pid| self.boxed(pid));
                let process = self.remote_process(process)?;
                self.check_remote_label(span);
                let ticket = self.ticket(process, RemoteTarget::Label(label.clone()), span);
                ExprKind::RemoteLabel { process, pid, label: super::program::LabelId(ticket) }
            }
            tree::ExprKind::RemoteVariable { process, pid, variable } => {
                let pid = pid.as_ref().map(|pid| self.boxed(pid));
                let index = variable.index.as_ref().map(|index| self.boxed(index));
                let process = self.remote_process(process)?;
                let ticket = self.ticket(process, RemoteTarget::Variable(variable.name.clone()), span);
                let place = Place {
                    var: super::program::VarId(ticket),
                    index,
                    fields: Vec::new(),
                    ty: super::program::Scalar::Int,
                    span,
                };
                ExprKind::RemoteVariable { process, pid, place }
            }
            tree::ExprKind::TemporalUnary(..) | tree::ExprKind::TemporalBinary(..) => {
                self.error(
                    "temporal.operand",
                    span,
                    "a temporal operator inside arithmetic or a comparison",
                    "put parentheses around the comparison: `[] (x == 1)`",
                );
                return None;
            }
            tree::ExprKind::Error => return None,
        })
    }

    #[inline(never)]
    fn non_progress(&mut self, span: Span) -> ExprKind {
        if self.current.as_ref().is_some_and(|current| current.kind != ProcessKind::Never) {
            self.error(
                "claim.np",
                span,
                "`np_` outside a never claim",
                "use it in a claim or formula; ask for non-progress cycles instead",
            );
        }
        ExprKind::NonProgress
    }

    #[inline(never)]
    fn check_remote_label(&mut self, span: Span) {
        if self.current.as_ref().is_some_and(|current| current.d_step.is_some()) {
            let message = "a remote reference to a label inside d_step";
            self.error("d_step.remote", span, message, "use atomic");
        }
    }

    #[inline(never)]
    fn special(&mut self, special: Special, span: Span) -> Option<ExprKind> {
        Some(match special {
            Special::Pid => ExprKind::Pid,
            Special::ProcessCount => ExprKind::ProcessCount,
            Special::Last => ExprKind::Last,
            Special::Priority => ExprKind::Priority,
            Special::Discard => {
                let trace = self
                    .current
                    .as_ref()
                    .is_some_and(|current| matches!(current.kind, ProcessKind::Trace | ProcessKind::NoTrace));
                if trace {
                    return Some(ExprKind::Discard);
                }
                self.error("name.discard", span, "`_` has no value to read", "use a variable");
                return None;
            }
        })
    }

    fn ticket(&mut self, process: ProcessId, target: RemoteTarget, span: Span) -> u32 {
        let call = self.current.as_ref().and_then(|current| current.call);
        self.remotes.push(Remote { process, target, span, call });
        self.remotes.len() as u32 - 1
    }

    #[inline(never)]
    fn remote_process(&mut self, name: &tree::Name) -> Option<ProcessId> {
        let id = self.process_id(&name.text);
        if id.is_none() {
            self.error(
                "name.process.unknown",
                name.span,
                format!("no process `{}`", name.text),
                "a remote reference names a proctype",
            );
        }
        id
    }

    #[inline(never)]
    fn run(
        &mut self,
        process: &tree::Name,
        arguments: &[tree::Expr],
        priority: Option<&tree::Expr>,
        span: Span,
    ) -> Option<ExprKind> {
        let arguments = self.flat_arguments(arguments);
        let priority = priority.and_then(|priority| self.priority(priority));
        match self.current.as_ref().map(|current| (current.kind, current.d_step)) {
            None => {
                self.error(
                    "run.outside",
                    span,
                    "`run` outside a process",
                    "start processes in a proctype or in init",
                );
            }
            Some((_, Some(_))) => {
                self.error("d_step.run", span, "`run` inside d_step", "use atomic");
            }
            Some((ProcessKind::Never | ProcessKind::Trace | ProcessKind::NoTrace, _)) => {
                self.error("claim.run", span, "`run` in a claim", "a claim only watches");
            }
            Some(_) => {}
        }
        let id = self.process_id(&process.text);
        let Some(id) = id.filter(|_| !process.text.starts_with(':')) else {
            self.error(
                "name.process.unknown",
                process.span,
                format!("no proctype `{}`", process.text),
                "declare it with `proctype`",
            );
            return None;
        };
        self.runs.push((id, arguments.len(), span));
        Some(ExprKind::Run { process: id, arguments, priority })
    }

    /// A priority is between 1 and 255.
    pub(super) fn priority(&mut self, expr: &tree::Expr) -> Option<u8> {
        let value = self.constant(expr)?;
        match u8::try_from(value) {
            Ok(0) | Err(_) => {
                self.error(
                    "process.priority",
                    expr.span,
                    format!("{value} is no priority"),
                    "priorities are between 1 and 255",
                );
                None
            }
            Ok(priority) => Some(priority),
        }
    }

    /// Arguments of a send or a run: a structure stands for its fields.
    #[inline(never)]
    pub(super) fn flat_arguments(&mut self, arguments: &[tree::Expr]) -> Vec<Expr> {
        let mut flat = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let span = argument.span;
            let tree::ExprKind::Reference(reference) = &argument.kind else {
                flat.push(self.expr(argument));
                continue;
            };
            match self.reference(reference) {
                Resolved::Whole(whole) => {
                    let mut places = Vec::new();
                    self.flatten_place(&whole, &mut places);
                    flat.extend(places.into_iter().map(|place| Expr { span, kind: ExprKind::Read(place) }));
                }
                Resolved::Place(place) => flat.push(Expr { span, kind: ExprKind::Read(place) }),
                Resolved::Special(special) => {
                    let kind = self.special(special, span).unwrap_or(ExprKind::Constant(0));
                    flat.push(Expr { span, kind });
                }
                Resolved::Error => flat.push(Expr { span, kind: ExprKind::Constant(0) }),
            }
        }
        flat
    }

    /// Arguments of a receive or a poll.
    #[inline(never)]
    pub(super) fn matches(&mut self, arguments: &[tree::Argument]) -> Vec<Match> {
        let mut flat = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                tree::Argument::Eval(expr) | tree::Argument::Constant(expr) => {
                    let value = self.expr(expr);
                    flat.push(Match::Equal(value));
                }
                tree::Argument::Reference(reference) => match self.reference(reference) {
                    Resolved::Place(place) => flat.push(Match::Store(place)),
                    Resolved::Whole(whole) => {
                        let mut places = Vec::new();
                        self.flatten_place(&whole, &mut places);
                        flat.extend(places.into_iter().map(Match::Store));
                    }
                    Resolved::Special(Special::Discard) => flat.push(Match::Discard),
                    Resolved::Special(_) => {
                        self.error(
                            "assign.predefined",
                            reference.span,
                            "this predefined name cannot be received into",
                            "write `eval(…)` to match its value, or receive into a variable",
                        );
                        flat.push(Match::Discard);
                    }
                    Resolved::Error => flat.push(Match::Discard),
                },
            }
        }
        flat
    }
}
