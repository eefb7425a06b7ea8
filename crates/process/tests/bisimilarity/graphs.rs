//! Bisimilarity of the transition systems of terms. Nothing of the crate is used here.

use std::collections::{BTreeSet, HashMap};

use crate::steps::{Label, ends, steps};
use crate::terms::{Definitions, T};

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
