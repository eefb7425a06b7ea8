//! Every text of the prelude is Silver: it can be read, its holes are those that are filled, and with sample types
//! Silver's own front end finds nothing wrong with it.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::{SourceMap, Span};

use super::{Fill, Template, Theory, holes};
use crate::lower::heap::all_fields::AllFields;
use crate::lower::{Lowering, new_lowering};
use crate::resolve::Type;
use crate::syntax::{Options, parse};

/// What is wrong with the text of a theory or template, as it stands in its file.
fn problems(text: &str, may_have_holes: bool) -> Vec<String> {
    let mut map = SourceMap::default();
    let file = map.add("text", text);
    let (program, diagnostics) = silver::syntax::parse(file, text);
    let mut problems: Vec<String> = diagnostics.iter().map(|it| it.message.clone()).collect();
    if program.members.is_empty() {
        problems.push("it declares nothing".to_string());
    }
    let is_other = |member: &s::Member| {
        use s::MemberKind::{Adt, Define, Import};
        matches!(member.kind, Import(_) | Define(_) | Adt(_))
    };
    if program.members.iter().any(is_other) {
        problems.push("it has a member whose holes are not filled".to_string());
    }
    if !may_have_holes && holes::has_holes(text) {
        problems.push("it has holes".to_string());
    }
    problems
}

/// Lowers what `work` asks for, and gives what Silver's front end says about it.
fn included(work: impl FnOnce(&mut Lowering<'_>, Span)) -> Vec<String> {
    let mut map = SourceMap::default();
    let file = map.add("empty.pvl", "");
    let (program, errors) = parse(file, "", Options::default());
    assert!(errors.is_empty(), "{errors:?}");
    let (resolution, errors) = crate::resolve::resolve(&program);
    assert!(errors.is_empty(), "{errors:?}");
    let mut lowering = new_lowering(&resolution, &mut map, AllFields::default());
    lowering.reserve_prelude_names();
    Theory::ALL.iter().for_each(|theory| lowering.need(*theory));
    work(&mut lowering, Span::new(file, 0, 0));
    let mut problems: Vec<String> = lowering.diagnostics.iter().map(|it| it.message.clone()).collect();
    let program = s::Program { members: std::mem::take(&mut lowering.prelude.members) };
    let resolved = silver::resolve_tree(&mut map, program, &silver::Options::default());
    problems.extend(resolved.diagnostics.iter().map(|it| it.message.clone()));
    problems
}

/// A hole and the type that stands for it.
type Hole<'t> = (&'static str, &'t Type);

/// Includes a template for types of its kind, with what it uses.
fn include(lowering: &mut Lowering<'_>, template: Template, place: Span) -> Arc<str> {
    use Template::*;
    let of_t = [("T", &Type::Int)];
    let of_entries = [("K", &Type::Int), ("V", &Type::Boolean)];
    let zero = Fill::Value(lowering.at(place).int(0));
    let mut using = |hole, used| (hole, Fill::Name(include(lowering, used, place)));
    let (types, fills): (&[Hole<'_>], Vec<(&str, Fill)>) = match template {
        ArrayField | PointerField | OptionGet | Choose | NothingAs | StoredVector | VectorRepeat
        | VectorCompare | VectorCompareValue | MatrixHas | MatrixHasAt => (&of_t, Vec::new()),
        AnyOf => (&of_t, vec![("kind", zero)]),
        AnyOfNullable => (&of_t, vec![("kind", zero.clone()), ("null", zero)]),
        ArrayNew => (&of_t, vec![using("field", ArrayField), ("default", zero)]),
        ArrayNewArbitrary | ArrayValues => (&of_t, vec![using("field", ArrayField)]),
        PointerCell => (&of_t, vec![using("field", PointerField)]),
        AddressedField => (&[], vec![("name", Fill::Name("some".into())), ("number", zero)]),
        EitherGet => (&[("A", &Type::Int), ("B", &Type::Boolean)], Vec::new()),
        MapRemove | MapItems | MapDisjoint => (&of_entries, Vec::new()),
        StoredMatrix => {
            let row = Type::Vector(Arc::new(Type::Int), 3);
            return lowering.need_stored_matrix(&Type::Vector(Arc::new(row), 2), place);
        }
        VectorAdd => (&of_t, operation("add", s::BinaryOperator::Add, None)),
        VectorSubtract => (&of_t, operation("subtract", s::BinaryOperator::Subtract, None)),
        VectorMultiply => (&of_t, operation("multiply", s::BinaryOperator::Multiply, None)),
        VectorDivide => (&of_t, operation("divide", s::BinaryOperator::IntDivide, Some(zero))),
        VectorModulo => (&of_t, operation("modulo", s::BinaryOperator::Modulo, Some(zero))),
        VectorNegate | VectorSum | VectorSumAt => (&of_t, vec![("zero", zero)]),
        VectorSumOf => (&of_t, vec![using("at", VectorSumAt)]),
        MatrixCompare => (&of_t, vec![using("rows", VectorCompare)]),
        MatrixCompareValue => (&of_t, vec![using("rows", VectorCompareValue)]),
        MatrixRowSums | MatrixRowTotals => (&of_t, vec![using("sum", VectorSum)]),
        MatrixRowSumsAt => (&of_t, vec![using("sum", VectorSumOf)]),
    };
    lowering.need_for(template, types, &fills, place)
}

fn operation(name: &str, operator: s::BinaryOperator, zero: Option<Fill>) -> Vec<(&'static str, Fill)> {
    let mut fills = vec![("name", Fill::Name(name.into())), ("operator", Fill::Operator(operator))];
    fills.extend(zero.map(|zero| ("zero", zero)));
    fills
}

#[test]
fn every_text_can_be_read() {
    let theories = Theory::ALL.iter().map(|theory| (theory.text(), false));
    let templates = Template::ALL.iter().map(|template| {
        let (file, text, _) = template.text();
        ((file, text), true)
    });
    let wrong: Vec<String> = theories
        .chain(templates)
        .flat_map(|((file, text), may_have_holes)| {
            problems(text, may_have_holes).into_iter().map(move |problem| format!("{file}: {problem}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_theory_is_well_typed() {
    let wrong = included(|_, _| {});
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_template_is_well_typed() {
    let mut wrong = Vec::new();
    for template in Template::ALL {
        let (file, _, declares) = template.text();
        let problems = included(|lowering, place| {
            let name = include(lowering, *template, place);
            assert!(name.starts_with(declares), "{file} declares `{name}`, not `{declares}…`");
            let silver = s::Program { members: lowering.prelude.members.clone() };
            let text = silver::syntax::print(&silver);
            assert!(text.contains(&*name), "{file} does not declare `{name}`");
            assert!(!holes::has_holes(&text), "{file} has a hole that nothing fills:\n{text}");
        });
        wrong.extend(problems.into_iter().map(|problem| format!("{file}: {problem}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn conversions_are_well_typed() {
    let shapes: &[fn(Type) -> Type] = &[
        |inner| Type::Seq(Arc::new(inner)),
        |inner| Type::Set(Arc::new(inner)),
        |inner| Type::Bag(Arc::new(inner)),
        |inner| Type::Option(Arc::new(inner)),
        |inner| Type::Vector(Arc::new(inner), 3),
        |inner| Type::Tuple(Arc::new(inner), Arc::new(Type::Boolean)),
        |inner| Type::Either(Arc::new(Type::Boolean), Arc::new(inner)),
        |inner| Type::Map(Arc::new(Type::Boolean), Arc::new(inner)),
        |inner| Type::Vector(Arc::new(Type::Vector(Arc::new(inner), 3)), 2),
    ];
    let elements = [(Type::Int, Type::Rational), (Type::Rational, Type::Fraction), (Type::Int, Type::Any)];
    for shape in shapes {
        for (own, target) in elements.clone() {
            let (own, target) = (shape(own), shape(target));
            let wrong = included(|lowering, place| {
                let function = lowering.need_conversion(&own, &target, place);
                assert!(matches!(function, Some(Some(_))), "{own:?} as {target:?} has no function");
            });
            assert!(wrong.is_empty(), "{own:?} as {target:?}: {}", wrong.join("\n"));
        }
    }
}

#[test]
fn new_arrays_are_well_typed() {
    for dimensions in 2..=crate::limits::DIMENSIONS {
        let wrong = included(|lowering, place| {
            let mut element = Type::Int;
            let mut fields = Vec::new();
            for _ in 0..dimensions {
                fields.insert(0, lowering.need_for(Template::ArrayField, &[("T", &element)], &[], place));
                element = Type::Array(Arc::new(element));
            }
            let zero = lowering.at(place).int(0);
            lowering.need_new_arrays(&fields, Some(&zero), &Type::Int);
        });
        assert!(wrong.is_empty(), "{dimensions} dimensions: {}", wrong.join("\n"));
    }
}

#[test]
fn an_ill_formed_text_is_found() {
    assert!(!problems("function f_$word(v: $T: Int", true).is_empty());
    assert!(!problems("function f($T v): Int", true).is_empty());
    assert!(!problems("// nothing but a comment", false).is_empty());
    assert!(!problems("define f(x) x", true).is_empty());
    assert!(!problems("function f_$word(): Int", false).is_empty());
    assert!(problems("function f_$word(v: $T): Int", true).is_empty());
}
