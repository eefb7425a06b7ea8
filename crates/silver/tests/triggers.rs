//! Which triggers quantifiers get that were written without.

use std::sync::Arc;

use expect_test::{Expect, expect};
use silver::Options;
use silver::typed::{ExpressionKind, StatementKind, infer_triggers};
use source::{NoFiles, SourceMap};

/// Infers triggers for the quantifier that a method asserts and prints them.
fn check(body: &str, expected: Expect) {
    let text = format!(
        "function f(i: Int): Int function g(i: Int, j: Int): Int field val: Int
         method m(s: Seq[Int], t: Set[Int], x: Int) {{ assert {body} }}"
    );
    let mut map = SourceMap::default();
    let file = map.add("triggers.vpr", text);
    let resolved = silver::resolve(&mut map, file, &NoFiles, &Options::default());
    let mut program = resolved.program.unwrap_or_else(|| panic!("{:?}", resolved.diagnostics));
    let method = &mut program.methods[0];
    let block = method.body.as_mut().unwrap();
    let StatementKind::Assert { assertion, .. } = &mut block.statements[0].kind else {
        panic!("no assertion")
    };
    let ExpressionKind::Forall { variables, body, .. } = assertion.kind.clone() else {
        panic!("no quantifier")
    };
    match infer_triggers(&variables, &body, &mut method.locals, false) {
        None => expected.assert_eq("none"),
        Some(inferred) => {
            let variables = variables.iter().chain(&inferred.extra_variables).copied().collect();
            let triggers = Arc::from(inferred.triggers);
            *assertion = assertion.with_kind(ExpressionKind::Forall { variables, triggers, body });
            let printed = silver::typed::print(&program);
            let line = printed.lines().find(|line| line.contains("forall")).unwrap_or("");
            let from = line.find("forall").unwrap_or(0);
            let to = line.rfind("} ").map_or(line.len(), |at| at + 1);
            expected.assert_eq(&line[from..to]);
        }
    }
}

#[test]
fn applications_of_functions_are_triggers() {
    check("forall i: Int :: f(i) > 0", expect!["forall i: Int :: {f(i)}"]);
}

#[test]
fn each_application_that_covers_all_variables_is_a_trigger() {
    check("forall i: Int :: i in t ==> f(i) > 0", expect!["forall i: Int :: {(i in t)} {f(i)}"]);
}

#[test]
fn several_applications_may_be_needed() {
    check("forall i: Int, j: Int :: f(i) < f(j)", expect!["forall i: Int, j: Int :: {f(i), f(j)}"]);
}

#[test]
fn larger_terms_subsume_the_terms_inside_them() {
    check("forall i: Int :: f(f(i)) == f(i)", expect!["forall i: Int :: {f(f(i))}"]);
}

#[test]
fn arithmetic_is_replaced_by_a_variable() {
    check(
        "forall i: Int, j: Int :: g(i + 1, j) == g(i, i)",
        expect!["forall i: Int, j: Int, fresh: Int :: {g(fresh, j), g(i, i)}"],
    );
}

#[test]
fn arithmetic_alone_triggers_nothing() {
    check("forall i: Int :: i + x > i", expect!["none"]);
}

#[test]
fn values_of_let_are_looked_through() {
    check("forall i: Int :: let y == (f(i)) in g(y, x) > 0", expect!["forall i: Int :: {g(f(i), x)}"]);
}

#[test]
fn terms_in_old_states_stay_there() {
    check("forall i: Int :: old(f(i)) > 0", expect!["forall i: Int :: {old(f(i))}"]);
}
