//! Random models with contracts over two truth values and a number, and their runs.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use num_bigint::BigInt;
use process::{
    Binary, Expression, ExpressionKind, Field, FieldId, Model, Moment, Type, Unary, Value, VariableId,
};
use source::{FileId, Span};

use crate::random::Random;
use crate::steps::{Label, ends, steps};
use crate::terms::{Definitions, E, T, model};

/// Values of both fields.
pub(crate) type Fields = [bool; 2];

/// Numbers that parameters range over.
pub(crate) const NUMBERS: std::ops::Range<i64> = -1..3;

/// A condition over fields before and after, and whether the parameter is positive.
#[derive(Clone, Debug)]
pub(crate) enum B {
    True,
    Old(usize),
    New(usize),
    Positive,
    Not(Box<B>),
    And(Box<B>, Box<B>),
    Same(Box<B>, Box<B>),
}

impl B {
    fn random(random: &mut Random, depth: u32, after: bool, parameter: bool) -> B {
        let sub = |random: &mut Random| Box::new(B::random(random, depth - 1, after, parameter));
        match random.below(if depth == 0 { 5 } else { 10 }) {
            0 => B::True,
            1 if parameter => B::Positive,
            2 | 3 if after => B::New(random.below(2) as usize),
            1..=4 => B::Old(random.below(2) as usize),
            5 => B::Not(sub(random)),
            6 | 7 => B::And(sub(random), sub(random)),
            _ => B::Same(sub(random), sub(random)),
        }
    }

    pub(crate) fn holds(&self, old: Fields, new: Fields, parameter: i64) -> bool {
        match self {
            B::True => true,
            B::Old(field) => old[*field],
            B::New(field) => new[*field],
            B::Positive => parameter > 0,
            B::Not(inner) => !inner.holds(old, new, parameter),
            B::And(one, other) => one.holds(old, new, parameter) && other.holds(old, new, parameter),
            B::Same(one, other) => one.holds(old, new, parameter) == other.holds(old, new, parameter),
        }
    }

    /// The crate's expression; in a guard there is one moment only.
    fn expression(&self, variable: u32, is_guard: bool) -> Expression {
        let sub = |inner: &B| inner.expression(variable, is_guard);
        let field = |field: &usize, moment| ExpressionKind::Field(FieldId(*field as u32), moment);
        let kind = match self {
            B::True => ExpressionKind::Literal(Value::Boolean(true)),
            B::Old(place) if is_guard => field(place, Moment::Now),
            B::Old(place) => field(place, Moment::Start),
            B::New(place) => field(place, Moment::Now),
            B::Positive => {
                let zero = ExpressionKind::Literal(Value::Integer(BigInt::from(0)));
                let zero = Expression::new(zero, Type::Integer, nowhere());
                let number = ExpressionKind::Variable(VariableId(variable));
                let number = Expression::new(number, Type::Integer, nowhere());
                ExpressionKind::Binary(Binary::Less, zero, number)
            }
            B::Not(inner) => ExpressionKind::Unary(Unary::Not, sub(inner)),
            B::And(one, other) => ExpressionKind::Binary(Binary::And, sub(one), sub(other)),
            B::Same(one, other) => ExpressionKind::Binary(Binary::Equal, sub(one), sub(other)),
        };
        Expression::new(kind, Type::Boolean, nowhere())
    }
}

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

#[derive(Clone, Debug)]
struct Contract {
    requires: B,
    ensures: Vec<B>,
    modifies: Vec<usize>,
}

/// A model: four actions, and processes over them.
#[derive(Debug)]
pub(crate) struct Scenario {
    actions: Vec<Contract>,
    definitions: Definitions,
    contracts: Vec<Option<Contract>>,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:#?} {:#?}", self.definitions, self.actions, self.contracts)
    }
}

impl Scenario {
    pub(crate) fn random(random: &mut Random) -> Scenario {
        let actions = (0..4).map(|action| random_action(random, action == 3)).collect();
        let count = 1 + random.below(3) as u32;
        let bodies = (0..count).map(|_| Rc::new(random_body(random, count))).collect();
        let mut scenario = Scenario { actions, definitions: Definitions { bodies }, contracts: Vec::new() };
        scenario.contracts = vec![None; count as usize];
        for process in 0..count as usize {
            if process > 0 && random.below(4) == 0 {
                continue;
            }
            let wants_truth = random.below(3) > 0;
            for _ in 0..12 {
                let requires = if random.below(2) == 0 { B::True } else { B::random(random, 1, false, true) };
                let ensures = vec![B::random(random, 2, true, true)];
                scenario.contracts[process] = Some(Contract { requires, ensures, modifies: vec![0, 1] });
                if scenario.refutation(process).is_none() == wants_truth {
                    break;
                }
            }
        }
        scenario
    }

    /// The crate's model.
    pub(crate) fn model(&self) -> Model {
        let mut made = model(&self.definitions);
        let field = |name: &str| Field { name: name.into(), ty: Type::Boolean, span: nowhere() };
        made.fields = vec![field("x"), field("y")];
        for (action, contract) in made.actions.iter_mut().zip(&self.actions) {
            action.requires = vec![contract.requires.expression(1, true)];
            action.ensures = contract.ensures.iter().map(|part| part.expression(1, false)).collect();
            action.modifies = contract.modifies.iter().map(|field| FieldId(*field as u32)).collect();
        }
        for (process, contract) in made.processes.iter_mut().zip(&self.contracts) {
            let Some(contract) = contract else { continue };
            process.requires = vec![contract.requires.expression(0, true)];
            process.ensures = contract.ensures.iter().map(|part| part.expression(0, false)).collect();
        }
        made
    }

    /// A run that ends in a store that the contract forbids.
    pub(crate) fn refutation(&self, process: usize) -> Option<String> {
        let contract = self.contracts[process].as_ref()?;
        for number in NUMBERS {
            for begin in stores() {
                if !contract.requires.holds(begin, begin, number) {
                    continue;
                }
                let start = (self.definitions.bodies[process].with(0, number), begin);
                let mut seen: HashSet<(T, Fields)> = HashSet::new();
                let mut waiting = vec![start];
                while let Some((term, fields)) = waiting.pop() {
                    if !seen.insert((term.clone(), fields)) {
                        continue;
                    }
                    let is_right = |claim: &B| claim.holds(begin, fields, number);
                    if ends(&term, &self.definitions) && !contract.ensures.iter().all(is_right) {
                        return Some(format!("X{process}({number}) from {begin:?} to {fields:?}"));
                    }
                    for (label, next) in steps(&term, &self.definitions) {
                        waiting.extend(self.effects(label, fields).map(|after| (next.clone(), after)));
                    }
                }
            }
        }
        None
    }

    /// All stores that an action can lead to.
    fn effects(&self, (action, argument): Label, before: Fields) -> impl Iterator<Item = Fields> {
        let contract = &self.actions[action as usize];
        stores().filter(move |after| {
            let stays = |field: &usize| contract.modifies.contains(field) || before[*field] == after[*field];
            contract.requires.holds(before, before, argument)
                && [0, 1].iter().all(stays)
                && contract.ensures.iter().all(|part| part.holds(before, *after, argument))
        })
    }
}

fn stores() -> impl Iterator<Item = Fields> {
    (0..4).map(|bits| [bits & 1 == 1, bits & 2 == 2])
}

fn random_action(random: &mut Random, parameter: bool) -> Contract {
    let requires = if random.below(2) == 0 { B::True } else { B::random(random, 1, false, parameter) };
    let modifies: Vec<usize> = match random.below(4) {
        0 => vec![0],
        1 => vec![1],
        2 => vec![0, 1],
        _ => vec![random.below(2) as usize],
    };
    let mut ensures = Vec::new();
    for field in &modifies {
        let value = B::random(random, 1, false, parameter);
        ensures.push(match random.below(6) {
            // Some effects leave a choice, or have no solution somewhere.
            0 => B::random(random, 1, true, parameter),
            _ => B::Same(Box::new(B::New(*field)), Box::new(value)),
        });
    }
    Contract { requires, ensures, modifies }
}

/// Calls are made with a smaller number, and only with a positive one.
fn random_body(random: &mut Random, count: u32) -> T {
    let with_calls = Rc::new(random_term(random, 2, count));
    match random.below(4) {
        0 => T::If(E(Some(0), 0), with_calls, Rc::new(T::Empty)),
        _ => T::If(E(Some(0), 0), with_calls, Rc::new(random_term(random, 1, 0))),
    }
}

fn random_term(random: &mut Random, depth: u32, calls: u32) -> T {
    if depth == 0 {
        return match random.below(9) {
            0 => T::Empty,
            1 if random.below(4) == 0 => T::Deadlock,
            2 | 3 if calls > 0 => T::Call(random.below(u64::from(calls)) as u32, E(Some(0), -1)),
            4 => T::Put(E(Some(0), random.below(2) as i64 - 1)),
            other => T::Act((other % 3) as u32),
        };
    }
    let mut sub = || Rc::new(random_term(random, depth - 1, calls));
    let (one, other) = (sub(), sub());
    match random.below(9) {
        0..=2 => T::Seq(one, other),
        3 | 4 => T::Par(one, other),
        5 => T::Alt(one, other),
        6 => T::If(E(Some(0), -1), one, other),
        _ => match random.below(8) {
            0 => T::Star(one),
            1 => T::Sum(5, E(None, 0), E(None, 2), one),
            2 => T::All(6, E(None, 0), E(None, 2), one),
            _ => random_term(random, 0, calls),
        },
    }
}
