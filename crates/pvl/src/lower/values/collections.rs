//! Sequences, sets, bags, maps, options, tuples and eithers: literals and members.

use silver::syntax::tree as s;

use crate::lower::prelude::{Template, Theory};
use crate::lower::scope::Scope;
use crate::resolve::{Member, Type};
use crate::syntax::tree::{Builtin, CollectionKind, Expression};

impl<'t> Scope<'_, 't> {
    pub(crate) fn none_option(&mut self, ty: &Type, expression: &Expression) -> s::Expression {
        self.lowering.need(Theory::Option);
        let ty = self.ty(ty, expression.span);
        self.at(expression.span).call_typed("none_option", Vec::new(), ty)
    }

    pub(crate) fn collection(
        &mut self,
        kind: CollectionKind,
        elements: &'t [Expression],
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let silver = match kind {
            CollectionKind::Seq | CollectionKind::Vector => s::CollectionKind::Seq,
            CollectionKind::Set => s::CollectionKind::Set,
            CollectionKind::Bag => s::CollectionKind::Multiset,
        };
        let values: Vec<&Expression> = elements.iter().collect();
        let values = self.operands(&values);
        let element = match ty {
            Type::Seq(element) | Type::Set(element) | Type::Bag(element) | Type::Vector(element, _) => {
                values.is_empty().then(|| self.ty(element, place))
            }
            _ => None,
        };
        self.at(place).expression(s::ExpressionKind::Collection(silver, element, values))
    }

    pub(crate) fn map(
        &mut self,
        entries: &'t [(Expression, Expression)],
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Type::Map(key, value) = ty else { return self.unsupported(place, "this map") };
        let types = (self.ty(key, place), self.ty(value, place));
        let operands: Vec<&Expression> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
        let operands = self.operands(&operands);
        let mut build = self.at(place);
        let mut map = build.expression(s::ExpressionKind::Map(Some(types), Vec::new()));
        // One after the other, so that the last of several entries for one key counts.
        for pair in operands.chunks(2) {
            if let [key, value] = pair {
                map = build.expression(s::ExpressionKind::Update(map, key.clone(), value.clone()));
            }
        }
        map
    }

    pub(crate) fn slice(
        &mut self,
        base: &'t Expression,
        low: Option<&'t Expression>,
        high: Option<&'t Expression>,
        expression: &'t Expression,
    ) -> s::Expression {
        let mut all = vec![base];
        all.extend(low);
        all.extend(high);
        let mut values = self.operands(&all).into_iter();
        let Some(base) = values.next() else { return self.unsupported(expression.span, "this slice") };
        let low = low.and_then(|_| values.next());
        let high = high.and_then(|_| values.next());
        self.at(expression.span).expression(s::ExpressionKind::Slice(base, low, high))
    }

    pub(crate) fn choose(
        &mut self,
        builtin: Builtin,
        set: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let Type::Set(element) = self.converted_type(set) else {
            return self.unsupported(place, "a choice from something that is not a set");
        };
        let word = self.lowering.need_word_for(Template::Choose, &[("T", &element)], &[], place);
        let set = self.expression(set);
        if builtin == Builtin::Choose {
            return self.at(place).call(&format!("choose_{word}"), vec![set]);
        }
        let method = format!("choose_fresh_{word}");
        let ty = self.ty(&element, place);
        let name = self.local("chosen", ty, None, place);
        let mut build = self.at(place);
        let target = build.variable(&name);
        let call = build.call(&method, vec![set]);
        self.assign(target, call, place);
        self.at(place).variable(&name)
    }

    /// A member of a built-in type: `receiver.member` or `receiver.member(arguments)`.
    pub(crate) fn member(
        &mut self,
        member: Member,
        receiver: &'t Expression,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let ty = self.converted_type(receiver);
        let mut all = vec![receiver];
        all.extend(arguments);
        let mut values = self.operands(&all).into_iter();
        let Some(it) = values.next() else { return self.unsupported(place, "this member") };
        let mut next = || values.next();
        match member {
            Member::ArrayLength => {
                self.lowering.need(Theory::Array);
                self.at(place).call("length", vec![it])
            }
            Member::Size => self.at(place).expression(s::ExpressionKind::Size(it)),
            Member::IsEmpty => {
                let mut build = self.at(place);
                let size = build.expression(s::ExpressionKind::Size(it));
                let zero = build.int(0);
                build.equal(size, zero)
            }
            Member::SeqHead => {
                let mut build = self.at(place);
                let zero = build.int(0);
                build.expression(s::ExpressionKind::Index(it, zero))
            }
            Member::SeqTail => {
                let mut build = self.at(place);
                let one = build.int(1);
                build.expression(s::ExpressionKind::Slice(it, Some(one), None))
            }
            Member::MapKeys => self.at(place).expression(s::ExpressionKind::MapDomain(it)),
            Member::MapValues => self.at(place).expression(s::ExpressionKind::MapRange(it)),
            Member::MapItems => {
                let Type::Map(key, value) = &ty else { return self.unsupported(place, "this map") };
                self.lowering.need(Theory::Tuple);
                let types = [("K", &**key), ("V", &**value)];
                let function = self.lowering.need_for(Template::MapItems, &types, &[], place);
                self.at(place).call(&function, vec![it])
            }
            Member::OptionGet => {
                let Type::Option(element) = &ty else { return self.unsupported(place, "this option") };
                self.lowering.need(Theory::Option);
                let function = self.lowering.need_for(Template::OptionGet, &[("T", element)], &[], place);
                self.at(place).call(&function, vec![it])
            }
            Member::OptionIsEmpty => {
                let none = self.none_option(&ty, expression);
                self.at(place).equal(it, none)
            }
            Member::TupleFirst => self.at(place).call("tuple_first", vec![it]),
            Member::TupleSecond => self.at(place).call("tuple_second", vec![it]),
            Member::EitherIsLeft => self.at(place).call("either_is_left", vec![it]),
            Member::EitherIsRight => {
                let mut build = self.at(place);
                let is_left = build.call("either_is_left", vec![it]);
                build.not(is_left)
            }
            Member::EitherLeft | Member::EitherRight => {
                let Type::Either(left, right) = &ty else { return self.unsupported(place, "this either") };
                let types = [("A", &**left), ("B", &**right)];
                let word = self.lowering.need_word_for(Template::EitherGet, &types, &[], place);
                let side = if member == Member::EitherLeft { "left" } else { "right" };
                self.at(place).call(&format!("either_get_{side}_{word}"), vec![it])
            }
            Member::ToFloat32 | Member::ToFloat64 => it,
            _ => {
                let Some(first) = next() else { return self.unsupported(place, "this member") };
                let second = next();
                self.member_with_argument(member, &ty, it, first, second, expression)
            }
        }
    }

    fn member_with_argument(
        &mut self,
        member: Member,
        ty: &Type,
        it: s::Expression,
        first: s::Expression,
        second: Option<s::Expression>,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let mut build = self.at(place);
        match member {
            Member::SeqRemoveAt => {
                let before =
                    build.expression(s::ExpressionKind::Slice(it.clone(), None, Some(first.clone())));
                let one = build.int(1);
                let next = build.binary(s::BinaryOperator::Add, first, one);
                let after = build.expression(s::ExpressionKind::Slice(it, Some(next), None));
                build.binary(s::BinaryOperator::Append, before, after)
            }
            Member::SeqConcat => build.binary(s::BinaryOperator::Append, it, first),
            Member::SeqPrepend => {
                let kind = s::ExpressionKind::Collection(s::CollectionKind::Seq, None, vec![first]);
                let single = build.expression(kind);
                build.binary(s::BinaryOperator::Append, single, it)
            }
            Member::SeqDrop => build.expression(s::ExpressionKind::Slice(it, Some(first), None)),
            Member::SeqTake => build.expression(s::ExpressionKind::Slice(it, None, Some(first))),
            Member::SeqSlice => build.expression(s::ExpressionKind::Slice(it, Some(first), second)),
            Member::SeqUpdate | Member::MapAdd => match second {
                Some(second) => build.expression(s::ExpressionKind::Update(it, first, second)),
                None => self.unsupported(place, "this member"),
            },
            Member::SeqContains | Member::SetContains | Member::BagCount => {
                build.binary(s::BinaryOperator::In, first, it)
            }
            Member::SetUnion | Member::BagSum => build.binary(s::BinaryOperator::Union, it, first),
            Member::SetIntersect | Member::BagIntersect => {
                build.binary(s::BinaryOperator::Intersection, it, first)
            }
            Member::SetDifference | Member::BagDifference => {
                build.binary(s::BinaryOperator::SetMinus, it, first)
            }
            Member::SetSubset | Member::BagSubset => build.binary(s::BinaryOperator::Subset, it, first),
            Member::SetStrictSubset | Member::BagStrictSubset => {
                let subset = build.binary(s::BinaryOperator::Subset, it.clone(), first.clone());
                let different = build.different(it, first);
                build.and(subset, different)
            }
            Member::MapGet => build.map_lookup(it, first),
            Member::MapEquals => build.equal(it, first),
            Member::MapRemove | Member::MapDisjoint => {
                let Type::Map(key, value) = ty else { return self.unsupported(place, "this map") };
                let template =
                    if member == Member::MapRemove { Template::MapRemove } else { Template::MapDisjoint };
                let types = [("K", &**key), ("V", &**value)];
                let function = self.lowering.need_for(template, &types, &[], place);
                self.at(place).call(&function, vec![it, first])
            }
            Member::OptionGetOrElse => {
                let none = self.none_option(ty, expression);
                let mut build = self.at(place);
                let is_none = build.equal(it.clone(), none);
                let value = build.call("option_value", vec![it]);
                build.conditional(is_none, first, value)
            }
            _ => self.unsupported(place, "this member"),
        }
    }
}
