//! Acceptance conditions of the HOA format, as far as they are generalised Büchi in disguise.
//!
//! Any positive combination of `Inf` becomes a conjunction of disjunctions; a disjunction of `Inf` is one
//! acceptance set, the union of its members (or of the complements of those written `Inf(!i)`).

use crate::automaton::Marks;
use crate::limits;

/// A condition as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Inf { set: u32, complemented: bool },
    Fin,
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// What the reader does with the marks it finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// Nothing is accepted.
    Nothing,
    /// One acceptance set per clause; an edge is in it if it has one of the marks, or lacks one of the others.
    Sets(Vec<Clause>),
    /// Something generalised Büchi acceptance cannot say without changing the automaton.
    Unsupported,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Clause {
    with: Vec<u32>,
    without: Vec<u32>,
}

impl Meaning {
    pub(super) fn sets(&self) -> u32 {
        match self {
            Meaning::Sets(clauses) => clauses.len() as u32,
            Meaning::Nothing => 1,
            Meaning::Unsupported => 0,
        }
    }

    /// The acceptance sets of an edge that carries these marks.
    pub(super) fn marks(&self, written: &[u32]) -> Marks {
        let Meaning::Sets(clauses) = self else { return Marks::NONE };
        clauses.iter().enumerate().fold(Marks::NONE, |marks, (index, clause)| {
            let inside = clause.with.iter().any(|set| written.contains(set))
                || clause.without.iter().any(|set| !written.contains(set));
            if inside { marks.union(Marks(1 << index)) } else { marks }
        })
    }
}

impl Condition {
    pub(super) fn meaning(&self) -> Meaning {
        match self.clauses() {
            None => Meaning::Unsupported,
            Some(clauses)
                if clauses.iter().any(|clause| clause.with.is_empty() && clause.without.is_empty()) =>
            {
                Meaning::Nothing
            }
            Some(clauses) if clauses.len() > limits::SETS as usize => Meaning::Unsupported,
            Some(clauses) => Meaning::Sets(clauses),
        }
    }

    /// Conjunctive normal form; the empty clause is false.
    fn clauses(&self) -> Option<Vec<Clause>> {
        match self {
            Condition::Constant(true) => Some(Vec::new()),
            Condition::Constant(false) => Some(vec![Clause::default()]),
            Condition::Inf { set, complemented: false } => {
                Some(vec![Clause { with: vec![*set], without: Vec::new() }])
            }
            Condition::Inf { set, complemented: true } => {
                Some(vec![Clause { with: Vec::new(), without: vec![*set] }])
            }
            Condition::Fin => None,
            Condition::And(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.clauses()?);
                }
                Some(all)
            }
            Condition::Or(parts) => {
                let mut product = vec![Clause::default()];
                for part in parts {
                    let clauses = part.clauses()?;
                    if product.len() * clauses.len() > 1_000 {
                        return None;
                    }
                    let pairs = product.iter().flat_map(|a| clauses.iter().map(move |b| (a, b)));
                    product = pairs
                        .map(|(a, b)| Clause {
                            with: [a.with.as_slice(), &b.with].concat(),
                            without: [a.without.as_slice(), &b.without].concat(),
                        })
                        .collect();
                }
                Some(product)
            }
        }
    }
}
