//! Inverse functions: which values of a quantified permission's variables a location belongs to.
//!
//! For arguments `e` that are injective on a domain `d`, functions `inv` and a predicate `img` are introduced with
//! `d(x) ==> inv(e(x)) = x && img(e(x))` and `img(r) && d(inv(r)) ==> e(inv(r)) = r`. A variable that is itself one of
//! the arguments needs no function. Both axioms are consistent exactly because `e` is injective on `d`; `img` keeps
//! locations out that no value leads to.

use std::rc::Rc;

use smt::{Function, Sort, Term};

use crate::encode::names;
use crate::engine::Engine;
use crate::heap::{Inverse, QuantifiedShape, Resource};

/// Domain, arguments and patterns.
pub(super) type Key = (Term, Rc<[Term]>, Rc<[Vec<Term>]>);

impl<'p> Engine<'p> {
    /// The inverse of a shape's arguments where its condition holds and its permission is positive.
    pub(super) fn invert(&mut self, resource: Resource, shape: &QuantifiedShape) -> Rc<Inverse> {
        let domain = self.shape_domain(shape);
        let key: Key = (domain, shape.arguments.clone(), shape.triggers.clone());
        if let Some(known) = self.member.quantified.inverses.get(&key) {
            return known.clone();
        }
        let inverse = Rc::new(self.build_inverse(resource, shape, domain));
        self.member.quantified.inverses.insert(key, inverse.clone());
        inverse
    }

    /// Where the condition holds and the permission is positive, over the variables.
    pub(super) fn shape_domain(&mut self, shape: &QuantifiedShape) -> Term {
        let positive = self.positive(shape.permission);
        self.encoder.terms.and(shape.condition, positive)
    }

    /// For each variable, the argument that is this variable, if there is one.
    pub(super) fn direct_arguments(&mut self, shape: &QuantifiedShape) -> Vec<Option<usize>> {
        let variables = self.bound_terms(&shape.variables);
        variables
            .iter()
            .map(|variable| shape.arguments.iter().position(|argument| argument == variable))
            .collect()
    }

    fn build_inverse(&mut self, resource: Resource, shape: &QuantifiedShape, domain: Term) -> Inverse {
        let direct = self.direct_arguments(shape);
        let variables = self.bound_terms(&shape.variables);
        let formals = self.bound_terms(&shape.formals);
        let name = self.resource_name(resource);
        let is_total = direct.iter().all(Option::is_some);
        let sorts: Vec<Sort> = formals.iter().map(|term| self.encoder.terms.sort_of(*term)).collect();
        let roots = [&[domain], &shape.arguments[..]].concat();
        let bool_sort = self.encoder.terms.bool_sort();
        let (image_function, parameters) =
            self.family("$image", 0, &shape.variables, &roots, &sorts, bool_sort);
        let functions: Vec<Option<Function>> = direct
            .iter()
            .zip(&variables)
            .enumerate()
            .map(|(index, (direct, variable))| {
                let sort = self.encoder.terms.sort_of(*variable);
                direct
                    .is_none()
                    .then(|| self.family("$inverse", index, &shape.variables, &roots, &sorts, sort).0)
            })
            .collect();
        let apply = |engine: &mut Self, function: Function, location: &[Term]| {
            let mut arguments = parameters.clone();
            arguments.extend_from_slice(location);
            engine.encoder.terms.apply(function, &arguments)
        };
        let values: Rc<[Term]> = direct
            .iter()
            .zip(&functions)
            .map(|(direct, function)| match (direct, function) {
                (_, Some(function)) => apply(self, *function, &formals),
                (Some(place), None) => formals[*place],
                (None, None) => formals[0],
            })
            .collect();
        let arguments_back = shape.arguments_at(&mut self.encoder.terms, &values);
        let same = self.same_location(&arguments_back, &formals);
        if is_total {
            return Inverse { values, image: same, definitions: Rc::from([]) };
        }
        let image = apply(self, image_function, &formals);

        let mut there: Vec<Term> = vec![apply(self, image_function, &shape.arguments)];
        for (function, variable) in functions.iter().zip(&variables) {
            if let Some(function) = function {
                let found = apply(self, *function, &shape.arguments);
                there.push(self.encoder.terms.equal(found, *variable));
            }
        }
        let there = self.encoder.terms.all(there);
        let there = self.encoder.terms.implies(domain, there);
        let law = self.encoder.name_locations(format!("$inverse.there<{name}>"));
        let there = self.encoder.terms.forall(&shape.variables, &shape.triggers, there, &law);

        let replacements: Vec<_> = shape.variables.iter().copied().zip(values.iter().copied()).collect();
        let domain_back = self.encoder.terms.substitute_bound(domain, &replacements);
        let premise = self.encoder.terms.and(image, domain_back);
        let back = self.encoder.terms.implies(premise, same);
        let mut triggers = vec![vec![image]];
        triggers.extend(
            functions
                .iter()
                .zip(values.iter())
                .filter(|(function, _)| function.is_some())
                .map(|(_, value)| vec![*value]),
        );
        let law = self.encoder.name_locations(format!("$inverse.back<{name}>"));
        let back = self.encoder.terms.forall(&shape.formals, &triggers, back, &law);
        let premise = self.injectivity(shape, domain);
        self.member.quantified.premises.extend([(there, premise), (back, premise)]);
        Inverse { values, image, definitions: Rc::from([there, back]) }
    }

    /// That different values of the variables in the domain have different locations.
    fn injectivity(&mut self, shape: &QuantifiedShape, domain: Term) -> Term {
        let variables = self.bound_terms(&shape.variables);
        let others: Vec<_> = variables
            .iter()
            .map(|variable| {
                let sort = self.encoder.terms.sort_of(*variable);
                self.encoder.terms.fresh_bound("other", sort)
            })
            .collect();
        let others_as_terms = self.bound_terms(&others);
        let replacements: Vec<_> =
            shape.variables.iter().copied().zip(others_as_terms.iter().copied()).collect();
        let other_domain = self.encoder.terms.substitute_bound(domain, &replacements);
        let other_arguments = shape.arguments_at(&mut self.encoder.terms, &others_as_terms);
        let same = self.same_location(&shape.arguments, &other_arguments);
        let premise = self.encoder.terms.all([domain, other_domain, same]);
        let equal = self.same_location(&variables, &others_as_terms);
        let body = self.encoder.terms.implies(premise, equal);
        let all: Vec<_> = shape.variables.iter().copied().chain(others).collect();
        self.encoder.terms.forall(&all, &[], body, names::INJECTIVE)
    }

    /// Definitions of inverse functions that can be assumed where injectivity has not been shown.
    pub(super) fn guarded_definitions(&mut self, definitions: &[Term]) -> Vec<Term> {
        let mut guarded = Vec::new();
        for definition in definitions {
            let Some(premise) = self.member.quantified.premises.get(definition).copied() else { continue };
            let weaker = self.encoder.terms.implies(premise, *definition);
            let always = self.encoder.terms.true_();
            self.member.quantified.premises.insert(weaker, always);
            guarded.push(weaker);
        }
        guarded
    }

    /// Constants around that occur in the terms.
    pub(super) fn mentioned_around(&self, terms: &[Term]) -> Vec<Term> {
        self.surroundings()
            .into_iter()
            .filter(|constant| {
                terms.iter().any(|term| crate::quantifier::mentions(&self.encoder.terms, *term, &[*constant]))
            })
            .collect()
    }
}
