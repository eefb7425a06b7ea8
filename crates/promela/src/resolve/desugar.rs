//! `for` and `select`: the statements that SPIN generates for them.
//!
//! SPIN puts the start value's assignment into the surrounding sequence, before the loop, so that a label
//! on the `for` is a label on the loop. `select` with a plain name and literal bounds is replaced by SPIN's
//! lexer: an `if` with one option per value, or for more than 33 values a loop written out.

use source::Span;

use super::Resolver;
use super::program::{
    AssignForm, BinaryOp, Expr, ExprKind, Initial, Match, Owner, Place, Scalar, Stmt, StmtKind, Target, Type,
    VarId, Variable, Visibility,
};
use crate::syntax::tree;

/// The head of a loop that counts.
struct LoopHead {
    /// The variable that counts.
    place: Place,
    start: Expr,
    /// Holds between the variable and the end as long as the loop goes on.
    comparison: BinaryOp,
    end: Expr,
    /// What is done in front of the body, each time.
    prologue: Vec<StmtKind>,
}

impl LoopHead {
    fn new(place: Place, start: Expr, comparison: BinaryOp, end: Expr) -> LoopHead {
        LoopHead { place, start, comparison, end, prologue: Vec::new() }
    }
}

impl Resolver {
    #[inline(never)]
    pub(super) fn for_loop(&mut self, header: &tree::For, body: &tree::Block, span: Span) -> Option<Stmt> {
        match header {
            tree::For::Range { variable, from, to } => {
                let place = self.loop_variable(variable);
                let start = self.expr(from);
                let end = self.expr(to);
                if let (ExprKind::Constant(low), ExprKind::Constant(high)) = (&start.kind, &end.kind)
                    && low > high
                {
                    self.bad_range(span);
                }
                let Some(place) = place else {
                    self.loop_over_faulty(body);
                    return None;
                };
                let head = LoopHead::new(place, start, BinaryOp::LessEqual, end);
                Some(self.counted(head, body, span))
            }
            tree::For::In { variable, container } => self.for_in(variable, container, body, span),
        }
    }

    /// A body whose head is wrong is still looked at.
    fn loop_over_faulty(&mut self, body: &tree::Block) {
        let id = self.next_statement();
        self.enter_loop(id);
        self.braced(body);
        self.leave_loop();
    }

    fn bad_range(&mut self, span: Span) {
        self.error("for.range", span, "the first value is larger than the last", "swap them");
    }

    /// The variable of a `for` or `select`: a plain number.
    fn loop_variable(&mut self, reference: &tree::Reference) -> Option<Place> {
        let place = self.place(reference)?;
        if place.index.is_some() || !place.fields.is_empty() || place.ty == Scalar::Chan {
            self.error(
                "for.variable",
                reference.span,
                "this cannot count a loop",
                "use a plain variable, no element, field or channel",
            );
            return None;
        }
        Some(place)
    }

    #[inline(never)]
    fn for_in(
        &mut self,
        variable: &tree::Reference,
        container: &tree::Reference,
        body: &tree::Block,
        span: Span,
    ) -> Option<Stmt> {
        if let Some((name, id)) = self.plain_structure(variable) {
            let _ = name;
            return self.for_messages(id, variable, container, body, span);
        }
        let place = self.loop_variable(variable);
        let length = self.array_of(container);
        let (Some(place), Some(length)) = (place, length) else {
            self.loop_over_faulty(body);
            return None;
        };
        let constant = |value: i32| Expr { span: container.span, kind: ExprKind::Constant(value) };
        let end = constant(length as i32 - 1);
        Some(self.counted(LoopHead::new(place, constant(0), BinaryOp::LessEqual, end), body, span))
    }

    fn plain_structure<'t>(&self, reference: &'t tree::Reference) -> Option<(&'t tree::Name, VarId)> {
        let [part] = &reference.parts[..] else { return None };
        let id = self.lookup(&part.name.text)?;
        let variable = &self.variables[id.0 as usize];
        let whole = matches!(variable.ty, Type::Structure(_)) && variable.length.is_none();
        (whole && part.index.is_none()).then_some((&part.name, id))
    }

    /// The number of elements of an array named without an index.
    fn array_of(&mut self, container: &tree::Reference) -> Option<u32> {
        let (last, outer) = container.parts.split_last()?;
        if last.index.is_none() {
            let length = if outer.is_empty() {
                self.lookup(&last.name.text).and_then(|id| self.variables[id.0 as usize].length)
            } else {
                let span = container.span;
                let outer = tree::Reference { parts: outer.to_vec(), span };
                match self.reference(&outer) {
                    super::place::Resolved::Whole(whole) => {
                        let fields = &self.structures[whole.structure.0 as usize].fields;
                        fields
                            .iter()
                            .find(|field| *field.name == *last.name.text)
                            .and_then(|field| field.length)
                    }
                    _ => None,
                }
            };
            if length.is_some() {
                return length;
            }
        }
        self.error(
            "for.container",
            container.span,
            "this is no array",
            "name an array, or a channel of structures",
        );
        None
    }

    /// `for (m in q)`: the channel is rotated once, each message passes through `m`.
    #[inline(never)]
    fn for_messages(
        &mut self,
        message: VarId,
        variable: &tree::Reference,
        container: &tree::Reference,
        body: &tree::Block,
        span: Span,
    ) -> Option<Stmt> {
        let channel = self.channel(container);
        let ty = self.variables[message.0 as usize].ty;
        let fitting = channel.as_ref().is_some_and(|channel| {
            let capacity = self.declared_channel(channel).map_or(0, |channel| channel.capacity);
            let types = self.message_types.get(&channel.var).map(Vec::as_slice);
            channel.fields.is_empty() && capacity > 0 && types == Some(&[ty])
        });
        let Some(channel) = channel.filter(|_| fitting) else {
            self.error(
                "for.container",
                container.span,
                "this is no buffered channel of the variable's type",
                "the channel must be declared here as `[n] of { type }` with the same typedef",
            );
            self.loop_over_faulty(body);
            return None;
        };
        let capacity = self.declared_channel(&channel).map_or(0, |channel| channel.capacity);
        let mut fields = Vec::new();
        if let super::place::Resolved::Whole(whole) = self.reference(variable) {
            self.flatten_place(&whole, &mut fields);
        }
        let counter = self.counter(capacity, span);
        let zero = Expr { span, kind: ExprKind::Constant(0) };
        let length = Expr { span, kind: ExprKind::Length(channel.clone()) };
        let receive = StmtKind::Receive {
            channel: channel.clone(),
            random: false,
            peek: false,
            arguments: fields.iter().cloned().map(Match::Store).collect(),
        };
        let send = StmtKind::Send {
            channel,
            sorted: false,
            arguments: fields.into_iter().map(|place| Expr { span, kind: ExprKind::Read(place) }).collect(),
        };
        let mut head = LoopHead::new(counter, zero, BinaryOp::Less, length);
        head.prologue = vec![receive, send];
        Some(self.counted(head, body, span))
    }

    /// The hidden counter, one per scope.
    #[inline(never)]
    fn counter(&mut self, capacity: u32, span: Span) -> Place {
        let ty = if capacity > 255 { Scalar::Short } else { Scalar::Byte };
        let (scope, owner) = match &self.current {
            Some(current) => (current.scope, Owner::Local(current.id)),
            None => (0, Owner::Global),
        };
        let known = self.current.as_ref().and_then(|current| current.counters.get(&scope)).copied();
        let var = match known {
            Some(var) => var,
            None => {
                let var = VarId(self.variables.len() as u32);
                self.variables.push(Variable {
                    name: format!("_f0r_t3mp_{scope}"),
                    span,
                    owner,
                    ty: Type::Scalar(ty),
                    length: None,
                    initial: Initial::Zero,
                    visibility: Visibility::Normal,
                    parameter: false,
                    leading: true,
                    generated: true,
                });
                if let Some(current) = &mut self.current {
                    current.variables.push(var);
                    current.counters.insert(scope, var);
                }
                var
            }
        };
        let ty = match self.variables[var.0 as usize].ty {
            Type::Scalar(ty) => ty,
            Type::Structure(_) => ty,
        };
        Place { var, index: None, fields: Vec::new(), ty, span }
    }

    /// Emits the start and builds the loop.
    #[inline(never)]
    fn counted(&mut self, head: LoopHead, body: &tree::Block, span: Span) -> Stmt {
        let LoopHead { place, start, comparison, end, prologue } = head;
        self.emit_assign(&place, start, span);
        let id = self.next_statement();
        self.enter_loop(id);
        self.not_leading();
        self.open_sequence();
        let condition = self.compare(&place, comparison, end, span);
        self.emit_new(StmtKind::Condition(condition), span);
        for kind in prologue {
            self.emit_new(kind, span);
        }
        self.scoped(|resolver| {
            resolver.not_leading();
            resolver.steps(&body.steps);
        });
        let next = self.by_one(ExprKind::Read(place.clone()), BinaryOp::Add, span);
        self.emit_assign(&place, next, span);
        let main = self.close_sequence();
        self.leave_loop();
        let otherwise = self.new_stmt(StmtKind::Else, span);
        let leave = self.new_stmt(StmtKind::Break(id), span);
        self.stmt_with(id, StmtKind::Do(vec![main, vec![otherwise, leave]]), span)
    }

    fn emit_assign(&mut self, place: &Place, value: Expr, span: Span) {
        let kind = self.assign_kind(place, value);
        self.emit_new(kind, span);
    }

    fn assign_kind(&self, place: &Place, value: Expr) -> StmtKind {
        StmtKind::Assign { target: Target::Place(place.clone()), value, form: AssignForm::Plain }
    }

    fn compare(&self, place: &Place, comparison: BinaryOp, end: Expr, span: Span) -> Expr {
        let read = Expr { span, kind: ExprKind::Read(place.clone()) };
        Expr { span, kind: ExprKind::Binary(comparison, Box::new(read), Box::new(end)) }
    }

    #[inline(never)]
    pub(super) fn select(&mut self, select: &tree::Select, span: Span) -> Option<Stmt> {
        let tree::Select { target, from, to, textual } = select;
        let textual = *textual;
        let place = if textual { self.place(target) } else { self.loop_variable(target) };
        let low = self.expr(from);
        let high = self.expr(to);
        let bounds = match (&low.kind, &high.kind) {
            (ExprKind::Constant(low), ExprKind::Constant(high)) => Some((*low, *high)),
            _ => None,
        };
        if bounds.is_some_and(|(low, high)| low > high) {
            self.bad_range(span);
            return None;
        }
        let place = place?;
        if let (true, Some((first, last))) = (textual, bounds)
            && i64::from(last) - i64::from(first) <= 32
        {
            let id = self.next_statement();
            let mut options = Vec::new();
            for value in first..=last {
                let value = Expr { span, kind: ExprKind::Constant(value) };
                let kind = self.assign_kind(&place, value);
                options.push(vec![self.new_stmt(kind, span)]);
            }
            return Some(self.stmt_with(id, StmtKind::If(options), span));
        }
        let start = self.assign_kind(&place, low);
        let start = self.new_stmt(start, span);
        let id = self.next_statement();
        let condition = self.compare(&place, BinaryOp::Less, high, span);
        let condition = self.new_stmt(StmtKind::Condition(condition), span);
        let next = self.by_one(ExprKind::Read(place.clone()), BinaryOp::Add, span);
        let kind = self.assign_kind(&place, next);
        let next = self.new_stmt(kind, span);
        let leave = vec![self.new_stmt(StmtKind::Break(id), span)];
        let climb = vec![condition, next];
        if textual {
            // Two statements, so that a label stands on the first.
            let climbing = self.stmt_with(id, StmtKind::Do(vec![climb, leave]), span);
            if let Some(current) = &mut self.current {
                current.trailing.push(climbing);
            }
            return Some(start);
        }
        self.emit(start);
        Some(self.stmt_with(id, StmtKind::Do(vec![leave, climb]), span))
    }
}
