//! Which properties of a model are checked.

use std::path::{Path, PathBuf};

use model::Property;
use source::Diagnostic;

use crate::check::{CheckOptions, Failure};
use crate::files::{Loaded, read_text};

/// Which properties to check.
#[derive(Clone, Debug, Default)]
pub struct PropertySelection {
    /// Assertions and end states only.
    pub safety_only: bool,
    /// The formulas and claims of the model with these names.
    pub named: Vec<String>,
    /// Formulas given besides the model, each with a name.
    pub formulas: Vec<(String, String)>,
    /// Automata of what is forbidden, as HOA files.
    pub automata: Vec<PathBuf>,
    /// Non-progress cycles.
    pub progress: bool,
    /// Cycles through accepting locations, even if there is none.
    pub acceptance: bool,
}

/// The formulas of a file: one on each line that is neither empty nor begins with `#`.
pub fn formulas_in(path: &Path) -> Result<Vec<String>, String> {
    let text = read_text(path)?;
    let lines = text.lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_string).collect())
}

/// The properties of a selection, in the order in which they are reported.
pub(crate) fn properties(loaded: &mut Loaded, options: &CheckOptions) -> Result<Vec<Property>, Failure> {
    let selection = &options.selection;
    if selection.safety_only {
        return Ok(vec![Property::Safety]);
    }
    let given = !selection.formulas.is_empty() || !selection.automata.is_empty() || selection.progress;
    if options.coverage && (!selection.named.is_empty() || given) {
        return Err(Failure::message(
            "coverage is that of the search for assertions and end states, which these options leave out",
        ));
    }
    let mut properties = of_the_model(loaded, selection, given)?;
    if selection.progress {
        properties.push(Property::NonProgress);
    }
    let Loaded { model, sources, .. } = loaded;
    for (name, text) in &selection.formulas {
        match model.vocabulary_mut().read_formula(text, sources) {
            Ok(formula) => properties.push(Property::Formula { name: name.clone(), formula }),
            Err(diagnostics) => return Err(Failure { diagnostics, ..Failure::default() }),
        }
    }
    for path in &selection.automata {
        let text = read_text(path).map_err(Failure::message)?;
        let file = sources.add(path.display().to_string(), text);
        let (automaton, diagnostics) = temporal::read_hoa(file, &sources.file(file).text);
        let Some(automaton) = automaton.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) else {
            return Err(Failure { diagnostics, ..Failure::default() });
        };
        let mut atom = |proposition: &String| {
            model.vocabulary_mut().read_atom(proposition).ok_or_else(|| {
                format!("the automaton's proposition `{proposition}` is not an expression over the model")
            })
        };
        let atoms = automaton.propositions.iter().map(&mut atom).collect();
        properties.push(Property::Automaton { name: path.display().to_string(), automaton, atoms });
    }
    Ok(properties)
}

/// The properties that the model has itself: those that are named, or all if nothing is asked for.
fn of_the_model(
    loaded: &Loaded,
    selection: &PropertySelection,
    given: bool,
) -> Result<Vec<Property>, Failure> {
    let contents = loaded.model.vocabulary().contents();
    let mut properties = Vec::new();
    let formula = |(name, formula): &(String, _)| Property::Formula { name: name.clone(), formula: *formula };
    for (at, name) in selection.named.iter().enumerate() {
        if selection.named[..at].contains(name) {
            continue;
        }
        if let Some(found) = contents.formulas.iter().find(|(known, _)| known == name) {
            properties.push(formula(found));
        } else if let Some(index) = contents.claims.iter().position(|claim| claim == name) {
            properties.push(Property::Claim { name: name.clone(), index });
        } else {
            let formulas = contents.formulas.iter().map(|(name, _)| name);
            let known: Vec<&str> = formulas.chain(&contents.claims).map(String::as_str).collect();
            let known = if known.is_empty() {
                "the model names no property".to_string()
            } else {
                format!("the model has {}", known.join(", "))
            };
            return Err(Failure::message(format!("there is no property `{name}`: {known}")));
        }
    }
    let all = !given && selection.named.is_empty();
    if all {
        properties.push(Property::Safety);
        properties.extend(contents.formulas.iter().map(formula));
        let claims = contents.claims.into_iter().enumerate();
        properties.extend(claims.map(|(index, name)| Property::Claim { name, index }));
    }
    if selection.acceptance || (all && contents.has_accepting_places) {
        properties.push(Property::AcceptingLocations);
    }
    Ok(properties)
}
