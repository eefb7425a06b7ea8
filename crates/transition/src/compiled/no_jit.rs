//! Stands in for the machine code where it is not built in: there never is any.

use super::program::Program;
use super::shape::Shape;

/// Machine code that does not exist.
pub(super) enum Native {}

#[derive(Clone, Copy)]
pub(super) struct Mask {
    pub(super) yes: u32,
    pub(super) ask: u32,
}

impl Native {
    pub(super) fn new(_program: &Program) -> Option<Native> {
        None
    }

    pub(super) fn guard(
        &self,
        _location: u32,
        _words: &[u32],
        _shape: &Shape,
        _pid: usize,
        _timeout: bool,
    ) -> Option<Mask> {
        match *self {}
    }

    pub(super) fn has_effect(&self, _edge: usize) -> bool {
        match *self {}
    }

    pub(super) fn execute(
        &self,
        _program: &Program,
        _edge: usize,
        _words: &mut [u32],
        _shape: &Shape,
        _mover: (usize, bool),
    ) -> bool {
        match *self {}
    }
}
