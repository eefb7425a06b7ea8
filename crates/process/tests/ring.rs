//! The election in a ring (VMCAI 2020, figure 6), built by hand: states and transitions for up to six workers.

use std::collections::HashSet;
use std::sync::Arc;

use num_bigint::BigInt;
use process::{
    Action, ActionId, Binary, Binder, Builtin, Explorer, Expression, ExpressionKind, Field, FieldId, Model,
    Moment, Parameter, Process, ProcessId, Quantifier, Question, Successor, Term, TermKind, Type, Value,
    VariableId,
};
use source::{FileId, Span};

fn place() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn expression(kind: ExpressionKind, ty: Type) -> Expression {
    Expression::new(kind, ty, place())
}

fn integer(value: i64) -> Expression {
    expression(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer)
}

fn variable(number: u32) -> Expression {
    expression(ExpressionKind::Variable(VariableId(number)), Type::Integer)
}

fn queue() -> Type {
    Type::Sequence(Arc::new(Type::Integer))
}

fn queues() -> Type {
    Type::Sequence(Arc::new(queue()))
}

fn channels(moment: Moment) -> Expression {
    expression(ExpressionKind::Field(FieldId(0), moment), queues())
}

fn builtin(builtin: Builtin, operands: Vec<Expression>, ty: Type) -> Expression {
    expression(ExpressionKind::Builtin(builtin, operands), ty)
}

fn binary(operator: Binary, a: Expression, b: Expression, ty: Type) -> Expression {
    expression(ExpressionKind::Binary(operator, a, b), ty)
}

fn equal(a: Expression, b: Expression) -> Expression {
    binary(Binary::Equal, a, b, Type::Boolean)
}

fn both(a: Expression, b: Expression) -> Expression {
    binary(Binary::And, a, b, Type::Boolean)
}

fn size(of: Expression) -> Expression {
    builtin(Builtin::Size, vec![of], Type::Integer)
}

fn at(moment: Moment, index: Expression) -> Expression {
    builtin(Builtin::At, vec![channels(moment), index], queue())
}

fn one(element: Expression) -> Expression {
    builtin(Builtin::SequenceOf, vec![element], queue())
}

fn joined(a: Expression, b: Expression) -> Expression {
    builtin(Builtin::Concatenate, vec![a, b], queue())
}

fn within(index: Expression, moment: Moment) -> Expression {
    let from = binary(Binary::AtMost, integer(0), index.clone(), Type::Boolean);
    let to = binary(Binary::Less, index, size(channels(moment)), Type::Boolean);
    both(from, to)
}

fn binder(number: u32, range: Option<(Expression, Expression)>) -> Binder {
    Binder { variable: VariableId(number), name: "i".into(), ty: Type::Integer, range }
}

fn parameter(number: u32, ty: Type) -> Parameter {
    Parameter { variable: VariableId(number), name: "p".into(), ty, span: place() }
}

/// An action on one queue: the others, and how many there are, stay as they are.
fn on_queue(name: &str, rank: u32, message: u32, index: u32, effect: Expression) -> Action {
    let i = variable(index);
    let other = binary(Binary::Unequal, i.clone(), variable(rank), Type::Boolean);
    let condition = both(within(i.clone(), Moment::Now), other);
    let same = equal(at(Moment::Now, i.clone()), at(Moment::Start, i));
    let kind = ExpressionKind::Quantified(Quantifier::All, vec![binder(index, None)], condition, same);
    Action {
        name: name.into(),
        parameters: vec![parameter(rank, Type::Integer), parameter(message, Type::Integer)],
        requires: vec![within(variable(rank), Moment::Now)],
        ensures: vec![
            equal(size(channels(Moment::Now)), size(channels(Moment::Start))),
            effect,
            expression(kind, Type::Boolean),
        ],
        modifies: vec![FieldId(0)],
        accessible: Vec::new(),
        span: place(),
    }
}

fn term(kind: TermKind) -> Term {
    Term::new(kind, place())
}

/// Workers 10 to 14: rank, size, own value, highest value, rounds left.
fn elect() -> Process {
    let next = binary(Binary::Add, variable(10), integer(1), Type::Integer);
    let next = binary(Binary::RemainderEuclidean, next, variable(11), Type::Integer);
    let sends = term(TermKind::Action(ActionId(0), vec![next, variable(13)]));
    let receives = term(TermKind::Action(ActionId(1), vec![variable(10), variable(20)]));
    let less = binary(Binary::Less, variable(13), variable(20), Type::Boolean);
    let higher = expression(ExpressionKind::Conditional(less, variable(20), variable(13)), Type::Integer);
    let left = binary(Binary::Subtract, variable(14), integer(1), Type::Integer);
    let again = vec![variable(10), variable(11), variable(12), higher, left];
    let again = term(TermKind::Call(ProcessId(0), again));
    let truth = expression(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean);
    let round = term(TermKind::Sequence(receives, again));
    let round = term(TermKind::Sum(binder(20, None), truth, round));
    let announces = term(TermKind::Action(ActionId(2), vec![variable(10)]));
    let highest = equal(variable(12), variable(13));
    let last = term(TermKind::Conditional(highest, announces, term(TermKind::Empty)));
    let more = binary(Binary::Less, integer(0), variable(14), Type::Boolean);
    let body = TermKind::Conditional(more, term(TermKind::Sequence(sends, round)), last);
    process("Elect", (10..15).map(|it| parameter(it, Type::Integer)).collect(), Vec::new(), term(body))
}

fn process(name: &str, parameters: Vec<Parameter>, requires: Vec<Expression>, body: Term) -> Process {
    Process {
        name: name.into(),
        parameters,
        requires,
        ensures: Vec::new(),
        modifies: vec![FieldId(0), FieldId(1)],
        accessible: Vec::new(),
        decreases: Vec::new(),
        body,
        span: place(),
    }
}

fn ring() -> Model {
    let values = || expression(ExpressionKind::Variable(VariableId(30)), queue());
    let value = |index: u32| builtin(Builtin::At, vec![values(), variable(index)], Type::Integer);
    let arguments = vec![variable(31), size(values()), value(31), value(31), size(values())];
    let worker = term(TermKind::Call(ProcessId(0), arguments));
    let workers = term(TermKind::Family(binder(31, Some((integer(0), size(values())))), worker));
    let empty = builtin(Builtin::SequenceOf, Vec::new(), queue());
    let kind = ExpressionKind::Quantified(
        Quantifier::All,
        vec![binder(32, None)],
        within(variable(32), Moment::Now),
        equal(at(Moment::Now, variable(32)), empty),
    );
    let lead = || expression(ExpressionKind::Field(FieldId(1), Moment::Now), Type::Integer);
    let requires = vec![
        equal(size(channels(Moment::Now)), size(values())),
        expression(kind, Type::Boolean),
        equal(lead(), integer(-1)),
    ];
    let sent = joined(at(Moment::Start, variable(0)), one(variable(1)));
    let received = joined(one(variable(4)), at(Moment::Now, variable(3)));
    let named = |name: &str, ty: Type| Field { name: name.into(), ty, span: place() };
    Model {
        name: "Ring".into(),
        fields: vec![named("chan", queues()), named("lead", Type::Integer)],
        actions: vec![
            on_queue("send", 0, 1, 2, equal(at(Moment::Now, variable(0)), sent)),
            on_queue("recv", 3, 4, 5, equal(received, at(Moment::Start, variable(3)))),
            Action {
                name: "announce".into(),
                parameters: vec![parameter(6, Type::Integer)],
                requires: vec![within(variable(6), Moment::Now)],
                ensures: vec![equal(lead(), variable(6))],
                modifies: vec![FieldId(1)],
                accessible: vec![FieldId(0)],
                span: place(),
            },
        ],
        processes: vec![elect(), process("ParElect", vec![parameter(30, queue())], requires, workers)],
        functions: Vec::new(),
        enumerations: Vec::new(),
        data_types: Vec::new(),
        next_variable: 40,
        span: place(),
    }
}

fn explored(workers: i64) -> (usize, usize, usize) {
    let model = ring();
    let values = (0..workers).map(|it| integer((workers - it) % workers)).collect();
    let arguments = vec![builtin(Builtin::SequenceOf, values, queue())];
    let question = Question {
        process: ProcessId(1),
        arguments,
        ranges: Vec::new(),
        conditions: Vec::new(),
        small: None,
    };
    let mut explorer = Explorer::new(&model, &[], &question).expect("it can be explored");
    let mut work = explorer.initial().expect("there is an initial state");
    let mut seen: HashSet<Vec<u32>> = work.iter().cloned().collect();
    let mut successors: Vec<Successor> = Vec::new();
    let (mut transitions, mut ends) = (0, 0);
    while let Some(state) = work.pop() {
        explorer.successors(&state, &mut successors).expect("it can be explored");
        transitions += successors.len();
        ends += usize::from(explorer.may_end(&state).expect("it can be explored"));
        for successor in successors.drain(..) {
            if seen.insert(successor.words.clone()) {
                work.push(successor.words);
            }
        }
    }
    (seen.len(), transitions, ends)
}

#[test]
fn counts_are_those_of_other_tools() {
    let figures = [(1, 4, 3), (2, 17, 23), (3, 97, 192), (4, 597, 1_552), (5, 3_741, 12_000)];
    for (workers, states, transitions) in figures {
        assert_eq!(explored(workers), (states, transitions, 1), "{workers} workers");
    }
}

/// `cargo test -p probity-process --profile quick --test ring -- --ignored`, for its time.
#[test]
#[ignore = "only its time is of interest"]
fn seven_workers() {
    assert_eq!(explored(7), (146_889, 646_576, 1));
}
