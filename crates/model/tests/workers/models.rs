//! Models of the tests: random terms over a number and a sequence.

use std::rc::Rc;

use model::Ltl;
use model::processes::{NumberOf, ProcessModel, Wording};
use num_bigint::BigInt;
use process::{
    ActionId, Atom, Binary, Builtin, Expression, ExpressionKind, Field, FieldId, Model, Moment, Process,
    ProcessId, Question, Type, Value, VariableId,
};
use source::{Diagnostic, FileId, SourceMap, Span};

use crate::random::Random;
use crate::shape::Shape;
use crate::terms::{Definitions, E, T, model as model_of, term};

/// How many formulas each model has.
pub(crate) const FORMULAS: usize = 5;

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn made(kind: ExpressionKind, ty: Type) -> Expression {
    Expression::new(kind, ty, nowhere())
}

fn int(value: i64) -> Expression {
    made(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer)
}

fn queue() -> Type {
    Type::Sequence(Type::Integer.into())
}

fn binary(operator: Binary, a: Expression, b: Expression) -> Expression {
    let ty = match operator {
        Binary::Add | Binary::RemainderEuclidean => Type::Integer,
        _ => Type::Boolean,
    };
    made(ExpressionKind::Binary(operator, a, b), ty)
}

fn x(moment: Moment) -> Expression {
    made(ExpressionKind::Field(FieldId(0), moment), Type::Integer)
}

fn q(moment: Moment) -> Expression {
    made(ExpressionKind::Field(FieldId(1), moment), queue())
}

fn builtin(builtin: Builtin, operands: Vec<Expression>, ty: Type) -> Expression {
    made(ExpressionKind::Builtin(builtin, operands), ty)
}

fn list(elements: Vec<Expression>) -> Expression {
    builtin(Builtin::SequenceOf, elements, queue())
}

fn size(of: Expression) -> Expression {
    builtin(Builtin::Size, vec![of], Type::Integer)
}

fn equal(a: Expression, b: Expression) -> Expression {
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

/// The process that is asked about, which begins with zero and nothing, and promises something.
fn begun(mut model: Model, body: &T) -> ProcessModel {
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
    let mut model = ProcessModel::new(model, Vec::new(), question, Box::new(Wordless), String::new());
    for number in 0..FORMULAS {
        model.add_formula(format!("formula {number}"), |atom| formula(number, atom));
    }
    model
}

fn formula(number: usize, atom: NumberOf<'_>) -> Ltl {
    let condition = |condition: Expression| Atom::Condition(condition);
    let mut named = |it: Atom, name: &str| Ltl::Atom(atom(it, name.to_string()));
    let is = |value: i64| condition(equal(x(Moment::Now), int(value)));
    let always = |it: Ltl| Ltl::Always(Box::new(it));
    let eventually = |it: Ltl| Ltl::Eventually(Box::new(it));
    match number {
        0 => always(Ltl::Not(Box::new(named(is(2), "x == 2")))),
        1 => eventually(named(Atom::Ended, "ended")),
        2 => always(Ltl::Implies(
            Box::new(named(is(1), "x == 1")),
            Box::new(eventually(named(is(0), "x == 0"))),
        )),
        3 => {
            let full = condition(equal(size(q(Moment::Now)), int(3)));
            eventually(always(Ltl::Not(Box::new(named(full, "|q| == 3")))))
        }
        _ => {
            let did = named(Atom::Did(ActionId(1), None), "did b");
            let put = Atom::Did(ActionId(3), Some(vec![x(Moment::Now)]));
            always(Ltl::Implies(Box::new(did), Box::new(eventually(named(put, "did d(x)")))))
        }
    }
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
pub(crate) fn random_model(seed: u64) -> (String, ProcessModel) {
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

/// Counts for a while, and then has more and more processes side by side.
pub(crate) fn growing() -> ProcessModel {
    let call =
        |process: u32, variable: Option<u32>, value: i64| Rc::new(T::Call(process, E(variable, value)));
    let act = |action: u32| Rc::new(T::Act(action));
    // X0(n) = 0 < n ? a·X0(n-1) : X1(4), and X1(n) = 0 < n ? (d(n)·b ‖ d(n+20)·X1(n-1)) : ε
    let counts = T::Seq(act(0), call(0, Some(0), -1));
    let first = T::If(E(Some(0), 0), Rc::new(counts), call(1, None, 4));
    let one = T::Seq(Rc::new(T::Put(E(Some(0), 0))), act(1));
    let others = T::Seq(Rc::new(T::Put(E(Some(0), 20))), call(1, Some(0), -1));
    let both = T::Par(Rc::new(one), Rc::new(others));
    let second = T::If(E(Some(0), 0), Rc::new(both), Rc::new(T::Empty));
    let definitions = Definitions { bodies: vec![Rc::new(first), Rc::new(second)] };
    begun(model_of(&definitions), &T::Call(0, E(None, 1_500)))
}

/// Nobody asks for other formulas.
struct Wordless;

impl Wording for Wordless {
    fn read_formula(&self, _: &str, _: &mut SourceMap, _: NumberOf<'_>) -> Result<Ltl, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&self, _: &str) -> Option<(Atom, String)> {
        None
    }
}
