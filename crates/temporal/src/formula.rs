//! Formulas of linear temporal logic, hash-consed in a [`FormulaStore`].
//!
//! Two formulas of one store are equal exactly if their [`Formula`] handles are, so comparing, hashing and
//! caching cost nothing. Constructors apply the trivial identities (constants, double negation, idempotence);
//! conjunction and disjunction are flat, sorted and free of duplicates. Atoms are indices into the store's list
//! of proposition names, which are opaque texts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A formula of some [`FormulaStore`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(u32);

/// The index of an atomic proposition in its store's list of names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Atom(pub u32);

/// The outermost operator of a formula with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    True,
    False,
    Atom(Atom),
    Not(Formula),
    And(Arc<[Formula]>),
    Or(Arc<[Formula]>),
    Implies(Formula, Formula),
    Equivalent(Formula, Formula),
    Xor(Formula, Formula),
    Next(Formula),
    Eventually(Formula),
    Always(Formula),
    Until(Formula, Formula),
    Release(Formula, Formula),
    WeakUntil(Formula, Formula),
    StrongRelease(Formula, Formula),
}

/// All formulas of one job and the names of their propositions.
#[derive(Clone, Debug)]
pub struct FormulaStore {
    nodes: Vec<Node>,
    depths: Vec<u32>,
    index: FxHashMap<Node, Formula>,
    propositions: Vec<String>,
    proposition_index: FxHashMap<String, Atom>,
}

impl Default for FormulaStore {
    fn default() -> FormulaStore {
        FormulaStore::new()
    }
}

impl FormulaStore {
    pub fn new() -> FormulaStore {
        let mut store = FormulaStore {
            nodes: Vec::new(),
            depths: Vec::new(),
            index: FxHashMap::default(),
            propositions: Vec::new(),
            proposition_index: FxHashMap::default(),
        };
        store.intern(Node::False);
        store.intern(Node::True);
        store
    }

    /// A store whose first atoms are the given names, in order.
    pub fn with_propositions<T: Into<String>>(names: impl IntoIterator<Item = T>) -> FormulaStore {
        let mut store = FormulaStore::new();
        for name in names {
            store.proposition(&name.into());
        }
        store
    }

    pub fn node(&self, formula: Formula) -> &Node {
        &self.nodes[formula.0 as usize]
    }

    /// The number of operators on the longest path from the root to a leaf.
    pub fn depth(&self, formula: Formula) -> u32 {
        self.depths[formula.0 as usize]
    }

    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    pub fn name(&self, atom: Atom) -> &str {
        &self.propositions[atom.0 as usize]
    }

    /// The atom of a name, registered if it is new.
    pub fn proposition(&mut self, name: &str) -> Atom {
        if let Some(atom) = self.proposition_index.get(name) {
            return *atom;
        }
        let atom = Atom(self.propositions.len() as u32);
        self.propositions.push(name.to_owned());
        self.proposition_index.insert(name.to_owned(), atom);
        atom
    }

    /// The atoms that occur in a formula, in ascending order.
    pub fn atoms(&self, formula: Formula) -> Vec<Atom> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut atoms = Vec::new();
        let mut work = vec![formula];
        while let Some(current) = work.pop() {
            if seen.insert(current) {
                match self.node(current) {
                    Node::Atom(atom) => atoms.push(*atom),
                    node => work.extend(node.operands()),
                }
            }
        }
        atoms.sort();
        atoms
    }

    /// The number of distinct subformulas.
    pub fn size(&self, formula: Formula) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![formula];
        while let Some(current) = work.pop() {
            if seen.insert(current) {
                work.extend(self.node(current).operands());
            }
        }
        seen.len()
    }

    fn intern(&mut self, node: Node) -> Formula {
        if let Some(formula) = self.index.get(&node) {
            return *formula;
        }
        let depth = node.operands().map(|operand| self.depth(operand) + 1).max().unwrap_or(0);
        let formula = Formula(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.index.insert(node, formula);
        formula
    }

    pub fn falsum(&self) -> Formula {
        Formula(0)
    }

    pub fn verum(&self) -> Formula {
        Formula(1)
    }

    pub fn constant(&self, value: bool) -> Formula {
        Formula(value as u32)
    }

    /// The value of a formula that is one of the two constants.
    pub fn as_constant(&self, formula: Formula) -> Option<bool> {
        match formula.0 {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// The formula that consists of the named proposition.
    pub fn named(&mut self, name: &str) -> Formula {
        let atom = self.proposition(name);
        self.atom(atom)
    }

    pub fn not(&mut self, operand: Formula) -> Formula {
        match *self.node(operand) {
            Node::True => self.falsum(),
            Node::False => self.verum(),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(operand)),
        }
    }

    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.junction(operands, true)
    }

    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.junction(operands, false)
    }

    fn junction(&mut self, operands: impl IntoIterator<Item = Formula>, conjunction: bool) -> Formula {
        let neutral = self.constant(conjunction);
        let absorbing = self.constant(!conjunction);
        let mut flat = Vec::new();
        for operand in operands {
            match self.node(operand) {
                Node::And(inner) if conjunction => flat.extend(inner.iter().copied()),
                Node::Or(inner) if !conjunction => flat.extend(inner.iter().copied()),
                _ if operand == neutral => {}
                _ => flat.push(operand),
            }
        }
        flat.sort();
        flat.dedup();
        let contradictory = |negation: &Formula| match self.node(*negation) {
            Node::Not(inner) => flat.binary_search(inner).is_ok(),
            _ => *negation == absorbing,
        };
        if flat.iter().any(contradictory) {
            return absorbing;
        }
        match flat.as_slice() {
            [] => neutral,
            [single] => *single,
            _ if conjunction => self.intern(Node::And(flat.into())),
            _ => self.intern(Node::Or(flat.into())),
        }
    }

    pub fn implies(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (Some(true), _) => right,
            (Some(false), _) | (_, Some(true)) => self.verum(),
            (_, Some(false)) => self.not(left),
            _ if left == right => self.verum(),
            _ => self.intern(Node::Implies(left, right)),
        }
    }

    pub fn equivalent(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (Some(true), _) => right,
            (_, Some(true)) => left,
            (Some(false), _) => self.not(right),
            (_, Some(false)) => self.not(left),
            _ if left == right => self.verum(),
            _ => self.intern(Node::Equivalent(left, right)),
        }
    }

    pub fn xor(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (Some(false), _) => right,
            (_, Some(false)) => left,
            (Some(true), _) => self.not(right),
            (_, Some(true)) => self.not(left),
            _ if left == right => self.falsum(),
            _ => self.intern(Node::Xor(left, right)),
        }
    }

    pub fn next(&mut self, operand: Formula) -> Formula {
        match self.as_constant(operand) {
            Some(_) => operand,
            None => self.intern(Node::Next(operand)),
        }
    }

    pub fn eventually(&mut self, operand: Formula) -> Formula {
        match self.node(operand) {
            Node::True | Node::False | Node::Eventually(_) => operand,
            _ => self.intern(Node::Eventually(operand)),
        }
    }

    pub fn always(&mut self, operand: Formula) -> Formula {
        match self.node(operand) {
            Node::True | Node::False | Node::Always(_) => operand,
            _ => self.intern(Node::Always(operand)),
        }
    }

    pub fn until(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (_, Some(_)) | (Some(false), _) => right,
            (Some(true), _) => self.eventually(right),
            _ if left == right => right,
            _ => self.intern(Node::Until(left, right)),
        }
    }

    pub fn release(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (_, Some(_)) | (Some(true), _) => right,
            (Some(false), _) => self.always(right),
            _ if left == right => right,
            _ => self.intern(Node::Release(left, right)),
        }
    }

    pub fn weak_until(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (_, Some(true)) | (Some(true), _) => self.verum(),
            (Some(false), _) => right,
            (_, Some(false)) => self.always(left),
            _ if left == right => right,
            _ => self.intern(Node::WeakUntil(left, right)),
        }
    }

    pub fn strong_release(&mut self, left: Formula, right: Formula) -> Formula {
        match (self.as_constant(left), self.as_constant(right)) {
            (_, Some(false)) | (Some(false), _) => self.falsum(),
            (Some(true), _) => right,
            (_, Some(true)) => self.eventually(left),
            _ if left == right => right,
            _ => self.intern(Node::StrongRelease(left, right)),
        }
    }

    /// `X` applied a number of times.
    pub fn next_times(&mut self, times: u32, operand: Formula) -> Formula {
        (0..times).fold(operand, |inner, _| self.next(inner))
    }
}

impl Node {
    /// The immediate subformulas from left to right.
    pub fn operands(&self) -> impl Iterator<Item = Formula> + '_ {
        let (pair, list): ([Option<Formula>; 2], &[Formula]) = match self {
            Node::True | Node::False | Node::Atom(_) => ([None, None], &[]),
            Node::Not(a) | Node::Next(a) | Node::Eventually(a) | Node::Always(a) => ([Some(*a), None], &[]),
            Node::And(list) | Node::Or(list) => ([None, None], list),
            Node::Implies(a, b)
            | Node::Equivalent(a, b)
            | Node::Xor(a, b)
            | Node::Until(a, b)
            | Node::Release(a, b)
            | Node::WeakUntil(a, b)
            | Node::StrongRelease(a, b) => ([Some(*a), Some(*b)], &[]),
        };
        pair.into_iter().flatten().chain(list.iter().copied())
    }
}
