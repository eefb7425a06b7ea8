//! A model's product in one moment: the states, how the system has numbered what their vectors begin with, and where something
//! was met that the answer depends on. What that was is found out again there.

use std::io::{Error, ErrorKind, Read, Result, Write};

use store::{FrozenStore, StateId, ThawError};

use super::ModelProduct;
use crate::kept::Frozen;
use crate::product::{Expansion, Halt, Product};

pub(super) struct FrozenProduct {
    shapes: Vec<(u32, u32)>,
    /// Where something was met, as numbers plus one.
    met: [u32; 2],
    store: FrozenStore,
}

impl Frozen for FrozenProduct {
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let mut numbers = vec![self.shapes.len() as u32];
        numbers.extend(self.shapes.iter().flat_map(|(parent, kind)| [*parent, *kind]));
        numbers.extend(self.met);
        for number in numbers {
            out.write_all(&number.to_le_bytes())?;
        }
        self.store.write(out)
    }
}

fn read_number(from: &mut dyn Read) -> Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

impl ModelProduct {
    pub(super) fn frozen(&mut self) -> FrozenProduct {
        let number = |state: StateId| state.0 + 1;
        let met = {
            let met = self.met();
            [met.valueless.map(|met| met.state), met.diverges_at].map(|state| state.map_or(0, number))
        };
        FrozenProduct { shapes: self.system.shapes(), met, store: self.store.freeze() }
    }

    pub(super) fn thawed(&mut self, from: &mut dyn Read) -> std::result::Result<(), ThawError> {
        let damaged = |what: &str| ThawError::Unreadable(Error::new(ErrorKind::InvalidData, what));
        let count = read_number(from)?;
        let mut shapes = Vec::new();
        for _ in 0..count {
            shapes.push((read_number(from)?, read_number(from)?));
        }
        let met = [read_number(from)?, read_number(from)?];
        if !self.system.set_shapes(&shapes) {
            return Err(damaged("stacks of processes that the model has not"));
        }
        self.store.thaw(from)?;
        if self.store.width() < self.prefix {
            return Err(damaged("states without an automaton"));
        }
        self.store.grow_width(self.system.width() - self.system.hidden_words() + self.prefix)?;
        self.follow_width();
        self.initial = None;
        let mut out = Expansion::new();
        for state in met.into_iter().filter_map(|number| number.checked_sub(1)) {
            if !self.store.states().any(|stored| stored.0 == state) {
                return Err(damaged("a state that is not stored"));
            }
            // A sequence that is not opened ends the expansion after it was noted.
            match self.expand(StateId(state), &mut out) {
                Ok(()) | Err(Halt(verdict::Reason::Unsupported(_))) => {}
                Err(Halt(reason)) => {
                    return Err(ThawError::Unreadable(Error::other(reason.to_string())));
                }
            }
        }
        Ok(())
    }
}
