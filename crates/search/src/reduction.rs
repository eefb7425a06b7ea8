//! Partial-order reduction: which locations let one process be followed alone.
//!
//! Ample sets by process; the conditions are those that Brunner and Lammich verified (JAR 2018, section 2.1):
//!
//! - *independent*: every edge of the location touches only what no other process touches, and nothing
//!   another process does can enable or disable it ([`independence`]);
//! - *invisible*: no edge changes what the property looks at;
//! - *nonempty*: the successor function takes a location only where it has an executable edge;
//! - *well-founded*: every cycle of the reduced system has a state in which all processes move. Either the
//!   successor function sees to that ([`Construction::Inside`]), or the locations left form no cycle of steps
//!   ([`sticky`]; Kurshan, Levin, Minea, Peled, Yenigün, TACAS 1998).
//!
//! All of it is decided on the control-flow graphs before the search starts, but for what depends on channels.

mod access;
mod channels;
mod independence;
mod instances;
mod sticky;

use transition::model::{Expr, Model};
use transition::reduction::{Construction, ReductionTable, Safety};

/// What a property looks at.
#[derive(Default)]
pub struct Visible<'e> {
    /// The atoms of the formula.
    pub expressions: Vec<&'e Expr>,
    /// The property is about visits to progress locations.
    pub progress: bool,
    /// The property is about visits to accepting locations.
    pub acceptance: bool,
}

/// The table, or a sentence that says what forbids a reduction.
pub fn static_reduction(
    model: &Model,
    visible: &Visible<'_>,
    construction: Construction,
) -> Result<ReductionTable, String> {
    if let Some(reason) = forbidden(model, visible) {
        return Err(reason);
    }
    let mut table = independence::table(model, visible, construction);
    if construction == Construction::Sticky {
        sticky::break_cycles(model, &mut table.safety);
    }
    if table.safety.iter().flatten().all(|safety| *safety == Safety::Unsafe) {
        return Err("no step of the model is independent of all other processes".to_string());
    }
    Ok(table)
}

fn forbidden(model: &Model, visible: &Visible<'_>) -> Option<String> {
    let because = |what: &str| Some(format!("the model uses {what}"));
    if model.uses_priorities {
        return because("priorities");
    }
    if model.loses_messages {
        return Some("messages to full channels are lost".to_string());
    }
    if model.uses_last {
        return because("`_last`");
    }
    if model.trace.is_some() {
        return because("an event trace");
    }
    let mut found = None;
    let mut look = |expr: &Expr| {
        let what = match expr {
            Expr::Enabled(_) => "`enabled`",
            Expr::ProgramCounter(_) => "`pc_value`",
            Expr::Last => "`_last`",
            _ => return,
        };
        found.get_or_insert(what);
    };
    access::each_expr_of_model(model, &mut look);
    if let Some(what) = found {
        return because(what);
    }
    visible
        .expressions
        .iter()
        .find_map(|expr| looks_at_steps(expr))
        .map(|what| format!("the property mentions {what}"))
}

/// What an expression reads that any step can change, however private; none if there is no such thing.
pub fn looks_at_steps(expr: &Expr) -> Option<&'static str> {
    let mut found = None;
    access::each_expr(expr, &mut |part| {
        let what = match part {
            Expr::Enabled(_) => "`enabled`",
            Expr::ProgramCounter(_) => "`pc_value`",
            Expr::ProcessCount => "`_nr_pr`",
            Expr::Timeout => "`timeout`",
            Expr::Last => "`_last`",
            _ => return,
        };
        found.get_or_insert(what);
    });
    found
}
