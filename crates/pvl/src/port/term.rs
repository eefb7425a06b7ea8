//! Terms of PVL that failures speak about: those that the engine names, and those that stand in the program.
//!
//! The engine speaks of terms of Silver: `element(a, i_3).array_int`, `this.Counter_x`, `old(x)`. Here they become
//! `a[i]`, `this.x` and `\old(x)`, by what the lowering knows of its names.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use verdict::failure::{Operator, Shown};

use crate::lower::{Meaning, Piece, Spelling};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// A variable, `this`, `\result`, a constant, `null`, `true`.
    Name(String),
    Int(BigInt),
    Amount(BigRational),
    /// A value of a type without literals, by a number.
    Element {
        sort: String,
        number: usize,
    },
    Field(Box<Term>, String),
    Call {
        receiver: Option<Box<Term>>,
        name: String,
        arguments: Vec<Term>,
    },
    Index(Box<Term>, Box<Term>),
    Size(Box<Term>),
    Old(Box<Term>),
    Permission(Box<Term>),
    In(Box<Term>, Box<Term>),
    AddressOf(Box<Term>),
    Pair(Box<Term>, Box<Term>),
    Negate(Box<Term>),
    Operation(Operator, Box<Term>, Box<Term>),
}

impl Term {
    pub(super) fn name(name: &str) -> Term {
        Term::Name(name.to_string())
    }

    pub(super) fn field(self, name: &str) -> Term {
        Term::Field(Box::new(self), name.to_string())
    }

    /// An expression of the program, if it is one that has a value in a counterexample.
    pub(super) fn of(expression: &Expression) -> Option<Term> {
        let boxed = |part: &Expression| Term::of(part).map(Box::new);
        Some(match &*expression.kind {
            ExpressionKind::Int(digits) => Term::Int(digits.parse().ok()?),
            ExpressionKind::Bool(value) => Term::Name(value.to_string()),
            ExpressionKind::Null => Term::name("null"),
            ExpressionKind::This => Term::name("this"),
            ExpressionKind::Result => Term::name("\\result"),
            ExpressionKind::NoneOption => Term::name("None"),
            ExpressionKind::Name(name) => Term::name(&name.text),
            ExpressionKind::Field(object, name) => Term::of(object)?.field(&name.text),
            ExpressionKind::Index(base, index) => Term::Index(boxed(base)?, boxed(index)?),
            ExpressionKind::Size(of) => Term::Size(boxed(of)?),
            ExpressionKind::Old(None, of) => Term::Old(boxed(of)?),
            ExpressionKind::CurrentPermission(of) => Term::Permission(boxed(of)?),
            ExpressionKind::Unary(UnaryOperator::Negate, of) => Term::Negate(boxed(of)?),
            ExpressionKind::Unary(UnaryOperator::AddressOf, of) => Term::AddressOf(boxed(of)?),
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (boxed(left)?, boxed(right)?);
                match operator {
                    BinaryOperator::Add => Term::Operation(Operator::Add, left, right),
                    BinaryOperator::Subtract => Term::Operation(Operator::Subtract, left, right),
                    BinaryOperator::Multiply => Term::Operation(Operator::Multiply, left, right),
                    BinaryOperator::In => Term::In(left, right),
                    _ => return None,
                }
            }
            ExpressionKind::Call(call) if call.given.is_empty() && call.yields.is_empty() => Term::Call {
                receiver: call.receiver.as_ref().map(boxed).map_or(Some(None), |it| it.map(Some))?,
                name: call.name.text.to_string(),
                arguments: call.arguments.iter().map(Term::of).collect::<Option<_>>()?,
            },
            _ => return None,
        })
    }

    pub(super) fn mentions(&self, wanted: &dyn Fn(&Term) -> bool) -> bool {
        wanted(self)
            || match self {
                Term::Name(_) | Term::Int(_) | Term::Amount(_) | Term::Element { .. } => false,
                Term::Field(of, _)
                | Term::Size(of)
                | Term::Old(of)
                | Term::Permission(of)
                | Term::AddressOf(of)
                | Term::Negate(of) => of.mentions(wanted),
                Term::Call { receiver, arguments, .. } => {
                    receiver.iter().any(|it| it.mentions(wanted))
                        || arguments.iter().any(|it| it.mentions(wanted))
                }
                Term::Index(left, right)
                | Term::In(left, right)
                | Term::Pair(left, right)
                | Term::Operation(_, left, right) => left.mentions(wanted) || right.mentions(wanted),
            }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Name(name) => f.write_str(name),
            Term::Int(value) => write!(f, "{value}"),
            Term::Amount(value) => f.write_str(&amount(value)),
            Term::Element { sort, number } => write!(f, "{sort}#{number}"),
            Term::Field(of, name) => write!(f, "{}.{name}", Operand(of)),
            Term::Call { receiver, name, arguments } => {
                if let Some(receiver) = receiver {
                    write!(f, "{}.", Operand(receiver))?;
                }
                write!(f, "{name}(")?;
                for (index, argument) in arguments.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{argument}")?;
                }
                f.write_str(")")
            }
            Term::Index(of, at) => write!(f, "{}[{at}]", Operand(of)),
            Term::Size(of) => write!(f, "|{of}|"),
            Term::Old(of) => write!(f, "\\old({of})"),
            Term::Permission(of) => write!(f, "perm({of})"),
            Term::In(element, of) => write!(f, "{} in {}", Operand(element), Operand(of)),
            Term::AddressOf(of) => write!(f, "&{}", Operand(of)),
            Term::Pair(first, second) => write!(f, "({first}, {second})"),
            Term::Negate(of) => write!(f, "-{}", Operand(of)),
            Term::Operation(operator, left, right) => {
                write!(f, "{} {} {}", Operand(left), operator.text(), Operand(right))
            }
        }
    }
}

/// A term in brackets where it is written with an operator.
struct Operand<'t>(&'t Term);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Term::Operation(..) | Term::In(..) => write!(f, "({})", self.0),
            term => write!(f, "{term}"),
        }
    }
}

/// An amount of permission: `1\2`
pub(super) fn amount(value: &BigRational) -> String {
    match (value.numer(), value.denom()) {
        (numerator, _) if *numerator == 0.into() => "none".to_string(),
        (numerator, denominator) if numerator == denominator => "write".to_string(),
        (numerator, denominator) if *denominator == 1.into() => numerator.to_string(),
        (numerator, denominator) => format!("{numerator}\\{denominator}"),
    }
}

/// A term in PVL.
pub(super) struct Spelled {
    pub(super) term: Term,
    /// Whether it speaks about something that nobody wrote.
    pub(super) is_hidden: bool,
}

/// A term of Silver in PVL.
pub(super) fn spelled(spelling: &Spelling, shown: &Shown) -> Spelled {
    let mut speller = Speller { spelling, is_hidden: false };
    let term = speller.term(shown);
    Spelled { term, is_hidden: speller.is_hidden }
}

/// A term of Silver in PVL; `None` if it speaks about something that nobody wrote.
pub(super) fn written(spelling: &Spelling, shown: &Shown) -> Option<Term> {
    Some(spelled(spelling, shown)).filter(|it| !it.is_hidden).map(|it| it.term)
}

/// The predicate of a part of a model.
const PART_OF_MODEL: &str = "model_state";

/// Whether something is a part of a model.
pub(super) fn is_part_of_model(shown: &Shown) -> bool {
    matches!(shown, Shown::Apply(name, _) if name == PART_OF_MODEL)
}

/// The type of processes.
const PROCESS: &str = "Process";

/// A value of a counterexample; `None` if nobody wrote it.
pub(super) fn value(spelling: &Spelling, shown: &Shown) -> Option<Term> {
    match shown {
        // What a process is, is told by its name.
        Shown::Element { sort, .. } if sort == PROCESS => None,
        Shown::Element { sort, number } => Some(element(spelling, sort, *number)),
        Shown::Apply(name, arguments) if arguments.is_empty() && spelling.get(name).is_none() => {
            constant(name).map(Term::name)
        }
        _ => written(spelling, shown),
    }
}

/// A constant that the language brings with it.
fn constant(silver: &str) -> Option<&'static str> {
    match silver {
        "none_option" => Some("None"),
        "array_null" | "pointer_null" => Some("null"),
        _ => None,
    }
}

fn element(spelling: &Spelling, sort: &str, number: usize) -> Term {
    let sort = match sort {
        "Ref" => "object".to_string(),
        // Types that the language brings with it are written in small letters.
        "Array" | "Pointer" | "Option" | "Either" | "Tuple" | "Any" | "Resource" => sort.to_lowercase(),
        _ => match spelling.get(sort) {
            Some(Meaning::TypeParameter(name)) => name.clone(),
            _ => sort.to_string(),
        },
    };
    Term::Element { sort, number }
}

fn put_together(pieces: &[Piece], arguments: &[Term]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Argument(at) => {
                text.push_str(&arguments.get(*at).map(Term::to_string).unwrap_or_default());
            }
        }
    }
    text
}

/// A part of a model that is held, and what it can do first.
pub(super) struct HeldPart {
    pub(super) part: Term,
    pub(super) offers: Vec<HeldOffer>,
}

/// An action, or the end, with the condition under which it is offered.
pub(super) struct HeldOffer {
    pub(super) action: Option<String>,
    pub(super) condition: Option<String>,
}

/// A part of a model among the instances of predicates that are held.
pub(super) fn held_part(spelling: &Spelling, shown: &Shown) -> Option<HeldPart> {
    let Shown::Apply(name, arguments) = shown else { return None };
    let [object, share, term, _] = &arguments[..] else { return None };
    if name != PART_OF_MODEL {
        return None;
    }
    // The share that stays when a part is split by itself is one that nobody wrote.
    let share = written(spelling, share).unwrap_or_else(|| Term::name("…"));
    let arguments = vec![share, written(spelling, term)?];
    let receiver = Some(Box::new(written(spelling, object)?));
    let part = Term::Call { receiver, name: "state".to_string(), arguments };
    let mut found = Vec::new();
    if let Shown::Apply(name, arguments) = term
        && let Some(Meaning::Process { offers, .. }) = spelling.get(name)
    {
        let arguments: Vec<Term> = arguments.iter().map(|it| spelled(spelling, it).term).collect();
        for offer in offers {
            let action = offer.action.as_ref().map(|it| put_together(it, &arguments));
            let condition = offer.condition.as_ref().map(|it| put_together(it, &arguments));
            found.push(HeldOffer { action, condition });
        }
    }
    Some(HeldPart { part, offers: found })
}

/// A constructor of processes, or a part of a model.
fn process(silver: &str, arguments: &[Term]) -> Option<Term> {
    let text = match (silver, arguments) {
        ("process_empty", []) => "empty".to_string(),
        ("process_deadlock", []) => "\\delta".to_string(),
        ("process_sequence", [first, second]) => format!("({first} * {second})"),
        ("process_choice", [first, second]) => format!("({first} + {second})"),
        ("process_parallel", [first, second]) => format!("({first} || {second})"),
        ("process_iteration", [body]) => format!("\\iter({body})"),
        (PART_OF_MODEL, [model, share, term, _]) => {
            let arguments = vec![share.clone(), term.clone()];
            let receiver = Some(Box::new(model.clone()));
            return Some(Term::Call { receiver, name: "state".to_string(), arguments });
        }
        _ => return None,
    };
    Some(Term::Name(text))
}

/// The location that something is missing of.
pub(super) fn location(spelling: &Spelling, shown: &Shown) -> Spelled {
    let mut speller = Speller { spelling, is_hidden: false };
    match speller.held(shown) {
        Some(term) => Spelled { term, is_hidden: speller.is_hidden },
        None => spelled(spelling, shown),
    }
}

struct Speller<'s> {
    spelling: &'s Spelling,
    is_hidden: bool,
}

impl Speller<'_> {
    fn boxed(&mut self, shown: &Shown) -> Box<Term> {
        Box::new(self.term(shown))
    }

    fn term(&mut self, shown: &Shown) -> Term {
        match shown {
            Shown::Variable(name) => self.variable(name),
            Shown::Result => Term::name("\\result"),
            Shown::Null => Term::name("null"),
            Shown::Bool(value) => Term::Name(value.to_string()),
            Shown::Int(value) => Term::Int(value.clone()),
            Shown::Amount(value) => Term::Amount(value.clone()),
            Shown::Element { sort, number } => {
                // Objects have no names that could be written.
                self.is_hidden |= sort == "Ref";
                element(self.spelling, sort, *number)
            }
            Shown::Field(of, name) | Shown::Selection(of, name) => self.field(of, name),
            Shown::Apply(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.term(argument)).collect();
                self.application(name, arguments)
            }
            Shown::Old(of) => Term::Old(self.boxed(of)),
            Shown::Permission(of) => match self.held(of) {
                Some(held) => held,
                None => Term::Permission(self.boxed(of)),
            },
            Shown::Size(of) => Term::Size(self.boxed(of)),
            Shown::Index(of, at) => Term::Index(self.boxed(of), self.boxed(at)),
            Shown::In(element, of) => Term::In(self.boxed(element), self.boxed(of)),
            Shown::Operation(operator, left, right) => {
                Term::Operation(*operator, self.boxed(left), self.boxed(right))
            }
        }
    }

    fn variable(&mut self, silver: &str) -> Term {
        match self.spelling.get(silver).and_then(Meaning::name) {
            Some(name) => Term::name(name),
            None => {
                self.is_hidden |= silver != "this";
                Term::name(silver)
            }
        }
    }

    /// A kind of permission to a field of a model, as it is written.
    fn held(&mut self, location: &Shown) -> Option<Term> {
        let Shown::Field(of, silver) = location else { return None };
        let Some(Meaning::Token { field, permission: Some(permission) }) = self.spelling.get(silver) else {
            return None;
        };
        let field = self.term(of).field(field);
        Some(Term::Call { receiver: None, name: permission.to_string(), arguments: vec![field] })
    }

    fn field(&mut self, of: &Shown, silver: &str) -> Term {
        let of = self.term(of);
        match self.spelling.get(silver) {
            // Who may do what with a field is not one of the values that somebody wrote.
            Some(Meaning::Token { field, .. }) => {
                self.is_hidden = true;
                of.field(field)
            }
            Some(Meaning::Kept) => {
                self.is_hidden = true;
                of
            }
            Some(Meaning::Field(name)) => of.field(name),
            // An element is the only field of its location; all arrays with elements of some type share it.
            Some(Meaning::Element) => of,
            _ => of.field(silver),
        }
    }

    fn application(&mut self, silver: &str, mut arguments: Vec<Term>) -> Term {
        let call = |receiver: Option<Term>, name: &str, arguments| {
            let (receiver, name) = (receiver.map(Box::new), name.to_string());
            Term::Call { receiver, name, arguments }
        };
        match self.spelling.get(silver) {
            Some(Meaning::FinalField(name)) if !arguments.is_empty() => {
                return arguments.swap_remove(0).field(name);
            }
            Some(Meaning::Routine { name, has_object: true }) if !arguments.is_empty() => {
                let object = arguments.remove(0);
                return call(Some(object), name, arguments);
            }
            Some(Meaning::Routine { name, .. }) => return call(None, name, arguments),
            Some(Meaning::Constant(name)) if arguments.is_empty() => return Term::name(name),
            Some(Meaning::KeptVariable(name)) => return Term::name(name),
            Some(Meaning::Process { text, .. }) => return Term::Name(put_together(text, &arguments)),
            Some(Meaning::Selector(name)) if arguments.len() == 1 => {
                return arguments.swap_remove(0).field(name);
            }
            _ => {}
        }
        if let Some(process) = process(silver, &arguments) {
            return process;
        }
        match arguments.len() {
            0 => {
                if let Some(name) = constant(silver) {
                    return Term::name(name);
                }
            }
            1 => {
                let field = match silver {
                    "length" | "array_length" => Some("length"),
                    "tuple_first" => Some("fst"),
                    "tuple_second" => Some("snd"),
                    "option_value" => Some("get"),
                    "domain" => Some("keys"),
                    "range" => Some("values"),
                    "either_is_left" => Some("isLeft"),
                    "either_left_value" => Some("left"),
                    "either_right_value" => Some("right"),
                    _ => None,
                };
                if let Some(field) = field {
                    return arguments.swap_remove(0).field(field);
                }
                if silver == "some" {
                    return call(None, "Some", arguments);
                }
            }
            2 => {
                let mut both = || {
                    let second = arguments.swap_remove(1);
                    (Box::new(arguments.swap_remove(0)), Box::new(second))
                };
                match silver {
                    "element" | "pointer_element" | "array_location" => {
                        let (array, index) = both();
                        return Term::Index(array, index);
                    }
                    "block_location" => return *both().0,
                    "pointer" => return Term::AddressOf(both().0),
                    "tuple" => {
                        let (first, second) = both();
                        return Term::Pair(first, second);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.is_hidden = true;
        call(None, silver, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling() -> Spelling {
        let mut spelling = Spelling::default();
        spelling.add_field(&"Counter_x".into(), "x".to_string());
        spelling.add_variable(&"i_3".into(), "i");
        spelling.add_variable(&"a".into(), "a");
        spelling.add_variable(&"m".into(), "m");
        spelling.add_variable(&"res".into(), "\\result");
        spelling.add_routine(&"Node_state".into(), "state".to_string(), true);
        spelling.add_routine(&"max".into(), "max".to_string(), false);
        spelling.add_final_field(&"Counter_limit".into(), "limit".to_string());
        spelling.add_constant(&"Color_RED".into(), "Color.RED".to_string());
        spelling.add_element(&"array_int".into());
        spelling.add_element(&"array_array_int".into());
        spelling.add_selector(&"option_get_int".into(), "get");
        spelling.add_type_parameter(&"Type_T".into(), "T".to_string());
        spelling
    }

    fn variable(name: &str) -> Shown {
        Shown::variable(name)
    }

    fn apply(name: &str, arguments: &[Shown]) -> Shown {
        Shown::Apply(name.to_string(), arguments.to_vec())
    }

    fn int(value: i32) -> Shown {
        Shown::Int(value.into())
    }

    #[test]
    fn terms_are_those_of_pvl() {
        let spelling = spelling();
        let spelled = |shown: &Shown| {
            written(&spelling, shown).map_or_else(|| "hidden".to_string(), |term| term.to_string())
        };
        let this = || variable("this");
        let element = |array: Shown, index: Shown| apply("element", &[array, index]);
        let next = Shown::Operation(Operator::Add, Box::new(variable("i_3")), Box::new(int(1)));
        let row = element(variable("m"), int(2)).field("array_array_int");
        assert_eq!(spelled(&this().field("Counter_x")), "this.x");
        assert_eq!(spelled(&element(variable("a"), variable("i_3")).field("array_int")), "a[i]");
        assert_eq!(spelled(&element(row, next).field("array_int")), "m[2][i + 1]");
        let first = element(variable("a"), int(0)).field("array_int");
        assert_eq!(spelled(&Shown::Permission(Box::new(first))), "perm(a[0])");
        assert_eq!(spelled(&this().field("Counter_x").old()), "\\old(this.x)");
        assert_eq!(spelled(&apply("array_length", &[variable("a")])), "a.length");
        let max = apply("max", &[this().field("Counter_x"), variable("res")]);
        assert_eq!(spelled(&max), "max(this.x, \\result)");
        assert_eq!(spelled(&apply("Node_state", &[this().field("next")])), "this.next.state()");
        assert_eq!(spelled(&apply("Counter_limit", &[this()])), "this.limit");
        assert_eq!(spelled(&apply("Color_RED", &[])), "Color.RED");
        assert_eq!(spelled(&variable("a").size()), "|a|");
        assert_eq!(spelled(&variable("a").at(int(0))), "a[0]");
        assert_eq!(spelled(&variable("i_3").is_in(variable("m"))), "i in m");
        assert_eq!(spelled(&apply("option_get_int", &[variable("a")])), "a.get");
        assert_eq!(spelled(&variable("any_1")), "hidden");
        assert_eq!(spelled(&apply("helper", &[this()])), "hidden");
        let object = Shown::Element { sort: "Ref".to_string(), number: 1 };
        assert_eq!(spelled(&object.clone().field("Counter_x")), "hidden");
        assert_eq!(super::spelled(&spelling, &object.field("Counter_x")).term.to_string(), "object#1.x");
    }

    #[test]
    fn values_are_those_of_pvl() {
        let spelling = spelling();
        let text = |shown: &Shown| value(&spelling, shown).map(|term| term.to_string());
        let element = |sort: &str| Shown::Element { sort: sort.to_string(), number: 3 };
        let half = BigRational::new(1.into(), 2.into());
        assert_eq!(text(&Shown::Amount(half)).as_deref(), Some("1\\2"));
        assert_eq!(text(&Shown::Amount(BigRational::from_integer(1.into()))).as_deref(), Some("write"));
        assert_eq!(text(&element("Ref")).as_deref(), Some("object#3"));
        assert_eq!(text(&element("Array")).as_deref(), Some("array#3"));
        assert_eq!(text(&element("Type_T")).as_deref(), Some("T#3"));
        assert_eq!(text(&apply("array_null", &[])).as_deref(), Some("null"));
        assert_eq!(text(&apply("none_option", &[])).as_deref(), Some("None"));
        assert_eq!(text(&apply("Color_RED", &[])).as_deref(), Some("Color.RED"));
        assert_eq!(text(&int(-5)).as_deref(), Some("-5"));
        assert_eq!(text(&apply("type_C", &[])), None);
    }
}
