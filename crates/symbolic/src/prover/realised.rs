//! Whether there are values everywhere for what is said of all values.
//!
//! A solver that is done has values for the terms that occur. Elsewhere values have to be found for what universals say of
//! each point by itself: `g(i) >= i` for all `i` leaves a value for `g` at every `i`, and beside `g(i) <= 7` it does not.
//! So what is said of one point is put as a question: for every point, are there values of the functions? That is without
//! functions, and mostly arithmetic with one change of quantifiers, for which instances are enough (`witness.rs`).
//!
//! Collections are finite. Whatever is said of members has to be true, but for finitely many points, of things that are no
//! members.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, BigInt, Bound, Node, Operator, QuantifierKind, Sort, Term, Terms};

use super::Prover;
use super::borders::border;
use super::reach::reached;
use super::together::{Universal, has_any, is_number};
use super::witness::Instances;
use super::written::{Head, Written};
use crate::limits;

/// Universals for which there may be no values.
pub(super) struct Unrealised {
    /// The bodies of their quantifiers.
    pub sources: Vec<Term>,
    /// What one of them is called in messages.
    pub text: String,
}

/// Universals about the same functions, at one point.
struct Group<'u> {
    members: Vec<Term>,
    bodies: Vec<Term>,
    /// What functions give at the point.
    values: Vec<Term>,
    /// The coordinates of the point.
    point: Vec<Term>,
    /// Whether all functions are applied to the whole point.
    is_pointwise: bool,
    /// Whether more is said than what instances tell.
    is_fixed: bool,
    universals: Vec<&'u Universal>,
}

impl Prover {
    /// Universals for which there may be no values somewhere; `None` if there are some for all of them.
    pub(super) fn not_realised(
        &mut self,
        terms: &mut Terms,
        written: &Written<'_>,
        universals: &[&Universal],
        (known, wanted): (&[Term], Term),
    ) -> Option<Unrealised> {
        let first = universals.first()?;
        let references = references(terms, written, known);
        let somewhere: Vec<Term> =
            universals.iter().map(|universal| somewhere(terms, universal, &references)).collect();
        let facts = [known, &somewhere].concat();
        if self.ask_soon(terms, &facts, wanted) == Answer::Unsat {
            let sources = universals.iter().flat_map(|universal| universal.sources.clone()).collect();
            return Some(Unrealised { sources, text: first.text(terms, written) });
        }
        let elsewhere: Vec<&Universal> =
            universals.iter().copied().filter(|it| !is_about_members(terms, written, it)).collect();
        for group in groups(terms, written, &elsewhere) {
            if !self.is_realised(terms, written, &group, known, &references) {
                let sources = group.universals.iter().flat_map(|it| it.sources.clone()).collect();
                let text = group.universals.first().map_or_else(String::new, |it| it.text(terms, written));
                return Some(Unrealised { sources, text });
            }
        }
        None
    }

    fn ask_soon(&mut self, terms: &Terms, known: &[Term], wanted: Term) -> Answer {
        self.leave_path();
        self.session.remark("asked whether there are values everywhere");
        let budget = self.at_most(limits::SOON_RESOURCES);
        self.session.prove_from(terms, known, wanted, &budget)
    }

    fn is_realised(
        &mut self,
        terms: &mut Terms,
        written: &Written<'_>,
        group: &Group<'_>,
        known: &[Term],
        references: &[Term],
    ) -> bool {
        if !group.is_fixed && group.members.is_empty() {
            return true;
        }
        if group.is_fixed && !group.is_pointwise {
            return false;
        }
        let body = terms.all(group.bodies.iter().copied());
        let mut goals: Vec<Term> = Vec::new();
        if group.is_fixed {
            let all: Vec<Term> = group.values.iter().chain(&group.members).copied().collect();
            let are_there = there_are_or_others(terms, written, &all, body);
            let is_new = is_new(terms, &group.point, body, references);
            goals.push(terms.implies(is_new, are_there));
        }
        let apart = if group.is_fixed { Some(apart(terms, group, body)) } else { None };
        if !group.members.is_empty() {
            let none = none_of(terms, &group.members, body);
            let values: &[Term] = if group.is_pointwise { &group.values } else { &[] };
            let none = there_are(terms, values, none);
            let beyond = beyond(terms, group, body);
            goals.push(terms.implies(beyond, none));
        }
        let mut instances = Instances::new(written);
        goals.into_iter().all(|goal| {
            let goal = instances.add_to(terms, goal);
            self.ask_without_universals(terms, written, known, goal) == Answer::Unsat
        }) && apart.is_none_or(|(goals, said)| {
            let known = [known, &said].concat();
            goals.into_iter().all(|goal| self.ask_soon(terms, &known, goal) == Answer::Unsat)
        })
    }

    /// Asks without what somebody says of all values: whether there are values for that is what is to be known.
    fn ask_without_universals(
        &mut self,
        terms: &Terms,
        written: &Written<'_>,
        known: &[Term],
        wanted: Term,
    ) -> Answer {
        let is_universal = |part: &Term| match terms.node(*part) {
            Node::Quantified(quantifier) => written.is_of_author(quantifier),
            _ => false,
        };
        let is_said = |fact: Term| terms.reachable(&[fact]).iter().any(is_universal);
        let mut facts: Vec<Term> = known.iter().copied().filter(|fact| !is_said(*fact)).collect();
        let roots: Vec<Term> = facts.iter().copied().chain([wanted]).collect();
        let mut axioms = reached(terms, &self.axioms, &roots);
        axioms.retain(|axiom| match terms.node(*axiom) {
            Node::Quantified(it) => !written.is_of_author(it) && !written.is_known_by_contract(terms, it),
            _ => true,
        });
        facts.extend(axioms);
        self.session.remark("asked whether there are values everywhere");
        let budget = self.at_most(limits::SOON_RESOURCES);
        self.by_values.prove(&self.session, terms, &facts, wanted, &budget)
    }
}

/// References that facts speak of by a name of their own.
fn references(terms: &Terms, written: &Written<'_>, known: &[Term]) -> Vec<Term> {
    let mut found = terms.reachable(known);
    found.retain(|part| {
        let is_constant = terms.as_application(*part).is_some_and(|(_, arguments)| arguments.is_empty());
        is_constant && written.is_reference_sort(terms, terms.sort_of(*part))
    });
    found.truncate(limits::REFERENCES_IN_SIGHT);
    found
}

/// Whether a universal says nothing but of members of collections: these are the ones that occur.
fn is_about_members(terms: &mut Terms, written: &Written<'_>, universal: &Universal) -> bool {
    let mut members = universal.applications(terms, written);
    members.retain(|part| written.is_membership(terms, *part));
    let said = none_of(terms, &members, universal.body);
    terms.is_true(said)
}

/// What a universal says of some values, the same for all variables of a sort, and of all things that it mentions.
fn somewhere(terms: &mut Terms, universal: &Universal, references: &[Term]) -> Term {
    let mut chosen: FxHashMap<Sort, Term> = FxHashMap::default();
    let mut values: Vec<(Bound, Term)> = Vec::new();
    for variable in &universal.variables {
        let sort = terms.bound_sort(*variable);
        let value = *chosen.entry(sort).or_insert_with(|| terms.fresh_constant("some", sort));
        values.push((*variable, value));
    }
    let mut found = vec![terms.substitute_bound(universal.body, &values)];
    if let [variable] = universal.variables[..]
        && !is_number(terms, terms.bound_sort(variable))
    {
        let sort = terms.bound_sort(variable);
        let mut mentioned = terms.reachable(&[universal.body]);
        mentioned.extend(references);
        mentioned.retain(|part| terms.sort_of(*part) == sort && terms.is_closed(*part));
        for part in mentioned {
            found.push(terms.substitute_bound(universal.body, &[(variable, part)]));
        }
    }
    terms.all(found)
}

/// The universals by the functions that they speak of.
fn groups<'u>(terms: &mut Terms, written: &Written<'_>, universals: &[&'u Universal]) -> Vec<Group<'u>> {
    let heads: Vec<FxHashSet<Head>> = universals
        .iter()
        .map(|universal| {
            let all = universal.sides(terms, written, &[universal.body]).applications;
            let all = all.into_iter().filter(|it| !written.is_membership(terms, *it));
            all.filter_map(|it| written.head(terms, it)).collect()
        })
        .collect();
    let mut group_of: Vec<usize> = (0..universals.len()).collect();
    for one in 0..universals.len() {
        for other in 0..one {
            if !heads[one].is_disjoint(&heads[other]) && group_of[one] != group_of[other] {
                let (from, to) = (group_of[one], group_of[other]);
                group_of.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    let mut found: Vec<Group<'u>> = Vec::new();
    for first in 0..universals.len() {
        let members: Vec<&'u Universal> =
            (first..universals.len()).filter(|at| group_of[*at] == first).map(|at| universals[at]).collect();
        if !members.is_empty() {
            found.push(group(terms, written, &members));
        }
    }
    found
}

/// Universals at one point: those after the first are put where a function is applied to the same as before.
fn group<'u>(terms: &mut Terms, written: &Written<'_>, universals: &[&'u Universal]) -> Group<'u> {
    let mut group = Group {
        members: Vec::new(),
        bodies: Vec::new(),
        values: Vec::new(),
        point: Vec::new(),
        is_pointwise: true,
        is_fixed: false,
        universals: universals.to_vec(),
    };
    let mut waiting: Vec<&Universal> = universals.to_vec();
    while !waiting.is_empty() {
        // Whoever shares a function with those before comes next.
        let next = waiting
            .iter()
            .position(|universal| !placed(terms, written, universal, &group.values).is_empty())
            .unwrap_or(0);
        let universal = waiting.remove(next);
        let mut place = placed(terms, written, universal, &group.values);
        for variable in &universal.variables {
            if !place.iter().any(|(known, _)| known == variable) {
                // It has a coordinate of its own; with others before, these do not have it.
                group.is_pointwise &= group.bodies.is_empty();
                let sort = terms.bound_sort(*variable);
                let value = terms.fresh_constant("some", sort);
                group.point.push(value);
                place.push((*variable, value));
            }
        }
        let sides = universal.sides(terms, written, &[universal.body]);
        group.is_pointwise &= sides.applications.iter().all(|part| {
            let free = terms.free_variables(*part);
            written.is_membership(terms, *part) || universal.variables.iter().all(|it| free.contains(it))
        });
        group.is_fixed |= is_fixed(terms, written, universal);
        for part in sides.applications {
            let here = terms.substitute_bound(part, &place);
            let all = if written.is_membership(terms, part) { &mut group.members } else { &mut group.values };
            if !all.contains(&here) {
                all.push(here);
            }
        }
        let body = terms.substitute_bound(universal.body, &place);
        group.bodies.push(body);
    }
    group
}

/// Where the variables of a universal are if one of its functions is applied as in one of the values.
fn placed(
    terms: &Terms,
    written: &Written<'_>,
    universal: &Universal,
    values: &[Term],
) -> Vec<(Bound, Term)> {
    let sides = universal.sides(terms, written, &[universal.body]);
    for part in &sides.applications {
        for value in values {
            let mut place: Vec<(Bound, Term)> = Vec::new();
            if matches(terms, *part, *value, &universal.variables, &mut place) && !place.is_empty() {
                return place;
            }
        }
    }
    Vec::new()
}

/// Whether a term is another one with values for variables.
fn matches(
    terms: &Terms,
    pattern: Term,
    term: Term,
    variables: &[Bound],
    place: &mut Vec<(Bound, Term)>,
) -> bool {
    if !has_any(terms, pattern, variables) {
        // Two that are the same but for what is fixed are the same point of different functions.
        return terms.sort_of(pattern) == terms.sort_of(term);
    }
    match (terms.node(pattern), terms.node(term)) {
        (Node::Bound(variable), _) => match place.iter().find(|(known, _)| known == variable) {
            Some((_, value)) => *value == term,
            None => {
                place.push((*variable, term));
                true
            }
        },
        (Node::Apply(one, left), Node::Apply(other, right)) => {
            one == other
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|(left, right)| matches(terms, *left, *right, variables, place))
        }
        _ => false,
    }
}

/// Whether a universal says what values have to do with the variables, or which values there are at all.
fn is_fixed(terms: &Terms, written: &Written<'_>, universal: &Universal) -> bool {
    let is_other = |variable: &Bound| {
        let sort = terms.bound_sort(*variable);
        !is_number(terms, sort) && sort != terms.bool_sort()
    };
    !universal.pinned(terms, written).is_empty()
        || universal
            .atoms(terms)
            .iter()
            .any(|(_, _, operands)| universal.sides(terms, written, operands).variables.iter().any(is_other))
        || terms.reachable(&[universal.body]).iter().any(|part| {
            // A condition by the laws of collections, such as `3 in s` of all `s`.
            terms.as_application(*part).is_some()
                && terms.sort_of(*part) == terms.bool_sort()
                && universal.sides(terms, written, &[*part]).variables.iter().any(is_other)
        })
}

/// The same where it is known, too, that there are more references than those that are mentioned.
fn there_are_or_others(terms: &mut Terms, written: &Written<'_>, applications: &[Term], body: Term) -> Term {
    let are_there = there_are(terms, applications, body);
    let is_reference = |terms: &Terms, term: Term| written.is_reference_sort(terms, terms.sort_of(term));
    let (references, rest): (Vec<Term>, Vec<Term>) =
        applications.iter().partition(|application| is_reference(terms, **application));
    if references.is_empty() {
        return are_there;
    }
    let mut mentioned = terms.reachable(&[body]);
    mentioned.retain(|part| is_reference(terms, *part) && terms.is_closed(*part));
    mentioned.retain(|part| !references.contains(part));
    let mut replacements: FxHashMap<Term, Term> = FxHashMap::default();
    let mut are_others: Vec<Term> = Vec::new();
    for reference in references {
        let other = terms.fresh_constant("some", terms.sort_of(reference));
        are_others.extend(mentioned.iter().map(|known| terms.not_equal(other, *known)));
        mentioned.push(other);
        replacements.insert(reference, other);
    }
    let body = terms.substitute(body, &replacements);
    let with_others = there_are(terms, &rest, body);
    let are_others = terms.all(are_others);
    let found = terms.or(are_there, with_others);
    terms.implies(are_others, found)
}

/// That the coordinates of a point are none of the things that are mentioned; numbers may be any.
fn is_new(terms: &mut Terms, point: &[Term], body: Term, references: &[Term]) -> Term {
    let mut parts = terms.reachable(&[body]);
    parts.extend(references);
    let is_about_point =
        |terms: &Terms, part: Term| terms.reachable(&[part]).iter().any(|it| point.contains(it));
    let mut found: Vec<Term> = Vec::new();
    for coordinate in point {
        let sort = terms.sort_of(*coordinate);
        if is_number(terms, sort) || sort == terms.bool_sort() {
            continue;
        }
        for part in &parts {
            if terms.sort_of(*part) == sort && terms.is_closed(*part) && !is_about_point(terms, *part) {
                found.push(terms.not_equal(*coordinate, *part));
            }
        }
    }
    terms.all(found)
}

/// That there are values for functions at a point.
fn there_are(terms: &mut Terms, applications: &[Term], body: Term) -> Term {
    let mut variables: Vec<Bound> = Vec::new();
    let mut replacements: FxHashMap<Term, Term> = FxHashMap::default();
    for application in applications {
        let sort = terms.sort_of(*application);
        let variable = terms.fresh_bound("value", sort);
        variables.push(variable);
        replacements.insert(*application, terms.bound(variable));
    }
    if variables.is_empty() {
        return body;
    }
    // The same function of the same arguments has one value.
    let mut same: Vec<Term> = Vec::new();
    for (index, one) in applications.iter().enumerate() {
        for other in &applications[..index] {
            let Some(are_same) = arguments_equal(terms, *one, *other) else { continue };
            let values = terms.equal(replacements[one], replacements[other]);
            same.push(terms.implies(are_same, values));
        }
    }
    let body = terms.substitute(body, &replacements);
    let body = terms.all(same.into_iter().chain([body]));
    terms.quantify(QuantifierKind::Exists, &variables, &[], body, "values-at-a-point", None)
}

/// That two applications of one function have the same arguments.
fn arguments_equal(terms: &mut Terms, one: Term, other: Term) -> Option<Term> {
    let ((function, left), (other, right)) = (terms.as_application(one)?, terms.as_application(other)?);
    if function != other {
        return None;
    }
    let pairs: Vec<(Term, Term)> = left.iter().copied().zip(right.iter().copied()).collect();
    let equations: Vec<Term> = pairs.into_iter().map(|(left, right)| terms.equal(left, right)).collect();
    Some(terms.all(equations))
}

/// That applications of one function at different points have different arguments, or that the same is said of both; and what
/// is said of both points.
fn apart(terms: &mut Terms, group: &Group<'_>, body: Term) -> (Vec<Term>, Vec<Term>) {
    let mut elsewhere: FxHashMap<Term, Term> = FxHashMap::default();
    let mut is_here: Vec<Term> = Vec::new();
    for coordinate in &group.point {
        let sort = terms.sort_of(*coordinate);
        let other = terms.fresh_constant("some", sort);
        elsewhere.insert(*coordinate, other);
        is_here.push(terms.equal(*coordinate, other));
    }
    let is_here = terms.all(is_here);
    // Of points that are not apart, all that is said of one has to be said of the other: whatever that is, values for it do
    // for both.
    let mut ways = vec![is_here];
    for is_first in [true, false] {
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        for value in &group.values {
            let sort = terms.sort_of(*value);
            values.insert(*value, terms.fresh_constant("some", sort));
        }
        let here = terms.substitute(body, &values);
        let there = terms.substitute(here, &elsewhere);
        ways.push(if is_first { terms.implies(here, there) } else { terms.implies(there, here) });
    }
    let is_same_said = terms.any(ways);
    let mut goals: Vec<Term> = Vec::new();
    for (index, one) in group.values.iter().enumerate() {
        for other in &group.values[..=index] {
            let there = terms.substitute(*other, &elsewhere);
            let Some(are_same) = arguments_equal(terms, *one, there) else { continue };
            let enough = if one == other { is_same_said } else { is_here };
            let goal = terms.implies(are_same, enough);
            if !terms.is_true(goal) {
                goals.push(goal);
            }
        }
    }
    let there = terms.substitute(body, &elsewhere);
    (goals, vec![body, there])
}

/// What is said of a point that is no member of anything.
fn none_of(terms: &mut Terms, members: &[Term], body: Term) -> Term {
    let mut replacements: FxHashMap<Term, Term> = FxHashMap::default();
    for member in members {
        let is_condition = terms.sort_of(*member) == terms.bool_sort();
        let none = if is_condition { terms.false_() } else { terms.int(0) };
        replacements.insert(*member, none);
    }
    terms.substitute(body, &replacements)
}

/// That a point is one of all but finitely many: a number of it is smaller, or larger, than all that it is compared with.
fn beyond(terms: &mut Terms, group: &Group<'_>, body: Term) -> Term {
    if group.point.iter().any(|coordinate| terms.sort_of(*coordinate) != terms.int_sort()) {
        return terms.true_();
    }
    let comparisons: Vec<[Term; 2]> = terms
        .reachable(&[body])
        .into_iter()
        .filter_map(|part| match terms.as_operation(part) {
            Some((Operator::Equal | Operator::Less | Operator::LessEqual, &[left, right])) => {
                (terms.sort_of(left) == terms.int_sort()).then_some([left, right])
            }
            _ => None,
        })
        .collect();
    let mut ways: Vec<Term> = Vec::new();
    for coordinate in &group.point {
        let (mut above, mut below): (Vec<Term>, Vec<Term>) = (Vec::new(), Vec::new());
        let variable = terms.fresh_bound("number", terms.int_sort());
        let bound = terms.bound(variable);
        let one_point = [(*coordinate, bound)].into_iter().collect();
        for [left, right] in &comparisons {
            let (left, right) = (terms.substitute(*left, &one_point), terms.substitute(*right, &one_point));
            let Some((factor, rest)) = border(terms, variable, left, right) else { continue };
            let is_fixed = !terms.reachable(&[rest]).iter().any(|part| group.point.contains(part));
            if !is_fixed
                || !terms.is_closed(rest)
                || (factor != BigInt::from(1) && factor != BigInt::from(-1))
            {
                continue;
            }
            let at = if factor == BigInt::from(1) { terms.negate(rest) } else { rest };
            above.push(terms.less(at, *coordinate));
            below.push(terms.less(*coordinate, at));
        }
        ways.push(terms.all(above));
        ways.push(terms.all(below));
    }
    terms.any(ways)
}
