use std::collections::HashMap;
use std::rc::Rc;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::node::Sort;

fn text(terms: &Terms, term: Term) -> String {
    text_for(SolverKind::Z3, terms, term).1
}

fn text_for(kind: SolverKind, terms: &Terms, term: Term) -> (String, String) {
    let mut symbols = Symbols::default();
    let mut out = String::new();
    print_term(terms, term, &mut symbols, kind, &mut out);
    (symbols.declarations().to_owned(), out)
}

fn check(terms: &Terms, term: Term, expected: &Expect) {
    let (declarations, text) = text_for(SolverKind::Z3, terms, term);
    expected.assert_eq(&format!("{declarations}{text}\n"));
}

fn rational(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

#[test]
fn literals() {
    let mut terms = Terms::new();
    let mut texts = Vec::new();
    for value in [0, 7, -7] {
        let term = terms.int(value);
        texts.push(text(&terms, term));
    }
    for (numerator, denominator) in [(0, 1), (3, 1), (-3, 1), (1, 3), (-2, 4)] {
        let term = terms.real(rational(numerator, denominator));
        texts.push(text(&terms, term));
    }
    texts.push(text(&terms, terms.true_()));
    expect!["0 7 (- 7) 0.0 3.0 (- 3.0) (/ 1.0 3.0) (- (/ 1.0 2.0)) true"].assert_eq(&texts.join(" "));
}

#[test]
fn operators_and_conversions() {
    let mut terms = Terms::new();
    let (int, real) = (terms.int_sort(), terms.real_sort());
    let (i, j) = (terms.constant("i", int), terms.constant("j", int));
    let r = terms.constant("r", real);
    let converted = terms.int_to_real(i);
    let half = terms.real(rational(1, 2));
    let product = terms.multiply(half, r);
    let quotient = terms.real_divide(converted, r);
    let below = terms.less(product, quotient);
    let (division, modulo) = (terms.int_divide(i, j), terms.int_modulo(i, j));
    let same = terms.not_equal(division, modulo);
    let choice = terms.if_then_else(below, i, j);
    let ordered = terms.less_equal(choice, i);
    let difference = terms.negate(i);
    let negative = terms.equal(difference, j);
    let either = terms.or(ordered, negative);
    let both = terms.and(below, same);
    let formula = terms.implies(both, either);
    check(
        &terms,
        formula,
        &expect![[r#"
            (declare-fun r$ () Real)
            (declare-fun i$ () Int)
            (declare-fun j$ () Int)
            (=> (and (< (* (/ 1.0 2.0) r$) (/ (to_real i$) r$)) (not (= (div i$ j$) (mod i$ j$)))) (or (<= (ite (< (* (/ 1.0 2.0) r$) (/ (to_real i$) r$)) i$ j$) i$) (= j$ (- 0 i$))))
        "#]],
    );
}

#[test]
fn names_that_need_care() {
    let mut terms = Terms::new();
    let int = terms.int_sort();
    let sort = terms.uninterpreted_sort("Set[Int]");
    let array = terms.sort(crate::SortKind::Native("(Array Int Int)".into()));
    let select = terms.native_function("select", &[array, int], int);
    let mut parts = Vec::new();
    for name in ["and", "let", "x'", "a|b", "a_b", "", "1", "x@2", "$Snap.first", "été", "x%1"] {
        parts.push(terms.constant(name, int));
    }
    let function = terms.function("f<Int>", &[sort], int);
    let element = terms.constant("Set[Int]", sort);
    parts.push(terms.apply(function, &[element]));
    let table = terms.constant("table", array);
    let index = terms.int(3);
    parts.push(terms.apply(select, &[table, index]));
    let zero = terms.int(0);
    let sum = parts.into_iter().fold(zero, |sum, part| terms.add(sum, part));
    check(
        &terms,
        sum,
        &expect![[r#"
        (declare-fun and$ () Int)
        (declare-fun let$ () Int)
        (declare-fun |x'$| () Int)
        (declare-fun a_b$ () Int)
        (declare-fun a_b$$2 () Int)
        (declare-fun $ () Int)
        (declare-fun |1$| () Int)
        (declare-fun x@2 () Int)
        (declare-fun $Snap.first () Int)
        (declare-fun _t_$ () Int)
        (declare-fun x_1$ () Int)
        (declare-sort |Set[Int]$| 0)
        (declare-fun f<Int>$ (|Set[Int]$|) Int)
        (declare-fun |Set[Int]$$2| () |Set[Int]$|)
        (declare-fun table$ () (Array Int Int))
        (+ (+ (+ (+ (+ (+ (+ (+ (+ (+ (+ (+ and$ let$) |x'$|) a_b$) a_b$$2) $) |1$|) x@2) $Snap.first) _t_$) x_1$) (f<Int>$ |Set[Int]$$2|)) (select table$ 3))
    "#]],
    );
}

#[test]
fn a_quantifier_with_everything() {
    let mut terms = Terms::new();
    let int = terms.int_sort();
    let reference = terms.uninterpreted_sort("Ref");
    let f = terms.function("f", &[reference, int], int);
    let x = terms.fresh_bound("x'", reference);
    let i = terms.fresh_bound("i", int);
    let (x_term, i_term) = (terms.bound(x), terms.bound(i));
    let application = terms.apply(f, &[x_term, i_term]);
    let body = terms.less(i_term, application);
    let all = terms.quantify(
        QuantifierKind::Forall,
        &[x, i],
        &[vec![application], vec![application, x_term]],
        body,
        "method m, line 3: |x|",
        Some(3),
    );
    check(
        &terms,
        all,
        &expect![[r#"
            (declare-sort Ref$ 0)
            (declare-fun f$ (Ref$ Int) Int)
            (forall ((x%0 Ref$)(i%1 Int)) (! (< i%1 (f$ x%0 i%1)) :qid q!0 :weight 3 :pattern ((f$ x%0 i%1)) :pattern ((f$ x%0 i%1) x%0)))
        "#]],
    );
    let some = terms.exists(&[x, i], &[], body, "");
    check(
        &terms,
        some,
        &expect![[r#"
            (declare-sort Ref$ 0)
            (declare-fun f$ (Ref$ Int) Int)
            (exists ((x%0 Ref$)(i%1 Int)) (! (< i%1 (f$ x%0 i%1)) :qid q!0))
        "#]],
    );
    expect!["(forall ((x%0 Ref$)(i%1 Int)) (! (< i%1 (f$ x%0 i%1)) :qid q!0 :pattern ((f$ x%0 i%1)) :pattern ((f$ x%0 i%1) x%0)))"].assert_eq(&text_for(SolverKind::Cvc5, &terms, all).1);
}

/// A term of the given sort with many nodes.
fn large(terms: &mut Terms, seed: Term, levels: usize) -> Term {
    let sort = terms.sort_of(seed);
    let g = terms.function("g", &[sort, sort], sort);
    (0..levels).fold(seed, |term, _| terms.apply(g, &[term, term]))
}

#[test]
fn what_is_shared_is_named_where_its_variables_are_known() {
    let mut terms = Terms::new();
    let int = terms.int_sort();
    let a = terms.constant("a", int);
    let closed = large(&mut terms, a, 5);
    let x = terms.fresh_bound("x", int);
    let x_term = terms.bound(x);
    let open = large(&mut terms, x_term, 6);
    let y = terms.fresh_bound("y", int);
    let y_term = terms.bound(y);
    let p = terms.function("p", &[int, int], terms.bool_sort());
    let inner = terms.apply(p, &[open, y_term]);
    let inner = terms.forall(&[y], &[vec![inner]], inner, "inner");
    let outer = terms.apply(p, &[open, closed]);
    let body = terms.or(inner, outer);
    let trigger = terms.apply(p, &[x_term, closed]);
    let quantified = terms.forall(&[x], &[vec![trigger]], body, "outer");
    let rest = terms.apply(p, &[closed, closed]);
    let formula = terms.and(quantified, rest);
    check(
        &terms,
        formula,
        &expect![[r#"
            (declare-fun g$ (Int Int) Int)
            (declare-fun a$ () Int)
            (declare-fun p$ (Int Int) Bool)
            (let ((?0 (g$ (g$ a$ a$) (g$ a$ a$)))) (let ((?1 (g$ ?0 ?0))) (let ((?2 (g$ ?1 ?1))) (let ((?3 (g$ ?2 ?2))) (and (forall ((x%0 Int)) (! (let ((?4 (g$ (g$ x%0 x%0) (g$ x%0 x%0)))) (let ((?5 (g$ ?4 ?4))) (let ((?6 (g$ ?5 ?5))) (let ((?7 (g$ ?6 ?6))) (let ((?8 (g$ ?7 ?7))) (or (forall ((y%1 Int)) (! (p$ ?8 y%1) :qid q!0 :pattern ((p$ ?8 y%1)))) (p$ ?8 ?3))))))) :qid q!1 :pattern ((p$ x%0 ?3)))) (p$ ?3 ?3))))))
        "#]],
    );
}

#[test]
fn shared_terms_are_written_once() {
    let mut terms = Terms::new();
    let int = terms.int_sort();
    let a = terms.constant("a", int);
    let huge = large(&mut terms, a, 200);
    assert_eq!(terms.size(huge), u32::MAX);
    assert!(text(&terms, huge).len() < 10_000);
    let x = terms.fresh_bound("x", int);
    let x_term = terms.bound(x);
    let huge = large(&mut terms, x_term, 200);
    let zero = terms.int(0);
    let body = terms.less(zero, huge);
    let trigger = vec![huge];
    let all = terms.forall(&[x], &[trigger], body, "huge");
    assert!(text(&terms, all).len() < 20_000);
}

#[test]
fn deep_terms_need_no_stack() {
    let mut terms = Terms::new();
    let int = terms.int_sort();
    let f = terms.function("f", &[int], int);
    let mut term = terms.constant("a", int);
    for _ in 0..100_000 {
        term = terms.apply(f, &[term]);
    }
    assert_eq!(text(&terms, term).len(), 100_000 * "(f$ )".len() + "a$".len());
    let mut formula = terms.constant("p", terms.bool_sort());
    for _ in 0..100_000 {
        let x = terms.fresh_bound("x", int);
        let x_term = terms.bound(x);
        let zero = terms.int(0);
        let positive = terms.less(zero, x_term);
        let negated = terms.not(formula);
        let body = terms.or(negated, positive);
        formula = terms.forall(&[x], &[], body, "q");
    }
    assert!(text(&terms, formula).len() > 100_000);
}

// ---- names are right: expanding them gives the tree ----

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Atom(String),
    List(Vec<Tree>),
}

fn read(text: &str) -> Tree {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open = vec![Vec::new()];
    for token in spaced.split_whitespace() {
        match token {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = open.pop().unwrap();
                open.last_mut().unwrap().push(Tree::List(list));
            }
            atom => open.last_mut().unwrap().push(Tree::Atom(atom.to_owned())),
        }
    }
    assert_eq!(open.len(), 1);
    open.pop().unwrap().pop().unwrap()
}

#[derive(Clone)]
enum Meaning {
    Variable(usize),
    Named(Rc<(Tree, Environment)>),
}

type Environment = HashMap<String, Meaning>;

/// The tree without names, with the variables of each quantifier numbered as they are met.
fn expand(tree: &Tree, environment: &Environment, variables: &mut usize) -> Tree {
    match tree {
        Tree::Atom(name) => match environment.get(name) {
            Some(Meaning::Variable(number)) => Tree::Atom(format!("variable {number}")),
            Some(Meaning::Named(named)) => expand(&named.0, &named.1, variables),
            None => {
                assert!(!name.contains(['?', '%']), "{name} is not bound");
                Tree::Atom(name.clone())
            }
        },
        Tree::List(parts) => match &parts[..] {
            [Tree::Atom(word), Tree::List(definitions), body] if word == "let" => {
                let mut inner = environment.clone();
                for definition in definitions {
                    let Tree::List(pair) = definition else { panic!("{definition:?}") };
                    let Tree::Atom(name) = &pair[0] else { panic!("{pair:?}") };
                    inner.insert(
                        name.clone(),
                        Meaning::Named(Rc::new((pair[1].clone(), environment.clone()))),
                    );
                }
                expand(body, &inner, variables)
            }
            [quantifier @ Tree::Atom(word), Tree::List(bound), body] if word == "forall" => {
                let mut inner = environment.clone();
                for variable in bound {
                    let Tree::List(pair) = variable else { panic!("{variable:?}") };
                    let Tree::Atom(name) = &pair[0] else { panic!("{pair:?}") };
                    *variables += 1;
                    inner.insert(name.clone(), Meaning::Variable(*variables));
                }
                Tree::List(vec![quantifier.clone(), expand(body, &inner, variables)])
            }
            _ => Tree::List(parts.iter().map(|part| expand(part, environment, variables)).collect()),
        },
    }
}

/// The same without any sharing.
fn print_as_tree(terms: &Terms, term: Term) -> String {
    let all =
        |parts: &[Term]| parts.iter().map(|part| print_as_tree(terms, *part)).collect::<Vec<_>>().join(" ");
    match terms.node(term) {
        Node::Apply(function, arguments) if arguments.is_empty() => {
            format!("{}$", terms.function_name(*function))
        }
        Node::Apply(function, arguments) => {
            format!("({}$ {})", terms.function_name(*function), all(arguments))
        }
        Node::Bound(bound) => format!("{}%{}", terms.bound_name(*bound), bound.index()),
        Node::Operation(operator, operands) => format!("{} {})", opening(*operator), all(operands)),
        Node::Quantified(quantifier) => {
            let bound: Vec<String> = quantifier
                .variables
                .iter()
                .map(|variable| format!("({}%{} Int)", terms.bound_name(*variable), variable.index()))
                .collect();
            let triggers: Vec<String> =
                quantifier.triggers.iter().map(|trigger| format!(" :pattern ({})", all(trigger))).collect();
            let body = print_as_tree(terms, quantifier.body);
            format!("(forall ({}) (! {body} :qid q!0{}))", bound.concat(), triggers.concat())
        }
        Node::Bool(value) => value.to_string(),
        other => panic!("{other:?}"),
    }
}

#[derive(Clone, Debug)]
enum Step {
    Apply(prop::sample::Index, prop::sample::Index),
    Compare(prop::sample::Index, prop::sample::Index),
    Join(prop::sample::Index, prop::sample::Index),
    Forall(usize, prop::sample::Index, prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        2 => (index(), index()).prop_map(|(left, right)| Step::Apply(left, right)),
        1 => (index(), index()).prop_map(|(left, right)| Step::Compare(left, right)),
        1 => (index(), index()).prop_map(|(left, right)| Step::Join(left, right)),
        2 => (0..3usize, index(), index()).prop_map(|(variable, body, part)| Step::Forall(variable, body, part)),
    ]
}

/// Random graphs over few variables, which are bound again and again, inside and beside each other.
fn build(terms: &mut Terms, steps: &[Step]) -> Term {
    let int: Sort = terms.int_sort();
    let bool_sort = terms.bool_sort();
    let g = terms.function("g", &[int, int], int);
    let p = terms.function("p", &[int, int], bool_sort);
    let join = terms.function("join", &[bool_sort, bool_sort], bool_sort);
    let variables: Vec<Bound> = ["x", "y", "z"].iter().map(|name| terms.fresh_bound(name, int)).collect();
    let mut numbers = vec![terms.constant("a", int)];
    numbers.extend(variables.iter().map(|variable| terms.bound(*variable)));
    let mut formulas = vec![terms.apply(p, &[numbers[0], numbers[1]])];
    // Recent terms first, so that terms grow.
    let pick =
        |pool: &[Term], index: &prop::sample::Index| pool[pool.len() - 1 - index.index(pool.len().min(4))];
    for step in steps {
        match step {
            Step::Apply(left, right) => {
                let term = terms.apply(g, &[pick(&numbers, left), pick(&numbers, right)]);
                if terms.size(term) < 400 {
                    numbers.push(term);
                }
            }
            Step::Compare(left, right) => {
                formulas.push(terms.apply(p, &[pick(&numbers, left), pick(&numbers, right)]));
            }
            Step::Join(left, right) => {
                let term = terms.apply(join, &[pick(&formulas, left), pick(&formulas, right)]);
                if terms.size(term) < 3000 {
                    formulas.push(term);
                }
            }
            Step::Forall(variable, body, part) => {
                let trigger = vec![terms.apply(p, &[pick(&numbers, part), pick(&numbers, body)])];
                formulas.push(terms.forall(&[variables[*variable]], &[trigger], pick(&formulas, body), "q"));
            }
        }
    }
    let start = formulas[0];
    let whole = formulas.into_iter().fold(start, |whole, formula| {
        let joined = terms.apply(join, &[whole, formula]);
        if terms.size(joined) < 20_000 { joined } else { whole }
    });
    terms.forall(&variables, &[], whole, "q")
}

proptest! {
    #[test]
    fn expanding_names_gives_the_tree(steps in prop::collection::vec(step(), 1..60)) {
        let mut terms = Terms::new();
        let term = build(&mut terms, &steps);
        let expanded = expand(&read(&text(&terms, term)), &Environment::new(), &mut 0);
        let tree = expand(&read(&print_as_tree(&terms, term)), &Environment::new(), &mut 0);
        prop_assert_eq!(expanded, tree);
    }
}
