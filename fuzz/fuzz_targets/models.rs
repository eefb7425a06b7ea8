//! Any bytes as a PVL model and what is asked of it, a line each behind the first `----`: the process, then ranges. What reads
//! is explored for a few states. Seeds: `examples/models`, `tests/corpus/pvl/models`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use process::{Explorer, Successor};
use pvl::models::{Request, read};
use pvl::syntax::tree::Dialect;
use source::SourceMap;

const STATES: usize = 40;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (text, asked) = text.split_once("----").unwrap_or((&text, "P()"));
    let mut lines = asked.lines().map(str::to_string).filter(|line| !line.is_empty());
    let request = Request { process: lines.next(), ranges: lines.collect(), conditions: Vec::new() };
    let mut map = SourceMap::default();
    let file = map.add("model.pvl", text);
    let Ok(reading) = read(&mut map, file, Dialect::New, &request) else { return };
    let (model, foreign) = (&reading.converted.model, &reading.converted.foreign);
    let Ok(mut explorer) = Explorer::new(model, foreign, &reading.question) else { return };
    let Ok(mut work) = explorer.initial() else { return };
    let mut successors: Vec<Successor> = Vec::new();
    for _ in 0..STATES {
        let Some(state) = work.pop() else { return };
        if explorer.successors(&state, &mut successors).is_err() {
            return;
        }
        let _ = explorer.failing(&state);
        work.extend(successors.drain(..).map(|successor| successor.words));
    }
});
