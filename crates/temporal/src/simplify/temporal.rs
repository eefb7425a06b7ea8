//! The rules whose root is `X`, `F`, `U` or `W`.

use super::Simplifier;
use crate::formula::{Formula, FormulaStore, Node};

impl Simplifier {
    pub(super) fn rewrite_next(&mut self, store: &mut FormulaStore, a: Formula) -> Option<Formula> {
        self.properties(store, a).suspendable().then_some(a)
    }

    pub(super) fn rewrite_eventually(&mut self, store: &mut FormulaStore, a: Formula) -> Option<Formula> {
        if self.properties(store, a).eventual {
            return Some(a);
        }
        match store.node(a).clone() {
            // F X a = X F a
            Node::Next(inner) => {
                let inner = store.eventually(inner);
                Some(store.next(inner))
            }
            // F (a U b) = F b
            Node::Until(_, b) => Some(store.eventually(b)),
            // F (a M b) = F (a & b)
            Node::StrongRelease(a, b) => {
                let both = store.and([a, b]);
                Some(store.eventually(both))
            }
            // F (a | u) = F a | F u for universal u: F u is suspendable
            Node::Or(list)
                if !self.gather && list.iter().any(|operand| self.properties(store, *operand).universal) =>
            {
                let (universal, rest): (Vec<Formula>, Vec<Formula>) =
                    list.iter().partition(|operand| self.properties(store, **operand).universal);
                let rest = store.or(rest);
                let mut parts = vec![store.eventually(rest)];
                parts.extend(universal.into_iter().map(|operand| store.eventually(operand)));
                Some(store.or(parts))
            }
            // F (F a | b) = F (a | b)
            Node::Or(list) if list.iter().any(|o| matches!(store.node(*o), Node::Eventually(_))) => {
                let stripped: Vec<Formula> = list
                    .iter()
                    .map(|operand| match store.node(*operand) {
                        Node::Eventually(inner) => *inner,
                        _ => *operand,
                    })
                    .collect();
                let any = store.or(stripped);
                Some(store.eventually(any))
            }
            // F (q & a) = q & F a for suspendable q
            Node::And(list) => {
                let (suspended, rest): (Vec<Formula>, Vec<Formula>) =
                    list.iter().partition(|operand| self.properties(store, **operand).suspendable());
                if suspended.is_empty() {
                    return if self.first { self.rewrite_first(store, &list) } else { None };
                }
                let rest = store.and(rest);
                let rest = store.eventually(rest);
                Some(store.and(suspended.into_iter().chain([rest])))
            }
            Node::Always(inner) => self.rewrite_persistence(store, inner),
            _ => None,
        }
    }

    /// `F (a & e) = !a U (a & e)` for `a` without temporal operators and eventual `e`: if it holds at some `a`, it
    /// holds at the first one.
    fn rewrite_first(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        let (now, later): (Vec<Formula>, Vec<Formula>) =
            list.iter().partition(|operand| self.properties(store, **operand).boolean);
        if now.is_empty() || !later.iter().all(|operand| self.properties(store, *operand).eventual) {
            return None;
        }
        let now = store.and(now);
        let not_yet = self.negate(store, now);
        let both = store.and(list.iter().copied());
        Some(store.until(not_yet, both))
    }

    /// `F G a`: under it, `X` means nothing, `F b` means `G F b` and a universal disjunct stands for itself.
    fn rewrite_persistence(&mut self, store: &mut FormulaStore, a: Formula) -> Option<Formula> {
        match store.node(a).clone() {
            Node::Next(inner) => {
                let inner = store.always(inner);
                Some(store.eventually(inner))
            }
            Node::And(list) => {
                let mut changed = false;
                let mut stable = Vec::new();
                let mut recurrent = Vec::new();
                for operand in list.iter() {
                    match *store.node(*operand) {
                        Node::Next(inner) => {
                            changed = true;
                            stable.push(inner);
                        }
                        Node::Eventually(_) => {
                            changed = true;
                            recurrent.push(store.always(*operand));
                        }
                        _ => stable.push(*operand),
                    }
                }
                if !changed {
                    return None;
                }
                let stable = store.and(stable);
                let stable = store.always(stable);
                let stable = store.eventually(stable);
                Some(store.and(recurrent.into_iter().chain([stable])))
            }
            // F G (a | u) = F G a | F u for universal u
            Node::Or(list) if list.iter().any(|operand| self.properties(store, *operand).universal) => {
                let (universal, rest): (Vec<Formula>, Vec<Formula>) =
                    list.iter().partition(|operand| self.properties(store, **operand).universal);
                let rest = store.or(rest);
                let rest = store.always(rest);
                let mut parts = vec![store.eventually(rest)];
                parts.extend(universal.into_iter().map(|operand| store.eventually(operand)));
                Some(store.or(parts))
            }
            _ => None,
        }
    }

    pub(super) fn rewrite_until(
        &mut self,
        store: &mut FormulaStore,
        a: Formula,
        b: Formula,
    ) -> Option<Formula> {
        // a U b = b if b is eventual or a implies b
        if self.properties(store, b).eventual || self.entails(store, a, b) {
            return Some(b);
        }
        // a U b = F b if whatever is not a is b
        if self.covers(store, a, b) {
            return Some(store.eventually(b));
        }
        if let (Node::Next(a), Node::Next(b)) = (store.node(a).clone(), store.node(b).clone()) {
            let inner = store.until(a, b);
            return Some(store.next(inner));
        }
        match store.node(b).clone() {
            // a U (c U d) = c U d if a implies c
            Node::Until(c, _) if self.entails(store, a, c) => return Some(b),
            // a U (a & c) = c M a
            Node::And(list) if list.contains(&a) => {
                let rest = store.and(list.iter().copied().filter(|operand| *operand != a));
                return Some(store.strong_release(rest, a));
            }
            // a U (b & q) = (a U b) & q for suspendable q
            Node::And(list) => {
                let (suspended, rest): (Vec<Formula>, Vec<Formula>) =
                    list.iter().partition(|operand| self.properties(store, **operand).suspendable());
                if !suspended.is_empty() {
                    let rest = store.and(rest);
                    let rest = store.until(a, rest);
                    return Some(store.and(suspended.into_iter().chain([rest])));
                }
            }
            Node::Or(list) => {
                let shorter = self.shorten_right(store, a, &list, FormulaStore::until);
                if shorter.is_some() {
                    return shorter;
                }
            }
            _ => {}
        }
        // (c U b) U b = (c W b) U b = c U b
        if let Node::Until(c, d) | Node::WeakUntil(c, d) = *store.node(a)
            && d == b
        {
            return Some(store.until(c, b));
        }
        self.shrink_left(store, a, b).map(|a| store.until(a, b))
    }

    pub(super) fn rewrite_weak_until(
        &mut self,
        store: &mut FormulaStore,
        a: Formula,
        b: Formula,
    ) -> Option<Formula> {
        // a W b = b if a implies b, and true if whatever is not a is b
        if self.entails(store, a, b) {
            return Some(b);
        }
        if self.covers(store, a, b) {
            return Some(store.verum());
        }
        // a W b = a | b if a is universal, and G a | b if b is eventual
        if self.properties(store, a).universal {
            return Some(store.or([a, b]));
        }
        if self.properties(store, b).eventual {
            let always = store.always(a);
            return Some(store.or([always, b]));
        }
        if let (Node::Next(a), Node::Next(b)) = (store.node(a).clone(), store.node(b).clone()) {
            let inner = store.weak_until(a, b);
            return Some(store.next(inner));
        }
        match store.node(b).clone() {
            // a W (c W d) = c W d if a implies c
            Node::WeakUntil(c, _) if self.entails(store, a, c) => return Some(b),
            // a W (a & c) = c R a
            Node::And(list) if list.contains(&a) => {
                let rest = store.and(list.iter().copied().filter(|operand| *operand != a));
                return Some(store.release(rest, a));
            }
            Node::Or(list) => {
                let shorter = self.shorten_right(store, a, &list, FormulaStore::weak_until);
                if shorter.is_some() {
                    return shorter;
                }
            }
            _ => {}
        }
        // (c U b) W b = c U b and (c W b) W b = c W b
        if let Node::Until(_, d) | Node::WeakUntil(_, d) = *store.node(a)
            && d == b
        {
            return Some(a);
        }
        self.shrink_left(store, a, b).map(|a| store.weak_until(a, b))
    }

    /// `a U b` or `a W b`, by what builds it, for a disjunction `b` of which some parts can stand outside.
    fn shorten_right(
        &mut self,
        store: &mut FormulaStore,
        a: Formula,
        list: &[Formula],
        build: fn(&mut FormulaStore, Formula, Formula) -> Formula,
    ) -> Option<Formula> {
        // a U (b | G a) = a W (b | G a) = a W b
        let always = store.always(a);
        if list.contains(&always) {
            let rest = store.or(list.iter().copied().filter(|operand| *operand != always));
            return Some(store.weak_until(a, rest));
        }
        // a U (b | e) = (a U b) | e and a W (b | e) = (a W b) | e for eventual e
        let (eventual, rest): (Vec<Formula>, Vec<Formula>) =
            list.iter().partition(|operand| self.properties(store, **operand).eventual);
        if eventual.is_empty() {
            return None;
        }
        let rest = store.or(rest);
        let rest = build(store, a, rest);
        Some(store.or(eventual.into_iter().chain([rest])))
    }

    /// A smaller left side of `a U b` or `a W b`: before `b`, what implies `b` is false.
    fn shrink_left(&mut self, store: &mut FormulaStore, a: Formula, b: Formula) -> Option<Formula> {
        match store.node(a).clone() {
            Node::Until(c, d) | Node::WeakUntil(c, d) if self.entails(store, c, b) => Some(d),
            Node::Or(list) => {
                let rest: Vec<Formula> =
                    list.iter().copied().filter(|operand| !self.entails(store, *operand, b)).collect();
                (rest.len() < list.len()).then(|| store.or(rest))
            }
            // What is not b already is true before b.
            Node::And(list) => {
                let rest: Vec<Formula> =
                    list.iter().copied().filter(|operand| !self.covers(store, *operand, b)).collect();
                (rest.len() < list.len()).then(|| store.and(rest))
            }
            _ => None,
        }
    }
}
