//! From parse trees to the typed program: imports, macros, names, types, consistency and plugins.
//!
//! The phases follow Viper's: the first phase with errors ends the run, so that each file's errors all carry one id.

mod adt;
mod assumptions;
mod calls;
mod checker;
mod collections;
mod consistency;
mod draft;
mod expressions;
mod load;
mod macros;
mod members;
mod names;
mod operators;
mod predicate_instances;
mod quantified_permissions;
mod smoke;
mod standard_library;
mod statements;
mod termination;
mod unify;

use source::{Diagnostic, FileId, Loader, NoFiles, SourceMap};

use self::checker::Checker;
use self::load::{Importer, LoadedFiles};
use crate::syntax::tree;
use crate::typed::{Program, Type};

/// What a caller can choose about the language.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Insert `refute false` where a proof must not be vacuous.
    pub smoke_detection: bool,
    /// Let exact amounts in function preconditions mean what they say, instead of only zero or positive.
    pub respect_function_permission_amounts: bool,
    /// Where files behind `import <…>` are looked for that the built-in library does not have.
    pub folders: Vec<String>,
    /// Take the members in an order that this number decides, in place of that of the text: nothing depends on it but the luck
    /// of the solver.
    pub order: Option<u64>,
}

/// The result of the front end.
#[derive(Debug)]
pub struct Resolved {
    /// Present if there are no errors.
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file of the map with its imports and gives it its meaning.
pub fn resolve(map: &mut SourceMap, file: FileId, loader: &dyn Loader, options: &Options) -> Resolved {
    crate::with_large_stack(|| resolve_here(map, file, loader, options))
}

/// Gives a tree that another front end has built its meaning. It imports nothing but the well-founded orders.
///
/// Spans are the front end's: they are carried along, compared and reported, but their texts are never looked at.
pub fn resolve_tree(map: &mut SourceMap, program: tree::Program, options: &Options) -> Resolved {
    let loaded = LoadedFiles { trees: vec![program], built_in: vec![false], diagnostics: Vec::new() };
    crate::with_large_stack(|| resolve_trees(map, loaded, options))
}

fn resolve_here(map: &mut SourceMap, file: FileId, loader: &dyn Loader, options: &Options) -> Resolved {
    let loaded = Importer::new(loader, &options.folders, map).load_main(file);
    resolve_trees(map, loaded, options)
}

/// Trees in the order in which Viper looks at them, the main file last.
fn resolve_trees(map: &mut SourceMap, loaded: LoadedFiles, options: &Options) -> Resolved {
    let LoadedFiles { mut trees, built_in, mut diagnostics } = loaded;
    diagnostics.extend(macros::expand(&mut trees.iter_mut().collect::<Vec<_>>(), &built_in));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    let derives = trees.iter().flat_map(|tree| &tree.members).any(|member| {
        matches!(&member.kind, tree::MemberKind::Import(import) if !import.local && &*import.path == "adt/derives.vpr")
    });
    let members = trees.iter().zip(&built_in);
    let members = members.flat_map(|(tree, built_in)| tree.members.iter().map(|member| (member, *built_in)));
    diagnostics.extend(names::check(members));
    let mut checker = Checker::new();
    // The main file's members come first, as in Viper.
    let mut members: Vec<&tree::Member> = trees.iter().rev().flat_map(|tree| &tree.members).collect();
    if let Some(order) = options.order {
        shuffle(&mut members, order);
    }
    checker.check_members(members.into_iter(), derives);
    diagnostics.append(&mut checker.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    diagnostics.extend(consistency::check_quantifier_shapes(&checker.program, &checker.decreases));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    diagnostics.append(&mut checker.inconsistencies);
    let respect_amounts = options.respect_function_permission_amounts;
    diagnostics.extend(consistency::check(&checker.program, &checker.decreases, respect_amounts));
    diagnostics.extend(consistency::check_data_types(&checker.program, &checker.adts));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    import_orders(&mut checker, map);
    // The library is sound by itself; an error means that the program uses one of its names for something else.
    for diagnostic in std::mem::take(&mut checker.diagnostics) {
        let help = "the program uses a name of the well-founded orders for something else";
        diagnostics.push(Diagnostic { code: crate::codes::CONSISTENCY, ..diagnostic.help(help) });
    }
    checker.encode_adts();
    if options.smoke_detection {
        smoke::add_checks(&mut checker.program);
    }
    diagnostics.extend(termination::check_postconditions(&checker));
    let clauses = termination::collect(&checker, &mut diagnostics);
    diagnostics.extend(termination::add_checks(&mut checker.program, &clauses, respect_amounts));
    for span in std::mem::take(&mut checker.instance_uses) {
        if checker.implicit_instance_domain.is_some() {
            checker.inconsistent(
                span,
                "the domain `PredicateInstance` is needed but not declared",
                "import <predicateinstance/pi.vpr>",
            );
        }
    }
    diagnostics.append(&mut checker.inconsistencies);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Resolved { program: None, diagnostics };
    }
    Resolved { program: Some(checker.program), diagnostics }
}

/// Puts things into an order that a number decides (Fisher and Yates, with the numbers of SplitMix64).
fn shuffle<T>(things: &mut [T], number: u64) {
    let mut state = number;
    for place in (1..things.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        things.swap(place, (bits % (place as u64 + 1)) as usize);
    }
}

/// Imports the well-founded orders of the types that measures have, where the program does not declare them itself.
fn import_orders(checker: &mut Checker, map: &mut SourceMap) {
    let clauses = &checker.decreases;
    let all = clauses.functions.values().chain(clauses.methods.values()).flatten();
    let all = all.chain(clauses.loops.values().flatten().flatten());
    let mut wanted: Vec<&str> = Vec::new();
    for clause in all {
        let termination::Measure::Tuple(expressions) = &clause.measure else { continue };
        for expression in expressions {
            let (file, domains): (&str, &[&str]) = match &expression.ty {
                Type::Int => ("decreases/int.vpr", &["IntWellFoundedOrder"]),
                Type::Bool => ("decreases/bool.vpr", &["BoolWellFoundedOrder"]),
                Type::Ref => ("decreases/ref.vpr", &["RefWellFoundedOrder"]),
                Type::Perm => ("decreases/perm.vpr", &["PermWellFoundedOrder", "RationalWellFoundedOrder"]),
                Type::Seq(_) => ("decreases/seq.vpr", &["SeqWellFoundedOrder"]),
                Type::Set(_) => ("decreases/set.vpr", &["SetWellFoundedOrder"]),
                Type::Multiset(_) => ("decreases/multiset.vpr", &["MultiSetWellFoundedOrder"]),
                Type::Domain(domain, _)
                    if checker.program.domain(*domain).name == predicate_instances::DOMAIN =>
                {
                    ("decreases/predicate_instance.vpr", &["PredicateInstancesWellFoundedOrder"])
                }
                _ => ("decreases/declaration.vpr", &["WellFoundedOrder"]),
            };
            let is_present = domains.iter().any(|name| checker.program.find_domain(name).is_some());
            if !is_present && !wanted.contains(&file) {
                wanted.push(file);
            }
        }
    }
    // Which order is first must not depend on the hash of an id.
    wanted.sort_unstable();
    let loaded = Importer::new(&NoFiles, &[], map).load_standard(&wanted);
    let is_new = |member: &&tree::Member| match &member.kind {
        tree::MemberKind::Domain(domain) => checker.global(&domain.name.text).is_empty(),
        _ => false,
    };
    let trees: Vec<&tree::Member> =
        loaded.trees.iter().flat_map(|tree| &tree.members).filter(is_new).collect();
    checker.check_members(trees.into_iter(), false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_changes_the_order_of_members_and_nothing_else() {
        let text =
            "function a(): Int { b() } function b(): Int { 1 } function c(): Int { a() } method m() { }";
        let names = |order: Option<u64>| {
            let mut map = SourceMap::default();
            let file = map.add("a.vpr", text);
            let options = Options { order, ..Options::default() };
            let program = resolve(&mut map, file, &NoFiles, &options).program.expect("it is a program");
            program.functions.iter().map(|function| function.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["a", "b", "c"]);
        let orders: std::collections::BTreeSet<Vec<String>> =
            (0..30).map(|order| names(Some(order))).collect();
        assert_eq!(orders.len(), 6);
        assert_eq!(names(Some(7)), names(Some(7)));
    }
}
