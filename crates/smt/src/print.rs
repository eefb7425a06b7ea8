//! Terms as SMT-LIB text.
//!
//! Terms are graphs and may be as deep as they like, so the printer keeps its own stack and gives names (`let`) to
//! what would be written twice. A name is introduced at the root if its term is closed, else at the body of the
//! innermost quantifier that binds one of its variables. Variables carry their number after a `%`, which functions
//! never contain, and names start with `?`, so nothing is captured; where a quantifier binds a variable again, names
//! that mention the outer one are set aside until it ends. Triggers stand outside the names of their quantifier's
//! body.

use std::fmt::Write;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashMap;

use crate::limits;
use crate::node::{Bound, Node, Operator, Quantifier, QuantifierKind, Term};
use crate::solver::SolverKind;
use crate::symbols::Symbols;
use crate::terms::Terms;

enum Task {
    /// A space and a term.
    Operand(Term),
    Term(Term),
    /// A term whose own name must not be used.
    Definition(Term),
    Text(&'static str),
    /// A term in which names may be introduced that mention the innermost variables.
    Scope(Term),
    /// So many names were introduced.
    EndScope(usize),
    Triggers(Arc<Quantifier>),
    EndQuantifier(usize, Vec<(Term, u32)>),
    StartName(u32),
}

struct Printer<'a> {
    terms: &'a Terms,
    symbols: &'a mut Symbols,
    kind: SolverKind,
    out: &'a mut String,
    tasks: Vec<Task>,
    names: FxHashMap<Term, u32>,
    /// Named terms, in order of introduction.
    introduced: Vec<Term>,
    next_name: u32,
    /// Variables in scope; the last `innermost` of them belong to the innermost quantifier.
    bound: Vec<Bound>,
    innermost: usize,
}

/// Appends the term to `out`; what it mentions for the first time is declared in `symbols`.
pub(crate) fn print_term(
    terms: &Terms,
    term: Term,
    symbols: &mut Symbols,
    kind: SolverKind,
    out: &mut String,
) {
    let mut printer = Printer {
        terms,
        symbols,
        kind,
        out,
        tasks: vec![Task::Scope(term)],
        names: FxHashMap::default(),
        introduced: Vec::new(),
        next_name: 0,
        bound: Vec::new(),
        innermost: 0,
    };
    while let Some(task) = printer.tasks.pop() {
        printer.run(task);
    }
}

impl Printer<'_> {
    fn run(&mut self, task: Task) {
        match task {
            Task::Text(text) => self.out.push_str(text),
            Task::Operand(term) => {
                self.out.push(' ');
                self.term(term);
            }
            Task::Term(term) => self.term(term),
            Task::Definition(term) => self.definition(term),
            Task::Scope(term) => self.scope(term),
            Task::StartName(name) => {
                let _ = write!(self.out, "(let ((?{name} ");
            }
            Task::EndScope(count) => {
                for _ in 0..count {
                    self.out.push(')');
                    if let Some(term) = self.introduced.pop() {
                        self.names.remove(&term);
                    }
                }
            }
            Task::Triggers(quantifier) => self.triggers(&quantifier),
            Task::EndQuantifier(innermost, aside) => {
                self.out.push_str("))");
                self.bound.truncate(self.bound.len() - self.innermost);
                self.innermost = innermost;
                self.names.extend(aside);
            }
        }
    }

    fn term(&mut self, term: Term) {
        if !self.names.is_empty()
            && let Some(name) = self.names.get(&term)
        {
            let _ = write!(self.out, "?{name}");
            return;
        }
        self.definition(term);
    }

    fn definition(&mut self, term: Term) {
        match self.terms.node(term) {
            Node::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Node::Int(value) => push_int(self.out, value),
            Node::Real(value) => push_real(self.out, value),
            Node::Bound(bound) => push_bound(self.out, self.terms, *bound),
            Node::Apply(function, arguments) => {
                let symbol = self.symbols.function(self.terms, *function);
                if arguments.is_empty() {
                    self.out.push_str(symbol);
                } else {
                    self.out.push('(');
                    self.out.push_str(symbol);
                    self.operands(arguments);
                }
            }
            Node::Operation(operator, operands) => {
                self.out.push_str(opening(*operator));
                self.operands(operands);
            }
            Node::Quantified(quantifier) => self.quantifier(quantifier),
        }
    }

    fn operands(&mut self, operands: &[Term]) {
        self.tasks.push(Task::Text(")"));
        self.tasks.extend(operands.iter().rev().map(|operand| Task::Operand(*operand)));
    }

    fn quantifier(&mut self, quantifier: &Arc<Quantifier>) {
        self.out.push_str(match quantifier.kind {
            QuantifierKind::Forall => "(forall (",
            QuantifierKind::Exists => "(exists (",
        });
        for variable in quantifier.variables.iter() {
            self.out.push('(');
            push_bound(self.out, self.terms, *variable);
            self.out.push(' ');
            let sort = self.terms.bound_sort(*variable);
            self.out.push_str(self.symbols.sort(self.terms, sort));
            self.out.push(')');
        }
        self.out.push_str(") (! ");
        let aside = self.set_aside(&quantifier.variables);
        self.tasks.push(Task::EndQuantifier(self.innermost, aside));
        self.tasks.push(Task::Triggers(quantifier.clone()));
        self.tasks.push(Task::Scope(quantifier.body));
        self.bound.extend(quantifier.variables.iter().copied());
        self.innermost = quantifier.variables.len();
    }

    /// Forgets names that mean outer variables which are about to be bound again.
    fn set_aside(&mut self, variables: &[Bound]) -> Vec<(Term, u32)> {
        if self.names.is_empty() || !variables.iter().any(|variable| self.bound.contains(variable)) {
            return Vec::new();
        }
        let mentions = |term: Term| {
            variables.iter().any(|variable| self.terms.free_variables(term).binary_search(variable).is_ok())
        };
        let aside: Vec<(Term, u32)> = self
            .introduced
            .iter()
            .filter(|term| mentions(**term))
            .filter_map(|term| self.names.get(term).map(|name| (*term, *name)))
            .collect();
        for (term, _) in &aside {
            self.names.remove(term);
        }
        aside
    }

    fn triggers(&mut self, quantifier: &Quantifier) {
        // An annotation must not be empty: there is always a name.
        let mut tasks: Vec<Task> = Vec::new();
        for trigger in quantifier.triggers.iter() {
            tasks.push(Task::Text(" :pattern ("));
            for (place, pattern) in trigger.iter().enumerate() {
                if place > 0 {
                    tasks.push(Task::Text(" "));
                }
                tasks.push(Task::Scope(*pattern));
            }
            tasks.push(Task::Text(")"));
        }
        tasks.reverse();
        self.tasks.append(&mut tasks);
        self.out.push_str(" :qid ");
        self.out.push_str(self.symbols.quantifier(&quantifier.name));
        if let (Some(weight), SolverKind::Z3) = (quantifier.weight, self.kind) {
            let _ = write!(self.out, " :weight {weight}");
        }
    }

    fn scope(&mut self, term: Term) {
        if self.terms.size(term) <= limits::TREE_NODES {
            self.term(term);
            return;
        }
        let shared = self.shared(term);
        self.tasks.push(Task::EndScope(shared.len()));
        self.tasks.push(Task::Term(term));
        for (place, part) in shared.iter().enumerate().rev() {
            self.tasks.push(Task::Text(")) "));
            self.tasks.push(Task::Definition(*part));
            self.tasks.push(Task::StartName(self.next_name + place as u32));
        }
        // Parts are older than what they are part of, so a definition mentions earlier names only.
        for part in shared {
            self.names.insert(part, self.next_name);
            self.introduced.push(part);
            self.next_name += 1;
        }
    }

    /// The parts to be named in the scope that begins here, oldest first.
    fn shared(&self, root: Term) -> Vec<Term> {
        let innermost = &self.bound[self.bound.len() - self.innermost..];
        let free_in = |term: Term, variables: &[Bound]| {
            let free = self.terms.free_variables(term);
            variables.iter().any(|variable| free.binary_search(variable).is_ok())
        };
        let is_in_scope =
            |term: Term| self.terms.free_variables(term).iter().all(|variable| self.bound.contains(variable));
        let mut shared = Vec::new();
        let mut visits: FxHashMap<Term, bool> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            // What does not mention the innermost variables was dealt with further out.
            if self.terms.size(term) < limits::NAMED_NODES
                || self.names.contains_key(&term)
                || !innermost.is_empty() && !free_in(term, innermost)
            {
                continue;
            }
            match visits.get_mut(&term) {
                None => {
                    visits.insert(term, false);
                }
                Some(true) => continue,
                Some(again) => {
                    *again = true;
                    if is_in_scope(term) {
                        shared.push(term);
                        continue;
                    }
                    // It cannot be named here, so it will be written twice, and its parts with it.
                }
            }
            self.terms.for_each_child(term, &mut |child| stack.push(child));
        }
        shared.sort_unstable();
        shared
    }
}

fn opening(operator: Operator) -> &'static str {
    match operator {
        Operator::Not => "(not",
        Operator::And => "(and",
        Operator::Or => "(or",
        Operator::Implies => "(=>",
        Operator::Equal => "(=",
        Operator::IfThenElse => "(ite",
        Operator::Add => "(+",
        Operator::Subtract => "(-",
        Operator::Multiply => "(*",
        Operator::IntDivide => "(div",
        Operator::IntModulo => "(mod",
        Operator::RealDivide => "(/",
        Operator::Less => "(<",
        Operator::LessEqual => "(<=",
        Operator::IntToReal => "(to_real",
    }
}

fn push_bound(out: &mut String, terms: &Terms, bound: Bound) {
    // The number makes the name unique; odd characters would only need quoting.
    out.extend(terms.bound_name(bound).chars().filter(|c| c.is_ascii_alphabetic() || "_$".contains(*c)));
    let _ = write!(out, "%{}", bound.index());
}

fn push_int(out: &mut String, value: &BigInt) {
    if value.sign() == Sign::Minus {
        let _ = write!(out, "(- {})", value.magnitude());
    } else {
        let _ = write!(out, "{value}");
    }
}

fn push_real(out: &mut String, value: &BigRational) {
    let negative = value.numer().sign() == Sign::Minus;
    if negative {
        out.push_str("(- ");
    }
    let numerator = value.numer().magnitude();
    if value.denom().is_one() {
        let _ = write!(out, "{numerator}.0");
    } else {
        let _ = write!(out, "(/ {numerator}.0 {}.0)", value.denom());
    }
    if negative {
        out.push(')');
    }
}

#[cfg(test)]
mod tests;
