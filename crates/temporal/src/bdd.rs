//! Reduced ordered binary decision diagrams, as small as the translation needs them.
//!
//! A [`BddManager`] owns all nodes; two functions of one manager are equal exactly if their handles are. The
//! variable with the smaller number is nearer to the root. Nothing is ever freed: managers live as long as one
//! translation. Recursion is as deep as there are variables, which the size of the formula bounds.
//!
//! A manager holds at most [`limits::DIAGRAM_NODES`] nodes. Past that it is *exhausted*: operations return at once and
//! mean nothing, and whoever uses a result must ask [`BddManager::is_exhausted`] first.

use crate::limits;
use rustc_hash::FxHashMap;

/// A Boolean function of some [`BddManager`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Bdd(u32);

impl Bdd {
    pub(crate) const FALSE: Bdd = Bdd(0);
    pub(crate) const TRUE: Bdd = Bdd(1);

    pub(crate) fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    pub(crate) fn is_true(self) -> bool {
        self == Bdd::TRUE
    }
}

/// A conjunction of literals in ascending order of variables.
pub(crate) type Literals = Vec<(u32, bool)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct BddNode {
    variable: u32,
    low: Bdd,
    high: Bdd,
}

const LEAF: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct BddManager {
    nodes: Vec<BddNode>,
    unique: FxHashMap<BddNode, Bdd>,
    conjunctions: FxHashMap<(Bdd, Bdd), Bdd>,
    negations: FxHashMap<Bdd, Bdd>,
    exhausted: bool,
}

impl Default for BddManager {
    fn default() -> BddManager {
        BddManager::new()
    }
}

impl BddManager {
    pub(crate) fn new() -> BddManager {
        let leaf = |bdd| BddNode { variable: LEAF, low: bdd, high: bdd };
        BddManager {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            negations: FxHashMap::default(),
            exhausted: false,
        }
    }

    fn node(&self, bdd: Bdd) -> BddNode {
        self.nodes[bdd.0 as usize]
    }

    /// Whether results of this manager have lost their meaning.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    fn make(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = BddNode { variable, low, high };
        if let Some(bdd) = self.unique.get(&node) {
            return *bdd;
        }
        if self.nodes.len() >= limits::DIAGRAM_NODES || self.conjunctions.len() >= 8 * limits::DIAGRAM_NODES {
            self.exhausted = true;
            return Bdd::FALSE;
        }
        let bdd = Bdd(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, bdd);
        bdd
    }

    pub(crate) fn literal(&mut self, variable: u32, positive: bool) -> Bdd {
        if positive {
            self.make(variable, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.make(variable, Bdd::TRUE, Bdd::FALSE)
        }
    }

    pub(crate) fn variable(&mut self, variable: u32) -> Bdd {
        self.literal(variable, true)
    }

    pub(crate) fn not(&mut self, f: Bdd) -> Bdd {
        match f {
            Bdd::FALSE => return Bdd::TRUE,
            Bdd::TRUE => return Bdd::FALSE,
            _ if self.exhausted => return Bdd::FALSE,
            _ => {}
        }
        if let Some(result) = self.negations.get(&f) {
            return *result;
        }
        let node = self.node(f);
        let low = self.not(node.low);
        let high = self.not(node.high);
        let result = self.make(node.variable, low, high);
        self.negations.insert(f, result);
        self.negations.insert(result, f);
        result
    }

    pub(crate) fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        if f == g || g.is_true() || f.is_false() {
            return f;
        }
        if f.is_true() || g.is_false() {
            return g;
        }
        if self.exhausted {
            return Bdd::FALSE;
        }
        let key = if f < g { (f, g) } else { (g, f) };
        if let Some(result) = self.conjunctions.get(&key) {
            return *result;
        }
        let variable = self.node(f).variable.min(self.node(g).variable);
        let (f_low, f_high) = self.cofactors(f, variable);
        let (g_low, g_high) = self.cofactors(g, variable);
        let low = self.and(f_low, g_low);
        let high = self.and(f_high, g_high);
        let result = self.make(variable, low, high);
        if self.exhausted {
            return Bdd::FALSE;
        }
        self.conjunctions.insert(key, result);
        result
    }

    pub(crate) fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        if f == g || g.is_false() || f.is_true() {
            return f;
        }
        if f.is_false() || g.is_true() {
            return g;
        }
        let (f, g) = (self.not(f), self.not(g));
        let neither = self.and(f, g);
        self.not(neither)
    }

    pub(crate) fn and_not(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let g = self.not(g);
        self.and(f, g)
    }

    pub(crate) fn implies(&mut self, f: Bdd, g: Bdd) -> bool {
        self.and_not(f, g).is_false()
    }

    pub(crate) fn disjoint(&mut self, f: Bdd, g: Bdd) -> bool {
        self.and(f, g).is_false()
    }

    fn cofactors(&self, f: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.node(f);
        if node.variable == variable { (node.low, node.high) } else { (f, f) }
    }

    pub(crate) fn value(&self, f: Bdd, valuation: impl Fn(u32) -> bool) -> bool {
        let mut current = f;
        while current != Bdd::FALSE && current != Bdd::TRUE {
            let node = self.node(current);
            current = if valuation(node.variable) { node.high } else { node.low };
        }
        current.is_true()
    }

    /// One satisfying conjunction of literals; none if the function is false.
    pub(crate) fn satisfying(&self, f: Bdd) -> Option<Literals> {
        let mut literals = Vec::new();
        let mut current = f;
        while current != Bdd::FALSE && current != Bdd::TRUE {
            let node = self.node(current);
            let positive = node.low.is_false();
            literals.push((node.variable, positive));
            current = if positive { node.high } else { node.low };
        }
        current.is_true().then_some(literals)
    }

    /// How many valuations of `variables` many variables satisfy the function; its support lies among them.
    pub(crate) fn count(&self, f: Bdd, variables: u32) -> u128 {
        let mut cache: FxHashMap<Bdd, f64> = FxHashMap::default();
        let share = self.share(f, &mut cache);
        (share * 2f64.powi(variables as i32)).round() as u128
    }

    fn share(&self, f: Bdd, cache: &mut FxHashMap<Bdd, f64>) -> f64 {
        match f {
            Bdd::FALSE => return 0.0,
            Bdd::TRUE => return 1.0,
            _ => {}
        }
        if let Some(share) = cache.get(&f) {
            return *share;
        }
        let node = self.node(f);
        let share = (self.share(node.low, cache) + self.share(node.high, cache)) / 2.0;
        cache.insert(f, share);
        share
    }

    pub(crate) fn conjunction_of(&mut self, literals: &[(u32, bool)]) -> Bdd {
        let mut result = Bdd::TRUE;
        for (variable, positive) in literals.iter().rev() {
            let literal = self.literal(*variable, *positive);
            result = self.and(literal, result);
        }
        result
    }

    /// Splits a function by what is left of it once all variables below `border` are fixed: pairs of a condition
    /// over those variables and the function of the others, conditions disjoint, false left out.
    pub(crate) fn residuals(&mut self, f: Bdd, border: u32) -> Vec<(Bdd, Bdd)> {
        let mut cache: FxHashMap<Bdd, Vec<(Bdd, Bdd)>> = FxHashMap::default();
        self.residuals_cached(f, border, &mut cache)
    }

    fn residuals_cached(
        &mut self,
        f: Bdd,
        border: u32,
        cache: &mut FxHashMap<Bdd, Vec<(Bdd, Bdd)>>,
    ) -> Vec<(Bdd, Bdd)> {
        if f.is_false() {
            return Vec::new();
        }
        let node = self.node(f);
        if node.variable >= border {
            return vec![(Bdd::TRUE, f)];
        }
        if let Some(result) = cache.get(&f) {
            return result.clone();
        }
        let mut result: Vec<(Bdd, Bdd)> = Vec::new();
        for (branch, positive) in [(node.low, false), (node.high, true)] {
            for (condition, rest) in self.residuals_cached(branch, border, cache) {
                let literal = self.literal(node.variable, positive);
                let condition = self.and(literal, condition);
                match result.iter_mut().find(|(_, known)| *known == rest) {
                    Some(entry) => entry.0 = self.or(entry.0, condition),
                    None => result.push((condition, rest)),
                }
            }
        }
        cache.insert(f, result.clone());
        result
    }

    /// An irredundant sum of prime implicants (Minato 1992); the same function gives the same list.
    pub(crate) fn prime_cover(&mut self, f: Bdd) -> Vec<Literals> {
        let mut cache = FxHashMap::default();
        let (_, cubes) = self.minato(f, f, &mut cache);
        cubes
    }

    fn minato(&mut self, lower: Bdd, upper: Bdd, cache: &mut CoverCache) -> (Bdd, Vec<Literals>) {
        if lower.is_false() || self.exhausted {
            return (Bdd::FALSE, Vec::new());
        }
        if upper.is_true() {
            return (Bdd::TRUE, vec![Vec::new()]);
        }
        if let Some(result) = cache.get(&(lower, upper)) {
            return result.clone();
        }
        let variable = self.node(lower).variable.min(self.node(upper).variable);
        let (lower_low, lower_high) = self.cofactors(lower, variable);
        let (upper_low, upper_high) = self.cofactors(upper, variable);
        // What only the negative (positive) literal can cover …
        let only_low = self.and_not(lower_low, upper_high);
        let only_high = self.and_not(lower_high, upper_low);
        let (covered_low, cubes_low) = self.minato(only_low, upper_low, cache);
        let (covered_high, cubes_high) = self.minato(only_high, upper_high, cache);
        // … and what is left, which cubes without the variable cover.
        let left_low = self.and_not(lower_low, covered_low);
        let left_high = self.and_not(lower_high, covered_high);
        let left = self.or(left_low, left_high);
        let both = self.and(upper_low, upper_high);
        let (covered_both, cubes_both) = self.minato(left, both, cache);

        let low = self.or(covered_low, covered_both);
        let high = self.or(covered_high, covered_both);
        let covered = self.make(variable, low, high);
        let mut cubes = Vec::new();
        for (positive, part) in [(false, cubes_low), (true, cubes_high)] {
            cubes.extend(part.into_iter().map(|mut cube| {
                cube.insert(0, (variable, positive));
                cube
            }));
        }
        cubes.extend(cubes_both);
        if cubes.len() > limits::CUBES {
            self.exhausted = true;
        }
        cache.insert((lower, upper), (covered, cubes.clone()));
        (covered, cubes)
    }
}

type CoverCache = FxHashMap<(Bdd, Bdd), (Bdd, Vec<Literals>)>;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A function of four variables from its truth table.
    fn from_table(manager: &mut BddManager, table: u16) -> Bdd {
        (0..16u32).filter(|row| table >> row & 1 == 1).fold(Bdd::FALSE, |union, row| {
            let literals: Vec<(u32, bool)> = (0..4).map(|bit| (bit, row >> bit & 1 == 1)).collect();
            let cube = manager.conjunction_of(&literals);
            manager.or(union, cube)
        })
    }

    fn to_table(manager: &BddManager, bdd: Bdd) -> u16 {
        (0..16u32)
            .filter(|row| manager.value(bdd, |variable| row >> variable & 1 == 1))
            .fold(0, |table, row| table | 1 << row)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn operations_agree_with_truth_tables(f in any::<u16>(), g in any::<u16>()) {
            let mut manager = BddManager::new();
            let (a, b) = (from_table(&mut manager, f), from_table(&mut manager, g));
            let (and, or, not) = (manager.and(a, b), manager.or(a, b), manager.not(a));
            prop_assert_eq!(to_table(&manager, and), f & g);
            prop_assert_eq!(to_table(&manager, or), f | g);
            prop_assert_eq!(to_table(&manager, not), !f);
            prop_assert_eq!(manager.implies(a, b), f & !g == 0);
            prop_assert_eq!(manager.count(a, 4), u128::from(f.count_ones()));
            prop_assert_eq!(from_table(&mut manager, f), a);
        }

        #[test]
        fn prime_covers_cover_exactly_and_without_waste(f in any::<u16>()) {
            let mut manager = BddManager::new();
            let bdd = from_table(&mut manager, f);
            let cover = manager.prime_cover(bdd);
            let cubes: Vec<Bdd> = cover.iter().map(|cube| manager.conjunction_of(cube)).collect();
            for skipped in 0..=cubes.len() {
                let rest = cubes.iter().enumerate().filter(|(index, _)| *index != skipped).map(|(_, cube)| *cube);
                let union = rest.collect::<Vec<_>>().into_iter().fold(Bdd::FALSE, |u, cube| manager.or(u, cube));
                prop_assert_eq!(union == bdd, skipped == cubes.len());
            }
            for cube in &cover {
                for dropped in 0..cube.len() {
                    let mut shorter = cube.clone();
                    shorter.remove(dropped);
                    let shorter = manager.conjunction_of(&shorter);
                    prop_assert!(!manager.implies(shorter, bdd));
                }
            }
        }

        #[test]
        fn residuals_put_a_function_back_together(f in any::<u16>()) {
            let mut manager = BddManager::new();
            let bdd = from_table(&mut manager, f);
            let mut union = Bdd::FALSE;
            let mut conditions = Bdd::FALSE;
            for (condition, rest) in manager.residuals(bdd, 2) {
                prop_assert!(manager.disjoint(conditions, condition));
                conditions = manager.or(conditions, condition);
                let part = manager.and(condition, rest);
                union = manager.or(union, part);
            }
            prop_assert_eq!(union, bdd);
        }
    }
}
