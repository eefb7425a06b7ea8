//! The functions that sums are: recursive over their ranges, all of whose steps are known where they are few.
//!
//! What is always defined and not on the heap has a function for its terms, with an axiom that says what they are.
//! Fields and elements of arrays are read in the sum's own function. What else a term may need is found out when all
//! functions are known, see [`crate::lower::footprints`]. Places with the same term share a function.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::build::Build;
use crate::lower::names::Names;
use crate::lower::scope::{Scope, Variable};
use crate::lower::sums::footprints::terms::{Replacements, replaced};
use crate::lower::sums::footprints::{Declarations, Owner, SumIndex, Walk};
use crate::lower::sums::shared_functions::shape;
use crate::lower::sums::sum::{SumTerm, TermKind};
use crate::lower::{Lowering, Pending};
use crate::resolve::Type;
use crate::syntax::tree::QuantifierKind;

/// A sum whose function is made when all others are.
pub(crate) struct PendingSum {
    name: Arc<str>,
    captured: Vec<s::Binding>,
    index: Arc<str>,
    range: (Arc<str>, Arc<str>),
    term: s::Expression,
    zero: s::Expression,
    result: s::Type,
    /// A function, the domain that it is in, and its axiom.
    marker: [Arc<str>; 3],
    /// Names of the variables.
    names: Names,
    place: Span,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn sum_of_nothing(&mut self, term: &SumTerm<'_, 't>) -> s::Expression {
        let is_rational = term.kind != QuantifierKind::Count
            && crate::lower::values::types::is_rational(&self.converted_type(term.body));
        let mut build = self.at(term.place);
        if is_rational { build.no_permission() } else { build.int(0) }
    }

    /// Declares the function that is the sum.
    pub(crate) fn declare_sum(&mut self, term: &SumTerm<'_, 't>, kind: &TermKind<'t>) -> Arc<str> {
        let place = term.place;
        let word = if term.kind == QuantifierKind::Count { "count" } else { "sum" };
        let name = self.lowering.globals.fresh(word);
        let result = match term.kind {
            QuantifierKind::Count => Type::Int,
            _ => self.converted_type(term.body),
        };
        let zero = self.sum_of_nothing(term);
        let fresh = |scope: &mut Self, end: &str| scope.lowering.globals.fresh(&format!("{name}_{end}"));
        let names = match kind {
            TermKind::Partial => [fresh(self, "index"), fresh(self, "indices"), fresh(self, "index_value")],
            _ => [fresh(self, "term"), fresh(self, "terms"), fresh(self, "term_value")],
        };
        let (mut scope, formals) = self.function_scope(term.captures, place);
        scope.spec.in_sum_term = true;
        let result = scope.ty(&result, place);
        let captured: Vec<Arc<str>> = formals.iter().map(|formal| formal.name.text.clone()).collect();
        let range = (scope.member.names.fresh("low"), scope.member.names.fresh("high"));
        let mut build = scope.at(place);
        let (high, one) = (build.variable(&range.1), build.int(1));
        let last = build.subtract(high, one);
        let mut members = Vec::new();
        let mut over_arrays = None;
        let (preconditions, summand, size) = match kind {
            TermKind::Reads(reads) => {
                let preconditions = scope.sum_preconditions(term, reads, &range);
                scope.bindings.variables.insert(term.binding.id, Variable::Value(last.clone()));
                let summand = scope.sum_term(term, zero.clone());
                over_arrays = scope.sum_over_arrays(term, reads, &formals, &range, (&result, &zero));
                let size = SumSize::of(&summand, &scope.lowering.counts);
                (preconditions, summand, size)
            }
            TermKind::Total => {
                let index = scope.declare(term.binding.id, "index");
                let value = scope.sum_term(term, zero.clone());
                let size = SumSize::of(&value, &scope.lowering.counts);
                let mut build = scope.at(place);
                let int = build.ty(s::TypeKind::Int);
                let mut formals = formals.clone();
                formals.push(build.binding(&index, int));
                members.push(function_domain(&mut build, &names, formals, &result, value));
                let mut all: Vec<s::Expression> = captured.iter().map(|name| build.variable(name)).collect();
                all.push(last.clone());
                (Vec::new(), build.call(&names[0], all), size)
            }
            TermKind::Partial => {
                let index = scope.declare(term.binding.id, "index");
                let value = scope.sum_term(term, zero.clone());
                let names_of_variables = scope.member.names.clone();
                let pending = PendingSum {
                    name: name.clone(),
                    captured: formals,
                    index,
                    range,
                    term: value,
                    zero,
                    result,
                    marker: names,
                    names: names_of_variables,
                    place,
                };
                return self.add_pending(pending);
            }
        };
        let mut build = scope.at(place);
        let function = SumFunction { name: &name, formals, range: &range, result, preconditions, zero, size };
        let function = match over_arrays {
            Some(sum) => function.named(&mut build, sum),
            None => function.recursive(&mut build, last, summand),
        };
        members.push(s::MemberKind::Function(function));
        let members: Vec<s::Member> = members.into_iter().map(|kind| build.member(kind)).collect();
        let key = shape(&members, &[&name, &names[0], &names[1], &names[2]]);
        if let Some(known) = self.lowering.shared.get(&key) {
            return known.clone();
        }
        self.lowering.shared.insert(key, name.clone());
        self.lowering.sums.insert(name.clone());
        if size != SumSize::Any {
            self.lowering.counts.insert(name.clone());
        }
        self.lowering.members.extend(members);
        name
    }

    fn add_pending(&mut self, pending: PendingSum) -> Arc<str> {
        let mut formals = pending.captured.clone();
        let mut build = self.at(pending.place);
        for name in [&pending.index, &pending.range.0, &pending.range.1] {
            let int = build.ty(s::TypeKind::Int);
            formals.push(build.binding(name, int));
        }
        let function = s::Function {
            name: build.name(&pending.name),
            formals,
            result: pending.result.clone(),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: Some(pending.term.clone()),
        };
        let member = build.member(s::MemberKind::Function(function));
        let key = shape(&[member], &[&pending.name]);
        if let Some(known) = self.lowering.shared.get(&key) {
            return known.clone();
        }
        self.lowering.shared.insert(key, pending.name.clone());
        self.lowering.sums.insert(pending.name.clone());
        let name = pending.name.clone();
        self.lowering.pending.push(Pending::Sum(pending));
        name
    }

    /// What a value of the variable adds.
    pub(crate) fn sum_term(&mut self, term: &SumTerm<'_, 't>, zero: s::Expression) -> s::Expression {
        // Conditions of an inner sum are among its own.
        let rest = if term.inner.is_empty() { term.rest } else { &[] };
        let mut guards: Vec<s::Expression> = rest.iter().map(|part| self.expression(part)).collect();
        let value = self.added_value(term);
        let mut build = self.at(term.place);
        let value = if term.kind == QuantifierKind::Count && term.inner.is_empty() {
            guards.push(value);
            build.int(1)
        } else {
            value
        };
        if guards.is_empty() {
            return value;
        }
        let guard = build.all(guards);
        build.conditional(guard, value, zero)
    }
}

impl Lowering<'_> {
    /// Makes the function of a sum that had to wait, and those that it uses.
    pub(crate) fn complete_sum(
        &mut self,
        pending: PendingSum,
        declarations: &mut Declarations,
    ) -> Vec<s::Member> {
        let PendingSum { name, captured, index, range, term, zero, result, marker, mut names, place } =
            pending;
        let mut index = SumIndex {
            name: index,
            low: range.0.clone(),
            high: range.1.clone(),
            marker: marker[0].clone(),
            is_marked: false,
        };
        let term = replaced(&term, &Replacements::default(), &mut names);
        let mut walk = Walk::new(declarations, &mut names, &mut self.origins, place);
        let guarded = walk.term(&term).and_then(|()| walk.guarded(&term));
        let term = match guarded {
            Ok(term) => term,
            Err(refusal) => {
                self.refuse(&refusal, "the term of a sum");
                return Vec::new();
            }
        };
        let check = walk.close(0);
        let mut formals = captured.clone();
        for bound in [&range.0, &range.1] {
            let mut build = walk.at();
            let int = build.ty(s::TypeKind::Int);
            formals.push(build.binding(bound, int));
        }
        let mut owner =
            Owner { name: &name, formals: &formals, globals: &mut self.globals, members: Vec::new() };
        let preconditions = walk.preconditions(&mut owner, Some(&mut index));
        let readers = owner.members;
        let size = SumSize::of(&term, &self.counts);
        if size != SumSize::Any {
            self.counts.insert(name.clone());
        }
        let mut build = self.at(place);
        let term = match check {
            Some(check) => build.conditional(check, term, zero.clone()),
            None => term,
        };
        let (high, one) = (build.variable(&range.1), build.int(1));
        let last = build.subtract(high, one);
        let at = if index.is_marked { build.call(&marker[0], vec![last.clone()]) } else { last.clone() };
        let replacements = Replacements::from_iter([(index.name.clone(), at)]);
        let summand = replaced(&term, &replacements, &mut names);
        let mut members = Vec::new();
        if index.is_marked {
            let int = build.ty(s::TypeKind::Int);
            let formals = vec![build.binding(&index.name, int.clone())];
            let value = build.variable(&index.name);
            members.push(function_domain(&mut build, &marker, formals, &int, value));
        }
        for reader in readers {
            declarations.add_function(&reader);
            members.push(s::MemberKind::Function(reader));
        }
        let function =
            SumFunction { name: &name, formals: captured, range: &range, result, preconditions, zero, size };
        let function = function.recursive(&mut build, last, summand);
        declarations.add_function(&function);
        members.push(s::MemberKind::Function(function));
        members.into_iter().map(|kind| build.member(kind)).collect()
    }
}

/// A function whose axiom says what it is.
fn function_domain(
    build: &mut Build<'_>,
    [function, domain, axiom]: &[Arc<str>; 3],
    formals: Vec<s::Binding>,
    result: &s::Type,
    value: s::Expression,
) -> s::MemberKind {
    let all: Vec<s::Expression> = formals.iter().map(|formal| build.variable(&formal.name.text)).collect();
    let applied = build.call(function, all);
    let equal = build.equal(applied.clone(), value);
    let triggers = vec![build.trigger(vec![applied])];
    let body = build.forall(formals.clone(), triggers, equal);
    s::MemberKind::Domain(s::Domain {
        name: build.name(domain),
        parameters: None,
        interpretations: None,
        functions: vec![s::DomainFunction {
            annotations: Vec::new(),
            unique: false,
            name: build.name(function),
            formals: formals.into_iter().map(|binding| (Some(binding.name), binding.ty)).collect(),
            result: result.clone(),
            interpretation: None,
            span: build.node(crate::lower::Role::Plain),
        }],
        axioms: vec![s::Axiom {
            annotations: Vec::new(),
            name: Some(build.name(axiom)),
            body,
            span: build.node(crate::lower::Role::Plain),
        }],
    })
}

/// The function for a sum, but for what the sum is.
pub(crate) struct SumFunction<'a> {
    pub(crate) name: &'a Arc<str>,
    /// Without the bounds.
    pub(crate) formals: Vec<s::Binding>,
    /// The names of the bounds.
    pub(crate) range: &'a (Arc<str>, Arc<str>),
    pub(crate) result: s::Type,
    pub(crate) preconditions: Vec<s::Specification>,
    /// The sum of nothing.
    pub(crate) zero: s::Expression,
    pub(crate) size: SumSize,
}

/// What is known of every value of a sum, by what it adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SumSize {
    Any,
    /// Each term is a count.
    Counts,
    /// Each term is zero or one.
    Count,
}

impl SumSize {
    /// For a term; `counts` are the functions of sums that are never negative.
    pub(crate) fn of(term: &s::Expression, counts: &FxHashSet<Arc<str>>) -> SumSize {
        use s::ExpressionKind::{Call, Conditional, Int};
        match &*term.kind {
            Int(digits) if matches!(&**digits, "0" | "1") => SumSize::Count,
            Call(name, ..) if counts.contains(&name.text) => SumSize::Counts,
            Conditional(_, then, otherwise) => {
                match (SumSize::of(then, counts), SumSize::of(otherwise, counts)) {
                    (SumSize::Any, _) | (_, SumSize::Any) => SumSize::Any,
                    (SumSize::Count, SumSize::Count) => SumSize::Count,
                    _ => SumSize::Counts,
                }
            }
            _ => SumSize::Any,
        }
    }
}

impl SumFunction<'_> {
    /// The sum from the front to the back; `summand` is what the last step adds.
    pub(crate) fn recursive(
        self,
        build: &mut Build<'_>,
        last: s::Expression,
        summand: s::Expression,
    ) -> s::Function {
        let (low, high) = self.range;
        let mut shorter: Vec<s::Expression> =
            self.formals.iter().map(|formal| build.variable(&formal.name.text)).collect();
        shorter.extend([build.variable(low), last]);
        let shorter = build.call(self.name, shorter);
        let sum = build.binary(s::BinaryOperator::Add, shorter, summand);
        let (low_value, high_value) = (build.variable(low), build.variable(high));
        let is_empty = build.at_most(high_value.clone(), low_value.clone());
        // Only one step of a recursion is known by its definition; all steps of a short one are known by what it
        // ensures.
        let value = build.expression(s::ExpressionKind::Result);
        let nothing = build.equal(value.clone(), self.zero.clone());
        let nothing = build.implies(is_empty, nothing);
        let size = build.int(limits::SHORT_SUM);
        let end = build.binary(s::BinaryOperator::Add, low_value.clone(), size);
        let something = build.less(low_value.clone(), high_value.clone());
        let is_short = build.at_most(high_value.clone(), end);
        let is_short = build.and(something.clone(), is_short);
        let step = build.equal(value.clone(), sum.clone());
        let step = build.implies(is_short, step);
        let mut postconditions = vec![build.specification(nothing)];
        if self.size != SumSize::Any {
            let zero = build.int(0);
            let is_natural = build.at_most(zero, value.clone());
            postconditions.push(build.specification(is_natural));
        }
        if self.size == SumSize::Count {
            let count = build.subtract(high_value.clone(), low_value.clone());
            let is_bounded = build.at_most(value.clone(), count);
            let is_bounded = build.implies(something.clone(), is_bounded);
            postconditions.push(build.specification(is_bounded));
        }
        // The solver would have to prove that two quantifiers over the heap say the same, which may fail.
        if !has_quantifier(&sum) {
            postconditions.push(build.specification(step));
        }
        s::Function { postconditions, ..self.named(build, sum) }
    }

    /// The sum that another function is, if there are terms at all.
    fn named(mut self, build: &mut Build<'_>, sum: s::Expression) -> s::Function {
        let (low, high) = self.range;
        let (low_value, high_value) = (build.variable(low), build.variable(high));
        let is_empty = build.at_most(high_value, low_value);
        let body = Some(build.conditional(is_empty, self.zero, sum));
        self.preconditions.push(length_decreases(build, low, high));
        add_bounds(build, &mut self.formals, low, high);
        s::Function {
            name: build.name(self.name),
            formals: self.formals,
            result: self.result,
            preconditions: self.preconditions,
            postconditions: Vec::new(),
            body,
        }
    }
}

/// Tells the prover which functions are sums, and which parameters are their ranges: it knows a few steps of each, so that
/// failures have to be looked at again.
pub(crate) fn tell_ranges(members: &mut [s::Member], sums: &FxHashSet<Arc<str>>) {
    for member in members {
        let s::MemberKind::Function(function) = &member.kind else { continue };
        if !sums.contains(&function.name.text) {
            continue;
        }
        // The bounds are the last parameters.
        let Some([low, high]) = function.formals.last_chunk() else { continue };
        let values = [low, high].map(|bound| bound.name.text.clone()).into();
        member.annotations.push(s::Annotation { key: "range".into(), values, span: member.span });
    }
}

fn length_decreases(build: &mut Build<'_>, low: &Arc<str>, high: &Arc<str>) -> s::Specification {
    let (low, high) = (build.variable(low), build.variable(high));
    let measure = s::Measure::Tuple(vec![build.subtract(high, low)]);
    let span = build.node(crate::lower::Role::Plain);
    let kind = s::SpecificationKind::Decreases(s::Decreases { measure, condition: None, span });
    s::Specification { kind, span }
}

fn add_bounds(build: &mut Build<'_>, formals: &mut Vec<s::Binding>, low: &Arc<str>, high: &Arc<str>) {
    for bound in [low, high] {
        let int = build.ty(s::TypeKind::Int);
        formals.push(build.binding(bound, int));
    }
}

fn has_quantifier(term: &s::Expression) -> bool {
    use s::ExpressionKind::{Exists, Forall};
    let mut found = matches!(&*term.kind, Forall { .. } | Exists { .. });
    term.kind.for_each_child(&mut |child| found = found || has_quantifier(child));
    found
}
