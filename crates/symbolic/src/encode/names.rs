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
use source::{FileId, Span};

/// How names of quantifiers of the source begin.
const QUANTIFIER: &str = "q@";
const FACTS: &str = "-aux";

pub(crate) const REFERENCE_SORT: &str = "$Ref";
pub(crate) const NULL: &str = "$Ref.null";
pub(crate) const SNAPSHOT_SORT: &str = "$Snap";
pub(crate) const SNAPSHOT_UNIT: &str = "$Snap.unit";
pub(crate) const SNAPSHOT_COMBINE: &str = "$Snap.combine";
pub(crate) const SNAPSHOT_FIRST: &str = "$Snap.first";
pub(crate) const SNAPSHOT_SECOND: &str = "$Snap.second";

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

/// The symbol of a heap-dependent or pure function of the program, or of a variant of it (`limited`, `stateless`).
pub(crate) fn function(name: &str, variant: Option<&str>) -> String {
    match variant {
        None => format!("fun.{name}"),
        Some(variant) => format!("fun.{name}.{variant}"),
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
pub(crate) fn axiom(program: &Program, domain: DomainId, arguments: &[Type], name: &str) -> String {
    format!("{}.{name}", domain_sort(program, domain, arguments))
}

/// The name of a quantifier of the source, by its place.
pub(crate) fn quantifier(span: Span) -> String {
    format!("{QUANTIFIER}{}.{}-{}", span.file.0, span.start, span.end)
}

/// The name of what is known about the terms in a quantifier's body.
pub(crate) fn quantifier_facts(span: Span) -> String {
    quantifier(span) + FACTS
}

/// How a profile shows a quantifier.
pub(crate) struct QuantifierName {
    pub text: String,
    pub span: Option<Span>,
}

/// What the name of a quantifier says about it.
pub(crate) fn read_quantifier(program: &Program, name: &str) -> QuantifierName {
    if let Some(place) = name.strip_prefix(QUANTIFIER) {
        let (place, text) = match place.strip_suffix(FACTS) {
            Some(place) => (place, verdict::QUANTIFIER_BODY),
            None => (place, verdict::QUANTIFIER),
        };
        return QuantifierName { text: text.to_string(), span: read_span(place) };
    }
    let owner = name.split_once('.').and_then(|(owner, what)| {
        let function = program.functions.iter().find(|function| function.name == owner);
        function.map(|function| function.span).or_else(|| axiom_span(program, owner, what))
    });
    QuantifierName { text: name.to_string(), span: owner }
}

fn read_span(text: &str) -> Option<Span> {
    let (file, range) = text.split_once('.')?;
    let (start, end) = range.split_once('-')?;
    let file = FileId(file.parse().ok()?);
    Some(Span { file, start: start.parse().ok()?, end: end.parse().ok()? })
}

fn axiom_span(program: &Program, sort: &str, label: &str) -> Option<Span> {
    let (domain, _) = sort.split_once('<')?;
    let domain = program.domain(program.find_domain(domain)?);
    let mut axioms = domain.axioms.iter().enumerate();
    let found = axioms.find(|(index, axiom)| axiom_label(axiom, *index) == label);
    Some(found.map_or(domain.span, |(_, axiom)| axiom.span))
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
