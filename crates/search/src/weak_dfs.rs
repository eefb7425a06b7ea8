//! One depth-first search for weak automata.
//!
//! An automaton is weak when in each of its strongly connected components either every edge bears all
//! acceptance marks or no edge does; a product with a weak automaton is weak in the same sense. An edge back
//! to a state on the stack closes a cycle inside one component, so that edge alone tells whether the cycle
//! is accepting; and every component with a cycle has such an edge in every depth-first search. Hence one
//! pass decides emptiness (Černá, Pelánek, MFCS 2003; Edelkamp, Lluch Lafuente, Leue, SPIN 2001).
//!
//! Without acceptance sets every edge bears all marks, and the search finds any cycle.

use store::Colours;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::short_lasso;
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::pause::Final;
use crate::product::{Expansion, Halt, Marks, Product, StateId};
use crate::stack::{Pending, Stack};

const WHITE: u8 = 0;
/// On the stack.
const CYAN: u8 = 1;
/// Left for good.
const BLUE: u8 = 2;

/// Looks for an accepting cycle of a weak product. On a product that is not weak its answer means nothing.
pub fn weak_dfs<P: Product>(product: &mut P, policy: FaultPolicy, control: &mut Control<'_>) -> Outcome {
    let mut search = Search { policy, ..Search::default() };
    let ended = search.run(product, control);
    let bytes = search.memory_bytes();
    conclude(product, control, bytes, search.faults, ended)
}

struct Search {
    policy: FaultPolicy,
    colours: Colours,
    stack: Stack,
    faults: FaultLog,
    out: Expansion,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            policy: FaultPolicy::Ignore,
            colours: Colours::new(),
            stack: Stack::default(),
            faults: FaultLog::default(),
            out: Expansion::new(),
        }
    }
}

impl Search {
    fn memory_bytes(&self) -> usize {
        self.colours.memory_bytes() + self.stack.memory_bytes()
    }

    fn run<P: Product>(&mut self, product: &mut P, control: &mut Control<'_>) -> Result<Option<Lasso>, Halt> {
        let required = Marks::all(product.acceptance_sets());
        for state in control.finals() {
            self.colours.set(state, BLUE)?;
        }
        for root in control.start(product)? {
            if self.colours.get(root) != WHITE {
                continue;
            }
            let mut entered = Some(root);
            loop {
                control.pause(product, &Final(|state| self.colours.get(state) == BLUE));
                if let Some(state) = entered.take() {
                    if let Some(target) = self.enter(product, control, state, required)? {
                        return self.lasso(product, control, target, required).map(Some);
                    }
                    if self.policy == FaultPolicy::StopAtFirst && !self.faults.is_empty() {
                        return Ok(None);
                    }
                }
                if let Some(edge) = self.stack.take_pending() {
                    // Whoever was white when the edge was put aside cannot be on the stack now.
                    if self.colours.get(edge.target) == WHITE {
                        entered = Some(edge.target);
                    }
                } else if let Some(state) = self.stack.top() {
                    self.colours.set(state, BLUE)?;
                    self.stack.pop();
                } else {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Enters a state and looks at its edges; gives the target of one that closes an accepting cycle.
    fn enter<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        state: StateId,
        required: Marks,
    ) -> Result<Option<StateId>, Halt> {
        self.colours.set(state, CYAN)?;
        self.stack.push(state);
        let (stack, colours) = (&self.stack, &self.colours);
        control.expand(product, state, &mut self.out, stack.depth(), || {
            stack.memory_bytes() + colours.memory_bytes()
        })?;
        self.faults.record_all(&self.out.faults, self.policy, &self.stack);
        for edge in &self.out.edges {
            if edge.marks.covers(required) && self.colours.get(edge.target) == CYAN {
                return Ok(Some(edge.target));
            }
        }
        let colours = &self.colours;
        let white = self.out.edges.iter().filter(|edge| colours.get(edge.target) == WHITE);
        self.stack.set_pending(white.map(|edge| Pending { target: edge.target, label: 0 }));
        Ok(None)
    }

    fn lasso<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        target: StateId,
        required: Marks,
    ) -> Result<Lasso, Halt> {
        let stack: Vec<StateId> = self.stack.states().collect();
        let mut cycle = self.stack.states_from(target);
        cycle.sort_unstable();
        short_lasso(
            product,
            control,
            &stack,
            |state| self.colours.get(state) != WHITE,
            |state| cycle.binary_search(&state).is_ok(),
            required,
        )
    }
}
