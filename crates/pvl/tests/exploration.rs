//! Numbers of states and transitions of processes, against figures that were found by other means.

use std::path::Path;

use std::collections::HashSet;

use process::{Explorer, Successor};
use pvl::models::{Request, read};
use pvl::syntax::tree::Dialect;
use source::SourceMap;
use testing::files_below;

#[derive(PartialEq, Debug)]
struct Count {
    instances: usize,
    states: usize,
    transitions: usize,
    ends: usize,
    stuck: usize,
    failing: usize,
}

/// Counts what is the same whichever fields are written out in states.
fn explore(text: &str, process: &str, ranges: &[&str]) -> Result<Count, String> {
    let count = explore_as(text, process, ranges, |_| false);
    for is_odd in [false, true] {
        let again = explore_as(text, process, ranges, if is_odd { |field| field % 2 == 1 } else { |_| true });
        assert_eq!(again, count, "odd fields only: {is_odd}");
    }
    count
}

fn explore_as(
    text: &str,
    process: &str,
    ranges: &[&str],
    is_written_out: fn(usize) -> bool,
) -> Result<Count, String> {
    let mut map = SourceMap::default();
    let file = map.add("model.pvl", text);
    let request = Request {
        process: Some(process.to_string()),
        ranges: ranges.iter().map(|range| range.to_string()).collect(),
        conditions: Vec::new(),
    };
    let reading = read(&mut map, file, Dialect::New, &request).map_err(|errors| format!("{errors:?}"))?;
    let mut explorer =
        Explorer::new(&reading.converted.model, &reading.converted.foreign, &reading.question)?;
    let mut count = Count {
        instances: explorer.instances().len(),
        states: 0,
        transitions: 0,
        ends: 0,
        stuck: 0,
        failing: 0,
    };
    let fields = reading.converted.model.fields.len();
    explorer.write_out((0..fields).map(is_written_out).collect());
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    let mut work = explorer.initial()?;
    seen.extend(work.iter().cloned());
    let mut successors: Vec<Successor> = Vec::new();
    while let Some(state) = work.pop() {
        count.states += 1;
        explorer.successors(&state, &mut successors)?;
        count.transitions += successors.len();
        if explorer.may_end(&state)? {
            count.ends += 1;
            count.failing += usize::from(explorer.failing(&state)?.is_some());
        } else if successors.is_empty() {
            count.stuck += 1;
        }
        for successor in successors.drain(..) {
            if seen.insert(successor.words.clone()) {
                work.push(successor.words);
            }
        }
    }
    Ok(count)
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/models/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the example can be read")
}

#[test]
fn owicki_gries() {
    let count = explore(&example("owicki-gries.pvl"), "OG(4)", &["x in {0}"]).expect("it can be explored");
    assert_eq!((count.states, count.transitions, count.ends, count.failing), (5, 4, 2, 0));
}

/// Two sessions of which neither is told apart from the other: positions of both, without order, that are not both
/// inside.
#[test]
fn two_clients() {
    let text = example("lock.pvl");
    for n in 0..4_usize {
        for k in 0..4_usize {
            let count = explore(&text, &format!("Two({n}, {k})"), &[]).expect("it can be explored");
            let (small, large) = (n.min(k), n.max(k));
            let pairs = (2 * small + 1) * (2 * large + 1) - (2 * small + 1) * small;
            let inside = small * large - small * (small.max(1) - 1) / 2;
            assert_eq!(count.states, pairs - inside, "{n} {k}");
            assert_eq!((count.ends, count.failing, count.stuck), (1, 0, 0));
        }
    }
}

#[test]
fn parallel_decrements_are_counted() {
    let text = "model C {
        int x;
        modifies x;
        ensures x == \\old(x) - 1;
        action decr();
        ensures x == \\old(x) - n;
        process pardecr(int n) = 0 < n ? decr() || pardecr(n - 1) : empty;
    }";
    for n in [0, 1, 2, 5, 30] {
        let process = format!("pardecr({n})");
        let count = explore(text, &process, &["x in {7}"]).expect("it can be explored");
        assert_eq!((count.states, count.transitions, count.ends, count.failing), (n + 1, n, 1, 0));
    }
}

#[test]
fn election() {
    let text = example("election.pvl");
    let figures = [(1, 4, 3), (2, 17, 23), (3, 97, 192), (4, 597, 1_552), (5, 3_741, 12_000)];
    for (workers, states, transitions) in figures {
        let values =
            (0..workers).map(|it| ((it * 7 + 3) % workers).to_string()).collect::<Vec<_>>().join(", ");
        let count = explore(&text, &format!("ParElect([{values}])"), &[]).expect("it can be explored");
        assert_eq!((count.states, count.transitions), (states, transitions), "{workers} workers");
        assert_eq!((count.instances, count.failing, count.stuck), (1, 0, 0));
    }
}

/// `check: PROCESS | RANGE => EXPECTATION` in the comments of the corpus.
#[test]
fn corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/models");
    let mut checked = 0;
    for path in files_below(&folder, &["pvl"]) {
        let text = std::fs::read_to_string(&path).expect("the model can be read");
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("// check: ")) {
            let (asked, expected) = line.split_once(" => ").expect("there is an expectation");
            let (process, ranges) = asked.split_once(" | ").unwrap_or((asked, ""));
            let ranges: Vec<&str> = ranges.split(" | ").filter(|range| !range.is_empty()).collect();
            let found = match explore(&text, process, &ranges) {
                Err(_) => "refused".to_string(),
                Ok(count) if count.failing > 0 => "violated ensures".to_string(),
                Ok(count) if count.stuck > 0 => "violated deadlock".to_string(),
                Ok(Count { states, ends, .. }) => {
                    let plural = if ends == 1 { "" } else { "s" };
                    format!("holds, {states} states, {ends} end{plural}")
                }
            };
            assert_eq!(found, expected, "{}: {process}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 10);
}

/// The contract as it is printed: stores are not determined, an empty ring has no leader, and nothing says that the number
/// of queues stays the same.
#[test]
fn election_as_printed() {
    let text = example("election-as-printed.pvl");
    let open = explore(&text, "ParElect(vs)", &["vs in permutations(0..2)"]);
    assert!(open.is_err_and(|why| why.contains("`chan`")));
    let nothing = ["vs in {seq<int>{}}", "lead in {0}", "chan in {seq<seq<int>>{}}"];
    let count = explore(&text, "ParElect(vs)", &nothing).expect("it can be explored");
    assert_eq!((count.states, count.ends, count.failing), (1, 1, 1));
    let queues = ["vs in {[0, 1]}", "lead in {0}", "chan in {[seq<int>{}, seq<int>{}]}"];
    let shrinks = explore(&text, "ParElect(vs)", &queues);
    assert!(shrinks.is_err() || shrinks.is_ok_and(|count| count.failing + count.stuck > 0));
}
