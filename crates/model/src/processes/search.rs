//! One search over a process.

use search::{Algorithm, Control, Counterexample, FaultPolicy, Outcome, Question};
use source::SourceMap;
use verdict::{Carried, Instance, Instances, Observer, Trace};

use super::counterexample::{Claim, Context};
use super::product::ProcessProduct;
use super::{ProcessModel, Subject};
use crate::answer::Answer;
use crate::drive::{Refutation, Searchable, Unshown, drive};
use crate::goal::{Goal, Lacks};
use crate::options::SearchOptions;
use crate::port::AtomId;
use crate::property::Property;
use crate::sought::Sought;

/// What processes have not.
pub(super) const LACKS: Lacks = Lacks {
    who: "processes",
    fairness: "weak fairness is about processes of their own, and a term is one process",
    coverage: "coverage is about statements, and processes have none",
};

/// Searches; an error says why that cannot be done.
pub(super) fn search_for(
    model: &ProcessModel,
    sources: &SourceMap,
    property: &Property,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Result<Answer, String> {
    let goal = Goal::new(model, property, options, &LACKS)?;
    let mut explorer = model.explorer()?;
    if explorer.instances().is_empty() {
        return Err("there is no instance: no value satisfies `requires` and the conditions".to_string());
    }
    let watched = goal.watched()?;
    if let Some(watched) = &watched {
        let atoms = watched.atoms.iter().map(|atom| model.atoms[atom.0 as usize].0.clone());
        explorer.watch(&atoms.collect::<Vec<_>>());
    }
    let instances = explorer.instances().len() as u64;
    let product = ProcessProduct::new(explorer, watched, &options.limits);
    let mut search = ProcessSearch { subject: model.subject(), sources, goal: &goal, product, found: None };
    let answer = drive(&mut search, property, options, observer);
    let mut answer = answer.ok_or("the search saw too little")?;
    let ends = matches!(goal, Goal::Ends).then(|| search.product.ends());
    let carried = carried(model, &goal);
    for report in &mut answer.reports {
        let instance = report.trace.as_ref().and(search.found.clone());
        let (ranges, carried) = (model.asked.clone(), carried.clone());
        report.instances = Some(Instances { count: instances, ranges, ends, instance, carried });
    }
    Ok(answer)
}

/// What a formula is worth to programs that follow the process. They do what the process does and possibly less, and
/// between two actions their fields stay as they are.
pub(super) fn carried(model: &ProcessModel, goal: &Goal) -> Option<Carried> {
    let Goal::Formula { formula, .. } = goal else { return None };
    let mut store = formula.store.clone();
    let safety = temporal::is_safety(&mut store, formula.formula);
    let is_field = |atom: &AtomId| matches!(model.atoms[atom.0 as usize].0, process::Atom::Condition(_));
    let about_fields = formula.atoms.iter().all(is_field);
    let repeats = temporal::formula_stutter_invariance(&mut store, formula.formula).holds();
    let name = model.subject().process().name.clone();
    let sentence = match (safety, about_fields, repeats) {
        (Some(true), true, true) => {
            format!("a safety property: programs that follow {name} inherit it on these instances")
        }
        (Some(true), false, _) => {
            "a safety property, but not over fields alone: programs do not inherit it".to_string()
        }
        (Some(true), true, false) => {
            "a safety property that counts steps: programs do not inherit it".to_string()
        }
        (Some(false), ..) => "not a safety property: programs do not inherit it".to_string(),
        (None, ..) => "whether it is a safety property was too expensive to find out".to_string(),
    };
    Some(Carried { safety, inherited: safety == Some(true) && about_fields && repeats, sentence })
}

pub(super) struct ProcessSearch<'m> {
    pub(super) subject: Subject<'m>,
    pub(super) sources: &'m SourceMap,
    pub(super) goal: &'m Goal,
    pub(super) product: ProcessProduct<'m>,
    /// The instance of the run that was shown last.
    pub(super) found: Option<Instance>,
}

impl<'m> Searchable for ProcessSearch<'m> {
    type Product = ProcessProduct<'m>;

    fn product(&mut self) -> &mut ProcessProduct<'m> {
        &mut self.product
    }

    fn workers(&self, asked: usize) -> usize {
        asked
    }

    fn run(
        &mut self,
        (algorithm, question): (Algorithm, Question),
        policy: FaultPolicy,
        control: &mut Control<'_>,
        workers: usize,
    ) -> Outcome {
        search::run_shared(algorithm, question, &mut self.product, policy, control, workers)
    }

    fn sought(&self) -> Sought<'_> {
        self.goal.sought()
    }

    fn reductions(&self) -> String {
        "no reduction".to_string()
    }

    fn safety_names(&self) -> (String, String) {
        let name = self.subject.process_name();
        (format!("{name}: ensures"), format!("{name}: deadlock"))
    }

    fn counterexample(
        &mut self,
        found: &Counterexample,
        refutation: &Refutation,
    ) -> Result<(Trace, String), Unshown> {
        let claim = match (refutation, self.goal) {
            (Refutation::Fault(_), _) => Claim::Contract,
            (Refutation::EndState { .. }, _) | (_, Goal::Ends) => Claim::Stuck,
            (_, Goal::Formula { formula, .. }) => {
                Claim::Formula { store: &formula.store, formula: formula.formula, atoms: &formula.atoms }
            }
            (_, Goal::Automaton { automaton, atoms }) => Claim::Automaton { automaton, atoms },
        };
        let context = Context { subject: self.subject, sources: self.sources, claim };
        let (trace, sentence, instance) = context.build(&mut self.product, found)?;
        self.found = Some(instance);
        Ok((trace, sentence))
    }
}
