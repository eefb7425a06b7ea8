//! Proofs by trying all values.

use std::collections::{BTreeSet, HashMap};

use num_traits::ToPrimitive;
use process::{
    Binary, Block, Bound, ContractProof, Expression, ExpressionKind, ProcessId, Statement, Type, Unary,
    Value, VariableId,
};

/// What came of one way to prove a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Valid,
    Fails,
    TooLarge,
}

/// Small values, all as numbers.
type Values = HashMap<VariableId, i64>;

/// Numbers that integers are tried with.
pub(crate) const DOMAIN: std::ops::Range<i64> = -1..3;

struct Trial {
    left: u64,
    domain: std::ops::Range<i64>,
}

/// Each way of a proof.
pub(crate) fn attempts(proof: &ContractProof) -> Vec<Outcome> {
    attempts_over(proof, DOMAIN)
}

pub(crate) fn attempts_over(proof: &ContractProof, domain: std::ops::Range<i64>) -> Vec<Outcome> {
    let try_block = |block: &Block| {
        let mut trial = Trial { left: 60_000, domain: domain.clone() };
        match trial.statements(vec![block], &mut Values::new()) {
            Some(true) => Outcome::Valid,
            Some(false) => Outcome::Fails,
            None => Outcome::TooLarge,
        }
    };
    let lemmas: Vec<Outcome> = proof.lemmas.iter().map(|lemma| try_block(&lemma.body)).collect();
    let each = proof.ways.iter().map(|way| {
        if let Some(lemma) = way.lemmas.iter().find(|lemma| lemmas[**lemma] != Outcome::Valid) {
            return lemmas[*lemma];
        }
        let mut whole = proof.start.clone();
        whole.extend(way.body.iter().cloned());
        let claims = way.claims.iter().cloned();
        whole.extend(claims.map(|claim| Statement::Assert(claim, process::Claim::Swapped)));
        try_block(&whole)
    });
    each.collect()
}

/// The processes that have a way that works and rests on nothing but such processes.
pub(crate) fn proved(proofs: &[ContractProof], tried: &[Vec<Outcome>]) -> BTreeSet<ProcessId> {
    let mut shown: BTreeSet<ProcessId> = proofs.iter().map(|proof| proof.process).collect();
    loop {
        let next: BTreeSet<ProcessId> = proofs
            .iter()
            .zip(tried)
            .filter(|(proof, outcomes)| {
                let mut ways = proof.ways.iter().zip(outcomes.iter());
                ways.any(|(way, outcome)| *outcome == Outcome::Valid && way.relies_on.is_subset(&shown))
            })
            .map(|(proof, _)| proof.process)
            .collect();
        if next == shown {
            return shown;
        }
        shown = next;
    }
}

impl Trial {
    /// Whether no assertion fails, whatever is chosen; nothing if that takes too long. The last block comes first.
    fn statements(&mut self, mut rest: Vec<&[Statement]>, values: &mut Values) -> Option<bool> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let Some(block) = rest.pop() else { return Some(true) };
            let Some((first, others)) = block.split_first() else { continue };
            rest.push(others);
            match first {
                Statement::Assume(condition) => {
                    if value(condition, values) == 0 {
                        return Some(true);
                    }
                }
                Statement::Assert(condition, _) => {
                    if value(condition, values) == 0 {
                        return Some(false);
                    }
                }
                Statement::Declare(Bound { variable, ty, .. }) => {
                    let domain = if *ty == Type::Boolean { 0..2 } else { self.domain.clone() };
                    for value in domain {
                        values.insert(*variable, value);
                        if !self.statements(rest.clone(), values)? {
                            return Some(false);
                        }
                    }
                    return Some(true);
                }
                Statement::Branch(blocks) => {
                    for inside in blocks {
                        let mut all = rest.clone();
                        all.push(inside);
                        if !self.statements(all, values)? {
                            return Some(false);
                        }
                    }
                    return Some(true);
                }
            }
        }
    }
}

fn value(expression: &Expression, values: &Values) -> i64 {
    match expression.kind() {
        ExpressionKind::Literal(Value::Boolean(value)) => i64::from(*value),
        ExpressionKind::Literal(Value::Integer(value)) => value.to_i64().expect("a small number"),
        ExpressionKind::Variable(variable) => values[variable],
        ExpressionKind::Unary(Unary::Not, operand) => 1 - value(operand, values),
        ExpressionKind::Unary(Unary::Negate, operand) => -value(operand, values),
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (value(left, values), value(right, values));
            match operator {
                Binary::And => left & right,
                Binary::Or => left | right,
                Binary::Implies => (1 - left) | right,
                Binary::Equal => i64::from(left == right),
                Binary::Unequal => i64::from(left != right),
                Binary::Less => i64::from(left < right),
                Binary::AtMost => i64::from(left <= right),
                Binary::Add => left + right,
                Binary::Subtract => left - right,
                Binary::Multiply => left * right,
                other => panic!("no program here has {other:?}"),
            }
        }
        other => panic!("no program here has {other:?}"),
    }
}
