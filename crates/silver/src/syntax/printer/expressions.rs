//! Expressions with the parentheses that precedence needs.

use super::super::tree::{BinaryOperator, Expression, ExpressionKind, NewFields, Trigger, UnaryOperator};
use super::Printer;

/// How tightly a node binds; higher is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// Conditionals, and atoms whose body reaches as far right as it can.
    Open,
    Iff,
    Implies,
    Wand,
    Or,
    And,
    Equality,
    Comparison,
    Sum,
    Term,
    Unary,
    Atom,
}

fn operator_precedence(operator: BinaryOperator) -> Precedence {
    use BinaryOperator::*;
    match operator {
        Iff => Precedence::Iff,
        Implies => Precedence::Implies,
        Wand => Precedence::Wand,
        Or => Precedence::Or,
        And => Precedence::And,
        Equal | NotEqual => Precedence::Equality,
        Less | LessEqual | Greater | GreaterEqual | In => Precedence::Comparison,
        Add | Subtract | Append | Union | Intersection | SetMinus | Subset => Precedence::Sum,
        Multiply | Divide | IntDivide | Modulo => Precedence::Term,
    }
}

fn precedence(expression: &Expression) -> Precedence {
    use ExpressionKind::*;
    match &*expression.kind {
        Conditional(..)
        | Forall { .. }
        | Exists { .. }
        | ForPerm { .. }
        | Let { .. }
        | Unfolding(..)
        | Applying(..)
        | Asserting(..) => Precedence::Open,
        Binary(operator, ..) => operator_precedence(*operator),
        Chain(..) => Precedence::Comparison,
        Unary(..) => Precedence::Unary,
        Annotated(_, inner) => match precedence(inner) {
            Precedence::Unary => Precedence::Unary,
            Precedence::Open if !matches!(*inner.kind, Conditional(..)) => Precedence::Open,
            _ => Precedence::Atom,
        },
        _ => Precedence::Atom,
    }
}

impl Printer {
    pub(super) fn expression(&mut self, expression: &Expression) {
        use ExpressionKind::*;
        match &*expression.kind {
            Int(digits) => self.push(digits),
            Bool(value) => self.push(if *value { "true" } else { "false" }),
            Null => self.push("null"),
            Result => self.push("result"),
            NoPermission => self.push("none"),
            FullPermission => self.push("write"),
            Wildcard => self.push("wildcard"),
            Epsilon => self.push("epsilon"),
            Name(name) => self.push(&name.text),
            Unary(operator, operand) => {
                self.push(match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Not => "!",
                });
                self.operand(operand, Precedence::Unary);
            }
            Binary(operator, left, right) => self.binary(*operator, left, right),
            Chain(first, rest) => {
                self.operand(first, Precedence::Sum);
                for (operator, right) in rest {
                    self.infix(operator.text());
                    self.operand(right, Precedence::Sum);
                }
            }
            Conditional(condition, then, otherwise) => {
                self.operand(condition, Precedence::Iff);
                self.push(" ? ");
                self.operand(then, Precedence::Iff);
                self.push(" : ");
                // A chain needs no parentheses in the last place.
                if matches!(*otherwise.kind, Conditional(..)) {
                    self.expression(otherwise);
                } else {
                    self.operand(otherwise, Precedence::Iff);
                }
            }
            Field(base, name) => {
                self.operand(base, Precedence::Atom);
                self.push(".");
                self.push(&name.text);
            }
            Call(name, arguments, ty) => {
                if ty.is_some() {
                    self.push("(");
                }
                self.push(&name.text);
                self.arguments(arguments);
                if let Some(ty) = ty {
                    self.push(": ");
                    self.ty(ty);
                    self.push(")");
                }
            }
            PredicateInstance(name, arguments) => {
                self.push("#");
                self.push(&name.text);
                self.arguments(arguments);
            }
            Access(location, amount) => {
                self.push("acc(");
                self.expression(location);
                if let Some(amount) = amount {
                    self.push(", ");
                    self.expression(amount);
                }
                self.push(")");
            }
            CurrentPermission(resource) => self.prefixed("perm", resource),
            Forall { bindings, triggers, body } => {
                self.push("forall ");
                self.bindings(bindings);
                self.quantifier_body(triggers, body);
            }
            Exists { bindings, triggers, body } => {
                self.push("exists ");
                self.bindings(bindings);
                self.quantifier_body(triggers, body);
            }
            ForPerm { bindings, resource, body } => {
                self.push("forperm ");
                self.bindings(bindings);
                self.push(" [");
                self.expression(resource);
                self.push("]");
                self.quantifier_body(&[], body);
            }
            Let { name, value, body } => {
                self.push("let ");
                self.push(&name.text);
                self.push(" == (");
                self.expression(value);
                self.push(") in ");
                self.expression(body);
            }
            Unfolding(access, body) => {
                self.push("unfolding ");
                self.expression(access);
                self.push(" in ");
                self.expression(body);
            }
            Applying(wand, body) => {
                self.push("applying (");
                self.wand_operand(wand);
                self.push(") in ");
                self.expression(body);
            }
            Asserting(assertion, body) => {
                self.push("asserting (");
                self.expression(assertion);
                self.push(") in ");
                self.expression(body);
            }
            Old(label, body) => {
                self.push("old");
                if let Some(label) = label {
                    self.push("[");
                    self.push(&label.text);
                    self.push("]");
                }
                self.prefixed("", body);
            }
            InhaleExhale(inhale, exhale) => {
                self.push("[");
                self.expression(inhale);
                self.push(", ");
                self.expression(exhale);
                self.push("]");
            }
            Range(low, high) => {
                self.push("[");
                self.expression(low);
                self.push("..");
                self.expression(high);
                self.push(")");
            }
            Index(base, index) => {
                self.operand(base, Precedence::Atom);
                self.push("[");
                self.expression(index);
                self.push("]");
            }
            Slice(base, low, high) => {
                self.operand(base, Precedence::Atom);
                self.push("[");
                if let Some(low) = low {
                    self.expression(low);
                }
                self.push("..");
                if let Some(high) = high {
                    self.expression(high);
                }
                self.push("]");
            }
            Update(base, key, value) => {
                self.operand(base, Precedence::Atom);
                self.push("[");
                self.expression(key);
                self.push(" := ");
                self.expression(value);
                self.push("]");
            }
            Size(operand) => {
                self.push("|");
                // A bar at either end of the operand would merge with the one around it.
                self.operand(operand, Precedence::Or);
                self.push("|");
            }
            Collection(kind, ty, elements) => {
                self.push(kind.text());
                if let Some(ty) = ty {
                    self.push("[");
                    self.ty(ty);
                    self.push("]");
                }
                self.arguments(elements);
            }
            Map(types, entries) => {
                self.push("Map");
                if let Some((key, value)) = types {
                    self.push("[");
                    self.ty(key);
                    self.push(", ");
                    self.ty(value);
                    self.push("]");
                }
                self.push("(");
                self.separated(entries, |printer, (key, value)| {
                    printer.expression(key);
                    printer.push(" := ");
                    printer.expression(value);
                });
                self.push(")");
            }
            MapDomain(base) => self.prefixed("domain", base),
            MapRange(base) => self.prefixed("range", base),
            New(NewFields::All) => self.push("new(*)"),
            New(NewFields::Listed(names)) => {
                self.push("new(");
                self.names(names);
                self.push(")");
            }
            Annotated(annotation, inner) => {
                self.annotation(annotation);
                self.push(" ");
                self.annotated_operand(inner);
            }
        }
    }

    /// `name(expression)`
    fn prefixed(&mut self, name: &str, expression: &Expression) {
        self.push(name);
        self.push("(");
        self.expression(expression);
        self.push(")");
    }

    fn arguments(&mut self, arguments: &[Expression]) {
        self.push("(");
        self.separated(arguments, Printer::expression);
        self.push(")");
    }

    fn infix(&mut self, operator: &str) {
        self.push(" ");
        self.push(operator);
        self.push(" ");
    }

    /// An operand, in parentheses if it binds less tightly than its place needs.
    fn operand(&mut self, operand: &Expression, least: Precedence) {
        if precedence(operand) < least {
            self.push("(");
            self.expression(operand);
            self.push(")");
        } else {
            self.expression(operand);
        }
    }

    /// What `package`, `apply` and `applying` take: a wand, or an expression that binds as tightly.
    pub(super) fn wand_operand(&mut self, operand: &Expression) {
        self.operand(operand, Precedence::Wand);
    }

    /// An annotation applies to an atom without its suffixes.
    fn annotated_operand(&mut self, operand: &Expression) {
        use ExpressionKind::*;
        let has_suffix = matches!(&*operand.kind, Field(..) | Index(..) | Slice(..) | Update(..));
        let is_operation = matches!(&*operand.kind, Conditional(..) | Binary(..) | Chain(..));
        if has_suffix || is_operation {
            self.prefixed("", operand);
        } else {
            self.expression(operand);
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) {
        let own = operator_precedence(operator);
        let (for_left, for_right) = match own {
            // Associative to the right.
            Precedence::Iff => (Precedence::Implies, Precedence::Iff),
            Precedence::Implies => (Precedence::Or, Precedence::Implies),
            Precedence::Wand => (Precedence::Or, Precedence::Open),
            Precedence::Or => (Precedence::And, Precedence::Or),
            Precedence::And => (Precedence::Equality, Precedence::And),
            Precedence::Equality => (Precedence::Comparison, Precedence::Equality),
            // A comparison as operand of a comparison needs parentheses, lest it become a chain.
            Precedence::Comparison => (Precedence::Sum, Precedence::Sum),
            // Associative to the left.
            Precedence::Sum => (Precedence::Sum, Precedence::Term),
            _ => (Precedence::Term, Precedence::Unary),
        };
        self.operand(left, for_left);
        self.infix(operator.text());
        // A wand takes the whole rest as its right-hand side; as an operand it is always closed off.
        let right_is_wand = matches!(&*right.kind, ExpressionKind::Binary(BinaryOperator::Wand, ..));
        if right_is_wand && own != Precedence::Wand {
            self.prefixed("", right);
        } else {
            self.operand(right, for_right);
        }
    }

    fn quantifier_body(&mut self, triggers: &[Trigger], body: &Expression) {
        self.push(" :: ");
        for trigger in triggers {
            self.push("{");
            self.separated(&trigger.expressions, Printer::expression);
            self.push("} ");
        }
        self.expression(body);
    }
}
