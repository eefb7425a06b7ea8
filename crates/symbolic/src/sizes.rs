//! Sizes of sets and multisets that are compared with each other.
//!
//! What is known of sizes is tied to operations: from elements that two sets share nothing follows about their sizes as
//! long as nobody speaks of their difference. So before a goal is called violated, the differences of those whose sizes
//! occur are mentioned: from each other, from what the goal compares them with, and from their elements that occur. That a
//! size is not negative holds of every collection.
//!
//! These laws do not say everything about sizes. What fails by them counts only if it also fails with collections of which
//! all elements are named: there sizes are those of the elements.

mod ranges;
mod said;

use rustc_hash::FxHashSet;
use smt::{Access, CollectionKind, Function, Node, QuantifierKind, Sort, Term};
use verdict::Reason;

use crate::encode::meaning::Meaning;
use crate::engine::Engine;
use crate::limits;
use crate::prover::Proof;
use said::Claim;

impl<'p> Engine<'p> {
    /// What brings the collections together whose sizes occur.
    pub(crate) fn facts_about_sizes(&mut self, goal: Term) -> Vec<Term> {
        let mut sized = self.sized_collections(goal);
        for measured in self.measured_collections(goal) {
            if !sized.contains(&measured) {
                sized.push(measured);
            }
        }
        let mut facts = Vec::new();
        for (index, one) in sized.iter().enumerate() {
            let elements = self.elements_that_occur(goal, *one);
            let compared = self.compared_with(goal, *one);
            let ranges = self.ranges_of_members(goal, *one);
            for other in sized[..index].iter().copied().chain(compared).chain(elements).chain(ranges) {
                let is_pair = self.encoder.terms.sort_of(*one) == self.encoder.terms.sort_of(other);
                if is_pair && other != *one && facts.len() < limits::SIZES_COMPARED {
                    facts.push(self.has_difference(*one, other));
                }
            }
        }
        self.flush_axioms();
        facts
    }

    /// Looks at a goal that fails, if sizes occur: with collections of few elements it has to fail, too.
    pub(crate) fn confirm_sizes(&mut self, goal: Term) -> Proof {
        let leaves = self.leaves_of_sized(goal);
        let related = self.related_constants(goal);
        let is_related = |leaf: &Term| {
            let parts = self.encoder.terms.reachable(&[*leaf]);
            parts.iter().any(|part| related.contains(part))
        };
        let mut leaves: Vec<Term> = leaves.into_iter().filter(is_related).collect();
        let sorts = self.sorts_with_sizes(goal, &leaves, &related);
        if sorts.is_empty() {
            return Proof::Open;
        }
        let too_little = Proof::Unknown(Reason::GaveUp(
            "too little is known about sizes of sets or multisets".to_string(),
        ));
        let Some(said) = self.said_of_elements(goal, &related, &sorts) else { return too_little };
        for filled in &said.filled {
            if !leaves.contains(filled) {
                leaves.push(*filled);
            }
        }
        if leaves.iter().any(|leaf| !self.can_be_named(*leaf)) {
            return too_little;
        }
        if leaves.is_empty() && said.filling.is_empty() {
            return Proof::Open;
        }
        for most in limits::FEW_ELEMENTS {
            let (mut named, mut names) = (Vec::new(), Vec::new());
            for leaf in &leaves {
                let Some((named_leaf, own_names)) = self.names_elements(*leaf, most) else { continue };
                named.push(named_leaf);
                names.extend(own_names);
            }
            let Some(known) = self.known_by_names(&said, &names) else { return too_little };
            named.extend(known);
            if let Some(Proof::Open | Proof::Doubtful) = self.prove_with(goal, &named) {
                self.prover.add_pins(&named);
                return Proof::Open;
            }
        }
        too_little
    }

    /// Looks at a goal that fails once more with what is assumed for a failure to be shown.
    pub(crate) fn prove_with(&mut self, goal: Term, assumed: &[Term]) -> Option<Proof> {
        self.flush_axioms();
        let outer = self.path.open_scope();
        let pins = self.prover.pins().to_vec();
        for fact in pins.iter().chain(assumed) {
            self.path.add(*fact);
        }
        let proof =
            self.prover.prove_soon(&self.encoder.terms, &self.path, goal, limits::FEW_ELEMENT_RESOURCES);
        self.path.close_scope(&outer);
        proof
    }

    /// The sorts of collections whose sizes matter, sequences among them; sizes of collections that depend on a variable
    /// are sizes, too.
    fn sorts_with_sizes(&self, goal: Term, leaves: &[Term], related: &FxHashSet<Term>) -> FxHashSet<Sort> {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut sorts: FxHashSet<Sort> = leaves.iter().map(|leaf| terms.sort_of(*leaf)).collect();
        for part in self.parts_of_question(goal) {
            let Some((function, &[collection])) = terms.as_application(part) else { continue };
            let is_related = || terms.reachable(&[collection]).iter().any(|part| related.contains(part));
            let sort = terms.sort_of(collection);
            let is_sequence = theories.kind_of(sort) == Some(CollectionKind::Seq);
            if theories.access(function) == Some(Access::Size)
                && (!terms.is_closed(part) && !is_sequence || is_sequence && is_related())
            {
                sorts.insert(sort);
            }
        }
        sorts
    }

    /// Whether a collection is no operation on others and may have any elements, of which there are as many as it takes:
    /// what a function gives is what its definition says, and of values of most types there are only so many.
    fn can_be_named(&self, collection: Term) -> bool {
        let (terms, meanings) = (&self.encoder.terms, &self.encoder.meanings);
        // Of what a language has made by itself it says which elements there are, in both directions.
        let is_given = terms.as_application(collection).is_some_and(|(symbol, _)| {
            meanings.written_function(terms, symbol).is_some()
                || matches!(meanings.symbol(terms, symbol), Some(Meaning::DomainFunction(_)))
        });
        let (sort, theories) = (terms.sort_of(collection), &self.encoder.theories);
        let is_counted =
            matches!(theories.kind_of(sort), Some(CollectionKind::Set | CollectionKind::Multiset));
        let element = theories.element_of(sort).filter(|_| is_counted);
        let is_plain = |sort| {
            [terms.int_sort(), terms.bool_sort(), terms.real_sort()].contains(&sort)
                || meanings.sort(terms, sort) == Some("Ref")
        };
        !is_given && self.operands(collection).is_empty() && element.is_some_and(is_plain)
    }

    /// The constants of the goal and of all facts that are about one of these: what is said of others has nothing to do with
    /// the goal.
    pub(crate) fn related_constants(&self, goal: Term) -> FxHashSet<Term> {
        let terms = &self.encoder.terms;
        let constants = |root: Term| -> Vec<Term> {
            let is_constant = |part: &Term| matches!(terms.as_application(*part), Some((_, [])));
            terms.reachable(&[root]).into_iter().filter(is_constant).collect()
        };
        let facts = self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect::<Vec<_>>();
        let mut others: Vec<Vec<Term>> = facts.into_iter().map(constants).collect();
        let mut related: FxHashSet<Term> = constants(goal).into_iter().collect();
        loop {
            let (near, far): (Vec<_>, Vec<_>) =
                others.into_iter().partition(|fact| fact.iter().any(|constant| related.contains(constant)));
            if near.is_empty() {
                return related;
            }
            related.extend(near.into_iter().flatten());
            others = far;
        }
    }

    /// All that the path assumes and the goal, with their parts; those of the goal first.
    pub(crate) fn parts_of_question(&self, goal: Term) -> Vec<Term> {
        let facts = self.path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect::<Vec<_>>();
        let mut parts = self.encoder.terms.reachable(&[goal]);
        parts.extend(self.encoder.terms.reachable(&facts));
        parts
    }

    /// Sets and multisets whose sizes occur, those of the goal first.
    fn sized_collections(&mut self, goal: Term) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        for part in self.parts_of_question(goal) {
            let terms = &self.encoder.terms;
            let Some((_, &[argument])) = terms.as_application(part) else { continue };
            if !terms.is_closed(part) || terms.sort_of(part) != terms.int_sort() {
                continue;
            }
            // That the size of a map is that of its domain is an axiom.
            let collection = self.keys_of_sized(argument, part).unwrap_or(argument);
            let is_sized = self.size(collection).is_some_and(|size| size == part || collection != argument);
            if is_sized && !found.contains(&collection) {
                found.push(collection);
            }
        }
        found
    }

    /// Sets and multisets that the goal compares by a function of a domain, as measures of recursion are: its axioms may
    /// speak of their sizes.
    fn measured_collections(&self, goal: Term) -> Vec<Term> {
        let (terms, theories) = (&self.encoder.terms, &self.encoder.theories);
        let mut found: Vec<Term> = Vec::new();
        for part in terms.reachable(&[goal]) {
            let Some((function, arguments @ [_, _])) = terms.as_application(part) else { continue };
            let meaning = self.encoder.meanings.symbol(terms, function);
            if !matches!(meaning, Some(Meaning::DomainFunction(_))) {
                continue;
            }
            let is_counted = |argument: &&Term| {
                let kind = theories.kind_of(terms.sort_of(**argument));
                matches!(kind, Some(CollectionKind::Set | CollectionKind::Multiset))
                    && terms.is_closed(**argument)
            };
            found.extend(arguments.iter().filter(is_counted));
        }
        found
    }

    /// The domain of a map, if this is the map's size.
    fn keys_of_sized(&mut self, map: Term, size: Term) -> Option<Term> {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let is_map = theories.kind_of(terms.sort_of(map)) == Some(CollectionKind::Map);
        (is_map && theories.map_cardinality(terms, map) == size).then(|| theories.map_domain(terms, map))
    }

    /// What the goal speaks of that is of the same sort.
    fn compared_with(&self, goal: Term, collection: Term) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let is_alike =
            |part: &Term| terms.sort_of(*part) == terms.sort_of(collection) && terms.is_closed(*part);
        terms.reachable(&[goal]).into_iter().filter(is_alike).collect()
    }

    /// The collection of those elements of another one that the question asks about; of truth values, of all there are.
    fn elements_that_occur(&mut self, goal: Term, collection: Term) -> Option<Term> {
        let (sort, parts) = (self.encoder.terms.sort_of(collection), self.parts_of_question(goal));
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let (kind, element_sort) = (theories.kind_of(sort)?, theories.element_of(sort)?);
        let mut elements: Vec<Term> = Vec::new();
        if element_sort == terms.bool_sort() && kind == CollectionKind::Set {
            elements.extend([terms.true_(), terms.false_()]);
        }
        // What is asked of one collection may be an element of another that is made of it; its own elements come first.
        let is_own =
            |part: &Term| matches!(terms.as_application(*part), Some((_, [of, _])) if *of == collection);
        let (own, others): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(is_own);
        for part in own.into_iter().chain(others) {
            let Some((_, &[of, element])) = terms.as_application(part) else { continue };
            if terms.sort_of(of) != sort || !terms.is_closed(part) || terms.sort_of(element) != element_sort {
                continue;
            }
            let asked = match kind {
                CollectionKind::Set => theories.set_contains(terms, of, element),
                CollectionKind::Multiset => theories.multiset_count(terms, of, element),
                _ => continue,
            };
            if asked == part && !elements.contains(&element) && elements.len() < limits::ELEMENTS_COMPARED {
                elements.push(element);
            }
        }
        match kind {
            _ if elements.is_empty() => None,
            CollectionKind::Set => Some(theories.set_literal(terms, element_sort, &elements)),
            CollectionKind::Multiset => Some(theories.multiset_literal(terms, element_sort, &elements)),
            _ => None,
        }
    }

    /// Collections of the integers that quantifiers say to be elements of such a collection.
    fn ranges_of_members(&mut self, goal: Term, collection: Term) -> Vec<Term> {
        let sort = self.encoder.terms.sort_of(collection);
        let mut found: Vec<Term> = Vec::new();
        for whole in self.parts_of_question(goal) {
            let Node::Quantified(quantifier) = self.encoder.terms.node(whole).clone() else { continue };
            let [variable] = quantifier.variables[..] else { continue };
            let is_integer = self.encoder.terms.bound_sort(variable) == self.encoder.terms.int_sort();
            if quantifier.kind != QuantifierKind::Forall || !is_integer {
                continue;
            }
            let parts = self.encoder.terms.reachable(&[quantifier.body]);
            let is_membership = |part: Term| {
                self.membership(part).is_some_and(|(of, _)| self.encoder.terms.sort_of(of) == sort)
            };
            if !parts.into_iter().any(is_membership) {
                continue;
            }
            let claim = Claim { whole, kind: quantifier.kind, variable, body: quantifier.body };
            let members = self.members_by_claim(&claim);
            let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
            let element = terms.int_sort();
            let literal = match theories.kind_of(sort) {
                _ if members.is_empty() => continue,
                Some(CollectionKind::Set) => theories.set_literal(terms, element, &members),
                Some(CollectionKind::Multiset) => theories.multiset_literal(terms, element, &members),
                _ => continue,
            };
            if !found.contains(&literal) {
                found.push(literal);
            }
        }
        found
    }

    /// What the collections whose sizes occur are made of, as far as it is no operation on others.
    fn leaves_of_sized(&mut self, goal: Term) -> Vec<Term> {
        let sized = self.sized_collections(goal);
        self.leaves_of(sized)
    }

    /// What collections are made of, as far as it is no operation on others.
    pub(crate) fn leaves_of(&self, collections: Vec<Term>) -> Vec<Term> {
        let mut work = collections;
        let mut leaves: Vec<Term> = Vec::new();
        while let Some(collection) = work.pop() {
            let parts = self.operands(collection);
            if !parts.is_empty() {
                work.extend(parts);
            } else if !leaves.contains(&collection) {
                leaves.push(collection);
            }
        }
        leaves
    }

    /// The collections that one is an operation on.
    pub(crate) fn operands(&self, collection: Term) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let sort = terms.sort_of(collection);
        let mut parts: Vec<Term> = Vec::new();
        // What a function of the program gives is what is said of it, and no operation on its arguments.
        let is_given =
            |(symbol, _): (Function, &[Term])| self.encoder.meanings.symbol(terms, symbol).is_some();
        if terms.as_application(collection).is_some_and(is_given) {
            return parts;
        }
        terms.for_each_child(collection, &mut |part| parts.push(part));
        parts.retain(|part| terms.sort_of(*part) == sort && terms.is_closed(*part));
        parts
    }

    /// That a collection has at most so many elements, which have names of their own, and these.
    pub(crate) fn names_elements(&mut self, collection: Term, most: usize) -> Option<(Term, Vec<Term>)> {
        let size = self.size(collection)?;
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let sort = terms.sort_of(collection);
        let (kind, element) = (theories.kind_of(sort)?, theories.element_of(sort)?);
        let names: Vec<Term> = (0..most).map(|_| terms.fresh_constant("element", element)).collect();
        let mut ways: Vec<Term> = Vec::new();
        for count in 0..=most {
            let (first, mut way) = (&names[..count], Vec::new());
            let literal = match kind {
                CollectionKind::Set => theories.set_literal(terms, element, first),
                CollectionKind::Multiset => theories.multiset_literal(terms, element, first),
                _ => return None,
            };
            way.push(theories.equal(terms, collection, literal));
            if kind == CollectionKind::Set {
                for (at, one) in first.iter().enumerate() {
                    way.extend(first[..at].iter().map(|other| terms.not_equal(*one, *other)));
                }
            }
            let count = terms.int(count);
            way.push(terms.equal(size, count));
            ways.push(terms.all(way));
        }
        Some((terms.any(ways), names))
    }

    fn size(&mut self, collection: Term) -> Option<Term> {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        match theories.kind_of(terms.sort_of(collection))? {
            CollectionKind::Set => Some(theories.set_cardinality(terms, collection)),
            CollectionKind::Multiset => Some(theories.multiset_cardinality(terms, collection)),
            _ => None,
        }
    }

    /// A fact that speaks of the difference of two collections, from which that of the other way round follows.
    fn has_difference(&mut self, one: Term, other: Term) -> Term {
        let (terms, theories) = (&mut self.encoder.terms, &mut self.encoder.theories);
        let difference = match theories.kind_of(terms.sort_of(one)) {
            Some(CollectionKind::Multiset) => theories.multiset_difference(terms, one, other),
            _ => theories.set_difference(terms, one, other),
        };
        let size = self.size(difference).unwrap_or(difference);
        let terms = &mut self.encoder.terms;
        let zero = terms.int(0);
        terms.less_equal(zero, size)
    }
}
