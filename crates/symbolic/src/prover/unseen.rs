//! Asking again with instances of quantifiers that the solver never looks at, before a goal is said to fail.
//!
//! They may be in what is assumed, in the goal, or in an axiom or the definition of a function that the question reaches.
//! Where the instances say everything (`witness.rs`), the answer counts. Of other quantifiers the solver knows by itself
//! what follows if an existential one is true, or a universal one false: there is a value. So what fails under the
//! assumption that all of them are like that fails; if it does not, nothing is known.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Node, Quantifier, QuantifierKind, Term, Terms, UnknownReason};

use super::confirm::gave_up;
use super::named::of_named_values;
use super::reach::{reached, reached_by};
use super::realised::Unrealised;
use super::together::{Universal, tied, universals};
use super::witness::{Instances, mentions_unseen, with_body};
use super::written::{Vocabulary, Written};
use super::{Proof, Prover, Purpose, facts_of};
use crate::attempt::Refuting;
use crate::limits;
use crate::path::Path;

/// A question with all that the solver has to be told beside its axioms.
pub(super) struct Question {
    pub facts: Vec<Term>,
    /// What is known of functions because their ranges are short.
    pub unrolled: Vec<Term>,
    pub goal: Term,
}

impl Question {
    fn new(facts: Vec<Term>, goal: Term) -> Question {
        Question { facts, unrolled: Vec::new(), goal }
    }
}

/// What was found out about the facts of a path while a question was asked.
#[derive(Clone)]
struct Lemmas {
    /// Which of them follow from the others.
    is_lemma: Vec<bool>,
    /// Whether all of these were looked for.
    are_all: bool,
    /// Bodies of quantifiers that are not known by what the solver looks at, beside those that show it.
    doubted: FxHashSet<Term>,
    /// Whether axioms are looked at only where their patterns occur, since the solver is lost in all of them.
    is_narrow: bool,
}

impl Lemmas {
    /// Facts, the goal and axioms, each with the instances of its quantifiers; the axioms once more by themselves.
    fn with_instances(
        &self,
        terms: &mut Terms,
        instances: &mut Instances<'_>,
        facts: &[Term],
        axioms: &[Term],
        goal: Term,
    ) -> (Vec<Term>, Term, Vec<Term>) {
        let wanted = instances.add_to(terms, goal);
        let mut known = facts.to_vec();
        for (fact, _) in known.iter_mut().zip(&self.is_lemma).filter(|(_, is_lemma)| !**is_lemma) {
            *fact = instances.add_to(terms, *fact);
        }
        let defined: Vec<Term> = axioms.iter().map(|axiom| instances.add_to(terms, *axiom)).collect();
        // What follows from the rest may be of use, and is not needed for anything to be known: it comes last.
        for (fact, _) in known.iter_mut().zip(&self.is_lemma).filter(|(_, is_lemma)| **is_lemma) {
            *fact = instances.add_to_lemma(terms, *fact);
        }
        known.extend(&defined);
        (known, wanted, defined)
    }
}

/// What a question rests on beside what follows from the rest.
struct Assumed<'m> {
    written: Written<'m>,
    /// Facts that do not follow from the others, or have no quantifiers.
    needed: Vec<Term>,
    /// Axioms whose quantifiers the solver does not look at, or not everywhere.
    axioms: Vec<Term>,
    /// What is said of all values.
    universals: Vec<Universal>,
    /// Whether the axioms are more than the solver can be expected to look at wherever they say something.
    is_wide: bool,
}

/// Axioms with quantifiers that the solver never looks at.
#[derive(Default)]
pub(super) struct UnseenAxioms {
    found: FxHashSet<Term>,
    /// How many of the axioms were looked at.
    seen: usize,
}

impl UnseenAxioms {
    fn look_at(&mut self, terms: &mut Terms, words: Vocabulary<'_>, axioms: &[Term]) {
        let new = axioms[self.seen..].iter().copied();
        self.found.extend(new.filter(|axiom| is_overlooked(terms, words, *axiom)));
        self.seen = axioms.len();
    }
}

/// Whether there is a quantifier in a term that the solver does not look at, or not everywhere.
fn is_overlooked(terms: &mut Terms, words: Vocabulary<'_>, term: Term) -> bool {
    mentions_unseen(terms, term) || Written::may_be_weak_in(terms, words, term)
}

impl Prover {
    /// The question as it is to be looked at further, or what is known about its goal.
    pub(super) fn ask_with_instances(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'_>,
        path: &Path,
        goal: Term,
        purpose: Purpose,
    ) -> Result<Question, Proof> {
        let is_lemma = facts_of(path).into_iter().map(|fact| path.is_lemma(fact)).collect();
        self.ask_with_lemmas(
            terms,
            words,
            path,
            goal,
            purpose,
            Lemmas { is_lemma, are_all: false, doubted: FxHashSet::default(), is_narrow: false },
        )
    }

    /// The same with what is known to follow from the rest.
    fn ask_with_lemmas(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'_>,
        path: &Path,
        goal: Term,
        purpose: Purpose,
        lemmas: Lemmas,
    ) -> Result<Question, Proof> {
        let facts = facts_of(path);
        let assumed = self.assumed(terms, words, &facts, goal, purpose, &lemmas);
        let written = &assumed.written;
        let mut instances = Instances::new(written);
        let (mut known, wanted, defined) =
            lemmas.with_instances(terms, &mut instances, &facts, &assumed.axioms, goal);
        let roots: Vec<Term> = known.iter().copied().chain([wanted]).collect();
        let named = of_named_values(terms, written, &self.axioms, &roots);
        known.extend(&named);
        if !instances.found() && named.is_empty() {
            let open: Vec<&Universal> = assumed.universals.iter().collect();
            return match self.not_realised(terms, written, &open, (&facts, goal)) {
                None => Ok(Question::new(facts, goal)),
                Some(doubted) => self.ask_with_doubt(terms, words, path, goal, purpose, (lemmas, doubted)),
            };
        }
        if let Some(reason) = self.watch.look() {
            return Err(Proof::Unknown(reason));
        }
        let is_more_assumed = known[..facts.len()] != facts || defined != assumed.axioms;
        let most = most_resources(purpose, assumed.is_wide);
        match self.ask_apart(terms, &known, wanted, most) {
            Answer::Unknown(UnknownReason::ResourceLimit | UnknownReason::Timeout) if assumed.is_wide => {
                let lemmas = Lemmas { is_narrow: true, ..lemmas };
                return self.ask_with_lemmas(terms, words, path, goal, purpose, lemmas);
            }
            Answer::Unsat if is_more_assumed && purpose == Purpose::ToProve => {
                let image = |terms: &mut Terms, fact| instances.add_to(terms, fact);
                return Err(self.unless_impossible(terms, path, image, &defined, Ways::Usual));
            }
            Answer::Unsat => return Err(Proof::Proved),
            Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {}
            _ => return Err(gave_up_on(terms, written, instances.partial())),
        }
        let pins = |terms: &mut Terms, known: &[Term], wanted: Term| -> Vec<Term> {
            // What fails with the instances is to be shown, not what fails without them.
            let denied = terms.not(wanted);
            known.iter().filter(|fact| !facts.contains(fact)).copied().chain([denied]).collect()
        };
        let is_precaution = purpose == Purpose::ToRefute(Refuting::AsPrecaution);
        // Every member is asked whether what it assumes can be: another conversation costs more than most proofs.
        if is_precaution && !facts.iter().any(|fact| is_overlooked(terms, words, *fact)) {
            return Ok(Question::new(known, wanted));
        }
        let most = if is_precaution { limits::PRECAUTION_VALUE_RESOURCES } else { limits::VALUE_RESOURCES };
        match self.ask_by_values(terms, &known, wanted, most) {
            Answer::Unsat if purpose != Purpose::ToProve => return Err(Proof::Proved),
            Answer::Unsat => {
                let image = |terms: &mut Terms, fact| instances.add_to(terms, fact);
                return Err(self.unless_impossible(terms, path, image, &defined, Ways::ByValues));
            }
            // What recursive functions are is said apart, see `unrolled.rs`.
            // A model for a solver that knows neither that collections are finite nor that there are always more references
            // says nothing where that is what matters.
            Answer::Sat
                if !instances.has_collections()
                    && !self.is_recursive(terms, &known, wanted)
                    && !assumed.universals.iter().any(|it| it.goes_on(terms, written)) =>
            {
                let counts = assumed.universals.iter().any(|it| it.counts(terms, written));
                let all: Vec<&Universal> = assumed.universals.iter().filter(|_| counts).collect();
                if let Some(doubted) = self.not_realised(terms, written, &all, (&known, wanted)) {
                    return self.ask_with_doubt(terms, words, path, goal, purpose, (lemmas, doubted));
                }
                self.pins = pins(terms, &known, wanted);
                return Ok(Question::new(known, wanted));
            }
            _ => {}
        }
        // Where nobody asked, nobody is told that nothing is known.
        if is_precaution {
            return Ok(Question::new(known, wanted));
        }
        if !lemmas.are_all
            && instances.partial() != Some(&[])
            && let Some(is_lemma) = self.more_lemmas(terms, &facts, &lemmas.is_lemma, instances.partial())
        {
            let lemmas = Lemmas { is_lemma, are_all: true, ..lemmas };
            return self.ask_with_lemmas(terms, words, path, goal, purpose, lemmas);
        }
        let (known, wanted) =
            self.ask_decided(terms, &assumed, &instances, (known, wanted), goal, purpose)?;
        let open = assumed.universals.iter().filter(|it| !it.is_among(instances.covered()));
        let open: Vec<&Universal> = open.collect();
        if let Some(doubted) = self.not_realised(terms, written, &open, (&known, wanted)) {
            return self.ask_with_doubt(terms, words, path, goal, purpose, (lemmas, doubted));
        }
        self.pins = pins(terms, &known, wanted);
        Ok(Question::new(known, wanted))
    }

    /// What a question rests on.
    fn assumed<'m>(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'m>,
        facts: &[Term],
        goal: Term,
        purpose: Purpose,
        lemmas: &Lemmas,
    ) -> Assumed<'m> {
        self.unseen.look_at(terms, words, &self.axioms);
        let all_axioms: Vec<Term> = self.axioms.iter().chain(&self.unrolled).copied().collect();
        let mut written = Written::new(terms, words, &all_axioms);
        let roots: Vec<Term> = facts.iter().copied().chain([goal]).collect();
        let is_looked_at = |written: &Written<'_>, quantifier: &Quantifier| {
            !lemmas.is_narrow && written.is_of_author(quantifier)
        };
        let mut axioms =
            reached_by(terms, &self.axioms, &roots, &|quantifier| is_looked_at(&written, quantifier));
        // What follows from the rest and has no quantifiers needs no value, and may lead to those that do.
        let is_quantified = |fact: Term| {
            terms.reachable(&[fact]).iter().any(|part| matches!(terms.node(*part), Node::Quantified(_)))
        };
        let needed = facts.iter().zip(&lemmas.is_lemma);
        let needed = needed.filter(|(fact, is_lemma)| !**is_lemma || !is_quantified(**fact));
        let needed: Vec<Term> = needed.map(|(fact, _)| *fact).collect();
        let universals = match purpose {
            Purpose::ToRefute(Refuting::AsPrecaution) => Vec::new(),
            _ => universals(terms, &written, &needed, &axioms, goal),
        };
        let mut tied = tied(terms, &written, &universals);
        tied.extend(&lemmas.doubted);
        written.set_tied(tied);
        axioms.retain(|axiom| {
            let is_said = |part: &Term| match terms.node(*part) {
                Node::Quantified(quantifier) => is_looked_at(&written, quantifier),
                _ => false,
            };
            self.unseen.found.contains(axiom) || written.has_tied(terms, *axiom) || is_said(axiom)
        });
        let is_wide = !lemmas.is_narrow && axioms.len() > limits::WIDE_AXIOMS;
        Assumed { written, needed, axioms, universals, is_wide }
    }

    /// Asks where there are quantifiers of which the instances do not say everything, or only if ranges are short.
    fn ask_decided(
        &mut self,
        terms: &mut Terms,
        assumed: &Assumed<'_>,
        instances: &Instances<'_>,
        (mut known, mut wanted): (Vec<Term>, Term),
        goal: Term,
        purpose: Purpose,
    ) -> Result<(Vec<Term>, Term), Proof> {
        let short = instances.short(terms);
        let given_up = if instances.partial() != Some(&[]) {
            let given_up = gave_up_on(terms, &assumed.written, instances.partial());
            let Some(partial) = instances.partial() else { return Err(given_up) };
            let roots = [&assumed.needed[..], &assumed.axioms].concat();
            let decided = decided(terms, &assumed.written, partial, &roots, goal);
            let Some(decided) = decided else { return Err(given_up) };
            (known, wanted) = decided;
            given_up
        } else if !short.is_empty() {
            known.extend(short);
            gave_up_on(terms, &assumed.written, Some(&instances.with_ranges()))
        } else {
            return Ok((known, wanted));
        };
        match self.ask_apart(terms, &known, wanted, most_resources(purpose, false)) {
            Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {
                Ok((known, wanted))
            }
            _ => Err(given_up),
        }
    }

    /// Asks again where there may be no values for what universals say, see `realised.rs`: they are doubtful then, and known
    /// only where their ranges are short.
    fn ask_with_doubt(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'_>,
        path: &Path,
        goal: Term,
        purpose: Purpose,
        (mut lemmas, unrealised): (Lemmas, Unrealised),
    ) -> Result<Question, Proof> {
        let before = lemmas.doubted.len();
        lemmas.doubted.extend(unrealised.sources);
        if lemmas.doubted.len() == before {
            return Err(gave_up(&format!("there may be no values for all that {} says", unrealised.text)));
        }
        self.ask_with_lemmas(terms, words, path, goal, purpose, lemmas)
    }

    /// What is assumed of all values, `null` among them, may be too much; whoever wrote it does not want to hear that
    /// everything holds behind it. Branches that are never taken are another matter.
    fn unless_impossible(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        mut image: impl FnMut(&mut Terms, Term) -> Term,
        defined: &[Term],
        ways: Ways,
    ) -> Proof {
        let taken = path.branches().into_iter();
        let branches: Vec<Term> =
            taken.flat_map(|(condition, ..)| [condition, terms.not(condition)]).collect();
        let assumed = facts_of(path).into_iter().filter(|fact| !branches.contains(fact));
        let mut assumed: Vec<Term> = assumed.map(|fact| image(terms, fact)).collect();
        assumed.extend(defined);
        let never = terms.false_();
        let answer = match ways {
            Ways::Usual => self.ask_apart(terms, &assumed, never, limits::REFUTE_RESOURCES),
            Ways::ByValues => self.ask_by_values(terms, &assumed, never, limits::VALUE_RESOURCES),
        };
        match answer {
            Answer::Unsat => gave_up("what is assumed here may be impossible for some value"),
            _ => Proof::Proved,
        }
    }

    /// Finds facts with quantifiers that are not known by their instances, and that follow from the others: then nothing
    /// more has to be known of them. `None` if there are none.
    fn more_lemmas(
        &mut self,
        terms: &Terms,
        facts: &[Term],
        is_lemma: &[bool],
        partial: Option<&[Term]>,
    ) -> Option<Vec<bool>> {
        let partial: FxHashSet<Term> = partial?.iter().copied().collect();
        let mut more = is_lemma.to_vec();
        for at in 0..facts.len() {
            let is_partial = || terms.reachable(&[facts[at]]).iter().any(|part| partial.contains(part));
            if more[at] || !is_partial() {
                continue;
            }
            let others = facts.iter().zip(&more).enumerate();
            let others = others.filter(|(other, (_, is_lemma))| *other != at && !**is_lemma);
            let others: Vec<Term> = others.map(|(_, (fact, _))| *fact).collect();
            self.leave_path();
            self.session.remark("asked whether what is assumed follows from the rest");
            let budget = self.at_most(limits::SOON_RESOURCES);
            more[at] = self.session.prove_from(terms, &others, facts[at], &budget) == Answer::Unsat;
        }
        (more != is_lemma).then_some(more)
    }

    fn ask_apart(&mut self, terms: &Terms, known: &[Term], wanted: Term, resources: u64) -> Answer {
        self.leave_path();
        self.session.remark("asked with instances of what has no trigger");
        let budget = self.at_most(resources);
        self.session.prove_from(terms, known, wanted, &budget)
    }

    fn ask_by_values(&mut self, terms: &Terms, known: &[Term], wanted: Term, resources: u64) -> Answer {
        self.session.remark("asked with values of models for quantifiers");
        let budget = self.at_most(resources);
        let roots: Vec<Term> = known.iter().copied().chain([wanted]).collect();
        let facts = [&reached(terms, &self.axioms, &roots)[..], known].concat();
        self.by_values.prove(&self.session, terms, &facts, wanted, &budget)
    }
}

/// What a question with instances may cost: little where it is asked once more without so many axioms.
fn most_resources(purpose: Purpose, is_wide: bool) -> u64 {
    match purpose {
        _ if is_wide => limits::SOON_RESOURCES,
        Purpose::ToRefute(Refuting::AsPrecaution) => limits::PRECAUTION_RESOURCES,
        _ => limits::REFUTE_RESOURCES,
    }
}

/// How it was found that a goal follows.
#[derive(Clone, Copy)]
enum Ways {
    Usual,
    ByValues,
}

/// What is assumed and the goal, if there are values for all quantifiers of which the instances do not say everything,
/// wherever they are reached; `None` where that cannot be said.
fn decided(
    terms: &mut Terms,
    written: &Written<'_>,
    partial: &[Term],
    roots: &[Term],
    goal: Term,
) -> Option<(Vec<Term>, Term)> {
    // Once it is said that there are values, these quantifiers are known. The solver would not take those in a definition
    // for the same as those of which it is said.
    let replacements: FxHashMap<Term, Term> = partial
        .iter()
        .filter_map(|part| match terms.node(*part) {
            Node::Quantified(inner) => Some((*part, terms.boolean(inner.kind == QuantifierKind::Exists))),
            _ => None,
        })
        .collect();
    let mut instances = Instances::new(written);
    let mut put_into = |terms: &mut Terms, root: Term| {
        let replaced = replace_in(terms, root, &replacements);
        instances.add_to(terms, replaced)
    };
    let wanted = put_into(terms, goal);
    let mut known: Vec<Term> = roots.iter().map(|root| put_into(terms, *root)).collect();
    if instances.partial() != Some(&[]) {
        return None;
    }
    for root in roots.iter().chain([&goal]) {
        let parts: FxHashSet<Term> = terms.reachable(&[*root]).into_iter().collect();
        for part in partial.iter().filter(|part| parts.contains(part)) {
            let Node::Quantified(inner) = terms.node(*part).clone() else { continue };
            let body = terms.substitute(inner.body, &replacements);
            let whole = with_body(terms, *part, &inner, body);
            let mut has_value = instances.add_to(terms, whole);
            if inner.kind == QuantifierKind::Forall {
                has_value = terms.not(has_value);
            }
            if !terms.is_closed(*part) {
                has_value = wherever_reached(terms, *root, *part, has_value)?;
            }
            known.push(has_value);
        }
    }
    known.extend(instances.short(terms));
    Some((known, wanted))
}

/// With the replacements also where their variables are those of the outermost quantifier.
fn replace_in(terms: &mut Terms, root: Term, replacements: &FxHashMap<Term, Term>) -> Term {
    match terms.node(root).clone() {
        Node::Quantified(quantifier) if !replacements.contains_key(&root) => {
            let body = terms.substitute(quantifier.body, replacements);
            with_body(terms, root, &quantifier, body)
        }
        _ => terms.substitute(root, replacements),
    }
}

/// What is found about a part of a term, for each instance of the term that triggers lead to; `None` if it has none.
fn wherever_reached(terms: &mut Terms, root: Term, part: Term, found: Term) -> Option<Term> {
    let Node::Quantified(outer) = terms.node(root).clone() else { return None };
    let is_covered = terms.free_variables(part).iter().all(|free| outer.variables.contains(free));
    let is_triggered = outer.kind == QuantifierKind::Forall && !outer.triggers.is_empty();
    (is_covered && is_triggered).then(|| with_body(terms, root, &outer, found))
}

fn gave_up_on(terms: &Terms, written: &Written<'_>, quantifiers: Option<&[Term]>) -> Proof {
    gave_up(&match quantifiers.and_then(|quantifiers| written.text(terms, quantifiers)) {
        Some(text) => format!("the solver does not look at all values that matter for {text}"),
        None => "the solver does not look at all values that matter for a quantifier".to_string(),
    })
}
