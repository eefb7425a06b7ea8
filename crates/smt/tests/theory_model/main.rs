//! Every axiom is true of real collections, and says something about them.
//!
//! Axioms are evaluated on small sequences, sets, multisets and maps. That the evaluation is worth something is
//! tested in turn: changed axioms are found out.

mod interpretation;
mod value;

use interpretation::Interpretation;
use smt::{Node, Operator, Sort, Term, Terms, Theories};

const SEEDS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 2, 77];

/// Uses every function on collections of the given element, and of the value in maps, and takes the axioms.
fn all_axioms(terms: &mut Terms, theories: &mut Theories, element: Sort, value: Sort) -> Vec<Term> {
    let int = terms.int_sort();
    let (e, v) = (terms.constant("e", element), terms.constant("v", value));
    let i = terms.constant("i", int);

    let sequence = theories.seq_sort(terms, element);
    let (a, b) = (terms.constant("s", sequence), terms.constant("t", sequence));
    theories.seq_literal(terms, element, &[e]);
    theories.seq_append(terms, a, b);
    theories.seq_length(terms, a);
    theories.seq_index(terms, a, i);
    theories.seq_update(terms, a, i, e);
    theories.seq_take(terms, a, i);
    theories.seq_drop(terms, a, i);
    theories.seq_contains(terms, a, e);
    theories.seq_contains_trigger(terms, a, e);
    theories.seq_range(terms, i, i);
    theories.equal(terms, a, b);

    let set = theories.set_sort(terms, element);
    let (a, b) = (terms.constant("a", set), terms.constant("b", set));
    theories.set_literal(terms, element, &[e]);
    theories.set_add(terms, a, e);
    theories.set_union(terms, a, b);
    theories.set_intersection(terms, a, b);
    theories.set_difference(terms, a, b);
    theories.set_subset(terms, a, b);
    theories.set_contains(terms, a, e);
    theories.set_cardinality(terms, a);
    theories.equal(terms, a, b);

    let multiset = theories.multiset_sort(terms, element);
    let (a, b) = (terms.constant("m", multiset), terms.constant("n", multiset));
    theories.multiset_literal(terms, element, &[e]);
    theories.multiset_add(terms, a, e);
    theories.multiset_union(terms, a, b);
    theories.multiset_intersection(terms, a, b);
    theories.multiset_difference(terms, a, b);
    theories.multiset_subset(terms, a, b);
    theories.multiset_count(terms, a, e);
    theories.multiset_cardinality(terms, a);
    theories.equal(terms, a, b);

    let map = theories.map_sort(terms, element, value);
    let (a, b) = (terms.constant("f", map), terms.constant("g", map));
    theories.map_literal(terms, element, value, &[(e, v)]);
    theories.map_update(terms, a, e, v);
    theories.map_lookup(terms, a, e);
    theories.map_contains(terms, a, e);
    theories.map_domain(terms, a);
    theories.map_range(terms, a);
    theories.map_cardinality(terms, a);
    theories.equal(terms, a, b);

    theories.take_axioms(terms)
}

fn name(terms: &Terms, axiom: Term) -> String {
    match terms.node(axiom) {
        Node::Quantified(quantifier) => quantifier.name.to_string(),
        _ => "ground".to_owned(),
    }
}

/// The parameters that axioms are tested for: plain elements, integers, truth values and nested collections.
fn settings() -> Vec<(Terms, Theories, Vec<Term>)> {
    let build = |choose: fn(&mut Terms, &mut Theories) -> (Sort, Sort)| {
        let (mut terms, mut theories) = (Terms::new(), Theories::new());
        let (element, value) = choose(&mut terms, &mut theories);
        let axioms = all_axioms(&mut terms, &mut theories, element, value);
        (terms, theories, axioms)
    };
    vec![
        build(|terms, _| (terms.uninterpreted_sort("E"), terms.uninterpreted_sort("F"))),
        build(|terms, _| (terms.int_sort(), terms.bool_sort())),
        build(|terms, _| (terms.bool_sort(), terms.int_sort())),
        build(|terms, theories| {
            let int = terms.int_sort();
            (theories.seq_sort(terms, int), theories.map_sort(terms, int, int))
        }),
        build(|terms, theories| {
            let atom = terms.uninterpreted_sort("E");
            (theories.set_sort(terms, atom), theories.multiset_sort(terms, atom))
        }),
    ]
}

#[test]
fn axioms_are_true_of_finite_collections() {
    for (terms, theories, axioms) in settings() {
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
    for (mut terms, theories, axioms) in settings().into_iter().take(2) {
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
    let (mut terms, theories, axioms) = settings().remove(0);
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
    expect_test::expect!["248 of 354"].assert_eq(&format!("{found} of {tried}"));
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
