//! The stack of a depth-first search, as an explicit and compact structure.
//!
//! Frames and pending edges lie on two stacks of their own: eight bytes for a state on the path, eight for
//! an edge that still waits. The pending edges of the top frame are the last ones, so a frame only knows how
//! many it has.

use crate::product::StateId;

#[derive(Clone, Copy, Debug)]
struct Frame {
    state: u32,
    /// The number of pending edges, and two flags in the highest bits.
    info: u32,
}

/// An edge that waits, with a label of the search's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) target: StateId,
    pub(crate) label: u32,
}

/// A flag of a frame, with a meaning of the search's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flag {
    First,
    Second,
}

impl Flag {
    fn bit(self) -> u32 {
        match self {
            Flag::First => 1 << 31,
            Flag::Second => 1 << 30,
        }
    }
}

const COUNT: u32 = (1 << 30) - 1;

#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    frames: Vec<Frame>,
    pending: Vec<Pending>,
}

impl Stack {
    /// Enters a state; its pending edges are to be given next.
    #[inline]
    pub(crate) fn push(&mut self, state: StateId) {
        self.frames.push(Frame { state: state.0, info: 0 });
    }

    /// Gives the top frame its pending edges; the first of them will be taken first.
    #[inline]
    pub(crate) fn set_pending(&mut self, edges: impl DoubleEndedIterator<Item = Pending>) {
        let before = self.pending.len();
        self.pending.extend(edges.rev());
        let count = (self.pending.len() - before) as u32;
        if let Some(frame) = self.frames.last_mut() {
            frame.info |= count & COUNT;
        }
    }

    /// Takes the next pending edge of the top frame.
    #[inline]
    pub(crate) fn take_pending(&mut self) -> Option<Pending> {
        let frame = self.frames.last_mut()?;
        if frame.info & COUNT == 0 {
            return None;
        }
        frame.info -= 1;
        self.pending.pop()
    }

    /// Leaves the top state, which has no pending edge.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.frames.pop();
    }

    #[inline]
    pub(crate) fn top(&self) -> Option<StateId> {
        self.frames.last().map(|frame| StateId(frame.state))
    }

    #[inline]
    pub(crate) fn raise(&mut self, flag: Flag) {
        if let Some(frame) = self.frames.last_mut() {
            frame.info |= flag.bit();
        }
    }

    /// Whether the top frame has a flag.
    #[inline]
    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.frames.last().is_some_and(|frame| frame.info & flag.bit() != 0)
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The states from the bottom to the top.
    pub(crate) fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + '_ {
        self.frames.iter().map(|frame| StateId(frame.state))
    }

    /// The states from the given one, which is on the stack, up to the top.
    pub(crate) fn states_from(&self, state: StateId) -> Vec<StateId> {
        let mut states: Vec<StateId> = Vec::new();
        for above in self.states().rev() {
            states.push(above);
            if above == state {
                break;
            }
        }
        states.reverse();
        states
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.pending.capacity() * size_of::<Pending>()
    }
}
