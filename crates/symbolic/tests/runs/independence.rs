//! What a report does not depend on.

use std::path::{Path, PathBuf};

use symbolic::VerifyOptions;
use testing::files_below;
use verdict::{MemberReport, ProofReport, Verdict};

use crate::support::{Loaded, load, options, verify};

/// The programs of the repository.
fn programs() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let all: Vec<PathBuf> = ["examples/silver", "tests/corpus/silver"]
        .iter()
        .flat_map(|folder| files_below(&workspace.join(folder), &["vpr"]))
        .collect();
    let is_slow = |path: &PathBuf| SLOW.iter().any(|name| path.ends_with(name));
    assert_eq!(all.iter().filter(|path| is_slow(path)).count(), SLOW.len(), "there are such programs");
    all.into_iter().filter(|path| is_long_round() || !is_slow(path)).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("programs of the repository can be read")
}

/// Everything but times. Where a member was given up, a solver may have been stopped by the clock that is behind every
/// budget; it does not tell what it has spent by then, so that is not compared.
fn summary(member: &MemberReport) -> String {
    let spent = (!matches!(member.verdict, Verdict::Unknown(_))).then_some(member.cost.resources);
    let cost = (member.cost.queries, spent, member.cost.paths);
    format!("{} {:?} {:?} {:?} {:?}", member.name, member.verdict, member.failures, member.stuck, cost)
}

fn summaries(report: &ProofReport) -> Vec<String> {
    report.members.iter().map(summary).collect()
}

/// Verdicts and codes of failures, by name.
fn verdicts(report: &ProofReport) -> Vec<String> {
    let mut verdicts: Vec<String> = report
        .members
        .iter()
        .map(|member| {
            let codes: Vec<&str> = member.failures.iter().map(|failure| failure.code.as_str()).collect();
            format!("{} {} {codes:?}", member.name, member.verdict.word())
        })
        .collect();
    verdicts.sort();
    verdicts
}

const UNRELATED: &str = "
field unrelated_value: Int
field unrelated_next: Ref
domain Unrelated[UnrelatedValue] {
    function unrelated_wrap(unrelated_x: UnrelatedValue): Unrelated[UnrelatedValue]
    unique function unrelated_first(): Unrelated[UnrelatedValue]
    axiom unrelated_axiom {
        forall unrelated_x: UnrelatedValue :: {unrelated_wrap(unrelated_x)}
            unrelated_wrap(unrelated_x) != unrelated_first()
    }
}
domain UnrelatedPlain {
    function unrelated_plain(unrelated_x: Ref): Seq[Seq[Bool]]
    axiom { forall unrelated_x: Ref :: {unrelated_plain(unrelated_x)} |unrelated_plain(unrelated_x)| == 7 }
}
predicate unrelated_list(unrelated_x: Ref) {
    acc(unrelated_x.unrelated_value) && acc(unrelated_x.unrelated_next)
    && (unrelated_x.unrelated_next != null ==> unrelated_list(unrelated_x.unrelated_next))
}
function unrelated_length(unrelated_x: Ref, unrelated_s: Set[Multiset[Int]]): Int
    requires unrelated_list(unrelated_x)
    ensures result > 0
{
    unfolding unrelated_list(unrelated_x) in
        unrelated_x.unrelated_next == null ? 1 : 1 + unrelated_length(unrelated_x.unrelated_next, unrelated_s)
}
method unrelated(unrelated_x: Ref, unrelated_map: Map[Int, Unrelated[Ref]])
    requires unrelated_list(unrelated_x)
    requires forall unrelated_y: Ref :: {unrelated_y.unrelated_value}
        unrelated_y in Set(unrelated_x) ==> acc(unrelated_y.unrelated_value, none)
{
    assert unrelated_length(unrelated_x, Set(Multiset(1))) > 0
    exhale true --* unrelated_list(unrelated_x)
}
";

/// The same program with its members in another order.
fn reordered(path: &Path, change: impl FnOnce(&mut Vec<silver::syntax::tree::Member>)) -> Option<Loaded> {
    let text = read(path);
    let mut map = source::SourceMap::default();
    let file = map.add("before.vpr", text.as_str());
    let (mut tree, diagnostics) = silver::syntax::parse(file, &text);
    if !diagnostics.is_empty() {
        return None;
    }
    change(&mut tree.members);
    load(path, &silver::syntax::print(&tree))
}

/// Resources of the solver, about a fifth of a second, beyond which a program is verified once more only, in one of the ways in
/// turn. The long round has all ways.
const COSTLY: u64 = 2_000_000;

/// Programs that try everything there is before members are given up: half of the time of all. The long round has them.
const SLOW: [&str; 5] = [
    "one_share_of_infinitely_many.vpr",
    "quantifiers_over_sums.vpr",
    "recursion_in_depth.vpr",
    "triggers_that_match_nothing.vpr",
    "without_triggers_in_definitions.vpr",
];

fn is_long_round() -> bool {
    std::env::var_os("PROBITY_SLOW_TESTS").is_some()
}

/// What is wrong with the reports about one program, the so-and-so-many-th.
fn problems(path: &Path, number: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(loaded) = load(path, &read(path)) else { return problems };
    let mut compare = |what: &str, expected: &[String], found: &[String]| {
        if let Some((expected, found)) = expected.iter().zip(found).find(|(left, right)| left != right) {
            problems.push(format!("{}: {what}:\n  {expected}\n  {found}", path.display()));
        } else if expected.len() != found.len() {
            problems.push(format!("{}: {what}: {} and {}", path.display(), expected.len(), found.len()));
        }
    };
    let first = verify(&loaded, &options());
    let expected = summaries(&first);
    let cost: u64 = first.members.iter().map(|member| member.cost.resources).sum();
    let has_all_ways = cost <= COSTLY || is_long_round();
    let has_way = |way: usize| has_all_ways || number % 3 == way;
    for workers in [2, 4] {
        if !has_way(0) || workers == 2 && !is_long_round() {
            continue;
        }
        let report = verify(&loaded, &VerifyOptions { workers, ..options() });
        compare(&format!("{workers} workers"), &expected, &summaries(&report));
    }
    let spans: Vec<_> = first.members.iter().map(|member| (member.span.file, member.span.start)).collect();
    assert!(spans.is_sorted(), "{}: members are reported in the order of the source", path.display());

    if has_way(1) {
        let changed = reordered(path, |members| {
            if number.is_multiple_of(2) {
                members.reverse();
            } else {
                let half = members.len() / 2;
                members.rotate_left(half);
            }
        });
        let changed = changed.expect("the order of members is free");
        compare("another order", &verdicts(&first), &verdicts(&verify(&changed, &options())));
    }
    if has_way(2) {
        let more = load(path, &(read(path) + UNRELATED));
        let more = more.unwrap_or_else(|| panic!("{}: the names are new", path.display()));
        let report = verify(&more, &options());
        let is_related = |member: &&MemberReport| !member.name.starts_with("unrelated");
        let related: Vec<String> = report.members.iter().filter(is_related).map(summary).collect();
        compare("unrelated members", &expected, &related);
    }
    problems
}

fn all_problems(remainder: usize) -> Vec<String> {
    let programs = programs().into_iter().enumerate().filter(|(index, _)| index % 4 == remainder);
    programs.flat_map(|(index, path)| problems(&path, index / 4)).collect()
}

// Neither the number of workers nor the order of declarations nor unrelated members matter. In parts, so that they run
// side by side.

#[test]
fn nothing_else_matters_in_the_first_quarter_of_the_programs() {
    assert_eq!(all_problems(0), Vec::<String>::new());
}

#[test]
fn nothing_else_matters_in_the_second_quarter_of_the_programs() {
    assert_eq!(all_problems(1), Vec::<String>::new());
}

#[test]
fn nothing_else_matters_in_the_third_quarter_of_the_programs() {
    assert_eq!(all_problems(2), Vec::<String>::new());
}

#[test]
fn nothing_else_matters_in_the_last_quarter_of_the_programs() {
    assert_eq!(all_problems(3), Vec::<String>::new());
}
