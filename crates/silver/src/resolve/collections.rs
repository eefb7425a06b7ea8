//! Inference for sequences, sets, multisets and maps: literals, lookups, slices and updates.

use source::Span;

use super::checker::Checker;
use super::draft::Draft;
use super::operators::{binary_node, signature, unary_node};
use super::unify::Ty;
use crate::syntax::tree::{self, CollectionKind};
use crate::typed::{BinaryOperator, ExpressionKind, ExpressionRef, MapEntry, Type, UnaryOperator};

impl Checker {
    pub(super) fn range(&mut self, low: &tree::Expression, high: &tree::Expression, span: Span) -> Draft {
        let operands = vec![self.infer(low), self.infer(high)];
        let build = binary_node(|_, _| BinaryOperator::SeqRange);
        self.simple(operands, &[Ty::Int, Ty::Int], Ty::seq(Ty::Int), span, build)
    }

    pub(super) fn index(&mut self, base: &tree::Expression, index: &tree::Expression, span: Span) -> Draft {
        let operands = vec![self.infer(base), self.infer(index)];
        let (element, key, value) = (self.solver.fresh(), self.solver.fresh(), self.solver.fresh());
        let candidates = vec![
            signature(&[Ty::seq(element.clone()), Ty::Int], element),
            signature(&[Ty::map(key.clone(), value.clone()), key], value),
        ];
        let build = binary_node(|base, _| match base {
            Type::Map(..) => BinaryOperator::MapLookup,
            _ => BinaryOperator::SeqIndex,
        });
        self.overloaded(operands, candidates, span, build)
    }

    pub(super) fn slice(
        &mut self,
        base: &tree::Expression,
        low: Option<&tree::Expression>,
        high: Option<&tree::Expression>,
        span: Span,
    ) -> Draft {
        let mut operands = vec![self.infer(base)];
        let (has_low, has_high) = (low.is_some(), high.is_some());
        operands.extend(low.map(|low| self.infer(low)));
        operands.extend(high.map(|high| self.infer(high)));
        let seq = Ty::seq(self.solver.fresh());
        let mut expected = vec![seq.clone()];
        expected.resize(operands.len(), Ty::Int);
        self.simple(operands, &expected, seq, span, move |children, ty| {
            let mut children = children.into_iter();
            let base = children.next();
            let low = if has_low { children.next() } else { None };
            let high = if has_high { children.next() } else { None };
            // The upper bound is taken first, so that it counts from the start of the whole sequence.
            match (base, low, high) {
                (Some(base), None, Some(high)) => ExpressionKind::Binary(BinaryOperator::SeqTake, base, high),
                (Some(base), Some(low), None) => ExpressionKind::Binary(BinaryOperator::SeqDrop, base, low),
                (Some(base), Some(low), Some(high)) => {
                    let taken = ExpressionKind::Binary(BinaryOperator::SeqTake, base, high);
                    let taken = crate::typed::Expression::new(taken, ty.clone(), span);
                    ExpressionKind::Binary(BinaryOperator::SeqDrop, taken, low)
                }
                (Some(base), None, None) => base.kind.clone(),
                (None, _, _) => ExpressionKind::Bool(true),
            }
        })
    }

    pub(super) fn update(
        &mut self,
        base: &tree::Expression,
        key: &tree::Expression,
        value: &tree::Expression,
        span: Span,
    ) -> Draft {
        let operands = vec![self.infer(base), self.infer(key), self.infer(value)];
        let (element, key, value) = (self.solver.fresh(), self.solver.fresh(), self.solver.fresh());
        let (seq, map) = (Ty::seq(element.clone()), Ty::map(key.clone(), value.clone()));
        let candidates = vec![
            signature(&[seq.clone(), Ty::Int, element], seq),
            signature(&[map.clone(), key, value], map),
        ];
        self.overloaded(operands, candidates, span, |children, ty| {
            let [base, key, value] =
                <[ExpressionRef; 3]>::try_from(children).unwrap_or_else(|mut children| {
                    let first = children.remove(0);
                    [first.clone(), first.clone(), first]
                });
            match ty {
                Type::Map(..) => ExpressionKind::MapUpdate { base, key, value },
                _ => ExpressionKind::SeqUpdate { base, index: key, value },
            }
        })
    }

    pub(super) fn size(&mut self, operand: &tree::Expression, span: Span) -> Draft {
        let operand = self.infer(operand);
        let (element, key) = (self.solver.fresh(), self.solver.fresh());
        let candidates = vec![
            signature(&[Ty::seq(element.clone())], Ty::Int),
            signature(&[Ty::set(element.clone())], Ty::Int),
            signature(&[Ty::multiset(element.clone())], Ty::Int),
            signature(&[Ty::map(key, element)], Ty::Int),
        ];
        let build = unary_node(|operand| match operand {
            Type::Set(_) => UnaryOperator::SetCardinality,
            Type::Multiset(_) => UnaryOperator::MultisetCardinality,
            Type::Map(..) => UnaryOperator::MapCardinality,
            _ => UnaryOperator::SeqLength,
        });
        self.overloaded(vec![operand], candidates, span, build)
    }

    pub(super) fn collection(
        &mut self,
        kind: CollectionKind,
        ty: Option<&tree::Type>,
        elements: &[tree::Expression],
        span: Span,
    ) -> Draft {
        let element = match ty {
            Some(ty) => self.ty(ty),
            None => self.solver.fresh(),
        };
        if element == Ty::Error {
            return Draft::error(span);
        }
        let operands: Vec<Draft> = elements.iter().map(|element| self.infer(element)).collect();
        let result = match kind {
            CollectionKind::Seq => Ty::seq(element.clone()),
            CollectionKind::Set => Ty::set(element.clone()),
            CollectionKind::Multiset => Ty::multiset(element.clone()),
        };
        let expected = vec![element; operands.len()];
        self.simple(operands, &expected, result, span, move |children, _| match kind {
            CollectionKind::Seq => ExpressionKind::SeqLiteral(children.into()),
            CollectionKind::Set => ExpressionKind::SetLiteral(children.into()),
            CollectionKind::Multiset => ExpressionKind::MultisetLiteral(children.into()),
        })
    }

    pub(super) fn map_literal(
        &mut self,
        types: Option<&(tree::Type, tree::Type)>,
        entries: &[(tree::Expression, tree::Expression)],
        span: Span,
    ) -> Draft {
        let (key, value) = match types {
            Some((key, value)) => (self.ty(key), self.ty(value)),
            None => (self.solver.fresh(), self.solver.fresh()),
        };
        if key == Ty::Error || value == Ty::Error {
            return Draft::error(span);
        }
        let mut operands = Vec::new();
        let mut expected = Vec::new();
        for (entry_key, entry_value) in entries {
            operands.push(self.infer(entry_key));
            operands.push(self.infer(entry_value));
            expected.push(key.clone());
            expected.push(value.clone());
        }
        self.simple(operands, &expected, Ty::map(key, value), span, |children, _| {
            let pairs = children.chunks_exact(2);
            ExpressionKind::MapLiteral(
                pairs.map(|pair| MapEntry { key: pair[0].clone(), value: pair[1].clone() }).collect(),
            )
        })
    }

    /// `domain(m)` or `range(m)`.
    pub(super) fn map_projection(&mut self, base: &tree::Expression, span: Span, keys: bool) -> Draft {
        let base = self.infer(base);
        let (key, value) = (self.solver.fresh(), self.solver.fresh());
        let result = Ty::set(if keys { key.clone() } else { value.clone() });
        let operator = if keys { UnaryOperator::MapDomain } else { UnaryOperator::MapRange };
        self.simple(vec![base], &[Ty::map(key, value)], result, span, unary_node(move |_| operator))
    }
}
