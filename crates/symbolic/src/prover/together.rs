//! What the universals of a question say together.
//!
//! Each of them may be known by its instances (`local.rs`), and still more follows from all of them: with `next(i) == i + 1`
//! for all `i`, a second one that says `f(next(i)) == f(i)` ties all values of `f` to each other. So the conditions of Ge and
//! de Moura ("Complete instantiation for quantified formulas in satisfiability modulo theories", 2009) are asked of all of
//! them at once: a function whose value is fixed by its argument is no free one in any of them, and where the values that
//! one universal makes are arguments of another (section 4, the sets of a position), that must come to an end.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Bound, Node, Operator, QuantifierKind, Sort, Term, Terms};

use super::witness::Instances;
use super::written::{Head, Written};

/// Something that is said of all values.
#[derive(Debug)]
pub(super) struct Universal {
    pub variables: Vec<Bound>,
    /// What is true of all of them; variables that are bound further out are replaced by constants.
    pub body: Term,
    /// The bodies of the quantifiers that it was made from, as they stand in the question.
    pub sources: Vec<Term>,
    /// Quantifiers that are left in it: of values that there are for each of the variables.
    choices: Vec<Term>,
}

/// What an atom is about, outside of the arguments of functions.
#[derive(Default)]
pub(super) struct Sides {
    pub variables: Vec<Bound>,
    pub applications: Vec<Term>,
}

/// The universals that facts assume and that a goal denies.
pub(super) fn universals(
    terms: &mut Terms,
    written: &Written<'_>,
    facts: &[Term],
    axioms: &[Term],
    goal: Term,
) -> Vec<Universal> {
    let mut found: Vec<Universal> = Vec::new();
    for fact in facts {
        gather(terms, written, *fact, Some(true), &mut found);
    }
    gather(terms, written, goal, Some(false), &mut found);
    for axiom in axioms {
        let Node::Quantified(quantifier) = terms.node(*axiom).clone() else { continue };
        if written.is_of_author(&quantifier) || written.is_known_by_contract(terms, &quantifier) {
            gather_all(terms, written, *axiom, Some(true), &mut found);
        } else if written.is_definition(&quantifier) {
            gather(terms, written, quantifier.body, None, &mut found);
        }
    }
    found
}

/// Looks for universals in a condition that is true, false, or (`None`) any of both.
fn gather(
    terms: &mut Terms,
    written: &Written<'_>,
    root: Term,
    truth: Option<bool>,
    found: &mut Vec<Universal>,
) {
    let mut work = vec![(root, truth)];
    let mut seen: FxHashSet<(Term, Option<bool>)> = FxHashSet::default();
    while let Some((part, truth)) = work.pop() {
        if terms.sort_of(part) != terms.bool_sort() || !seen.insert((part, truth)) {
            continue;
        }
        let Node::Quantified(quantifier) = terms.node(part).clone() else {
            work.extend(below(terms, part, truth));
            continue;
        };
        let is_universal = truth.is_none_or(|truth| truth == (quantifier.kind == QuantifierKind::Forall));
        // That there is no collection of some kind is asked elsewhere.
        let is_known = quantifier.kind == QuantifierKind::Forall
            || quantifier.variables.iter().all(|it| written.is_plain_sort(terms, terms.bound_sort(*it)));
        if is_universal && is_known && written.is_of_author(&quantifier) {
            gather_all(terms, written, part, truth, found);
        } else {
            // Its variables are some values, or all those of something that nobody wrote.
            work.push((quantifier.body, truth));
        }
    }
}

/// The parts of a condition that are conditions, with what they are if it is true, false, or any.
fn below(terms: &Terms, part: Term, truth: Option<bool>) -> Vec<(Term, Option<bool>)> {
    let denied = truth.map(|truth| !truth);
    match terms.as_operation(part) {
        Some((Operator::Not, operands)) => operands.iter().map(|it| (*it, denied)).collect(),
        Some((Operator::And | Operator::Or, operands)) => operands.iter().map(|it| (*it, truth)).collect(),
        Some((Operator::Implies, &[left, right])) => vec![(left, denied), (right, truth)],
        Some((Operator::IfThenElse, &[condition, then, otherwise])) => {
            vec![(condition, None), (then, truth), (otherwise, truth)]
        }
        Some((Operator::Equal, operands)) => operands.iter().map(|it| (*it, None)).collect(),
        _ => Vec::new(),
    }
}

/// A universal, with those inside of it as one.
fn gather_all(
    terms: &mut Terms,
    written: &Written<'_>,
    root: Term,
    truth: Option<bool>,
    found: &mut Vec<Universal>,
) {
    let Node::Quantified(outer) = terms.node(root).clone() else { return };
    let outside = terms.free_variables(root).to_vec();
    let mut universal = Universal {
        variables: outer.variables.to_vec(),
        body: outer.body,
        sources: vec![outer.body],
        choices: Vec::new(),
    };
    let holds = outer.kind == QuantifierKind::Forall;
    let mut inside: Vec<(Term, Option<bool>)> = vec![(outer.body, truth.map(|_| holds))];
    let mut seen: FxHashSet<(Term, Option<bool>)> = FxHashSet::default();
    let mut opened: FxHashMap<Term, Term> = FxHashMap::default();
    while let Some((part, truth)) = inside.pop() {
        if terms.sort_of(part) != terms.bool_sort() || !seen.insert((part, truth)) {
            continue;
        }
        let Node::Quantified(inner) = terms.node(part).clone() else {
            inside.extend(below(terms, part, truth));
            continue;
        };
        if truth == Some(inner.kind == QuantifierKind::Forall) {
            universal.variables.extend(inner.variables.iter());
            universal.sources.push(inner.body);
            opened.insert(part, inner.body);
            inside.push((inner.body, truth));
        } else {
            universal.sources.push(inner.body);
            if written.is_of_author(&inner) && has_any(terms, part, &universal.variables) {
                universal.choices.push(part);
            }
        }
    }
    for _ in 0..opened.len() {
        universal.body = terms.substitute(universal.body, &opened);
    }
    universal.body = with_constants(terms, &outside, universal.body);
    if !holds {
        universal.body = terms.not(universal.body);
    }
    found.push(universal);
}

/// With some values for variables.
fn with_constants(terms: &mut Terms, variables: &[Bound], body: Term) -> Term {
    let values: Vec<(Bound, Term)> = variables
        .iter()
        .map(|variable| {
            let sort = terms.bound_sort(*variable);
            (*variable, terms.fresh_constant("some", sort))
        })
        .collect();
    terms.substitute_bound(body, &values)
}

impl Universal {
    /// Whether all quantifiers that it was made from are among those with these bodies.
    pub(super) fn is_among(&self, bodies: &FxHashSet<Term>) -> bool {
        self.sources.iter().all(|source| bodies.contains(source))
    }

    /// Whether it may say how many references there are, or which members a collection has.
    pub(super) fn counts(&self, terms: &Terms, written: &Written<'_>) -> bool {
        let is_compared = |variable: &Bound| {
            let sort = terms.bound_sort(*variable);
            !is_number(terms, sort) && sort != terms.bool_sort()
        };
        let parts = terms.reachable(&[self.body]);
        let is_about_member = |part: &Term| !terms.is_closed(*part) && written.is_membership(terms, *part);
        parts.iter().any(is_about_member)
            || self.atoms(terms).iter().any(|(_, _, operands)| {
                self.sides(terms, written, operands).variables.iter().any(is_compared)
            })
    }

    /// Whether it may put ever more members into a collection: those of which it says that there are some, or that it makes of
    /// others by the laws of numbers or data.
    pub(super) fn goes_on(&self, terms: &Terms, written: &Written<'_>) -> bool {
        let is_made = |part: &Term| match terms.as_application(*part) {
            Some((_, arguments)) if written.is_membership(terms, *part) => {
                arguments.iter().skip(1).any(|it| {
                    let is_bare = matches!(terms.node(*it), Node::Bound(_));
                    !is_bare && !self.sides(terms, written, &[*it]).variables.is_empty()
                })
            }
            _ => false,
        };
        self.counts(terms, written)
            && (!self.choices.is_empty()
                || terms.reachable(&[self.body]).iter().any(is_made)
                || self.passes_through_data(terms, written))
    }

    /// Whether it applies a function to data or truth values that belong to its variables: of these there may be fewer.
    fn passes_through_data(&self, terms: &Terms, written: &Written<'_>) -> bool {
        let is_between = |argument: &Term| {
            written.is_data_sort(terms, terms.sort_of(*argument))
                && terms.as_application(*argument).is_some()
                && has_any(terms, *argument, &self.variables)
        };
        self.applications(terms, written).into_iter().any(|part| {
            terms.as_application(part).is_some_and(|(_, arguments)| arguments.iter().any(is_between))
        })
    }

    /// What it is called in messages: by its variables, if these have the names that the program gives them.
    pub(super) fn text(&self, terms: &Terms, written: &Written<'_>) -> String {
        if !written.has_written_names() {
            return "a quantifier".to_string();
        }
        let names: Vec<&str> = self.variables.iter().map(|variable| terms.bound_name(*variable)).collect();
        format!("`forall {}`", names.join(", "))
    }

    /// Its comparisons of values that are no conditions.
    pub(super) fn atoms(&self, terms: &Terms) -> Vec<(Term, Operator, [Term; 2])> {
        let parts = terms.reachable(&[self.body]).into_iter();
        parts
            .filter_map(|part| match terms.as_operation(part) {
                Some((
                    operator @ (Operator::Equal | Operator::Less | Operator::LessEqual),
                    &[left, right],
                )) => (terms.sort_of(left) != terms.bool_sort()).then_some((part, operator, [left, right])),
                _ => None,
            })
            .filter(|(part, ..)| has_any(terms, *part, &self.variables))
            .collect()
    }

    /// What terms speak of outside of arguments of functions that are free: variables themselves, and values of functions.
    pub(super) fn sides(&self, terms: &Terms, written: &Written<'_>, roots: &[Term]) -> Sides {
        let mut sides = Sides::default();
        let mut work: Vec<Term> = roots.to_vec();
        // Terms share their parts, so each is looked at once.
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(part) = work.pop() {
            if !has_any(terms, part, &self.variables) || !seen.insert(part) {
                continue;
            }
            match terms.node(part) {
                Node::Bound(variable) => sides.variables.push(*variable),
                Node::Apply(..) if self.is_free(terms, written, part) => sides.applications.push(part),
                Node::Apply(_, parts) => work.extend(parts.iter()),
                Node::Operation(_, operands) => work.extend(operands.iter()),
                Node::Quantified(quantifier) => work.push(quantifier.body),
                _ => {}
            }
        }
        sides.applications.sort_unstable();
        sides.applications.dedup();
        sides.variables.sort_unstable();
        sides.variables.dedup();
        sides
    }

    /// All applications of free functions to something with variables.
    pub(super) fn applications(&self, terms: &Terms, written: &Written<'_>) -> Vec<Term> {
        let parts = terms.reachable(&[self.body]).into_iter();
        parts
            .filter(|part| has_any(terms, *part, &self.variables) && self.is_free(terms, written, *part))
            .collect()
    }

    /// Whether a term applies a function that can have any value; what is in a collection that is a variable, or made of
    /// variables, is what the laws of collections say.
    fn is_free(&self, terms: &Terms, written: &Written<'_>, part: Term) -> bool {
        let Some((function, arguments)) = terms.as_application(part) else { return false };
        let is_in_variable = || match arguments.first() {
            Some(collection) => !self.sides(terms, written, &[*collection]).variables.is_empty(),
            None => false,
        };
        written.is_free(terms, function) && (written.is_of_program(terms, function) || !is_in_variable())
    }

    /// Functions of which it says what their values have to do with their arguments.
    pub(super) fn pinned(&self, terms: &Terms, written: &Written<'_>) -> Vec<Head> {
        let mut found: Vec<Head> = Vec::new();
        let mut compares_variables = false;
        for (_, _, operands) in self.atoms(terms) {
            let sides = self.sides(terms, written, &operands);
            if !sides.variables.is_empty() {
                found.extend(sides.applications.iter().filter_map(|it| written.head(terms, *it)));
            }
            compares_variables |= sides.variables.len() > 1 && is_number(terms, terms.sort_of(operands[0]));
        }
        // What is true of variables that are compared with each other may be that comparison.
        if compares_variables {
            let sides = self.sides(terms, written, &[self.body]);
            let conditions = sides
                .applications
                .iter()
                .filter(|it| terms.sort_of(**it) == terms.bool_sort() && !written.is_membership(terms, **it));
            found.extend(conditions.filter_map(|it| written.head(terms, *it)));
        }
        found
    }

    /// Whether it says of each of its values that there is another one, and not among which few.
    fn is_choosing(&self, terms: &mut Terms, written: &Written<'_>) -> bool {
        self.choices.iter().any(|choice| {
            let mut instances = Instances::new(written);
            instances.add_to(terms, *choice);
            match terms.node(*choice) {
                Node::Quantified(quantifier) => !instances.covered().contains(&quantifier.body),
                _ => false,
            }
        })
    }

    /// Functions of which it says that their values are among some that are fixed: those that are no numbers.
    fn limited(&self, terms: &Terms, written: &Written<'_>) -> Vec<Head> {
        let mut found: Vec<Head> = Vec::new();
        let mut work = vec![(self.body, Some(true))];
        let mut seen: FxHashSet<(Term, Option<bool>)> = FxHashSet::default();
        while let Some((part, truth)) = work.pop() {
            if !seen.insert((part, truth)) {
                continue;
            }
            work.extend(below(terms, part, truth));
            let Some((Operator::Equal, &[left, right])) = terms.as_operation(part) else { continue };
            let is_value = terms.sort_of(left) != terms.bool_sort();
            if truth == Some(false) || !is_value || is_number(terms, terms.sort_of(left)) {
                continue;
            }
            let is_fixed = |side: Term| !has_any(terms, side, &self.variables);
            if is_fixed(left) || is_fixed(right) {
                let sides = self.sides(terms, written, &[left, right]);
                found.extend(sides.applications.iter().filter_map(|it| written.head(terms, *it)));
            }
        }
        found
    }
}

/// Those of the universals that others tie: the bodies of their quantifiers.
pub(super) fn tied(terms: &mut Terms, written: &Written<'_>, universals: &[Universal]) -> FxHashSet<Term> {
    let pinned: FxHashSet<Head> =
        universals.iter().flat_map(|universal| universal.pinned(terms, written)).collect();
    let limited: FxHashSet<Head> =
        universals.iter().flat_map(|universal| universal.limited(terms, written)).collect();
    let mut found: FxHashSet<Term> = FxHashSet::default();
    for universal in universals {
        let is_choosing = universal.is_choosing(terms, written);
        let is_pinning = !universal.pinned(terms, written).is_empty();
        let has_inside = |part: Term| {
            let arguments = terms.as_application(part).map_or(&[][..], |(_, arguments)| arguments);
            terms.reachable(arguments).into_iter().any(|it| {
                has_any(terms, it, &universal.variables)
                    && written
                        .head(terms, it)
                        .is_some_and(|head| pinned.contains(&head) || (is_pinning && limited.contains(&head)))
            })
        };
        if is_choosing || universal.applications(terms, written).into_iter().any(has_inside) {
            found.extend(&universal.sources);
        }
    }
    found.extend(endless(terms, written, universals));
    found
}

/// The places where values go: variables of universals, and arguments of functions.
#[derive(Default)]
struct Places {
    number: FxHashMap<Place, usize>,
    /// Another place with the same values, or the place itself.
    same: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Variable(Bound),
    Argument(Head, usize),
}

impl Places {
    fn of(&mut self, place: Place) -> usize {
        let next = self.same.len();
        let at = *self.number.entry(place).or_insert(next);
        if at == next {
            self.same.push(next);
        }
        self.root(at)
    }

    fn root(&self, mut at: usize) -> usize {
        while self.same[at] != at {
            at = self.same[at];
        }
        at
    }

    fn join(&mut self, one: Place, other: Place) {
        let (one, other) = (self.of(one), self.of(other));
        self.same[one] = other;
    }
}

/// Universals that make new values out of values that they are about, without end, and compare numbers that belong to
/// them: there may be no end of smaller ones.
fn endless(terms: &Terms, written: &Written<'_>, universals: &[Universal]) -> FxHashSet<Term> {
    let mut places = Places::default();
    let mut made: Vec<(&Universal, Place, Place)> = Vec::new();
    for universal in universals {
        for part in universal.applications(terms, written) {
            let Some((_, arguments)) = terms.as_application(part) else { continue };
            let Some(function) = written.head(terms, part) else { continue };
            for (index, argument) in arguments.iter().enumerate() {
                let place = Place::Argument(function, index);
                let inner = universal.sides(terms, written, &[*argument]);
                for variable in inner.variables {
                    places.join(Place::Variable(variable), place);
                }
                for application in inner.applications {
                    let free = terms.free_variables(application).iter();
                    let own = free.filter(|free| universal.variables.contains(free));
                    made.extend(own.map(|variable| (universal, Place::Variable(*variable), place)));
                }
            }
        }
        for (_, _, operands) in universal.atoms(terms) {
            let sides = universal.sides(terms, written, &operands);
            for pair in sides.variables.windows(2) {
                places.join(Place::Variable(pair[0]), Place::Variable(pair[1]));
            }
        }
    }
    let edges: Vec<(usize, usize)> =
        made.iter().map(|(_, from, to)| (places.of(*from), places.of(*to))).collect();
    let makers: Vec<(Term, usize)> =
        made.iter().zip(&edges).map(|((maker, ..), (from, _))| (maker.body, *from)).collect();
    let reaches = |start: usize| {
        let mut reached: FxHashSet<usize> = FxHashSet::default();
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            work.extend(edges.iter().filter(|(from, to)| *from == at && reached.insert(*to)).map(|it| it.1));
        }
        reached
    };
    let cyclic: FxHashSet<usize> =
        edges.iter().map(|(from, _)| *from).filter(|from| reaches(*from).contains(from)).collect();
    let mut found: FxHashSet<Term> = FxHashSet::default();
    if cyclic.is_empty() {
        return found;
    }
    let is_on_cycle = |universal: &&Universal| {
        universal.variables.iter().any(|variable| {
            let at = places.number.get(&Place::Variable(*variable));
            at.is_some_and(|at| cyclic.contains(&places.root(*at)))
        })
    };
    let on_cycle: Vec<&Universal> = universals.iter().filter(is_on_cycle).collect();
    let compares_numbers = |universal: &&Universal| {
        universal.atoms(terms).iter().any(|(_, _, operands)| {
            is_number(terms, terms.sort_of(operands[0]))
                && universal.sides(terms, written, operands).applications.len() > 1
        })
    };
    // Where those that make values are known in full, these are all values that there are.
    // Data is finite: what holds of the smallest and of all that is made of others holds of all.
    let is_about_data = |universal: &&Universal| {
        universal.variables.iter().any(|it| written.is_declared_sort(terms, terms.bound_sort(*it)))
    };
    // Collections are finite: values that are made of others and all in one of them come back to where they began. What is
    // said of several values may rule that out, as an order does.
    let puts_into_collection = |universal: &&Universal| {
        let is_made = |part: &Term| {
            let arguments = terms.as_application(*part).map_or(&[][..], |(_, arguments)| arguments);
            let elements = arguments.iter().skip(1).copied().collect::<Vec<Term>>();
            written.is_membership(terms, *part)
                && !universal.sides(terms, written, &elements).applications.is_empty()
        };
        universal.applications(terms, written).iter().any(is_made)
    };
    let is_finite = on_cycle.iter().any(puts_into_collection)
        && on_cycle.iter().any(|universal| universal.variables.len() > 1);
    if is_finite || on_cycle.iter().any(|it| compares_numbers(it) || is_about_data(it)) {
        let makes_values = |universal: &&&Universal| {
            makers.iter().any(|(maker, from)| maker == &universal.body && cyclic.contains(from))
        };
        found.extend(on_cycle.iter().filter(makes_values).flat_map(|universal| &universal.sources));
    }
    found
}

pub(super) fn is_number(terms: &Terms, sort: Sort) -> bool {
    [terms.int_sort(), terms.real_sort()].contains(&sort)
}

pub(super) fn has_any(terms: &Terms, term: Term, variables: &[Bound]) -> bool {
    terms.free_variables(term).iter().any(|free| variables.contains(free))
}
