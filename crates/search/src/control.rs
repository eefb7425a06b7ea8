//! The clock of a search: it counts, reports, and stops the search at its limits. Each worker of a search has one.

use std::time::Instant;

use store::LossySet;
use store::sync::Ordering;
use verdict::{Limits, Observer, Progress, Reason, Statistics};

use crate::faults::FaultLog;
use crate::kept::{Kept, Saved};
use crate::limits;
use crate::pause::{Pauses, Pausing};
use crate::product::{Expansion, Halt, Product, StateId};
use crate::team::Team;

/// What a search has to do with limits: how many states it has stored, and how many bytes that takes.
pub(crate) trait Sizes {
    fn stored(&self) -> usize;
    fn memory_bytes(&self) -> usize;
}

impl<P: Product> Sizes for P {
    fn stored(&self) -> usize {
        Product::stored(self)
    }

    fn memory_bytes(&self) -> usize {
        Product::memory_bytes(self)
    }
}

impl Sizes for LossySet {
    fn stored(&self) -> usize {
        LossySet::stored(self)
    }

    fn memory_bytes(&self) -> usize {
        LossySet::memory_bytes(self)
    }
}

/// The bounds, the observer and the statistics of one search.
pub struct Control<'a> {
    limits: &'a Limits,
    /// Only one of several workers reports.
    observer: Option<&'a mut dyn Observer>,
    /// The others that work at the search.
    team: Option<&'a Team>,
    /// Transitions that the team knows of.
    told: u64,
    started: Instant,
    statistics: Statistics,
    /// What the search's own tables held when last looked at.
    own_bytes: usize,
    /// How many expansions the first of several workers makes before the others begin.
    head_start: u64,
    /// Where the search is kept, or was taken up.
    kept: Option<&'a Kept<'a>>,
}

impl<'a> Control<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits, observer: &'a mut dyn Observer) -> Self {
        Control { observer: Some(observer), ..Control::silent(limits) }
    }

    fn silent(limits: &'a Limits) -> Self {
        Control {
            limits,
            observer: None,
            team: None,
            told: 0,
            started: Instant::now(),
            statistics: Statistics::default(),
            own_bytes: 0,
            head_start: 0,
            kept: None,
        }
    }

    /// Keeps the search, or takes it up.
    pub fn with_kept(self, kept: &'a Kept<'a>) -> Self {
        Control { kept: Some(kept), ..self }
    }

    /// Has the first of several workers search alone at first, for at least so many expansions. A search that comes to its end
    /// within them is the same every time.
    pub fn with_head_start(self, expansions: u64) -> Self {
        Control { head_start: expansions, ..self }
    }

    /// The clock of one more worker of a team.
    pub(crate) fn of_worker(limits: &'a Limits, team: &'a Team, kept: Option<&'a Kept<'a>>) -> Self {
        Control { team: Some(team), kept, ..Control::silent(limits) }
    }

    pub(crate) fn kept(&self) -> Option<&'a Kept<'a>> {
        self.kept
    }

    /// What the search was taken up with.
    pub(crate) fn resumed(&self) -> Option<&'a Saved> {
        self.kept.and_then(|kept| kept.resumed.as_ref())
    }

    /// States that need not be searched, in a search that was taken up.
    pub(crate) fn finals(&self) -> impl Iterator<Item = StateId> + use<'a> {
        self.resumed().into_iter().flat_map(|saved| saved.finals.iter())
    }

    /// The faults that were met before the search was taken up.
    pub(crate) fn faults(&self) -> FaultLog {
        self.resumed().map_or_else(FaultLog::default, |saved| FaultLog::of_saved(&saved.faults))
    }

    /// The states that are discovered and not counted, in a search that was taken up.
    pub(crate) fn frontier<P: Product>(&self, product: &P) -> Option<Vec<StateId>> {
        let kept = self.kept.filter(|kept| kept.resumed.is_some())?;
        Some(product.discovered().filter(|state| !kept.counted.contains(*state)).collect())
    }

    /// A place where a worker can stand still.
    #[inline]
    pub(crate) fn pause<P: Product>(&mut self, product: &mut P, search: &impl Pausing) {
        if let Some(kept) = self.kept
            && kept.wants_pause()
        {
            let team = self.team;
            let is_over = || team.is_some_and(Team::is_over);
            Pauses::stand(kept, product, search, &self.statistics, is_over);
        }
    }

    /// Expands what is discovered and not counted, and all that this discovers, when a search that was taken up has found
    /// nothing: then all is counted.
    pub(crate) fn sweep<P: Product>(&mut self, product: &mut P) -> Result<(), Halt> {
        let mut waiting = self.frontier(product).unwrap_or_default();
        let mut out = Expansion::new();
        while let Some(state) = waiting.pop() {
            let bytes = waiting.capacity() * size_of::<StateId>();
            self.expand(product, state, &mut out, 1, || bytes)?;
            waiting.extend(out.edges.iter().filter(|edge| edge.is_new).map(|edge| edge.target));
        }
        Ok(())
    }

    /// Whether the edges of a state are to be counted.
    #[inline]
    fn counts(&self, state: StateId) -> Result<bool, Halt> {
        self.kept.map_or(Ok(true), |kept| kept.count(state))
    }

    pub(crate) fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Works as the first of a team.
    pub(crate) fn join(&mut self, team: &Team, work: impl FnOnce(&mut Control<'_>)) {
        let mut control = Control {
            limits: self.limits,
            observer: match &mut self.observer {
                Some(observer) => Some(&mut **observer),
                None => None,
            },
            team: Some(team),
            told: 0,
            started: self.started,
            statistics: std::mem::take(&mut self.statistics),
            own_bytes: self.own_bytes,
            head_start: self.head_start,
            kept: self.kept,
        };
        if self.head_start == 0 {
            team.let_begin();
        }
        work(&mut control);
        team.first_is_done();
        let Control { statistics, own_bytes, .. } = control;
        (self.statistics, self.own_bytes) = (statistics, own_bytes);
    }

    /// What one worker has counted.
    pub(crate) fn into_own_statistics(self) -> (Statistics, usize) {
        (self.statistics, self.own_bytes)
    }

    /// Counts what another worker has counted.
    pub(crate) fn add(&mut self, (others, own_bytes): &(Statistics, usize)) {
        self.statistics.transitions += others.transitions;
        self.statistics.expansions += others.expansions;
        self.statistics.waits += others.waits;
        self.statistics.depth = self.statistics.depth.max(others.depth);
        self.statistics.peak_memory_bytes = self.statistics.peak_memory_bytes.max(others.peak_memory_bytes);
        self.own_bytes += own_bytes;
    }

    /// To be called by a worker that waits for others, again and again.
    pub(crate) fn wait<P: Product>(&mut self, product: &mut P) -> Result<(), Halt> {
        self.statistics.waits += 1;
        product.rest();
        self.look(product)
    }

    /// Expands a state for the first time, at a depth of the search whose own tables hold `own_bytes()`.
    #[inline]
    pub(crate) fn expand<P: Product>(
        &mut self,
        product: &mut P,
        state: StateId,
        out: &mut Expansion,
        depth: usize,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Halt> {
        self.statistics.depth = self.statistics.depth.max(depth as u64);
        product.expand(state, out)?;
        self.count_transitions(state, out.edges.len() as u64)?;
        self.tick(product, own_bytes)
    }

    /// Expands a state that several workers may expand; whoever is the first to be done counts its edges.
    #[inline]
    pub(crate) fn expand_uncounted<P: Product>(
        &mut self,
        product: &mut P,
        state: StateId,
        out: &mut Expansion,
        depth: usize,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Halt> {
        self.statistics.depth = self.statistics.depth.max(depth as u64);
        product.expand(state, out)?;
        self.tick(product, own_bytes)
    }

    /// Counts an expansion that was made elsewhere.
    #[inline]
    pub(crate) fn count_expansion(
        &mut self,
        sizes: &impl Sizes,
        depth: usize,
        edges: u64,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Halt> {
        self.statistics.depth = self.statistics.depth.max(depth as u64);
        self.statistics.transitions += edges;
        self.tick(sizes, own_bytes)
    }

    /// Counts the edges of a state, unless they were counted before the search was taken up.
    #[inline(always)]
    pub(crate) fn count_transitions(&mut self, state: StateId, edges: u64) -> Result<(), Halt> {
        if self.counts(state)? {
            self.statistics.transitions += edges;
        }
        Ok(())
    }

    /// Expands a state again.
    #[inline]
    pub(crate) fn expand_again<P: Product>(
        &mut self,
        product: &mut P,
        state: StateId,
        out: &mut Expansion,
    ) -> Result<(), Halt> {
        product.expand(state, out)?;
        let own_bytes = self.own_bytes;
        self.tick(product, || own_bytes)
    }

    #[inline]
    fn tick(&mut self, product: &impl Sizes, own_bytes: impl FnOnce() -> usize) -> Result<(), Halt> {
        self.statistics.expansions += 1;
        if self.team.is_some_and(Team::is_over) {
            // Whoever ended the search has said why; this reason is nobody's.
            return Err(Halt(Reason::Interrupted));
        }
        if self.limits.max_states.is_some_and(|most| product.stored() as u64 > most) {
            return Err(Halt(Reason::StateLimit));
        }
        if self.statistics.expansions.is_multiple_of(limits::EXPANSIONS_BETWEEN_LOOKS) {
            self.own_bytes = own_bytes();
            self.look(product)?;
        }
        Ok(())
    }

    fn look(&mut self, product: &impl Sizes) -> Result<(), Halt> {
        let memory_bytes = (product.memory_bytes() + self.own_bytes) as u64;
        self.statistics.peak_memory_bytes = self.statistics.peak_memory_bytes.max(memory_bytes);
        let mut transitions = self.statistics.transitions;
        if let Some(team) = self.team {
            let more = transitions - self.told;
            self.told = transitions;
            transitions = team.transitions.fetch_add(more, Ordering::Relaxed) + more;
            if self.statistics.expansions >= self.head_start {
                team.let_begin();
            }
        }
        if self.statistics.expansions.is_multiple_of(limits::EXPANSIONS_BETWEEN_REPORTS)
            && let Some(observer) = &mut self.observer
        {
            // Which property this is about is for those to add who know.
            observer.observe(&Progress {
                property: String::new(),
                search: (1, 1),
                states: product.stored() as u64,
                transitions,
                depth: self.statistics.depth,
                memory_bytes: self.statistics.peak_memory_bytes,
                time: self.started.elapsed(),
            });
        }
        if self.limits.is_interrupted() {
            return Err(Halt(Reason::Interrupted));
        }
        if self.limits.max_memory_bytes.is_some_and(|most| memory_bytes > most) {
            return Err(Halt(Reason::MemoryLimit));
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Halt(Reason::Timeout));
        }
        Ok(())
    }

    /// Looks once before the first expansion, so that a run that may not start does not.
    pub(crate) fn start<P: Product>(&mut self, product: &mut P) -> Result<Vec<StateId>, Halt> {
        let initial = product.initial()?;
        // One of several workers has counted nothing yet: the search as a whole has.
        if let Some(saved) = self.resumed().filter(|_| self.team.is_none()) {
            self.statistics.transitions = saved.transitions;
            self.statistics.expansions = saved.expansions;
            self.statistics.depth = saved.depth;
        }
        self.look(product)?;
        Ok(initial)
    }

    /// The statistics up to now.
    pub(crate) fn statistics<P: Product>(&mut self, product: &P, own_bytes: usize) -> Statistics {
        let memory_bytes = (Product::memory_bytes(product) + own_bytes) as u64;
        self.statistics.peak_memory_bytes = self.statistics.peak_memory_bytes.max(memory_bytes);
        self.statistics.states = Product::stored(product) as u64;
        self.statistics.time = self.started.elapsed();
        self.statistics.clone()
    }
}
