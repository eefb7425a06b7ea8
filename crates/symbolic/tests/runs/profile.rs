//! Profiles: instances of quantifiers by their places.

use symbolic::VerifyOptions;

use crate::support::{load_text, options, verify};

const PROGRAM: &str = "
domain D {
    function f(x: Int): Int
    axiom grows { forall x: Int :: {f(x)} f(x) > x }
}

function twice(n: Int): Int { 2 * n }

method m(s: Seq[Int])
    requires forall i: Int :: {s[i]} 0 <= i && i < |s| ==> s[i] > 0
{
    assert |s| > 3 ==> s[0] + s[1] + s[2] > 2
    assert f(f(f(4))) > 6
    assert twice(twice(4)) == 16
}
";

#[test]
fn quantifiers_are_counted_by_their_places() {
    let loaded = load_text(PROGRAM);
    if options().solver.kind != smt::SolverKind::Z3 {
        return;
    }
    let report = verify(&loaded, &VerifyOptions { profile: true, ..options() });
    let profile = &report.members.last().expect("there are members").profile;
    let instances = |start: &str| -> u64 {
        let here = profile.iter().filter(|count| {
            count.span.is_some_and(|span| loaded.sources.text(span).trim_start().starts_with(start))
        });
        here.map(|count| count.instances).sum()
    };
    assert!(instances("forall i: Int") >= 3, "{profile:?}");
    assert!(instances("axiom grows") >= 3, "{profile:?}");
    assert!(instances("function twice") >= 2, "{profile:?}");
    let counts: Vec<u64> = profile.iter().map(|count| count.instances).collect();
    assert!(counts.is_sorted_by(|left, right| left >= right), "{counts:?}");
}
