//! Random models over sequences, explored whole: whatever is written out in states, stores and steps are those that the test
//! finds by itself. Effects that were found once are used again on the way, so what is kept of them is tested as well.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use num_bigint::BigInt;
use process::{
    Action, ActionId, Binary, Binder, Builtin, Explorer, Expression, ExpressionKind, Field, FieldId, Model,
    Moment, Process, ProcessId, Quantifier, Question, Term, TermKind, Type, Value, VariableId,
};
use source::{FileId, Span};

/// The number x and two sequences.
type Store = (i64, [Vec<i64>; 2]);

#[derive(Clone, Debug)]
enum Number {
    Literal(i64),
    X,
    Size(usize),
    /// It may be missing.
    Element(usize, usize),
    /// One more, modulo three.
    Next(Box<Number>),
}

/// What an action does.
#[derive(Clone, Debug)]
enum Effect {
    SetElement(usize, usize, Number),
    SetElementByX(usize, Number),
    Push(usize, Number),
    Pop(usize),
    SetX(Number),
    AnyX(i64),
    Exchange,
    /// Two fields at once.
    Both(usize, usize, Number, Number),
}

#[derive(Clone, Debug)]
struct Act {
    guard: Option<(Number, Number)>,
    effect: Effect,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn one(&mut self) -> usize {
        self.below(2) as usize
    }

    fn number(&mut self, depth: u32) -> Number {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Number::Literal(self.below(3) as i64),
            1 => Number::X,
            2 => Number::Size(self.one()),
            3 | 4 => Number::Element(self.one(), self.below(3) as usize),
            _ => Number::Next(Box::new(self.number(depth - 1))),
        }
    }

    fn act(&mut self) -> Act {
        let guard = (self.below(2) == 0).then(|| (self.number(1), self.number(1)));
        let effect = match self.below(9) {
            0 | 1 => Effect::SetElement(self.one(), self.below(3) as usize, self.number(1)),
            2 => Effect::SetElementByX(self.one(), self.number(1)),
            3 => Effect::Push(self.one(), self.number(1)),
            4 => Effect::Pop(self.one()),
            5 => Effect::SetX(self.number(1)),
            6 => Effect::AnyX(1 + self.below(3) as i64),
            7 => Effect::Exchange,
            _ => Effect::Both(self.one(), self.below(3) as usize, self.number(1), self.number(1)),
        };
        Act { guard, effect }
    }
}

const LONGEST: usize = 3;

fn value(it: &Number, store: &Store) -> Option<i64> {
    Some(match it {
        Number::Literal(it) => *it,
        Number::X => store.0,
        Number::Size(which) => store.1[*which].len() as i64,
        Number::Element(which, place) => *store.1[*which].get(*place)?,
        Number::Next(it) => (value(it, store)? + 1).rem_euclid(3),
    })
}

/// The stores after an action.
fn after(act: &Act, store: &Store) -> Vec<Store> {
    after_if_defined(act, store).unwrap_or_default()
}

fn after_if_defined(act: &Act, store: &Store) -> Option<Vec<Store>> {
    if let Some((a, b)) = &act.guard
        && value(a, store)? > value(b, store)?
    {
        return None;
    }
    let mut next = store.clone();
    match &act.effect {
        Effect::SetElement(which, place, it) => *next.1[*which].get_mut(*place)? = value(it, store)?,
        Effect::SetElementByX(which, it) => {
            *next.1[*which].get_mut(usize::try_from(store.0).ok()?)? = value(it, store)?;
        }
        Effect::Push(which, it) => {
            let it = value(it, store)?;
            if store.1[*which].len() >= LONGEST {
                return None;
            }
            next.1[*which].push(it);
        }
        Effect::Pop(which) => {
            if store.1[*which].is_empty() {
                return None;
            }
            next.1[*which].remove(0);
        }
        Effect::SetX(it) => next.0 = value(it, store)?,
        Effect::AnyX(bound) => return Some((0..*bound).map(|x| (x, store.1.clone())).collect()),
        Effect::Exchange => next.1.swap(0, 1),
        Effect::Both(which, place, it, x) => {
            *next.1[*which].get_mut(*place)? = value(it, store)?;
            next.0 = value(x, store)?;
        }
    }
    Some(vec![next])
}

fn place() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn expression(kind: ExpressionKind, ty: Type) -> Expression {
    Expression::new(kind, ty, place())
}

fn integer(value: i64) -> Expression {
    expression(ExpressionKind::Literal(Value::Integer(BigInt::from(value))), Type::Integer)
}

fn sequence_type() -> Type {
    Type::Sequence(Arc::new(Type::Integer))
}

fn x(moment: Moment) -> Expression {
    expression(ExpressionKind::Field(FieldId(1), moment), Type::Integer)
}

/// The sequences are the first field and the last one.
fn id(which: usize) -> FieldId {
    FieldId(2 * which as u32)
}

fn sequence(which: usize, moment: Moment) -> Expression {
    expression(ExpressionKind::Field(id(which), moment), sequence_type())
}

fn truth(operator: Binary, a: Expression, b: Expression) -> Expression {
    expression(ExpressionKind::Binary(operator, a, b), Type::Boolean)
}

fn builtin(builtin: Builtin, operands: Vec<Expression>, ty: Type) -> Expression {
    expression(ExpressionKind::Builtin(builtin, operands), ty)
}

fn size(sequence: Expression) -> Expression {
    builtin(Builtin::Size, vec![sequence], Type::Integer)
}

fn at(sequence: Expression, index: Expression) -> Expression {
    builtin(Builtin::At, vec![sequence, index], Type::Integer)
}

/// A number before the action; adds conditions under which it is defined.
fn number(it: &Number, moment: Moment, defined: &mut Vec<Expression>) -> Expression {
    match it {
        Number::Literal(it) => integer(*it),
        Number::X => x(moment),
        Number::Size(which) => size(sequence(*which, moment)),
        Number::Element(which, place) => {
            let here = sequence(*which, Moment::Now);
            defined.push(truth(Binary::Less, integer(*place as i64), size(here)));
            at(sequence(*which, moment), integer(*place as i64))
        }
        Number::Next(it) => {
            let sum = ExpressionKind::Binary(Binary::Add, number(it, moment, defined), integer(1));
            let sum = expression(sum, Type::Integer);
            let kind = ExpressionKind::Binary(Binary::RemainderEuclidean, sum, integer(3));
            expression(kind, Type::Integer)
        }
    }
}

const INDEX: VariableId = VariableId(0);

/// The three conjuncts that change one element of a sequence.
fn one_element(which: usize, index: &Expression, value: Expression) -> Vec<Expression> {
    let (now, old) = (sequence(which, Moment::Now), sequence(which, Moment::Start));
    let bound = expression(ExpressionKind::Variable(INDEX), Type::Integer);
    let parts = [
        truth(Binary::AtMost, integer(0), bound.clone()),
        truth(Binary::Less, bound.clone(), size(now.clone())),
        truth(Binary::Unequal, bound.clone(), index.clone()),
    ];
    let within = parts.into_iter().reduce(|a, b| truth(Binary::And, a, b)).expect("there are three");
    let same = truth(Binary::Equal, at(now.clone(), bound.clone()), at(old.clone(), bound));
    let binder = Binder { variable: INDEX, name: "i".into(), ty: Type::Integer, range: None };
    let others = ExpressionKind::Quantified(Quantifier::All, vec![binder], within, same);
    vec![
        truth(Binary::Equal, size(now.clone()), size(old)),
        truth(Binary::Equal, at(now, index.clone()), value),
        expression(others, Type::Boolean),
    ]
}

fn action(name: usize, act: &Act) -> Action {
    let mut requires = Vec::new();
    if let Some((a, b)) = &act.guard {
        let (a, b) = (number(a, Moment::Now, &mut requires), number(b, Moment::Now, &mut requires));
        requires.push(truth(Binary::AtMost, a, b));
    }
    let mut old = |it: &Number| number(it, Moment::Start, &mut requires);
    let (mut modifies, mut ensures, mut index) = (Vec::new(), Vec::new(), None);
    match &act.effect {
        Effect::SetElement(which, place, it) => {
            modifies.push(id(*which));
            let place = integer(*place as i64);
            ensures = one_element(*which, &place, old(it));
            index = Some((*which, place));
        }
        Effect::SetElementByX(which, it) => {
            modifies.push(id(*which));
            ensures = one_element(*which, &x(Moment::Start), old(it));
            index = Some((*which, x(Moment::Now)));
        }
        Effect::Both(which, place, it, to) => {
            modifies.extend([id(*which), FieldId(1)]);
            modifies.sort_unstable_by_key(|field| field.0);
            let place = integer(*place as i64);
            ensures = one_element(*which, &place, old(it));
            ensures.push(truth(Binary::Equal, x(Moment::Now), old(to)));
            index = Some((*which, place));
        }
        Effect::Push(which, it) => {
            modifies.push(id(*which));
            let last = builtin(Builtin::SequenceOf, vec![old(it)], sequence_type());
            let longer = vec![sequence(*which, Moment::Start), last];
            let longer = builtin(Builtin::Concatenate, longer, sequence_type());
            ensures.push(truth(Binary::Equal, sequence(*which, Moment::Now), longer));
            let here = size(sequence(*which, Moment::Now));
            requires.push(truth(Binary::Less, here, integer(LONGEST as i64)));
        }
        Effect::Pop(which) => {
            modifies.push(id(*which));
            let first = at(sequence(*which, Moment::Start), integer(0));
            let first = builtin(Builtin::SequenceOf, vec![first], sequence_type());
            let joined = vec![first, sequence(*which, Moment::Now)];
            let joined = builtin(Builtin::Concatenate, joined, sequence_type());
            ensures.push(truth(Binary::Equal, joined, sequence(*which, Moment::Start)));
            requires.push(truth(Binary::Less, integer(0), size(sequence(*which, Moment::Now))));
        }
        Effect::SetX(it) => {
            modifies.push(FieldId(1));
            ensures.push(truth(Binary::Equal, x(Moment::Now), old(it)));
        }
        Effect::AnyX(bound) => {
            modifies.push(FieldId(1));
            ensures.push(truth(Binary::AtMost, integer(0), x(Moment::Now)));
            ensures.push(truth(Binary::Less, x(Moment::Now), integer(*bound)));
        }
        Effect::Exchange => {
            modifies.extend([id(0), id(1)]);
            for which in 0..2 {
                let (now, old) = (sequence(which, Moment::Now), sequence(1 - which, Moment::Start));
                ensures.push(truth(Binary::Equal, now, old));
            }
        }
    }
    if let Some((which, index)) = index {
        requires.push(truth(Binary::AtMost, integer(0), index.clone()));
        requires.push(truth(Binary::Less, index, size(sequence(which, Moment::Now))));
    }
    let name = format!("a{name}").as_str().into();
    let (parameters, accessible) = (Vec::new(), Vec::new());
    Action { name, parameters, requires, ensures, modifies, accessible, span: place() }
}

/// Does any of the actions, for ever or until it ends.
fn model(acts: &[Act], begin: &Store) -> Model {
    let list =
        |it: &Vec<i64>| Value::Sequence(it.iter().map(|it| Value::Integer(BigInt::from(*it))).collect());
    let literal = |value: Value| expression(ExpressionKind::Literal(value), sequence_type());
    let mut requires = vec![truth(Binary::Equal, x(Moment::Now), integer(begin.0))];
    for which in 0..2 {
        requires.push(truth(Binary::Equal, sequence(which, Moment::Now), literal(list(&begin.1[which]))));
    }
    let terms =
        (0..acts.len() as u32).map(|it| Term::new(TermKind::Action(ActionId(it), Vec::new()), place()));
    let choice = terms.reduce(|a, b| Term::new(TermKind::Choice(a, b), place())).expect("there are actions");
    let named = |name: &str, ty: Type| Field { name: name.into(), ty, span: place() };
    let process = Process {
        name: "P".into(),
        parameters: Vec::new(),
        requires,
        ensures: Vec::new(),
        modifies: (0..3).map(FieldId).collect(),
        accessible: Vec::new(),
        decreases: Vec::new(),
        body: Term::new(TermKind::Iteration(choice), place()),
        span: place(),
    };
    Model {
        name: "M".into(),
        fields: vec![named("s", sequence_type()), named("x", Type::Integer), named("t", sequence_type())],
        actions: acts.iter().enumerate().map(|(name, act)| action(name, act)).collect(),
        processes: vec![process],
        functions: Vec::new(),
        enumerations: Vec::new(),
        data_types: Vec::new(),
        next_variable: 1,
        span: place(),
    }
}

fn store_of(values: &[Value]) -> Option<Store> {
    let whole = |value: &Value| match value {
        Value::Integer(it) => i64::try_from(it).ok(),
        _ => None,
    };
    let list = |value: &Value| match value {
        Value::Sequence(elements) => elements.iter().map(whole).collect::<Option<Vec<i64>>>(),
        _ => None,
    };
    let [s, x, t] = values else { return None };
    Some((whole(x)?, [list(s)?, list(t)?]))
}

type Steps = BTreeMap<Store, BTreeSet<(u32, Store)>>;

const STORES: usize = 400;

/// All steps, as the test has it.
fn expected(acts: &[Act], begin: &Store) -> Steps {
    let mut steps = Steps::new();
    let mut waiting = VecDeque::from([begin.clone()]);
    while let Some(store) = waiting.pop_front() {
        if steps.contains_key(&store) || steps.len() >= STORES {
            continue;
        }
        let mut found = BTreeSet::new();
        for (number, act) in (0..).zip(acts) {
            found.extend(after(act, &store).into_iter().map(|next| (number, next)));
        }
        waiting.extend(found.iter().map(|(_, next)| next.clone()));
        steps.insert(store, found);
    }
    steps
}

/// The same by exploration, with these fields written out.
fn explored(model: &Model, written_out: [bool; 3]) -> Steps {
    let question = Question {
        process: ProcessId(0),
        arguments: Vec::new(),
        ranges: Vec::new(),
        conditions: Vec::new(),
        small: None,
    };
    let mut explorer = Explorer::new(model, &[], &question).expect("the store is determined");
    explorer.write_out(written_out.to_vec());
    let mut waiting: VecDeque<Vec<u32>> = explorer.initial().expect("there is one").into();
    let mut steps = Steps::new();
    let mut successors = Vec::new();
    while let Some(state) = waiting.pop_front() {
        let store = store_of(&explorer.fields(&state)).expect("values are of their types");
        if steps.contains_key(&store) || steps.len() >= STORES {
            continue;
        }
        explorer.successors(&state, &mut successors).expect("everything is determined");
        let mut found = BTreeSet::new();
        for successor in &successors {
            let next = store_of(&explorer.fields(&successor.words)).expect("values are of their types");
            found.insert((explorer.text(&successor.step).action.0, next));
        }
        let mut next: Vec<_> = successors.iter().map(|it| it.words.clone()).collect();
        next.sort_by_key(|words| store_of(&explorer.fields(words)));
        waiting.extend(next);
        steps.insert(store, found);
    }
    steps
}

#[test]
fn what_is_written_out_changes_no_step() {
    let mut random = Random(0x51_7C_C1_B7_27_22_0A_95);
    let (mut stores, mut steps, mut large) = (0, 0, 0);
    for round in 0..500 {
        let acts: Vec<Act> = (0..3 + random.below(5)).map(|_| random.act()).collect();
        let mut list = || (0..random.below(4)).map(|_| random.below(3) as i64).collect::<Vec<_>>();
        let begin: Store = (0, [list(), list()]);
        let wanted = expected(&acts, &begin);
        let model = model(&acts, &begin);
        for written_out in [[false; 3], [true, false, true], [true, false, false], [false, false, true]] {
            let found = explored(&model, written_out);
            if wanted.len() < STORES {
                assert_eq!(
                    found, wanted,
                    "round {round}: {acts:?} from {begin:?}, written out: {written_out:?}"
                );
            }
            for (store, steps) in &found {
                let by_hand: BTreeSet<(u32, Store)> = (0..)
                    .zip(&acts)
                    .flat_map(|(number, act)| after(act, store).into_iter().map(move |next| (number, next)))
                    .collect();
                assert_eq!(steps, &by_hand, "round {round}: {acts:?} in {store:?}");
            }
        }
        stores += wanted.len();
        steps += wanted.values().map(BTreeSet::len).sum::<usize>();
        large += usize::from(wanted.len() > 50);
    }
    assert!(stores > 5_000 && steps > 10_000 && large > 40, "{stores} stores, {steps} steps, {large} large");
}
