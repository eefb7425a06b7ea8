//! Nested depth-first search with early detection, on transition-based Büchi acceptance.
//!
//! The search is that of Schwoon and Esparza (TACAS 2005) with the all-red rule of Gaiser and Schwoon (2009):
//! a blue search paints states cyan while they are on its stack and blue or red when it leaves them; a red
//! search, started in postorder, looks for a cyan state.
//!
//! **With marks on edges.** Think of every marked edge `s → t` as split by an accepting state `m` of its own:
//! `s → m → t`, and of all other states as not accepting. Accepting cycles of the split graph are those of
//! the given one, and the published algorithm applies to it. Since `m` has one predecessor and one
//! successor, and the edges of `s` are looked at once, `m` needs no colour: the blue search visits it when
//! it looks at the edge, and leaves it, in postorder, when it has left `t` (or at once, when `t` was left
//! before). What the algorithm does at these moments becomes:
//! - `t` is cyan: the cycle over `m` is closed; report it;
//! - `t` was left and is red: `m` becomes red by the all-red rule, no red search is needed;
//! - `t` was left and is blue: a red search from `m`, which is one from `t`. The blue stack is then the path
//!   to `s` followed by `m`, so any cyan state that is found leads to `s`, over the marked edge, back to it.
//!
//! In all three cases `m` never keeps `s` from becoming red by the all-red rule; `s` becomes red when every
//! edge has a red target at the moment it was dealt with, and blue otherwise.
//!
//! **Early detection.** Besides the edge that closes the cycle itself, the marked edge by which the top of
//! the stack was entered is tested: an edge from the top to another cyan state closes a cycle over it.
//!
//! Two bits per state, the stacks, and up to two visits per state. Acceptance with several sets is refused.

use rustc_hash::FxHashSet;
use store::{Colours, SharedColours};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::short_lasso;
use crate::order;
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::pause::{Busy, Part, Pausing, Whole};
use crate::product::{Expansion, Halt, Marks, Product, StateId};
use crate::stack::{Flag, Pending, Stack};

const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;

/// The blue search came to the top of the stack over a marked edge.
const ENTERED_MARKED: Flag = Flag::First;
/// Some edge of the state had a target that was not red when it was dealt with.
const NOT_ALL_RED: Flag = Flag::Second;

/// The label of a pending edge that is marked.
const MARKED: u32 = 1;

/// Looks for an accepting cycle of a product with at most one acceptance set.
pub fn ndfs<P: Product>(product: &mut P, policy: FaultPolicy, control: &mut Control<'_>) -> Outcome {
    let mut search = Search::new(product, policy);
    let ended = search.run(product, control);
    let bytes = search.memory_bytes();
    conclude(product, control, bytes, search.faults, ended)
}

pub(crate) struct Search<'s> {
    policy: FaultPolicy,
    colours: Colours,
    blue: Stack,
    red: Stack,
    pub(crate) faults: FaultLog,
    required: Marks,
    /// One of several that run at once, each in an order of its own: its number, and whose edges were counted by one of them.
    swarm: Option<(usize, &'s SharedColours)>,
}

/// From a red state no cyan one can be reached, between two red searches, and so nothing that the blue search has not left:
/// nothing accepting.
impl Pausing for Search<'_> {
    fn part(&self) -> Part {
        let mut part = Part::default();
        if self.swarm.is_some() {
            let states = (0..self.colours.bound() as u32).map(StateId);
            states
                .filter(|state| self.colours.get(*state) == RED)
                .for_each(|state| part.finals.insert(state));
        }
        part
    }

    fn whole<'w>(&'w self, parts: &'w [Part]) -> Whole<'w> {
        match self.swarm {
            // Each worker has colours of its own, and what one knows to be red is so for all.
            Some(_) => Whole::finals(|state| parts.iter().any(|part| part.finals.contains(state))),
            None => Whole::finals(|state| self.colours.get(state) == RED),
        }
    }
}

/// The states of an accepting cycle.
pub(crate) type Cycle = Vec<StateId>;

/// Refuses a product with several acceptance sets.
pub(crate) fn check_acceptance<P: Product>(product: &P) -> Result<(), Halt> {
    if product.acceptance_sets() > 1 {
        let sentence =
            "nested depth-first search takes one acceptance set; degeneralise, or use scc or ufscc";
        return Err(Halt(Reason::Unsupported(sentence.to_owned())));
    }
    Ok(())
}

impl<'s> Search<'s> {
    pub(crate) fn new<P: Product>(product: &P, policy: FaultPolicy) -> Self {
        Search {
            policy,
            colours: Colours::new(),
            blue: Stack::default(),
            red: Stack::default(),
            faults: FaultLog::default(),
            required: Marks::all(product.acceptance_sets()),
            swarm: None,
        }
    }

    /// Makes it one of several.
    pub(crate) fn of_swarm(self, number: usize, counted: &'s SharedColours) -> Self {
        Search { swarm: Some((number, counted)), ..self }
    }

    /// The states on the stack of the blue search.
    pub(crate) fn path(&self) -> Vec<StateId> {
        self.blue.states().collect()
    }

    fn memory_bytes(&self) -> usize {
        self.colours.memory_bytes() + self.blue.memory_bytes() + self.red.memory_bytes()
    }

    fn run<P: Product>(&mut self, product: &mut P, control: &mut Control<'_>) -> Result<Option<Lasso>, Halt> {
        check_acceptance(product)?;
        match self.search(product, control)? {
            None => Ok(None),
            Some(cycle) => {
                let stack = self.path();
                let cycle: FxHashSet<StateId> = cycle.into_iter().collect();
                let is_expanded = |state| self.colours.get(state) != WHITE;
                let is_inside = |state| cycle.contains(&state);
                short_lasso(product, control, &stack, is_expanded, is_inside, self.required).map(Some)
            }
        }
    }

    pub(crate) fn search<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
    ) -> Result<Option<Cycle>, Halt> {
        let mut out = Expansion::new();
        for state in control.finals() {
            self.colours.set(state, RED)?;
        }
        for root in control.start(product)? {
            if self.colours.get(root) != WHITE {
                continue;
            }
            let mut entered = Some(Pending { target: root, label: 0 });
            loop {
                control.pause(product, self);
                if let Some(edge) = entered.take() {
                    if let Some(cycle) = self.enter(product, control, edge, &mut out)? {
                        return Ok(Some(cycle));
                    }
                    if self.policy == FaultPolicy::StopAtFirst && !self.faults.is_empty() {
                        return Ok(None);
                    }
                }
                if let Some(edge) = self.blue.take_pending() {
                    if self.colours.get(edge.target) == WHITE {
                        entered = Some(edge);
                    } else if let Some(cycle) = self.deal_with_left(product, control, edge)? {
                        return Ok(Some(cycle));
                    }
                } else if let Some(state) = self.blue.top() {
                    let colour = if self.blue.has(NOT_ALL_RED) { BLUE } else { RED };
                    let label = if self.blue.has(ENTERED_MARKED) { MARKED } else { 0 };
                    self.colours.set(state, colour)?;
                    self.blue.pop();
                    if self.blue.depth() == 0 {
                        break;
                    }
                    let edge = Pending { target: state, label };
                    if let Some(cycle) = self.deal_with_left(product, control, edge)? {
                        return Ok(Some(cycle));
                    }
                } else {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Enters a white state in the blue search and looks at the edges whose targets are not white.
    fn enter<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        edge: Pending,
        out: &mut Expansion,
    ) -> Result<Option<Cycle>, Halt> {
        let state = edge.target;
        self.colours.set(state, CYAN)?;
        self.blue.push(state);
        if edge.label == MARKED {
            self.blue.raise(ENTERED_MARKED);
        }
        let is_first = match self.swarm {
            Some((_, counted)) => counted.set(state, 1)? == 0,
            None => true,
        };
        if is_first {
            control.expand(product, state, out, self.blue.depth(), || self.memory_bytes())?;
            self.faults.record_all(&out.faults, self.policy, &self.blue);
        } else {
            control.expand_again(product, state, out)?;
        }
        if let Some((number, _)) = self.swarm {
            let begin = order::offset(number, state, out.edges.len());
            out.edges.rotate_left(begin);
        }
        let required = self.required;
        let label = |marks: Marks| if marks.covers(required) { MARKED } else { 0 };
        for edge in &out.edges {
            if self.colours.get(edge.target) != CYAN {
                continue;
            }
            let entered_marked = edge.target != state && self.blue.has(ENTERED_MARKED);
            if label(edge.marks) == MARKED || entered_marked {
                return Ok(Some(self.blue.states_from(edge.target)));
            }
            self.blue.raise(NOT_ALL_RED);
        }
        let edges = out.edges.iter().map(|edge| Pending { target: edge.target, label: label(edge.marks) });
        for edge in edges.clone() {
            let is_left = matches!(self.colours.get(edge.target), BLUE | RED);
            if is_left && let Some(cycle) = self.deal_with_left(product, control, edge)? {
                return Ok(Some(cycle));
            }
        }
        let colours = &self.colours;
        self.blue.set_pending(edges.filter(|edge| colours.get(edge.target) == WHITE));
        Ok(None)
    }

    /// Deals with an edge from the top of the blue stack to a state that the blue search has left.
    fn deal_with_left<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        edge: Pending,
    ) -> Result<Option<Cycle>, Halt> {
        if edge.label == MARKED && self.colours.get(edge.target) == BLUE {
            let cycle = self.search_red(product, control, edge.target)?;
            if cycle.is_some() {
                return Ok(cycle);
            }
        }
        if self.colours.get(edge.target) != RED {
            self.blue.raise(NOT_ALL_RED);
        }
        Ok(None)
    }

    /// The red search from a blue state; when it finds a cyan one, gives the states of the cycle.
    fn search_red<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        from: StateId,
    ) -> Result<Option<Cycle>, Halt> {
        let mut out = Expansion::new();
        let mut entered = Some(from);
        loop {
            // What is red by now need not be so for good.
            control.pause(product, &Busy);
            if let Some(state) = entered.take() {
                self.colours.set(state, RED)?;
                self.red.push(state);
                control.expand_again(product, state, &mut out)?;
                if let Some(edge) = out.edges.iter().find(|edge| self.colours.get(edge.target) == CYAN) {
                    let mut cycle = self.blue.states_from(edge.target);
                    cycle.extend(self.red.states());
                    return Ok(Some(cycle));
                }
                let colours = &self.colours;
                let blue = out.edges.iter().filter(|edge| colours.get(edge.target) == BLUE);
                self.red.set_pending(blue.map(|edge| Pending { target: edge.target, label: 0 }));
            }
            match self.red.take_pending() {
                Some(edge) if self.colours.get(edge.target) == BLUE => entered = Some(edge.target),
                Some(_) => {}
                None => {
                    self.red.pop();
                    if self.red.depth() == 0 {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
