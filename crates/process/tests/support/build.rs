//! Terms, expressions and models, put together by hand.
#![allow(dead_code, reason = "each suite uses a part of these")]

use num_bigint::BigInt;
use process::{
    Action, ActionId, Binary, Expression, ExpressionKind, Field, FieldId, Model, Moment, Parameter, Process,
    ProcessId, Term, TermKind, Type, Value, VariableId,
};
use source::{FileId, Span};

pub(crate) fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

pub(crate) fn int(value: i64) -> Expression {
    Expression::new(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer, nowhere())
}

pub(crate) fn var(number: u32) -> Expression {
    Expression::new(ExpressionKind::Variable(VariableId(number)), Type::Integer, nowhere())
}

pub(crate) fn field(number: u32, moment: Moment) -> Expression {
    Expression::new(ExpressionKind::Field(FieldId(number), moment), Type::Integer, nowhere())
}

pub(crate) fn old(number: u32) -> Expression {
    field(number, Moment::Start)
}

pub(crate) fn now(number: u32) -> Expression {
    field(number, Moment::Now)
}

pub(crate) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    let ty = match operator {
        Binary::Add | Binary::Subtract | Binary::Multiply => Type::Integer,
        _ => Type::Boolean,
    };
    Expression::new(ExpressionKind::Binary(operator, left, right), ty, nowhere())
}

pub(crate) fn eq(left: Expression, right: Expression) -> Expression {
    binary(Binary::Equal, left, right)
}

pub(crate) fn add(left: Expression, right: Expression) -> Expression {
    binary(Binary::Add, left, right)
}

pub(crate) fn sub(left: Expression, right: Expression) -> Expression {
    binary(Binary::Subtract, left, right)
}

pub(crate) fn less(left: Expression, right: Expression) -> Expression {
    binary(Binary::Less, left, right)
}

pub(crate) fn at_most(left: Expression, right: Expression) -> Expression {
    binary(Binary::AtMost, left, right)
}

pub(crate) fn term(kind: TermKind) -> Term {
    Term::new(kind, nowhere())
}

pub(crate) fn act(number: u32, arguments: Vec<Expression>) -> Term {
    term(TermKind::Action(ActionId(number), arguments))
}

pub(crate) fn call(number: u32, arguments: Vec<Expression>) -> Term {
    term(TermKind::Call(ProcessId(number), arguments))
}

pub(crate) fn seq(one: Term, other: Term) -> Term {
    term(TermKind::Sequence(one, other))
}

pub(crate) fn par(one: Term, other: Term) -> Term {
    term(TermKind::Parallel(one, other))
}

pub(crate) fn when(condition: Expression, yes: Term, no: Term) -> Term {
    term(TermKind::Conditional(condition, yes, no))
}

pub(crate) fn empty() -> Term {
    term(TermKind::Empty)
}

pub(crate) fn parameter(number: u32) -> Parameter {
    Parameter { variable: VariableId(number), name: "n".into(), ty: Type::Integer, span: nowhere() }
}

pub(crate) fn action(requires: Vec<Expression>, ensures: Vec<Expression>, modifies: Vec<u32>) -> Action {
    Action {
        name: "act".into(),
        parameters: vec![],
        requires,
        ensures,
        modifies: modifies.into_iter().map(FieldId).collect(),
        accessible: vec![],
        span: nowhere(),
    }
}

pub(crate) fn process(
    parameters: Vec<u32>,
    requires: Vec<Expression>,
    ensures: Vec<Expression>,
    body: Term,
) -> Process {
    Process {
        name: "P".into(),
        parameters: parameters.into_iter().map(parameter).collect(),
        requires,
        ensures,
        modifies: vec![],
        accessible: vec![],
        decreases: vec![],
        body,
        span: nowhere(),
    }
}

pub(crate) fn model(fields: usize, actions: Vec<Action>, processes: Vec<Process>) -> Model {
    let field = Field { name: "x".into(), ty: Type::Integer, span: nowhere() };
    Model {
        name: "Study".into(),
        fields: vec![field; fields],
        actions,
        processes,
        functions: vec![],
        enumerations: vec![],
        data_types: vec![],
        next_variable: 50,
        span: nowhere(),
    }
}

pub(crate) fn alt(one: Term, other: Term) -> Term {
    term(TermKind::Choice(one, other))
}

pub(crate) fn star(body: Term) -> Term {
    term(TermKind::Iteration(body))
}

pub(crate) fn deadlock() -> Term {
    term(TermKind::Deadlock)
}

pub(crate) fn foreign(number: u32) -> Term {
    term(TermKind::Foreign(number))
}
