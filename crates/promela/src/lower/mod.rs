//! From the resolved program to the model that is explored.
//!
//! Statements become linked elements ([`elements`]), elements become locations and edges ([`graph`]),
//! optionally with chains of private statements merged into one step and dead variables reset
//! ([`merge`]), and at last the locations that control can reach are numbered ([`compact`]).

mod action;
mod compact;
mod elements;
mod expr;
mod graph;
mod merge;
mod slots;
mod uses;

use std::rc::Rc;

pub use ::model::lowered::Optimisations;
use source::Diagnostic;
use transition::model::{self, Claim, EventTrace, Initialiser, LocationId, Model, ProcessType};

use crate::resolve::program::{Expr, Initial, ProcessId, ProcessKind, Program, Temporal, VarId};
use elements::Elements;
use merge::Merges;
use slots::Slots;
use uses::Sharing;

/// A model, and what is needed to lower further expressions over it.
pub struct Lowered<'p> {
    pub model: Model,
    lowering: Lowering<'p>,
}

impl Lowered<'_> {
    /// An expression over the globals, or over processes by remote reference, for use on the model.
    pub fn expr(&mut self, expr: &Expr) -> model::Expr {
        self.lowering.expr(expr)
    }
}

struct Lowering<'p> {
    program: &'p Program,
    slots: Rc<Slots<'p>>,
    /// By process and label.
    label_locations: Vec<Vec<Option<LocationId>>>,
    uses_last: bool,
    uses_timeout: bool,
    uses_priorities: bool,
}

/// Lowers a program. `formulas` are those given besides the program's own: what they mention must stay
/// observable.
pub fn lower<'p>(
    program: &'p Program,
    optimisations: Optimisations,
    formulas: &[&Temporal],
) -> Result<Lowered<'p>, Vec<Diagnostic>> {
    let mut given: Vec<&Expr> = Vec::new();
    for formula in formulas {
        uses::each_atom(formula, &mut |atom| given.push(atom));
    }
    lower_observing(program, optimisations, &given)
}

/// Lowers a program. `given` are conditions given besides the program's own: what they mention must stay observable.
pub fn lower_observing<'p>(
    program: &'p Program,
    optimisations: Optimisations,
    given: &[&Expr],
) -> Result<Lowered<'p>, Vec<Diagnostic>> {
    let mut observed: Vec<&Expr> = given.to_vec();
    for formula in &program.formulas {
        uses::each_atom(&formula.formula, &mut |atom| observed.push(atom));
    }
    let write_only = uses::write_only_globals(program, &observed);
    let is_hidden = |id: VarId| {
        write_only.contains(&id) && (optimisations.drop_write_only || slots::is_declared_hidden(program, id))
    };
    let slots = Slots::new(program, &is_hidden).map_err(|diagnostic| vec![diagnostic])?;
    let sharing = Sharing::new(program, &observed);

    let built: Vec<Elements<'p>> = program
        .process_ids()
        .map(|id| {
            let process = program.process(id);
            Elements::build(process, &uses::observed_labels(process, id, &observed))
        })
        .collect();
    // A condition on the whole process is looked at before each of its statements, as in SPIN, which then merges nothing.
    let has_conditions = program.processes.iter().any(|process| process.provided.is_some());
    let merges_statements = optimisations.merge_statements && !has_conditions;
    let setting = merge::Setting {
        has_handshakes: has_handshakes(program),
        has_priorities: built.iter().any(merge::uses_priorities),
    };
    let mut graphs: Vec<(Elements<'p>, Merges)> = Vec::new();
    for mut elements in built {
        let is_system = matches!(elements.process().kind, ProcessKind::Proctype | ProcessKind::Init);
        let merges = if is_system && (merges_statements || optimisations.reset_dead_variables) {
            let analysed = merge::analyse(program, &elements, &sharing, setting);
            analysed
                .map(|merges| merges.only(merges_statements, optimisations.reset_dead_variables))
                .unwrap_or_else(|_| Merges::none(&elements))
        } else {
            Merges::none(&elements)
        };
        elements.patch_jumps();
        graphs.push((elements, merges));
    }
    let label_locations = graphs
        .iter()
        .map(|(elements, _)| {
            let labels = 0..elements.process().labels.len() as u32;
            labels
                .map(|label| {
                    elements
                        .label_target(crate::resolve::program::LabelId(label))
                        .map(|at| LocationId(at as u32))
                })
                .collect()
        })
        .collect();
    let mut lowering = Lowering {
        program,
        slots: Rc::new(slots),
        label_locations,
        uses_last: false,
        uses_timeout: false,
        uses_priorities: false,
    };
    let model = lowering.model(&graphs)?;
    let mut lowered = Lowered { model, lowering };
    compact::compact(&mut lowered);
    for atom in &observed {
        lowered.lowering.expr(atom);
    }
    lowered.model.uses_last |= lowered.lowering.uses_last;
    Ok(lowered)
}

fn has_handshakes(program: &Program) -> bool {
    let is_handshake =
        |initial: &Initial| matches!(initial, Initial::Channel(channel) if channel.capacity == 0);
    program.variables.iter().any(|variable| is_handshake(&variable.initial))
        || program.structures.iter().flat_map(|s| &s.fields).any(|field| is_handshake(&field.initial))
}

impl<'p> Lowering<'p> {
    fn model(&mut self, graphs: &[(Elements<'p>, Merges)]) -> Result<Model, Vec<Diagnostic>> {
        let program = self.program;
        let mut processes: Vec<ProcessType> = Vec::new();
        let mut claims = Vec::new();
        let mut trace = None;
        let mut diagnostics = Vec::new();
        for (id, (elements, merges)) in program.process_ids().zip(graphs) {
            let lowered = match self.graph(id, elements, merges) {
                Ok(lowered) => lowered,
                Err(found) => {
                    diagnostics.extend(found);
                    continue;
                }
            };
            let process = program.process(id);
            self.uses_priorities |= process.has_priority;
            match process.kind {
                ProcessKind::Proctype | ProcessKind::Init => processes.push(lowered),
                ProcessKind::Never => claims.push(Claim { name: process.name.clone(), process: lowered }),
                ProcessKind::Trace => trace = Some(EventTrace { forbidden: false, process: lowered }),
                ProcessKind::NoTrace => trace = Some(EventTrace { forbidden: true, process: lowered }),
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let mut initialisers: Vec<Initialiser> = Vec::new();
        let slots = Rc::clone(&self.slots);
        for global in &program.globals {
            slots.initialisers(*global, &mut |expr| self.expr(expr), &mut initialisers);
        }
        let active = program
            .process_ids()
            .flat_map(|id| vec![id; program.process(id).active as usize])
            .filter(|id| matches!(program.process(*id).kind, ProcessKind::Proctype | ProcessKind::Init))
            .map(|id: ProcessId| self.process_type(id))
            .collect();
        let enumerations = program
            .mtypes
            .iter()
            .map(|list| list.names.iter().enumerate().map(|(i, name)| (i as i32 + 1, name.clone())).collect())
            .collect();
        Ok(Model {
            globals: slots.globals.clone(),
            initialisers,
            processes,
            active,
            claims,
            trace,
            enumerations,
            uses_last: self.uses_last,
            uses_priorities: self.uses_priorities,
            loses_messages: program.loses_messages,
            uses_timeout: self.uses_timeout,
            block_step_limit: u64::MAX,
        })
    }
}

/// A formula without temporal operators as one expression.
pub fn proposition(formula: &Temporal) -> Option<Expr> {
    use crate::resolve::program::{BinaryOp, ExprKind, TemporalBinary, TemporalKind, TemporalUnary, UnaryOp};
    let at = |kind| Expr { span: formula.span, kind };
    let binary = |operator, left: &Temporal, right: &Temporal| {
        Some(at(ExprKind::Binary(operator, Box::new(proposition(left)?), Box::new(proposition(right)?))))
    };
    let not = |operand: Expr| at(ExprKind::Unary(UnaryOp::Not, Box::new(operand)));
    match &formula.kind {
        TemporalKind::Constant(value) => Some(at(ExprKind::Constant(i32::from(*value)))),
        TemporalKind::Atom(expr) => Some(expr.clone()),
        TemporalKind::Unary(TemporalUnary::Not, operand) => Some(not(proposition(operand)?)),
        TemporalKind::Binary(TemporalBinary::And, left, right) => binary(BinaryOp::And, left, right),
        TemporalKind::Binary(TemporalBinary::Or, left, right) => binary(BinaryOp::Or, left, right),
        TemporalKind::Binary(TemporalBinary::Implies, left, right) => {
            let left = Box::new(not(proposition(left)?));
            Some(at(ExprKind::Binary(BinaryOp::Or, left, Box::new(proposition(right)?))))
        }
        TemporalKind::Binary(TemporalBinary::Equivalent, left, right) => {
            let (left, right) = (not(proposition(left)?), not(proposition(right)?));
            Some(at(ExprKind::Binary(BinaryOp::Equal, Box::new(left), Box::new(right))))
        }
        _ => None,
    }
}
