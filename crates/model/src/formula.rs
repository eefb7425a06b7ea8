//! Formulas over a language's own conditions.

use source::{Diagnostic, Span};
use temporal::{Dialect, Formula, FormulaStore, Node, TranslationError};

use crate::port::AtomId;

/// A formula of linear temporal logic as it is written. An atom is whatever the language says it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ltl {
    /// Always so, or never.
    Constant(bool),
    /// A condition holds in the first state.
    Atom(AtomId),
    /// It is not so.
    Not(Box<Ltl>),
    /// So from the second state on.
    Next(Box<Ltl>),
    /// So from every state on.
    Always(Box<Ltl>),
    /// So from some state on.
    Eventually(Box<Ltl>),
    /// Both.
    And(Box<Ltl>, Box<Ltl>),
    /// One or both.
    Or(Box<Ltl>, Box<Ltl>),
    /// The second, if the first.
    Implies(Box<Ltl>, Box<Ltl>),
    /// Both or none.
    Equivalent(Box<Ltl>, Box<Ltl>),
    /// The second comes to be, and the first holds until then.
    Until(Box<Ltl>, Box<Ltl>),
    /// The same, or the first holds for ever.
    WeakUntil(Box<Ltl>, Box<Ltl>),
    /// The dual of until.
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// All atoms, from left to right; one that is written twice comes twice.
    pub fn atoms(&self) -> Vec<AtomId> {
        let mut found = Vec::new();
        self.collect_atoms(&mut found);
        found
    }

    fn collect_atoms(&self, found: &mut Vec<AtomId>) {
        match self {
            Ltl::Constant(_) => {}
            Ltl::Atom(atom) => found.push(*atom),
            Ltl::Not(operand) | Ltl::Next(operand) | Ltl::Always(operand) | Ltl::Eventually(operand) => {
                operand.collect_atoms(found);
            }
            Ltl::And(left, right)
            | Ltl::Or(left, right)
            | Ltl::Implies(left, right)
            | Ltl::Equivalent(left, right)
            | Ltl::Until(left, right)
            | Ltl::WeakUntil(left, right)
            | Ltl::Release(left, right) => {
                left.collect_atoms(found);
                right.collect_atoms(found);
            }
        }
    }
}

/// Reads a formula in the notation of the command line, for a language that has none of its own: `[] (p -> <> {x == 2})`.
/// The text stands at `place`, and there is what is said about it. `atom` is given each proposition as it is written,
/// without braces, and says which condition it is.
pub fn read_ltl(
    place: Span,
    text: &str,
    atom: &mut dyn FnMut(&str) -> Result<AtomId, Diagnostic>,
) -> Result<Ltl, Vec<Diagnostic>> {
    let mut store = FormulaStore::new();
    let (formula, mut diagnostics) = temporal::parse(&mut store, place.file, text, Dialect::Spin);
    for label in diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
        label.span.start += place.start;
        label.span.end += place.start;
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let mut atoms = Vec::new();
    for name in store.propositions() {
        match atom(name) {
            Ok(atom) => atoms.push(atom),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(written(&store, formula, &atoms))
}

/// The tree of a formula. The parser bounds its depth.
fn written(store: &FormulaStore, formula: Formula, atoms: &[AtomId]) -> Ltl {
    let go = |part: &Formula| Box::new(written(store, *part, atoms));
    let chain = |parts: &[Formula], join: fn(Box<Ltl>, Box<Ltl>) -> Ltl, empty: bool| {
        let mut parts = parts.iter().map(|part| written(store, *part, atoms));
        let first = parts.next().unwrap_or(Ltl::Constant(empty));
        parts.fold(first, |left, right| join(Box::new(left), Box::new(right)))
    };
    match store.node(formula) {
        Node::True => Ltl::Constant(true),
        Node::False => Ltl::Constant(false),
        Node::Atom(atom) => atoms.get(atom.0 as usize).map_or(Ltl::Constant(false), |atom| Ltl::Atom(*atom)),
        Node::Not(operand) => Ltl::Not(go(operand)),
        Node::Next(operand) => Ltl::Next(go(operand)),
        Node::Eventually(operand) => Ltl::Eventually(go(operand)),
        Node::Always(operand) => Ltl::Always(go(operand)),
        Node::And(parts) => chain(parts, Ltl::And, true),
        Node::Or(parts) => chain(parts, Ltl::Or, false),
        Node::Implies(left, right) => Ltl::Implies(go(left), go(right)),
        Node::Equivalent(left, right) => Ltl::Equivalent(go(left), go(right)),
        Node::Xor(left, right) => Ltl::Not(Box::new(Ltl::Equivalent(go(left), go(right)))),
        Node::Until(left, right) => Ltl::Until(go(left), go(right)),
        Node::Release(left, right) => Ltl::Release(go(left), go(right)),
        Node::WeakUntil(left, right) => Ltl::WeakUntil(go(left), go(right)),
        // a M b = b U (a & b)
        Node::StrongRelease(left, right) => Ltl::Until(go(right), Box::new(Ltl::And(go(left), go(right)))),
    }
}

/// A formula of `temporal` whose proposition *i* is `atoms[i]`.
pub(crate) struct AtomFormula {
    pub(crate) store: FormulaStore,
    pub(crate) formula: Formula,
    pub(crate) atoms: Vec<AtomId>,
}

/// Builds a formula; conditions that are the same are one proposition, whatever they are called. A run is judged
/// by letters that have room for so many propositions; one that comes after them must not matter.
pub(crate) fn build(
    formula: &Ltl,
    is_same: &dyn Fn(AtomId, AtomId) -> bool,
    show: &dyn Fn(AtomId) -> String,
) -> Result<AtomFormula, String> {
    let mut building = Building { is_same, show, store: FormulaStore::new(), atoms: Vec::new() };
    let formula = building.formula(formula);
    let found = building.atoms.len();
    let has_room = |atom: &temporal::Atom| (atom.0 as usize) < temporal::MAXIMUM_PROPOSITIONS;
    if !building.store.atoms(formula).iter().all(has_room) {
        return Err(TranslationError::TooManyPropositions { found }.to_string());
    }
    Ok(AtomFormula { store: building.store, formula, atoms: building.atoms })
}

struct Building<'a> {
    is_same: &'a dyn Fn(AtomId, AtomId) -> bool,
    show: &'a dyn Fn(AtomId) -> String,
    store: FormulaStore,
    atoms: Vec<AtomId>,
}

impl Building<'_> {
    fn formula(&mut self, formula: &Ltl) -> Formula {
        match formula {
            Ltl::Constant(value) => self.store.constant(*value),
            Ltl::Atom(atom) => self.atom(*atom),
            Ltl::Not(operand) | Ltl::Next(operand) | Ltl::Always(operand) | Ltl::Eventually(operand) => {
                let part = self.formula(operand);
                match formula {
                    Ltl::Not(_) => self.store.not(part),
                    Ltl::Next(_) => self.store.next(part),
                    Ltl::Always(_) => self.store.always(part),
                    _ => self.store.eventually(part),
                }
            }
            Ltl::And(left, right) => self.pair(left, right, |store, left, right| store.and([left, right])),
            Ltl::Or(left, right) => self.pair(left, right, |store, left, right| store.or([left, right])),
            Ltl::Implies(left, right) => self.pair(left, right, FormulaStore::implies),
            Ltl::Equivalent(left, right) => self.pair(left, right, FormulaStore::equivalent),
            Ltl::Until(left, right) => self.pair(left, right, FormulaStore::until),
            Ltl::WeakUntil(left, right) => self.pair(left, right, FormulaStore::weak_until),
            Ltl::Release(left, right) => self.pair(left, right, FormulaStore::release),
        }
    }

    fn pair(
        &mut self,
        left: &Ltl,
        right: &Ltl,
        join: impl FnOnce(&mut FormulaStore, Formula, Formula) -> Formula,
    ) -> Formula {
        let left = self.formula(left);
        let right = self.formula(right);
        join(&mut self.store, left, right)
    }

    fn atom(&mut self, atom: AtomId) -> Formula {
        let known = self.atoms.iter().position(|known| (self.is_same)(*known, atom));
        let index = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            let index = self.atoms.len() - 1;
            let mut name = (self.show)(atom);
            if self.store.propositions().contains(&name) {
                name = format!("{name} #{index}");
            }
            self.store.proposition(&name);
            index
        });
        self.store.atom(temporal::Atom(index as u32))
    }
}
