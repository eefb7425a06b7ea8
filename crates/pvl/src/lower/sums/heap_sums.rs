//! What a sum over the heap needs: permission to read its terms.
//!
//! The terms are fields and elements of arrays that every term reads. An array is the same for all terms; its element
//! belongs to the term, or is the same for all terms, too. What other terms need, also those that read something only
//! under a condition, is found out from their Silver, see [`crate::lower::footprints`].

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::lower::sums::sum::SumTerm;
use crate::lower::terms::triggers::is_application;
use crate::resolve::{Member, NameTarget, Selection, Subscript};
use crate::syntax::print_expression;
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, NodeId};

/// What terms read, each text once.
#[derive(Default)]
struct HeapReads<'t> {
    found: Vec<&'t Expression>,
    texts: FxHashSet<String>,
    /// Whether what is read now is not read by every term.
    is_conditional: bool,
}

impl<'t> HeapReads<'t> {
    /// Whether every term reads it; what only some terms read has to be asked for under their conditions.
    fn add(&mut self, read: &'t Expression) -> bool {
        let text = print_expression(read);
        if self.texts.contains(&text) {
            return true;
        }
        if self.is_conditional {
            return false;
        }
        self.texts.insert(text);
        self.found.push(read);
        true
    }
}

impl<'t> Scope<'_, 't> {
    /// What the parts of a term read, what it is read from first; none if they do anything else. Each part is
    /// evaluated only where those before it hold.
    pub(crate) fn heap_reads(
        &self,
        parts: &[&'t Expression],
        variable: NodeId,
    ) -> Option<Vec<&'t Expression>> {
        let mut reads = HeapReads::default();
        for (position, part) in parts.iter().enumerate() {
            reads.is_conditional = position > 0;
            if !self.add_heap_reads(part, variable, &mut reads) {
                return None;
            }
        }
        Some(reads.found)
    }

    /// What the operands read; those behind the first one of `&&`, `||`, `==>` and `? :` are not always evaluated.
    fn add_operands(&self, expression: &'t Expression, variable: NodeId, reads: &mut HeapReads<'t>) -> bool {
        use BinaryOperator::{And, Implies, Or};
        let is_lazy = matches!(
            &*expression.kind,
            ExpressionKind::Conditional(..) | ExpressionKind::Binary(And | Or | Implies, ..)
        );
        let mut children = Vec::new();
        expression.kind.for_each_child(&mut |child| children.push(child));
        let outside = reads.is_conditional;
        let mut is_simple = true;
        for (position, child) in children.into_iter().enumerate() {
            reads.is_conditional = outside || (is_lazy && position > 0);
            is_simple = is_simple && self.add_heap_reads(child, variable, reads);
        }
        reads.is_conditional = outside;
        is_simple
    }

    fn add_heap_reads(
        &self,
        expression: &'t Expression,
        variable: NodeId,
        reads: &mut HeapReads<'t>,
    ) -> bool {
        use BinaryOperator as B;
        if self.spec.values_of_parts.contains_key(&expression.id) {
            return true;
        }
        if !self.add_operands(expression, variable, reads) {
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
            ExpressionKind::Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Field(_) | NameTarget::StaticField(_)) => reads.add(expression),
                Some(NameTarget::ModelField(_)) => false,
                _ => true,
            },
            ExpressionKind::Binary(operator, _, right) => match operator {
                B::Divide | B::Modulo => {
                    matches!(&*right.kind, ExpressionKind::Int(digits) if digits.bytes().any(|digit| digit != b'0'))
                }
                B::Wand | B::Star | B::FractionDivide | B::Power | B::Prepend | B::Append => false,
                _ => true,
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Member(Member::ArrayLength)) => is_fixed(object) && reads.add(expression),
                Some(Selection::Member(_)) => false,
                _ => is_fixed(object) && reads.add(expression),
            },
            ExpressionKind::Index(array, index) => {
                let is_array = self.resolution.subscripts.get(&expression.id) == Some(&Subscript::Array);
                is_array
                    && is_fixed(array)
                    && (is_fixed(index) || self.is_variable(index, variable))
                    && reads.add(expression)
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
        for read in reads {
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
