//! Random terms.

use std::rc::Rc;

use crate::random::Random;
use crate::terms::{Definitions, E, T};

/// What random terms are made of.
pub(crate) struct Shape {
    /// How many processes there are to call.
    pub(crate) calls: usize,
    /// Whether there are data.
    pub(crate) rich: bool,
}

impl Shape {
    pub(crate) fn term(&self, random: &mut Random, depth: u32) -> T {
        self.open_term(random, depth, &mut vec![], 10, false)
    }

    /// A term over the variable 0.
    pub(crate) fn term_over_a_variable(&self, random: &mut Random, depth: u32) -> T {
        self.open_term(random, depth, &mut vec![0], 10, false)
    }

    fn value(&self, random: &mut Random, known: &[u32]) -> E {
        let number = random.below(3) as i64;
        match known.get(random.below(known.len() as u64 + 1) as usize) {
            Some(variable) => E(Some(*variable), number - 1),
            None => E(None, number),
        }
    }

    /// A term over known variables; those that it binds begin at `next`. Calls stand behind an action, if `guarded`.
    fn open_term(
        &self,
        random: &mut Random,
        depth: u32,
        known: &mut Vec<u32>,
        next: u32,
        guarded: bool,
    ) -> T {
        let sub = |random: &mut Random, known: &mut Vec<u32>, next| {
            Rc::new(self.open_term(random, depth - 1, known, next, guarded))
        };
        if depth == 0 {
            return match random.below(8) {
                0 => T::Empty,
                1 => T::Deadlock,
                2 if self.rich => T::Put(self.value(random, known)),
                3 | 4 if self.calls > 0 && !guarded => {
                    T::Call(random.below(self.calls as u64) as u32, self.value(random, known))
                }
                other => T::Act((other % 2) as u32 + u32::from(random.below(8) == 0)),
            };
        }
        match random.below(if self.rich { 16 } else { 12 }) {
            0..=3 => T::Seq(sub(random, known, next), sub(random, known, next)),
            4..=6 => T::Alt(sub(random, known, next), sub(random, known, next)),
            7 | 8 => T::Par(sub(random, known, next), sub(random, known, next)),
            9 => T::Star(sub(random, known, next)),
            10 | 11 => self.open_term(random, 0, known, next, guarded),
            12 => {
                let condition = self.value(random, known);
                T::If(condition, sub(random, known, next), sub(random, known, next))
            }
            13 => T::Put(self.value(random, known)),
            choice => {
                let start = random.below(2) as i64;
                let from = E(None, start);
                let to = match known.get(random.below(known.len() as u64 + 1) as usize) {
                    Some(variable) => E(Some(*variable), random.below(2) as i64),
                    None => E(None, start + random.below(3) as i64),
                };
                known.push(next);
                let body = sub(random, known, next + 1);
                known.pop();
                if choice == 14 { T::Sum(next, from, to, body) } else { T::All(next, from, to, body) }
            }
        }
    }

    /// Actions in front of everything that calls.
    fn guarded_term(&self, random: &mut Random, depth: u32) -> T {
        let action = Rc::new(T::Act(random.below(2) as u32));
        let tail = Rc::new(self.open_term(random, depth, &mut vec![0], 20, false));
        match random.below(6) {
            0..=2 => T::Seq(action, tail),
            3 | 4 => {
                let other = Rc::new(self.guarded_term(random, depth));
                T::Alt(Rc::new(T::Seq(action, tail)), other)
            }
            _ => {
                let other = Rc::new(self.open_term(random, 1, &mut vec![0], 30, true));
                let condition = E(Some(0), random.below(2) as i64 - 1);
                T::If(condition, Rc::new(T::Seq(action, tail)), other)
            }
        }
    }
}

impl Definitions {
    pub(crate) fn random(random: &mut Random) -> Definitions {
        let calls = 1 + random.below(3) as usize;
        let shape = Shape { calls, rich: random.below(4) == 0 };
        Definitions { bodies: (0..calls).map(|_| Rc::new(shape.guarded_term(random, 1))).collect() }
    }
}
