//! Quantifiers that are written in the program, and how well their triggers make them known.
//!
//! A solver looks at what is assumed of all values where a trigger matches, and nowhere else. Axioms of the encoding have
//! triggers that leave nothing out. What a program writes may have any: nobody applies `prime` to the number whose
//! existence is to be shown, and what a function with a body is elsewhere is not free for a model to choose.

use rustc_hash::FxHashSet;
use silver::typed::FunctionId;
use smt::{Access, Bound, Function, Node, Quantifier, QuantifierKind, Sort, Term, Terms, Theories};
use verdict::QuantifierRole;

use super::local::is_local;
use crate::encode::meaning::{Meaning, Meanings};
use crate::encode::names;
use crate::functions::UNROLLED;

/// What symbols stand for: in the program, and in the theories of collections.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'m> {
    pub meanings: &'m Meanings,
    pub theories: &'m Theories,
}

/// What an application is of; a function of the program has several symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Head {
    Program(FunctionId),
    Symbol(Function),
}

pub(super) struct Written<'m> {
    meanings: &'m Meanings,
    theories: &'m Theories,
    /// Functions of the program that have a definition, whichever of their symbols it is about.
    defined: FxHashSet<FunctionId>,
    /// The symbols of such functions that definitions speak of: those of patterns only where a definition leads to
    /// further applications.
    unfolded: FxHashSet<Function>,
    /// Bodies of quantifiers that others tie (`together.rs`).
    tied: FxHashSet<Term>,
}

impl<'m> Written<'m> {
    /// With the definitions that are among the axioms.
    pub(super) fn new(terms: &Terms, words: Vocabulary<'m>, axioms: &[Term]) -> Written<'m> {
        let Vocabulary { meanings, theories } = words;
        let (mut defined, mut unfolded) = (FxHashSet::default(), FxHashSet::default());
        for axiom in axioms {
            if let Node::Quantified(quantifier) = terms.node(*axiom)
                && let QuantifierRole::Function { part: "definition" | UNROLLED | "step", .. } =
                    meanings.quantifier(&quantifier.name).role
            {
                let patterns: Vec<Term> = quantifier.triggers.iter().flat_map(|it| it.to_vec()).collect();
                defined.extend(applied(terms, meanings, &patterns).map(|(id, _)| id));
                let roots = [&patterns[..], &[quantifier.body]].concat();
                unfolded.extend(applied(terms, meanings, &roots).map(|(_, symbol)| symbol));
            }
        }
        Written { meanings, theories, defined, unfolded, tied: FxHashSet::default() }
    }

    /// Says which quantifiers are tied by others.
    pub(super) fn set_tied(&mut self, tied: FxHashSet<Term>) {
        self.tied = tied;
    }

    /// Whether there is a quantifier in a term that others tie.
    pub(super) fn has_tied(&self, terms: &Terms, term: Term) -> bool {
        !self.tied.is_empty() && terms.reachable(&[term]).iter().any(|part| self.tied.contains(part))
    }

    /// Whether it stands in the program that is proved, as opposed to what the encoding says.
    pub(super) fn is_written(&self, quantifier: &Quantifier) -> bool {
        let role = self.meanings.quantifier(&quantifier.name).role;
        matches!(role, QuantifierRole::Written | QuantifierRole::Axiom { .. })
    }

    /// Whether the program's author wrote it.
    pub(super) fn is_of_author(&self, quantifier: &Quantifier) -> bool {
        self.meanings.is_of_author(&quantifier.name)
    }

    /// Whether the encoding says it with patterns that are written in the program.
    pub(super) fn has_written_patterns(&self, quantifier: &Quantifier) -> bool {
        let role = self.meanings.quantifier(&quantifier.name).role;
        let is_about_receivers = &*quantifier.name == names::NOT_NULL;
        !quantifier.triggers.is_empty() && (role == QuantifierRole::Body || is_about_receivers)
    }

    /// Whether what its triggers match says too little: what has a definition is not free where nobody applies it, and
    /// values of which one is claimed to exist are seldom applied to what an author chose.
    pub(super) fn is_weak(&self, terms: &mut Terms, quantifier: &Quantifier) -> bool {
        if self.is_doubtful(terms, quantifier) {
            return true;
        }
        if quantifier.triggers.is_empty() || !self.is_written(quantifier) {
            return false;
        }
        let is_claimed = quantifier.kind == QuantifierKind::Exists;
        // What is assumed of all values is looked at wherever its body applies something (`wider.rs`).
        let is_known_elsewhere = |(id, symbol): (FunctionId, Function)| match quantifier.kind {
            QuantifierKind::Exists => self.defined.contains(&id),
            QuantifierKind::Forall => self.unfolded.contains(&symbol),
        };
        is_claimed && self.meanings.triggers_are_written
            || quantifier
                .triggers
                .iter()
                .all(|trigger| applied(terms, self.meanings, trigger).any(is_known_elsewhere))
    }

    /// Whether it is not known by its instances: it ties values to each other, and somebody wrote it.
    pub(super) fn is_doubtful(&self, terms: &mut Terms, quantifier: &Quantifier) -> bool {
        // That there is one more reference is no matter of models; of collections that a function is applied to this is
        // asked elsewhere.
        let is_number = quantifier.kind == QuantifierKind::Forall
            || self.has_plain_variables(terms, quantifier)
            || quantifier.variables.iter().any(|it| self.is_only_asked_about(terms, quantifier, *it));
        is_number
            && self.is_of_author(quantifier)
            && (self.tied.contains(&quantifier.body) || !is_local(terms, self, quantifier))
    }

    /// Whether a variable is a collection that no function of the program is applied to.
    fn is_only_asked_about(&self, terms: &mut Terms, quantifier: &Quantifier, variable: Bound) -> bool {
        let bare = terms.bound(variable);
        !self.is_plain_sort(terms, terms.bound_sort(variable))
            && !terms.reachable(&[quantifier.body]).iter().any(|part| {
                terms.as_application(*part).is_some_and(|(function, arguments)| {
                    arguments.contains(&bare) && self.is_of_program(terms, function)
                })
            })
    }

    /// Whether it says what a function of the program is that has no definition.
    pub(super) fn is_known_by_contract(&self, terms: &Terms, quantifier: &Quantifier) -> bool {
        let role = self.meanings.quantifier(&quantifier.name).role;
        let patterns: Vec<Term> = quantifier.triggers.iter().flat_map(|it| it.to_vec()).collect();
        matches!(role, QuantifierRole::Function { part: "postcondition", .. })
            && applied(terms, self.meanings, &patterns).any(|(id, _)| !self.defined.contains(&id))
    }

    /// Whether it is the definition of a function of the program.
    pub(super) fn is_definition(&self, quantifier: &Quantifier) -> bool {
        let role = self.meanings.quantifier(&quantifier.name).role;
        matches!(role, QuantifierRole::Function { part: "definition", .. })
    }

    /// Whether a function can have any value for arguments that nobody mentions: one of the program without a definition,
    /// a field, what is at a place of a collection, and whether something is a member of one.
    pub(super) fn is_free(&self, terms: &Terms, function: Function) -> bool {
        let is_written = self.is_of_program(terms, function) && !self.has_laws(terms, function);
        is_written || matches!(self.theories.access(function), Some(Access::Element | Access::Member))
    }

    /// What a term applies; none if it applies nothing.
    pub(super) fn head(&self, terms: &Terms, term: Term) -> Option<Head> {
        let (function, _) = terms.as_application(term)?;
        Some(match self.meanings.symbol(terms, function) {
            Some(Meaning::Function(id)) => Head::Program(id),
            _ => Head::Symbol(function),
        })
    }

    /// Whether a term says if, or how often, something is a member of a collection.
    pub(super) fn is_membership(&self, terms: &Terms, term: Term) -> bool {
        let function = terms.as_application(term).map(|(function, _)| function);
        function.is_some_and(|function| self.theories.access(function) == Some(Access::Member))
    }

    /// Whether values of a sort are references.
    pub(super) fn is_reference_sort(&self, terms: &Terms, sort: Sort) -> bool {
        self.meanings.sort(terms, sort) == Some("Ref")
    }

    /// Whether a symbol stands for a function of the program that has a definition.
    pub(super) fn is_defined(&self, terms: &Terms, symbol: Function) -> bool {
        self.meanings.written_function(terms, symbol).is_some_and(|id| self.defined.contains(&id))
    }

    /// Whether it is said elsewhere what the values of a function are: by its definition, or by a data type.
    pub(super) fn has_laws(&self, terms: &Terms, symbol: Function) -> bool {
        self.is_defined(terms, symbol) || self.meanings.is_of_data(terms, symbol)
    }

    /// Whether a symbol stands for a function of the program or of one of its domains.
    pub(super) fn is_of_program(&self, terms: &Terms, symbol: Function) -> bool {
        self.meanings.symbol(terms, symbol).is_some()
    }

    /// Whether values of a sort are numbers, references or what a program declares, of which all is known that there is
    /// to know: which collections there are is not said.
    pub(super) fn is_plain_sort(&self, terms: &Terms, sort: Sort) -> bool {
        [terms.int_sort(), terms.bool_sort(), terms.real_sort()].contains(&sort)
            || self.meanings.sort(terms, sort).is_some()
    }

    /// Whether values of a sort are those of a type that the program declares.
    pub(super) fn is_declared_sort(&self, terms: &Terms, sort: Sort) -> bool {
        self.meanings.sort(terms, sort).is_some() && !self.is_reference_sort(terms, sort)
    }

    /// Whether there are only so many values of a sort: of a data type there are those that its constructors give.
    pub(super) fn is_data_sort(&self, terms: &Terms, sort: Sort) -> bool {
        let name = self.meanings.sort(terms, sort);
        sort == terms.bool_sort() || name.is_some_and(|name| self.meanings.data_types.contains(name))
    }

    /// Whether there is one in a term that is weak for some definitions.
    pub(super) fn may_be_weak_in(terms: &mut Terms, words: Vocabulary<'m>, term: Term) -> bool {
        let Vocabulary { meanings, theories } = words;
        let (defined, unfolded) = applied(terms, meanings, &[term]).unzip();
        let any = Written { meanings, theories, defined, unfolded, tied: FxHashSet::default() };
        terms.reachable(&[term]).iter().any(|part| match terms.node(*part).clone() {
            Node::Quantified(quantifier) => any.is_weak(terms, &quantifier),
            _ => false,
        })
    }

    /// Whether the axioms say which values its variables can have: which collections there are is not said.
    pub(super) fn has_plain_variables(&self, terms: &Terms, quantifier: &Quantifier) -> bool {
        quantifier.variables.iter().all(|variable| {
            let sort = terms.bound_sort(*variable);
            // There are always more references than a model needs to have: that there is one more is no matter of models.
            let is_claimed = quantifier.kind == QuantifierKind::Exists;
            self.is_plain_sort(terms, sort) && !(is_claimed && self.is_reference_sort(terms, sort))
        })
    }

    /// Whether variables have the names that are written in the program; a language that is put into Silver gives them others.
    pub(super) fn has_written_names(&self) -> bool {
        self.meanings.written_quantifiers.is_none()
    }

    /// What the first of some quantifiers is called in messages; nothing if its variables have names of their own.
    pub(super) fn text(&self, terms: &Terms, quantifiers: &[Term]) -> Option<String> {
        if !self.has_written_names() {
            return None;
        }
        let first = quantifiers.iter().find_map(|part| match terms.node(*part) {
            Node::Quantified(quantifier) => Some(quantifier),
            _ => None,
        })?;
        let kind = match first.kind {
            QuantifierKind::Exists => "exists",
            QuantifierKind::Forall => "forall",
        };
        let names: Vec<&str> = first.variables.iter().map(|variable| terms.bound_name(*variable)).collect();
        Some(format!("`{kind} {}`", names.join(", ")))
    }
}

/// The functions that are written in the program and that terms apply, with the symbols that they are applied by.
fn applied<'t>(
    terms: &'t Terms,
    meanings: &'t Meanings,
    roots: &[Term],
) -> impl Iterator<Item = (FunctionId, Function)> + use<'t> {
    let found = terms.reachable(roots).into_iter().filter_map(|term| terms.as_application(term));
    found.filter_map(|(symbol, _)| Some((meanings.written_function(terms, symbol)?, symbol)))
}
