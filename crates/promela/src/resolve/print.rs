//! Statements, expressions and formulas as one line of text, for traces and messages.
//!
//! What comes out is Promela again, after macros and inlines, with only the parentheses that are needed.
//! A compound statement shows its keyword only.

use std::fmt::Write;

use super::program::{
    AssignForm, BinaryOp, Expr, ExprKind, FieldAccess, LabelId, Match, Place, Probe, ProcessId, Program,
    Stmt, StmtKind, Target, Temporal, TemporalBinary, TemporalKind, TemporalUnary, Type, UnaryOp,
};

impl Program {
    /// The text of a statement of a process.
    pub fn show_stmt(&self, process: ProcessId, stmt: &Stmt) -> String {
        let mut printer = Printer { program: self, text: String::new() };
        printer.stmt(process, stmt);
        printer.text
    }

    pub fn show_expr(&self, expr: &Expr) -> String {
        let mut printer = Printer { program: self, text: String::new() };
        printer.expr(expr, 0);
        printer.text
    }

    pub fn show_temporal(&self, formula: &Temporal) -> String {
        let mut printer = Printer { program: self, text: String::new() };
        printer.temporal(formula, 0);
        printer.text
    }
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn stmt(&mut self, process: ProcessId, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value, form } => {
                self.target(target);
                match form {
                    AssignForm::Increment => self.push("++"),
                    AssignForm::Decrement => self.push("--"),
                    AssignForm::Plain | AssignForm::Declaration | AssignForm::Return => {
                        self.push(" = ");
                        self.expr(value, 0);
                    }
                }
            }
            StmtKind::Condition(Expr { kind: ExprKind::Constant(1), .. }) => self.push("skip"),
            StmtKind::Condition(expr) => self.expr(expr, 0),
            StmtKind::Else => self.push("else"),
            StmtKind::Send { channel, sorted, arguments } => {
                self.place(channel);
                self.push(if *sorted { "!!" } else { "!" });
                self.list(arguments);
            }
            StmtKind::Receive { channel, random, peek, arguments } => {
                self.place(channel);
                self.push(if *random { "??" } else { "?" });
                if *peek {
                    self.push("<");
                }
                self.matches(arguments);
                if *peek {
                    self.push(">");
                }
            }
            StmtKind::Assert(expr) => self.call("assert", std::slice::from_ref(expr)),
            StmtKind::Printf { format, arguments } => {
                self.push("printf(\"");
                self.push(format);
                self.push("\"");
                for argument in arguments {
                    self.push(", ");
                    self.expr(argument, 0);
                }
                self.push(")");
            }
            StmtKind::Printm(expr) => self.call("printm", std::slice::from_ref(expr)),
            StmtKind::SetPriority { pid, priority } => {
                self.push("set_priority(");
                self.expr(pid, 0);
                self.push(", ");
                self.expr(priority, 0);
                self.push(")");
            }
            StmtKind::Declare(variable) => {
                self.push("declaration of ");
                let variable = self.program.variables.get(variable.0 as usize);
                self.push(variable.map_or("?", |variable| &variable.name));
            }
            StmtKind::Goto(label) => {
                self.push("goto ");
                self.label(process, *label);
            }
            StmtKind::Break(_) => self.push("break"),
            StmtKind::If(_) => self.push("if"),
            StmtKind::Do(_) => self.push("do"),
            StmtKind::Atomic(_) => self.push("atomic"),
            StmtKind::DStep(_) => self.push("d_step"),
            StmtKind::Block(_) => self.push("{ }"),
            StmtKind::Unless { .. } => self.push("unless"),
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Place(place) => self.place(place),
            Target::Discard => self.push("_"),
            Target::Priority => self.push("_priority"),
        }
    }

    fn label(&mut self, process: ProcessId, label: LabelId) {
        let labels = self.program.processes.get(process.0 as usize).map(|process| &process.labels);
        let name = labels.and_then(|labels| labels.get(label.0 as usize)).map_or("?", |label| &label.name);
        self.text.push_str(name);
    }

    fn place(&mut self, place: &Place) {
        let Some(variable) = self.program.variables.get(place.var.0 as usize) else { return self.push("?") };
        self.text.push_str(&variable.name);
        self.index(place.index.as_deref());
        let mut ty = variable.ty;
        for FieldAccess { field, index } in &place.fields {
            let Type::Structure(structure) = ty else { return };
            let field = self.program.structure(structure).fields.get(*field as usize);
            let Some(field) = field else { return };
            self.push(".");
            self.text.push_str(&field.name);
            self.index(index.as_deref());
            ty = field.ty;
        }
    }

    fn index(&mut self, index: Option<&Expr>) {
        if let Some(index) = index {
            self.push("[");
            self.expr(index, 0);
            self.push("]");
        }
    }

    fn list(&mut self, arguments: &[Expr]) {
        for (place, argument) in arguments.iter().enumerate() {
            if place > 0 {
                self.push(",");
            }
            self.expr(argument, 0);
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) {
        self.push(name);
        self.push("(");
        self.list(arguments);
        self.push(")");
    }

    fn matches(&mut self, arguments: &[Match]) {
        for (number, argument) in arguments.iter().enumerate() {
            if number > 0 {
                self.push(",");
            }
            match argument {
                Match::Store(place) => self.place(place),
                Match::Discard => self.push("_"),
                Match::Equal(expr) if matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Mtype(..)) => {
                    self.expr(expr, 0);
                }
                Match::Equal(expr) => self.call("eval", std::slice::from_ref(expr)),
            }
        }
    }

    /// `minimum` is the level the place demands; a looser operator gets parentheses.
    fn expr(&mut self, expr: &Expr, minimum: u8) {
        match &expr.kind {
            ExprKind::Constant(value) => {
                // Infallible: writing to a string.
                let _ = write!(self.text, "{value}");
            }
            ExprKind::Mtype(list, value) => {
                let name = self.program.mtypes.get(list.0 as usize).and_then(|list| list.constant(*value));
                match name {
                    Some(name) => self.text.push_str(name),
                    None => {
                        let _ = write!(self.text, "{value}");
                    }
                }
            }
            ExprKind::Read(place) => self.place(place),
            ExprKind::Pid => self.push("_pid"),
            ExprKind::ProcessCount => self.push("_nr_pr"),
            ExprKind::Last => self.push("_last"),
            ExprKind::Priority => self.push("_priority"),
            ExprKind::Unary(operator, inner) => {
                self.push(match operator {
                    UnaryOp::Not => "!",
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                });
                let negative = matches!(inner.kind, ExprKind::Constant(value) if value < 0);
                if negative {
                    self.push("(");
                }
                self.expr(inner, UNARY);
                if negative {
                    self.push(")");
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let (text, level) = binary(*operator);
                let parentheses = level < minimum;
                if parentheses {
                    self.push("(");
                }
                self.expr(left, level);
                self.push(" ");
                self.push(text);
                self.push(" ");
                self.expr(right, level + 1);
                if parentheses {
                    self.push(")");
                }
            }
            ExprKind::Conditional(test, yes, no) => {
                self.push("(");
                self.expr(test, 0);
                self.push(" -> ");
                self.expr(yes, 0);
                self.push(" : ");
                self.expr(no, 0);
                self.push(")");
            }
            ExprKind::Run { process, arguments, priority } => {
                self.push("run ");
                self.process(*process);
                self.call("", arguments);
                if let Some(priority) = priority {
                    let _ = write!(self.text, " priority {priority}");
                }
            }
            ExprKind::Length(channel) => self.channel("len", channel),
            ExprKind::Probe(probe, channel) => {
                let name = match probe {
                    Probe::Full => "full",
                    Probe::NotFull => "nfull",
                    Probe::Empty => "empty",
                    Probe::NotEmpty => "nempty",
                };
                self.channel(name, channel);
            }
            ExprKind::Poll { channel, random, arguments } => {
                self.place(channel);
                self.push(if *random { "??[" } else { "?[" });
                self.matches(arguments);
                self.push("]");
            }
            ExprKind::Enabled(inner) => self.call("enabled", std::slice::from_ref(inner)),
            ExprKind::PcValue(inner) => self.call("pc_value", std::slice::from_ref(inner)),
            ExprKind::GetPriority(inner) => self.call("get_priority", std::slice::from_ref(inner)),
            ExprKind::Timeout => self.push("timeout"),
            ExprKind::NonProgress => self.push("np_"),
            ExprKind::Discard => self.push("_"),
            ExprKind::RemoteLabel { process, pid, label } => {
                self.process(*process);
                self.index(pid.as_deref());
                self.push("@");
                self.label(*process, *label);
            }
            ExprKind::RemoteVariable { process, pid, place } => {
                self.process(*process);
                self.index(pid.as_deref());
                self.push(":");
                self.place(place);
            }
        }
    }

    fn channel(&mut self, name: &str, channel: &Place) {
        self.push(name);
        self.push("(");
        self.place(channel);
        self.push(")");
    }

    fn process(&mut self, process: ProcessId) {
        let name = self.program.processes.get(process.0 as usize).map_or("?", |process| &process.name);
        self.text.push_str(name);
    }

    fn temporal(&mut self, formula: &Temporal, minimum: u8) {
        match &formula.kind {
            TemporalKind::Constant(value) => self.push(if *value { "true" } else { "false" }),
            TemporalKind::Atom(expr) => {
                let simple = matches!(
                    expr.kind,
                    ExprKind::Read(_)
                        | ExprKind::RemoteLabel { .. }
                        | ExprKind::Poll { .. }
                        | ExprKind::Probe(..)
                );
                if simple {
                    self.expr(expr, UNARY);
                } else {
                    self.push("(");
                    self.expr(expr, 0);
                    self.push(")");
                }
            }
            TemporalKind::Unary(operator, inner) => {
                self.push(match operator {
                    TemporalUnary::Not => "!",
                    TemporalUnary::Next => "X ",
                    TemporalUnary::Always => "[] ",
                    TemporalUnary::Eventually => "<> ",
                });
                self.temporal(inner, UNARY);
            }
            TemporalKind::Binary(operator, left, right) => {
                let (text, level) = match operator {
                    TemporalBinary::Implies => ("->", 1),
                    TemporalBinary::Equivalent => ("<->", 1),
                    TemporalBinary::Or => ("||", 2),
                    TemporalBinary::And => ("&&", 3),
                    TemporalBinary::Until => ("U", 4),
                    TemporalBinary::WeakUntil => ("W", 4),
                    TemporalBinary::Release => ("V", 4),
                };
                let parentheses = level < minimum;
                if parentheses {
                    self.push("(");
                }
                self.temporal(left, level);
                self.push(" ");
                self.push(text);
                self.push(" ");
                self.temporal(right, level + 1);
                if parentheses {
                    self.push(")");
                }
            }
        }
    }
}

const UNARY: u8 = 13;

fn binary(operator: BinaryOp) -> (&'static str, u8) {
    match operator {
        BinaryOp::Or => ("||", 2),
        BinaryOp::And => ("&&", 3),
        BinaryOp::BitOr => ("|", 5),
        BinaryOp::BitXor => ("^", 6),
        BinaryOp::BitAnd => ("&", 7),
        BinaryOp::Equal => ("==", 8),
        BinaryOp::NotEqual => ("!=", 8),
        BinaryOp::Less => ("<", 9),
        BinaryOp::LessEqual => ("<=", 9),
        BinaryOp::Greater => (">", 9),
        BinaryOp::GreaterEqual => (">=", 9),
        BinaryOp::ShiftLeft => ("<<", 10),
        BinaryOp::ShiftRight => (">>", 10),
        BinaryOp::Add => ("+", 11),
        BinaryOp::Subtract => ("-", 11),
        BinaryOp::Multiply => ("*", 12),
        BinaryOp::Divide => ("/", 12),
        BinaryOp::Remainder => ("%", 12),
    }
}
