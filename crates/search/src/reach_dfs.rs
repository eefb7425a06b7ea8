//! Reachability, depth first: for faults, and for the accepting sinks of terminal automata.
//!
//! All successors of a state are discovered when it is expanded, and discovered states are numbered without
//! gaps; so the successors that belong to a state in the search tree are a range of numbers, and a frame of
//! the stack is that range, from the next one on. The one before it is the state whose successors come above. No state needs
//! a colour, no successor a place on the stack. The order is that of a depth-first search in which a state belongs to the
//! first state that generates it.

use verdict::Reason;

use crate::control::Control;
use crate::faults::{ACCEPTING_SINK, FaultLog, FaultPolicy};
use crate::outcome::{Outcome, conclude};
use crate::product::{Expansion, Fault, Halt, Product, StateId};

/// States that one state was the first to generate, or the initial ones: those that are not expanded yet.
struct Frame {
    next: u32,
    end: u32,
}

impl Frame {
    /// The state that was expanded last.
    fn state(&self) -> StateId {
        StateId(self.next - 1)
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct ReachOptions {
    /// What to do about faults.
    pub faults: FaultPolicy,
    /// Whether an accepting sink is a fault as well, of the kind [`ACCEPTING_SINK`]; it is one even where
    /// other faults are ignored.
    pub accepting_sinks: bool,
}

/// Explores the product depth first.
pub fn reach_dfs<P: Product>(product: &mut P, options: ReachOptions, control: &mut Control<'_>) -> Outcome {
    let mut faults = FaultLog::default();
    let mut stack = Vec::new();
    let ended = explore(product, options, control, &mut faults, &mut stack);
    conclude(product, control, stack.capacity() * size_of::<Frame>(), faults, ended.map(|()| None))
}

fn explore<P: Product>(
    product: &mut P,
    options: ReachOptions,
    control: &mut Control<'_>,
    faults: &mut FaultLog,
    stack: &mut Vec<Frame>,
) -> Result<(), Halt> {
    let mut out = Expansion::new();
    control.start(product)?;
    // Nobody else stores states meanwhile.
    let mut known = product.stored() as u32;
    push(stack, Frame { next: 0, end: known });
    while let Some(frame) = stack.last_mut() {
        if frame.next == frame.end {
            stack.pop();
            continue;
        }
        frame.next += 1;
        let state = frame.state();
        let bytes = stack.capacity() * size_of::<Frame>();
        control.expand(product, state, &mut out, stack.len(), || bytes)?;
        collect_faults(&mut out, options);
        if !out.faults.is_empty() {
            for &fault in &out.faults {
                let steps = stack.len() as u64 - 1 + u64::from(fault.edge.is_some());
                faults.record(fault, steps, || stack.iter().map(Frame::state).collect());
            }
            if options.faults != FaultPolicy::CountAll {
                return Ok(());
            }
        }
        let discovered = product.stored() as u32;
        check_discovery(&out, known, discovered)?;
        if known < discovered {
            push(stack, Frame { next: known, end: discovered });
            known = discovered;
        }
    }
    Ok(())
}

/// Stacks get as deep as there are states: one that is full becomes a quarter larger, not twice as large.
#[inline]
fn push(stack: &mut Vec<Frame>, frame: Frame) {
    if stack.len() == stack.capacity() {
        stack.reserve_exact(stack.len() / 4 + 1024);
    }
    stack.push(frame);
}

/// Leaves in the expansion what the search is to take for faults.
#[inline]
pub(crate) fn collect_faults(out: &mut Expansion, options: ReachOptions) {
    if options.faults == FaultPolicy::Ignore {
        out.faults.clear();
    }
    if options.accepting_sinks && out.accepting_sink {
        out.faults.push(Fault { kind: ACCEPTING_SINK, edge: None });
    }
}

/// Checks the product's promise that all it discovers while expanding are targets of edges; without it a
/// state would be searched that no path leads to.
#[inline]
pub(crate) fn check_discovery(out: &Expansion, known: u32, discovered: u32) -> Result<(), Halt> {
    if discovered - known <= out.edges.len() as u32 {
        Ok(())
    } else {
        Err(Halt(Reason::Internal("an expansion discovered more states than it has edges".to_owned())))
    }
}
