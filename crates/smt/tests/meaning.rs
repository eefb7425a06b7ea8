//! What is built means what was asked for: random expressions are evaluated as they are and as terms.

use proptest::prelude::*;
use smt::{BigInt, BigRational, Bound, Node, Operator, QuantifierKind, Term, Terms};

/// Variables over the truth values, so that quantifiers can be evaluated, and over the integers.
const TRUTH_VARIABLES: usize = 3;
const NUMBER_VARIABLES: usize = 2;

#[derive(Clone, Debug)]
enum Formula {
    Constant(bool),
    Variable(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equal(Box<Formula>, Box<Formula>),
    Choice(Box<Formula>, Box<Formula>, Box<Formula>),
    Less(Number, Number),
    LessEqual(Number, Number),
    Same(Number, Number),
    LessReal(Number, Number, Number),
    Forall(usize, Box<Formula>),
    Exists(usize, Box<Formula>),
}

#[derive(Clone, Debug)]
enum Number {
    Constant(i32),
    Variable(usize),
    Add(Box<Number>, Box<Number>),
    Subtract(Box<Number>, Box<Number>),
    Multiply(Box<Number>, Box<Number>),
    Divide(Box<Number>, Box<Number>),
    Modulo(Box<Number>, Box<Number>),
    Choice(usize, Box<Number>, Box<Number>),
    Minimum(Box<Number>, Box<Number>),
}

fn number() -> impl Strategy<Value = Number> {
    let leaf =
        prop_oneof![(-3..4i32).prop_map(Number::Constant), (0..NUMBER_VARIABLES).prop_map(Number::Variable)];
    leaf.prop_recursive(3, 12, 2, |inner| {
        let two = (inner.clone(), inner.clone()).prop_map(|(left, right)| (Box::new(left), Box::new(right)));
        prop_oneof![
            two.clone().prop_map(|(left, right)| Number::Add(left, right)),
            two.clone().prop_map(|(left, right)| Number::Subtract(left, right)),
            two.clone().prop_map(|(left, right)| Number::Multiply(left, right)),
            two.clone().prop_map(|(left, right)| Number::Divide(left, right)),
            two.clone().prop_map(|(left, right)| Number::Modulo(left, right)),
            two.clone().prop_map(|(left, right)| Number::Minimum(left, right)),
            (0..TRUTH_VARIABLES, two).prop_map(|(which, (left, right))| Number::Choice(which, left, right)),
        ]
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Formula::Constant),
        6 => (0..TRUTH_VARIABLES).prop_map(Formula::Variable),
        2 => (number(), number()).prop_map(|(left, right)| Formula::Less(left, right)),
        1 => (number(), number()).prop_map(|(left, right)| Formula::LessEqual(left, right)),
        1 => (number(), number()).prop_map(|(left, right)| Formula::Same(left, right)),
        1 => (number(), number(), number()).prop_map(|(left, right, divisor)| Formula::LessReal(left, right, divisor)),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let one = inner.clone().prop_map(Box::new);
        let variable = 0..TRUTH_VARIABLES;
        prop_oneof![
            one.clone().prop_map(Formula::Not),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::And),
            prop::collection::vec(inner, 0..4).prop_map(Formula::Or),
            (one.clone(), one.clone()).prop_map(|(left, right)| Formula::Implies(left, right)),
            (one.clone(), one.clone()).prop_map(|(left, right)| Formula::Equal(left, right)),
            (one.clone(), one.clone(), one.clone())
                .prop_map(|(condition, left, right)| Formula::Choice(condition, left, right)),
            (variable.clone(), one.clone()).prop_map(|(variable, body)| Formula::Forall(variable, body)),
            (variable, one).prop_map(|(variable, body)| Formula::Exists(variable, body)),
        ]
    })
}

#[derive(Clone, Debug)]
struct Values {
    truths: [bool; TRUTH_VARIABLES],
    numbers: [i64; NUMBER_VARIABLES],
}

impl Values {
    fn with(&self, variable: usize, value: bool) -> Values {
        let mut values = self.clone();
        values.truths[variable] = value;
        values
    }
}

fn values() -> impl Strategy<Value = Values> {
    (any::<[bool; TRUTH_VARIABLES]>(), [-5..6i64, -5..6i64])
        .prop_map(|(truths, numbers)| Values { truths, numbers })
}

/// Division by zero is some function of the dividend.
fn divide(left: i128, right: i128) -> i128 {
    if right == 0 { left + 17 } else { left.div_euclid(right) }
}

fn modulo(left: i128, right: i128) -> i128 {
    if right == 0 { left - 13 } else { left.rem_euclid(right) }
}

impl Number {
    fn value(&self, values: &Values) -> i128 {
        match self {
            Number::Constant(value) => i128::from(*value),
            Number::Variable(variable) => i128::from(values.numbers[*variable]),
            Number::Add(left, right) => left.value(values) + right.value(values),
            Number::Subtract(left, right) => left.value(values) - right.value(values),
            Number::Multiply(left, right) => left.value(values) * right.value(values),
            Number::Divide(left, right) => divide(left.value(values), right.value(values)),
            Number::Modulo(left, right) => modulo(left.value(values), right.value(values)),
            Number::Choice(variable, left, right) => {
                if values.truths[*variable] {
                    left.value(values)
                } else {
                    right.value(values)
                }
            }
            Number::Minimum(left, right) => left.value(values).min(right.value(values)),
        }
    }
}

impl Formula {
    fn value(&self, values: &Values) -> bool {
        match self {
            Formula::Constant(value) => *value,
            Formula::Variable(variable) => values.truths[*variable],
            Formula::Not(inner) => !inner.value(values),
            Formula::And(parts) => parts.iter().all(|part| part.value(values)),
            Formula::Or(parts) => parts.iter().any(|part| part.value(values)),
            Formula::Implies(left, right) => !left.value(values) || right.value(values),
            Formula::Equal(left, right) => left.value(values) == right.value(values),
            Formula::Choice(condition, left, right) => {
                if condition.value(values) {
                    left.value(values)
                } else {
                    right.value(values)
                }
            }
            Formula::Less(left, right) => left.value(values) < right.value(values),
            Formula::LessEqual(left, right) => left.value(values) <= right.value(values),
            Formula::Same(left, right) => left.value(values) == right.value(values),
            Formula::LessReal(left, right, divisor) => {
                let quotient = divide_real(&real(left.value(values)), &real(divisor.value(values)));
                quotient < real(right.value(values))
            }
            Formula::Forall(variable, body) => {
                [false, true].iter().all(|value| body.value(&values.with(*variable, *value)))
            }
            Formula::Exists(variable, body) => {
                [false, true].iter().any(|value| body.value(&values.with(*variable, *value)))
            }
        }
    }
}

fn real(value: i128) -> BigRational {
    BigRational::from_integer(BigInt::from(value))
}

fn divide_real(left: &BigRational, right: &BigRational) -> BigRational {
    if *right == real(0) { left + real(17) } else { left / right }
}

// ---- as terms ----

struct Builder {
    terms: Terms,
    truths: Vec<Bound>,
    numbers: Vec<Bound>,
}

impl Builder {
    fn new() -> Builder {
        let mut terms = Terms::new();
        let (truth, int) = (terms.bool_sort(), terms.int_sort());
        let truths = (0..TRUTH_VARIABLES).map(|_| terms.fresh_bound("p", truth)).collect();
        let numbers = (0..NUMBER_VARIABLES).map(|_| terms.fresh_bound("n", int)).collect();
        Builder { terms, truths, numbers }
    }

    fn number(&mut self, number: &Number) -> Term {
        let two = |builder: &mut Builder, left: &Number, right: &Number| {
            (builder.number(left), builder.number(right))
        };
        match number {
            Number::Constant(value) => self.terms.int(*value),
            Number::Variable(variable) => self.terms.bound(self.numbers[*variable]),
            Number::Add(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.add(left, right)
            }
            Number::Subtract(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.subtract(left, right)
            }
            Number::Multiply(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.multiply(left, right)
            }
            Number::Divide(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.int_divide(left, right)
            }
            Number::Modulo(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.int_modulo(left, right)
            }
            Number::Choice(variable, left, right) => {
                let (left, right) = two(self, left, right);
                let condition = self.terms.bound(self.truths[*variable]);
                self.terms.if_then_else(condition, left, right)
            }
            Number::Minimum(left, right) => {
                let (left, right) = two(self, left, right);
                self.terms.minimum(left, right)
            }
        }
    }

    fn formula(&mut self, formula: &Formula) -> Term {
        match formula {
            Formula::Constant(value) => self.terms.boolean(*value),
            Formula::Variable(variable) => self.terms.bound(self.truths[*variable]),
            Formula::Not(inner) => {
                let inner = self.formula(inner);
                self.terms.not(inner)
            }
            Formula::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| self.formula(part)).collect();
                self.terms.all(parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| self.formula(part)).collect();
                self.terms.any(parts)
            }
            Formula::Implies(left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                self.terms.implies(left, right)
            }
            Formula::Equal(left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                self.terms.equal(left, right)
            }
            Formula::Choice(condition, left, right) => {
                let (condition, left, right) =
                    (self.formula(condition), self.formula(left), self.formula(right));
                self.terms.if_then_else(condition, left, right)
            }
            Formula::Less(left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                self.terms.less(left, right)
            }
            Formula::LessEqual(left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                self.terms.less_equal(left, right)
            }
            Formula::Same(left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                self.terms.equal(left, right)
            }
            Formula::LessReal(left, right, divisor) => {
                let [left, right, divisor] = [left, right, divisor].map(|number| {
                    let number = self.number(number);
                    self.terms.int_to_real(number)
                });
                let quotient = self.terms.real_divide(left, divisor);
                self.terms.less(quotient, right)
            }
            Formula::Forall(variable, body) => {
                let body = self.formula(body);
                self.terms.forall(&[self.truths[*variable]], &[], body, "")
            }
            Formula::Exists(variable, body) => {
                let body = self.formula(body);
                self.terms.exists(&[self.truths[*variable]], &[], body, "")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Truth(bool),
    Number(BigInt),
    Real(BigRational),
}

fn truth(value: Value) -> bool {
    match value {
        Value::Truth(value) => value,
        other => panic!("{other:?} is not a truth value"),
    }
}

type Environment = std::collections::HashMap<Bound, Value>;

fn evaluate(terms: &Terms, term: Term, environment: &Environment) -> Value {
    match terms.node(term) {
        Node::Bool(value) => Value::Truth(*value),
        Node::Int(value) => Value::Number((**value).clone()),
        Node::Real(value) => Value::Real((**value).clone()),
        Node::Bound(bound) => environment[bound].clone(),
        Node::Apply(..) => panic!("no functions here"),
        Node::Quantified(quantifier) => {
            let [variable] = *quantifier.variables else { panic!("one variable at a time") };
            let mut results = [false, true].into_iter().map(|value| {
                let mut inner = environment.clone();
                inner.insert(variable, Value::Truth(value));
                truth(evaluate(terms, quantifier.body, &inner))
            });
            Value::Truth(match quantifier.kind {
                QuantifierKind::Forall => results.all(|result| result),
                QuantifierKind::Exists => results.any(|result| result),
            })
        }
        Node::Operation(operator, operands) => {
            let operands: Vec<Value> =
                operands.iter().map(|operand| evaluate(terms, *operand, environment)).collect();
            operate(*operator, &operands)
        }
    }
}

fn operate(operator: Operator, operands: &[Value]) -> Value {
    let int = |value: i128| Value::Number(BigInt::from(value));
    let narrow = |value: &BigInt| i128::try_from(value).unwrap();
    match (operator, operands) {
        (Operator::Not, [Value::Truth(value)]) => Value::Truth(!value),
        (Operator::And, parts) => Value::Truth(parts.iter().cloned().all(truth)),
        (Operator::Or, parts) => Value::Truth(parts.iter().cloned().any(truth)),
        (Operator::Implies, [Value::Truth(left), Value::Truth(right)]) => Value::Truth(!left || *right),
        (Operator::Equal, [left, right]) => Value::Truth(left == right),
        (Operator::IfThenElse, [Value::Truth(condition), left, right]) => {
            if *condition {
                left.clone()
            } else {
                right.clone()
            }
        }
        (Operator::Less, [Value::Number(left), Value::Number(right)]) => Value::Truth(left < right),
        (Operator::LessEqual, [Value::Number(left), Value::Number(right)]) => Value::Truth(left <= right),
        (Operator::Less, [Value::Real(left), Value::Real(right)]) => Value::Truth(left < right),
        (Operator::LessEqual, [Value::Real(left), Value::Real(right)]) => Value::Truth(left <= right),
        (Operator::Add, [Value::Number(left), Value::Number(right)]) => Value::Number(left + right),
        (Operator::Subtract, [Value::Number(left), Value::Number(right)]) => Value::Number(left - right),
        (Operator::Multiply, [Value::Number(left), Value::Number(right)]) => Value::Number(left * right),
        (Operator::IntDivide, [Value::Number(left), Value::Number(right)]) => {
            int(divide(narrow(left), narrow(right)))
        }
        (Operator::IntModulo, [Value::Number(left), Value::Number(right)]) => {
            int(modulo(narrow(left), narrow(right)))
        }
        (Operator::IntToReal, [Value::Number(value)]) => {
            Value::Real(BigRational::from_integer(value.clone()))
        }
        (Operator::RealDivide, [Value::Real(left), Value::Real(right)]) => {
            Value::Real(divide_real(left, right))
        }
        (operator, operands) => panic!("{operator:?} {operands:?}"),
    }
}

fn environment(builder: &Builder, values: &Values) -> Environment {
    let truths = builder.truths.iter().zip(values.truths).map(|(bound, value)| (*bound, Value::Truth(value)));
    let numbers = builder
        .numbers
        .iter()
        .zip(values.numbers)
        .map(|(bound, value)| (*bound, Value::Number(BigInt::from(value))));
    truths.chain(numbers).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn simplification_keeps_the_meaning(formula in formula(), values in values()) {
        let mut builder = Builder::new();
        let term = builder.formula(&formula);
        let value = evaluate(&builder.terms, term, &environment(&builder, &values));
        prop_assert_eq!(value, Value::Truth(formula.value(&values)));
    }

    /// Replacing a variable by a formula is giving it the formula's value, whatever is bound where.
    #[test]
    fn substitution_is_assignment(
        formula in formula(),
        first in formula(),
        second in formula(),
        values in values(),
    ) {
        let mut builder = Builder::new();
        let term = builder.formula(&formula);
        let (first_term, second_term) = (builder.formula(&first), builder.formula(&second));
        let replacements = [(builder.truths[0], first_term), (builder.truths[1], second_term)];
        let replaced = builder.terms.substitute_bound(term, &replacements);
        let value = evaluate(&builder.terms, replaced, &environment(&builder, &values));
        let assigned = values.with(0, first.value(&values)).with(1, second.value(&values));
        prop_assert_eq!(value, Value::Truth(formula.value(&assigned)));
    }

    #[test]
    fn another_table_means_the_same(formula in formula(), values in values()) {
        let mut builder = Builder::new();
        let term = builder.formula(&formula);
        let mut other = Builder::new();
        // What is free must be bound somewhere to be the same in both.
        let truths = builder.truths.clone();
        let closed = truths.iter().fold(term, |body, variable| builder.terms.forall(&[*variable], &[], body, ""));
        let imported = other.terms.import(&builder.terms, &[closed])[0];
        if other.terms.is_closed(imported) {
            let value = evaluate(&other.terms, imported, &Environment::new());
            prop_assert_eq!(value, evaluate(&builder.terms, closed, &environment(&builder, &values)));
        }
    }
}

#[test]
fn triggers_keep_the_variables_that_they_need() {
    let mut terms = Terms::new();
    let (int, truth) = (terms.int_sort(), terms.bool_sort());
    let (x, y) = (terms.fresh_bound("x", int), terms.fresh_bound("y", int));
    let (x_term, y_term) = (terms.bound(x), terms.bound(y));
    let f = terms.function("f", &[int, int], int);
    let p = terms.function("p", &[int], truth);
    let body = terms.apply(p, &[x_term]);
    let trigger = terms.apply(f, &[x_term, y_term]);
    for (triggers, variables, kept) in [
        (vec![vec![trigger]], vec![x, y], 1),
        (vec![vec![trigger], vec![body]], vec![x], 1),
        (vec![vec![y_term]], vec![x], 0),
        (vec![], vec![x], 0),
    ] {
        let term = terms.forall(&[x, y], &triggers, body, "");
        let Node::Quantified(quantifier) = terms.node(term) else { panic!("no quantifier") };
        assert_eq!((quantifier.variables.to_vec(), quantifier.triggers.len()), (variables, kept));
        assert!(terms.is_closed(term));
    }
}
