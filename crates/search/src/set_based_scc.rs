//! The set-based search for strongly connected components, on generalised acceptance directly.
//!
//! Bloemen's algorithm (2019; Renault, Duret-Lutz, Kordon, Poitrenaud, TACAS 2013; Couvreur, FM 1999): one
//! depth-first search whose states are kept in a union-find of partial components. A stack `R` has the root
//! of each partial component on the path. An edge back to a live state collapses the components from the top
//! of `R` down to that state's; a state that is still a root when the search leaves it completes a component,
//! which is then finished as a whole.
//!
//! **Acceptance.** An entry of `R` unites the marks of the edges known to run inside its component, and
//! keeps the marks of the tree edge that enters it from below, which come inside when the two components
//! collapse. As soon as a component has a cycle and all marks, it is reported: no search that looks at edges
//! in the same order can know earlier. With no acceptance set that is the first cycle.
//!
//! Four bytes per state, and each edge is looked at once. An entry of `R` takes twelve bytes: marks of more
//! than thirty-two sets are kept as numbers of a table.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use store::{Membership, UnionFind};

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::short_lasso;
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::pause::Final;
use crate::product::{Expansion, Halt, Marks, Product, StateId};
use crate::stack::{Pending, Stack};

/// Looks for an accepting strongly connected component.
pub fn set_based_scc<P: Product>(product: &mut P, policy: FaultPolicy, control: &mut Control<'_>) -> Outcome {
    let sets = product.acceptance_sets();
    let mut search = Search {
        policy,
        components: UnionFind::new(),
        roots: Vec::new(),
        stack: Stack::default(),
        faults: FaultLog::default(),
        table: MarkTable::new(sets),
        required: Marks::all(sets),
    };
    let ended = search.run(product, control);
    let bytes = search.memory_bytes();
    conclude(product, control, bytes, search.faults, ended)
}

/// An entry of `R`: a partial component.
struct Root {
    state: StateId,
    /// The marks of the edges inside.
    inside: u32,
    /// The marks of the edge by which the search came to `state`.
    entry: u32,
}

struct Search {
    policy: FaultPolicy,
    components: UnionFind,
    roots: Vec<Root>,
    stack: Stack,
    faults: FaultLog,
    table: MarkTable,
    required: Marks,
}

impl Search {
    fn memory_bytes(&self) -> usize {
        self.components.memory_bytes()
            + self.stack.memory_bytes()
            + self.roots.capacity() * size_of::<Root>()
            + self.table.memory_bytes()
    }

    fn run<P: Product>(&mut self, product: &mut P, control: &mut Control<'_>) -> Result<Option<Lasso>, Halt> {
        let Some(component) = self.search(product, control)? else {
            return Ok(None);
        };
        let stack: Vec<StateId> = self.stack.states().collect();
        let components = RefCell::new(std::mem::take(&mut self.components));
        let is_expanded = |state| components.borrow().is_seen(state);
        let is_inside = |state| components.borrow_mut().find(state) == Membership::Live(component);
        short_lasso(product, control, &stack, is_expanded, is_inside, self.required).map(Some)
    }

    /// The root of an accepting partial component, if there is one.
    fn search<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
    ) -> Result<Option<StateId>, Halt> {
        let mut out = Expansion::new();
        for state in control.finals() {
            self.components.add(state)?;
            self.components.finish(state);
        }
        for root in control.start(product)? {
            if self.components.is_seen(root) {
                continue;
            }
            let mut entered = Some(Pending { target: root, label: 0 });
            loop {
                control.pause(product, &Final(|state| self.components.is_finished(state)));
                if let Some(edge) = entered.take() {
                    if let Some(component) = self.enter(product, control, edge, &mut out)? {
                        return Ok(Some(component));
                    }
                    if self.policy == FaultPolicy::StopAtFirst && !self.faults.is_empty() {
                        return Ok(None);
                    }
                }
                if let Some(edge) = self.stack.take_pending() {
                    match self.components.find(edge.target) {
                        Membership::Unseen => entered = Some(edge),
                        Membership::Finished => {}
                        Membership::Live(component) => {
                            let marks = self.table.unpack(edge.label);
                            if self.collapse(component, marks) {
                                return Ok(Some(component));
                            }
                        }
                    }
                } else if let Some(state) = self.stack.top() {
                    if self.roots.last().is_some_and(|root| root.state == state) {
                        self.components.finish(state);
                        self.roots.pop();
                    }
                    self.stack.pop();
                } else {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Enters an unseen state and looks at the edges whose targets are seen; the others wait.
    fn enter<P: Product>(
        &mut self,
        product: &mut P,
        control: &mut Control<'_>,
        edge: Pending,
        out: &mut Expansion,
    ) -> Result<Option<StateId>, Halt> {
        let state = edge.target;
        self.components.add(state)?;
        self.stack.push(state);
        self.roots.push(Root { state, inside: 0, entry: edge.label });
        control.expand(product, state, out, self.stack.depth(), || self.memory_bytes())?;
        self.faults.record_all(&out.faults, self.policy, &self.stack);
        for edge in &out.edges {
            if let Membership::Live(component) = self.components.find(edge.target)
                && self.collapse(component, edge.marks)
            {
                return Ok(Some(component));
            }
        }
        let (components, table) = (&self.components, &mut self.table);
        let unseen = out.edges.iter().filter(|edge| !components.is_seen(edge.target));
        self.stack
            .set_pending(unseen.map(|edge| Pending { target: edge.target, label: table.pack(edge.marks) }));
        Ok(None)
    }

    /// Collapses all components above the one with this root into it, for an edge with these marks from the
    /// top of the stack into it; tells whether the result is accepting.
    fn collapse(&mut self, component: StateId, marks: Marks) -> bool {
        let mut marks = marks;
        while let Some(top) = self.roots.last() {
            marks = marks.union(self.table.unpack(top.inside));
            if top.state == component {
                break;
            }
            marks = marks.union(self.table.unpack(top.entry));
            self.components.unite(top.state, component);
            self.roots.pop();
        }
        if let Some(top) = self.roots.last_mut() {
            top.inside = self.table.pack(marks);
        }
        marks.covers(self.required)
    }
}

/// Sets of marks as 32-bit words: themselves where they fit, numbers of a table otherwise.
struct MarkTable {
    fits: bool,
    numbers: FxHashMap<Marks, u32>,
    marks: Vec<Marks>,
}

impl MarkTable {
    fn new(sets: u32) -> Self {
        let numbers = FxHashMap::from_iter([(Marks::NONE, 0)]);
        MarkTable { fits: sets <= 32, numbers, marks: vec![Marks::NONE] }
    }

    #[inline]
    fn pack(&mut self, marks: Marks) -> u32 {
        if self.fits {
            return marks.0 as u32;
        }
        let next = self.marks.len() as u32;
        let number = *self.numbers.entry(marks).or_insert(next);
        if number == next {
            self.marks.push(marks);
        }
        number
    }

    #[inline]
    fn unpack(&self, packed: u32) -> Marks {
        if self.fits { Marks(u64::from(packed)) } else { self.marks[packed as usize] }
    }

    fn memory_bytes(&self) -> usize {
        self.marks.capacity() * 8 + self.numbers.capacity() * 16
    }
}
