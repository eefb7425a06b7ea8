//! Names by which a solver process knows sorts and functions, and the declarations that introduce them.
//!
//! A session outlives tables of terms, and two tables may use one name with two signatures. A symbol therefore
//! belongs to a name *and* a signature, compared by content on every use; ids only say where to look first.
//! Names get a `$` where they could be taken for words of the solver, whatever its version calls its own.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{Function, FunctionKind, Sort, SortKind};
use crate::terms::Terms;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct KnownSort(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct FunctionKey {
    name: Arc<str>,
    kind: FunctionKind,
    arguments: Box<[KnownSort]>,
    result: KnownSort,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    sorts: Vec<(SortKind, String)>,
    sort_ids: FxHashMap<SortKind, KnownSort>,
    /// By the id of a table's sort; valid if the kind is the same.
    sort_cache: Vec<Option<KnownSort>>,
    functions: Vec<(FunctionKey, String)>,
    function_ids: FxHashMap<FunctionKey, u32>,
    /// By the id of a table's function; valid if name and signature are the same.
    function_cache: Vec<Option<u32>>,
    used: FxHashSet<String>,
    /// Everything declared so far, as commands.
    declarations: String,
    /// Quantifiers by their names, with the names that the solver knows them by.
    quantifiers: FxHashMap<Arc<str>, String>,
    /// The names of those, in the order of the solver's.
    quantifier_names: Vec<Arc<str>>,
    /// How many of these were told of.
    told: usize,
}

impl Symbols {
    /// All declarations so far; grows at the end only.
    pub(crate) fn declarations(&self) -> &str {
        &self.declarations
    }

    pub(crate) fn sort(&mut self, terms: &Terms, sort: Sort) -> &str {
        let known = self.known_sort(terms, sort);
        &self.sorts[known.0 as usize].1
    }

    pub(crate) fn function(&mut self, terms: &Terms, function: Function) -> &str {
        if let Some(Some(known)) = self.function_cache.get(function.index()).copied()
            && self.is_same_function(terms, function, known)
        {
            return &self.functions[known as usize].1;
        }
        let known = self.find_function(terms, function);
        if self.function_cache.len() <= function.index() {
            self.function_cache.resize(function.index() + 1, None);
        }
        self.function_cache[function.index()] = Some(known);
        &self.functions[known as usize].1
    }

    /// What the solver calls a quantifier: its number among those that it was told of. Its name may say where it is written,
    /// and a question must not become another one because something else was moved.
    pub(crate) fn quantifier(&mut self, name: &Arc<str>) -> &str {
        if !self.quantifiers.contains_key(name) {
            let symbol = format!("q!{}", self.quantifier_names.len());
            self.quantifier_names.push(name.clone());
            self.quantifiers.insert(name.clone(), symbol);
        }
        &self.quantifiers[name]
    }

    /// The name of a quantifier that the solver calls so; what nobody here has named keeps its name.
    pub(crate) fn quantifier_named<'s>(&'s self, symbol: &'s str) -> &'s str {
        let known = self.quantifiers.iter().find(|(_, known)| *known == symbol);
        known.map_or(symbol, |(name, _)| name)
    }

    /// What quantifiers are called that were not told of yet.
    pub(crate) fn take_news(&mut self) -> Vec<String> {
        let first = std::mem::replace(&mut self.told, self.quantifier_names.len());
        let news = self.quantifier_names[first..].iter();
        news.map(|name| format!("{} is {name}", self.quantifiers[name])).collect()
    }

    fn known_sort(&mut self, terms: &Terms, sort: Sort) -> KnownSort {
        let kind = terms.sort_kind(sort);
        if let Some(Some(known)) = self.sort_cache.get(sort.index())
            && self.sorts[known.0 as usize].0 == *kind
        {
            return *known;
        }
        let known = match self.sort_ids.get(kind) {
            Some(known) => *known,
            None => self.declare_sort(kind),
        };
        if self.sort_cache.len() <= sort.index() {
            self.sort_cache.resize(sort.index() + 1, None);
        }
        self.sort_cache[sort.index()] = Some(known);
        known
    }

    fn declare_sort(&mut self, kind: &SortKind) -> KnownSort {
        let text = match kind {
            SortKind::Bool => "Bool".to_owned(),
            SortKind::Int => "Int".to_owned(),
            SortKind::Real => "Real".to_owned(),
            SortKind::Native(text) => text.to_string(),
            SortKind::Uninterpreted(name) => {
                let symbol = self.new_symbol(name);
                let _ = writeln!(self.declarations, "(declare-sort {symbol} 0)");
                symbol
            }
        };
        let known = KnownSort(self.sorts.len() as u32);
        self.sorts.push((kind.clone(), text));
        self.sort_ids.insert(kind.clone(), known);
        known
    }

    fn is_same_function(&mut self, terms: &Terms, function: Function, known: u32) -> bool {
        let key = &self.functions[known as usize].0;
        let is_same =
            |known: KnownSort, sort: &Sort| self.sorts[known.0 as usize].0 == *terms.sort_kind(*sort);
        *key.name == *terms.function_name(function)
            && key.kind == terms.function_kind(function)
            && is_same(key.result, &terms.function_result(function))
            && key.arguments.len() == terms.function_arguments(function).len()
            && key
                .arguments
                .iter()
                .zip(terms.function_arguments(function))
                .all(|(known, sort)| is_same(*known, sort))
    }

    fn find_function(&mut self, terms: &Terms, function: Function) -> u32 {
        let key = FunctionKey {
            name: Arc::from(terms.function_name(function)),
            kind: terms.function_kind(function),
            arguments: terms
                .function_arguments(function)
                .iter()
                .map(|sort| self.known_sort(terms, *sort))
                .collect(),
            result: self.known_sort(terms, terms.function_result(function)),
        };
        if let Some(known) = self.function_ids.get(&key) {
            return *known;
        }
        let symbol = match key.kind {
            FunctionKind::Native => key.name.to_string(),
            FunctionKind::Declared => self.declare_function(&key),
        };
        let known = self.functions.len() as u32;
        self.functions.push((key.clone(), symbol));
        self.function_ids.insert(key, known);
        known
    }

    fn declare_function(&mut self, key: &FunctionKey) -> String {
        let symbol = self.new_symbol(&key.name);
        let _ = write!(self.declarations, "(declare-fun {symbol} (");
        for (place, sort) in key.arguments.iter().enumerate() {
            if place > 0 {
                self.declarations.push(' ');
            }
            self.declarations.push_str(&self.sorts[sort.0 as usize].1);
        }
        let _ = writeln!(self.declarations, ") {})", self.sorts[key.result.0 as usize].1);
        symbol
    }

    /// A symbol that neither the solver nor this session uses yet, as like the name as may be.
    fn new_symbol(&mut self, name: &str) -> String {
        let mut stem: String =
            name.chars().map(|c| if is_quotable(c) && c != '%' { c } else { '_' }).collect();
        if !stem.contains(['@', '$']) || stem.starts_with('@') {
            stem.push('$');
        }
        let mut candidate = stem.clone();
        let mut number = 1;
        while !self.used.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{stem}${number}");
        }
        let mut symbol = String::new();
        push_symbol(&mut symbol, &candidate);
        symbol
    }
}

/// May the character stand between bars?
fn is_quotable(c: char) -> bool {
    (' '..='~').contains(&c) && c != '|' && c != '\\'
}

fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}

/// Writes a symbol, between bars where its characters ask for it.
fn push_symbol(out: &mut String, name: &str) {
    if !name.is_empty()
        && name.chars().all(is_simple)
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '@' || c == '.' || c == '-')
    {
        out.push_str(name);
    } else {
        out.push('|');
        out.extend(name.chars().map(|c| if is_quotable(c) { c } else { '_' }));
        out.push('|');
    }
}
