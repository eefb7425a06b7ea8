//! Names of symbols, chosen so that no two things share one.
//!
//! Identifiers of Silver consist of letters, digits, `_`, `$` and `'`. Every symbol made here contains a character
//! outside that set, which keeps it apart from the names that solvers define (`select`, `Array`, `div`), and the
//! character says what the symbol is: `[` a domain function with its type arguments, `.` after `fun` a function of the
//! program, `.` after `$` and a word a symbol of the encoding itself; the theories of collections have `<`. Sorts are
//! a world of their own, in which `<` marks those of domains and of collections. Constants of variables end in `@` and a number, see
//! [`smt::Terms::fresh_constant`].

use silver::typed::{Axiom, DomainFunctionId, DomainId, Program, Type};
use smt::{Sort, SortKind, Terms};
use source::Span;
use verdict::QuantifierRole;

use super::meaning::Meanings;

pub(crate) const REFERENCE_SORT: &str = "$Ref";
pub(crate) const NULL: &str = "$Ref.null";
pub(crate) const SNAPSHOT_SORT: &str = "$Snap";
pub(crate) const SNAPSHOT_UNIT: &str = "$Snap.unit";
pub(crate) const SNAPSHOT_COMBINE: &str = "$Snap.combine";
pub(crate) const SNAPSHOT_FIRST: &str = "$Snap.first";
pub(crate) const SNAPSHOT_SECOND: &str = "$Snap.second";

pub(crate) const SNAPSHOTS_COMPARED: &str = "$Snap.compared";

// Quantifiers of facts about snapshots, and about many locations.
pub(crate) const HALVES_OF_PAIR: &str = "$Snap.halves_of_pair";
pub(crate) const PAIR_OF_HALVES: &str = "$Snap.pair_of_halves";
pub(crate) const COMPARED_HALVES: &str = "$Snap.compared_halves";
pub(crate) const NOT_NULL: &str = "qp-not-null";
pub(crate) const AT_MOST_WRITE: &str = "qp-at-most-write";
pub(crate) const FOOTPRINT_VALUE: &str = "qp-footprint-value";
pub(crate) const FOOTPRINT_DOMAIN: &str = "qp-footprint-domain";
pub(crate) const WILDCARD: &str = "qp-wildcard";
pub(crate) const AGREE: &str = "qp-agree";
pub(crate) const SUMMARY: &str = "qp-summary";
pub(crate) const INJECTIVE: &str = "qp-injective";
pub(crate) const AUXILIARY: &str = "qp-aux";

/// All of these.
const LOCATIONS: [&str; 12] = [
    HALVES_OF_PAIR,
    PAIR_OF_HALVES,
    COMPARED_HALVES,
    NOT_NULL,
    AT_MOST_WRITE,
    FOOTPRINT_VALUE,
    FOOTPRINT_DOMAIN,
    WILDCARD,
    AGREE,
    SUMMARY,
    INJECTIVE,
    AUXILIARY,
];

/// What the names stand for that are the same in every program.
pub(crate) fn known_meanings() -> Meanings {
    let mut meanings = Meanings::default();
    meanings.add_sort(REFERENCE_SORT, "Ref");
    meanings.add_sort(SNAPSHOT_SORT, "Snap");
    for name in LOCATIONS {
        meanings.add_quantifier(name, QuantifierRole::Locations(name.to_string()), None);
    }
    meanings
}

/// The sort of a domain instance: `List<Int>`, `Color<>`.
pub(crate) fn domain_sort(program: &Program, domain: DomainId, arguments: &[Type]) -> String {
    let mut text = program.domain(domain).name.clone();
    text.push('<');
    write_types(program, arguments, &mut text);
    text.push('>');
    text
}

/// A domain function of an instance: `cons[Int]`, `red[]`.
///
/// Type arguments that the signature does not mention are left out: nothing in a program determines them, so
/// applications that differ in them only are the same.
pub(crate) fn domain_function(program: &Program, function: DomainFunctionId, arguments: &[Type]) -> String {
    let declared = program.domain_function(function);
    let is_mentioned = |parameter: usize| {
        let mut types = declared.formals.iter().map(|formal| &formal.ty).chain([&declared.result]);
        types.any(|ty| mentions(ty, parameter as u32))
    };
    let mentioned: Vec<Type> = arguments
        .iter()
        .enumerate()
        .filter(|(index, _)| is_mentioned(*index))
        .map(|(_, argument)| argument.clone())
        .collect();
    let mut text = declared.name.clone();
    text.push('[');
    write_types(program, &mentioned, &mut text);
    text.push(']');
    text
}

fn mentions(ty: &Type, parameter: u32) -> bool {
    match ty {
        Type::Int | Type::Bool | Type::Perm | Type::Ref => false,
        Type::Parameter(index) => *index == parameter,
        Type::Seq(element) | Type::Set(element) | Type::Multiset(element) => mentions(element, parameter),
        Type::Map(key, value) => mentions(key, parameter) || mentions(value, parameter),
        Type::Domain(_, arguments) => arguments.iter().any(|argument| mentions(argument, parameter)),
    }
}

/// The symbols that a function of the program has, see `functions.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FunctionVariant {
    Full,
    Limited,
    Stateless,
    Precondition,
    Depth,
}

/// The symbol of a heap-dependent or pure function of the program.
pub(crate) fn function(name: &str, variant: FunctionVariant) -> String {
    match variant {
        FunctionVariant::Full => format!("fun.{name}"),
        FunctionVariant::Limited => format!("fun.{name}.limited"),
        FunctionVariant::Stateless => format!("fun.{name}.stateless"),
        FunctionVariant::Precondition => format!("fun.{name}.precondition"),
        FunctionVariant::Depth => format!("fun.{name}.depth"),
    }
}

/// Tells the `unique` constants of a sort apart.
pub(crate) fn unique_tag(terms: &Terms, sort: Sort) -> String {
    format!("$unique.tag<{}>", sort_name(terms, sort))
}

pub(crate) fn wrapper(terms: &Terms, sort: Sort) -> String {
    format!("$Snap.wrap<{}>", sort_name(terms, sort))
}

pub(crate) fn unwrapper(terms: &Terms, sort: Sort) -> String {
    format!("$Snap.unwrap<{}>", sort_name(terms, sort))
}

/// What profiles show for the quantifiers of an axiom.
pub(crate) fn axiom(program: &Program, domain: DomainId, arguments: &[Type], label: &str) -> QuantifierRole {
    let mut types = String::new();
    write_types(program, arguments, &mut types);
    QuantifierRole::Axiom { domain: program.domain(domain).name.clone(), types, label: label.to_string() }
}

/// The name of a quantifier of the source, by its place.
pub(crate) fn quantifier(span: Span) -> String {
    format!("q@{}.{}-{}", span.file.0, span.start, span.end)
}

/// The name of what is known about the terms in a quantifier's body.
pub(crate) fn quantifier_facts(span: Span) -> String {
    quantifier(span) + "-aux"
}

/// The name of an axiom within its domain.
pub(crate) fn axiom_label(axiom: &Axiom, index: usize) -> String {
    axiom.name.clone().unwrap_or_else(|| format!("axiom{index}"))
}

pub(crate) fn sort_name(terms: &Terms, sort: Sort) -> String {
    match terms.sort_kind(sort) {
        SortKind::Bool => "Bool".into(),
        SortKind::Int => "Int".into(),
        SortKind::Real => "Real".into(),
        SortKind::Uninterpreted(name) | SortKind::Native(name) => name.to_string(),
    }
}

fn write_types(program: &Program, types: &[Type], text: &mut String) {
    for (index, ty) in types.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_type(program, ty, text);
    }
}

fn write_type(program: &Program, ty: &Type, text: &mut String) {
    let (name, arguments): (&str, &[&Type]) = match ty {
        Type::Int => ("Int", &[]),
        Type::Bool => ("Bool", &[]),
        Type::Perm => ("Perm", &[]),
        Type::Ref => ("Ref", &[]),
        Type::Parameter(index) => {
            text.push_str(&format!("?{index}"));
            return;
        }
        Type::Domain(domain, arguments) => {
            text.push_str(&program.domain(*domain).name);
            if !arguments.is_empty() {
                text.push('<');
                write_types(program, arguments, text);
                text.push('>');
            }
            return;
        }
        Type::Seq(element) => ("Seq", &[element]),
        Type::Set(element) => ("Set", &[element]),
        Type::Multiset(element) => ("Multiset", &[element]),
        Type::Map(key, value) => ("Map", &[key, value]),
    };
    text.push_str(name);
    for (index, argument) in arguments.iter().enumerate() {
        text.push(if index == 0 { '<' } else { ',' });
        write_type(program, argument, text);
    }
    if !arguments.is_empty() {
        text.push('>');
    }
}
