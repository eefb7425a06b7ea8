//! What an edge of an automaton asks of the letter it reads: a disjunction of cubes over at most 64 propositions.
//!
//! The list of cubes is the irredundant prime cover of the function in the order of the propositions, so equal
//! functions have equal labels, and deciding whether a letter matches takes two machine operations per cube.

use crate::bdd::{Bdd, BddManager};
use crate::evaluate::Valuation;

/// A conjunction of literals: every positive bit must be set in the letter, every negative bit clear.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    pub positive: u64,
    pub negative: u64,
}

impl Cube {
    #[inline]
    pub fn matches(self, letter: Valuation) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }
}

/// A set of letters. No cube means none, the empty cube means all.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Label {
    cubes: Vec<Cube>,
}

impl Label {
    pub fn nothing() -> Label {
        Label { cubes: Vec::new() }
    }

    pub fn anything() -> Label {
        Label { cubes: vec![Cube::default()] }
    }

    /// The union of the cubes, brought into canonical form (unless that is prohibitively large).
    pub fn new(cubes: impl IntoIterator<Item = Cube>) -> Label {
        let mut manager = BddManager::new();
        let cubes: Vec<Cube> = cubes.into_iter().collect();
        let bdd = cubes.iter().fold(Bdd::FALSE, |union, cube| {
            let cube = cube_to_bdd(&mut manager, *cube);
            manager.or(union, cube)
        });
        let label = Label::from_bdd(&mut manager, bdd);
        if manager.is_exhausted() { Label { cubes } } else { label }
    }

    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    #[inline]
    pub fn matches(&self, letter: Valuation) -> bool {
        self.cubes.iter().any(|cube| cube.matches(letter))
    }

    pub fn is_anything(&self) -> bool {
        self.cubes.as_slice() == [Cube::default()]
    }

    pub fn is_nothing(&self) -> bool {
        self.cubes.is_empty()
    }

    /// Propositions that the label reads.
    pub fn support(&self) -> u64 {
        self.cubes.iter().fold(0, |mask, cube| mask | cube.positive | cube.negative)
    }

    pub(crate) fn from_bdd(manager: &mut BddManager, bdd: Bdd) -> Label {
        let cubes = manager.prime_cover(bdd).into_iter().map(|literals| {
            literals.into_iter().fold(Cube::default(), |mut cube, (variable, positive)| {
                *(if positive { &mut cube.positive } else { &mut cube.negative }) |= 1 << variable;
                cube
            })
        });
        Label { cubes: cubes.collect() }
    }

    pub(crate) fn to_bdd(&self, manager: &mut BddManager) -> Bdd {
        self.cubes.iter().fold(Bdd::FALSE, |union, cube| {
            let cube = cube_to_bdd(manager, *cube);
            manager.or(union, cube)
        })
    }

    /// The label as text; `name` spells a proposition, the other arguments the operators.
    pub(crate) fn spell(&self, name: &dyn Fn(u32) -> String, not: &str, and: &str, or: &str) -> String {
        let cubes: Vec<String> = self
            .cubes
            .iter()
            .map(|cube| {
                let literals: Vec<String> = (0..64)
                    .filter(|bit| (cube.positive | cube.negative) >> bit & 1 == 1)
                    .map(|bit| {
                        if cube.positive >> bit & 1 == 1 { name(bit) } else { format!("{not}{}", name(bit)) }
                    })
                    .collect();
                let text = literals.join(and);
                if literals.len() > 1 && self.cubes.len() > 1 { format!("({text})") } else { text }
            })
            .collect();
        cubes.join(or)
    }
}

fn cube_to_bdd(manager: &mut BddManager, cube: Cube) -> Bdd {
    let literals: Vec<(u32, bool)> = (0..64)
        .filter(|bit| (cube.positive | cube.negative) >> bit & 1 == 1)
        .flat_map(|bit| {
            let positive = cube.positive >> bit & 1 == 1;
            let both = positive && cube.negative >> bit & 1 == 1;
            [Some((bit, positive)), both.then_some((bit, false))].into_iter().flatten()
        })
        .collect();
    manager.conjunction_of(&literals)
}
