//! A never claim becomes an automaton.
//!
//! The claim moves once for each step of the system, reading the state the step leaves. Its locations are
//! the automaton's states and its conditions the propositions; a location with an accept label puts its
//! mark on every edge that leaves it. Reaching the end of the claim, or failing an assertion in it, is a
//! violation in itself: both lead to a state that accepts everything. Where the claim has variables, their
//! values belong to the state.

use std::collections::HashMap;

use temporal::{AcceptanceKind, Automaton, Cube, Edge, Label, Marks, State};
use transition::model::{Action, Binary, Claim, Expr, Initialiser, LocationId, ProcessType, Scope, Unary};

use super::claim_variables::{constant, slot, substitute};

/// An automaton whose proposition *i* is `atoms[i]`.
pub(crate) struct ClaimAutomaton {
    pub(crate) automaton: Automaton,
    pub(crate) atoms: Vec<Expr>,
}

/// A claim whose variables take more values than this is refused.
const STATE_LIMIT: usize = 10_000;

/// A longer atomic sequence is taken for a loop.
const ATOMIC_LIMIT: usize = 1000;

/// The number of the state that accepts everything.
const SINK: u32 = 0;

/// A conjunction of literals over the atoms, grown along an atomic sequence.
#[derive(Clone, Copy, Default)]
struct Guard(Cube);

/// Where the claim is, and the values of its variables.
type Configuration = (LocationId, Vec<i32>);

pub(crate) fn claim_automaton(claim: &Claim) -> Result<ClaimAutomaton, String> {
    let process = &claim.process;
    let mut values = vec![0; process.locals.len()];
    for initialiser in &process.initialisers {
        match initialiser {
            Initialiser::Value(place, expr) => {
                let value = constant(expr, &values)?;
                let at = slot(place, &values)?;
                values[at] = place.scalar.cut(value);
            }
            Initialiser::Channel(..) => {
                return Err("a never claim with channels of its own is not supported".to_string());
            }
        }
    }
    let mut builder = Builder { process, atoms: Vec::new(), numbers: HashMap::new(), found: Vec::new() };
    let initial = builder.number((process.start, values))?;
    // The sink: whatever happens from here on is a violation.
    let anything = Edge { label: Label::anything(), target: SINK, marks: Marks(1) };
    let mut states = vec![State { edges: vec![anything] }];
    while let Some((at, values)) = builder.found.get(states.len() - 1).cloned() {
        let mut edges = Vec::new();
        builder.edges(at, &values, Guard::default(), 0, &mut edges)?;
        let marks = if process.location(at).is_accepting { Marks(1) } else { Marks::NONE };
        for edge in &mut edges {
            edge.marks = marks;
        }
        states.push(State { edges });
    }
    let propositions = (0..builder.atoms.len()).map(|index| format!("c{index}")).collect();
    let name = Some(claim.name.clone());
    let automaton = Automaton { name, propositions, initial, states, sets: 1, kind: AcceptanceKind::Sba };
    Ok(ClaimAutomaton { automaton, atoms: builder.atoms })
}

struct Builder<'c> {
    process: &'c ProcessType,
    atoms: Vec<Expr>,
    numbers: HashMap<Configuration, u32>,
    /// By number, less one for the sink.
    found: Vec<Configuration>,
}

impl Builder<'_> {
    fn is_end(&self, at: LocationId) -> bool {
        let edges = &self.process.location(at).edges;
        edges.iter().any(|edge| matches!(edge.actions.first(), Some(Action::End)))
    }

    /// The automaton's state for a configuration of the claim.
    fn number(&mut self, configuration: Configuration) -> Result<u32, String> {
        if self.is_end(configuration.0) {
            return Ok(SINK);
        }
        if let Some(number) = self.numbers.get(&configuration) {
            return Ok(*number);
        }
        if self.found.len() >= STATE_LIMIT {
            return Err(format!(
                "a never claim whose variables lead to more than {STATE_LIMIT} states is not supported"
            ));
        }
        self.found.push(configuration.clone());
        let number = self.found.len() as u32;
        self.numbers.insert(configuration, number);
        Ok(number)
    }

    /// The edges of a location, under what an atomic sequence has already required.
    fn edges(
        &mut self,
        at: LocationId,
        values: &[i32],
        under: Guard,
        depth: usize,
        out: &mut Vec<Edge>,
    ) -> Result<(), String> {
        if depth > ATOMIC_LIMIT {
            return Err("an atomic sequence of a never claim loops".to_string());
        }
        let process = self.process;
        // What the guards before an `else` ask for; `None` once one of them always holds.
        let mut siblings: Option<u64> = Some(0);
        for edge in &process.location(at).edges {
            let mut guards = vec![under];
            let mut values = values.to_vec();
            for action in &edge.actions {
                match action {
                    Action::Skip | Action::Print { .. } => siblings = None,
                    Action::Condition(expr) => match substitute(expr, &values)? {
                        Expr::Constant(0) => guards.clear(),
                        Expr::Constant(_) => siblings = None,
                        expr => {
                            let literals = self.literals(&expr, true)?;
                            let bit = match literals.as_slice() {
                                [(bit, true)] => *bit,
                                _ => self.atom(&expr)?,
                            };
                            siblings = siblings.map(|mask| mask | 1 << bit);
                            guards = conjoin(&guards, &literals);
                        }
                    },
                    Action::Else => match siblings {
                        Some(none) => {
                            guards.retain(|guard| guard.0.positive & none == 0);
                            guards.iter_mut().for_each(|guard| guard.0.negative |= none);
                        }
                        None => guards.clear(),
                    },
                    Action::Assert(expr) => {
                        siblings = None;
                        match substitute(expr, &values)? {
                            Expr::Constant(0) => {
                                out.extend(guards.drain(..).map(|guard| edge_to(guard, SINK)));
                            }
                            Expr::Constant(_) => {}
                            expr => {
                                let failing = self.literals(&expr, false)?;
                                out.extend(
                                    conjoin(&guards, &failing).into_iter().map(|guard| edge_to(guard, SINK)),
                                );
                                let passing = self.literals(&expr, true)?;
                                guards = conjoin(&guards, &passing);
                            }
                        }
                    }
                    Action::Assign(place, expr) if place.scope == Scope::Local => {
                        siblings = None;
                        let value = constant(expr, &values)?;
                        let at = slot(place, &values)?;
                        values[at] = place.scalar.cut(value);
                    }
                    Action::End => guards.clear(),
                    _ => {
                        return Err(
                            "a never claim that does more than look at the system is not supported: \
                             only conditions, assertions, jumps and variables of its own can be used in it"
                                .to_string(),
                        );
                    }
                }
            }
            for guard in guards {
                if edge.atomic && !self.is_end(edge.target) {
                    self.edges(edge.target, &values, guard, depth + 1, out)?;
                } else {
                    let target = self.number((edge.target, values.clone()))?;
                    out.push(edge_to(guard, target));
                }
            }
        }
        Ok(())
    }

    /// The literals of a condition: conjunctions are taken apart, everything else is an atom. Where a
    /// disjunction would be needed the whole condition is one atom.
    fn literals(&mut self, expr: &Expr, positive: bool) -> Result<Vec<(u32, bool)>, String> {
        Ok(match (expr, positive) {
            (Expr::Unary(Unary::Not, operand), _) => self.literals(operand, !positive)?,
            (Expr::Binary(Binary::And, left, right), true)
            | (Expr::Binary(Binary::Or, left, right), false) => {
                let mut literals = self.literals(left, positive)?;
                literals.extend(self.literals(right, positive)?);
                literals
            }
            _ => vec![(self.atom(expr)?, positive)],
        })
    }

    fn atom(&mut self, expr: &Expr) -> Result<u32, String> {
        if let Some(known) = self.atoms.iter().position(|atom| atom == expr) {
            return Ok(known as u32);
        }
        if self.atoms.len() >= temporal::MAXIMUM_PROPOSITIONS {
            return Err(format!(
                "a never claim with more than {} different conditions is not supported",
                temporal::MAXIMUM_PROPOSITIONS
            ));
        }
        self.atoms.push(expr.clone());
        Ok(self.atoms.len() as u32 - 1)
    }
}

fn edge_to(guard: Guard, target: u32) -> Edge {
    Edge { label: Label::new([guard.0]), target, marks: Marks::NONE }
}

fn conjoin(guards: &[Guard], literals: &[(u32, bool)]) -> Vec<Guard> {
    guards
        .iter()
        .filter_map(|guard| {
            let mut cube = guard.0;
            for (bit, positive) in literals {
                *(if *positive { &mut cube.positive } else { &mut cube.negative }) |= 1 << bit;
            }
            (cube.positive & cube.negative == 0).then_some(Guard(cube))
        })
        .collect()
}
