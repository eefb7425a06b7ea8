//! Statements, built in the order in which SPIN builds its sequences.
//!
//! A statement may put others before itself into the sequence being built (the start of a `for`), so
//! sequences live on a stack (`Current::output`) and [`Resolver::stmt`] hands back the statement proper.

use source::Span;

use super::Resolver;
use super::check::Transfer;
use super::place::{Resolved, Special};
use super::program::{
    AssignForm, BinaryOp, ExpansionId, Expr, ExprKind, LabelId, ProcessKind, Scalar, Stmt, StmtKind, Target,
};
use crate::syntax::tree;

impl Resolver {
    // ---- sequences ----

    pub(super) fn emit(&mut self, stmt: Stmt) {
        if let Some(sequence) = self.current.as_mut().and_then(|current| current.output.last_mut()) {
            sequence.push(stmt);
        }
    }

    pub(super) fn emit_new(&mut self, kind: StmtKind, span: Span) {
        let stmt = self.new_stmt(kind, span);
        self.emit(stmt);
    }

    pub(super) fn new_stmt(&mut self, kind: StmtKind, span: Span) -> Stmt {
        let id = self.next_statement();
        self.stmt_with(id, kind, span)
    }

    pub(super) fn stmt_with(&self, id: super::program::StmtId, kind: StmtKind, span: Span) -> Stmt {
        let call = self.current.as_ref().and_then(|current| current.call);
        Stmt { id, span, labels: Vec::new(), expansion: call.map(ExpansionId), kind }
    }

    pub(super) fn open_sequence(&mut self) {
        if let Some(current) = &mut self.current {
            current.output.push(Vec::new());
        }
    }

    pub(super) fn close_sequence(&mut self) -> Vec<Stmt> {
        self.current.as_mut().and_then(|current| current.output.pop()).unwrap_or_default()
    }

    /// The statements of a block, in the scope at hand.
    pub(super) fn sequence(&mut self, block: &tree::Block) -> Vec<Stmt> {
        self.open_sequence();
        self.steps(&block.steps);
        self.close_sequence()
    }

    /// A nested sequence: declarations in it are steps.
    #[inline(never)]
    pub(super) fn inner_sequence(&mut self, block: &tree::Block) -> Vec<Stmt> {
        self.not_leading();
        let faults = self.faults;
        let statements = self.sequence(block);
        if statements.is_empty() && !block.steps.is_empty() && faults == self.faults {
            self.error(
                "sequence.empty",
                block.span,
                "a sequence needs at least one statement",
                "write `skip` for a step that does nothing",
            );
        }
        statements
    }

    /// A block in braces.
    #[inline(never)]
    pub(super) fn braced(&mut self, block: &tree::Block) -> Vec<Stmt> {
        self.scoped(|resolver| resolver.inner_sequence(block))
    }

    pub(super) fn not_leading(&mut self) {
        if let Some(current) = &mut self.current {
            current.leading = false;
        }
    }

    #[inline(never)]
    pub(super) fn steps(&mut self, steps: &[tree::Step]) {
        for step in steps {
            match step {
                tree::Step::Declare(declaration) => self.declare(declaration),
                tree::Step::Mtype(list) => {
                    self.error(
                        "type.mtype.local",
                        list.span,
                        "symbolic constants are declared inside a process",
                        "move the declaration to the top",
                    );
                }
                tree::Step::Exclusive { receive, channels, span } => {
                    for channel in channels {
                        self.exclusive(channel, *receive, *span);
                    }
                }
                tree::Step::Stmt(stmt) => {
                    if let Some(stmt) = self.stmt(stmt) {
                        self.emit_labelled(stmt);
                    }
                    let trailing = self.current.as_mut().map(|current| std::mem::take(&mut current.trailing));
                    for stmt in trailing.unwrap_or_default() {
                        self.emit(stmt);
                    }
                    self.not_leading();
                }
            }
        }
    }

    /// Puts a statement into the sequence; a jump with a special label gets a `skip` to carry it.
    #[inline(never)]
    pub(super) fn emit_labelled(&mut self, mut stmt: Stmt) {
        let jump = matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break(_));
        if jump && self.has_special_label(&stmt.labels) {
            let one = Expr { span: stmt.span, kind: ExprKind::Constant(1) };
            let mut skip = self.new_stmt(StmtKind::Condition(one), stmt.span);
            skip.labels = std::mem::take(&mut stmt.labels);
            self.retarget_labels(&skip);
            self.emit(skip);
        }
        self.emit(stmt);
    }

    // ---- statements ----

    /// The statement proper; none after a report. What SPIN puts before it has been emitted.
    pub(super) fn stmt(&mut self, stmt: &tree::Stmt) -> Option<Stmt> {
        let span = stmt.span;
        let outer = self.current.as_mut().map(|current| std::mem::replace(&mut current.call, stmt.call));
        let result = self.stmt_inner(&stmt.kind, span);
        if let (Some(current), Some(outer)) = (&mut self.current, outer) {
            current.call = outer;
        }
        result
    }

    #[inline(never)]
    fn stmt_inner(&mut self, kind: &tree::StmtKind, span: Span) -> Option<Stmt> {
        let kind = match kind {
            tree::StmtKind::Label { name, stmt } => return self.labelled(name, stmt),
            tree::StmtKind::For { header, body } => return self.for_loop(header, body, span),
            tree::StmtKind::Select(select) => return self.select(select, span),
            tree::StmtKind::Do(options) => return self.do_loop(options, span),
            tree::StmtKind::If(options) => {
                let id = self.next_statement();
                let options = self.options(options, span);
                return Some(self.stmt_with(id, StmtKind::If(options), span));
            }
            tree::StmtKind::Atomic(block) => {
                let id = self.next_statement();
                let statements = self.braced(block);
                self.check_first_label(&statements, "atomic");
                return Some(self.stmt_with(id, StmtKind::Atomic(statements), span));
            }
            tree::StmtKind::Block(block) => {
                let id = self.next_statement();
                let statements = self.braced(block);
                self.check_first_label(&statements, "block");
                return Some(self.stmt_with(id, StmtKind::Block(statements), span));
            }
            tree::StmtKind::Inline { call, body } => {
                let id = self.next_statement();
                let stmt_call = self.current.as_mut().map(|current| current.call.replace(*call));
                let statements = self.braced(body);
                self.check_first_label(&statements, "inline");
                if let (Some(current), Some(outer)) = (&mut self.current, stmt_call) {
                    current.call = outer;
                }
                return Some(self.stmt_with(id, StmtKind::Block(statements), span));
            }
            tree::StmtKind::DStep(block) => return Some(self.d_step(block, span)),
            tree::StmtKind::Unless { main, escape } => return self.unless(main, escape, span),
            tree::StmtKind::Goto(label) => {
                let ticket = self.goto(label);
                StmtKind::Goto(LabelId(ticket))
            }
            tree::StmtKind::Break => self.break_statement(span)?,
            tree::StmtKind::Error => return None,
            other => self.basic(other, span)?,
        };
        Some(self.new_stmt(kind, span))
    }

    #[inline(never)]
    fn basic(&mut self, kind: &tree::StmtKind, span: Span) -> Option<StmtKind> {
        Some(match kind {
            tree::StmtKind::Assign { target, value } => {
                self.assign(target, value, AssignForm::Plain, span)?
            }
            tree::StmtKind::Return { target, value } => {
                self.assign(target, value, AssignForm::Return, span)?
            }
            tree::StmtKind::Increment(target) => self.step_by_one(target, BinaryOp::Add)?,
            tree::StmtKind::Decrement(target) => self.step_by_one(target, BinaryOp::Subtract)?,
            tree::StmtKind::Expr(expr) => {
                let condition = self.expr(expr);
                self.check_condition_runs(&condition);
                StmtKind::Condition(condition)
            }
            tree::StmtKind::Else => StmtKind::Else,
            tree::StmtKind::Send { channel, sorted, arguments } => {
                self.check_claim_io(span);
                let place = self.channel(channel);
                let arguments = self.flat_arguments(arguments);
                self.check_send_runs(&arguments);
                let place = place?;
                self.check_field_count(&place, arguments.len(), span, Transfer::Send);
                self.sends.push((arguments.len(), span));
                StmtKind::Send { channel: place, sorted: *sorted, arguments }
            }
            tree::StmtKind::Receive { channel, random, peek, arguments } => {
                self.check_claim_io(span);
                let place = self.channel(channel);
                let arguments = self.matches(arguments);
                self.check_received_twice(&arguments);
                let place = place?;
                self.check_field_count(&place, arguments.len(), span, Transfer::Receive);
                StmtKind::Receive { channel: place, random: *random, peek: *peek, arguments }
            }
            tree::StmtKind::Assert(expr) => StmtKind::Assert(self.expr(expr)),
            tree::StmtKind::Printf { format, arguments } => {
                self.check_format(format, arguments.len(), span);
                let arguments = arguments.iter().map(|argument| self.expr(argument)).collect();
                StmtKind::Printf { format: format.to_string(), arguments }
            }
            tree::StmtKind::Printm(expr) => StmtKind::Printm(self.expr(expr)),
            tree::StmtKind::SetPriority(operands) => {
                let pid = self.expr(&operands.0);
                StmtKind::SetPriority { pid, priority: self.expr(&operands.1) }
            }
            _ => return None,
        })
    }

    /// What may stand on the left of an assignment.
    pub(super) fn target(&mut self, reference: &tree::Reference) -> Option<Target> {
        match self.reference(reference) {
            Resolved::Place(place) => Some(Target::Place(place)),
            Resolved::Special(Special::Discard) => Some(Target::Discard),
            Resolved::Special(Special::Priority) => Some(Target::Priority),
            Resolved::Special(_) => {
                self.error(
                    "assign.predefined",
                    reference.span,
                    "this predefined variable cannot be assigned",
                    "it is kept by the system",
                );
                None
            }
            Resolved::Whole(whole) => {
                self.incomplete(whole.span);
                None
            }
            Resolved::Error => None,
        }
    }

    #[inline(never)]
    fn assign(
        &mut self,
        target: &tree::Reference,
        value: &tree::Expr,
        form: AssignForm,
        span: Span,
    ) -> Option<StmtKind> {
        self.check_claim_assignment(span);
        let target = self.target(target);
        let resolved = self.expr(value);
        let target = target?;
        if let Target::Place(place) = &target {
            self.check_assignment(place, value, &resolved);
        }
        Some(StmtKind::Assign { target, value: resolved, form })
    }

    #[inline(never)]
    fn step_by_one(&mut self, reference: &tree::Reference, operator: BinaryOp) -> Option<StmtKind> {
        let span = reference.span;
        self.check_claim_assignment(span);
        let target = self.target(reference)?;
        let read = match &target {
            Target::Place(place) if place.ty == Scalar::Chan => {
                self.error("type.channel.arithmetic", span, "arithmetic on a channel", "use a number");
                return None;
            }
            Target::Place(place) => ExprKind::Read(place.clone()),
            Target::Priority => ExprKind::Priority,
            Target::Discard => ExprKind::Constant(0),
        };
        let form = if operator == BinaryOp::Add { AssignForm::Increment } else { AssignForm::Decrement };
        let value = self.by_one(read, operator, span);
        Some(StmtKind::Assign { target, value, form })
    }

    pub(super) fn by_one(&self, read: ExprKind, operator: BinaryOp, span: Span) -> Expr {
        let one = Box::new(Expr { span, kind: ExprKind::Constant(1) });
        let old = Box::new(Expr { span, kind: read });
        Expr { span, kind: ExprKind::Binary(operator, old, one) }
    }

    #[inline(never)]
    fn do_loop(&mut self, options: &[tree::Block], span: Span) -> Option<Stmt> {
        let id = self.next_statement();
        self.enter_loop(id);
        let options = self.options(options, span);
        self.leave_loop();
        Some(self.stmt_with(id, StmtKind::Do(options), span))
    }

    pub(super) fn enter_loop(&mut self, id: super::program::StmtId) {
        if let Some(current) = &mut self.current {
            let d_step = current.d_step;
            current.loops.push((id, d_step));
        }
    }

    pub(super) fn leave_loop(&mut self) {
        if let Some(current) = &mut self.current {
            current.loops.pop();
        }
    }

    #[inline(never)]
    fn break_statement(&mut self, span: Span) -> Option<StmtKind> {
        let (innermost, d_step) = match &self.current {
            Some(current) => (current.loops.last().copied(), current.d_step),
            None => (None, None),
        };
        match innermost {
            None => {
                self.error(
                    "break.outside",
                    span,
                    "`break` outside a loop",
                    "it leaves the innermost `do` or `for`",
                );
                None
            }
            Some((_, around)) if around != d_step => {
                self.error("d_step.jump", span, "this `break` leaves a d_step", "use atomic");
                None
            }
            Some((id, _)) => Some(StmtKind::Break(id)),
        }
    }

    #[inline(never)]
    fn options(&mut self, options: &[tree::Block], span: Span) -> Vec<Vec<Stmt>> {
        let mut sequences = Vec::with_capacity(options.len());
        for option in options {
            let mut statements = self.inner_sequence(option);
            self.check_option_label(&statements);
            self.prune_skips(&mut statements);
            sequences.push(statements);
        }
        self.order_else(&mut sequences, span);
        sequences
    }

    /// SPIN drops the later of several unlabelled skips in a row inside an option.
    #[inline(never)]
    fn prune_skips(&self, statements: &mut Vec<Stmt>) {
        if self.current.as_ref().is_some_and(|current| current.kind == ProcessKind::Never) {
            return;
        }
        let length = statements.len();
        let mut position = 0;
        let mut skips = 0;
        statements.retain(|stmt| {
            let inner = position > 0 && position + 1 < length;
            position += 1;
            let printing = matches!(stmt.kind, StmtKind::Printf { .. } | StmtKind::Printm(_));
            let skip = matches!(&stmt.kind, StmtKind::Condition(Expr { kind: ExprKind::Constant(1), .. }));
            if !(printing || skip) || !stmt.labels.is_empty() {
                skips = 0;
                return true;
            }
            skips += 1;
            !(skips > 1 && skip && inner)
        });
    }

    #[inline(never)]
    fn d_step(&mut self, block: &tree::Block, span: Span) -> Stmt {
        let id = self.next_statement();
        let outermost = match &mut self.current {
            Some(current) if current.d_step.is_none() => {
                current.d_steps += 1;
                current.d_step = Some(current.d_steps);
                true
            }
            _ => false,
        };
        let statements = self.braced(block);
        self.check_first_label(&statements, "d_step");
        if let (Some(current), true) = (&mut self.current, outermost) {
            current.d_step = None;
        }
        self.stmt_with(id, StmtKind::DStep(statements), span)
    }

    #[inline(never)]
    fn unless(&mut self, main: &tree::Stmt, escape: &tree::Stmt, span: Span) -> Option<Stmt> {
        if self.current.as_ref().is_some_and(|current| current.d_step.is_some()) {
            self.warn("d_step.unless", span, "`unless` inside d_step has no effect", "use atomic");
        }
        let id = self.next_statement();
        let main = self.stmt(main);
        self.not_leading();
        let escape = self.stmt(escape);
        let (mut main, escape) = (main?, escape?);
        let escape = match escape {
            Stmt { kind: StmtKind::Block(statements), labels, .. } if labels.is_empty() => statements,
            other => {
                if !other.labels.is_empty() {
                    self.misplaced_label(&other, "an escape has no place of its own to jump to", true);
                }
                vec![other]
            }
        };
        let compound = matches!(main.kind, StmtKind::Block(_) | StmtKind::Atomic(_) | StmtKind::DStep(_));
        if main.labels.is_empty() {
            let main = match main {
                Stmt { kind: StmtKind::Block(statements), .. } => statements,
                other => vec![other],
            };
            return Some(self.stmt_with(id, StmtKind::Unless { main, escape }, span));
        }
        if !compound {
            self.misplaced_label(&main, "write `Label: { statement unless statement }`", true);
        }
        // The label of a block moves out to a block around the whole.
        let labels = std::mem::take(&mut main.labels);
        let main = match main {
            Stmt { kind: StmtKind::Block(statements), .. } => statements,
            other => vec![other],
        };
        let unless = self.stmt_with(id, StmtKind::Unless { main, escape }, span);
        let mut outer = self.new_stmt(StmtKind::Block(vec![unless]), span);
        outer.labels = labels;
        self.retarget_labels(&outer);
        Some(outer)
    }
}
