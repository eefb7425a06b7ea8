//! Every axiom is true of real collections, and says something about them.
//!
//! Axioms are evaluated on small sequences, sets, multisets and maps. That the evaluation is worth something is
//! tested in turn: changed axioms are found out.

mod computation;
mod consistency;
mod interpretation;
#[path = "../support/mod.rs"]
mod support;
mod value;
mod vocabulary;

use interpretation::Interpretation;
use smt::{Node, Operator, Sort, Term, Terms, Theories};
use vocabulary::{Setting, settings};

const SEEDS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 2, 77];

fn name(terms: &Terms, axiom: Term) -> String {
    match terms.node(axiom) {
        Node::Quantified(quantifier) => quantifier.name.to_string(),
        _ => "ground".to_owned(),
    }
}

#[test]
fn axioms_are_true_of_finite_collections() {
    for Setting { terms, theories, axioms, .. } in settings() {
        for seed in SEEDS {
            let mut interpretation = Interpretation::new(&terms, &theories, seed);
            for axiom in &axioms {
                if let Err(values) = interpretation.holds(*axiom) {
                    panic!("{} is false of {values:?}", name(&terms, *axiom));
                }
            }
        }
    }
}

/// Whether some seed refutes the formula.
fn is_caught(terms: &Terms, theories: &Theories, formula: Term) -> bool {
    SEEDS.iter().any(|seed| Interpretation::new(terms, theories, *seed).holds(formula).is_err())
}

/// The axiom with another body.
fn with_body(terms: &mut Terms, axiom: Term, body: Term) -> Term {
    match terms.node(axiom).clone() {
        Node::Quantified(quantifier) => {
            terms.quantify(quantifier.kind, &quantifier.variables, &[], body, &quantifier.name, None)
        }
        _ => body,
    }
}

fn body(terms: &Terms, axiom: Term) -> Term {
    match terms.node(axiom) {
        Node::Quantified(quantifier) => quantifier.body,
        _ => axiom,
    }
}

/// The parts of which all have to hold, as premises and conclusion.
fn clauses(terms: &mut Terms, formula: Term) -> Vec<(Vec<Term>, Term)> {
    match terms.as_operation(formula) {
        Some((Operator::And, parts)) => {
            let parts = parts.to_vec();
            parts.into_iter().flat_map(|part| clauses(terms, part)).collect()
        }
        Some((Operator::Implies, [premise, conclusion])) => {
            let (premise, conclusion) = (*premise, *conclusion);
            let mut inner = clauses(terms, conclusion);
            inner.iter_mut().for_each(|(premises, _)| premises.push(premise));
            inner
        }
        _ => vec![(Vec::new(), formula)],
    }
}

#[test]
fn no_part_of_an_axiom_is_vacuous() {
    for Setting { mut terms, theories, axioms, .. } in settings().into_iter().take(2) {
        for axiom in axioms {
            let formula = body(&terms, axiom);
            for (premises, conclusion) in clauses(&mut terms, formula) {
                let opposite = terms.not(conclusion);
                let premise = terms.all(premises);
                let formula = terms.implies(premise, opposite);
                let formula = with_body(&mut terms, axiom, formula);
                assert!(is_caught(&terms, &theories, formula), "of {}", name(&terms, axiom));
            }
        }
    }
}

/// What a term could have been mistaken for.
fn mistakes(terms: &mut Terms, term: Term) -> Vec<Term> {
    match terms.node(term).clone() {
        Node::Int(value) => vec![terms.int(&*value + 1)],
        Node::Operation(operator, operands) => {
            let other = match operator {
                Operator::Less => Operator::LessEqual,
                Operator::LessEqual => Operator::Less,
                Operator::Add => Operator::Subtract,
                Operator::Subtract => Operator::Add,
                Operator::And => Operator::Or,
                Operator::Or => Operator::And,
                Operator::Not => return vec![operands[0]],
                _ => return Vec::new(),
            };
            vec![terms.operate(other, &operands)]
        }
        Node::Apply(_, arguments) => {
            arguments.iter().copied().filter(|part| terms.sort_of(*part) == terms.sort_of(term)).collect()
        }
        _ => Vec::new(),
    }
}

/// Changes one part of an axiom at a time.
#[test]
fn mistakes_in_axioms_are_found() {
    let Setting { mut terms, theories, axioms, .. } = settings().remove(0);
    let (mut tried, mut found) = (0, 0);
    for axiom in axioms {
        let formula = body(&terms, axiom);
        for part in terms.reachable(&[formula]) {
            for mistake in mistakes(&mut terms, part) {
                let changed = terms.substitute(formula, &[(part, mistake)].into_iter().collect());
                let changed = with_body(&mut terms, axiom, changed);
                tried += 1;
                found += usize::from(is_caught(&terms, &theories, changed));
            }
        }
    }
    // The others only strengthen a premise or weaken a conclusion.
    expect_test::expect!["331 of 471"].assert_eq(&format!("{found} of {tried}"));
}

/// Theorems that somebody could believe in, each wrong in a corner.
#[test]
fn plausible_falsehoods_are_refuted() {
    let (mut terms, mut theories) = (Terms::new(), Theories::new());
    let (t, x) = (&mut terms, &mut theories);
    let (int, element) = (t.int_sort(), t.uninterpreted_sort("E"));
    let variable = |t: &mut Terms, name: &str, sort: Sort| {
        let bound = t.fresh_bound(name, sort);
        (bound, t.bound(bound))
    };
    let sequence = x.seq_sort(t, element);
    let set = x.set_sort(t, element);
    let multiset = x.multiset_sort(t, element);
    let ((s_bound, s), (n_bound, n)) = (variable(t, "s", sequence), variable(t, "n", int));
    let ((a_bound, a), (b_bound, b)) = (variable(t, "a", set), variable(t, "b", set));
    let ((m_bound, m), (o_bound, o)) = (variable(t, "m", multiset), variable(t, "o", multiset));
    let bound = [s_bound, n_bound, a_bound, b_bound, m_bound, o_bound];

    let mut falsehoods = Vec::new();
    // |s[..n]| = n
    let taken = x.seq_take(t, s, n);
    let length = x.seq_length(t, taken);
    falsehoods.push(t.equal(length, n));
    // |s[n..]| = |s| - n
    let rest = x.seq_drop(t, s, n);
    let (length, whole) = (x.seq_length(t, rest), x.seq_length(t, s));
    let difference = t.subtract(whole, n);
    falsehoods.push(t.equal(length, difference));
    // s[n := s[n]] = s, which is open where n is out of range
    let at = x.seq_index(t, s, n);
    let updated = x.seq_update(t, s, n, at);
    falsehoods.push(t.equal(updated, s));
    // s[..n][n..] = s[n..]
    let part = x.seq_drop(t, taken, n);
    falsehoods.push(t.equal(part, rest));
    // |a union b| = |a| + |b|
    let union = x.set_union(t, a, b);
    let (both, left, right) = (x.set_cardinality(t, union), x.set_cardinality(t, a), x.set_cardinality(t, b));
    let sum = t.add(left, right);
    falsehoods.push(t.equal(both, sum));
    // |a setminus b| = |a| - |b|
    let difference = x.set_difference(t, a, b);
    let (rest, expected) = (x.set_cardinality(t, difference), t.subtract(left, right));
    falsehoods.push(t.equal(rest, expected));
    // (m setminus o) union o = m
    let difference = x.multiset_difference(t, m, o);
    let again = x.multiset_union(t, difference, o);
    falsehoods.push(t.equal(again, m));

    for falsehood in falsehoods {
        let formula = terms.forall(&bound, &[], falsehood, "falsehood");
        assert!(is_caught(&terms, &theories, formula), "{falsehood:?}");
    }
}
