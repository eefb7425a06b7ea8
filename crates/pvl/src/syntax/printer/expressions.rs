//! Expressions, with parentheses only where precedence asks for them.

use super::super::tree::{
    BinaryOperator, Binding, Builtin, CollectionKind, Expression, ExpressionKind, GivenArgument,
    QuantifierKind, Selector, Statement, TriggerGroup, Type, UnaryOperator, YieldsResult,
};
use super::Printer;

// Levels from loose to tight, as the parser has them.
const WITH: u8 = 0;
const CONDITIONAL: u8 = 1;
const IMPLICATION: u8 = 2;
const EQUALITY: u8 = 5;
const SEQUENCE: u8 = 11;
const UNARY: u8 = 12;
const POSTFIX: u8 = 13;
const PRIMARY: u8 = 14;

fn binary_level(operator: BinaryOperator) -> u8 {
    use BinaryOperator::*;
    match operator {
        Implies | Wand => IMPLICATION,
        Or => 3,
        And | Star => 4,
        Equal | NotEqual => EQUALITY,
        Less | LessEqual | Greater | GreaterEqual => 6,
        In => 7,
        Add | Subtract => 8,
        Multiply | Divide | Modulo | FractionDivide => 9,
        Power => 10,
        Prepend | Append => SEQUENCE,
    }
}

fn level(expression: &Expression) -> u8 {
    match &*expression.kind {
        ExpressionKind::With { .. } => WITH,
        ExpressionKind::Conditional(..) | ExpressionKind::Unfolding(..) => CONDITIONAL,
        ExpressionKind::Binary(operator, ..) => binary_level(*operator),
        ExpressionKind::MapInsert(..) => SEQUENCE,
        ExpressionKind::Unary(..) | ExpressionKind::Scale(..) => UNARY,
        ExpressionKind::New { .. } | ExpressionKind::NewArray { .. } => UNARY,
        // In front of an operand one element between brackets would be a factor.
        ExpressionKind::Collection { element: None, elements, .. } if elements.len() == 1 => UNARY,
        ExpressionKind::Field(..)
        | ExpressionKind::Call(_)
        | ExpressionKind::CoalescingCall { .. }
        | ExpressionKind::Index(..)
        | ExpressionKind::Slice(..)
        | ExpressionKind::Update(..) => POSTFIX,
        _ => PRIMARY,
    }
}

impl Printer {
    pub(super) fn expression(&mut self, expression: &Expression) {
        self.at_least(expression, WITH);
    }

    fn expressions(&mut self, expressions: &[Expression]) {
        self.separated(expressions, Printer::expression);
    }

    pub(super) fn arguments(&mut self, arguments: &[Expression]) {
        self.text.push('(');
        self.expressions(arguments);
        self.text.push(')');
    }

    /// A condition between operators of formulas.
    pub(super) fn operand_of_formula(&mut self, condition: &Expression) {
        self.at_least(condition, EQUALITY);
    }

    /// In parentheses if it binds looser than its place needs.
    fn at_least(&mut self, expression: &Expression, least: u8) {
        if level(expression) < least {
            self.text.push('(');
            self.kind(&expression.kind);
            self.text.push(')');
        } else {
            self.kind(&expression.kind);
        }
    }

    fn kind(&mut self, kind: &ExpressionKind) {
        use ExpressionKind as Kind;
        match kind {
            Kind::Int(digits) => self.push(digits),
            Kind::Float { text, single } => {
                self.push(text);
                if *single {
                    self.text.push('f');
                }
            }
            Kind::Char(character) => self.character(*character),
            Kind::String(text) => self.string(text),
            Kind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            Kind::Null => self.push("null"),
            Kind::This => self.push("this"),
            Kind::Result => self.push("\\result"),
            Kind::NoPermission => self.push("none"),
            Kind::WritePermission => self.push("write"),
            Kind::ReadPermission => self.push("read"),
            Kind::NoneOption => self.push("None"),
            Kind::EmptyProcess => self.push("empty"),
            Kind::StuckProcess => self.push("\\delta"),
            Kind::AnyIndex => self.push("*"),
            Kind::CurrentThread => self.push("\\current_thread"),
            Kind::LocalThreadId => self.push("\\ltid"),
            Kind::GlobalThreadId => self.push("\\gtid"),
            Kind::Name(name) => self.name(name),
            Kind::Unary(operator, operand) => self.unary(*operator, operand),
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right),
            Kind::Conditional(condition, then, otherwise) => {
                self.at_least(condition, IMPLICATION);
                self.push(" ? ");
                self.at_least(then, IMPLICATION);
                self.push(" : ");
                self.at_least(otherwise, CONDITIONAL);
            }
            Kind::Scale(factor, resource) => self.scaled(factor, resource),
            Kind::MapInsert(map, key, value) => {
                self.sequence_operand(map);
                self.push(" ++ (");
                self.expression(key);
                self.push(", ");
                self.expression(value);
                self.text.push(')');
            }
            Kind::Field(object, name) => {
                self.at_least(object, POSTFIX);
                self.text.push('.');
                self.name(name);
            }
            Kind::Call(call) => {
                if call.revealed.is_some() {
                    self.push("reveal ");
                }
                if let Some(receiver) = &call.receiver {
                    self.at_least(receiver, POSTFIX);
                    self.text.push('.');
                }
                self.name(&call.name);
                self.type_arguments(&call.type_arguments);
                self.arguments(&call.arguments);
                self.ghost_arguments(&call.given, &call.yields);
            }
            Kind::AdtCall { adt, type_arguments, function, arguments } => {
                self.name(adt);
                self.type_arguments(type_arguments);
                self.text.push('.');
                self.name(function);
                self.arguments(arguments);
            }
            Kind::CoalescingCall { receiver, name, arguments } => {
                self.at_least(receiver, POSTFIX);
                self.push("?.");
                self.name(name);
                self.arguments(arguments);
            }
            Kind::New { class, type_arguments, arguments, given, yields } => {
                self.push("new ");
                self.name(class);
                self.type_arguments(type_arguments);
                self.arguments(arguments);
                self.ghost_arguments(given, yields);
            }
            Kind::NewArray { element, dimensions } => {
                self.push("new ");
                self.ty(element);
                for dimension in dimensions {
                    self.text.push('[');
                    self.expression(dimension);
                    self.text.push(']');
                }
            }
            Kind::Index(base, index) => {
                self.at_least(base, POSTFIX);
                self.text.push('[');
                self.expression(index);
                self.text.push(']');
            }
            Kind::Slice(base, low, high) => self.slice(base, low.as_ref(), high.as_ref()),
            Kind::Update(base, index, value) => {
                self.at_least(base, POSTFIX);
                self.text.push('[');
                self.expression(index);
                self.push(" -> ");
                self.expression(value);
                self.text.push(']');
            }
            Kind::Size(inner) => self.size(inner),
            Kind::With { before, value, after } => self.with(before.as_deref(), value, after.as_deref()),
            Kind::Permission { kind, location, amount } => {
                self.push(kind.text());
                self.list(&[location, amount]);
            }
            Kind::Value(location) => {
                self.push("Value");
                self.list(&[location]);
            }
            Kind::AutoValue(location) => {
                self.push("AutoValue");
                self.list(&[location]);
            }
            Kind::PointsTo { location, amount, value } => {
                self.push("PointsTo");
                self.list(&[location, amount, value]);
            }
            Kind::CurrentPermission(location) => {
                self.push("perm");
                self.list(&[location]);
            }
            Kind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments),
            Kind::PartialIndex(indices, dimensions) => {
                self.push("\\nd_partial_index(");
                self.expressions(indices);
                self.push("; ");
                self.expressions(dimensions);
                self.text.push(')');
            }
            Kind::Quantifier { kind, bindings, condition, body } => {
                self.quantifier(*kind, bindings, condition.as_ref(), body)
            }
            Kind::Let { binding, value, body } => {
                self.push("(\\let ");
                self.parameter(binding);
                self.push(" = ");
                self.expression(value);
                self.push("; ");
                self.expression(body);
                self.text.push(')');
            }
            Kind::ForPerm { bindings, location, body } => {
                self.push("(\\forperm ");
                self.separated(bindings, Printer::parameter);
                self.push(" \\in ");
                self.expression(location);
                self.push("; ");
                self.expression(body);
                self.text.push(')');
            }
            Kind::ForPermWithValue { name, body, .. } => {
                self.push("(\\forpermwithvalue any ");
                self.name(name);
                self.push("; ");
                self.expression(body);
                self.text.push(')');
            }
            Kind::Trigger(group, inner) => self.trigger(*group, inner),
            Kind::Old(label, inner) => {
                self.push("\\old");
                if let Some(label) = label {
                    self.text.push('[');
                    self.name(label);
                    self.text.push(']');
                }
                self.list(&[inner]);
            }
            Kind::Unfolding(target, body) => {
                self.push("unfolding ");
                self.at_least(target, UNARY);
                self.push(" in ");
                self.at_least(body, CONDITIONAL);
            }
            Kind::TypeOf(inner) => {
                self.push("\\typeof");
                self.list(&[inner]);
            }
            Kind::TypeValue(ty) => {
                self.push("\\type(");
                self.ty(ty);
                self.text.push(')');
            }
            Kind::Collection { kind, element, elements } => {
                self.collection(*kind, element.as_ref(), elements)
            }
            Kind::Map { key, value, entries } => {
                self.generic("map", &[key, value]);
                self.text.push('{');
                self.separated(entries, |printer, (key, value)| {
                    printer.expression(key);
                    printer.push(" -> ");
                    printer.expression(value);
                });
                self.text.push('}');
            }
            Kind::Tuple { first_type, second_type, first, second } => {
                self.generic("tuple", &[first_type, second_type]);
                self.text.push('{');
                self.expression(first);
                self.push(", ");
                self.expression(second);
                self.text.push('}');
            }
            Kind::Comprehension { element, value, selectors, condition } => {
                self.comprehension(element, value, selectors, condition)
            }
            Kind::RangeSeq(low, high) => {
                self.text.push('[');
                self.expression(low);
                self.push(" .. ");
                self.expression(high);
                self.text.push(']');
            }
            Kind::RangeSet(low, high) => {
                self.text.push('{');
                self.expression(low);
                self.push(" .. ");
                self.expression(high);
                self.text.push('}');
            }
            Kind::IndependentOf(name, others) => {
                self.text.push('(');
                self.name(name);
                self.push(" ! ");
                self.names(others);
                self.text.push(')');
            }
        }
    }

    fn character(&mut self, character: char) {
        self.text.push('\'');
        self.escaped(character, '\'');
        self.text.push('\'');
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for character in text.chars() {
            self.escaped(character, '"');
        }
        self.text.push('"');
    }

    fn scaled(&mut self, factor: &Expression, resource: &Expression) {
        self.text.push('[');
        self.expression(factor);
        self.text.push(']');
        // In front of these a bracket is a collection of its own.
        let start = self.text.len();
        self.at_least(resource, UNARY);
        let is_operand = |text: &str| !text.starts_with(|c: char| c == '|' || c == '{' || c.is_ascii_digit());
        if !is_operand(&self.text[start..]) {
            self.text.insert(start, '(');
            self.text.push(')');
        }
    }

    fn slice(&mut self, base: &Expression, low: Option<&Expression>, high: Option<&Expression>) {
        self.at_least(base, POSTFIX);
        self.text.push('[');
        if let Some(low) = low {
            self.expression(low);
            self.text.push(' ');
        }
        self.push("..");
        if let Some(high) = high {
            self.text.push(' ');
            self.expression(high);
        }
        self.text.push(']');
    }

    fn size(&mut self, inner: &Expression) {
        // Two bars that touch would be an operator.
        let touches = {
            let start = self.text.len();
            self.text.push('|');
            self.expression(inner);
            let written = &self.text[start + 1..];
            written.starts_with('|') || written.ends_with('|')
        };
        if touches {
            self.text.push(' ');
        }
        self.text.push('|');
    }

    fn with(&mut self, before: Option<&Statement>, value: &Expression, after: Option<&Statement>) {
        if let Some(before) = before {
            self.push("with ");
            self.inline_statement(before);
            self.text.push(' ');
        }
        self.at_least(value, CONDITIONAL);
        if let Some(after) = after {
            self.push(" then ");
            self.inline_statement(after);
        }
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &[Binding],
        condition: Option<&Expression>,
        body: &Expression,
    ) {
        self.text.push('(');
        self.push(kind.text());
        self.text.push(' ');
        self.bindings(bindings);
        self.push("; ");
        if let Some(condition) = condition {
            self.expression(condition);
            self.push("; ");
        }
        self.expression(body);
        self.text.push(')');
    }

    pub(super) fn bindings(&mut self, bindings: &[Binding]) {
        self.separated(bindings, |printer, binding| {
            printer.ty(&binding.ty);
            printer.text.push(' ');
            printer.name(&binding.name);
            if let Some((low, high)) = &binding.range {
                printer.push(" = ");
                printer.expression(low);
                printer.push(" .. ");
                printer.expression(high);
            }
        });
    }

    fn trigger(&mut self, group: TriggerGroup, inner: &Expression) {
        self.push("{:");
        match group {
            TriggerGroup::Default => {}
            TriggerGroup::Numbered(number) => self.push(&format!("{number}:")),
            TriggerGroup::Outer { levels, group } => {
                self.push(&"<".repeat(levels as usize));
                if group > 0 {
                    self.push(&group.to_string());
                }
                self.text.push(':');
            }
        }
        self.text.push(' ');
        self.expression(inner);
        self.push(" :}");
    }

    fn comprehension(
        &mut self,
        element: &Type,
        value: &Expression,
        selectors: &[Selector],
        condition: &Expression,
    ) {
        self.generic("set", &[element]);
        self.push("{ ");
        self.expression(value);
        self.push(" | ");
        self.separated(selectors, |printer, selector| {
            printer.ty(&selector.ty);
            printer.text.push(' ');
            printer.name(&selector.name);
            if let Some(source) = &selector.source {
                printer.push(" <- ");
                printer.at_least(source, UNARY);
            }
        });
        self.push("; ");
        self.expression(condition);
        self.push(" }");
    }

    fn list(&mut self, items: &[&Expression]) {
        self.text.push('(');
        self.separated(items, |printer, item| printer.expression(item));
        self.text.push(')');
    }

    fn escaped(&mut self, character: char, quote: char) {
        match character {
            '\n' => self.push("\\n"),
            '\t' => self.push("\\t"),
            '\r' => self.push("\\r"),
            '\0' => self.push("\\0"),
            '\\' => self.push("\\\\"),
            _ if character == quote => {
                self.text.push('\\');
                self.text.push(quote);
            }
            _ => self.text.push(character),
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression) {
        self.push(operator.text());
        // Two signs that touch would be another operator.
        // `--` and `-*` are symbols of their own.
        let joins = |inner: UnaryOperator| match operator {
            UnaryOperator::Not => false,
            UnaryOperator::Negate => matches!(inner, UnaryOperator::Negate | UnaryOperator::Dereference),
            _ => inner == operator,
        };
        if matches!(&*operand.kind, ExpressionKind::Unary(inner, _) if joins(*inner)) {
            self.text.push('(');
            self.expression(operand);
            self.text.push(')');
        } else {
            self.at_least(operand, UNARY);
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) {
        let own = binary_level(operator);
        match operator {
            BinaryOperator::Implies | BinaryOperator::Wand => {
                self.at_least(left, own + 1);
                self.push(&format!(" {} ", operator.text()));
                self.at_least(right, own);
            }
            BinaryOperator::Prepend => {
                self.at_least(left, UNARY);
                self.push(" :: ");
                self.at_least(right, own);
            }
            BinaryOperator::Append => {
                self.sequence_operand(left);
                self.push(" ++ ");
                self.at_least(right, UNARY);
            }
            _ => {
                self.at_least(left, own);
                self.push(&format!(" {} ", operator.text()));
                self.at_least(right, own + 1);
            }
        }
    }

    /// What stands in front of `++`: a chain of them groups to the left, `::` does not.
    fn sequence_operand(&mut self, operand: &Expression) {
        let chains = matches!(
            &*operand.kind,
            ExpressionKind::Binary(BinaryOperator::Append, ..) | ExpressionKind::MapInsert(..)
        );
        self.at_least(operand, if chains { SEQUENCE } else { UNARY });
    }

    fn ghost_arguments(&mut self, given: &[GivenArgument], yields: &[YieldsResult]) {
        if !given.is_empty() {
            self.push(" given { ");
            self.separated(given, |printer, argument| {
                printer.name(&argument.name);
                printer.push(" = ");
                printer.expression(&argument.value);
            });
            self.push(" }");
        }
        if !yields.is_empty() {
            self.push(" yields { ");
            self.separated(yields, |printer, result| {
                printer.expression(&result.target);
                printer.push(" = ");
                printer.name(&result.name);
            });
            self.push(" }");
        }
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &[Expression]) {
        self.push(builtin.text());
        self.arguments(arguments);
    }

    fn collection(&mut self, kind: CollectionKind, element: Option<&Type>, elements: &[Expression]) {
        let (open, close) = match (kind, element) {
            (_, Some(element)) => {
                self.generic(kind.text(), &[element]);
                ("{", "}")
            }
            (CollectionKind::Seq | CollectionKind::Vector, None) => ("[", "]"),
            (CollectionKind::Set, None) => ("{", "}"),
            (CollectionKind::Bag, None) => ("b{", "}"),
        };
        self.push(open);
        self.expressions(elements);
        self.push(close);
    }
}
