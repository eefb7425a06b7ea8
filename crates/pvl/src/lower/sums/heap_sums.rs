//! What a sum over the heap needs: permission to read its terms.
//!
//! The terms are fields and elements of arrays. An array is the same for all terms; its element belongs to the term, or
//! is the same for all terms, too. What other terms need is found out from their Silver, see [`crate::lower::footprints`].

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::lower::sums::sum::SumTerm;
use crate::lower::terms::triggers::is_application;
use crate::resolve::{Member, NameTarget, Selection, Subscript};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, NodeId};

impl<'t> Scope<'_, 't> {
    /// Collects what is read, what it is read from first. Whether there is nothing else.
    pub(crate) fn heap_reads(
        &self,
        expression: &'t Expression,
        variable: NodeId,
        reads: &mut Vec<&'t Expression>,
    ) -> bool {
        use BinaryOperator as B;
        if self.spec.values_of_parts.contains_key(&expression.id) {
            return true;
        }
        let mut children = Vec::new();
        expression.kind.for_each_child(&mut |child| children.push(child));
        if !children.into_iter().all(|child| self.heap_reads(child, variable, reads)) {
            return false;
        }
        let is_fixed = |part: &Expression| !self.mentions(part, &[variable]);
        match &*expression.kind {
            ExpressionKind::Int(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Null
            | ExpressionKind::This
            | ExpressionKind::Unary(..)
            | ExpressionKind::Conditional(..)
            | ExpressionKind::Size(_) => true,
            ExpressionKind::Name(_) => {
                match self.resolution.names.get(&expression.id) {
                    Some(NameTarget::Field(_) | NameTarget::StaticField(_)) => reads.push(expression),
                    Some(NameTarget::ModelField(_)) => return false,
                    _ => {}
                }
                true
            }
            ExpressionKind::Binary(operator, _, right) => match operator {
                B::Divide | B::Modulo => {
                    matches!(&*right.kind, ExpressionKind::Int(digits) if digits.bytes().any(|digit| digit != b'0'))
                }
                B::Wand | B::Star | B::FractionDivide | B::Power | B::Prepend | B::Append => false,
                _ => true,
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Member(Member::ArrayLength)) if is_fixed(object) => {
                    reads.push(expression);
                    true
                }
                Some(Selection::Member(_)) => false,
                _ if is_fixed(object) => {
                    reads.push(expression);
                    true
                }
                _ => false,
            },
            ExpressionKind::Index(array, index) => {
                let is_array = self.resolution.subscripts.get(&expression.id) == Some(&Subscript::Array);
                reads.push(expression);
                is_array && is_fixed(array) && (is_fixed(index) || self.is_variable(index, variable))
            }
            _ => false,
        }
    }

    pub(crate) fn is_variable(&self, expression: &Expression, variable: NodeId) -> bool {
        matches!(*expression.kind, ExpressionKind::Name(_))
            && self.resolution.names.get(&expression.id) == Some(&NameTarget::Variable(variable))
    }

    /// Permission to read all that is read where there is a term at all.
    pub(crate) fn sum_preconditions(
        &mut self,
        term: &SumTerm<'_, 't>,
        reads: &[&'t Expression],
        range: &(Arc<str>, Arc<str>),
    ) -> Vec<s::Specification> {
        let mut preconditions = Vec::new();
        let mut texts = FxHashSet::default();
        for read in reads {
            if !texts.insert(crate::syntax::print_expression(read)) {
                continue;
            }
            let needed = self.needed_to_read(term, read, range);
            let mut build = self.at(read.span);
            let (low, high) = (build.variable(&range.0), build.variable(&range.1));
            let is_any = build.less(low, high);
            for needed in needed {
                let needed = build.implies(is_any.clone(), needed);
                preconditions.push(build.specification(needed));
            }
        }
        preconditions
    }

    fn needed_to_read(
        &mut self,
        term: &SumTerm<'_, 't>,
        read: &'t Expression,
        (low, high): &(Arc<str>, Arc<str>),
    ) -> Vec<s::Expression> {
        let place = read.span;
        match &*read.kind {
            ExpressionKind::Index(array, index) => {
                let base = self.expression(array);
                let is_each = self.is_variable(index, term.binding.id);
                let name = is_each.then(|| self.declare(term.binding.id, &term.binding.name.text));
                let location = self.array_location(array, index, Role::Plain, read);
                let position = if is_each { None } else { Some(self.expression(index)) };
                let mut build = self.at(place);
                let null = build.call("array_null", Vec::new());
                let mut needed = vec![build.different(base.clone(), null)];
                let length = build.call("length", vec![base.clone()]);
                let wildcard = build.wildcard();
                let access = build.access(location, wildcard);
                let (low, high, zero) = (build.variable(low), build.variable(high), build.int(0));
                match (name, position) {
                    (Some(name), _) => {
                        needed.push(build.at_most(zero, low.clone()));
                        needed.push(build.at_most(high.clone(), length));
                        let variable = build.variable(&name);
                        let trigger = build.call("element", vec![base, variable.clone()]);
                        let mut triggers = Vec::new();
                        if is_application(&trigger) {
                            triggers.push(build.trigger(vec![trigger]));
                        }
                        let inside = build.within(low, variable, high);
                        let body = build.implies(inside, access);
                        let int = build.ty(s::TypeKind::Int);
                        let binding = build.binding(&name, int);
                        needed.push(build.forall(vec![binding], triggers, body));
                    }
                    (None, Some(position)) => {
                        needed.push(build.within(zero, position, length));
                        needed.push(access);
                    }
                    (None, None) => {}
                }
                needed
            }
            ExpressionKind::Field(array, _)
                if matches!(self.resolution.selections.get(&read.id), Some(Selection::Member(_))) =>
            {
                let base = self.expression(array);
                let mut build = self.at(place);
                let null = build.call("array_null", Vec::new());
                vec![build.different(base, null)]
            }
            _ => {
                let location = self.expression(read);
                let mut build = self.at(place);
                let null = build.null();
                match &*location.kind {
                    s::ExpressionKind::Field(receiver, _) => {
                        let exists = build.different(receiver.clone(), null);
                        let wildcard = build.wildcard();
                        vec![exists, build.access(location.clone(), wildcard)]
                    }
                    // A final field is a function of its object.
                    s::ExpressionKind::Call(_, arguments, _) => match arguments.first() {
                        Some(receiver) => vec![build.different(receiver.clone(), null)],
                        None => Vec::new(),
                    },
                    _ => Vec::new(),
                }
            }
        }
    }
}
