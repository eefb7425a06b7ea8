//! Checks that SPIN makes while reading or generating, and the warnings that matter.

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use super::Resolver;
use super::program::{
    Expr, ExprKind, Match, MtypeId, Owner, Place, ProcessId, ProcessKind, Scalar, Stmt, StmtKind,
};
use crate::syntax::tree::{self, ExprKind as TreeExpr};

/// The two ways of a message.
#[derive(Clone, Copy)]
pub(super) enum Transfer {
    Send,
    Receive,
}

impl Resolver {
    // ---- whole program ----

    pub(super) fn check_process_once(&mut self, process: &tree::Process, id: ProcessId) {
        let (code, message): (&'static str, _) = match process.kind {
            ProcessKind::Init => ("process.init.twice", "a second `init`".to_string()),
            ProcessKind::Trace | ProcessKind::NoTrace => ("trace.twice", "a second trace".to_string()),
            ProcessKind::Never => {
                ("name.redeclared", format!("two claims are called `{}`", process.name.text))
            }
            ProcessKind::Proctype => return,
        };
        let trace = |kind: ProcessKind| matches!(kind, ProcessKind::Trace | ProcessKind::NoTrace);
        let before = self.processes.iter().take(id.0 as usize).find(|old| match process.kind {
            kind if trace(kind) => trace(old.kind),
            kind => old.kind == kind && *old.name == *process.name.text,
        });
        if let Some(before) = before.map(|old| old.span) {
            self.report(
                Diagnostic::error(code, process.name.span, message)
                    .label(before, "the first is here")
                    .help("keep one"),
            );
        }
    }

    /// What can be checked only when everything is known.
    pub(super) fn check_whole(&mut self) {
        for (process, count, span) in std::mem::take(&mut self.runs) {
            let Some(target) = self.processes.get(process.0 as usize) else { continue };
            let expected = target.parameters.len();
            if target.kind != ProcessKind::Proctype {
                let message = format!("`{}` is no proctype", target.name);
                self.error("name.process.unknown", span, message, "only a proctype can be run");
            } else if expected != count {
                let plural = if expected == 1 { "" } else { "s" };
                let message = format!("`{}` takes {expected} parameter{plural}, not {count}", target.name);
                let place = target.span;
                self.report(
                    Diagnostic::error("run.arguments", span, message)
                        .label(place, "declared here")
                        .help("a structure counts as its fields"),
                );
            }
        }
        for (count, span) in std::mem::take(&mut self.sends) {
            if count > self.largest_message {
                self.error(
                    "send.arguments",
                    span,
                    format!("{count} fields are sent, but no channel of the model has that many"),
                    "declare a channel with `chan q = [n] of { types }`",
                );
            }
        }
        for index in 0..self.processes.len() {
            let process = &self.processes[index];
            if process.parameters.len() > 255 {
                let span = process.span;
                self.error("process.parameters", span, "more than 255 parameters", "pass fewer");
            }
        }
        let active: u32 = self.processes.iter().map(|process| process.active).sum();
        let known = self.messages.0.has_code("process.many");
        if active > 255
            && !known
            && let Some(span) = self.processes.iter().rev().find(|process| process.active > 0).map(|p| p.span)
        {
            self.error(
                "process.many",
                span,
                format!("{active} processes at the start"),
                "there are at most 255 processes",
            );
        }
        let runnable = self.processes.iter().any(|process| process.active > 0);
        let broken = self.messages.0.has_errors();
        if !runnable && !broken {
            let span = self.processes.first().map(|process| process.span);
            let span = span.or_else(|| self.variables.first().map(|variable| variable.span));
            let span = span.unwrap_or(Span::new(source::FileId(0), 0, 0));
            self.error(
                "process.none",
                span,
                "no process runs at the start",
                "add an `init`, or write `active` before a proctype",
            );
        }
    }

    // ---- claims ----

    fn in_claim(&self) -> bool {
        self.current.as_ref().is_some_and(|current| current.kind == ProcessKind::Never)
    }

    pub(super) fn check_claim_io(&mut self, span: Span) {
        if self.in_claim() {
            self.error(
                "claim.io",
                span,
                "a never claim sends or receives",
                "a claim only watches; use polls",
            );
        }
    }

    pub(super) fn check_claim_assignment(&mut self, span: Span) {
        if self.in_claim() {
            self.warn(
                "claim.assignment",
                span,
                "a never claim changes a variable",
                "a claim should only watch",
            );
        }
    }

    pub(super) fn claim_only(&mut self, span: Span, what: &str) {
        let outside = self.current.as_ref().is_some_and(|current| current.kind != ProcessKind::Never);
        if outside {
            self.warn(
                "claim.only",
                span,
                format!("`{what}` outside a never claim"),
                "it switches partial-order reduction off",
            );
        }
    }

    // ---- expressions ----

    /// SPIN does not let `full` and its kin be negated or computed with: reduction relies on it.
    pub(super) fn check_probe_operand(&mut self, operand: &tree::Expr) {
        if contains_probe(operand) {
            self.warn(
                "probe.operand",
                operand.span,
                "`full`, `nfull`, `empty` and `nempty` should only be combined with && and ||",
                "use the opposite: `nfull` instead of `!full`",
            );
        }
    }

    pub(super) fn check_provided(&mut self, provided: &Expr) {
        if let Some(span) = self.improper_enabler(provided) {
            self.error(
                "process.provided",
                span,
                "this cannot stand in a provided clause",
                "use global variables, constants and `_pid` only",
            );
        }
    }

    fn improper_enabler(&self, expr: &Expr) -> Option<Span> {
        let local = |place: &Place| {
            let owner = self.variables[place.var.0 as usize].owner;
            (owner != Owner::Global).then_some(expr.span)
        };
        match &expr.kind {
            ExprKind::Constant(_)
            | ExprKind::Mtype(..)
            | ExprKind::Pid
            | ExprKind::ProcessCount
            | ExprKind::Last
            | ExprKind::Priority
            | ExprKind::Timeout => None,
            ExprKind::Read(place) | ExprKind::Length(place) | ExprKind::Probe(_, place) => local(place),
            ExprKind::Poll { channel, .. } => local(channel),
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::GetPriority(inner) => self.improper_enabler(inner),
            ExprKind::Binary(_, left, right) => {
                self.improper_enabler(left).or_else(|| self.improper_enabler(right))
            }
            ExprKind::Conditional(test, yes, no) => self
                .improper_enabler(test)
                .or_else(|| self.improper_enabler(yes))
                .or_else(|| self.improper_enabler(no)),
            ExprKind::Run { .. }
            | ExprKind::NonProgress
            | ExprKind::Discard
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVariable { .. } => Some(expr.span),
        }
    }

    /// A condition is a `run` alone, or has none.
    pub(super) fn check_condition_runs(&mut self, condition: &Expr) {
        let inside = match &condition.kind {
            ExprKind::Run { arguments, .. } => arguments.iter().find_map(find_run),
            _ => find_run(condition),
        };
        if let Some(span) = inside {
            self.error(
                "run.compound",
                span,
                "`run` inside a larger expression",
                "make it a statement of its own: `x = run P()`",
            );
        }
    }

    pub(super) fn check_send_runs(&mut self, arguments: &[Expr]) {
        if let Some(span) = arguments.iter().find_map(find_run) {
            self.error(
                "run.send",
                span,
                "`run` in a message",
                "start the process before and send its number",
            );
        }
    }

    // ---- statements ----

    pub(super) fn check_assignment(&mut self, place: &Place, value: &tree::Expr, resolved: &Expr) {
        if place.ty == Scalar::Chan
            && place.fields.is_empty()
            && matches!(resolved.kind, ExprKind::Constant(_) | ExprKind::Mtype(..))
        {
            self.error("type.channel.constant", value.span, "a constant is no channel", "assign a channel");
        }
        if place.fields.is_empty() {
            self.check_channel_arithmetic(resolved, false);
            self.check_mtype_assignment(place, value);
        }
    }

    /// A channel may be copied and tested, not computed with.
    fn check_channel_arithmetic(&mut self, expr: &Expr, inside: bool) {
        match &expr.kind {
            ExprKind::Read(place) if inside && place.ty == Scalar::Chan && place.fields.is_empty() => {
                self.error(
                    "type.channel.arithmetic",
                    expr.span,
                    "arithmetic on a channel",
                    "a channel can only be copied",
                );
            }
            ExprKind::Unary(_, inner) => self.check_channel_arithmetic(inner, true),
            ExprKind::Binary(_, left, right) => {
                self.check_channel_arithmetic(left, true);
                self.check_channel_arithmetic(right, true);
            }
            ExprKind::Conditional(test, yes, no) => {
                self.check_channel_arithmetic(test, true);
                self.check_channel_arithmetic(yes, true);
                self.check_channel_arithmetic(no, true);
            }
            _ => {}
        }
    }

    fn checked_constant(&self, value: &tree::Expr) -> Option<(MtypeId, String)> {
        match &value.kind {
            TreeExpr::Constant { name, checked: true } => {
                self.constants.get(&name.text).map(|(list, _)| (*list, name.text.to_string()))
            }
            _ => None,
        }
    }

    /// A variable belongs to the list of its declaration, or of the first constant assigned to it.
    fn check_mtype_assignment(&mut self, place: &Place, value: &tree::Expr) {
        let Some((list, name)) = self.checked_constant(value) else { return };
        let declared = match place.ty {
            Scalar::Mtype(declared) if declared != MtypeId(0) => declared,
            _ => *self.bound_mtypes.entry(place.var).or_insert(list),
        };
        if declared != list {
            self.mtype_mismatch(value.span, &name, list, declared);
        }
    }

    pub(super) fn check_mtype_initial(&mut self, scalar: Scalar, value: &tree::Expr) {
        let Some((list, name)) = self.checked_constant(value) else { return };
        match scalar {
            Scalar::Mtype(declared) if declared != MtypeId(0) && declared != list => {
                self.mtype_mismatch(value.span, &name, list, declared);
            }
            _ => {}
        }
    }

    fn mtype_mismatch(&mut self, span: Span, name: &str, list: MtypeId, wanted: MtypeId) {
        let describe = |id: MtypeId, mtypes: &[super::program::Mtype]| match &mtypes[id.0 as usize].name {
            Some(name) => format!("`mtype:{name}`"),
            None => "`mtype`".to_string(),
        };
        let message = format!(
            "`{name}` belongs to {}, the variable to {}",
            describe(list, &self.mtypes),
            describe(wanted, &self.mtypes)
        );
        self.error("type.mtype", span, message, "use a constant of the variable's list");
    }

    pub(super) fn check_field_count(
        &mut self,
        channel: &Place,
        count: usize,
        span: Span,
        transfer: Transfer,
    ) {
        let Some(expected) = self.declared_channel(channel).map(|channel| channel.fields.len()) else {
            return;
        };
        if expected != count {
            let plural = if expected == 1 { "" } else { "s" };
            self.warn(
                "type.message.fields",
                span,
                format!("the channel's messages have {expected} field{plural}, not {count}"),
                match (transfer, count < expected) {
                    (Transfer::Send, true) => {
                        "give every field a value: a message that is too short is an error"
                    }
                    (Transfer::Receive, true) => "fields that are not mentioned are lost",
                    (_, false) => "remove the surplus: a message has no such field, which is an error",
                },
            );
        }
    }

    pub(super) fn check_received_twice(&mut self, arguments: &[Match]) {
        let mut seen: FxHashMap<(u32, Option<i32>), Span> = FxHashMap::default();
        for argument in arguments {
            let Match::Store(place) = argument else { continue };
            // Elements and fields are told apart where that is plain; SPIN does not look further.
            let element = match place.index.as_deref().map(|index| &index.kind) {
                None => None,
                Some(ExprKind::Constant(value)) => Some(*value),
                Some(_) => continue,
            };
            if place.fields.is_empty() && seen.insert((place.var.0, element), place.span).is_some() {
                let name = self.variables[place.var.0 as usize].name.clone();
                self.error(
                    "receive.twice",
                    place.span,
                    format!("`{name}` is received twice in one message"),
                    "use two variables, or `_`",
                );
            }
        }
    }

    pub(super) fn check_format(&mut self, format: &str, count: usize, span: Span) {
        let mut wanted = 0;
        let mut bytes = format.bytes();
        while let Some(byte) = bytes.next() {
            if byte == b'%' {
                match bytes.next() {
                    Some(b'%') => {}
                    Some(_) => wanted += 1,
                    None => break,
                }
            }
        }
        if wanted != count {
            self.warn(
                "printf.arguments",
                span,
                format!("the text asks for {wanted} values, {count} are given"),
                "give one value for each %",
            );
        }
    }

    /// `else` comes last; there is one of them; beside input or output it is doubtful.
    #[inline(never)]
    pub(super) fn order_else(&mut self, options: &mut Vec<Vec<Stmt>>, span: Span) {
        let is_else =
            |option: &Vec<Stmt>| matches!(option.first().map(|stmt| &stmt.kind), Some(StmtKind::Else));
        let Some(position) = options.iter().position(is_else) else { return };
        let option = options.remove(position);
        let place = option.first().map_or(span, |stmt| stmt.span);
        if let Some(second) = options.iter().find(|option| is_else(option)).and_then(|option| option.first())
        {
            let second = second.span;
            self.report(
                Diagnostic::error("else.twice", second, "a second `else`")
                    .label(place, "the first is here")
                    .help("a selection has one `else`"),
            );
        }
        let transfers = options.iter().any(|option| option.first().is_some_and(uses_channel));
        options.push(option);
        if transfers && self.has_exclusive {
            self.error(
                "else.exclusive",
                place,
                "`else` beside input or output, in a model with xr or xs",
                "write the opposite condition instead of `else`",
            );
        } else if transfers {
            self.warn(
                "else.dubious",
                place,
                "`else` beside input or output",
                "it is taken when no transfer is possible at the moment; polls say so more plainly",
            );
        }
    }
}

fn uses_channel(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Send { .. } | StmtKind::Receive { .. } => true,
        StmtKind::Condition(expr) => has_probe(expr),
        _ => false,
    }
}

fn has_probe(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Probe(..) => true,
        ExprKind::Unary(_, inner) => has_probe(inner),
        ExprKind::Binary(_, left, right) => has_probe(left) || has_probe(right),
        _ => false,
    }
}

fn contains_probe(expr: &tree::Expr) -> bool {
    match &expr.kind {
        TreeExpr::Probe(..) => true,
        TreeExpr::Binary(tree::BinaryOp::And | tree::BinaryOp::Or, left, right) => {
            contains_probe(left) || contains_probe(right)
        }
        _ => false,
    }
}

/// Where a `run` stands in an expression.
pub(super) fn find_run(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Run { .. } => Some(expr.span),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => find_run(inner),
        ExprKind::Binary(_, left, right) => find_run(left).or_else(|| find_run(right)),
        ExprKind::Conditional(test, yes, no) => {
            find_run(test).or_else(|| find_run(yes)).or_else(|| find_run(no))
        }
        _ => None,
    }
}
