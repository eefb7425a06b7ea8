//! Nested depth-first search by several workers (CNDFS: Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012).
//!
//! Each worker runs a blue search with a stack of its own, whose states are cyan to it alone, and paints blue what it leaves,
//! for all. Behind an accepting state, in postorder, it runs a red search that gathers what it visits and looks for a state
//! cyan to it. Before it paints what it gathered red, for all, it waits until every *other* accepting state among it is red:
//! some worker is at it, and would miss a cycle through states that become red too early. A state that is blue, or red to a
//! red search, is not entered again. Cycles through an accepting state on the stack must be found by the blue search itself:
//! the proof needs it.
//!
//! **Why no cycle is missed.** No state of an accepting cycle becomes red. The first one that did would be painted by a worker
//! whose red search has visited it while none of the cycle was red, and so has gone around all of it, past an accepting state of
//! the cycle: its own seed, and then it has found the cycle; or another one, which had to be red before. So whoever searches
//! behind an accepting state of the cycle goes around it. (Nothing here depends on when states become blue, nor on whether
//! the seed is painted before or after the wait: either may be changed without harm. That it waits for all of them matters.)
//!
//! It runs on pairs, see [`crate::pair`].
//!
//! One byte per state: blue and red of both pairs, and whether somebody has counted its edges. Workers take the edges of a
//! state in different orders. Acceptance with several sets is refused.

use rustc_hash::FxHashSet;
use store::SharedColours;
use store::sync::yield_now;
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::ndfs;
use crate::outcome::Outcome;
use crate::pair::{self, COUNTED, Pair};
use crate::pause::Final;
use crate::product::{Expansion, Halt, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

const BLUE: u8 = 1;
const RED: u8 = 2;

/// Looks for an accepting cycle of a product with at most one acceptance set.
pub(crate) fn cndfs<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    search(product, policy, control, workers, &Common { colours: SharedColours::new() })
}

/// What all workers share.
struct Common {
    colours: SharedColours,
}

impl SharedSearch for Common {
    fn check<P: Product>(&self, product: &P) -> Result<(), Halt> {
        ndfs::check_acceptance(product)
    }

    fn put_final(&self, state: StateId) -> Result<(), Halt> {
        let all = [false, true].map(|is_accepting| Pair { state, is_accepting }.mark(BLUE | RED));
        self.colours.set(state, all[0] | all[1])?;
        Ok(())
    }

    fn work<P: Shared>(
        &self,
        place: Place<'_>,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Found>, Halt> {
        let mut worker = Worker {
            place,
            colours: &self.colours,
            out: Expansion::new(),
            blue: Vec::new(),
            cyan: FxHashSet::default(),
            red: Vec::new(),
            gathered: FxHashSet::default(),
        };
        let cycle = worker.search(view, control, faults)?;
        Ok(cycle.map(|cycle| Found { stack: worker.path(), inside: cycle }))
    }

    fn is_expanded(&self, state: StateId) -> bool {
        self.colours.get(state) & COUNTED != 0
    }

    fn memory_bytes(&self) -> usize {
        self.colours.memory_bytes()
    }
}

/// A state on a path, and the edges that wait: those at the end of the list of all that wait.
struct Frame {
    pair: Pair,
    waiting: usize,
}

struct Worker<'s> {
    place: Place<'s>,
    colours: &'s SharedColours,
    out: Expansion,
    blue: Vec<Frame>,
    cyan: FxHashSet<Pair>,
    red: Vec<Frame>,
    gathered: FxHashSet<Pair>,
}

type Cycle = FxHashSet<StateId>;

impl Worker<'_> {
    fn has(&self, pair: Pair, colour: u8) -> bool {
        self.colours.get(pair.state) & colour != 0
    }

    fn is_cyan(&self, state: StateId) -> bool {
        [false, true].into_iter().any(|is_accepting| self.cyan.contains(&Pair { state, is_accepting }))
    }

    /// The pairs that edges of the last expansion lead to, in this worker's order.
    fn targets(&self, state: StateId) -> impl Iterator<Item = Pair> + '_ {
        pair::targets(&self.out, self.place.number, state, self.place.required)
    }

    /// The states on the stack of the blue search.
    fn path(&self) -> Vec<StateId> {
        self.blue.iter().map(|frame| frame.pair.state).collect()
    }

    fn memory_bytes(&self) -> usize {
        (self.blue.capacity() + self.red.capacity()) * size_of::<Frame>()
            + (self.cyan.capacity() + self.gathered.capacity()) * 9
    }

    fn search<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Cycle>, Halt> {
        let mut waiting: Vec<Pair> = Vec::new();
        for state in self.place.initial_in_order() {
            let mut entered = Some(Pair { state, is_accepting: false });
            loop {
                self.pause(view, control);
                if let Some(pair) = entered.take()
                    && !self.has(pair, pair.mark(BLUE))
                {
                    if let Some(cycle) = self.enter(view, control, pair, &mut waiting, faults)? {
                        return Ok(Some(cycle));
                    }
                    if self.place.has_enough(faults) {
                        return Ok(None);
                    }
                }
                let Some(frame) = self.blue.last() else { break };
                if waiting.len() > frame.waiting {
                    entered = waiting.pop().filter(|pair| !self.cyan.contains(pair));
                    continue;
                }
                let pair = frame.pair;
                self.colours.set(pair.state, pair.mark(BLUE))?;
                if pair.is_accepting
                    && let Some(cycle) = self.search_red(view, control, pair)?
                {
                    return Ok(Some(cycle));
                }
                self.cyan.remove(&pair);
                self.blue.pop();
            }
        }
        Ok(None)
    }

    /// Stands still where that is asked for. What is red is so for good: what was gathered becomes red only when nothing
    /// accepting can be reached from it, and in one go.
    fn pause<P: Product>(&self, view: &mut P, control: &mut Control<'_>) {
        let red = [false, true].map(|is_accepting| Pair { state: StateId(0), is_accepting }.mark(RED));
        control.pause(view, &Final(|state| self.colours.get(state) & (red[0] | red[1]) != 0));
    }

    /// Enters a pair in the blue search; gives the cycle that an edge of it closes.
    fn enter<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        pair: Pair,
        waiting: &mut Vec<Pair>,
        faults: &mut FaultLog,
    ) -> Result<Option<Cycle>, Halt> {
        self.cyan.insert(pair);
        self.blue.push(Frame { pair, waiting: waiting.len() });
        let is_first = self.colours.set(pair.state, COUNTED)? & COUNTED == 0;
        let bytes = self.memory_bytes();
        if is_first {
            control.expand(view, pair.state, &mut self.out, self.blue.len(), || bytes)?;
            faults.record_along(&self.out.faults, self.place.policy, self.blue.len(), || self.path());
        } else {
            control.expand_again(view, pair.state, &mut self.out)?;
        }
        // A marked edge closes a cycle whichever way its target was entered.
        let is_closed = |target: &Pair| target.is_accepting && self.is_cyan(target.state);
        if let Some(target) = self.targets(pair.state).find(is_closed) {
            return Ok(Some(self.cycle_from(|frame| frame.pair.state == target.state, &[])));
        }
        let is_closed = |target: &Pair| pair.is_accepting && self.cyan.contains(target);
        if let Some(target) = self.targets(pair.state).find(is_closed) {
            return Ok(Some(self.cycle_from(|frame| frame.pair == target, &[])));
        }
        let open = self.targets(pair.state).filter(|target| !self.has(*target, target.mark(BLUE)));
        let before = waiting.len();
        waiting.extend(open);
        waiting[before..].reverse();
        Ok(None)
    }

    /// The states from a cyan one to the top of the blue stack, and then those of the red one.
    fn cycle_from(&self, is_first: impl Fn(&Frame) -> bool, red: &[Frame]) -> Cycle {
        let begin = self.blue.iter().rposition(is_first).unwrap_or(0);
        self.blue[begin..].iter().chain(red).map(|frame| frame.pair.state).collect()
    }

    /// The red search behind an accepting pair on top of the blue stack.
    fn search_red<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        seed: Pair,
    ) -> Result<Option<Cycle>, Halt> {
        self.gathered.clear();
        let mut waiting: Vec<Pair> = Vec::new();
        let mut entered = Some(seed);
        loop {
            self.pause(view, control);
            // The search begins at the seed, whatever its colour.
            if let Some(pair) = entered.take()
                && (pair == seed || !self.has(pair, pair.mark(RED)))
                && self.gathered.insert(pair)
            {
                self.red.push(Frame { pair, waiting: waiting.len() });
                control.expand_again(view, pair.state, &mut self.out)?;
                if let Some(target) = self.targets(pair.state).find(|target| self.cyan.contains(target)) {
                    return Ok(Some(self.cycle_from(|frame| frame.pair == target, &self.red)));
                }
                let open = self.targets(pair.state);
                let open = open
                    .filter(|target| !self.has(*target, target.mark(RED)) && !self.gathered.contains(target));
                waiting.extend(open);
            }
            let Some(frame) = self.red.last() else { break };
            if waiting.len() > frame.waiting {
                entered = waiting.pop();
            } else {
                self.red.pop();
            }
        }
        for &pair in self.gathered.iter().filter(|pair| pair.is_accepting && **pair != seed) {
            while self.colours.get(pair.state) & pair.mark(RED) == 0 {
                if self.place.team.is_over() {
                    return Err(Halt(Reason::Interrupted));
                }
                self.pause(view, control);
                control.wait(view)?;
                yield_now();
            }
        }
        for pair in &self.gathered {
            self.colours.set(pair.state, pair.mark(RED))?;
        }
        Ok(None)
    }
}
