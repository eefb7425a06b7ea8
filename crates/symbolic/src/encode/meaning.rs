//! What symbols, sorts and quantifiers stand for in the program, entered where their names are made.
//!
//! The solver knows names only, and answers in names. What a name is for is not read from it, but looked up
//! here. Names mean the same in every job, so entries travel together with the axioms that use them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::typed::{DomainFunctionId, FieldId, FunctionId};
use smt::{Function, Node, Sort, SortKind, Term, Terms};
use source::Span;
use verdict::QuantifierRole;

/// What an application of a symbol is in the program. Symbols that no program can write have no meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// An application of a function of the program.
    Function(FunctionId),
    /// An application of a function of a domain.
    DomainFunction(DomainFunctionId),
    /// The value of a field, from a map of values of many locations and a receiver.
    Field(FieldId),
}

/// What a quantifier is for, and where that is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct QuantifierMeaning {
    pub role: QuantifierRole,
    pub span: Option<Span>,
}

/// Entries by name.
#[derive(Clone, Default, Debug)]
pub(crate) struct Meanings {
    symbols: FxHashMap<Arc<str>, Meaning>,
    /// What values of a sort are called.
    sorts: FxHashMap<Arc<str>, Arc<str>>,
    quantifiers: FxHashMap<Arc<str>, QuantifierMeaning>,
    /// Functions that nobody wrote; they are the same in every job, and do not travel.
    made: FxHashSet<FunctionId>,
    /// Constructors of data types, what they were applied to and which one it was; nor do these.
    pub data_functions: FxHashSet<DomainFunctionId>,
    /// Data types; nor do these.
    pub data_types: BTreeSet<String>,
    /// Domains that nobody wrote; nor do these.
    pub made_domains: BTreeSet<String>,
    /// Quantifiers that somebody wrote, by their places; none if all are.
    pub written_quantifiers: Option<Arc<BTreeSet<Span>>>,
    /// Whether the program's author chose the triggers; this does not travel either.
    pub triggers_are_written: bool,
    /// What functions are called in sentences, where that is not their name; nor does this.
    pub function_names: Arc<BTreeMap<String, Option<String>>>,
}

impl Meanings {
    pub(crate) fn add_symbol(&mut self, name: &str, meaning: Meaning) {
        self.symbols.insert(Arc::from(name), meaning);
    }

    pub(crate) fn add_sort(&mut self, name: &str, word: &str) {
        self.sorts.insert(Arc::from(name), Arc::from(word));
    }

    pub(crate) fn add_quantifier(&mut self, name: &str, role: QuantifierRole, span: Option<Span>) {
        if !self.quantifiers.contains_key(name) {
            self.quantifiers.insert(Arc::from(name), QuantifierMeaning { role, span });
        }
    }

    /// Says which functions the program's language has made by itself.
    pub(crate) fn add_made(&mut self, functions: impl IntoIterator<Item = FunctionId>) {
        self.made.extend(functions);
    }

    /// The function of the program that an application of a symbol is, if the program's author wrote it.
    pub(crate) fn written_function(&self, terms: &Terms, function: Function) -> Option<FunctionId> {
        match self.symbol(terms, function) {
            Some(Meaning::Function(id)) => Some(id).filter(|id| !self.made.contains(id)),
            _ => None,
        }
    }

    /// Whether a symbol belongs to a data type, so that its values are what the type says.
    pub(crate) fn is_of_data(&self, terms: &Terms, function: Function) -> bool {
        match self.symbol(terms, function) {
            Some(Meaning::DomainFunction(id)) => self.data_functions.contains(&id),
            _ => false,
        }
    }

    /// What a function is called in sentences; nothing if nobody knows it by a name.
    pub(crate) fn spoken<'a>(&'a self, function: &'a str) -> Option<&'a str> {
        self.function_names.get(function).map_or(Some(function), Option::as_deref)
    }

    /// What an application of a symbol is.
    pub(crate) fn symbol(&self, terms: &Terms, function: Function) -> Option<Meaning> {
        self.symbols.get(terms.function_name(function)).copied()
    }

    /// What values of a sort are called.
    pub(crate) fn sort(&self, terms: &Terms, sort: Sort) -> Option<&str> {
        match terms.sort_kind(sort) {
            SortKind::Uninterpreted(name) => self.sorts.get(name).map(|word| &**word),
            _ => None,
        }
    }

    /// What a quantifier is for; of one that was not entered, only the name is known.
    pub(crate) fn quantifier(&self, name: &str) -> QuantifierMeaning {
        match self.quantifiers.get(name) {
            Some(known) => known.clone(),
            None => {
                let law = smt::collection_of_axiom(name);
                let law = law.map(|(kind, law)| QuantifierRole::Collection { kind: kind.word(), law });
                let role = law.unwrap_or_else(|| QuantifierRole::Named(name.to_string()));
                QuantifierMeaning { role, span: None }
            }
        }
    }

    /// Whether the program's author wrote a quantifier; a language that is put into Silver chooses what it says with care.
    pub(crate) fn is_of_author(&self, name: &str) -> bool {
        let QuantifierMeaning { role, span } = self.quantifier(name);
        match role {
            QuantifierRole::Written => match (&self.written_quantifiers, span) {
                (Some(written), Some(span)) => written.contains(&span),
                _ => true,
            },
            QuantifierRole::Axiom { domain, .. } => !self.made_domains.contains(&domain),
            _ => false,
        }
    }

    /// The entries that terms need.
    pub(crate) fn of_terms(&self, terms: &Terms, roots: &[Term]) -> Meanings {
        let mut found = Meanings::default();
        for term in terms.reachable(roots) {
            if let SortKind::Uninterpreted(name) = terms.sort_kind(terms.sort_of(term))
                && let Some(word) = self.sorts.get(name)
            {
                found.sorts.insert(name.clone(), word.clone());
            }
            match terms.node(term) {
                Node::Apply(function, _) => {
                    if let Some((name, meaning)) = self.symbols.get_key_value(terms.function_name(*function))
                    {
                        found.symbols.insert(name.clone(), *meaning);
                    }
                }
                Node::Quantified(quantifier) => {
                    if let Some(meaning) = self.quantifiers.get(&quantifier.name) {
                        found.quantifiers.insert(quantifier.name.clone(), meaning.clone());
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Takes over what another table knows.
    pub(crate) fn extend(&mut self, other: &Meanings) {
        self.symbols.extend(other.symbols.iter().map(|(name, meaning)| (name.clone(), *meaning)));
        self.sorts.extend(other.sorts.iter().map(|(name, word)| (name.clone(), word.clone())));
        let quantifiers = other.quantifiers.iter();
        self.quantifiers.extend(quantifiers.map(|(name, meaning)| (name.clone(), meaning.clone())));
    }
}
