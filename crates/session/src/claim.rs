//! A never claim becomes an automaton.
//!
//! The claim moves once for each step of the system, reading the state the step leaves. Its locations are
//! the automaton's states and its conditions the propositions; a location with an accept label puts its
//! mark on every edge that leaves it. Reaching the end of the claim, or failing an assertion in it, is a
//! violation in itself: both lead to a state that accepts everything.

use temporal::{AcceptanceKind, Automaton, Cube, Edge, Label, Marks, State};
use transition::model::{Action, Binary, Claim, Expr, LocationId, ProcessType, Unary};

/// An automaton whose proposition *i* is `atoms[i]`.
pub(crate) struct ClaimAutomaton {
    pub(crate) automaton: Automaton,
    pub(crate) atoms: Vec<Expr>,
}

/// A conjunction of literals over the atoms, grown along an atomic sequence.
#[derive(Clone, Copy, Default)]
struct Guard(Cube);

pub(crate) fn claim_automaton(claim: &Claim) -> Result<ClaimAutomaton, String> {
    let process = &claim.process;
    if !process.locals.is_empty() {
        return Err("a never claim with variables of its own is not supported; use globals".to_string());
    }
    let mut builder = Builder { process, atoms: Vec::new(), sink: process.locations.len() as u32 };
    let mut states: Vec<State> = Vec::new();
    for at in 0..process.locations.len() as u32 {
        let mut edges = Vec::new();
        builder.edges(LocationId(at), Guard::default(), 0, &mut edges)?;
        let marks = if process.location(LocationId(at)).is_accepting { Marks(1) } else { Marks::NONE };
        for edge in &mut edges {
            edge.marks = marks;
        }
        states.push(State { edges });
    }
    // The sink: whatever happens from here on is a violation.
    let anything = Edge { label: Label::anything(), target: builder.sink, marks: Marks(1) };
    states.push(State { edges: vec![anything] });
    let initial = if builder.is_end(process.start) { builder.sink } else { process.start.0 };
    let propositions = (0..builder.atoms.len()).map(|index| format!("c{index}")).collect();
    let automaton = Automaton {
        name: Some(claim.name.clone()),
        propositions,
        initial,
        states,
        sets: 1,
        kind: AcceptanceKind::Sba,
    };
    Ok(ClaimAutomaton { automaton, atoms: builder.atoms })
}

struct Builder<'c> {
    process: &'c ProcessType,
    atoms: Vec<Expr>,
    sink: u32,
}

impl Builder<'_> {
    fn is_end(&self, at: LocationId) -> bool {
        let edges = &self.process.location(at).edges;
        edges.iter().any(|edge| matches!(edge.actions.first(), Some(Action::End)))
    }

    /// The edges of a location, under what an atomic sequence has already required.
    fn edges(
        &mut self,
        at: LocationId,
        under: Guard,
        depth: usize,
        out: &mut Vec<Edge>,
    ) -> Result<(), String> {
        if depth > self.process.locations.len() {
            return Err("an atomic sequence of a never claim loops".to_string());
        }
        let process = self.process;
        let mut siblings: Vec<u64> = Vec::new();
        for edge in &process.location(at).edges {
            let mut guards = vec![under];
            for action in &edge.actions {
                match action {
                    Action::Skip | Action::Print { .. } => {}
                    Action::Condition(expr) => {
                        let literals = self.literals(expr, true)?;
                        if let [(bit, true)] = literals.as_slice() {
                            siblings.push(1 << bit);
                        } else {
                            siblings.push(1 << self.atom(expr)?);
                        }
                        guards = conjoin(&guards, &literals);
                    }
                    Action::Else => {
                        let none = siblings.iter().fold(0, |mask, bit| mask | bit);
                        guards = guards
                            .into_iter()
                            .filter(|guard| guard.0.positive & none == 0)
                            .map(|guard| Guard(Cube { negative: guard.0.negative | none, ..guard.0 }))
                            .collect();
                    }
                    Action::Assert(expr) => {
                        let failing = self.literals(expr, false)?;
                        for guard in conjoin(&guards, &failing) {
                            out.push(self.edge(guard, self.sink));
                        }
                        let passing = self.literals(expr, true)?;
                        guards = conjoin(&guards, &passing);
                    }
                    Action::End => guards.clear(),
                    _ => {
                        return Err(
                            "a never claim that does more than look at the system is not supported: \
                             only conditions, assertions and jumps can be used in it"
                                .to_string(),
                        );
                    }
                }
            }
            for guard in guards {
                if self.is_end(edge.target) {
                    out.push(self.edge(guard, self.sink));
                } else if edge.atomic {
                    self.edges(edge.target, guard, depth + 1, out)?;
                } else {
                    out.push(self.edge(guard, edge.target.0));
                }
            }
        }
        Ok(())
    }

    fn edge(&self, guard: Guard, target: u32) -> Edge {
        Edge { label: Label::new([guard.0]), target, marks: Marks::NONE }
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
