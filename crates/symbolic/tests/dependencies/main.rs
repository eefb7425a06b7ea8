//! Call graphs and dependencies of small programs.

mod suite;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::{Expect, expect};
use silver::Options;
use silver::typed::{FieldId, FunctionId, MethodId, PredicateId, Program};
use source::{NoFiles, SourceMap};
use symbolic::dependencies::{Dependencies, Member, ResourceSet};

fn parse(text: &str) -> Program {
    let mut map = SourceMap::default();
    let file = map.add("test.vpr", text);
    let resolved = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    match resolved.program {
        Some(program) => program,
        None => panic!("{:?}", resolved.diagnostics),
    }
}

fn join(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(" ")
}

fn functions<'a>(program: &Program, ids: impl IntoIterator<Item = &'a FunctionId>) -> String {
    join(ids.into_iter().map(|id| program.function(*id).name.clone()))
}

fn resources(program: &Program, set: &ResourceSet) -> String {
    let field = |id: &FieldId| program.field(*id).name.clone();
    let predicate = |id: &PredicateId| program.predicate(*id).name.clone();
    let names = set.fields.iter().map(field).chain(set.predicates.iter().map(predicate));
    join(names.chain(set.wands.iter().map(|id| format!("wand{}", id.0))))
}

/// Call graph: a line per level; brackets around recursive components.
fn check_calls(text: &str, expected: Expect) {
    let program = parse(text);
    let dependencies = Dependencies::of(&program);
    let graph = dependencies.call_graph();
    let mut shown = String::new();
    for level in graph.levels() {
        let component = |id: &symbolic::dependencies::ComponentId| {
            let component = graph.component(*id);
            let members = functions(&program, &component.members);
            if component.is_recursive { format!("[{members}]") } else { members }
        };
        let _ = writeln!(shown, "{}", join(level.iter().map(component)));
    }
    expected.assert_eq(&shown);
}

/// What executing and proving each member involves.
fn check(text: &str, expected: Expect) {
    let program = parse(text);
    let dependencies = Dependencies::of(&program);
    let members = (0..program.functions.len())
        .map(|index| (Member::Function(FunctionId(index as u32)), &program.functions[index].name))
        .chain(
            (0..program.predicates.len())
                .map(|index| (Member::Predicate(PredicateId(index as u32)), &program.predicates[index].name)),
        )
        .chain(
            (0..program.methods.len())
                .map(|index| (Member::Method(MethodId(index as u32)), &program.methods[index].name)),
        );
    let mut shown = String::new();
    for (member, name) in members {
        let _ = writeln!(shown, "{name}:");
        let (execution, reach) = (dependencies.execution(member), dependencies.reach(member));
        let predicates =
            |ids: &BTreeSet<PredicateId>| join(ids.iter().map(|id| program.predicate(*id).name.clone()));
        let lines = [
            ("quantified", resources(&program, &execution.quantified)),
            ("triggers", resources(&program, &execution.triggers)),
            ("resources", resources(&program, &execution.resources)),
            ("opened", predicates(&execution.opened)),
            ("checked functions", functions(&program, &execution.functions)),
            ("called", join(execution.methods.iter().map(|id| program.method(*id).name.clone()))),
            ("functions", functions(&program, &reach.functions)),
            ("reached resources", resources(&program, &reach.resources)),
            ("reached bodies", predicates(&reach.opened)),
            ("domains", join(reach.domains.iter().map(|id| program.domain(*id).name.clone()))),
        ];
        for (title, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = writeln!(shown, "  {title}: {text}");
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn callees_are_on_lower_levels() {
    check_calls(
        "function top(): Int { middle() + leaf() }
        function even(n: Int): Bool { n == 0 ? true : odd(n - 1) }
        function middle(): Int ensures result == leaf() { 1 }
        function odd(n: Int): Bool { n == 0 ? false : even(n - 1) }
        function leaf(): Int
        function self(n: Int): Int requires even(n) { self(n) }",
        expect![[r#"
            [even odd] leaf
            middle [self]
            top
        "#]],
    );
}

#[test]
fn a_call_in_an_unfolded_predicate_is_a_call() {
    check_calls(
        "field f: Int
        predicate P(x: Ref) { acc(x.f) && unfolding Q(x) in true }
        predicate Q(x: Ref) { acc(x.f) && g(1) == 1 }
        function keeps(x: Ref): Int requires P(x) { 1 }
        function opens(x: Ref): Int requires P(x) { unfolding P(x) in x.f }
        function g(n: Int): Int",
        expect![[r#"
            keeps g
            opens
        "#]],
    );
}

#[test]
fn no_functions_make_no_levels() {
    check_calls("method m() { }", expect![[r#""#]]);
}

#[test]
fn only_opened_predicates_and_contracts_are_executed() {
    check(
        "field f: Int
        field g: Int
        field h: Int
        predicate Closed(x: Ref) { acc(x.h) && secret() == 1 }
        predicate Open(x: Ref) { acc(x.f) && inside(x) == 1 }
        function secret(): Int
        function inside(x: Ref): Int requires acc(x.f) { helper() }
        function helper(): Int ensures result == deep() { 3 }
        function deep(): Int
        method callee(x: Ref) requires Closed(x) && acc(x.g) { hidden() }
        method hidden() { assert secret() == 1 }
        method caller(x: Ref) requires Open(x) {
          unfold Open(x)
          callee(x)
        }",
        expect![[r#"
            secret:
              functions: secret
            inside:
              resources: f
              checked functions: helper
              functions: inside helper deep
              reached resources: f
            helper:
              checked functions: deep
              functions: helper deep
            deep:
              functions: deep
            Closed:
              resources: h
              checked functions: secret
              functions: secret
              reached resources: h
            Open:
              resources: f
              checked functions: inside
              functions: inside helper deep
              reached resources: f
            callee:
              resources: g Closed
              called: hidden
              reached resources: g Closed
            hidden:
              checked functions: secret
              functions: secret
            caller:
              resources: f g Closed Open
              opened: Open
              checked functions: inside
              called: callee
              functions: inside helper deep
              reached resources: f g Closed Open
              reached bodies: Open
        "#]],
    );
}

#[test]
fn quantified_resources_are_found_in_what_is_executed() {
    check(
        "field f: Int
        field g: Int
        field h: Int
        predicate P(x: Ref) { acc(x.g) }
        predicate Q(s: Set[Ref]) { forall x: Ref :: x in s ==> acc(x.f) }
        function sum(s: Set[Ref]): Int requires forall x: Ref :: x in s ==> acc(P(x))
        function inner(s: Set[Ref]): Int requires Q(s) { unfolding Q(s) in 1 }
        method calls_functions(s: Set[Ref])
          requires forall x: Ref :: x in s ==> acc(P(x))
          requires Q(s)
        { var i: Int := sum(s) + inner(s) }
        method calls_a_method(s: Set[Ref]) { opens(s) }
        method opens(s: Set[Ref]) requires Q(s) { unfold Q(s) }
        method triggers(x: Ref, s: Set[Ref])
          requires acc(x.h) && acc(P(x))
        {
          assert forall y: Ref :: {y.h} y == x ==> y.h == x.h
          assert forall y: Ref :: {old(y.g)} y == x ==> perm(y.f) == none
          assert forall y: Ref :: {P(y)} y == x ==> perm(P(y)) == write
        }",
        expect![[r#"
            sum:
              quantified: P
              resources: P
              functions: sum
              reached resources: P
            inner:
              quantified: f
              resources: f Q
              opened: Q
              functions: inner
              reached resources: f Q
              reached bodies: Q
            P:
              resources: g
              reached resources: g
            Q:
              quantified: f
              resources: f
              reached resources: f
            calls_functions:
              quantified: P
              resources: P Q
              checked functions: sum inner
              functions: sum inner
              reached resources: f P Q
              reached bodies: Q
            calls_a_method:
              resources: Q
              called: opens
              reached resources: Q
            opens:
              quantified: f
              resources: f Q
              opened: Q
              reached resources: f Q
              reached bodies: Q
            triggers:
              triggers: g h P
              resources: f g h P
              reached resources: f g h P
        "#]],
    );
}

#[test]
fn wands_that_differ_in_fixed_values_have_one_shape() {
    check(
        "field f: Int
        field g: Int
        method m(x: Ref, y: Ref, s: Set[Ref]) {
          inhale acc(x.f) --* acc(x.g)
          exhale acc(y.f) --* acc(y.g)
          inhale acc(x.f, 1/2) --* acc(x.g)
          inhale acc(x.f) --* (forall r: Ref :: r in s ==> acc(r.g))
          exhale acc(x.f) --* (forall other: Ref :: other in s ==> acc(other.g))
          apply acc(x.f) --* acc(x.f)
        }
        method quantified(s: Set[Ref]) {
          inhale forall r: Ref :: r in s ==> (acc(r.f) --* acc(r.g))
        }",
        expect![[r#"
            m:
              quantified: g
              resources: f g wand0 wand1 wand2
              reached resources: f g wand0 wand1 wand2
            quantified:
              quantified: wand0
              resources: f g wand0
              reached resources: f g wand0
        "#]],
    );
}

#[test]
fn a_domain_comes_with_those_that_speak_about_it() {
    check(
        "domain D { function d(): Int }
        domain AboutD { axiom { d() > 0 } }
        domain OfType[T] { function wrap(x: T): OfType[T] }
        domain Other { function o(i: Int): Int
          axiom { forall i: Int :: {o(i)} o(i) > f(i) } }
        domain Lengths { function length(s: Seq[Int]): Int
          axiom { forall s: Seq[Int] :: {|s|} length(s) == |s| } }
        domain Unused { function u(i: Int): Int
          axiom { forall i: Int :: u(i) > i } }
        field typed: OfType[Int]
        function f(i: Int): Int
        method uses_d() { assert d() > 0 }
        method uses_f() { assert f(0) > 0 }
        method uses_type(x: Ref) requires acc(x.typed)
        method uses_nothing()",
        expect![[r#"
            f:
              functions: f
              domains: Other Lengths
            uses_d:
              domains: D AboutD Lengths
            uses_f:
              checked functions: f
              functions: f
              domains: Other Lengths
            uses_type:
              resources: typed
              reached resources: typed
              domains: OfType Lengths
            uses_nothing:
              domains: Lengths
        "#]],
    );
}
