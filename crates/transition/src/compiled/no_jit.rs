//! Stands in for the machine code where it is not built in: there never is any.

use super::program::{Process, Program};

/// Machine code that does not exist.
pub(super) enum Native {}

#[derive(Clone, Copy)]
pub(super) struct Mask {
    pub(super) yes: u32,
    pub(super) ask: u32,
}

pub(super) fn facts(_pid: usize, _count: usize, _timeout: bool) -> u32 {
    0
}

impl Native {
    pub(super) fn new(_program: &Program) -> Option<Native> {
        None
    }

    pub(super) fn guard(
        &self,
        _program: &Program,
        _process: &Process,
        _location: u32,
        _words: &[u32],
        _base: usize,
        _facts: u32,
    ) -> Option<Mask> {
        match *self {}
    }

    pub(super) fn has_effect(&self, _edge: usize) -> bool {
        match *self {}
    }

    pub(super) fn effect(
        &self,
        _program: &Program,
        _process: &Process,
        _edge: usize,
        _words: &mut [u32],
        _base: usize,
        _facts: u32,
    ) -> Option<bool> {
        match *self {}
    }
}
