//! Transition systems of terms, rule by rule as in figure 2 of VMCAI 2020, and their bisimilarity. Nothing of the crate is
//! used here.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::terms::{Definitions, E, R, T};

/// Action and argument.
pub(crate) type Label = (u32, i64);

fn value(expression: &E) -> i64 {
    assert!(expression.0.is_none(), "the term is closed");
    expression.1
}

pub(crate) fn ends(term: &T, definitions: &Definitions) -> bool {
    match term {
        T::Empty | T::Star(_) => true,
        T::Deadlock | T::Act(_) | T::Put(_) => false,
        T::Seq(one, other) | T::Par(one, other) => ends(one, definitions) && ends(other, definitions),
        T::Alt(one, other) => ends(one, definitions) || ends(other, definitions),
        T::If(condition, yes, no) => ends(if value(condition) > 0 { yes } else { no }, definitions),
        T::Sum(variable, from, to, body) => {
            (*from..*to).any(|value| ends(&body.with(*variable, value), definitions))
        }
        T::All(variable, from, to, body) => {
            (*from..*to).all(|value| ends(&body.with(*variable, value), definitions))
        }
        T::Call(process, argument) => {
            ends(&definitions.bodies[*process as usize].with(0, value(argument)), definitions)
        }
    }
}

pub(crate) fn steps(term: &T, definitions: &Definitions) -> Vec<(Label, T)> {
    match term {
        T::Empty | T::Deadlock => vec![],
        T::Act(action) => vec![((*action, 0), T::Empty)],
        T::Put(argument) => vec![((3, value(argument)), T::Empty)],
        T::Seq(one, other) => {
            let mut all: Vec<(Label, T)> = steps(one, definitions)
                .into_iter()
                .map(|(label, next)| (label, after(next, other)))
                .collect();
            if ends(one, definitions) {
                all.extend(steps(other, definitions));
            }
            all
        }
        T::Alt(one, other) => {
            let mut all = steps(one, definitions);
            all.extend(steps(other, definitions));
            all
        }
        T::Par(one, other) => {
            let first = steps(one, definitions).into_iter();
            let second = steps(other, definitions).into_iter();
            let first = first.map(|(label, next)| (label, T::Par(Rc::new(next), other.clone())));
            let second = second.map(|(label, next)| (label, T::Par(one.clone(), Rc::new(next))));
            first.chain(second).collect()
        }
        T::Star(body) => {
            let again = Rc::new(term.clone());
            steps(body, definitions).into_iter().map(|(label, next)| (label, after(next, &again))).collect()
        }
        T::If(condition, yes, no) => steps(if value(condition) > 0 { yes } else { no }, definitions),
        T::Sum(variable, from, to, body) => {
            (*from..*to).flat_map(|value| steps(&body.with(*variable, value), definitions)).collect()
        }
        T::All(variable, from, to, body) => {
            let members = (*from..*to).map(|value| body.with(*variable, value));
            match members.reduce(|one, other| T::Par(Rc::new(one), Rc::new(other))) {
                Some(all) => steps(&all, definitions),
                None => vec![],
            }
        }
        T::Call(process, argument) => {
            steps(&definitions.bodies[*process as usize].with(0, value(argument)), definitions)
        }
    }
}

fn after(next: T, then: &R) -> T {
    T::Seq(Rc::new(next), then.clone())
}

pub(crate) enum Bisimilarity {
    Same,
    Different,
    TooLarge,
}

const STATES: usize = 1_500;

/// By splitting classes until nothing changes.
pub(crate) fn bisimilar(first: &T, second: &T, definitions: &Definitions) -> Bisimilarity {
    let mut numbers: HashMap<T, usize> = HashMap::new();
    let mut states: Vec<T> = Vec::new();
    let mut number = |term: T, states: &mut Vec<T>| {
        *numbers.entry(term).or_insert_with_key(|term| {
            states.push(term.clone());
            states.len() - 1
        })
    };
    let roots = (number(first.clone(), &mut states), number(second.clone(), &mut states));
    let mut edges: Vec<Vec<(Label, usize)>> = Vec::new();
    while edges.len() < states.len() {
        if states.len() > STATES {
            return Bisimilarity::TooLarge;
        }
        let found = steps(&states[edges.len()], definitions);
        edges.push(found.into_iter().map(|(label, next)| (label, number(next, &mut states))).collect());
    }
    let mut classes: Vec<usize> = states.iter().map(|state| usize::from(ends(state, definitions))).collect();
    let mut count = classes.iter().collect::<BTreeSet<_>>().len();
    loop {
        let mut known: HashMap<(usize, BTreeSet<(Label, usize)>), usize> = HashMap::new();
        let mut next = Vec::new();
        for (state, edges) in edges.iter().enumerate() {
            let moves = edges.iter().map(|(label, target)| (*label, classes[*target])).collect();
            let fresh = known.len();
            next.push(*known.entry((classes[state], moves)).or_insert(fresh));
        }
        classes = next;
        if known.len() == count {
            break;
        }
        count = known.len();
    }
    if classes[roots.0] == classes[roots.1] { Bisimilarity::Same } else { Bisimilarity::Different }
}

/// Whether this many steps do not tell two terms apart; nothing if there are too many terms to look at.
pub(crate) fn same_for(count: u32, first: &T, second: &T, definitions: &Definitions) -> Option<bool> {
    let mut looks = Looks { classes: HashMap::new(), known: HashMap::new(), definitions, left: 4_000 };
    Some(looks.class(first, count)? == looks.class(second, count)?)
}

/// How many steps are looked at, whether a term may end, and what it does to which classes.
type Signature = (u32, bool, BTreeSet<(Label, usize)>);

struct Looks<'d> {
    /// The class of a term for a number of steps.
    classes: HashMap<(T, u32), usize>,
    known: HashMap<Signature, usize>,
    definitions: &'d Definitions,
    left: usize,
}

impl Looks<'_> {
    fn class(&mut self, term: &T, count: u32) -> Option<usize> {
        if let Some(class) = self.classes.get(&(term.clone(), count)) {
            return Some(*class);
        }
        self.left = self.left.checked_sub(1)?;
        let mut moves = BTreeSet::new();
        if count > 0 {
            for (label, next) in steps(term, self.definitions) {
                moves.insert((label, self.class(&next, count - 1)?));
            }
        }
        let fresh = self.known.len();
        let ends = ends(term, self.definitions);
        let class = *self.known.entry((count, ends, moves)).or_insert(fresh);
        self.classes.insert((term.clone(), count), class);
        Some(class)
    }
}
