//! Programs that grow: the same few lines over more and more arrays.
//!
//! Arrays are encoded as verifiers of concurrent programs do, a reference for each slot and quantified permissions over
//! them, so that n arrays of the same element type are n quantified permissions to the same field. What is slow about
//! them in practice is known from reports to such verifiers; each family has one of the causes alone.

use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// One array is written in a loop, the sum of all others is read.
    Arrays,
    /// All arrays are handed to a method and come back, three times.
    Exchanged,
    /// Each array is held in two parts, a method wants it whole and returns it in parts.
    Split,
}

const PRELUDE: &str = "\
domain Array {
    function slot(a: Array, i: Int): Ref
    function len(a: Array): Int
    function array_of(r: Ref): Array
    function index_of(r: Ref): Int
    axiom slots_differ {
        forall a: Array, i: Int :: {slot(a, i)} array_of(slot(a, i)) == a && index_of(slot(a, i)) == i
    }
    axiom lengths_are_natural {
        forall a: Array :: {len(a)} len(a) >= 0
    }
}

field val: Int

function at(a: Array, i: Int): Ref
    requires 0 <= i && i < len(a)
    ensures array_of(result) == a && index_of(result) == i
{
    slot(a, i)
}

";

impl Family {
    pub(crate) const ALL: [Family; 3] = [Family::Arrays, Family::Exchanged, Family::Split];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Family::Arrays => "arrays",
            Family::Exchanged => "exchanged",
            Family::Split => "split",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The program with `count` arrays.
    pub(crate) fn text(self, count: usize) -> String {
        let names: Vec<String> = (0..count).map(|index| format!("a{index}")).collect();
        let program = match self {
            Family::Arrays => arrays(&names),
            Family::Exchanged => exchanged(&names),
            Family::Split => split(&names),
        };
        format!("{PRELUDE}{program}")
    }
}

/// Permission to the slots `low` to `high` of an array.
fn range(array: &str, low: &str, high: &str, amount: &str) -> String {
    format!(
        "(forall i: Int :: {{at({array}, i)}} {low} <= i && i < {high} ==> acc(at({array}, i).val, {amount}))"
    )
}

/// A contract that says the same about each array.
fn contract(keyword: &str, names: &[String], parts: &dyn Fn(usize, &str) -> Vec<String>) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let _ = writeln!(text, "    {keyword} len({name}) == n");
        for part in parts(index, name) {
            let _ = writeln!(text, "    {keyword} {part}");
        }
    }
    text
}

fn parameters(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}: Array")).collect::<Vec<_>>().join(", ")
}

fn arrays(names: &[String]) -> String {
    let amounts =
        |index: usize, name: &str| vec![range(name, "0", "n", if index == 0 { "write" } else { "1/2" })];
    let sum = |index: &str| {
        let terms: Vec<String> = names[1..].iter().map(|name| format!("at({name}, {index}).val")).collect();
        if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
    };
    format!(
        "method sum(n: Int, {parameters})\n{requires}{ensures}{{\n    var k: Int := 0\n    if (n > 0) {{\n        \
         while (k < n)\n        invariant 0 <= k && k <= n\n{invariants}        invariant forall j: Int :: {{at(a0, j)}} \
         0 <= j && j < k ==> at(a0, j).val == {inner}\n        {{\n            at(a0, k).val := {outer}\n            \
         k := k + 1\n        }}\n    }}\n}}\n",
        parameters = parameters(names),
        requires = contract("requires", names, &amounts),
        ensures = contract("ensures", names, &amounts),
        invariants = contract("    invariant", names, &amounts),
        inner = sum("j"),
        outer = sum("k"),
    )
}

fn exchanged(names: &[String]) -> String {
    let whole = |_: usize, name: &str| vec![range(name, "0", "n", "write")];
    let head = format!("n: Int, {}", parameters(names));
    let both = format!("{}{}", contract("requires", names, &whole), contract("ensures", names, &whole));
    let call = format!("    callee(n, {})\n", names.join(", "));
    format!("method callee({head})\n{both}\nmethod caller({head})\n{both}{{\n{}}}\n", call.repeat(3))
}

fn split(names: &[String]) -> String {
    let whole = |_: usize, name: &str| vec![range(name, "0", "n", "write")];
    let halves = |_: usize, name: &str| vec![range(name, "0", "m", "write"), range(name, "m", "n", "write")];
    let head = format!("n: Int, m: Int, {}", parameters(names));
    let border = "    requires 0 <= m && m <= n\n";
    let call = format!("    callee(n, m, {})\n", names.join(", "));
    format!(
        "method callee({head})\n{border}{}{}\nmethod caller({head})\n{border}{}{}{{\n{}}}\n",
        contract("requires", names, &whole),
        contract("ensures", names, &halves),
        contract("requires", names, &halves),
        contract("ensures", names, &halves),
        call.repeat(2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_grow_with_the_number_of_arrays() {
        for family in Family::ALL {
            assert_eq!(Family::named(family.name()), Some(family));
            let (one, four) = (family.text(1), family.text(4));
            assert!(four.len() > one.len());
            assert!(four.contains("a3: Array") && !four.contains("a4"));
            assert_eq!(four.matches('{').count(), four.matches('}').count());
        }
    }
}
