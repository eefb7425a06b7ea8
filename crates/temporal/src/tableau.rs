//! From a formula in negative normal form to a transition-based generalised Büchi automaton.
//!
//! Couvreur, *On-the-fly verification of linear temporal logic* (FM'99): what a formula asks of the present
//! letter and of the future is a Boolean function over atoms, over variables `Next[f]` and over promises
//! `a[g]` ("`g` is put off once more"). States are formulas, states with the same function are one state, prime
//! implicants are edges, and the acceptance set of a promise holds the edges that do not make it.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::{Bdd, BddManager, Literals};
use crate::formula::{Atom, Formula, FormulaStore, Node};
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// What there was too much of for a translation to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excess {
    States,
    Sets,
    Nodes,
}

/// How a state's function is cut into edges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Expansion {
    /// By prime implicants over all variables: few edges.
    Primes,
    /// First by the letters that leave the same obligations: closer to determinism.
    Letters,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Meaning {
    Next(Formula),
    Promise(Formula),
}

/// Translates formulas over one list of atoms into graphs over one manager.
pub(crate) struct Tableau<'s> {
    store: &'s mut FormulaStore,
    manager: &'s mut BddManager,
    atoms: &'s [Atom],
    variables: FxHashMap<Meaning, u32>,
    meanings: Vec<Meaning>,
    functions: FxHashMap<(Formula, bool), Bdd>,
}

impl<'s> Tableau<'s> {
    /// Atom `atoms[i]` becomes variable `i`.
    pub(crate) fn new(
        store: &'s mut FormulaStore,
        manager: &'s mut BddManager,
        atoms: &'s [Atom],
    ) -> Tableau<'s> {
        Tableau {
            store,
            manager,
            atoms,
            variables: FxHashMap::default(),
            meanings: Vec::new(),
            functions: FxHashMap::default(),
        }
    }

    fn variable(&mut self, meaning: Meaning) -> Bdd {
        let fresh = (self.atoms.len() + self.meanings.len()) as u32;
        let variable = *self.variables.entry(meaning).or_insert(fresh);
        if variable == fresh {
            self.meanings.push(meaning);
        }
        self.manager.variable(variable)
    }

    fn next(&mut self, formula: Formula) -> Bdd {
        match self.store.node(formula).clone() {
            Node::True => Bdd::TRUE,
            Node::False => Bdd::FALSE,
            Node::And(list) => list.iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.next(*operand);
                self.manager.and(all, operand)
            }),
            Node::Or(list) => list.iter().fold(Bdd::FALSE, |any, operand| {
                let operand = self.next(*operand);
                self.manager.or(any, operand)
            }),
            _ => self.variable(Meaning::Next(formula)),
        }
    }

    /// What the formula asks of the present and the future. `recurring` means that the formula stands right
    /// under a `G` that will ask for it again at the next step, so it need not carry itself along.
    fn function(&mut self, formula: Formula, recurring: bool) -> Bdd {
        if let Some(function) = self.functions.get(&(formula, recurring)) {
            return *function;
        }
        let result = match self.store.node(formula).clone() {
            Node::True => Bdd::TRUE,
            Node::Atom(atom) => self.atom_literal(atom, true),
            Node::Not(inner) => match *self.store.node(inner) {
                Node::Atom(atom) => self.atom_literal(atom, false),
                _ => Bdd::FALSE,
            },
            Node::And(list) => list.iter().fold(Bdd::TRUE, |all, operand| {
                let operand = self.function(*operand, recurring);
                self.manager.and(all, operand)
            }),
            Node::Or(list) => list.iter().fold(Bdd::FALSE, |any, operand| {
                let operand = self.function(*operand, false);
                self.manager.or(any, operand)
            }),
            Node::Next(operand) => self.next(operand),
            Node::Eventually(operand) => {
                let now = self.function(operand, false);
                let later = self.postponed(operand, formula, recurring);
                self.manager.or(now, later)
            }
            Node::Always(operand) => {
                let now = self.function(operand, true);
                let later = self.carried(formula, recurring);
                self.manager.and(now, later)
            }
            Node::Until(left, right) => {
                let (now, meanwhile) = (self.function(right, false), self.function(left, false));
                let later = self.postponed(right, formula, recurring);
                let later = self.manager.and(meanwhile, later);
                self.manager.or(now, later)
            }
            Node::WeakUntil(left, right) => {
                let (now, meanwhile) = (self.function(right, false), self.function(left, false));
                let later = self.carried(formula, recurring);
                let later = self.manager.and(meanwhile, later);
                self.manager.or(now, later)
            }
            Node::Release(left, right) => {
                let (end, hold) = (self.function(left, false), self.function(right, recurring));
                let later = self.carried(formula, recurring);
                let later = self.manager.or(end, later);
                self.manager.and(hold, later)
            }
            Node::StrongRelease(left, right) => {
                let (end, hold) = (self.function(left, false), self.function(right, recurring));
                let goal = self.store.and([left, right]);
                let later = self.postponed(goal, formula, recurring);
                let later = self.manager.or(end, later);
                self.manager.and(hold, later)
            }
            // Not in negative normal form.
            Node::False | Node::Implies(..) | Node::Equivalent(..) | Node::Xor(..) => Bdd::FALSE,
        };
        self.functions.insert((formula, recurring), result);
        result
    }

    fn atom_literal(&mut self, atom: Atom, positive: bool) -> Bdd {
        match self.atoms.binary_search(&atom) {
            Ok(variable) => self.manager.literal(variable as u32, positive),
            Err(_) => Bdd::FALSE,
        }
    }

    fn carried(&mut self, formula: Formula, recurring: bool) -> Bdd {
        if recurring { Bdd::TRUE } else { self.variable(Meaning::Next(formula)) }
    }

    fn postponed(&mut self, goal: Formula, formula: Formula, recurring: bool) -> Bdd {
        let promise = self.variable(Meaning::Promise(goal));
        let carried = self.carried(formula, recurring);
        self.manager.and(promise, carried)
    }

    /// The automaton of a formula. `refine` may replace the formula of a state by an equivalent one; if it does, the
    /// result may accept words that it should not (a promise forgotten and made again in turns looks kept).
    pub(crate) fn translate(
        &mut self,
        formula: Formula,
        expansion: Expansion,
        maximum_states: usize,
        refine: &mut dyn FnMut(&mut FormulaStore, Formula) -> Formula,
    ) -> Result<Graph, Excess> {
        let mut states: Vec<Bdd> = Vec::new();
        let mut numbers: FxHashMap<Bdd, u32> = FxHashMap::default();
        // Edges carry the promises made, by their index in `promises`.
        let mut edges: Vec<Vec<GraphEdge>> = Vec::new();
        let mut promises: Vec<u32> = Vec::new();
        let mut edge_count = 0;
        let start = self.function(formula, false);
        states.push(start);
        numbers.insert(start, 0);
        while edges.len() < states.len() {
            let function = states[edges.len()];
            let mut outgoing = Vec::new();
            for (label, cube) in self.cut(function, expansion) {
                let mut successors = Vec::new();
                let mut made = Marks::NONE;
                for (variable, _) in cube {
                    match self.meanings[variable as usize - self.atoms.len()] {
                        Meaning::Next(successor) => successors.push(successor),
                        Meaning::Promise(_) => {
                            let known = promises.iter().position(|promise| *promise == variable);
                            let index = known.unwrap_or(promises.len());
                            if index == limits::SETS as usize {
                                return Err(Excess::Sets);
                            }
                            if known.is_none() {
                                promises.push(variable);
                            }
                            made = made.union(Marks(1 << index));
                        }
                    }
                }
                let successor = self.store.and(successors);
                let successor = refine(self.store, successor);
                let target_function = self.function(successor, false);
                if target_function.is_false() {
                    continue;
                }
                let target = *numbers.entry(target_function).or_insert_with(|| {
                    states.push(target_function);
                    states.len() as u32 - 1
                });
                if states.len() > maximum_states {
                    return Err(Excess::States);
                }
                outgoing.push(GraphEdge { label, target, marks: made });
            }
            edge_count += outgoing.len();
            edges.push(outgoing);
            if edge_count > limits::TABLEAU_EDGES {
                return Err(Excess::States);
            }
            if self.manager.is_exhausted() {
                return Err(Excess::Nodes);
            }
        }
        let sets = promises.len() as u32;
        let everything = Marks::all(sets);
        for edge in edges.iter_mut().flatten() {
            edge.marks = Marks(everything.0 & !edge.marks.0);
        }
        let mut graph = Graph { initial: 0, states: edges, sets, state_based: false };
        graph.merge_edges(self.manager);
        Ok(graph)
    }

    /// The alternatives of a function: a label over the atoms and the other variables that must hold.
    fn cut(&mut self, function: Bdd, expansion: Expansion) -> Vec<(Bdd, Literals)> {
        let atoms = self.atoms.len() as u32;
        let parts = match expansion {
            Expansion::Primes => vec![(Bdd::TRUE, function)],
            Expansion::Letters => self.manager.residuals(function, atoms),
        };
        let mut result = Vec::new();
        for (condition, part) in parts {
            for cube in self.manager.prime_cover(part) {
                let split = cube.partition_point(|(variable, _)| *variable < atoms);
                let label = self.manager.conjunction_of(&cube[..split]);
                let label = self.manager.and(condition, label);
                result.push((label, cube[split..].to_vec()));
            }
        }
        result
    }
}
