//! Sums over arrays that are read from somewhere: they are the sums over those arrays.
//!
//! A sum over `this.data[k]` depends on the object, one over `d[k]` on the array, and they are different functions also
//! where `d` is `this.data`. So the first one is defined by the second one, for the array that it reads in its own state. The
//! array is the same for all terms, and a sum changes nothing, so it may be read once.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;

use crate::lower::scope::{Scope, Variable};
use crate::lower::sums::shared_functions::shape;
use crate::lower::sums::sum::SumTerm;
use crate::lower::sums::sum_functions::{SumFunction, SumSize};
use crate::syntax::print_expression;
use crate::syntax::tree::{Expression, ExpressionKind, NodeId};

/// An array that terms are elements of.
struct Base {
    text: String,
    value: s::Expression,
    formal: s::Binding,
}

impl<'t> Scope<'_, 't> {
    /// The sum over the arrays themselves, in the scope of the sum's function; none if it is that already.
    pub(crate) fn sum_over_arrays(
        &mut self,
        term: &SumTerm<'_, 't>,
        reads: &[&'t Expression],
        formals: &[s::Binding],
        range: &(Arc<str>, Arc<str>),
        (result, zero): (&s::Type, &s::Expression),
    ) -> Option<s::Expression> {
        let place = term.place;
        let mut bases: Vec<Base> = Vec::new();
        for read in reads {
            let ExpressionKind::Index(array, index) = &*read.kind else { continue };
            let text = print_expression(array);
            if !self.is_variable(index, term.binding.id) || bases.iter().any(|base| base.text == text) {
                continue;
            }
            let value = self.expression(array);
            if matches!(*value.kind, s::ExpressionKind::Name(_)) {
                continue;
            }
            let ty = self.type_of(array);
            let ty = self.ty(&ty, place);
            let name = self.member.names.fresh("captured");
            let formal = self.at(place).binding(&name, ty);
            bases.push(Base { text, value, formal });
        }
        if bases.is_empty() {
            return None;
        }
        let parts: Vec<&'t Expression> = term.rest.iter().copied().chain([term.body]).collect();
        let mut values = FxHashMap::default();
        parts.iter().for_each(|part| self.stand_for(part, &bases, &mut values));
        let lower = |scope: &mut Self| {
            let left = scope.heap_reads(&parts, term.binding.id)?;
            let preconditions = scope.sum_preconditions(term, &left, range);
            let mut build = scope.at(place);
            let (high, one) = (build.variable(&range.1), build.int(1));
            let last = build.subtract(high, one);
            scope.bindings.variables.insert(term.binding.id, Variable::Value(last.clone()));
            let summand = scope.sum_term(term, zero.clone());
            Some((preconditions, last, summand))
        };
        let lowered = self.with(|scope| &mut scope.spec.values_of_parts, values, lower);
        let (preconditions, last, summand) = lowered?;
        let name = self.lowering.globals.fresh("sum_over_array");
        let is_used = |formal: &&s::Binding| mentions(&summand, &formal.name.text);
        let used: Vec<&s::Binding> = formals.iter().filter(is_used).collect();
        let this = self.bindings.this.clone();
        let is_this =
            |formal: &s::Binding| matches!(&this, Some(Variable::Named(name)) if *name == formal.name.text);
        let size = SumSize::of(&summand, &self.lowering.counts);
        // In the order in which a sum has them that is written with variables.
        let mut build = self.at(place);
        let (mut formals, mut arguments) = (Vec::new(), Vec::new());
        for formal in used.iter().filter(|formal| is_this(formal)) {
            formals.push((*formal).clone());
            arguments.push(build.variable(&formal.name.text));
        }
        for base in bases {
            formals.push(base.formal);
            arguments.push(base.value);
        }
        for formal in used.iter().filter(|formal| !is_this(formal)) {
            formals.push((*formal).clone());
            arguments.push(build.variable(&formal.name.text));
        }
        arguments.extend([build.variable(&range.0), build.variable(&range.1)]);
        let (result, zero) = (result.clone(), zero.clone());
        let function = SumFunction { name: &name, formals, range, result, preconditions, zero, size };
        let function = function.recursive(&mut build, last, summand);
        let member = build.member(s::MemberKind::Function(function));
        let key = shape(std::slice::from_ref(&member), &[&name]);
        let name = match self.lowering.shared.get(&key) {
            Some(known) => known.clone(),
            None => {
                self.lowering.shared.insert(key, name.clone());
                self.lowering.sums.insert(name.clone());
                if size != SumSize::Any {
                    self.lowering.counts.insert(name.clone());
                }
                self.lowering.members.push(member);
                name
            }
        };
        Some(self.at(place).call(&name, arguments))
    }

    /// Lets all places where an array is written stand for its parameter.
    fn stand_for(
        &mut self,
        expression: &'t Expression,
        bases: &[Base],
        values: &mut FxHashMap<NodeId, s::Expression>,
    ) {
        let text = print_expression(expression);
        if let Some(base) = bases.iter().find(|base| base.text == text) {
            let value = self.at(expression.span).variable(&base.formal.name.text);
            values.insert(expression.id, value);
            return;
        }
        expression.kind.for_each_child(&mut |child| self.stand_for(child, bases, values));
    }
}

fn mentions(term: &s::Expression, variable: &str) -> bool {
    let mut found = matches!(&*term.kind, s::ExpressionKind::Name(name) if &*name.text == variable);
    term.kind.for_each_child(&mut |child| found = found || mentions(child, variable));
    found
}
