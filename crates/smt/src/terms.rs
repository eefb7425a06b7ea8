//! The table of terms: every term is stored once, so that equality is equality of ids.
//!
//! The table only grows. A copy of it shares nothing with the original afterwards, and ids made before the copy
//! mean the same in both; [`Terms::import`] carries terms from one table into another.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use crate::node::{
    Bound, Function, FunctionKind, Node, Operator, Quantifier, Signature, Sort, SortKind, Term,
};

#[derive(Clone, Debug)]
struct Entry {
    node: Node,
    sort: Sort,
    /// Variables that occur free, ascending.
    free: Arc<[Bound]>,
    /// Nodes of the term written as a tree, saturating.
    size: u32,
}

#[derive(Clone, Debug)]
pub struct Terms {
    entries: Vec<Entry>,
    ids: FxHashMap<Node, Term>,
    sorts: Vec<SortKind>,
    sort_ids: FxHashMap<SortKind, Sort>,
    signatures: Vec<Signature>,
    /// What fresh functions were called before they had a number.
    stems: FxHashMap<Function, Arc<str>>,
    function_ids: FxHashMap<Arc<str>, Function>,
    bound: Vec<(Arc<str>, Sort)>,
    canonical: FxHashMap<(Arc<str>, Sort, u32, u32), Bound>,
    no_variables: Arc<[Bound]>,
    fresh_names: FxHashMap<Arc<str>, u32>,
    /// Part of fresh names, so that those of different tables stay apart when terms are carried over.
    fresh_scope: Arc<str>,
}

const BOOL: Sort = Sort(0);
const INT: Sort = Sort(1);
const REAL: Sort = Sort(2);
const FALSE: Term = Term(0);
const TRUE: Term = Term(1);

impl Default for Terms {
    fn default() -> Terms {
        let mut terms = Terms {
            entries: Vec::new(),
            ids: FxHashMap::default(),
            sorts: Vec::new(),
            sort_ids: FxHashMap::default(),
            signatures: Vec::new(),
            stems: FxHashMap::default(),
            function_ids: FxHashMap::default(),
            bound: Vec::new(),
            canonical: FxHashMap::default(),
            no_variables: Arc::from([]),
            fresh_names: FxHashMap::default(),
            fresh_scope: Arc::from(""),
        };
        for kind in [SortKind::Bool, SortKind::Int, SortKind::Real] {
            terms.sort(kind);
        }
        for value in [false, true] {
            terms.intern(Node::Bool(value), BOOL);
        }
        terms
    }
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    // ---- sorts ----

    pub fn bool_sort(&self) -> Sort {
        BOOL
    }

    pub fn int_sort(&self) -> Sort {
        INT
    }

    pub fn real_sort(&self) -> Sort {
        REAL
    }

    pub fn sort(&mut self, kind: SortKind) -> Sort {
        if let Some(sort) = self.sort_ids.get(&kind) {
            return *sort;
        }
        let sort = Sort(self.sorts.len() as u32);
        self.sorts.push(kind.clone());
        self.sort_ids.insert(kind, sort);
        sort
    }

    pub fn uninterpreted_sort(&mut self, name: &str) -> Sort {
        self.sort(SortKind::Uninterpreted(Arc::from(name)))
    }

    pub fn sort_kind(&self, sort: Sort) -> &SortKind {
        &self.sorts[sort.index()]
    }

    // ---- functions ----

    /// The function of that name; the signature of the first call counts.
    pub fn function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        self.symbol(name, FunctionKind::Declared, arguments, result)
    }

    /// A function of the solver, which is written by the name given and never declared.
    pub fn native_function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        self.symbol(name, FunctionKind::Native, arguments, result)
    }

    /// A function that nobody else has: `name` with a number that is new for it.
    pub fn fresh_function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        let stem: Arc<str> = Arc::from(name);
        loop {
            let counter = self.fresh_names.entry(stem.clone()).or_insert(0);
            *counter += 1;
            let candidate = format!("{name}@{}{counter}", self.fresh_scope);
            if !self.function_ids.contains_key(candidate.as_str()) {
                let function = self.symbol(&candidate, FunctionKind::Declared, arguments, result);
                self.stems.insert(function, stem);
                return function;
            }
        }
    }

    /// Fresh names made from now on contain the scope. Tables whose terms meet need different ones.
    pub fn set_fresh_scope(&mut self, scope: &str) {
        self.fresh_scope = Arc::from(scope);
    }

    pub fn fresh_constant(&mut self, name: &str, sort: Sort) -> Term {
        let function = self.fresh_function(name, &[], sort);
        self.apply(function, &[])
    }

    fn symbol(&mut self, name: &str, kind: FunctionKind, arguments: &[Sort], result: Sort) -> Function {
        if let Some(function) = self.function_ids.get(name) {
            // One name of the solver may have several signatures, as `select` has.
            let known = &self.signatures[function.index()];
            if known.kind != FunctionKind::Native || *known.arguments == *arguments && known.result == result
            {
                return *function;
            }
        }
        let function = Function(self.signatures.len() as u32);
        let name: Arc<str> = Arc::from(name);
        self.signatures.push(Signature { name: name.clone(), kind, arguments: Arc::from(arguments), result });
        self.function_ids.insert(name, function);
        function
    }

    /// Whether the function is one of [`Terms::fresh_function`].
    pub fn is_fresh(&self, function: Function) -> bool {
        self.stems.contains_key(&function)
    }

    /// What a function of [`Terms::fresh_function`] is called without its number.
    pub fn stem(&self, function: Function) -> Option<&str> {
        self.stems.get(&function).map(|stem| &**stem)
    }

    /// How many function symbols there are; grows only.
    pub fn function_count(&self) -> usize {
        self.signatures.len()
    }

    pub fn find_function(&self, name: &str) -> Option<Function> {
        self.function_ids.get(name).copied()
    }

    pub fn function_name(&self, function: Function) -> &str {
        &self.signatures[function.index()].name
    }

    pub fn function_kind(&self, function: Function) -> FunctionKind {
        self.signatures[function.index()].kind
    }

    pub fn function_arguments(&self, function: Function) -> &[Sort] {
        &self.signatures[function.index()].arguments
    }

    pub fn function_result(&self, function: Function) -> Sort {
        self.signatures[function.index()].result
    }

    // ---- variables ----

    /// A new variable for a quantifier to bind; distinct from every other, whatever its name.
    pub fn fresh_bound(&mut self, name: &str, sort: Sort) -> Bound {
        let bound = Bound(self.bound.len() as u32);
        self.bound.push((Arc::from(name), sort));
        bound
    }

    /// The variable for that place in canonical formulas.
    pub(crate) fn canonical_bound(&mut self, name: &str, sort: Sort, height: u32, index: u32) -> Bound {
        let key = (Arc::from(name), sort, height, index);
        if let Some(bound) = self.canonical.get(&key) {
            return *bound;
        }
        let bound = self.fresh_bound(name, sort);
        self.canonical.insert(key, bound);
        bound
    }

    pub fn bound_sort(&self, bound: Bound) -> Sort {
        self.bound[bound.index()].1
    }

    pub fn bound_name(&self, bound: Bound) -> &str {
        &self.bound[bound.index()].0
    }

    // ---- inspection ----

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.entries[term.index()].node
    }

    pub fn sort_of(&self, term: Term) -> Sort {
        self.entries[term.index()].sort
    }

    /// Variables that occur free, ascending.
    pub fn free_variables(&self, term: Term) -> &[Bound] {
        &self.entries[term.index()].free
    }

    pub fn is_closed(&self, term: Term) -> bool {
        self.entries[term.index()].free.is_empty()
    }

    /// How large the term is when written without sharing, saturating.
    pub fn size(&self, term: Term) -> u32 {
        self.entries[term.index()].size
    }

    pub fn is_true(&self, term: Term) -> bool {
        term == TRUE
    }

    pub fn is_false(&self, term: Term) -> bool {
        term == FALSE
    }

    pub fn as_int(&self, term: Term) -> Option<&BigInt> {
        match self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_real(&self, term: Term) -> Option<&BigRational> {
        match self.node(term) {
            Node::Real(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_operation(&self, term: Term) -> Option<(Operator, &[Term])> {
        match self.node(term) {
            Node::Operation(operator, operands) => Some((*operator, operands)),
            _ => None,
        }
    }

    pub fn as_application(&self, term: Term) -> Option<(Function, &[Term])> {
        match self.node(term) {
            Node::Apply(function, arguments) => Some((*function, arguments)),
            _ => None,
        }
    }

    /// Direct parts, triggers of quantifiers included.
    pub fn for_each_child(&self, term: Term, f: &mut dyn FnMut(Term)) {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => {}
            Node::Apply(_, arguments) | Node::Operation(_, arguments) => {
                arguments.iter().copied().for_each(f)
            }
            Node::Quantified(quantifier) => {
                quantifier.triggers.iter().flat_map(|trigger| trigger.iter().copied()).for_each(&mut *f);
                f(quantifier.body);
            }
        }
    }

    /// Every term that occurs in the given ones, parts before wholes.
    pub fn reachable(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<Term> = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                found.push(term);
                self.for_each_child(term, &mut |child| stack.push(child));
            }
        }
        // Parts are older than what they are part of.
        found.sort_unstable();
        found
    }

    // ---- interning ----

    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(term) = self.ids.get(&node) {
            return *term;
        }
        let (free, size) = self.measure(&node);
        let term = Term(self.entries.len() as u32);
        self.entries.push(Entry { node: node.clone(), sort, free, size });
        self.ids.insert(node, term);
        term
    }

    fn measure(&self, node: &Node) -> (Arc<[Bound]>, u32) {
        match node {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) => (self.no_variables.clone(), 1),
            Node::Bound(bound) => (Arc::from([*bound]), 1),
            Node::Apply(_, arguments) | Node::Operation(_, arguments) => {
                self.measure_all(arguments.iter().copied(), &[])
            }
            Node::Quantified(quantifier) => {
                let parts = quantifier.triggers.iter().flat_map(|trigger| trigger.iter().copied());
                self.measure_all(parts.chain([quantifier.body]), &quantifier.variables)
            }
        }
    }

    fn measure_all(&self, parts: impl Iterator<Item = Term>, bound: &[Bound]) -> (Arc<[Bound]>, u32) {
        let mut size = 1u32;
        let mut free: Vec<Bound> = Vec::new();
        let mut single: Option<Arc<[Bound]>> = None;
        for part in parts {
            let entry = &self.entries[part.index()];
            size = size.saturating_add(entry.size);
            if !entry.free.is_empty() {
                if free.is_empty() && single.is_none() {
                    single = Some(entry.free.clone());
                }
                free.extend(entry.free.iter().copied());
            }
        }
        free.sort_unstable();
        free.dedup();
        free.retain(|variable| !bound.contains(variable));
        match single {
            _ if free.is_empty() => (self.no_variables.clone(), size),
            Some(shared) if *shared == *free => (shared, size),
            _ => (Arc::from(free), size),
        }
    }

    // ---- atoms ----

    pub fn boolean(&self, value: bool) -> Term {
        if value { TRUE } else { FALSE }
    }

    pub fn true_(&self) -> Term {
        TRUE
    }

    pub fn false_(&self) -> Term {
        FALSE
    }

    pub fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.intern(Node::Int(Arc::new(value.into())), INT)
    }

    pub fn real(&mut self, value: BigRational) -> Term {
        self.intern(Node::Real(Arc::new(value)), REAL)
    }

    pub fn bound(&mut self, bound: Bound) -> Term {
        let sort = self.bound_sort(bound);
        self.intern(Node::Bound(bound), sort)
    }

    pub fn apply(&mut self, function: Function, arguments: &[Term]) -> Term {
        let sort = self.function_result(function);
        debug_assert_eq!(
            self.function_arguments(function),
            arguments.iter().map(|argument| self.sort_of(*argument)).collect::<Vec<_>>(),
            "arguments of {}",
            self.function_name(function)
        );
        self.intern(Node::Apply(function, Arc::from(arguments)), sort)
    }

    /// A constant by name.
    pub fn constant(&mut self, name: &str, sort: Sort) -> Term {
        let function = self.function(name, &[], sort);
        self.apply(function, &[])
    }

    pub(crate) fn operation(&mut self, operator: Operator, operands: &[Term], sort: Sort) -> Term {
        self.intern(Node::Operation(operator, Arc::from(operands)), sort)
    }

    pub(crate) fn quantified(&mut self, quantifier: Quantifier) -> Term {
        self.intern(Node::Quantified(Arc::new(quantifier)), BOOL)
    }

    pub(crate) fn import_sort(&mut self, from: &Terms, sort: Sort) -> Sort {
        self.sort(from.sort_kind(sort).clone())
    }

    pub(crate) fn import_function(&mut self, from: &Terms, function: Function) -> Function {
        let signature = &from.signatures[function.index()];
        let arguments: Vec<Sort> =
            signature.arguments.iter().map(|sort| self.import_sort(from, *sort)).collect();
        let result = self.import_sort(from, signature.result);
        let image = self.symbol(&signature.name, signature.kind, &arguments, result);
        if let Some(stem) = from.stems.get(&function) {
            self.stems.insert(image, stem.clone());
        }
        image
    }
}
