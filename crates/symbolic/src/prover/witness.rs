//! Values for variables of quantifiers that the solver never looks at.
//!
//! A solver instantiates what is assumed of all values by triggers: terms of the body that apply a function to the
//! variables. Where there are none, as in `exists z: Int :: z == x + 1` when it is denied, nothing is ever put in, and
//! what the solver then has is no counterexample. Here such quantifiers are given instances: the closed parts of the
//! body, and the values at which its comparisons change. `exists z :: B` is the same as `(exists z :: B) || B(t)`, so
//! that nothing is proved that does not hold.
//!
//! For an integer variable that is only compared, the values at which comparisons change are all that matter: these are
//! the test points of Cooper's elimination ("Theorem proving in arithmetic without multiplication", 1972), with a
//! division by the coefficient in the place of divisibility, and there is a value among them if there is one at all.
//! Variables and quantifiers in each other are eliminated one after the other, as there.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Bound, Node, Operator, Quantifier, QuantifierKind, Term, Terms};

use super::borders::{border, borders};
use super::range::range_of;
use super::wider::wider;
use super::written::Written;
use crate::limits;

/// Questions with instances of what the solver does not look at, or not everywhere.
pub(super) struct Instances<'w> {
    written: &'w Written<'w>,
    found: bool,
    /// Whether one is over values of which the axioms do not say what there is.
    has_collections: bool,
    /// Quantifiers, and what has to be assumed for the instances to say everything: that a range is short. It may be about
    /// variables that are bound further out.
    short: Vec<(Term, Term)>,
    /// Quantifiers of which the instances do not say everything.
    partial: Vec<Term>,
    /// Whether there is something that is not even known by `partial`.
    is_lost: bool,
    /// Bodies of quantifiers of which the instances say everything, under what has to be assumed.
    covered: FxHashSet<Term>,
    /// Nodes of the instances that were made.
    nodes: u64,
    /// Terms share their parts, so each is done once.
    known: FxHashMap<Term, Image>,
}

/// Two terms that are equivalent to one.
#[derive(Clone, Copy)]
struct Image {
    /// With instances beside the quantifiers.
    full: Term,
    /// With instances in the place of those quantifiers of which they say everything.
    plain: Term,
}

/// A body with values for some of the variables, and what is left.
struct Choice {
    image: Image,
    open: Vec<Bound>,
    /// What has to be assumed.
    short: Vec<Term>,
}

impl<'w> Instances<'w> {
    pub(super) fn new(written: &'w Written<'w>) -> Instances<'w> {
        Instances {
            written,
            found: false,
            has_collections: false,
            short: Vec::new(),
            partial: Vec::new(),
            is_lost: false,
            covered: FxHashSet::default(),
            nodes: 0,
            known: FxHashMap::default(),
        }
    }

    /// Whether the axioms do not say which values some of the variables can have.
    pub(super) fn has_collections(&self) -> bool {
        self.has_collections
    }

    /// What has to be assumed for the instances to say everything that they are expected to.
    pub(super) fn short(&self, terms: &Terms) -> Vec<Term> {
        self.short.iter().map(|(_, short)| *short).filter(|short| terms.is_closed(*short)).collect()
    }

    /// Quantifiers that are known under such assumptions.
    pub(super) fn with_ranges(&self) -> Vec<Term> {
        self.short.iter().map(|(quantifier, _)| *quantifier).collect()
    }

    /// The bodies of quantifiers of which the instances say everything.
    pub(super) fn covered(&self) -> &FxHashSet<Term> {
        &self.covered
    }

    /// Whether there was any such quantifier.
    pub(super) fn found(&self) -> bool {
        self.found
    }

    /// Quantifiers of which the instances do not say everything; none if some of them cannot be named.
    pub(super) fn partial(&self) -> Option<&[Term]> {
        (!self.is_lost).then_some(&self.partial[..])
    }

    /// An equivalent term that the solver can do more with.
    pub(super) fn add_to(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.walk(terms, term, 0).full
    }

    /// The same for what follows from the rest: it does not matter whether everything is known of it.
    pub(super) fn add_to_lemma(&mut self, terms: &mut Terms, term: Term) -> Term {
        let (shorts, partials) = (self.short.len(), self.partial.len());
        let (has_collections, is_lost) = (self.has_collections, self.is_lost);
        let full = self.add_to(terms, term);
        self.short.truncate(shorts);
        self.partial.truncate(partials);
        (self.has_collections, self.is_lost) = (has_collections, is_lost);
        full
    }

    fn walk(&mut self, terms: &mut Terms, term: Term, depth: usize) -> Image {
        if let Some(done) = self.known.get(&term) {
            return *done;
        }
        if depth > limits::WITNESS_DEPTH {
            if mentions_unseen(terms, term) {
                self.found = true;
                self.is_lost = true;
            }
            return Image { full: term, plain: term };
        }
        let done = self.walk_into(terms, term, depth);
        self.known.insert(term, done);
        done
    }

    fn walk_into(&mut self, terms: &mut Terms, term: Term, depth: usize) -> Image {
        let mut parts = |terms: &mut Terms, parts: &[Term], build: &dyn Fn(&mut Terms, &[Term]) -> Term| {
            let images: Vec<Image> = parts.iter().map(|part| self.walk(terms, *part, depth + 1)).collect();
            let mut rebuild = |images: Vec<Term>| match images[..] == *parts {
                true => term,
                false => build(terms, &images),
            };
            Image {
                full: rebuild(images.iter().map(|image| image.full).collect()),
                plain: rebuild(images.iter().map(|image| image.plain).collect()),
            }
        };
        match terms.node(term).clone() {
            Node::Operation(operator, operands) => {
                parts(terms, &operands, &|terms, images| terms.operate(operator, images))
            }
            Node::Apply(function, arguments) => {
                parts(terms, &arguments, &|terms, images| terms.apply(function, images))
            }
            Node::Quantified(quantifier) => {
                let body = self.walk(terms, quantifier.body, depth + 1);
                let whole = Image {
                    full: with_body(terms, term, &quantifier, body.full),
                    plain: with_body(terms, term, &quantifier, body.plain),
                };
                let is_written = !quantifier.triggers.is_empty() && self.written.is_written(&quantifier);
                if is_written || is_unseen(terms, &quantifier) || self.written.is_doubtful(terms, &quantifier)
                {
                    self.found = true;
                    self.has_collections |= !self.written.has_plain_variables(terms, &quantifier);
                    self.with_instances(terms, term, &quantifier, whole, body)
                } else {
                    let inside = self.short_inside(terms, &quantifier);
                    self.keep_short_wherever(terms, term, &quantifier, inside);
                    self.wider_if_asked_for(terms, term, &quantifier, whole, body)
                }
            }
            _ => Image { full: term, plain: term },
        }
    }

    /// What the encoding says with the patterns of the program's author, with more of them.
    fn wider_if_asked_for(
        &mut self,
        terms: &mut Terms,
        original: Term,
        quantifier: &Quantifier,
        whole: Image,
        body: Image,
    ) -> Image {
        if !self.written.has_written_patterns(quantifier) {
            return whole;
        }
        let outer: Vec<Bound> = terms.free_variables(original).to_vec();
        let Some(wider) = wider(terms, quantifier, body.full, &outer) else { return whole };
        self.found = true;
        let full = match quantifier.kind {
            QuantifierKind::Forall => terms.and(whole.full, wider),
            QuantifierKind::Exists => terms.or(whole.full, wider),
        };
        Image { full, plain: whole.plain }
    }

    /// What has to be assumed about variables of a quantifier for what is inside of it.
    fn short_inside(&self, terms: &Terms, quantifier: &Quantifier) -> Vec<Term> {
        let mentions = |short: &Term| {
            terms.free_variables(*short).iter().any(|free| quantifier.variables.contains(free))
        };
        if !self.short.iter().any(|(_, short)| mentions(short)) {
            return Vec::new();
        }
        let parts: FxHashSet<Term> = terms.reachable(&[quantifier.body]).into_iter().collect();
        let inside = self.short.iter().filter(|(part, short)| parts.contains(part) && mentions(short));
        inside.map(|(_, short)| *short).collect()
    }

    /// Assumes it wherever the triggers of the quantifier lead to.
    fn keep_short_wherever(
        &mut self,
        terms: &mut Terms,
        original: Term,
        quantifier: &Quantifier,
        inside: Vec<Term>,
    ) {
        if inside.is_empty() {
            return;
        }
        self.is_lost |= quantifier.triggers.is_empty();
        let everywhere = Quantifier { kind: QuantifierKind::Forall, ..quantifier.clone() };
        for short in inside {
            let short = with_body(terms, original, &everywhere, short);
            self.short.push((original, short));
        }
    }

    fn with_instances(
        &mut self,
        terms: &mut Terms,
        original: Term,
        quantifier: &Quantifier,
        whole: Image,
        body: Image,
    ) -> Image {
        let outer: Vec<Bound> = terms.free_variables(original).to_vec();
        let (mut full, mut plain) = (vec![whole.full], Vec::new());
        full.extend(wider(terms, quantifier, body.full, &outer));
        // Whether the instances say everything; or else, whether they do where ranges are short.
        let (mut is_complete, mut is_covered) = (true, true);
        let inside = self.short_inside(terms, quantifier);
        let (most, most_values) = match quantifier.variables.len() {
            1 => (limits::SHORT_RANGE, limits::WITNESS_VALUES),
            _ => (limits::SHORT_RANGE_OF_MANY, limits::WITNESS_VALUES_OF_MANY),
        };
        let mut assumed: Vec<Term> = Vec::new();
        let mut work =
            vec![Choice { image: body, open: quantifier.variables.to_vec(), short: inside.clone() }];
        while let Some(Choice { image, open, mut short }) = work.pop() {
            if open.is_empty() {
                full.push(image.full);
                plain.push(image.plain);
                assumed.extend(short);
                continue;
            }
            if self.nodes > limits::WITNESS_NODES || full.len() + work.len() > limits::WITNESS_CHOICES {
                (is_complete, is_covered) = (false, false);
                break;
            }
            let mut found = exact_values(terms, quantifier.kind, image.plain, &open, &outer);
            if found.is_none() {
                is_complete = false;
                let range = range_of(terms, quantifier.kind, image.plain, &open, &outer);
                is_covered &= range.is_some();
                found = match range {
                    Some(range) => {
                        let (is_short, mut first) = first_values(terms, range.first, range.last, most);
                        short.push(is_short);
                        let others = values(terms, range.variable, image.plain, &outer);
                        let others: Vec<Term> = others.into_iter().filter(|it| !first.contains(it)).collect();
                        first.extend(others);
                        first.truncate(most_values);
                        Some((range.variable, first))
                    }
                    None => likely_values(terms, image.plain, &open, &outer),
                };
            }
            let Some((variable, mut values)) = found else { continue };
            if values.len() > limits::WITNESS_VALUES {
                (is_complete, is_covered) = (false, false);
                values.truncate(limits::WITNESS_VALUES);
            }
            let others: Vec<Bound> = open.into_iter().filter(|other| *other != variable).collect();
            for value in values.into_iter().rev() {
                let mut put = |body: Term| terms.substitute_bound(body, &[(variable, value)]);
                let image = Image { full: put(image.full), plain: put(image.plain) };
                let short = short.iter().map(|short| put(*short)).collect();
                self.nodes += u64::from(terms.size(image.full)) + u64::from(terms.size(image.plain));
                work.push(Choice { image, open: others.clone(), short });
            }
        }
        // Where there are triggers, the solver does look at it, as at all others, if they are good ones: then nothing has
        // to be assumed for the instances.
        let is_looked_at = !quantifier.triggers.is_empty() && !self.written.is_weak(terms, quantifier);
        if is_complete || (is_covered && !is_looked_at) {
            self.covered.insert(quantifier.body);
            self.short.extend(assumed.into_iter().map(|short| (original, short)));
        } else {
            self.keep_short_wherever(terms, original, quantifier, inside);
        }
        if !is_complete && !is_covered && !is_looked_at {
            // What is inside and depends on the variables is not decided by saying whether the whole is true.
            let depends = |part: &Term| {
                terms.free_variables(*part).iter().any(|free| quantifier.variables.contains(free))
            };
            let inside = terms.reachable(&[quantifier.body]);
            self.is_lost |= inside.iter().any(|part| self.partial.contains(part) && depends(part));
            self.partial.push(original);
        }
        let mut join = |parts: Vec<Term>| match quantifier.kind {
            QuantifierKind::Forall => terms.all(parts),
            QuantifierKind::Exists => terms.any(parts),
        };
        let full = join(full);
        Image { full, plain: if is_complete { join(plain) } else { full } }
    }
}

/// Whether a range is short, and the values that it has then.
fn first_values(terms: &mut Terms, first: Term, last: Term, most: i64) -> (Term, Vec<Term>) {
    let values: Vec<Term> = (0..most)
        .map(|offset| {
            let offset = terms.int(offset);
            terms.add(first, offset)
        })
        .collect();
    let end = terms.int(most);
    let end = terms.add(first, end);
    (terms.less(last, end), values)
}

/// The quantifier with another body.
pub(super) fn with_body(terms: &mut Terms, original: Term, quantifier: &Quantifier, body: Term) -> Term {
    if body == quantifier.body {
        return original;
    }
    let triggers: Vec<Vec<Term>> = quantifier.triggers.iter().map(|trigger| trigger.to_vec()).collect();
    let Quantifier { kind, variables, name, weight, .. } = quantifier;
    terms.quantify(*kind, variables, &triggers, body, name, *weight)
}

/// Whether there is a quantifier in a term that the solver never looks at.
pub(super) fn mentions_unseen(terms: &Terms, term: Term) -> bool {
    terms.reachable(&[term]).iter().any(|part| match terms.node(*part) {
        Node::Quantified(quantifier) => is_unseen(terms, quantifier),
        _ => false,
    })
}

/// A variable and all its values that matter, which may mention the others; the one with the fewest.
fn exact_values(
    terms: &mut Terms,
    kind: QuantifierKind,
    body: Term,
    open: &[Bound],
    outer: &[Bound],
) -> Option<(Bound, Vec<Term>)> {
    let mut best: Option<(Bound, Vec<Term>)> = None;
    for variable in open {
        let others = open.iter().filter(|other| *other != variable);
        let visible: Vec<Bound> = outer.iter().chain(others).copied().collect();
        if !is_exact(terms, kind, body, *variable, &visible) {
            continue;
        }
        let variable_term = terms.bound(*variable);
        let is_integer = terms.sort_of(variable_term) == terms.int_sort();
        let values = if is_integer {
            let found = borders(terms, *variable, body, &visible);
            or_zero(terms, found)
        } else {
            values(terms, *variable, body, &visible)
        };
        let is_better = best.as_ref().is_none_or(|(_, others)| values.len() < others.len());
        if is_better && !values.is_empty() {
            best = Some((*variable, values));
        }
    }
    best
}

/// A variable and values for it that may be of use. A variable whose values mention another one comes after it.
fn likely_values(
    terms: &mut Terms,
    body: Term,
    open: &[Bound],
    outer: &[Bound],
) -> Option<(Bound, Vec<Term>)> {
    let mut candidates = open.iter().map(|variable| (*variable, values(terms, *variable, body, outer)));
    if let Some(found) = candidates.find(|(_, values)| !values.is_empty()) {
        return Some(found);
    }
    // No sort is empty: there is some value, whatever it is.
    let variable = *open.first()?;
    let sort = terms.bound_sort(variable);
    Some((variable, vec![terms.fresh_constant("some", sort)]))
}

/// Whether no trigger gives values to all of the variables: some variable is the argument of nothing, or there are
/// triggers, but nothing in the body is about them.
fn is_unseen(terms: &Terms, quantifier: &Quantifier) -> bool {
    let parts = terms.reachable(&[quantifier.body]);
    let is_argument = |variable: &Bound| {
        parts.iter().any(|part| {
            terms.as_application(*part).is_some() && terms.free_variables(*part).contains(variable)
        })
    };
    match quantifier.triggers.is_empty() {
        true => !quantifier.variables.iter().all(is_argument),
        false => !quantifier.variables.iter().any(is_argument),
    }
}

/// Whether the values of [`borders`], or of [`values`], are all that matter: the body does nothing with the variable but
/// compare it; if it is no integer, it says something only about those that it is equal to.
fn is_exact(terms: &mut Terms, kind: QuantifierKind, body: Term, variable: Bound, visible: &[Bound]) -> bool {
    let variable_term = terms.bound(variable);
    let sort = terms.sort_of(variable_term);
    if sort == terms.bool_sort() {
        return true;
    }
    if sort != terms.int_sort() {
        return says_nothing_else(terms, kind, body, variable, visible);
    }
    let mut work = vec![body];
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    while let Some(part) = work.pop() {
        if !terms.free_variables(part).contains(&variable) || !seen.insert(part) {
            continue;
        }
        match terms.node(part).clone() {
            Node::Operation(operator, operands) => {
                let is_comparison =
                    matches!(operator, Operator::Equal | Operator::Less | Operator::LessEqual);
                if is_comparison
                    && let [left, right] = operands[..]
                    && terms.sort_of(left) == sort
                    && let Some((_, rest)) = border(terms, variable, left, right)
                {
                    // A border that depends on what is bound further inside is none.
                    if !is_visible(terms, rest, visible) {
                        return false;
                    }
                    continue;
                }
                work.extend(operands.iter());
            }
            // What is applied to values that only change where comparisons do changes nowhere else.
            Node::Apply(_, arguments) => work.extend(arguments.iter()),
            _ => return false,
        }
    }
    true
}

/// Whether the body is true (of all) or false (of some) whatever a variable is that is equal to none of the others.
fn says_nothing_else(
    terms: &mut Terms,
    kind: QuantifierKind,
    body: Term,
    variable: Bound,
    visible: &[Bound],
) -> bool {
    let variable_term = terms.bound(variable);
    let equations: Vec<Term> = terms
        .reachable(&[body])
        .into_iter()
        .filter(|part| match terms.as_operation(*part) {
            Some((Operator::Equal, [left, right])) => {
                *left == variable_term && is_visible(terms, *right, visible)
                    || *right == variable_term && is_visible(terms, *left, visible)
            }
            _ => false,
        })
        .collect();
    let never = terms.false_();
    let replacements = equations.into_iter().map(|equation| (equation, never)).collect();
    let rest = terms.substitute(body, &replacements);
    match kind {
        QuantifierKind::Forall => terms.is_true(rest),
        QuantifierKind::Exists => terms.is_false(rest),
    }
}

/// Values for a variable: closed parts of the body (`outer` are variables that are bound further out), and where its
/// comparisons change.
fn values(terms: &mut Terms, variable: Bound, body: Term, outer: &[Bound]) -> Vec<Term> {
    let variable_term = terms.bound(variable);
    let sort = terms.sort_of(variable_term);
    if sort == terms.bool_sort() {
        return vec![terms.true_(), terms.false_()];
    }
    let parts = terms.reachable(&[body]);
    let mut found = if sort == terms.int_sort() { borders(terms, variable, body, outer) } else { Vec::new() };
    found.extend(
        parts.iter().copied().filter(|part| terms.sort_of(*part) == sort && is_visible(terms, *part, outer)),
    );
    if sort == terms.int_sort() {
        found = or_zero(terms, found);
    }
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    found.retain(|value| seen.insert(*value));
    found
}

/// Whether a term mentions no bound variables but these.
pub(super) fn is_visible(terms: &Terms, term: Term, variables: &[Bound]) -> bool {
    terms.free_variables(term).iter().all(|free| variables.contains(free))
}

fn or_zero(terms: &mut Terms, values: Vec<Term>) -> Vec<Term> {
    if values.is_empty() { vec![terms.int(0)] } else { values }
}
