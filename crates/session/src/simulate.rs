//! Simulation: one run of a model, step by step, with choices at random from a seed.

use std::ops::{Deref, DerefMut};

use model::{Simulation, Unstarted};

use crate::check::Failure;
use crate::files::Loaded;

/// A run in the making.
pub struct Simulator<'a> {
    run: Box<dyn Simulation + 'a>,
    random: u64,
}

/// Why there is no run.
pub enum NoRun {
    /// The model cannot be run at all.
    Failure(Failure),
    /// There is no initial state; the sentence says why.
    NoInitialState(String),
}

impl<'a> Simulator<'a> {
    /// At the initial state.
    pub fn new(loaded: &'a Loaded, seed: u64) -> Result<Simulator<'a>, NoRun> {
        let run = loaded.model.simulate(&loaded.sources).map_err(|unstarted| match unstarted {
            Unstarted::Diagnostics(diagnostics) => {
                NoRun::Failure(Failure { diagnostics, ..Failure::default() })
            }
            Unstarted::NoInitialState(sentence) => NoRun::NoInitialState(sentence),
        })?;
        // Any seed will do, but the generator must not start at 0.
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Ok(Simulator { run, random })
    }

    /// A number below `count`, from the seed.
    pub fn pick(&mut self, count: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % count.max(1)
    }
}

impl<'a> Deref for Simulator<'a> {
    type Target = dyn Simulation + 'a;

    fn deref(&self) -> &Self::Target {
        &*self.run
    }
}

impl DerefMut for Simulator<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.run
    }
}
