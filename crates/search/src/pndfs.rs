//! Nested depth-first search by several workers who share what is red (PNDFS: Laarman, Langerak, van de Pol, Weber, Wijs,
//! ATVA 2011; proved by Oortwijn, Huisman, Joosten, van de Pol, TACAS 2020).
//!
//! Each worker runs a nested search with colours of its own: cyan on its stack, blue when left, pink on the path of its red
//! search. Shared is what is red: nobody enters a red state again. Behind an accepting state, in postorder, a worker runs a
//! red search that looks for a state cyan to it and paints red what it leaves. Several workers may do so from the same state,
//! and one of them alone may see the cycle that others cut off by what they paint; so a state counts the workers that
//! search behind it, and is painted red only when there are none left. All-red rule: a state whose successors are all red is
//! red without a search, once nobody searches behind it.
//!
//! **Why it waits.** Two workers that search behind the same state can each paint red the state by which the other one came: both
//! are on their way to the rest of a cycle, and a third one finds all red behind the accepting state. If it painted that red
//! without waiting for the two, then what leads there would be red by the all-red rule, and so on around the cycle, until
//! the two are cut off [`schedules::a_state_that_others_search_behind_is_not_painted_red`]. With two workers this cannot
//! happen. A worker must be counted before it paints the first state, not before it looks at the first edge.
//!
//! An accepting state that a red search meets, other than the one it began at, is red already: the worker has left it, and its
//! own red search came before. Early detection of cycles on the blue stack as in [`crate::cndfs`]. It runs on pairs, see
//! [`crate::pair`].
//!
//! Two bytes per state, and one more for each worker that has come by. Acceptance with several sets is refused.

use rustc_hash::FxHashSet;
use store::sync::yield_now;
use store::{ChunkedVec, SharedColours, SharedCounts};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::ndfs;
use crate::outcome::Outcome;
use crate::pair::{self, COUNTED, Pair};
use crate::pause::{Busy, Part, Pausing, Whole};
use crate::product::{Expansion, Halt, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

/// For all workers: done.
const RED: u8 = 1;

/// For one worker.
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const PINK: u8 = 4;

/// What all workers share.
struct Common {
    colours: SharedColours,
    /// How many workers search behind an accepting pair.
    searching: SharedCounts,
}

/// Looks for an accepting cycle of a product with at most one acceptance set.
pub(crate) fn pndfs<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let common = Common { colours: SharedColours::new(), searching: SharedCounts::new() };
    search(product, policy, control, workers, &common)
}

impl SharedSearch for Common {
    fn check<P: Product>(&self, product: &P) -> Result<(), Halt> {
        ndfs::check_acceptance(product)
    }

    fn put_final(&self, state: StateId) -> Result<(), Halt> {
        let both = [false, true].map(|is_accepting| Pair { state, is_accepting }.mark(RED));
        self.colours.set(state, both[0] | both[1])?;
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
            common: self,
            out: Expansion::new(),
            own: ChunkedVec::new(),
            blue: Vec::new(),
            red: Vec::new(),
        };
        let cycle = worker.search(view, control, faults)?;
        Ok(cycle.map(|cycle| Found { stack: worker.path(), inside: cycle }))
    }

    fn is_expanded(&self, state: StateId) -> bool {
        self.colours.get(state) & COUNTED != 0
    }

    fn memory_bytes(&self) -> usize {
        self.colours.memory_bytes() + self.searching.memory_bytes()
    }
}

/// A state on a path, and the edges that wait: those at the end of the list of all that wait.
struct Frame {
    pair: Pair,
    waiting: usize,
    /// Every edge dealt with so far leads to a red pair.
    is_all_red: bool,
}

struct Worker<'s> {
    place: Place<'s>,
    common: &'s Common,
    out: Expansion,
    /// The worker's own colours.
    own: ChunkedVec<u8>,
    blue: Vec<Frame>,
    red: Vec<Frame>,
}

type Cycle = FxHashSet<StateId>;

/// Where nobody is in a red search, all that red pairs lead to is red, and nothing of it is accepting.
impl Pausing for Worker<'_> {
    fn whole<'w>(&'w self, parts: &'w [Part]) -> Whole<'w> {
        let is_quiet = !parts.iter().any(|part| part.is_busy);
        let red = |state, is_accepting| self.is_red(Pair { state, is_accepting });
        Whole::finals(move |state| is_quiet && (red(state, false) || red(state, true)))
    }
}

impl Worker<'_> {
    fn is_red(&self, pair: Pair) -> bool {
        self.common.colours.get(pair.state) & pair.mark(RED) != 0
    }

    fn own(&self, state: StateId) -> u8 {
        if state.index() < self.own.len() { self.own.get(state.index()) } else { 0 }
    }

    fn has(&self, pair: Pair, colours: u8) -> bool {
        self.own(pair.state) & pair.mark(colours) != 0
    }

    fn recolour(&mut self, pair: Pair, without: u8, with: u8) -> Result<(), Halt> {
        let position = pair.state.index();
        if position >= self.own.len() {
            self.own.extend_to(position + 1, 0)?;
        }
        let byte = self.own.get_mut(position);
        *byte = *byte & !pair.mark(without) | pair.mark(with);
        Ok(())
    }

    fn is_cyan_somehow(&self, state: StateId) -> bool {
        [false, true].into_iter().any(|is_accepting| self.has(Pair { state, is_accepting }, CYAN))
    }

    /// The pairs that edges of the last expansion lead to, in this worker's order.
    fn targets(&self, state: StateId) -> impl Iterator<Item = Pair> + '_ {
        pair::targets(&self.out, self.place.number, state, self.place.required)
    }

    fn is_open(&self, pair: Pair) -> bool {
        !self.has(pair, CYAN | BLUE) && !self.is_red(pair)
    }

    /// The states on the stack of the blue search.
    fn path(&self) -> Vec<StateId> {
        self.blue.iter().map(|frame| frame.pair.state).collect()
    }

    fn memory_bytes(&self) -> usize {
        (self.blue.capacity() + self.red.capacity()) * size_of::<Frame>() + self.own.memory_bytes()
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
                control.pause(view, self);
                if let Some(pair) = entered.take().filter(|pair| self.is_open(*pair)) {
                    if let Some(cycle) = self.enter(view, control, pair, &mut waiting, faults)? {
                        return Ok(Some(cycle));
                    }
                    if self.place.has_enough(faults) {
                        return Ok(None);
                    }
                }
                let Some(frame) = self.blue.last() else { break };
                if waiting.len() > frame.waiting
                    && let Some(pair) = waiting.pop()
                {
                    if self.is_open(pair) {
                        entered = Some(pair);
                    } else {
                        self.deal_with(pair);
                    }
                    continue;
                }
                let (pair, is_all_red) = (frame.pair, frame.is_all_red);
                if is_all_red {
                    self.await_nobody_behind(view, control, pair)?;
                    self.common.colours.set(pair.state, pair.mark(RED))?;
                } else if pair.is_accepting
                    && let Some(cycle) = self.search_red(view, control, pair)?
                {
                    return Ok(Some(cycle));
                }
                self.recolour(pair, CYAN, BLUE)?;
                self.blue.pop();
                self.deal_with(pair);
            }
        }
        Ok(None)
    }

    /// An edge of the state on top of the blue stack leads to this pair, which was searched or need not be.
    fn deal_with(&mut self, target: Pair) {
        if !self.is_red(target)
            && let Some(frame) = self.blue.last_mut()
        {
            frame.is_all_red = false;
        }
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
        self.recolour(pair, 0, CYAN)?;
        self.blue.push(Frame { pair, waiting: waiting.len(), is_all_red: true });
        let is_first = self.common.colours.set(pair.state, COUNTED)? & COUNTED == 0;
        let bytes = self.memory_bytes();
        if is_first {
            control.expand(view, pair.state, &mut self.out, self.blue.len(), || bytes)?;
            faults.record_along(&self.out.faults, self.place.policy, self.blue.len(), || self.path());
        } else {
            control.expand_again(view, pair.state, &mut self.out)?;
        }
        // A marked edge closes a cycle whichever way its target was entered.
        let is_closed = |target: &Pair| target.is_accepting && self.is_cyan_somehow(target.state);
        if let Some(target) = self.targets(pair.state).find(is_closed) {
            return Ok(Some(self.cycle_from(|frame| frame.pair.state == target.state, &[])));
        }
        let is_closed = |target: &Pair| pair.is_accepting && self.has(*target, CYAN);
        if let Some(target) = self.targets(pair.state).find(is_closed) {
            return Ok(Some(self.cycle_from(|frame| frame.pair == target, &[])));
        }
        let (open, dealt_with): (Vec<Pair>, Vec<Pair>) =
            self.targets(pair.state).partition(|target| self.is_open(*target));
        for target in dealt_with {
            self.deal_with(target);
        }
        waiting.extend(open.into_iter().rev());
        Ok(None)
    }

    /// The states from a cyan one to the top of the blue stack, and then those of the red one.
    fn cycle_from(&self, is_first: impl Fn(&Frame) -> bool, red: &[Frame]) -> Cycle {
        let begin = self.blue.iter().rposition(is_first).unwrap_or(0);
        self.blue[begin..].iter().chain(red).map(|frame| frame.pair.state).collect()
    }

    /// Waits until no worker searches behind a pair.
    fn await_nobody_behind<P: Product>(
        &self,
        view: &mut P,
        control: &mut Control<'_>,
        pair: Pair,
    ) -> Result<(), Halt> {
        while pair.is_accepting && self.common.searching.get(pair.state) != 0 {
            if self.place.team.is_over() {
                return Err(Halt(Reason::Interrupted));
            }
            control.pause(view, &Busy);
            control.wait(view)?;
            yield_now();
        }
        Ok(())
    }

    /// The red search behind an accepting pair on top of the blue stack.
    fn search_red<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        seed: Pair,
    ) -> Result<Option<Cycle>, Halt> {
        self.common.searching.add(seed.state)?;
        let mut waiting: Vec<Pair> = Vec::new();
        let mut entered = Some(seed);
        loop {
            control.pause(view, &Busy);
            if let Some(pair) = entered.take() {
                self.recolour(pair, 0, PINK)?;
                self.red.push(Frame { pair, waiting: waiting.len(), is_all_red: false });
                control.expand_again(view, pair.state, &mut self.out)?;
                if let Some(target) = self.targets(pair.state).find(|target| self.has(*target, CYAN)) {
                    return Ok(Some(self.cycle_from(|frame| frame.pair == target, &self.red)));
                }
                let open = self.targets(pair.state).filter(|target| self.is_open_to_red(*target));
                waiting.extend(open);
            }
            let Some(frame) = self.red.last() else { return Ok(None) };
            if waiting.len() > frame.waiting {
                entered = waiting.pop().filter(|pair| self.is_open_to_red(*pair));
                continue;
            }
            let pair = frame.pair;
            if pair == seed {
                self.common.searching.subtract(seed.state)?;
                self.await_nobody_behind(view, control, seed)?;
            }
            self.common.colours.set(pair.state, pair.mark(RED))?;
            self.recolour(pair, PINK, 0)?;
            self.red.pop();
        }
    }

    fn is_open_to_red(&self, pair: Pair) -> bool {
        !self.has(pair, PINK) && !self.is_red(pair)
    }
}
