//! Formulas over the theories, evaluated on values.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smt::{
    Bound, CollectionKind, Node, Operator, Quantifier, QuantifierKind, Sort, SortKind, Term, Terms, Theories,
};

use crate::value::{Freedom, Value, compute};

/// How many assignments of a quantifier's variables are tried when there are too many for all of them.
const SAMPLES: u64 = 2000;

pub(crate) struct Interpretation<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) theories: &'a Theories,
    pub(crate) seed: u64,
    domains: FxHashMap<Sort, Rc<[Value]>>,
}

impl<'a> Interpretation<'a> {
    pub(crate) fn new(terms: &'a Terms, theories: &'a Theories, seed: u64) -> Interpretation<'a> {
        Interpretation { terms, theories, seed, domains: FxHashMap::default() }
    }

    /// The values that variables of a sort range over: all small ones.
    pub(crate) fn domain(&mut self, sort: Sort) -> Rc<[Value]> {
        if let Some(domain) = self.domains.get(&sort) {
            return domain.clone();
        }
        let values = match (self.theories.kind_of(sort), self.theories.element_of(sort)) {
            (Some(kind), Some(element)) => {
                let elements = self.domain(element);
                match kind {
                    CollectionKind::Seq => sequences(&elements),
                    CollectionKind::Set => sets(&elements),
                    CollectionKind::Multiset => multisets(&elements),
                    CollectionKind::Map => {
                        let values = self.domain(self.theories.value_of(sort).unwrap_or(element));
                        maps(&elements, &values)
                    }
                }
            }
            _ => match self.terms.sort_kind(sort) {
                SortKind::Bool => vec![Value::Bool(false), Value::Bool(true)],
                SortKind::Int => (-1..=4).map(Value::Int).collect(),
                _ => (0..2).map(Value::Atom).collect(),
            },
        };
        let domain: Rc<[Value]> = values.into();
        self.domains.insert(sort, domain.clone());
        domain
    }

    /// Whether a closed formula holds; if not, an assignment of its outermost variables that refutes it.
    pub(crate) fn holds(&mut self, formula: Term) -> Result<(), Vec<Value>> {
        let Node::Quantified(quantifier) = self.terms.node(formula).clone() else {
            let holds = self.evaluate(formula, &mut FxHashMap::default()).bool();
            return if holds { Ok(()) } else { Err(Vec::new()) };
        };
        assert_eq!(quantifier.kind, QuantifierKind::Forall);
        self.refute(&quantifier, &mut FxHashMap::default()).map_or(Ok(()), Err)
    }

    fn refute(&mut self, quantifier: &Quantifier, scope: &mut FxHashMap<Bound, Value>) -> Option<Vec<Value>> {
        let domains: Vec<Rc<[Value]>> = quantifier
            .variables
            .iter()
            .map(|variable| self.domain(self.terms.bound_sort(*variable)))
            .collect();
        let all: u64 = domains.iter().map(|domain| domain.len() as u64).product();
        let mut random = self.seed | 1;
        for number in 0..all.min(SAMPLES) {
            let mut choice = number;
            if all > SAMPLES {
                // Xorshift; any choice will do.
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                choice = random;
            }
            for (variable, domain) in quantifier.variables.iter().zip(&domains) {
                let size = domain.len() as u64;
                scope.insert(*variable, domain[(choice % size) as usize].clone());
                choice /= size;
            }
            if !self.evaluate(quantifier.body, scope).bool() {
                return Some(quantifier.variables.iter().map(|variable| scope[variable].clone()).collect());
            }
        }
        None
    }

    fn evaluate(&mut self, term: Term, scope: &mut FxHashMap<Bound, Value>) -> Value {
        match self.terms.node(term).clone() {
            Node::Bool(value) => Value::Bool(value),
            Node::Int(value) => Value::Int(i64::try_from(&*value).expect("axioms have small literals")),
            Node::Bound(bound) => scope[&bound].clone(),
            Node::Apply(function, arguments) => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|argument| self.evaluate(*argument, scope)).collect();
                let results = self.domain(self.terms.function_result(function));
                let name = self.terms.function_name(function);
                let stem = name.split('<').next().unwrap_or(name);
                compute(stem, &arguments, &Freedom { seed: self.seed, results: &results })
            }
            Node::Operation(operator, operands) => self.operate(operator, &operands, scope),
            Node::Quantified(quantifier) => {
                assert_eq!(quantifier.kind, QuantifierKind::Forall);
                Value::Bool(self.refute(&quantifier, scope).is_none())
            }
            Node::Real(_) => panic!("no axiom speaks of reals"),
        }
    }

    fn operate(
        &mut self,
        operator: Operator,
        operands: &[Term],
        scope: &mut FxHashMap<Bound, Value>,
    ) -> Value {
        // What is not needed is not evaluated.
        match operator {
            Operator::And => {
                return Value::Bool(operands.iter().all(|operand| self.evaluate(*operand, scope).bool()));
            }
            Operator::Or => {
                return Value::Bool(operands.iter().any(|operand| self.evaluate(*operand, scope).bool()));
            }
            Operator::Implies => {
                let premise = self.evaluate(operands[0], scope).bool();
                return Value::Bool(!premise || self.evaluate(operands[1], scope).bool());
            }
            Operator::IfThenElse => {
                let condition = self.evaluate(operands[0], scope).bool();
                return self.evaluate(operands[if condition { 1 } else { 2 }], scope);
            }
            _ => {}
        }
        let values: Vec<Value> = operands.iter().map(|operand| self.evaluate(*operand, scope)).collect();
        match (operator, &values[..]) {
            (Operator::Not, [value]) => Value::Bool(!value.bool()),
            (Operator::Equal, [left, right]) => Value::Bool(left == right),
            (Operator::Add, [left, right]) => Value::Int(left.int() + right.int()),
            (Operator::Subtract, [left, right]) => Value::Int(left.int() - right.int()),
            (Operator::Less, [left, right]) => Value::Bool(left.int() < right.int()),
            (Operator::LessEqual, [left, right]) => Value::Bool(left.int() <= right.int()),
            _ => panic!("{operator:?} does not occur in axioms"),
        }
    }
}

/// All sequences of up to three of the first elements.
fn sequences(elements: &[Value]) -> Vec<Value> {
    let few = &elements[..elements.len().min(3)];
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..3 {
        longest = longest
            .iter()
            .flat_map(|sequence: &Vec<Value>| {
                few.iter().map(move |element| [sequence.as_slice(), std::slice::from_ref(element)].concat())
            })
            .collect();
        all.extend(longest.iter().cloned());
    }
    all.into_iter().map(Value::Seq).collect()
}

/// All ways to give each of the first elements one of so many roles.
fn roles(elements: &[Value], count: usize) -> Vec<Vec<(Value, usize)>> {
    let mut all = vec![Vec::new()];
    for element in &elements[..elements.len().min(3)] {
        all = all
            .iter()
            .flat_map(|chosen: &Vec<(Value, usize)>| {
                (0..count).map(move |role| [chosen.as_slice(), &[(element.clone(), role)]].concat())
            })
            .collect();
    }
    all
}

fn sets(elements: &[Value]) -> Vec<Value> {
    roles(elements, 2)
        .into_iter()
        .map(|roles| {
            let members: BTreeSet<Value> =
                roles.into_iter().filter(|(_, role)| *role == 1).map(|(element, _)| element).collect();
            Value::Set(members)
        })
        .collect()
}

fn multisets(elements: &[Value]) -> Vec<Value> {
    roles(elements, 3)
        .into_iter()
        .map(|roles| {
            Value::Multiset(
                roles
                    .into_iter()
                    .filter(|(_, role)| *role > 0)
                    .map(|(element, role)| (element, role as i64))
                    .collect(),
            )
        })
        .collect()
}

fn maps(keys: &[Value], values: &[Value]) -> Vec<Value> {
    let values = &values[..values.len().min(3)];
    roles(keys, values.len() + 1)
        .into_iter()
        .map(|roles| {
            Value::Map(
                roles
                    .into_iter()
                    .filter(|(_, role)| *role > 0)
                    .map(|(key, role)| (key, values[role - 1].clone()))
                    .collect(),
            )
        })
        .collect()
}
