//! Collections of one type where a collection of another type is asked for: functions that convert what is inside.
//!
//! All conversions keep different values different, so that sets and bags keep their sizes. Fractions are checked
//! where their type becomes narrower.

use std::sync::Arc;

use silver::syntax::print_type;
use silver::syntax::tree as s;
use source::Span;

use super::{Fill, Template, Theory};
use crate::limits;
use crate::lower::Lowering;
use crate::lower::build::Build;
use crate::lower::values::types::is_rational;
use crate::resolve::Type;

/// A condition for a conversion, and the code of its failure.
type Need = (s::Expression, &'static str);

/// What a conversion of `v` gives.
enum Definition {
    Ensures(Vec<s::Expression>),
    Body(s::Expression),
}

/// The elements of a collection in the conditions of a conversion: a bound variable, and when it is one of them.
struct Elements {
    variable: Arc<str>,
    ty: s::Type,
    trigger: s::Expression,
    guard: s::Expression,
}

/// A number for types whose values can be equal to each other, and to no values of types with other numbers; zero if that is
/// not known. `null` is of all kinds that have it.
fn kind_of(ty: &Type) -> i64 {
    match ty {
        _ if is_rational(ty) => 1,
        Type::Boolean => 2,
        Type::Seq(_) | Type::Vector(..) | Type::String => 3,
        Type::Set(_) => 4,
        Type::Bag(_) => 5,
        Type::Map(..) => 6,
        Type::Ref | Type::Null | Type::Class(..) => 7,
        Type::Array(_) => 8,
        Type::Pointer(_) => 9,
        // Each has values of its own.
        Type::Enum(id) => 1_000 + i64::from(id.index),
        Type::Option(_) => 11,
        Type::Tuple(..) => 12,
        Type::Either(..) => 13,
        Type::Char => 15,
        _ => 0,
    }
}

/// The type with all numbers that it is made of as rationals: integers are the same numbers.
fn with_rationals(ty: &Type) -> Type {
    let inside = |ty: &Arc<Type>| Arc::new(with_rationals(ty));
    match ty {
        Type::Int => Type::Rational,
        Type::Seq(element) => Type::Seq(inside(element)),
        Type::Set(element) => Type::Set(inside(element)),
        Type::Bag(element) => Type::Bag(inside(element)),
        Type::Option(value) => Type::Option(inside(value)),
        Type::Map(key, value) => Type::Map(inside(key), inside(value)),
        Type::Tuple(first, second) => Type::Tuple(inside(first), inside(second)),
        Type::Either(left, right) => Type::Either(inside(left), inside(right)),
        _ => ty.clone(),
    }
}

impl Lowering<'_> {
    /// The function that makes values of a type values of `any`; integers are rationals before.
    fn need_any_of(&mut self, ty: &Type, place: Span) -> Arc<str> {
        self.need(Theory::Any);
        let kind = Fill::Value(self.at(place).int(kind_of(ty)));
        match self.null_of(ty) {
            None => self.need_for(Template::AnyOf, &[("T", ty)], &[("kind", kind)], place),
            Some(null) => {
                let fills = [("kind", kind), ("null", Fill::Value(null))];
                self.need_for(Template::AnyOfNullable, &[("T", ty)], &fills, place)
            }
        }
    }

    /// A value as one of `any`.
    pub(crate) fn as_any(&mut self, value: s::Expression, own: &Type, place: Span) -> s::Expression {
        let numbers = with_rationals(own);
        let value = match self.need_conversion(own, &numbers, place) {
            _ if *own == Type::Int => self.as_rational(value),
            Some(Some(function)) if *own != numbers => self.at(place).call(&function, vec![value]),
            _ => value,
        };
        let function = self.need_any_of(&numbers, place);
        self.at(place).call(&function, vec![value])
    }

    fn as_rational(&mut self, value: s::Expression) -> s::Expression {
        let mut build = self.conversion();
        let write = build.write();
        build.binary(s::BinaryOperator::Multiply, value, write)
    }

    /// `null` as a value of a type that has it.
    fn null_of(&mut self, ty: &Type) -> Option<s::Expression> {
        let function: Arc<str> = match ty {
            Type::Ref | Type::Null | Type::Class(..) => return Some(self.conversion().null()),
            Type::Array(_) => {
                self.need(Theory::Array);
                "array_null".into()
            }
            Type::Pointer(_) => {
                self.need(Theory::Pointer);
                "pointer_null".into()
            }
            Type::Enum(id) => self.enum_null_name(*id),
            _ => return None,
        };
        Some(self.conversion().call(&function, Vec::new()))
    }

    /// The function that converts a value with values inside; `None` if there is no conversion. A conversion that is
    /// nothing has no function.
    pub(crate) fn need_conversion(
        &mut self,
        own: &Type,
        target: &Type,
        place: Span,
    ) -> Option<Option<Arc<str>>> {
        let key = (own.clone(), target.clone());
        if let Some((_, name)) = self.prelude.conversions.iter().find(|(known, _)| *known == key) {
            return Some(Some(name.clone()));
        }
        let value = self.conversion().variable(&"v".into());
        let needs = self.needs(own, target, &value, 0, place)?;
        let (from, to) = (self.ty(own, place), self.ty(target, place));
        let is_same = print_type(&from) == print_type(&to) && !widens_fraction(own, target);
        if is_same && needs.is_empty() {
            return Some(None);
        }
        let definition =
            if is_same { Definition::Body(value) } else { self.converted(own, target, &value, place)? };
        let words = (self.type_word(own), self.type_word(target));
        let name = self.globals.fresh(&format!("{}_as_{}", words.0, words.1));
        self.prelude.conversions.push((key, name.clone()));
        let mut build = self.conversion();
        let formals = vec![build.binding(&"v".into(), from)];
        let preconditions = needs.into_iter().map(|(need, _)| build.specification(need)).collect();
        let (postconditions, body) = match definition {
            Definition::Ensures(all) => {
                (all.into_iter().map(|assertion| build.specification(assertion)).collect(), None)
            }
            Definition::Body(body) => (Vec::new(), Some(body)),
        };
        let function =
            s::Function { name: build.name(&name), formals, result: to, preconditions, postconditions, body };
        let member = build.member(s::MemberKind::Function(function));
        self.prelude.members.push(member);
        Some(Some(name))
    }

    /// Builds nodes of conversions, which stand for no place of the program.
    fn conversion(&mut self) -> Build<'_> {
        let place = match self.prelude.conversions_place {
            Some(place) => place,
            None => self.built_place("conversion"),
        };
        self.prelude.conversions_place = Some(place);
        self.at(place)
    }

    /// The postconditions or the body of a conversion of `v`.
    fn converted(
        &mut self,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        place: Span,
    ) -> Option<Definition> {
        let (from, to) = (self.ty(own, place), self.ty(target, place));
        Some(match (own, target) {
            (Type::Seq(a), Type::Seq(b)) | (Type::Vector(a, _), Type::Vector(b, _)) => {
                Definition::Ensures(self.converted_elements(a, b, value, place)?)
            }
            (Type::Map(key, a), Type::Map(_, b)) => {
                Definition::Ensures(self.converted_entries(key, a, b, value, place)?)
            }
            (Type::Set(a), Type::Set(_)) | (Type::Bag(a), Type::Bag(_)) if !is_embedded(a) => return None,
            (Type::Set(a), Type::Set(b)) | (Type::Bag(a), Type::Bag(b)) => {
                let is_bag = matches!(own, Type::Bag(_));
                Definition::Ensures(self.converted_members(a, b, is_bag, value, place)?)
            }
            (Type::Option(a), Type::Option(b)) => {
                let inside = self.conversion().call("option_value", vec![value.clone()]);
                let inner = self.value(a, b, &inside, place)?;
                let mut build = self.conversion();
                let none = build.call_typed("none_option", Vec::new(), from);
                let is_none = build.equal(value.clone(), none);
                let nothing = build.call_typed("none_option", Vec::new(), to);
                let some = build.call("some", vec![inner]);
                Definition::Body(build.conditional(is_none, nothing, some))
            }
            (Type::Tuple(a, b), Type::Tuple(c, d)) => {
                let first = self.conversion().call("tuple_first", vec![value.clone()]);
                let first = self.value(a, c, &first, place)?;
                let second = self.conversion().call("tuple_second", vec![value.clone()]);
                let second = self.value(b, d, &second, place)?;
                Definition::Body(self.conversion().call("tuple", vec![first, second]))
            }
            (Type::Either(a, b), Type::Either(c, d)) => {
                let left = self.conversion().call("either_left_value", vec![value.clone()]);
                let left = self.value(a, c, &left, place)?;
                let right = self.conversion().call("either_right_value", vec![value.clone()]);
                let right = self.value(b, d, &right, place)?;
                let mut build = self.conversion();
                let is_left = build.call("either_is_left", vec![value.clone()]);
                let left = build.call_typed("either_left", vec![left], to.clone());
                let right = build.call_typed("either_right", vec![right], to);
                Definition::Body(build.conditional(is_left, left, right))
            }
            _ => return None,
        })
    }

    /// The element `v[i]` as one of another type, with the name of `i` and the variable itself.
    fn converted_element(
        &mut self,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        place: Span,
    ) -> Option<(Arc<str>, s::Expression, s::Expression)> {
        let index: Arc<str> = "i0".into();
        let mut build = self.conversion();
        let variable = build.variable(&index);
        let element = build.index(value.clone(), variable.clone());
        Some((index, variable, self.value(own, target, &element, place)?))
    }

    /// `|result| == |v|`, and `result[i] == …v[i]…` for every index.
    fn converted_elements(
        &mut self,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        place: Span,
    ) -> Option<Vec<s::Expression>> {
        let (index, variable, element) = self.converted_element(own, target, value, place)?;
        let mut build = self.conversion();
        let (count, size) = (build.result_size(), build.size(value.clone()));
        let is_long = build.equal(count, size.clone());
        let zero = build.int(0);
        let guard = build.within(zero, variable.clone(), size);
        let int = build.ty(s::TypeKind::Int);
        Some(vec![is_long, build.result_at(&index, int, guard, element)])
    }

    /// `domain(result) == domain(v)`, and `result[k] == …v[k]…` for every key.
    fn converted_entries(
        &mut self,
        key: &Type,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        place: Span,
    ) -> Option<Vec<s::Expression>> {
        let (index, variable, element) = self.converted_element(own, target, value, place)?;
        let key = self.ty(key, place);
        let mut build = self.conversion();
        let result = build.expression(s::ExpressionKind::Result);
        let keys = build.expression(s::ExpressionKind::MapDomain(result));
        let own_keys = build.expression(s::ExpressionKind::MapDomain(value.clone()));
        let same_keys = build.equal(keys, own_keys.clone());
        let guard = build.binary(s::BinaryOperator::In, variable, own_keys);
        Some(vec![same_keys, build.result_at(&index, key, guard, element)])
    }

    /// The result has as many members, the converted ones, as often as `v` has them, and no others.
    fn converted_members(
        &mut self,
        own: &Type,
        target: &Type,
        is_bag: bool,
        value: &s::Expression,
        place: Span,
    ) -> Option<Vec<s::Expression>> {
        let (one, other): (Arc<str>, Arc<str>) = ("i0".into(), "i1".into());
        let variable = self.conversion().variable(&one);
        let element = self.value(own, target, &variable, place)?;
        let (from, to) = (self.ty(own, place), self.ty(target, place));
        let mut build = self.conversion();
        let result = build.expression(s::ExpressionKind::Result);
        let (count, size) = (build.result_size(), build.size(value.clone()));
        let is_long = build.equal(count, size);
        let is_in = build.binary(s::BinaryOperator::In, variable, value.clone());
        let is_there = build.binary(s::BinaryOperator::In, element.clone(), result.clone());
        let same = build.equal(is_there, is_in.clone());
        let bindings = vec![build.binding(&one, from.clone())];
        let triggers = vec![build.trigger(vec![is_in.clone()])];
        let kept = build.forall(bindings, triggers, same);
        let variable = build.variable(&other);
        let is_found = build.binary(s::BinaryOperator::In, variable.clone(), result);
        let is_some = build.occurs(is_in.clone(), is_bag);
        let is_image = build.equal(element, variable);
        let body = build.and(is_some, is_image);
        let bindings = vec![build.binding(&one, from)];
        let triggers = vec![build.trigger(vec![is_in])];
        let exists = build.expression(s::ExpressionKind::Exists { bindings, triggers, body });
        let condition = build.occurs(is_found.clone(), is_bag);
        let body = build.implies(condition, exists);
        let bindings = vec![build.binding(&other, to)];
        let triggers = vec![build.trigger(vec![is_found])];
        let no_others = build.forall(bindings, triggers, body);
        Some(vec![is_long, kept, no_others])
    }

    /// A value as one of another type.
    fn value(
        &mut self,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        place: Span,
    ) -> Option<s::Expression> {
        Some(match (own, target) {
            _ if own == target => value.clone(),
            // An integer is no fraction, unless it is a literal, which stands in no collection of integers.
            (Type::Int | Type::Char, Type::Fraction | Type::ZeroFraction) => return None,
            (Type::Int | Type::Char, _) if is_rational(target) => self.as_rational(value.clone()),
            _ if is_rational(own) && is_rational(target) => self.stored(own, value, place),
            (_, Type::Any) => self.as_any(value.clone(), own, place),
            (Type::Nothing, _) => {
                self.need(Theory::Nothing);
                let function = self.need_for(Template::NothingAs, &[("T", target)], &[], place);
                self.conversion().call(&function, vec![value.clone()])
            }
            (Type::Null, Type::Array(_) | Type::Pointer(_) | Type::Enum(_)) => self.null_of(target)?,
            _ => match self.need_conversion(own, target, place)? {
                Some(function) => {
                    let value = self.stored(own, value, place);
                    self.conversion().call(&function, vec![value])
                }
                None => value.clone(),
            },
        })
    }

    /// A value from a collection, with what its type says of it.
    fn stored(&mut self, own: &Type, value: &s::Expression, place: Span) -> s::Expression {
        let function = match own {
            Type::Fraction => "stored_fraction",
            Type::ZeroFraction => "stored_zero_fraction",
            Type::Vector(element, _) if matches!(**element, Type::Vector(..)) => {
                let function = self.need_stored_matrix(own, place);
                return self.conversion().call(&function, vec![value.clone()]);
            }
            Type::Vector(element, length) => {
                let function = self.need_for(Template::StoredVector, &[("T", element)], &[], place);
                let mut build = self.conversion();
                let length = build.natural(*length);
                return build.call(&function, vec![value.clone(), length]);
            }
            _ => return value.clone(),
        };
        self.need(Theory::Fraction);
        self.conversion().call(function, vec![value.clone()])
    }

    /// What has to hold of a value so that it can be converted.
    fn needs(
        &mut self,
        own: &Type,
        target: &Type,
        value: &s::Expression,
        depth: usize,
        place: Span,
    ) -> Option<Vec<Need>> {
        if depth >= limits::DIMENSIONS {
            return None;
        }
        let next = depth + 1;
        Some(match (own, target) {
            (Type::Fraction, _) | (_, Type::Any) => Vec::new(),
            (Type::ZeroFraction | Type::Rational, Type::Fraction) => {
                let code = if *own == Type::Rational { "ratFrac" } else { "zfracFrac" };
                let value = self.stored(own, value, place);
                let mut build = self.conversion().coded(code);
                let (none, write) = (build.no_permission(), build.write());
                let lower = build.less(none, value.clone());
                let upper = build.at_most(value, write);
                vec![(build.and(lower, upper), code)]
            }
            (Type::Rational, Type::ZeroFraction) => {
                let code = "ratZfrac";
                let mut build = self.conversion().coded(code);
                let (none, write) = (build.no_permission(), build.write());
                let lower = build.at_most(none, value.clone());
                let upper = build.at_most(value.clone(), write);
                vec![(build.and(lower, upper), code)]
            }
            (Type::Seq(a), Type::Seq(b)) | (Type::Vector(a, _), Type::Vector(b, _)) => {
                let elements = self.indexed(value, depth, |build, variable| {
                    let (zero, size) = (build.int(0), build.size(value.clone()));
                    let int = build.ty(s::TypeKind::Int);
                    (int, build.within(zero, variable, size))
                });
                let inner = self.needs(a, b, &elements.trigger, next, place)?;
                self.for_all(inner, &elements)
            }
            (Type::Map(key, a), Type::Map(_, b)) => {
                let key = self.ty(key, place);
                let elements = self.indexed(value, depth, |build, variable| {
                    let keys = build.expression(s::ExpressionKind::MapDomain(value.clone()));
                    (key, build.binary(s::BinaryOperator::In, variable, keys))
                });
                let inner = self.needs(a, b, &elements.trigger, next, place)?;
                self.for_all(inner, &elements)
            }
            (Type::Set(a), Type::Set(b)) | (Type::Bag(a), Type::Bag(b)) => {
                let name: Arc<str> = format!("i{depth}").into();
                let variable = self.conversion().variable(&name);
                let inner = self.needs(a, b, &variable, next, place)?;
                let ty = self.ty(a, place);
                let mut build = self.conversion();
                let trigger = build.binary(s::BinaryOperator::In, variable, value.clone());
                let guard = build.occurs(trigger.clone(), matches!(own, Type::Bag(_)));
                self.for_all(inner, &Elements { variable: name, ty, trigger, guard })
            }
            (Type::Option(a), Type::Option(b)) => {
                let inside = self.conversion().call("option_value", vec![value.clone()]);
                let inner = self.needs(a, b, &inside, next, place)?;
                let own = self.ty(own, place);
                let mut build = self.conversion();
                let none = build.call_typed("none_option", Vec::new(), own);
                let guard = build.different(value.clone(), none);
                self.guarded(inner, &guard)
            }
            (Type::Tuple(a, b), Type::Tuple(c, d)) => {
                let first = self.conversion().call("tuple_first", vec![value.clone()]);
                let mut all = self.needs(a, c, &first, next, place)?;
                let second = self.conversion().call("tuple_second", vec![value.clone()]);
                all.extend(self.needs(b, d, &second, next, place)?);
                all
            }
            (Type::Either(a, b), Type::Either(c, d)) => {
                let left = self.conversion().call("either_left_value", vec![value.clone()]);
                let left = self.needs(a, c, &left, next, place)?;
                let right = self.conversion().call("either_right_value", vec![value.clone()]);
                let right = self.needs(b, d, &right, next, place)?;
                let mut build = self.conversion();
                let is_left = build.call("either_is_left", vec![value.clone()]);
                let is_right = build.not(is_left.clone());
                let mut all = self.guarded(left, &is_left);
                all.extend(self.guarded(right, &is_right));
                all
            }
            _ => Vec::new(),
        })
    }

    /// The elements `value[i]` of a sequence or a map; `guard` gives the type of the variable and when it is an index.
    fn indexed(
        &mut self,
        value: &s::Expression,
        depth: usize,
        guard: impl FnOnce(&mut Build<'_>, s::Expression) -> (s::Type, s::Expression),
    ) -> Elements {
        let name: Arc<str> = format!("i{depth}").into();
        let mut build = self.conversion();
        let variable = build.variable(&name);
        let trigger = build.index(value.clone(), variable.clone());
        let (ty, guard) = guard(&mut build, variable);
        Elements { variable: name, ty, trigger, guard }
    }

    /// The conditions for all elements of a collection.
    fn for_all(&mut self, inner: Vec<Need>, elements: &Elements) -> Vec<Need> {
        let all = inner.into_iter().map(|(need, code)| {
            let mut build = self.conversion().coded(code);
            let bindings = vec![build.binding(&elements.variable, elements.ty.clone())];
            let triggers = vec![build.trigger(vec![elements.trigger.clone()])];
            let body = build.implies(elements.guard.clone(), need);
            (build.forall(bindings, triggers, body), code)
        });
        all.collect()
    }

    fn guarded(&mut self, inner: Vec<Need>, guard: &s::Expression) -> Vec<Need> {
        let all = inner
            .into_iter()
            .map(|(need, code)| (self.conversion().coded(code).implies(guard.clone(), need), code));
        all.collect()
    }
}

impl Build<'_> {
    /// `|result|`
    fn result_size(&mut self) -> s::Expression {
        let result = self.expression(s::ExpressionKind::Result);
        self.size(result)
    }

    /// `forall index: ty :: { result[index] } guard ==> result[index] == element`
    fn result_at(
        &mut self,
        index: &Arc<str>,
        ty: s::Type,
        guard: s::Expression,
        element: s::Expression,
    ) -> s::Expression {
        let result = self.expression(s::ExpressionKind::Result);
        let variable = self.variable(index);
        let at = self.index(result, variable);
        let same = self.equal(at.clone(), element);
        let body = self.implies(guard, same);
        let bindings = vec![self.binding(index, ty)];
        let triggers = vec![self.trigger(vec![at])];
        self.forall(bindings, triggers, body)
    }

    /// Whether what `v in collection` says is true, or more than nothing in a bag.
    fn occurs(&mut self, is_in: s::Expression, is_bag: bool) -> s::Expression {
        if !is_bag {
            return is_in;
        }
        let zero = self.int(0);
        self.binary(s::BinaryOperator::Greater, is_in, zero)
    }
}

/// Whether fractions inside become numbers of which less is known, so that they have to be read as fractions. Inside of
/// sets and bags they are left as they are: their sizes speak about what is there.
fn widens_fraction(own: &Type, target: &Type) -> bool {
    match (own, target) {
        (Type::Fraction | Type::ZeroFraction, _) => own != target,
        (Type::Seq(a), Type::Seq(b)) | (Type::Vector(a, _), Type::Vector(b, _)) => widens_fraction(a, b),
        (Type::Option(a), Type::Option(b)) | (Type::Map(_, a), Type::Map(_, b)) => widens_fraction(a, b),
        (Type::Tuple(a, b), Type::Tuple(c, d)) | (Type::Either(a, b), Type::Either(c, d)) => {
            widens_fraction(a, c) || widens_fraction(b, d)
        }
        _ => false,
    }
}

/// Whether different values of the type stay different, also those that Silver's type has beyond it.
fn is_embedded(ty: &Type) -> bool {
    match ty {
        Type::Null | Type::Nothing | Type::Fraction | Type::ZeroFraction | Type::Vector(..) => false,
        Type::Seq(a) | Type::Option(a) | Type::Set(a) | Type::Bag(a) => is_embedded(a),
        Type::Tuple(a, b) | Type::Either(a, b) | Type::Map(a, b) => is_embedded(a) && is_embedded(b),
        _ => true,
    }
}
