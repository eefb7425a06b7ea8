//! Random contracts of actions over small domains: what is solved is what enumeration with the contract as a filter gives.
//!
//! Contracts are made in a language of their own, which the test evaluates by itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_bigint::BigInt;
use process::{
    Action, ActionId, Binary, Binder, Builtin, Explorer, Expression, ExpressionKind, Field, FieldId, Model,
    Moment, Parameter, Process, ProcessId, Quantifier, Question, Range, RangeKind, Term, TermKind, Type,
    Unary, Value, VariableId,
};
use source::{FileId, Span};

/// A number over the fields before and after, and a parameter.
#[derive(Clone, Debug)]
enum Number {
    Literal(i64),
    X(bool),
    Y(bool),
    Parameter,
    Index,
    Add(Box<Number>, Box<Number>),
    Subtract(Box<Number>, Box<Number>),
    Size(bool),
    /// The element at the bound index.
    Element,
}

#[derive(Clone, Debug)]
enum List {
    Queue(bool),
    Of(Vec<Number>),
    Join(Box<List>, Box<List>),
}

#[derive(Clone, Debug)]
enum Condition {
    Equal(Number, Number),
    AtMost(Number, Number),
    Less(Number, Number),
    Flag(bool),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Implies(Box<Condition>, Box<Condition>),
    Lists(List, List),
    /// For all indices of the queue afterwards.
    All(Box<Condition>),
    /// Among listed numbers.
    Among(Number, Vec<i64>),
}

/// Values of the fields x, y, flag and queue.
type Store = (i64, i64, bool, Vec<i64>);

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// A number; `later` says whether fields afterwards may occur.
    fn number(&mut self, depth: u32, later: bool, indexed: bool) -> Number {
        let old = !later || self.below(3) > 0;
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Number::Literal(self.below(3) as i64),
            1 => Number::X(old),
            2 => Number::Y(old),
            3 => Number::Parameter,
            4 if indexed => Number::Index,
            4 => Number::Literal(1),
            5 if indexed && later => Number::Element,
            5 => Number::Size(true),
            6 => Number::Size(old),
            7 => Number::Add(
                Box::new(self.number(depth - 1, later, indexed)),
                Box::new(self.number(depth - 1, false, indexed)),
            ),
            _ => Number::Subtract(
                Box::new(self.number(depth - 1, later, indexed)),
                Box::new(self.number(depth - 1, false, indexed)),
            ),
        }
    }

    fn list(&mut self, later: bool) -> List {
        match self.below(4) {
            0 | 1 => List::Queue(!later),
            2 => List::Of((0..self.below(3)).map(|_| self.number(0, false, false)).collect()),
            _ => List::Join(
                Box::new(List::Of(vec![self.number(0, false, false)])),
                Box::new(List::Queue(!later)),
            ),
        }
    }

    fn condition(&mut self, depth: u32) -> Condition {
        let boxed = |random: &mut Random| Box::new(random.condition(depth - 1));
        match self.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => {
                let target = if self.below(2) == 0 { Number::X(false) } else { Number::Y(false) };
                Condition::Equal(target, self.number(1, false, false))
            }
            2 => Condition::Equal(self.number(1, true, false), self.number(1, false, false)),
            3 => Condition::Flag(self.below(4) == 0),
            4 => Condition::Lists(self.list(true), self.list(false)),
            5 => {
                let target = if self.below(2) == 0 { Number::X(false) } else { Number::Y(false) };
                Condition::Among(target, (0..1 + self.below(3)).map(|_| self.below(3) as i64).collect())
            }
            6 => Condition::Not(boxed(self)),
            7 => Condition::And(boxed(self), boxed(self)),
            8 => Condition::Or(boxed(self), boxed(self)),
            9 => Condition::Implies(boxed(self), boxed(self)),
            10 => {
                let body = Condition::Equal(Number::Element, self.number(1, false, true));
                Condition::And(
                    Box::new(Condition::Equal(Number::Size(false), self.number(0, false, false))),
                    Box::new(Condition::All(Box::new(body))),
                )
            }
            _ if self.below(2) == 0 => {
                Condition::AtMost(self.number(1, true, false), self.number(1, true, false))
            }
            _ => Condition::Less(self.number(1, true, false), self.number(1, true, false)),
        }
    }
}

struct Moments<'s> {
    before: &'s Store,
    after: &'s Store,
    parameter: i64,
    index: usize,
}

impl Moments<'_> {
    fn store(&self, old: bool) -> &Store {
        if old { self.before } else { self.after }
    }

    fn number(&self, number: &Number) -> i64 {
        match number {
            Number::Literal(it) => *it,
            Number::X(old) => self.store(*old).0,
            Number::Y(old) => self.store(*old).1,
            Number::Parameter => self.parameter,
            Number::Index => self.index as i64,
            Number::Add(a, b) => self.number(a) + self.number(b),
            Number::Subtract(a, b) => self.number(a) - self.number(b),
            Number::Size(old) => self.store(*old).3.len() as i64,
            Number::Element => self.after.3[self.index],
        }
    }

    fn list(&self, list: &List) -> Vec<i64> {
        match list {
            List::Queue(old) => self.store(*old).3.clone(),
            List::Of(numbers) => numbers.iter().map(|it| self.number(it)).collect(),
            List::Join(a, b) => [self.list(a), self.list(b)].concat(),
        }
    }

    fn truth(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Equal(a, b) => self.number(a) == self.number(b),
            Condition::AtMost(a, b) => self.number(a) <= self.number(b),
            Condition::Less(a, b) => self.number(a) < self.number(b),
            Condition::Flag(old) => self.store(*old).2,
            Condition::Not(a) => !self.truth(a),
            Condition::And(a, b) => self.truth(a) && self.truth(b),
            Condition::Or(a, b) => self.truth(a) || self.truth(b),
            Condition::Implies(a, b) => !self.truth(a) || self.truth(b),
            Condition::Lists(a, b) => self.list(a) == self.list(b),
            Condition::All(body) => {
                (0..self.after.3.len()).all(|index| Moments { index, ..*self }.truth(body))
            }
            Condition::Among(a, among) => among.contains(&self.number(a)),
        }
    }
}

const PARAMETER: VariableId = VariableId(0);
const INDEX: VariableId = VariableId(1);

fn place() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn expression(kind: ExpressionKind, ty: Type) -> Expression {
    Expression::new(kind, ty, place())
}

fn queue_type() -> Type {
    Type::Sequence(Arc::new(Type::Integer))
}

fn integer(value: i64) -> Expression {
    expression(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer)
}

fn field(number: u32, old: bool, ty: Type) -> Expression {
    let moment = if old { Moment::Start } else { Moment::Now };
    expression(ExpressionKind::Field(FieldId(number), moment), ty)
}

fn binary(operator: Binary, a: Expression, b: Expression, ty: Type) -> Expression {
    expression(ExpressionKind::Binary(operator, a, b), ty)
}

fn number(it: &Number) -> Expression {
    let sum = |operator, a: &Number, b: &Number| binary(operator, number(a), number(b), Type::Integer);
    match it {
        Number::Literal(value) => integer(*value),
        Number::X(old) => field(0, *old, Type::Integer),
        Number::Y(old) => field(1, *old, Type::Integer),
        Number::Parameter => expression(ExpressionKind::Variable(PARAMETER), Type::Integer),
        Number::Index => expression(ExpressionKind::Variable(INDEX), Type::Integer),
        Number::Add(a, b) => sum(Binary::Add, a, b),
        Number::Subtract(a, b) => sum(Binary::Subtract, a, b),
        Number::Size(old) => {
            let queue = field(3, *old, queue_type());
            expression(ExpressionKind::Builtin(Builtin::Size, vec![queue]), Type::Integer)
        }
        Number::Element => {
            let queue = field(3, false, queue_type());
            let index = expression(ExpressionKind::Variable(INDEX), Type::Integer);
            expression(ExpressionKind::Builtin(Builtin::At, vec![queue, index]), Type::Integer)
        }
    }
}

fn list(it: &List) -> Expression {
    match it {
        List::Queue(old) => field(3, *old, queue_type()),
        List::Of(numbers) => {
            let numbers = numbers.iter().map(number).collect();
            expression(ExpressionKind::Builtin(Builtin::SequenceOf, numbers), queue_type())
        }
        List::Join(a, b) => {
            expression(ExpressionKind::Builtin(Builtin::Concatenate, vec![list(a), list(b)]), queue_type())
        }
    }
}

fn condition(it: &Condition) -> Expression {
    let both =
        |operator, a: &Condition, b: &Condition| binary(operator, condition(a), condition(b), Type::Boolean);
    match it {
        Condition::Equal(a, b) => binary(Binary::Equal, number(a), number(b), Type::Boolean),
        Condition::AtMost(a, b) => binary(Binary::AtMost, number(a), number(b), Type::Boolean),
        Condition::Less(a, b) => binary(Binary::Less, number(a), number(b), Type::Boolean),
        Condition::Flag(old) => field(2, *old, Type::Boolean),
        Condition::Not(a) => expression(ExpressionKind::Unary(Unary::Not, condition(a)), Type::Boolean),
        Condition::And(a, b) => both(Binary::And, a, b),
        Condition::Or(a, b) => both(Binary::Or, a, b),
        Condition::Implies(a, b) => both(Binary::Implies, a, b),
        Condition::Lists(a, b) => binary(Binary::Equal, list(a), list(b), Type::Boolean),
        Condition::All(body) => {
            let size = number(&Number::Size(false));
            let index = expression(ExpressionKind::Variable(INDEX), Type::Integer);
            let from = binary(Binary::AtMost, integer(0), index.clone(), Type::Boolean);
            let to = binary(Binary::Less, index, size, Type::Boolean);
            let within = binary(Binary::And, from, to, Type::Boolean);
            let binder = Binder { variable: INDEX, name: "i".into(), ty: Type::Integer, range: None };
            let kind = ExpressionKind::Quantified(Quantifier::All, vec![binder], within, condition(body));
            expression(kind, Type::Boolean)
        }
        Condition::Among(a, among) => {
            let set = among.iter().map(|it| integer(*it)).collect();
            let ty = Type::Set(Arc::new(Type::Integer));
            let set = expression(ExpressionKind::Builtin(Builtin::SetOf, set), ty);
            expression(ExpressionKind::Builtin(Builtin::Contains, vec![number(a), set]), Type::Boolean)
        }
    }
}

fn domain() -> Vec<Store> {
    let mut queues = vec![Vec::new()];
    for a in 0..2 {
        queues.push(vec![a]);
        for b in 0..2 {
            queues.push(vec![a, b]);
        }
    }
    let mut stores = Vec::new();
    for x in 0..3 {
        for y in 0..3 {
            for flag in [false, true] {
                stores.extend(queues.iter().map(|queue| (x, y, flag, queue.clone())));
            }
        }
    }
    stores
}

/// A model with one action of this contract, and a process that does it once from a store.
fn model(contract: &[Condition], store: &Store) -> Model {
    let named = |name: &str, ty: Type| Field { name: name.into(), ty, span: place() };
    let all: Vec<FieldId> = (0..4).map(FieldId).collect();
    let parameter = Parameter { variable: PARAMETER, name: "n".into(), ty: Type::Integer, span: place() };
    let action = Action {
        name: "act".into(),
        parameters: vec![parameter],
        requires: Vec::new(),
        ensures: contract.iter().map(condition).collect(),
        modifies: all.clone(),
        accessible: Vec::new(),
        span: place(),
    };
    let equal = |number: u32, ty: Type, value: Value| {
        let literal = expression(ExpressionKind::Literal(value), ty.clone());
        binary(Binary::Equal, field(number, false, ty), literal, Type::Boolean)
    };
    let whole = |it: i64| Value::Integer(BigInt::from(it));
    let queue = Value::Sequence(store.3.iter().map(|it| whole(*it)).collect());
    let process = Process {
        name: "P".into(),
        parameters: Vec::new(),
        requires: vec![
            equal(0, Type::Integer, whole(store.0)),
            equal(1, Type::Integer, whole(store.1)),
            equal(2, Type::Boolean, Value::Boolean(store.2)),
            equal(3, queue_type(), queue),
        ],
        ensures: Vec::new(),
        modifies: all,
        accessible: Vec::new(),
        decreases: Vec::new(),
        // It may end as well: an effect without a solution is then no deadlock.
        body: Term::new(
            TermKind::Choice(
                Term::new(TermKind::Action(ActionId(0), vec![integer(1)]), place()),
                Term::new(TermKind::Empty, place()),
            ),
            place(),
        ),
        span: place(),
    };
    Model {
        name: "M".into(),
        fields: vec![
            named("x", Type::Integer),
            named("y", Type::Integer),
            named("flag", Type::Boolean),
            named("queue", queue_type()),
        ],
        actions: vec![action],
        processes: vec![process],
        functions: Vec::new(),
        enumerations: Vec::new(),
        data_types: Vec::new(),
        next_variable: 10,
        span: place(),
    }
}

fn ranges() -> Vec<Range> {
    let range = |variable: u32, name: &str, number: u32, ty: Type, kind: RangeKind| Range {
        name: name.into(),
        variable: VariableId(variable),
        field: Some(FieldId(number)),
        ty,
        kind,
        span: place(),
    };
    let numbers = || RangeKind::Interval(integer(0), integer(3));
    let queues: BTreeSet<Vec<i64>> = domain().into_iter().map(|store| store.3).collect();
    let queue = |it: &Vec<i64>| list(&List::Of(it.iter().map(|it| Number::Literal(*it)).collect()));
    vec![
        range(2, "x", 0, Type::Integer, numbers()),
        range(3, "y", 1, Type::Integer, numbers()),
        range(4, "queue", 3, queue_type(), RangeKind::Listed(queues.iter().map(queue).collect())),
    ]
}

fn store_of(values: &[Value]) -> Option<Store> {
    let whole = |value: &Value| match value {
        Value::Integer(it) => i64::try_from(it).ok(),
        _ => None,
    };
    let [x, y, Value::Boolean(flag), Value::Sequence(queue)] = values else { return None };
    Some((whole(x)?, whole(y)?, *flag, queue.iter().map(whole).collect::<Option<_>>()?))
}

/// The stores that the action leads to; none where that is refused.
fn solved(contract: &[Condition], store: &Store, with_ranges: bool) -> Option<BTreeSet<Store>> {
    let model = model(contract, store);
    let ranges = if with_ranges { ranges() } else { Vec::new() };
    let question = Question {
        process: ProcessId(0),
        arguments: Vec::new(),
        ranges,
        conditions: Vec::new(),
        small: None,
    };
    let mut explorer = Explorer::new(&model, &[], &question).expect("the store is determined");
    assert_eq!(explorer.instances().len(), 1);
    let initial = explorer.initial().expect("there is an initial state");
    let mut successors = Vec::new();
    match explorer.successors(&initial[0], &mut successors) {
        Ok(()) => {
            let stores = successors.iter().map(|it| explorer.fields(&it.words));
            let stores = stores.map(|values| store_of(&values).expect("values are of their types"));
            Some(stores.collect())
        }
        Err(_) => None,
    }
}

#[test]
fn solved_effects_are_those_that_the_contract_allows() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let domain = domain();
    let (mut refused, mut contracts, mut found) = (0_usize, 0_usize, 0_usize);
    for round in 0..2_500 {
        let count = 2 + random.below(3);
        let contract: Vec<Condition> = (0..count).map(|_| random.condition(2)).collect();
        let with_ranges = round % 5 > 0;
        let before = domain[random.below(domain.len() as u64) as usize].clone();
        contracts += 1;
        let Some(solved) = solved(&contract, &before, with_ranges) else {
            refused += 1;
            continue;
        };
        let allows = |after: &Store| {
            let moments = Moments { before: &before, after, parameter: 1, index: 0 };
            contract.iter().all(|condition| moments.truth(condition))
        };
        for store in &solved {
            assert!(allows(store), "invented {store:?} from {before:?} by {contract:?}");
        }
        let expected: BTreeSet<Store> = domain.iter().filter(|store| allows(store)).cloned().collect();
        let in_domain: BTreeSet<Store> = solved.into_iter().filter(|store| domain.contains(store)).collect();
        assert_eq!(in_domain, expected, "from {before:?} by {contract:?} (ranges: {with_ranges})");
        found += expected.len();
    }
    assert!(contracts - refused >= 2_000, "{refused} of {contracts} refused");
    assert!(refused * 5 <= contracts, "{refused} of {contracts} refused");
    assert!(found > 2_000, "only {found} successors in all");
}
