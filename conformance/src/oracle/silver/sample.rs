//! Choices: small values, near the numbers that the program mentions, and objects that like to be the same.

use std::collections::{BTreeMap, BTreeSet};

use silver::typed::Type;

use super::machine::{Machine, Run, Stop};
use super::value::{Amount, Value, amount};

impl Machine<'_> {
    /// A value of a type; objects existed at the moment `birth`.
    pub(super) fn choose(&mut self, ty: &Type, birth: u32) -> Run<Value> {
        Ok(match ty {
            Type::Bool => Value::Bool(self.random.chance(1, 2)),
            Type::Int => Value::Int(self.choose_int()),
            Type::Perm => Value::Perm(self.choose_amount()),
            Type::Ref => self.choose_object(birth)?,
            Type::Seq(element) => Value::Seq(self.choose_many(element, birth)?),
            Type::Set(element) => Value::Set(self.choose_many(element, birth)?.into_iter().collect()),
            Type::Multiset(element) => {
                let mut counts = BTreeMap::new();
                for element in self.choose_many(element, birth)? {
                    *counts.entry(element).or_insert(0) += 1;
                }
                Value::Multiset(counts)
            }
            Type::Map(key, value) => {
                let keys: BTreeSet<Value> = self.choose_many(key, birth)?.into_iter().collect();
                let mut entries = BTreeMap::new();
                for key in keys {
                    entries.insert(key, self.choose(value, birth)?);
                }
                Value::Map(entries)
            }
            Type::Domain(domain, arguments) => self.choose_of_domain(*domain, arguments, birth)?,
            Type::Parameter(_) => Value::Opaque(self.random.below(3) as u32),
        })
    }

    fn choose_many(&mut self, element: &Type, birth: u32) -> Run<Vec<Value>> {
        let count = self.random.weighted(&[2, 3, 3, 1]);
        (0..count).map(|_| self.choose(element, birth)).collect()
    }

    pub(super) fn choose_int(&mut self) -> i128 {
        match self.random.weighted(&[12, 6, 2]) {
            0 => i128::from(self.random.between(-1, 3)),
            1 => {
                let near = i128::from(self.random.between(-1, 1));
                self.random.pick(self.literals).copied().unwrap_or(0).saturating_add(near)
            }
            _ => i128::from(self.random.between(-6, 9)),
        }
    }

    fn choose_amount(&mut self) -> Amount {
        let choices = [(0, 1), (1, 4), (1, 3), (1, 2), (1, 2), (2, 3), (3, 4), (1, 1), (1, 1), (3, 2)];
        let (numerator, denominator) = *self.random.pick(&choices).unwrap_or(&(1, 1));
        amount(numerator, denominator)
    }

    /// A share of something: positive and less than all of it.
    pub(super) fn choose_share(&mut self) -> Amount {
        let (numerator, denominator) =
            *self.random.pick(&[(1, 2), (1, 3), (1, 4), (3, 4), (1, 10)]).unwrap_or(&(1, 2));
        amount(numerator, denominator)
    }

    /// What is given up as a `wildcard`: so little that whoever gives it up misses none of it. A proof may choose the
    /// amount, so a larger one that is missed later refutes nothing.
    pub(super) fn choose_little(&mut self) -> Amount {
        amount(1, *self.random.pick(&[1_000, 10_000]).unwrap_or(&1_000))
    }

    fn choose_object(&mut self, birth: u32) -> Run<Value> {
        let known = self.objects_at(birth);
        // Deep inside of recursive predicates most things come to an end.
        let null = if self.unrolling > 2 { 12 } else { 3 };
        Ok(Value::Ref(match self.random.weighted(&[null, 5, 5]) {
            0 => 0,
            1 if known.len() > 1 => known[1 + self.random.below(known.len() - 1)],
            _ => self.discover().or_else(|_| self.random.pick(&known).copied().ok_or(Stop::Pruned))?,
        }))
    }
}
