//! Terms of the tests: plain trees with integers and one level of variables, made at random and handed over as the crate's
//! own.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;
use process::{
    Action, ActionId, Binary, Binder, Expression, ExpressionKind, Model, Parameter, Process, ProcessId, Term,
    TermKind, Type, Value, VariableId,
};
use source::{FileId, Span};

/// A number, or a variable and a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct E(pub(crate) Option<u32>, pub(crate) i64);

impl E {
    pub(crate) fn with(self, variable: u32, value: i64) -> E {
        if self.0 == Some(variable) { E(None, self.1 + value) } else { self }
    }
}

pub(crate) type R = Rc<T>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum T {
    Empty,
    Deadlock,
    /// One of three actions without an argument.
    Act(u32),
    /// The fourth, with one.
    Put(E),
    Seq(R, R),
    Alt(R, R),
    Par(R, R),
    Star(R),
    /// P if the expression is positive, else Q.
    If(E, R, R),
    /// Over `from <= variable < to`.
    Sum(u32, E, E, R),
    All(u32, E, E, R),
    Call(u32, E),
}

/// Processes with the parameter 0.
#[derive(Clone, Default, Debug)]
pub(crate) struct Definitions {
    pub(crate) bodies: Vec<R>,
}

impl fmt::Display for E {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(variable) => write!(f, "x{variable}+{}", self.1),
            None => write!(f, "{}", self.1),
        }
    }
}

impl fmt::Display for T {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            T::Empty => write!(f, "ε"),
            T::Deadlock => write!(f, "δ"),
            T::Act(action) => write!(f, "{}", ["a", "b", "c"][*action as usize]),
            T::Put(value) => write!(f, "d({value})"),
            T::Seq(one, other) => write!(f, "({one}·{other})"),
            T::Alt(one, other) => write!(f, "({one}+{other})"),
            T::Par(one, other) => write!(f, "({one}‖{other})"),
            T::Star(body) => write!(f, "{body}*"),
            T::If(value, yes, no) => write!(f, "(0<{value}?{yes}:{no})"),
            T::Sum(variable, from, to, body) => write!(f, "(Σx{variable}={from}..{to}.{body})"),
            T::All(variable, from, to, body) => write!(f, "(‖x{variable}={from}..{to}.{body})"),
            T::Call(process, value) => write!(f, "X{process}({value})"),
        }
    }
}

impl fmt::Display for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, body) in self.bodies.iter().enumerate() {
            write!(f, "X{number}(x0)={body}; ")?;
        }
        Ok(())
    }
}

impl T {
    /// The term with a value in the place of a variable.
    pub(crate) fn with(&self, variable: u32, value: i64) -> T {
        let inside = |body: &R| Rc::new(body.with(variable, value));
        match self {
            T::Empty | T::Deadlock | T::Act(_) => self.clone(),
            T::Put(argument) => T::Put(argument.with(variable, value)),
            T::Seq(one, other) => T::Seq(inside(one), inside(other)),
            T::Alt(one, other) => T::Alt(inside(one), inside(other)),
            T::Par(one, other) => T::Par(inside(one), inside(other)),
            T::Star(body) => T::Star(inside(body)),
            T::If(condition, yes, no) => T::If(condition.with(variable, value), inside(yes), inside(no)),
            T::Sum(bound, from, to, body) => {
                let body = if *bound == variable { body.clone() } else { inside(body) };
                T::Sum(*bound, from.with(variable, value), to.with(variable, value), body)
            }
            T::All(bound, from, to, body) => {
                let body = if *bound == variable { body.clone() } else { inside(body) };
                T::All(*bound, from.with(variable, value), to.with(variable, value), body)
            }
            T::Call(process, argument) => T::Call(*process, argument.with(variable, value)),
        }
    }
}

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn number(value: i64) -> Expression {
    Expression::new(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer, nowhere())
}

fn expression(value: &E) -> Expression {
    let Some(variable) = value.0 else { return number(value.1) };
    let variable = Expression::new(ExpressionKind::Variable(VariableId(variable)), Type::Integer, nowhere());
    let sum = ExpressionKind::Binary(Binary::Add, variable, number(value.1));
    Expression::new(sum, Type::Integer, nowhere())
}

fn binder(variable: u32, from: &E, to: &E) -> Binder {
    Binder {
        variable: VariableId(variable),
        name: format!("x{variable}").into(),
        ty: Type::Integer,
        range: Some((expression(from), expression(to))),
    }
}

/// The crate's term.
pub(crate) fn term(term_here: &T) -> Term {
    let kind = match term_here {
        T::Empty => TermKind::Empty,
        T::Deadlock => TermKind::Deadlock,
        T::Act(action) => TermKind::Action(ActionId(*action), vec![]),
        T::Put(value) => TermKind::Action(ActionId(3), vec![expression(value)]),
        T::Seq(one, other) => TermKind::Sequence(term(one), term(other)),
        T::Alt(one, other) => TermKind::Choice(term(one), term(other)),
        T::Par(one, other) => TermKind::Parallel(term(one), term(other)),
        T::Star(body) => TermKind::Iteration(term(body)),
        T::If(value, yes, no) => {
            let less = ExpressionKind::Binary(Binary::Less, number(0), expression(value));
            let condition = Expression::new(less, Type::Boolean, nowhere());
            TermKind::Conditional(condition, term(yes), term(no))
        }
        T::Sum(variable, from, to, body) => {
            let always = ExpressionKind::Literal(Value::Boolean(true));
            let always = Expression::new(always, Type::Boolean, nowhere());
            TermKind::Sum(binder(*variable, from, to), always, term(body))
        }
        T::All(variable, from, to, body) => TermKind::Family(binder(*variable, from, to), term(body)),
        T::Call(process, value) => TermKind::Call(ProcessId(*process), vec![expression(value)]),
    };
    Term::new(kind, nowhere())
}

/// A model with the four actions, which say nothing about data, and these processes.
pub(crate) fn model(definitions: &Definitions) -> Model {
    let parameter = |variable: u32| Parameter {
        variable: VariableId(variable),
        name: "x".into(),
        ty: Type::Integer,
        span: nowhere(),
    };
    let action = |name: &str, parameters: Vec<Parameter>| Action {
        name: Arc::from(name),
        parameters,
        requires: vec![],
        ensures: vec![],
        modifies: vec![],
        accessible: vec![],
        span: nowhere(),
    };
    let process = |(place, body): (usize, &R)| Process {
        name: format!("X{place}").into(),
        parameters: vec![parameter(0)],
        requires: vec![],
        ensures: vec![],
        modifies: vec![],
        accessible: vec![],
        decreases: vec![],
        body: term(body),
        span: nowhere(),
    };
    Model {
        name: "Test".into(),
        fields: vec![],
        actions: vec![
            action("a", vec![]),
            action("b", vec![]),
            action("c", vec![]),
            action("d", vec![parameter(1)]),
        ],
        processes: definitions.bodies.iter().enumerate().map(process).collect(),
        functions: vec![],
        enumerations: vec![],
        data_types: vec![],
        next_variable: 100,
        span: nowhere(),
    }
}
