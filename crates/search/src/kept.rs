//! What is kept of a search so that it can be taken up again later, by another process.
//!
//! A checkpoint is the product in one moment (its states with their numbers), which states were counted (expanded, with their
//! edges and faults), and which are *final*: no search needs to look at them again. A search for faults goes on with the
//! states that are stored and not counted, whichever worker had them before. A search for accepting runs begins again, with
//! the final states taken for explored; what is done twice is counted once.
//!
//! **Final.** Each search says which states are final when all its workers stand still ([`crate::pause`]). Let `F` be such
//! a set. It must be so that
//! - no accepting cycle has a state in `F`, and
//! - every edge out of `F` leads into `F`, or to a state that can be reached without any state of `F`.
//!
//! Then there is an accepting run without `F` exactly if there is one at all: after the last state of `F` on the way to an
//! accepting cycle comes one that can be reached otherwise. This says nothing of how searches work, so a search may be taken
//! up by another one, with another number of workers, and more than once. States of complete components are final, and red
//! ones of nested searches: nothing accepting can be reached from them. Blue ones of the search for weak automata are: what
//! they lead to besides is on the stack.
//!
//! **Counts.** Final states may lead to states that were stored and never counted. When nothing was found, those are expanded
//! ([`crate::Control::sweep`]): then everything that can be reached is stored and counted once.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::time::Duration;

use store::{Bits, SharedBits, ThawError};

use crate::faults::SavedFault;
use crate::pause::Pauses;
use crate::product::{FaultClass, FaultKind, Halt, Product, StateId};

/// Who takes the checkpoints of a search.
pub trait Keeper: Sync {
    /// Whether it is time for one. All workers ask, again and again, so this must be quick.
    fn is_due(&self) -> bool;

    /// Takes one. Workers stand still until this returns.
    fn save(&self, checkpoint: Checkpoint);
}

/// A product in one moment, to be written while the search goes on.
pub trait Frozen: Send {
    /// Writes it, for [`Product::thaw`].
    fn write(&self, out: &mut dyn Write) -> Result<()>;
}

/// A search in one moment.
pub struct Checkpoint {
    pub(crate) stage: Stage,
    pub(crate) saved: Saved,
    pub(crate) product: Box<dyn Frozen>,
    pub(crate) pause: Duration,
}

impl Checkpoint {
    /// Writes it, for [`Kept::resume`].
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        out.write_all(&[self.stage.0])?;
        self.saved.write(out)?;
        self.product.write(out)
    }

    /// How long workers stood still for it.
    pub fn pause(&self) -> Duration {
        self.pause
    }
}

/// The level of a breadth-first search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SavedLevel {
    /// How many come before it.
    pub(crate) number: u64,
    /// Its states, of which some may be counted. All others that are not are of the next one.
    pub(crate) states: Bits,
}

/// What is kept of a search beside its product.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    pub(crate) counted: Bits,
    pub(crate) finals: Bits,
    pub(crate) transitions: u64,
    pub(crate) expansions: u64,
    pub(crate) depth: u64,
    pub(crate) faults: Vec<SavedFault>,
    pub(crate) level: SavedLevel,
    /// By a search for faults or accepting sinks; otherwise what is counted was not looked at for these.
    pub(crate) is_reachability: bool,
}

/// Which of the searches that answer one question, one after the other, a checkpoint is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stage(pub u8);

/// What a search keeps, and what it was taken up with.
pub struct Kept<'k> {
    keeper: Option<&'k dyn Keeper>,
    stage: Stage,
    /// States whose edges and faults were counted, in this process or before.
    pub(crate) counted: SharedBits,
    /// What it was taken up with; none: it begins.
    pub(crate) resumed: Option<Saved>,
    pub(crate) pauses: Pauses,
}

impl<'k> Kept<'k> {
    /// A search that begins, and is kept by somebody or nobody.
    pub fn new(keeper: Option<&'k dyn Keeper>, stage: Stage) -> Kept<'k> {
        Kept { keeper, stage, counted: SharedBits::new(), resumed: None, pauses: Pauses::new(Bits::new()) }
    }

    /// Takes up what [`Checkpoint::write`] has written, with a product in which nothing was discovered. Gives the stage of
    /// what was written: where it is another one, nothing is taken up.
    pub fn resume(
        &mut self,
        product: &mut impl Product,
        from: &mut dyn Read,
    ) -> std::result::Result<Stage, ThawError> {
        let mut stage = [0];
        from.read_exact(&mut stage)?;
        let stage = Stage(stage[0]);
        if stage != self.stage {
            return Ok(stage);
        }
        let saved = Saved::read(from)?;
        product.thaw(from)?;
        for state in saved.counted.iter() {
            self.counted.insert(state)?;
        }
        self.pauses = Pauses::new(saved.finals.clone());
        self.resumed = Some(saved);
        Ok(stage)
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether a worker has to stand still.
    #[inline]
    pub(crate) fn wants_pause(&self) -> bool {
        self.pauses.is_asked()
            || self.keeper.is_some_and(|keeper| keeper.is_due() && !self.pauses.is_closed())
    }

    pub(crate) fn save(&self, checkpoint: Checkpoint) {
        if let Some(keeper) = self.keeper {
            keeper.save(checkpoint);
        }
    }

    /// Counts a state; says whether it was not counted before.
    #[inline]
    pub(crate) fn count(&self, state: StateId) -> std::result::Result<bool, Halt> {
        Ok(self.counted.insert(state)?)
    }
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn read_word(from: &mut dyn Read) -> Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_half(from: &mut dyn Read) -> Result<u32> {
    u32::try_from(read_word(from)?).map_err(|_| damaged("a number that is too large"))
}

const CLASSES: [FaultClass; 5] = [
    FaultClass::Assertion,
    FaultClass::InvalidEndState,
    FaultClass::RuntimeError,
    FaultClass::Acceptance,
    FaultClass::Other,
];

impl Saved {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let Saved { counted, finals, transitions, expansions, depth, faults, level, is_reachability } = self;
        let kind = u64::from(*is_reachability);
        for word in [kind, *transitions, *expansions, *depth, level.number, faults.len() as u64] {
            out.write_all(&word.to_le_bytes())?;
        }
        for fault in faults {
            let class = CLASSES.iter().position(|class| *class == fault.kind.class).unwrap_or_default();
            let edge = fault.edge.map_or(0, |edge| u64::from(edge) + 1);
            let state = u64::from(fault.state.0);
            for word in [class as u64, u64::from(fault.kind.code), fault.count, state, edge, fault.steps] {
                out.write_all(&word.to_le_bytes())?;
            }
        }
        level.states.write(out)?;
        counted.write(out)?;
        finals.write(out)
    }

    fn read(from: &mut dyn Read) -> Result<Saved> {
        let [kind, transitions, expansions, depth, number, count] = [
            read_word(from)?,
            read_word(from)?,
            read_word(from)?,
            read_word(from)?,
            read_word(from)?,
            read_word(from)?,
        ];
        let mut faults = Vec::new();
        for _ in 0..count {
            let class = *CLASSES.get(read_word(from)? as usize).ok_or_else(|| damaged("no such fault"))?;
            let kind = FaultKind { class, code: read_half(from)? };
            let (count, state) = (read_word(from)?, StateId(read_half(from)?));
            let (edge, steps) = (read_half(from)?.checked_sub(1), read_word(from)?);
            faults.push(SavedFault { kind, count, state, edge, steps });
        }
        let level = SavedLevel { number, states: Bits::read(from)? };
        let (counted, finals) = (Bits::read(from)?, Bits::read(from)?);
        let is_reachability = kind != 0;
        Ok(Saved { counted, finals, transitions, expansions, depth, faults, level, is_reachability })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut saved = Saved { transitions: 7, expansions: 9, depth: 3, ..Saved::default() };
        saved.counted.insert(StateId(5));
        saved.finals.insert(StateId(4));
        saved.level.number = 2;
        saved.level.states.insert(StateId(900));
        for (number, class) in CLASSES.into_iter().enumerate() {
            let edge = (number % 2 == 0).then_some(number as u32);
            let kind = FaultKind { class, code: u32::MAX };
            saved.faults.push(SavedFault { kind, count: 8, state: StateId(1), edge, steps: 6 });
        }
        let mut bytes = Vec::new();
        saved.write(&mut bytes).expect("memory");
        assert_eq!(Saved::read(&mut &bytes[..]).expect("it is whole"), saved);
        for end in 0..bytes.len() {
            assert!(Saved::read(&mut &bytes[..end]).is_err());
        }
    }
}
