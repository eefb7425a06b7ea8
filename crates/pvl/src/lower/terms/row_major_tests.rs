//! The rewritten quantifier says the same as the one that was written: both are evaluated for small numbers.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::SourceMap;

use crate::syntax::{Options, parse};

type Environment = FxHashMap<String, i128>;

/// Names with ranges, and the index of the element.
struct Case {
    ranges: Vec<(&'static str, &'static str, &'static str)>,
    index: &'static str,
    /// Whether the quantifier is expected to be rewritten.
    is_joined: bool,
}

fn case(ranges: &[(&'static str, &'static str, &'static str)], index: &'static str) -> Case {
    Case { ranges: ranges.to_vec(), index, is_joined: true }
}

fn kept(ranges: &[(&'static str, &'static str, &'static str)], index: &'static str) -> Case {
    Case { ranges: ranges.to_vec(), index, is_joined: false }
}

fn cases() -> Vec<Case> {
    let (i, j) = (("i", "0", "m"), ("j", "0", "n"));
    vec![
        case(&[i, j], "i * n + j"),
        case(&[j, i], "j + n * i"),
        case(&[i, j], "i * n + j + m"),
        case(&[i, j], "2 * (i * n + j) + 1"),
        case(&[("i", "1", "m"), ("j", "m", "m + n")], "i * n + j"),
        case(&[("i", "0", "3"), ("j", "0", "4")], "i * 4 + j"),
        case(&[("i", "0", "3"), ("j", "0", "4")], "i * 7 + j"),
        case(&[("i", "0 - 2", "3"), ("j", "0 - 1", "4")], "i * 5 + j"),
        kept(&[("i", "0", "3"), ("j", "0", "4")], "i * 3 + j"),
        // Only right for some values of `n`, so the original is still there.
        case(&[("i", "0", "m"), ("j", "0", "2")], "i * n + j"),
        case(&[("i", "0", "m"), ("j", "1", "n - 1")], "i * n + j"),
        case(&[i, j, ("k", "0", "2")], "k * m * n + i * n + j"),
        case(&[("k", "0", "2"), i, j], "(k * m + i) * n + j"),
        case(&[("k", "0", "2"), ("i", "0", "2"), j], "(k * m + i) * n + j"),
        // Bounds that others move.
        case(&[i, ("j", "i * n", "i * n + n")], "j"),
        case(&[i, ("j", "n * i", "n * (i + 1)")], "j + 1"),
        kept(&[i, ("j", "i", "n")], "j"),
        kept(&[i, ("j", "i", "i + n")], "j"),
        kept(&[i, j], "i + j"),
        kept(&[i, j], "i * j"),
        kept(&[i, j], "i * n - j"),
        kept(&[i, j], "i * n"),
        case(&[i], "i + n"),
        case(&[i], "3 * i + n"),
        kept(&[i], "i * n"),
        kept(&[i], "n - i"),
    ]
}

fn evaluate(term: &s::Expression, environment: &Environment) -> i128 {
    use s::BinaryOperator::*;
    match &*term.kind {
        s::ExpressionKind::Int(digits) => digits.parse().unwrap(),
        s::ExpressionKind::Bool(value) => i128::from(*value),
        s::ExpressionKind::Name(name) => environment[&*name.text],
        s::ExpressionKind::Unary(s::UnaryOperator::Negate, operand) => -evaluate(operand, environment),
        s::ExpressionKind::Binary(operator, left, right) => {
            let value = evaluate(left, environment);
            if *operator == And && value == 0 {
                return 0;
            }
            let other = evaluate(right, environment);
            match operator {
                And => other,
                Equal => i128::from(value == other),
                Less => i128::from(value < other),
                LessEqual => i128::from(value <= other),
                Add => value + other,
                Subtract => value - other,
                Multiply => value * other,
                IntDivide => value.div_euclid(other),
                Modulo => value.rem_euclid(other),
                _ => panic!("{operator:?}"),
            }
        }
        kind => panic!("{kind:?}"),
    }
}

/// The indices of elements together with the values of the variables, and how many variables there are.
fn meaning(assertion: &s::Expression, environment: &Environment) -> (BTreeSet<Vec<i128>>, usize) {
    match &*assertion.kind {
        s::ExpressionKind::Conditional(condition, then, otherwise) => {
            match evaluate(condition, environment) {
                0 => meaning(otherwise, environment),
                _ => meaning(then, environment),
            }
        }
        s::ExpressionKind::Forall { bindings, body, .. } => {
            let mut found = BTreeSet::new();
            let mut environment = environment.clone();
            let names: Vec<String> = bindings.iter().map(|binding| binding.name.text.to_string()).collect();
            collect(&names, body, &mut environment, &mut found);
            (found, names.len())
        }
        kind => panic!("{kind:?}"),
    }
}

fn collect(
    names: &[String],
    body: &s::Expression,
    environment: &mut Environment,
    found: &mut BTreeSet<Vec<i128>>,
) {
    let Some((name, rest)) = names.split_first() else {
        let s::ExpressionKind::Binary(s::BinaryOperator::Implies, guard, fact) = &*body.kind else {
            panic!("no guard")
        };
        if evaluate(guard, environment) == 0 {
            return;
        }
        let s::ExpressionKind::Binary(s::BinaryOperator::Equal, element, value) = &*fact.kind else {
            panic!("no fact")
        };
        let s::ExpressionKind::Field(element, _) = &*element.kind else { panic!("no element") };
        let (s::ExpressionKind::Call(_, place, _), s::ExpressionKind::Call(_, values, _)) =
            (&*element.kind, &*value.kind)
        else {
            panic!("no calls")
        };
        let terms = place.iter().skip(1).chain(values);
        found.insert(terms.map(|term| evaluate(term, environment)).collect());
        return;
    };
    // Wide enough for all variables, and for the place that is there instead of them.
    let range = if environment.len() == 2 && rest.is_empty() { -24..=40 } else { -12..=16 };
    for value in range {
        environment.insert(name.clone(), value);
        collect(rest, body, environment, found);
    }
    environment.remove(name);
}

/// What the program says, without a lowering: the same term evaluated by its text.
fn written(case: &Case, environment: &Environment) -> BTreeSet<Vec<i128>> {
    let lowered = lower(case, true);
    meaning(&lowered, environment).0
}

/// The quantifier of a program about the case. A written trigger keeps it from being rewritten.
fn lower(case: &Case, keep: bool) -> s::Expression {
    let variables: Vec<String> =
        case.ranges.iter().map(|(name, low, high)| format!("int {name} = {low} .. {high}")).collect();
    let names: Vec<&str> = case.ranges.iter().map(|(name, ..)| *name).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("int {name}")).collect();
    let value = format!("f({} + 0)", names.join(" + 0, "));
    let value = if keep { format!("{{: {value} :}}") } else { value };
    let text = format!(
        "pure int f({});\nrequires (\\forall {}; a[{}] == {value});\nvoid about(int[] a, int n, int m) {{ }}",
        parameters.join(", "),
        variables.join(", "),
        case.index
    );
    let mut map = SourceMap::default();
    let file = map.add("case.pvl", &*text);
    let (program, errors) = parse(file, &text, Options::default());
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (resolution, errors) = crate::resolve::resolve(&program);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let lowered = crate::lower::lower(&resolution, &mut map);
    let method = lowered.program.members.into_iter().find_map(|member| match member.kind {
        s::MemberKind::Method(method) if &*method.name.text == "about" => Some(method),
        _ => None,
    });
    let clause = method.unwrap().preconditions.pop().unwrap();
    match clause.kind {
        s::SpecificationKind::Assertion(assertion) => assertion,
        s::SpecificationKind::Decreases(_) => panic!("no assertion"),
    }
}

#[test]
fn rewritten_quantifiers_mean_the_same() {
    for case in cases() {
        let joined = lower(&case, false);
        let mut is_joined = false;
        for n in -2..5 {
            for m in -2..4 {
                let environment: Environment =
                    [("n".to_string(), n), ("m".to_string(), m)].into_iter().collect();
                let (found, count) = meaning(&joined, &environment);
                is_joined |= count == 1
                    && !matches!(&*joined.kind, s::ExpressionKind::Forall { triggers, .. } if triggers.is_empty());
                let expected = written(&case, &environment);
                assert_eq!(found, expected, "{} with n = {n}, m = {m}", case.index);
            }
        }
        assert_eq!(is_joined, case.is_joined, "{}", case.index);
    }
}
