//! A second language that lowers: one model, made by hand, which counts how often it is lowered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use model::lowered::{Finding, LoweredModel, Lowers, Optimisations};
use model::{
    AtomId, Contents, FormulaId, LoadedModel, Ltl, PartialOrder, Property, Reductions, SearchOptions,
    StoreKind, Vocabulary,
};
use source::{Diagnostic, FileId, SourceMap, Span};
use transition::model::{
    Action, Binary, Edge, Expr, Location, LocationId, Model, Place, ProcessType, ProcessTypeId, Scalar,
    Scope, Slot, Statement,
};
use verdict::{Limits, Silent, Verdict};

/// One process that gives a variable the values 1 and 0 in turn, for ever. The condition with number *n* says that the
/// variable is *n*; the first two stand in the model.
struct Toggle {
    formulas: Vec<Ltl>,
    lowered: Arc<AtomicUsize>,
}

const OWN_ATOMS: u32 = 2;

fn variable() -> Place {
    Place { scope: Scope::Global, slot: 0, scalar: Scalar::BYTE, indices: Vec::new() }
}

fn location(number: u32, value: i32) -> Location {
    let edge = Edge {
        actions: vec![Action::Assign(variable(), Expr::Constant(value))],
        statements: vec![Statement {
            number,
            text: format!("x := {value}"),
            span: Span::new(FileId(0), number as usize * 7, number as usize * 7 + 6),
        }],
        target: LocationId(1 - number),
        atomic: false,
        escape: 0,
        resets: Vec::new(),
    };
    Location { edges: vec![edge], ..Location::default() }
}

impl Vocabulary for Toggle {
    fn contents(&self) -> Contents {
        let formulas = (0..self.formulas.len() as u32).map(|id| (format!("f{id}"), FormulaId(id)));
        Contents { formulas: formulas.collect(), ..Contents::default() }
    }

    fn read_formula(&mut self, _text: &str, _map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        Err(Vec::new())
    }

    fn read_atom(&mut self, text: &str) -> Option<AtomId> {
        text.parse().ok().map(AtomId)
    }

    fn formula(&self, formula: FormulaId) -> &Ltl {
        &self.formulas[formula.0 as usize]
    }

    fn show_atom(&self, atom: AtomId) -> String {
        format!("x is {}", atom.0)
    }
}

impl Lowers for Toggle {
    fn lower(
        &self,
        _optimisations: Optimisations,
        given: &[AtomId],
    ) -> Result<(Model, BTreeMap<AtomId, Expr>), Vec<Diagnostic>> {
        self.lowered.fetch_add(1, Ordering::Relaxed);
        let name = "toggle".to_string();
        let slot = Slot {
            name: "x".to_string(),
            scalar: Scalar::BYTE,
            hidden: false,
            enumeration: None,
            is_channel: false,
        };
        let process = ProcessType {
            name,
            parameters: 0,
            locals: Vec::new(),
            initialisers: Vec::new(),
            locations: vec![location(0, 1), location(1, 0)],
            start: LocationId(0),
            provided: None,
            priority: 1,
            deterministic: false,
        };
        let model = Model {
            globals: vec![slot],
            initialisers: Vec::new(),
            processes: vec![process],
            active: vec![ProcessTypeId(0)],
            claims: Vec::new(),
            trace: None,
            enumerations: Vec::new(),
            uses_last: false,
            uses_priorities: false,
            loses_messages: false,
            uses_timeout: false,
            block_step_limit: u64::MAX,
        };
        let is = |atom: AtomId| {
            let (x, value) = (Expr::Load(Box::new(variable())), Expr::Constant(atom.0 as i32));
            (atom, Expr::Binary(Binary::Equal, Box::new(x), Box::new(value)))
        };
        let own = (0..OWN_ATOMS).map(AtomId);
        Ok((model, own.chain(given.iter().copied()).map(is).collect()))
    }

    fn is_own(&self, atom: AtomId) -> bool {
        atom.0 < OWN_ATOMS
    }

    fn place(&self) -> Span {
        Span::new(FileId(0), 0, 0)
    }

    fn code(&self, finding: Finding) -> &'static str {
        match finding {
            Finding::TooLarge => "toggle.large",
            Finding::EndlessAtomic => "toggle.endless",
        }
    }
}

fn options() -> SearchOptions {
    SearchOptions {
        workers: 1,
        head_start: 0,
        store: StoreKind::Exact,
        keeper: None,
        only_ask: false,
        algorithm: None,
        reductions: Reductions { partial_order: PartialOrder::Inside, optimise: true },
        all_errors: false,
        coverage: false,
        shortest: false,
        strict_ends: false,
        weak_fairness: false,
        limits: Limits::default(),
    }
}

fn atom(value: u32) -> Box<Ltl> {
    Box::new(Ltl::Atom(AtomId(value)))
}

struct Checked {
    model: LoweredModel<Toggle>,
    sources: SourceMap,
    lowered: Arc<AtomicUsize>,
}

impl Checked {
    fn new(formulas: Vec<Ltl>) -> Checked {
        let lowered = Arc::new(AtomicUsize::new(0));
        let mut sources = SourceMap::default();
        sources.add("toggle", "x := 1\nx := 0\n");
        let model = LoweredModel::new(Toggle { formulas, lowered: Arc::clone(&lowered) });
        Checked { model, sources, lowered }
    }

    fn verdict(&self, property: &Property, options: &SearchOptions) -> (Verdict, String) {
        match self.model.check(&self.sources, property, options, &mut Silent) {
            Ok(answer) => {
                let report = &answer.reports[0];
                (report.verdict.clone(), report.reason.clone().unwrap_or_default())
            }
            Err(diagnostics) => panic!("{diagnostics:?}"),
        }
    }
}

fn formula(id: u32) -> Property {
    Property::Formula { name: format!("f{id}"), formula: FormulaId(id) }
}

#[test]
fn a_second_language_has_searches_and_replay_for_nothing() {
    let checked = Checked::new(vec![
        Ltl::Always(Box::new(Ltl::Eventually(atom(1)))),
        Ltl::Eventually(Box::new(Ltl::Always(atom(1)))),
        Ltl::Always(atom(0)),
        Ltl::Always(Box::new(Ltl::Not(atom(7)))),
    ]);
    assert_eq!(checked.verdict(&formula(0), &options()).0, Verdict::Holds);
    let (verdict, reason) = checked.verdict(&formula(1), &options());
    assert_eq!(verdict, Verdict::Violated);
    assert_eq!(reason, "the formula is false on this run, which repeats its cycle for ever");
    let (verdict, reason) = checked.verdict(&formula(2), &options());
    assert_eq!(verdict, Verdict::Violated);
    assert_eq!(reason, "`x is 0` is false after toggle:1, and with it the formula, whatever follows");
    assert_eq!(checked.verdict(&formula(3), &options()).0, Verdict::Holds);
    assert_eq!(checked.verdict(&Property::Safety, &options()).0, Verdict::Holds);
}

#[test]
fn a_run_lowers_a_model_once_for_each_way() {
    let checked = Checked::new(vec![
        Ltl::Eventually(Box::new(Ltl::Always(atom(1)))),
        Ltl::Always(atom(0)),
        Ltl::Always(Box::new(Ltl::Not(atom(1)))),
    ]);
    for _ in 0..3 {
        for property in [Property::Safety, formula(0), formula(1), formula(2)] {
            checked.verdict(&property, &options());
            checked.verdict(&property, &SearchOptions { shortest: true, ..options() });
        }
    }
    // For the searches, and to replay what they found.
    assert_eq!(checked.lowered.load(Ordering::Relaxed), 2);
    let plain = SearchOptions { reductions: Reductions::NONE, ..options() };
    checked.verdict(&formula(0), &plain);
    checked.verdict(&Property::Safety, &plain);
    assert_eq!(checked.lowered.load(Ordering::Relaxed), 3);
}

#[test]
fn formulas_with_many_conditions_are_refused_unless_they_do_not_matter() {
    let many = (1..65).fold(Ltl::Atom(AtomId(0)), |left, value| Ltl::Or(Box::new(left), atom(value)));
    let last = Ltl::Always(Box::new(Ltl::Not(atom(64))));
    let all = Ltl::Or(Box::new(Ltl::Constant(true)), Box::new(many.clone()));
    // Only the last condition is left of the second part, and it has no place in a letter.
    let one = Ltl::And(Box::new(all.clone()), Box::new(last));
    let checked = Checked::new(vec![Ltl::Always(Box::new(many)), all, one]);
    let refused = "the formula has 65 propositions, and an automaton reads at most 64";
    assert_eq!(checked.verdict(&formula(0), &options()).1, refused);
    assert_eq!(checked.verdict(&formula(1), &options()).0, Verdict::Holds);
    assert_eq!(checked.verdict(&formula(2), &options()).1, refused);
}
