//! The rules whose root is a disjunction.

use super::Simplifier;
use crate::formula::{Formula, FormulaStore, Node};

impl Simplifier {
    pub(super) fn rewrite_or(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        self.absorb(store, list)
            .or_else(|| self.merge_unary(store, list))
            .or_else(|| self.merge_binary(store, list))
            .or_else(|| self.unroll_back(store, list))
    }

    /// Drops operands that others imply, and finds tautologies.
    fn absorb(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        for (index, a) in list.iter().enumerate() {
            for (other, b) in list.iter().enumerate() {
                if index != other && self.entails(store, *a, *b) {
                    return Some(store.or(list.iter().copied().filter(|operand| operand != a)));
                }
                if index < other && self.covers(store, *a, *b) {
                    return Some(store.verum());
                }
            }
        }
        // a | (b & c) = a | b if whatever is not a is c
        for a in list {
            for b in list {
                let Node::And(conjuncts) = store.node(*b).clone() else { continue };
                if a == b {
                    continue;
                }
                let rest: Vec<Formula> =
                    conjuncts.iter().copied().filter(|conjunct| !self.covers(store, *a, *conjunct)).collect();
                if rest.len() < conjuncts.len() {
                    let rest = store.and(rest);
                    return Some(store.or(list.iter().copied().filter(|operand| operand != b).chain([rest])));
                }
            }
        }
        None
    }

    /// `F a | F b`, `G F a | G F b` and `X a | X b` in one; suspendable operands go under an `X` for free.
    fn merge_unary(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        let mut eventually = Vec::new();
        let mut recurrent = Vec::new();
        let mut next = Vec::new();
        let mut suspended = Vec::new();
        let mut rest = Vec::new();
        for operand in list {
            match *store.node(*operand) {
                Node::Eventually(inner) if self.gather || !self.properties(store, inner).universal => {
                    eventually.push(inner);
                }
                Node::Next(inner) => next.push(inner),
                Node::Always(inner) if matches!(store.node(inner), Node::Eventually(_)) => {
                    if let Node::Eventually(inner) = *store.node(inner) {
                        recurrent.push(inner);
                    }
                }
                _ if self.properties(store, *operand).suspendable() => suspended.push(*operand),
                _ => rest.push(*operand),
            }
        }
        let before = (eventually.len(), recurrent.len(), next.len(), suspended.len());
        let attracted = before.2 > 0 || self.gather && before.0 > 0;
        if before.0 < 2 && before.1 < 2 && before.2 < 2 && (!attracted || before.1 + before.3 == 0) {
            return None;
        }
        if !recurrent.is_empty() {
            let any = store.or(recurrent);
            let any = store.eventually(any);
            suspended.push(store.always(any));
        }
        if !eventually.is_empty() {
            if self.gather && next.is_empty() {
                eventually.append(&mut suspended);
            }
            let any = store.or(eventually);
            rest.push(store.eventually(any));
        }
        if next.is_empty() {
            rest.extend(suspended);
        } else {
            let any = store.or(next.into_iter().chain(suspended));
            rest.push(store.next(any));
        }
        Some(store.or(rest))
    }

    /// Pairs of binary operators with a common side.
    fn merge_binary(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        for (index, first) in list.iter().enumerate() {
            for second in &list[index + 1..] {
                let pair = self
                    .merge_pair(store, *first, *second)
                    .or_else(|| self.merge_pair(store, *second, *first));
                if let Some(merged) = pair {
                    let others = list.iter().copied().filter(|operand| operand != first && operand != second);
                    return Some(store.or(others.chain([merged]).collect::<Vec<_>>()));
                }
            }
        }
        None
    }

    fn merge_pair(&mut self, store: &mut FormulaStore, first: Formula, second: Formula) -> Option<Formula> {
        match (store.node(first).clone(), store.node(second).clone()) {
            (Node::Until(a, b), Node::Until(c, d)) if a == c => {
                let any = store.or([b, d]);
                Some(store.until(a, any))
            }
            (Node::WeakUntil(a, b), Node::Until(c, d) | Node::WeakUntil(c, d)) if a == c => {
                let any = store.or([b, d]);
                Some(store.weak_until(a, any))
            }
            (Node::Release(a, b), Node::Release(c, d) | Node::StrongRelease(c, d)) if b == d => {
                let any = store.or([a, c]);
                Some(store.release(any, b))
            }
            (Node::StrongRelease(a, b), Node::StrongRelease(c, d)) if b == d => {
                let any = store.or([a, c]);
                Some(store.strong_release(any, b))
            }
            // G a | (a U b) = a W b
            (Node::Always(a), Node::Until(c, d)) if a == c => Some(store.weak_until(a, d)),
            // G a | (b M a) = b R a
            (Node::Always(a), Node::StrongRelease(c, d)) if a == d => Some(store.release(c, a)),
            _ => None,
        }
    }

    /// Expansion laws from right to left: `a | X F a = F a`, `b | (a & X (a U b)) = a U b`, and the like.
    fn unroll_back(&mut self, store: &mut FormulaStore, list: &[Formula]) -> Option<Formula> {
        for operand in list {
            let (next, conjuncts) = match store.node(*operand).clone() {
                Node::Next(inner) => (inner, Vec::new()),
                Node::And(conjuncts) => {
                    let found = conjuncts.iter().find_map(|conjunct| match *store.node(*conjunct) {
                        Node::Next(inner) => Some((*conjunct, inner)),
                        _ => None,
                    });
                    let Some((conjunct, inner)) = found else { continue };
                    (inner, conjuncts.iter().copied().filter(|other| *other != conjunct).collect())
                }
                _ => continue,
            };
            let others: Vec<Formula> = list.iter().copied().filter(|other| other != operand).collect();
            let present = store.and(conjuncts.iter().copied());
            let reached = match *store.node(next) {
                Node::Eventually(a) if conjuncts.is_empty() => a,
                Node::Until(a, b) | Node::WeakUntil(a, b) if present == a => b,
                _ => continue,
            };
            // Everything the goal consists of must stand beside the step.
            let goals: Vec<Formula> = match store.node(reached) {
                Node::Or(goals) => goals.to_vec(),
                _ => vec![reached],
            };
            if goals.iter().all(|goal| others.contains(goal)) {
                let rest = others.into_iter().filter(|other| !goals.contains(other));
                return Some(store.or(rest.chain([next]).collect::<Vec<_>>()));
            }
        }
        None
    }
}
