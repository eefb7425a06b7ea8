//! Collections: literals, comprehensions, subscripts and updates.

use std::sync::Arc;

use super::checker::Checker;
use super::{Subscript, Type};
use crate::codes;
use crate::syntax::tree::{CollectionKind, Expression, ExpressionKind, Selector};

impl<'tree> Checker<'tree> {
    pub(super) fn collection(
        &mut self,
        kind: CollectionKind,
        element: Option<&'tree crate::syntax::tree::Type>,
        elements: &'tree [Expression],
        wish: Option<&Type>,
    ) -> Type {
        let make = |element: Type| match kind {
            CollectionKind::Seq => Type::Seq(Arc::new(element)),
            CollectionKind::Set => Type::Set(Arc::new(element)),
            CollectionKind::Bag => Type::Bag(Arc::new(element)),
            CollectionKind::Vector => Type::Vector(Arc::new(element), elements.len() as u64),
        };
        if let Some(element) = element {
            let element = self.written_value(element);
            self.check_all(elements, &element);
            return make(element);
        }
        let wished = match (kind, wish) {
            (CollectionKind::Seq, Some(Type::Seq(element)))
            | (CollectionKind::Set, Some(Type::Set(element)))
            | (CollectionKind::Bag, Some(Type::Bag(element))) => Some((**element).clone()),
            _ => None,
        };
        let types: Vec<Type> = elements.iter().map(|it| self.infer(it, wished.as_ref())).collect();
        let common = types.iter().try_fold(Type::Nothing, |common, ty| common.common(ty));
        let target = match (wished, common) {
            (Some(wished), Some(common)) if common.fits(&wished) => wished,
            (_, Some(common)) => common.as_value(),
            (wished, None) => wished.or_else(|| types.first().cloned()).unwrap_or(Type::Unknown),
        };
        for (element, ty) in elements.iter().zip(&types) {
            self.convert(element, ty, &target);
        }
        make(target)
    }

    pub(super) fn selector(&mut self, selector: &'tree Selector) {
        let ty = self.written_value(&selector.ty);
        if let Some(source) = &selector.source {
            let found = self.infer(source, None);
            match &found {
                Type::Seq(element) | Type::Set(element) | Type::Bag(element) => {
                    if !element.fits(&ty) {
                        self.error(
                            codes::TYPE,
                            selector.span,
                            format!("the elements have the type `{}`", self.show(element)),
                            "give the variable the type of the elements",
                        );
                    }
                }
                other => self.unexpected(source, other, "a sequence, set or bag"),
            }
        }
        self.set_variable(selector.id, ty);
        self.declare(&selector.name, selector.id, true);
    }

    pub(super) fn index(
        &mut self,
        expression: &'tree Expression,
        base: &'tree Expression,
        index: &'tree Expression,
    ) -> Type {
        let ty = self.infer(base, None);
        if matches!(&*index.kind, ExpressionKind::AnyIndex) {
            self.infer(index, None);
            if !self.context.location || !matches!(ty, Type::Array(_) | Type::Pointer(_) | Type::Unknown) {
                self.error(
                    codes::ANY_INDEX,
                    index.span,
                    "`*` stands for all indices only in a permission to elements of an array",
                    "write `Perm(a[*], amount)`, or quantify with `\\forall*`",
                );
            }
        } else {
            match &ty {
                Type::Map(key, _) => {
                    let key = key.clone();
                    self.check(index, &key);
                }
                Type::Unknown => {
                    self.infer(index, None);
                }
                _ => self.check(index, &Type::Int),
            }
        }
        let (subscript, element) = match &ty {
            Type::Array(element) => (Subscript::Array, (**element).clone()),
            Type::Seq(element) => (Subscript::Seq, (**element).clone()),
            Type::Map(_, value) => (Subscript::Map, (**value).clone()),
            Type::Pointer(element) => (Subscript::Pointer, (**element).clone()),
            Type::Vector(element, _) => (Subscript::Vector, (**element).clone()),
            Type::String => (Subscript::String, Type::Char),
            other => {
                self.unexpected(base, other, "an array, sequence, map or pointer");
                return Type::Unknown;
            }
        };
        self.resolution.subscripts.insert(expression.id, subscript);
        element
    }

    /// What only sequences can: be cut and updated.
    pub(super) fn sequence_subscript(
        &mut self,
        expression: &Expression,
        base: &Expression,
        ty: Type,
        what: &str,
    ) -> Type {
        let subscript = match &ty {
            Type::Seq(_) => Subscript::Seq,
            Type::String => Subscript::String,
            other => {
                if matches!(other, Type::Array(_)) {
                    self.error(
                        codes::TYPE,
                        base.span,
                        format!("an array cannot be {what} like a sequence"),
                        "`\\values(a, i, j)` is the sequence of the values from `i` to `j`",
                    );
                } else {
                    self.unexpected(base, other, "a sequence");
                }
                return Type::Unknown;
            }
        };
        self.resolution.subscripts.insert(expression.id, subscript);
        ty
    }

    pub(super) fn update(
        &mut self,
        expression: &'tree Expression,
        base: &'tree Expression,
        index: &'tree Expression,
        value: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        let ty = self.infer(base, wish);
        match &ty {
            Type::Map(key, element) => {
                self.check(index, key);
                self.check(value, element);
                self.resolution.subscripts.insert(expression.id, Subscript::Map);
                ty
            }
            Type::Vector(element, _) => {
                self.check(index, &Type::Int);
                self.check(value, element);
                self.resolution.subscripts.insert(expression.id, Subscript::Vector);
                ty
            }
            Type::Seq(element) => {
                self.check(index, &Type::Int);
                self.check(value, element);
                self.sequence_subscript(expression, base, ty.clone(), "updated")
            }
            _ => {
                self.infer(index, None);
                self.infer(value, None);
                self.sequence_subscript(expression, base, ty, "updated")
            }
        }
    }
}
