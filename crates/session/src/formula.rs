//! A formula over a model's expressions becomes a formula of temporal logic over numbered atoms.

use promela::lower::Lowered;
use promela::resolve::program::{Temporal, TemporalBinary, TemporalKind, TemporalUnary};
use temporal::{Formula, FormulaStore};
use transition::model::Expr;

/// A formula whose atom *i* is `atoms[i]`.
pub(crate) struct ModelFormula {
    pub(crate) store: FormulaStore,
    pub(crate) formula: Formula,
    pub(crate) atoms: Vec<Expr>,
    /// The atoms as the model's author wrote them, to be lowered again over another form of the model.
    pub(crate) source_atoms: Vec<promela::resolve::program::Expr>,
}

/// `name` says how an atom is written; equal expressions are one atom, whatever they are called.
pub(crate) fn model_formula(
    lowered: &mut Lowered<'_>,
    formula: &Temporal,
    name: &dyn Fn(&promela::resolve::program::Expr) -> String,
) -> ModelFormula {
    let mut built =
        Building { lowered, name, store: FormulaStore::new(), atoms: Vec::new(), source: Vec::new() };
    let formula = built.formula(formula);
    ModelFormula { formula, store: built.store, atoms: built.atoms, source_atoms: built.source }
}

struct Building<'a, 'p> {
    lowered: &'a mut Lowered<'p>,
    name: &'a dyn Fn(&promela::resolve::program::Expr) -> String,
    store: FormulaStore,
    atoms: Vec<Expr>,
    source: Vec<promela::resolve::program::Expr>,
}

impl Building<'_, '_> {
    fn formula(&mut self, formula: &Temporal) -> Formula {
        match &formula.kind {
            TemporalKind::Constant(value) => self.store.constant(*value),
            TemporalKind::Atom(expr) => {
                let lowered = self.lowered.expr(expr);
                let known = self.atoms.iter().position(|atom| *atom == lowered);
                let index = known.unwrap_or_else(|| {
                    self.atoms.push(lowered);
                    self.source.push(expr.clone());
                    let index = self.atoms.len() - 1;
                    let mut name = (self.name)(expr);
                    if self.store.propositions().contains(&name) {
                        name = format!("{name} #{index}");
                    }
                    self.store.proposition(&name);
                    index
                });
                self.store.atom(temporal::Atom(index as u32))
            }
            TemporalKind::Unary(operator, operand) => {
                let operand = self.formula(operand);
                match operator {
                    TemporalUnary::Not => self.store.not(operand),
                    TemporalUnary::Next => self.store.next(operand),
                    TemporalUnary::Always => self.store.always(operand),
                    TemporalUnary::Eventually => self.store.eventually(operand),
                }
            }
            TemporalKind::Binary(operator, left, right) => {
                let left = self.formula(left);
                let right = self.formula(right);
                match operator {
                    TemporalBinary::And => self.store.and([left, right]),
                    TemporalBinary::Or => self.store.or([left, right]),
                    TemporalBinary::Implies => self.store.implies(left, right),
                    TemporalBinary::Equivalent => self.store.equivalent(left, right),
                    TemporalBinary::Until => self.store.until(left, right),
                    TemporalBinary::WeakUntil => self.store.weak_until(left, right),
                    TemporalBinary::Release => self.store.release(left, right),
                }
            }
        }
    }
}
