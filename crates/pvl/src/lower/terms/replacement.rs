//! Terms over several index variables as terms over one position: each variable becomes a digit of the position.

use std::sync::Arc;

use silver::syntax::tree as s;

use crate::lower::terms::polynomials::{Atoms, Polynomial};

/// What stands for the variables: a position and its digits.
pub(super) struct Replacement<'a> {
    pub(super) names: &'a [Arc<str>],
    pub(super) position: &'a Polynomial,
    /// The position first.
    pub(super) by: Vec<(Arc<str>, s::Expression)>,
}

impl Replacement<'_> {
    fn digit(&self, name: &Arc<str>) -> Option<s::Expression> {
        self.by.iter().skip(1).find(|(known, _)| known == name).map(|(_, digit)| digit.clone())
    }

    /// The term with digits for variables; `None` if it has parts that are not known here.
    pub(super) fn apply(&self, term: &s::Expression, atoms: &mut Atoms) -> Option<s::Expression> {
        use s::ExpressionKind::*;
        if !mentions(term, self.names) {
            return Some(term.clone());
        }
        if let Binary(s::BinaryOperator::Add | s::BinaryOperator::Subtract | s::BinaryOperator::Multiply, ..) =
            &*term.kind
            && atoms.polynomial(term).as_ref() == Some(self.position)
        {
            return self.by.first().map(|(_, position)| position.clone());
        }
        let mut apply = |term: &s::Expression| self.apply(term, atoms);
        let kind = match &*term.kind {
            Name(name) => return self.digit(&name.text),
            Unary(operator, operand) => Unary(*operator, apply(operand)?),
            Binary(operator, left, right) => Binary(*operator, apply(left)?, apply(right)?),
            Conditional(condition, then, otherwise) => {
                Conditional(apply(condition)?, apply(then)?, apply(otherwise)?)
            }
            Field(object, name) => Field(apply(object)?, name.clone()),
            Call(name, arguments, ty) => {
                let arguments = arguments.iter().map(apply).collect::<Option<Vec<_>>>()?;
                Call(name.clone(), arguments, ty.clone())
            }
            Access(location, amount) => {
                let location = apply(location)?;
                let amount = match amount {
                    Some(amount) => Some(apply(amount)?),
                    None => None,
                };
                Access(location, amount)
            }
            CurrentPermission(location) => CurrentPermission(apply(location)?),
            Old(label, operand) => Old(label.clone(), apply(operand)?),
            Index(base, index) => Index(apply(base)?, apply(index)?),
            Size(operand) => Size(apply(operand)?),
            _ => return None,
        };
        Some(s::Expression::new(kind, term.span))
    }
}

/// Whether one of the variables occurs.
pub(super) fn mentions(expression: &s::Expression, names: &[Arc<str>]) -> bool {
    if let s::ExpressionKind::Name(name) = &*expression.kind {
        return names.contains(&name.text);
    }
    let mut found = false;
    expression.kind.for_each_child(&mut |child| found = found || mentions(child, names));
    found
}
