//! Random models whose terms change a number and a sequence.
#![allow(dead_code, reason = "each suite uses a part of these")]

use std::rc::Rc;

use num_bigint::BigInt;
use process::{
    Binary, Builtin, Expression, ExpressionKind, Field, FieldId, Model, Moment, Process, ProcessId, Question,
    Type, Value, VariableId,
};
use source::{FileId, Span};

use crate::random::Random;
use crate::shape::Shape;
use crate::terms::{Definitions, E, T, model as model_of, term};

pub(crate) fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

pub(crate) fn made(kind: ExpressionKind, ty: Type) -> Expression {
    Expression::new(kind, ty, nowhere())
}

pub(crate) fn int(value: i64) -> Expression {
    made(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer)
}

pub(crate) fn queue() -> Type {
    Type::Sequence(Type::Integer.into())
}

pub(crate) fn binary(operator: Binary, a: Expression, b: Expression) -> Expression {
    let ty = match operator {
        Binary::Add | Binary::RemainderEuclidean => Type::Integer,
        _ => Type::Boolean,
    };
    made(ExpressionKind::Binary(operator, a, b), ty)
}

pub(crate) fn x(moment: Moment) -> Expression {
    made(ExpressionKind::Field(FieldId(0), moment), Type::Integer)
}

pub(crate) fn q(moment: Moment) -> Expression {
    made(ExpressionKind::Field(FieldId(1), moment), queue())
}

pub(crate) fn builtin(builtin: Builtin, operands: Vec<Expression>, ty: Type) -> Expression {
    made(ExpressionKind::Builtin(builtin, operands), ty)
}

pub(crate) fn list(elements: Vec<Expression>) -> Expression {
    builtin(Builtin::SequenceOf, elements, queue())
}

pub(crate) fn size(of: Expression) -> Expression {
    builtin(Builtin::Size, vec![of], Type::Integer)
}

pub(crate) fn equal(a: Expression, b: Expression) -> Expression {
    binary(Binary::Equal, a, b)
}

/// The sequence with one more element, without the first one where it is full.
fn behind(element: Expression) -> Expression {
    let longer = builtin(Builtin::Concatenate, vec![q(Moment::Start), list(vec![element])], queue());
    let rest = builtin(Builtin::Drop, vec![longer.clone(), int(1)], queue());
    let is_short = binary(Binary::Less, size(q(Moment::Start)), int(3));
    made(ExpressionKind::Conditional(is_short, longer, rest), queue())
}

/// Gives the actions contracts: `a` counts, `b` keeps what was counted, `c` picks any number, `d` keeps its
/// argument, of which only few parts matter.
fn with_data(model: &mut Model) {
    let named = |name: &str, ty: Type| Field { name: name.into(), ty, span: nowhere() };
    model.fields = vec![named("x", Type::Integer), named("q", queue())];
    let next = binary(Binary::Add, x(Moment::Start), int(1));
    let next = binary(Binary::RemainderEuclidean, next, int(3));
    let argument = made(ExpressionKind::Variable(VariableId(1)), Type::Integer);
    let argument = binary(Binary::RemainderEuclidean, argument, int(3));
    let contracts = [
        (vec![], vec![equal(x(Moment::Now), next)], vec![FieldId(0)]),
        (vec![], vec![equal(q(Moment::Now), behind(x(Moment::Start)))], vec![FieldId(1)]),
        (
            vec![binary(Binary::Less, size(q(Moment::Now)), int(3))],
            vec![
                binary(Binary::AtMost, int(0), x(Moment::Now)),
                binary(Binary::Less, x(Moment::Now), int(3)),
            ],
            vec![FieldId(0)],
        ),
        (vec![], vec![equal(q(Moment::Now), behind(argument))], vec![FieldId(1)]),
    ];
    for (action, (requires, ensures, modifies)) in model.actions.iter_mut().zip(contracts) {
        action.requires = requires;
        action.ensures = ensures;
        action.modifies = modifies;
        action.accessible = vec![FieldId(0), FieldId(1)];
    }
}

/// A model with the process that is asked about, which begins with zero and nothing, and promises something.
pub(crate) fn begun(mut model: Model, body: &T) -> (Model, Question) {
    with_data(&mut model);
    let process = ProcessId(model.processes.len() as u32);
    model.processes.push(Process {
        name: "Main".into(),
        parameters: vec![],
        requires: vec![equal(x(Moment::Now), int(0)), equal(q(Moment::Now), list(vec![]))],
        ensures: vec![binary(Binary::Unequal, x(Moment::Now), int(2))],
        modifies: vec![],
        accessible: vec![],
        decreases: vec![],
        body: term(body),
        span: nowhere(),
    });
    let question =
        Question { process, arguments: Vec::new(), ranges: Vec::new(), conditions: Vec::new(), small: None };
    (model, question)
}

/// The term with actions that can be told apart: what another interpreter plays again has few ways to have come about.
fn told_apart(of: &T, next: &mut i64) -> T {
    let mut inside = |body: &Rc<T>| Rc::new(told_apart(body, next));
    match of {
        T::Act(0 | 1) => {
            *next += 1;
            T::Put(E(None, *next))
        }
        T::Empty | T::Deadlock | T::Act(_) | T::Put(_) | T::Call(..) => of.clone(),
        T::Seq(one, other) => T::Seq(inside(one), inside(other)),
        T::Alt(one, other) => T::Alt(inside(one), inside(other)),
        T::Par(one, other) => T::Par(inside(one), inside(other)),
        T::Star(body) => T::Star(inside(body)),
        T::If(condition, yes, no) => T::If(*condition, inside(yes), inside(no)),
        T::Sum(variable, from, to, body) => T::Sum(*variable, *from, *to, inside(body)),
        T::All(variable, from, to, body) => T::All(*variable, *from, *to, inside(body)),
    }
}

/// A random model: how it is written, and itself.
pub(crate) fn random_model(seed: u64) -> (String, (Model, Question)) {
    let mut random = Random::new(seed);
    let definitions = match random.below(2) {
        0 => Definitions::default(),
        _ => Definitions::random(&mut random),
    };
    let shape = Shape { calls: definitions.bodies.len(), rich: random.below(4) > 0 };
    let mut body = shape.term(&mut random, 4);
    for _ in 0..random.below(3) {
        body = T::Par(Rc::new(body), Rc::new(shape.term(&mut random, 3)));
    }
    let body = told_apart(&body, &mut 10);
    (format!("{definitions} {body}"), begun(model_of(&definitions), &body))
}
