//! What holds of every product of two numbers, said of the products that a question is about.
//!
//! The solver's usual procedure treats a product as a number of its own and knows little of its sign and size, so that
//! `0 < p ==> 0 < p * p` may be given up. Each fact that is said here is true of all integers and all rationals.

use rustc_hash::FxHashSet;
use smt::{Operator, Term, Terms};

use super::is_number;

use crate::limits;

/// A product and its factors.
type Product = (Term, [Term; 2]);

/// Facts about the products in a goal and in what it is to follow from; those of the goal come first.
pub(crate) fn about_products(terms: &mut Terms, goal: Term, facts: &[Term]) -> Vec<Term> {
    let mut products: Vec<Product> = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    for root in [goal].iter().chain(facts.iter().rev()) {
        find(terms, *root, &mut seen, &mut products);
        if products.len() >= limits::PRODUCTS_WITH_LEMMAS {
            products.truncate(limits::PRODUCTS_WITH_LEMMAS);
            break;
        }
    }
    let mut lemmas = Vec::new();
    for (product, [left, right]) in &products {
        signs(terms, *product, *left, *right, &mut lemmas);
        sizes(terms, *product, *left, *right, &mut lemmas);
        sizes(terms, *product, *right, *left, &mut lemmas);
    }
    let mut pairs = 0;
    for (index, first) in products.iter().enumerate() {
        for second in &products[..index] {
            let Some((common, left, right)) = common_factor(first, second) else { continue };
            if pairs < limits::PAIRS_WITH_LEMMAS {
                pairs += 1;
                order(terms, common, (left, first.0), (right, second.0), &mut lemmas);
            }
        }
    }
    lemmas
}

/// The products in a term that are not there yet. What depends on a variable of a quantifier is none of the numbers
/// that something could be said about.
fn find(terms: &Terms, root: Term, seen: &mut FxHashSet<Term>, products: &mut Vec<Product>) {
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Some((Operator::Multiply, [left, right])) = terms.as_operation(term)
            && !is_number(terms, *left)
            && !is_number(terms, *right)
            && terms.is_closed(term)
        {
            products.push((term, [*left, *right]));
        }
        terms.for_each_child(term, &mut |child| stack.push(child));
    }
}

fn number(terms: &mut Terms, like: Term, is_one: bool) -> Term {
    match (terms.sort_of(like) == terms.int_sort(), is_one) {
        (true, _) => terms.int(i32::from(is_one)),
        (false, true) => terms.one(),
        (false, false) => terms.zero(),
    }
}

/// Factors of the same sign have a positive product, others a negative one, and zero makes it zero.
fn signs(terms: &mut Terms, product: Term, left: Term, right: Term, lemmas: &mut Vec<Term>) {
    let zero = number(terms, product, false);
    for is_left_positive in [true, false] {
        for is_right_positive in [true, false] {
            let left = signed(terms, zero, left, is_left_positive);
            let right = signed(terms, zero, right, is_right_positive);
            let both = terms.and(left, right);
            let result = signed(terms, zero, product, is_left_positive == is_right_positive);
            lemmas.push(terms.implies(both, result));
        }
    }
    let (no_left, no_right) = (terms.equal(left, zero), terms.equal(right, zero));
    let no_factor = terms.or(no_left, no_right);
    let nothing = terms.equal(product, zero);
    lemmas.push(terms.implies(no_factor, nothing));
}

fn signed(terms: &mut Terms, zero: Term, number: Term, is_positive: bool) -> Term {
    if is_positive { terms.less(zero, number) } else { terms.less(number, zero) }
}

/// A factor of at most one makes no positive number larger, one of at least one makes it no smaller.
fn sizes(terms: &mut Terms, product: Term, factor: Term, other: Term, lemmas: &mut Vec<Term>) {
    let (zero, one) = (number(terms, product, false), number(terms, product, true));
    let is_positive = terms.less_equal(zero, other);
    let (is_small, is_large) = (terms.less_equal(factor, one), terms.less_equal(one, factor));
    let (no_larger, no_smaller) = (terms.less_equal(product, other), terms.less_equal(other, product));
    for (size, result) in [(is_small, no_larger), (is_large, no_smaller)] {
        let condition = terms.and(is_positive, size);
        lemmas.push(terms.implies(condition, result));
    }
}

/// The factor that two products share, and what is left of each.
fn common_factor(first: &Product, second: &Product) -> Option<(Term, Term, Term)> {
    let [a, b] = first.1;
    let [c, d] = second.1;
    [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)]
        .into_iter()
        .find(|(shared, _, other, _)| shared == other)
        .map(|(shared, left, _, right)| (shared, left, right))
}

/// Products with a common factor have the order of their other factors, or the reverse.
fn order(
    terms: &mut Terms,
    common: Term,
    (left, left_product): (Term, Term),
    (right, right_product): (Term, Term),
    lemmas: &mut Vec<Term>,
) {
    let zero = number(terms, common, false);
    let (is_positive, is_negative) = (terms.less(zero, common), terms.less(common, zero));
    for (small, small_product, large, large_product) in
        [(left, left_product, right, right_product), (right, right_product, left, left_product)]
    {
        let is_ordered = terms.less(small, large);
        let along = terms.less(small_product, large_product);
        let against = terms.less(large_product, small_product);
        for (sign, result) in [(is_positive, along), (is_negative, against)] {
            let condition = terms.and(is_ordered, sign);
            lemmas.push(terms.implies(condition, result));
        }
    }
}
