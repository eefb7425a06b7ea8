//! Models with states of their own: words that grow, several beginnings, and a language that does not keep its word.

use std::sync::atomic::{AtomicBool, Ordering};

use model::explored::{Explored, ExploredModel, Step};
use model::{AtomId, Contents, FormulaId, LoadedModel, Ltl, Property, Reductions, SearchOptions, Vocabulary};
use search::Algorithm;
use source::{Diagnostic, FileId, SourceMap, Span};
use verdict::{Limits, PropertyReport, Reason, Silent, Verdict};

/// Words over two letters, to which a letter is added at each step until they are long. The condition with number *n*
/// says that a word has *n* letters; from 1000 on nobody knows.
struct Words {
    beginnings: Vec<Vec<u32>>,
    longest: usize,
    /// Long words begin again.
    returns: bool,
    formula: Ltl,
    /// Says something else each time it is asked.
    lies: bool,
    asked: AtomicBool,
}

impl Words {
    fn new(longest: usize) -> Words {
        Words {
            beginnings: vec![Vec::new()],
            longest,
            returns: false,
            formula: Ltl::Constant(true),
            lies: false,
            asked: AtomicBool::new(false),
        }
    }
}

impl Vocabulary for Words {
    fn contents(&self) -> Contents {
        Contents { formulas: vec![("f".to_string(), FormulaId(0))], ..Contents::default() }
    }

    fn read_formula(&mut self, _text: &str, _map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&mut self, _text: &str) -> Option<AtomId> {
        None
    }

    fn formula(&self, _formula: FormulaId) -> &Ltl {
        &self.formula
    }

    fn show_atom(&self, atom: AtomId) -> String {
        format!("{} letters", atom.0)
    }
}

impl Explored for Words {
    type State = Vec<u32>;

    fn initial(&self) -> Result<Vec<Vec<u32>>, String> {
        Ok(self.beginnings.clone())
    }

    fn steps(&self, state: &Vec<u32>) -> Result<Vec<Step<Vec<u32>>>, String> {
        let span = Span::new(FileId(0), 0, 1);
        let step = |text: String, target| Step { actor: "word".to_string(), text, span, target };
        if state.len() >= self.longest {
            return Ok(if self.returns { vec![step("again".to_string(), Vec::new())] } else { Vec::new() });
        }
        let turned = self.lies && self.asked.fetch_xor(true, Ordering::Relaxed);
        let letters: &[u32] = if turned { &[2, 3] } else { &[0, 1] };
        let add = |letter: &u32| {
            let target = state.iter().copied().chain([*letter]).collect();
            step(format!("add {letter}"), target)
        };
        Ok(letters.iter().map(add).collect())
    }

    fn may_end(&self, _state: &Vec<u32>) -> bool {
        false
    }

    fn holds(&self, state: &Vec<u32>, atom: AtomId) -> Result<bool, String> {
        if atom.0 >= 1000 {
            return Err("nobody can count so far".to_string());
        }
        Ok(state.len() == atom.0 as usize)
    }

    fn encode(&self, state: &Vec<u32>, words: &mut Vec<u32>) {
        words.extend(state);
    }

    fn decode(&self, words: &[u32]) -> Vec<u32> {
        words.to_vec()
    }

    fn show(&self, state: &Vec<u32>) -> Vec<(String, String)> {
        vec![("word".to_string(), state.iter().map(u32::to_string).collect())]
    }
}

fn options() -> SearchOptions {
    SearchOptions {
        workers: 1,
        head_start: 0,
        store: model::StoreKind::Exact,
        keeper: None,
        only_ask: false,
        algorithm: None,
        reductions: Reductions::NONE,
        all_errors: false,
        coverage: false,
        shortest: false,
        strict_ends: false,
        weak_fairness: false,
        limits: Limits::default(),
    }
}

fn check(words: Words, property: &Property, options: &SearchOptions) -> PropertyReport {
    let mut sources = SourceMap::default();
    sources.add("words", "x");
    match ExploredModel::new(words).check(&sources, property, options, &mut Silent) {
        Ok(answer) => match answer.reports.into_iter().next() {
            Some(report) => report,
            None => panic!("there is a report"),
        },
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

fn formula() -> Property {
    Property::Formula { name: "f".to_string(), formula: FormulaId(0) }
}

fn length(number: u32) -> Box<Ltl> {
    Box::new(Ltl::Atom(AtomId(number)))
}

#[test]
fn states_may_grow() {
    let all = SearchOptions { all_errors: true, ..options() };
    let report = check(Words::new(12), &Property::Safety, &all);
    assert_eq!((report.name.as_str(), &report.verdict), ("end states", &Verdict::Violated));
    assert_eq!((report.statistics.states, report.violations), ((1 << 13) - 1, 1 << 12));
    assert_eq!(report.trace.map(|trace| trace.stem.len()), Some(12));
}

#[test]
fn runs_may_begin_in_several_states() {
    let words = || Words {
        // The second beginning is nearest to the end, and one is there twice.
        beginnings: vec![Vec::new(), vec![1, 1, 1], vec![1, 1, 1]],
        ..Words::new(4)
    };
    for algorithm in [Algorithm::Dfs, Algorithm::Bfs] {
        let all = SearchOptions { algorithm: Some(algorithm), all_errors: true, ..options() };
        let report = check(words(), &Property::Safety, &all);
        assert_eq!((report.statistics.states, report.violations), (31, 16));
        assert_eq!(report.trace.map(|trace| trace.stem.len()), Some(1));
    }
}

#[test]
fn cycles_come_back_to_where_they_begin() {
    // Runs that begin again and again refute that the words stay empty from some time on.
    let formula_of = Ltl::Eventually(Box::new(Ltl::Always(length(0))));
    for algorithm in [None, Some(Algorithm::NestedDfs), Some(Algorithm::SetBasedScc)] {
        let words = Words { returns: true, formula: formula_of.clone(), ..Words::new(3) };
        let report = check(words, &formula(), &SearchOptions { algorithm, ..options() });
        assert_eq!(report.verdict, Verdict::Violated, "{:?}", report.reason);
        let trace = report.trace.unwrap_or_default();
        assert_eq!(trace.cycle.len(), 4);
        assert_eq!(trace.cycle.iter().filter(|step| step.statement == "again").count(), 1);
    }
    let holds = Ltl::Always(Box::new(Ltl::Eventually(length(3))));
    let words = Words { returns: true, formula: holds, ..Words::new(3) };
    assert_eq!(check(words, &formula(), &options()).verdict, Verdict::Holds);
}

#[test]
fn what_nobody_can_say_is_not_decided() {
    let words = Words { formula: Ltl::Always(Box::new(Ltl::Not(length(1000)))), ..Words::new(3) };
    let report = check(words, &formula(), &options());
    assert_eq!(report.verdict, Verdict::Unknown(Reason::Unsupported("nobody can count so far".to_string())));
}

#[test]
fn a_language_that_changes_its_mind_refutes_nothing() {
    let words = Words { lies: true, ..Words::new(3) };
    let report = check(words, &Property::Safety, &options());
    assert!(matches!(report.verdict, Verdict::Unknown(Reason::Internal(_))), "{:?}", report.verdict);
    let formula_of = Ltl::Always(Box::new(Ltl::Not(length(3))));
    let words = Words { lies: true, formula: formula_of, ..Words::new(3) };
    let report = check(words, &formula(), &options());
    assert!(matches!(report.verdict, Verdict::Unknown(Reason::Internal(_))), "{:?}", report.verdict);
}

#[test]
fn limits_hold() {
    let limits = Limits { max_states: Some(100), ..Limits::default() };
    let report =
        check(Words::new(20), &Property::Safety, &SearchOptions { limits, all_errors: true, ..options() });
    assert_eq!(report.verdict, Verdict::Violated);
    let limits = Limits { max_states: Some(15), ..Limits::default() };
    let report = check(Words::new(20), &Property::Safety, &SearchOptions { limits, ..options() });
    assert_eq!(report.verdict, Verdict::Unknown(Reason::StateLimit));
}
