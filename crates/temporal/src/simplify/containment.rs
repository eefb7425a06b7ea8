//! Implications that syntax does not show, found by translating `f & !g` and looking for a word of it.
//!
//! Small formulas only, and only so many questions per simplification: this is worth its time where it makes an
//! operand vanish, and nowhere else.

use super::Simplifier;
use crate::bdd::BddManager;
use crate::formula::{Atom, Formula, FormulaStore};
use crate::limits;
use crate::product::is_empty;
use crate::tableau::{Expansion, Tableau};

impl Simplifier {
    /// Whether `f` implies `g`; no if that is too expensive to find out.
    pub(super) fn contained(&mut self, store: &mut FormulaStore, f: Formula, g: Formula) -> bool {
        if !self.semantic || self.questions >= limits::CONTAINMENT_QUESTIONS {
            return false;
        }
        let (atoms_f, atoms_g) = (store.atoms(f), store.atoms(g));
        // Formulas over different atoms imply each other only if one is constant, which other rules find.
        let shared = atoms_f.iter().any(|atom| atoms_g.contains(atom));
        if !shared || store.size(f) + store.size(g) > limits::CONTAINMENT_SIZE {
            return false;
        }
        self.questions += 1;
        let mut atoms: Vec<Atom> = [atoms_f, atoms_g].concat();
        atoms.sort();
        atoms.dedup();
        let not_g = self.negate(store, g);
        let difference = store.and([f, not_g]);
        let mut manager = BddManager::new();
        let mut tableau = Tableau::new(store, &mut manager, &atoms);
        let graph = tableau.translate(
            difference,
            Expansion::Primes,
            limits::CONTAINMENT_STATES,
            &mut |_, formula| formula,
        );
        graph.is_ok_and(|graph| is_empty(&graph)) && !manager.is_exhausted()
    }
}
