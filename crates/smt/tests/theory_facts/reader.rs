//! From expressions to terms of the theories.

use rustc_hash::FxHashMap;
use smt::{Bound, CollectionKind, Function, Sort, Term, Terms, Theories};

use crate::expression::Expression;

#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) terms: Terms,
    pub(crate) theories: Theories,
    sorts: FxHashMap<String, Sort>,
    functions: FxHashMap<String, Function>,
    /// Variables in scope, the innermost last.
    variables: Vec<(String, Term)>,
    /// Whether a trigger is being read.
    in_trigger: bool,
}

type Read<T> = Result<T, String>;

impl Reader {
    pub(crate) fn declare_sort(&mut self, name: &str) {
        let sort = self.terms.uninterpreted_sort(name);
        self.sorts.insert(name.to_owned(), sort);
    }

    pub(crate) fn declare_function(
        &mut self,
        name: &str,
        arguments: &[Expression],
        result: &Expression,
    ) -> Read<()> {
        let arguments: Vec<Sort> =
            arguments.iter().map(|argument| self.sort(argument)).collect::<Read<_>>()?;
        let result = self.sort(result)?;
        let function = self.terms.function(name, &arguments, result);
        self.functions.insert(name.to_owned(), function);
        Ok(())
    }

    fn sort(&mut self, expression: &Expression) -> Read<Sort> {
        if let Some(name) = expression.word() {
            return match name {
                "Int" => Ok(self.terms.int_sort()),
                "Bool" => Ok(self.terms.bool_sort()),
                _ => self.sorts.get(name).copied().ok_or_else(|| format!("unknown sort {name}")),
            };
        }
        match expression.call() {
            Some((kind, [element])) => {
                let element = self.sort(element)?;
                match kind {
                    "Seq" => Ok(self.theories.seq_sort(&mut self.terms, element)),
                    "Set" => Ok(self.theories.set_sort(&mut self.terms, element)),
                    "Multiset" => Ok(self.theories.multiset_sort(&mut self.terms, element)),
                    _ => Err(format!("unknown sort {kind}")),
                }
            }
            Some(("Map", [key, value])) => {
                let (key, value) = (self.sort(key)?, self.sort(value)?);
                Ok(self.theories.map_sort(&mut self.terms, key, value))
            }
            _ => Err(format!("no sort: {expression:?}")),
        }
    }

    pub(crate) fn term(&mut self, expression: &Expression) -> Read<Term> {
        if let Some(word) = expression.word() {
            return self.word(word);
        }
        let Some((head, rest)) = expression.call() else {
            return Err(format!("no term: {expression:?}"));
        };
        match (head, rest) {
            ("forall" | "exists", [variables, rest @ .., body]) => {
                self.quantifier(head, variables, rest, body)
            }
            ("seq" | "set" | "multiset", [element, elements @ ..]) => {
                let element = self.sort(element)?;
                let elements = self.all(elements)?;
                let (terms, theories) = (&mut self.terms, &mut self.theories);
                Ok(match head {
                    "seq" => theories.seq_literal(terms, element, &elements),
                    "set" => theories.set_literal(terms, element, &elements),
                    _ => theories.multiset_literal(terms, element, &elements),
                })
            }
            ("map", [key, value, pairs @ ..]) => {
                let (key, value) = (self.sort(key)?, self.sort(value)?);
                let mut entries = Vec::new();
                for pair in pairs {
                    let Expression::List(pair) = pair else { return Err("no pair".to_owned()) };
                    let pair = self.all(pair)?;
                    entries.push((pair[0], pair[1]));
                }
                Ok(self.theories.map_literal(&mut self.terms, key, value, &entries))
            }
            _ => {
                let arguments = self.all(rest)?;
                self.apply(head, &arguments)
            }
        }
    }

    fn all(&mut self, expressions: &[Expression]) -> Read<Vec<Term>> {
        expressions.iter().map(|expression| self.term(expression)).collect()
    }

    fn word(&mut self, word: &str) -> Read<Term> {
        if let Some((_, term)) = self.variables.iter().rev().find(|(name, _)| name == word) {
            return Ok(*term);
        }
        if let Some(function) = self.functions.get(word) {
            return Ok(self.terms.apply(*function, &[]));
        }
        match word {
            "true" => Ok(self.terms.true_()),
            "false" => Ok(self.terms.false_()),
            _ => word
                .parse::<i64>()
                .map(|value| self.terms.int(value))
                .map_err(|_| format!("unknown name {word}")),
        }
    }

    fn quantifier(
        &mut self,
        kind: &str,
        variables: &Expression,
        triggers: &[Expression],
        body: &Expression,
    ) -> Read<Term> {
        let Expression::List(variables) = variables else { return Err("no variables".to_owned()) };
        let before = self.variables.len();
        let mut bound: Vec<Bound> = Vec::new();
        for variable in variables {
            let Some((name, [sort])) = variable.call() else { return Err("no variable".to_owned()) };
            let sort = self.sort(sort)?;
            let variable = self.terms.fresh_bound(name, sort);
            bound.push(variable);
            let term = self.terms.bound(variable);
            self.variables.push((name.to_owned(), term));
        }
        let mut patterns = Vec::new();
        self.in_trigger = true;
        for trigger in triggers {
            let Some(("trigger", parts)) = trigger.call() else { return Err("no trigger".to_owned()) };
            patterns.push(self.all(parts)?);
        }
        self.in_trigger = false;
        let body = self.term(body)?;
        self.variables.truncate(before);
        Ok(match kind {
            "forall" => self.terms.forall(&bound, &patterns, body, "fact"),
            _ => self.terms.exists(&bound, &patterns, body, "fact"),
        })
    }

    fn kind(&self, term: Term) -> Option<CollectionKind> {
        self.theories.kind_of(self.terms.sort_of(term))
    }

    fn apply(&mut self, head: &str, arguments: &[Term]) -> Read<Term> {
        use CollectionKind::{Map, Multiset, Seq, Set};
        if let Some(function) = self.functions.get(head) {
            return Ok(self.terms.apply(*function, arguments));
        }
        let first = arguments.first().and_then(|term| self.kind(*term));
        let last = arguments.last().and_then(|term| self.kind(*term));
        let (t, x) = (&mut self.terms, &mut self.theories);
        Ok(match (head, first, arguments) {
            ("and", _, _) => t.all(arguments.iter().copied()),
            ("or", _, _) => t.any(arguments.iter().copied()),
            ("not", _, [a]) => t.not(*a),
            ("=>", _, [a, b]) => t.implies(*a, *b),
            ("ite", _, [a, b, c]) => t.if_then_else(*a, *b, *c),
            ("=", _, [a, b]) => x.equal(t, *a, *b),
            ("!=", _, [a, b]) => {
                let equal = x.equal(t, *a, *b);
                t.not(equal)
            }
            ("<", _, [a, b]) => t.less(*a, *b),
            ("<=", _, [a, b]) => t.less_equal(*a, *b),
            (">", _, [a, b]) => t.greater(*a, *b),
            (">=", _, [a, b]) => t.greater_equal(*a, *b),
            ("+", _, [a, b]) => t.add(*a, *b),
            ("-", _, [a, b]) => t.subtract(*a, *b),
            ("*", _, [a, b]) => t.multiply(*a, *b),

            ("++", _, [a, b]) => x.seq_append(t, *a, *b),
            ("take", _, [s, n]) => x.seq_take(t, *s, *n),
            ("drop", _, [s, n]) => x.seq_drop(t, *s, *n),
            ("slice", _, [s, low, high]) => {
                let taken = x.seq_take(t, *s, *high);
                x.seq_drop(t, taken, *low)
            }
            ("range", _, [low, high]) => x.seq_range(t, *low, *high),
            ("len", Some(Seq), [s]) => x.seq_length(t, *s),
            ("len", Some(Set), [s]) => x.set_cardinality(t, *s),
            ("len", Some(Multiset), [s]) => x.multiset_cardinality(t, *s),
            ("len", Some(Map), [s]) => x.map_cardinality(t, *s),
            ("at", Some(Seq), [s, i]) => x.seq_index(t, *s, *i),
            ("at", Some(Map), [m, k]) => x.map_lookup(t, *m, *k),
            ("with", Some(Seq), [s, i, v]) => x.seq_update(t, *s, *i, *v),
            ("with", Some(Map), [m, k, v]) => x.map_update(t, *m, *k, *v),
            ("in", _, [e, s]) => match last {
                Some(Seq) if self.in_trigger => x.seq_contains_trigger(t, *s, *e),
                Some(Seq) => x.seq_contains(t, *s, *e),
                Some(Set) => x.set_contains(t, *s, *e),
                Some(Multiset) => x.multiset_count(t, *s, *e),
                Some(Map) => x.map_contains(t, *s, *e),
                None => return Err("in what?".to_owned()),
            },
            ("union", Some(Set), [a, b]) => x.set_union(t, *a, *b),
            ("union", Some(Multiset), [a, b]) => x.multiset_union(t, *a, *b),
            ("intersection", Some(Set), [a, b]) => x.set_intersection(t, *a, *b),
            ("intersection", Some(Multiset), [a, b]) => x.multiset_intersection(t, *a, *b),
            ("setminus", Some(Set), [a, b]) => x.set_difference(t, *a, *b),
            ("setminus", Some(Multiset), [a, b]) => x.multiset_difference(t, *a, *b),
            ("subset", Some(Set), [a, b]) => x.set_subset(t, *a, *b),
            ("subset", Some(Multiset), [a, b]) => x.multiset_subset(t, *a, *b),
            ("domain", _, [m]) => x.map_domain(t, *m),
            ("range-of", _, [m]) => x.map_range(t, *m),
            _ => return Err(format!("{head} of {} arguments", arguments.len())),
        })
    }
}
