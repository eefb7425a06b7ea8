//! `probity ltl`

use source::{Diagnostic, SourceMap};
use temporal::{AcceptanceKind, Automaton, Dialect, FormulaStore};

use crate::arguments::{AutomatonFormat, AutomatonKind, DialectName, LtlArguments};
use crate::output::{diagnostics, err, out};
use crate::{BAD_INPUT, HOLDS, UNKNOWN};

pub(crate) fn run(arguments: &LtlArguments) -> u8 {
    let mut sources = SourceMap::default();
    let file = sources.add("<formula>", arguments.formula.as_str());
    let dialect = match arguments.dialect {
        DialectName::Spin => Dialect::Spin,
        DialectName::Spot => Dialect::Spot,
    };
    let mut store = FormulaStore::new();
    let (mut formula, found) = temporal::parse(&mut store, file, &arguments.formula, dialect);
    diagnostics(&sources, &found);
    if found.iter().any(Diagnostic::is_error) {
        return BAD_INPUT;
    }
    if arguments.negate {
        formula = store.not(formula);
    }
    let kind = match arguments.kind {
        AutomatonKind::Tgba => AcceptanceKind::Tgba,
        AutomatonKind::Sgba => AcceptanceKind::Sgba,
        AutomatonKind::Tba => AcceptanceKind::Tba,
        AutomatonKind::Sba => AcceptanceKind::Sba,
    };
    // A never claim is a state-based Büchi automaton by nature.
    let kind = if arguments.format == AutomatonFormat::Never { AcceptanceKind::Sba } else { kind };
    let stutter = temporal::formula_stutter_invariance(&mut store, formula);
    let automaton = match temporal::translate(&mut store, formula, kind) {
        Ok(automaton) => automaton,
        Err(error) => {
            err(&format!("probity: {error}\n"));
            return UNKNOWN;
        }
    };
    let class = temporal::classify(&automaton);
    let sizes = format!(
        "{} states, {} edges, {} transitions, {} acceptance sets{}{}{}",
        class.states,
        class.edges,
        class.transitions,
        class.sets,
        if class.deterministic { ", deterministic" } else { "" },
        if class.terminal {
            ", terminal"
        } else if class.weak {
            ", weak"
        } else {
            ""
        },
        if stutter.holds() { ", stutter-invariant" } else { "" },
    );
    let text = match render(&automaton, arguments.format) {
        Ok(text) => text,
        Err(message) => {
            err(&format!("probity: {message}\n"));
            return UNKNOWN;
        }
    };
    if arguments.json {
        let value = serde_json::json!({
            "formula": temporal::display(&store, formula, dialect).to_string(),
            "states": class.states,
            "edges": class.edges,
            "transitions": u64::try_from(class.transitions).unwrap_or(u64::MAX),
            "acceptance_sets": class.sets,
            "deterministic": class.deterministic,
            "weak": class.weak,
            "terminal": class.terminal,
            "stutter_invariant": stutter.holds(),
            "automaton": text,
        });
        out(&format!("{value}\n"));
    } else if arguments.format == AutomatonFormat::Sizes {
        out(&format!("{sizes}\n"));
    } else {
        err(&format!("{sizes}\n"));
        out(&text);
    }
    HOLDS
}

fn render(automaton: &Automaton, format: AutomatonFormat) -> Result<String, String> {
    match format {
        AutomatonFormat::Sizes => Ok(String::new()),
        AutomatonFormat::Hoa => Ok(temporal::write_hoa(automaton)),
        AutomatonFormat::Dot => Ok(temporal::write_dot(automaton)),
        AutomatonFormat::Never => temporal::write_never_claim(automaton).map_err(|error| error.to_string()),
        AutomatonFormat::Svg => temporal::write_svg(automaton)
            .ok_or_else(|| "the automaton is too large for a picture; use --format dot".to_string()),
    }
}
