//! Collections of one type where a collection of another type is asked for: functions that convert what is inside.
//!
//! All conversions keep different values different, so that sets and bags keep their sizes. Fractions are checked
//! where their type becomes narrower.

use std::fmt::Write as _;
use std::sync::Arc;

use source::Span;

use super::{Template, Theory, type_text};
use crate::limits;
use crate::lower::Lowering;
use crate::lower::values::types::is_rational;
use crate::resolve::Type;

/// A condition for a conversion, and the code of its failure.
type Need = (String, &'static str);

/// What may be called by the lines of a function.
const CODES: &[&str] = &["ratFrac", "ratZfrac", "zfracFrac"];

impl Lowering<'_> {
    /// The function that converts a value with values inside; `None` if there is no conversion. A conversion that is
    /// nothing has no function.
    pub(crate) fn need_conversion(
        &mut self,
        own: &Type,
        target: &Type,
        place: Span,
    ) -> Option<Option<Arc<str>>> {
        let needs = self.needs(own, target, "v", 0, place)?;
        let (from, to) = (self.text_of(own, place), self.text_of(target, place));
        let is_same = from == to && !widens_fraction(own, target);
        if is_same && needs.is_empty() {
            return Some(None);
        }
        let key = (own.clone(), target.clone());
        if let Some((_, name)) = self.prelude.conversions.iter().find(|(known, _)| *known == key) {
            return Some(Some(name.clone()));
        }
        let (result, definition) =
            if is_same { (None, Some("v".to_string())) } else { self.converted(own, target, place)? };
        let words = (self.type_word(own), self.type_word(target));
        let name = self.globals.fresh(&format!("{}_as_{}", words.0, words.1));
        self.prelude.conversions.push((key, name.clone()));
        let mut text = format!("function {name}(v: {from}): {to}\n");
        for (need, code) in needs {
            let _ = writeln!(text, "  requires {need} //: {code}");
        }
        text.push_str(&result.unwrap_or_default());
        if let Some(definition) = definition {
            let _ = writeln!(text, "{{\n  {definition}\n}}");
        }
        let id = self.map.add_own("<conversion>", text.clone());
        let (tree, diagnostics) = silver::syntax::parse(id, &text);
        debug_assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
        self.origins.add_prelude_codes(id, &text, CODES);
        self.prelude.members.extend(tree.members);
        Some(Some(name))
    }

    fn text_of(&mut self, ty: &Type, place: Span) -> String {
        let ty = self.ty(ty, place);
        type_text(&ty)
    }

    /// The postconditions or the body of a conversion of `v`.
    fn converted(
        &mut self,
        own: &Type,
        target: &Type,
        place: Span,
    ) -> Option<(Option<String>, Option<String>)> {
        let to = self.text_of(target, place);
        let own_text = self.text_of(own, place);
        Some(match (own, target) {
            (Type::Seq(a), Type::Seq(b)) | (Type::Vector(a, _), Type::Vector(b, _)) => {
                let element = self.value(a, b, "v[i0]", place)?;
                let ensures = format!(
                    "  ensures |result| == |v|\n  ensures forall i0: Int :: {{ result[i0] }} 0 <= i0 && i0 < |v| ==> result[i0] == {element}\n"
                );
                (Some(ensures), None)
            }
            (Type::Map(key, a), Type::Map(_, b)) => {
                let element = self.value(a, b, "v[i0]", place)?;
                let key = self.text_of(key, place);
                let ensures = format!(
                    "  ensures domain(result) == domain(v)\n  ensures forall i0: {key} :: {{ result[i0] }} i0 in domain(v) ==> result[i0] == {element}\n"
                );
                (Some(ensures), None)
            }
            (Type::Set(a), Type::Set(_)) | (Type::Bag(a), Type::Bag(_)) if !is_embedded(a) => return None,
            (Type::Set(a), Type::Set(b)) | (Type::Bag(a), Type::Bag(b)) => {
                let element = self.value(a, b, "i0", place)?;
                let (a, b) = (self.text_of(a, place), self.text_of(b, place));
                let some = if matches!(own, Type::Set(_)) { "" } else { " > 0" };
                let ensures = format!(
                    "  ensures |result| == |v|\n  ensures forall i0: {a} :: {{ i0 in v }} ({element} in result) == (i0 in v)\n  ensures forall i1: {b} :: {{ i1 in result }} (i1 in result){some} ==> (exists i0: {a} :: {{ i0 in v }} (i0 in v){some} && {element} == i1)\n"
                );
                (Some(ensures), None)
            }
            (Type::Option(a), Type::Option(b)) => {
                let inner = self.value(a, b, "option_value(v)", place)?;
                let body =
                    format!("v == (none_option(): {own_text}) ? (none_option(): {to}) : some({inner})");
                (None, Some(body))
            }
            (Type::Tuple(a, b), Type::Tuple(c, d)) => {
                let first = self.value(a, c, "tuple_first(v)", place)?;
                let second = self.value(b, d, "tuple_second(v)", place)?;
                (None, Some(format!("tuple({first}, {second})")))
            }
            (Type::Either(a, b), Type::Either(c, d)) => {
                let left = self.value(a, c, "either_left_value(v)", place)?;
                let right = self.value(b, d, "either_right_value(v)", place)?;
                let body = format!(
                    "either_is_left(v) ? (either_left({left}): {to}) : (either_right({right}): {to})"
                );
                (None, Some(body))
            }
            _ => return None,
        })
    }

    /// A value as one of another type.
    fn value(&mut self, own: &Type, target: &Type, value: &str, place: Span) -> Option<String> {
        Some(match (own, target) {
            _ if own == target => value.to_string(),
            // An integer is no fraction, unless it is a literal, which stands in no collection of integers.
            (Type::Int | Type::Char, Type::Fraction | Type::ZeroFraction) => return None,
            (Type::Int | Type::Char, _) if is_rational(target) => format!("({value} * write)"),
            _ if is_rational(own) && is_rational(target) => self.read(own, value, place),
            (_, Type::Any) => {
                self.need(Theory::Any);
                let function = self.need_for(Template::AnyOf, &[("T", own)], &[], place);
                format!("{function}({value})")
            }
            (Type::Nothing, _) => {
                self.need(Theory::Nothing);
                let function = self.need_for(Template::NothingAs, &[("T", target)], &[], place);
                format!("{function}({value})")
            }
            (Type::Null, Type::Array(_)) => {
                self.need(Theory::Array);
                "array_null()".to_string()
            }
            (Type::Null, Type::Pointer(_)) => {
                self.need(Theory::Pointer);
                "pointer_null()".to_string()
            }
            (Type::Null, Type::Enum(id)) => format!("{}()", self.enum_null_name(*id)),
            _ => match self.need_conversion(own, target, place)? {
                Some(function) => format!("{function}({})", self.read(own, value, place)),
                None => value.to_string(),
            },
        })
    }

    /// A value from a collection, with what its type says of it.
    fn read(&mut self, own: &Type, value: &str, place: Span) -> String {
        let function = match own {
            Type::Fraction => "stored_fraction",
            Type::ZeroFraction => "stored_zero_fraction",
            Type::Vector(element, _) if matches!(**element, Type::Vector(..)) => {
                let function = self.need_stored_matrix(own, place);
                return format!("{function}({value})");
            }
            Type::Vector(element, length) => {
                let function = self.need_for(Template::StoredVector, &[("T", element)], &[], place);
                return format!("{function}({value}, {length})");
            }
            _ => return value.to_string(),
        };
        self.need(Theory::Fraction);
        format!("{function}({value})")
    }

    /// What has to hold of a value so that it can be converted.
    fn needs(
        &mut self,
        own: &Type,
        target: &Type,
        value: &str,
        depth: usize,
        place: Span,
    ) -> Option<Vec<Need>> {
        if depth >= limits::DIMENSIONS {
            return None;
        }
        let variable = format!("i{depth}");
        let quantified = |inner: Vec<Need>, ty: &str, trigger: &str, guard: &str| -> Vec<Need> {
            let all = |(need, code): Need| {
                (format!("(forall {variable}: {ty} :: {{ {trigger} }} {guard} ==> {need})"), code)
            };
            inner.into_iter().map(all).collect()
        };
        let guarded = |inner: Vec<Need>, guard: String| -> Vec<Need> {
            inner.into_iter().map(|(need, code)| (format!("({guard} ==> {need})"), code)).collect()
        };
        Some(match (own, target) {
            (Type::Fraction, _) | (_, Type::Any) => Vec::new(),
            (Type::ZeroFraction | Type::Rational, Type::Fraction) => {
                let code = if *own == Type::Rational { "ratFrac" } else { "zfracFrac" };
                let value = self.read(own, value, place);
                vec![(format!("(none < {value} && {value} <= write)"), code)]
            }
            (Type::Rational, Type::ZeroFraction) => {
                vec![(format!("(none <= {value} && {value} <= write)"), "ratZfrac")]
            }
            (Type::Seq(a), Type::Seq(b)) | (Type::Vector(a, _), Type::Vector(b, _)) => {
                let element = format!("{value}[{variable}]");
                let inner = self.needs(a, b, &element, depth + 1, place)?;
                let guard = format!("0 <= {variable} && {variable} < |{value}|");
                quantified(inner, "Int", &element, &guard)
            }
            (Type::Map(key, a), Type::Map(_, b)) => {
                let element = format!("{value}[{variable}]");
                let inner = self.needs(a, b, &element, depth + 1, place)?;
                let key = self.text_of(key, place);
                quantified(inner, &key, &element, &format!("{variable} in domain({value})"))
            }
            (Type::Set(a), Type::Set(b)) | (Type::Bag(a), Type::Bag(b)) => {
                let inner = self.needs(a, b, &variable, depth + 1, place)?;
                let ty = self.text_of(a, place);
                let trigger = format!("{variable} in {value}");
                let more = if matches!(own, Type::Bag(_)) { " > 0" } else { "" };
                quantified(inner, &ty, &trigger, &format!("({trigger}){more}"))
            }
            (Type::Option(a), Type::Option(b)) => {
                let inner = self.needs(a, b, &format!("option_value({value})"), depth + 1, place)?;
                let own = self.text_of(own, place);
                guarded(inner, format!("{value} != (none_option(): {own})"))
            }
            (Type::Tuple(a, b), Type::Tuple(c, d)) => {
                let mut all = self.needs(a, c, &format!("tuple_first({value})"), depth + 1, place)?;
                all.extend(self.needs(b, d, &format!("tuple_second({value})"), depth + 1, place)?);
                all
            }
            (Type::Either(a, b), Type::Either(c, d)) => {
                let left = self.needs(a, c, &format!("either_left_value({value})"), depth + 1, place)?;
                let right = self.needs(b, d, &format!("either_right_value({value})"), depth + 1, place)?;
                let mut all = guarded(left, format!("either_is_left({value})"));
                all.extend(guarded(right, format!("!either_is_left({value})")));
                all
            }
            _ => Vec::new(),
        })
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
