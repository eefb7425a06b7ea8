//! Which micro steps an expansion took, for those who want to know how a successor or a fault came about.

use super::{Executed, MicroStep};
use crate::model::ProcessTypeId;

/// The micro steps of an expansion as a tree, if they were asked for.
#[derive(Default)]
pub(super) struct Log {
    pub(super) wanted: bool,
    /// Parent and step; entry `i` is node `i + 1`, node 0 is the start.
    nodes: Vec<(u32, MicroStep)>,
    /// Parallel to the nodes: the types of the process that moved and of its partner.
    kinds: Vec<[Option<u32>; 2]>,
    /// Parallel to the steps of the successors, and to the faults.
    pub(super) of_steps: Vec<u32>,
    pub(super) of_faults: Vec<u32>,
}

impl Log {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.kinds.clear();
        self.of_steps.clear();
        self.of_faults.clear();
    }

    /// Adds a step behind a node, with the types of the process that moved and of its partner; its node.
    pub(super) fn add(&mut self, parent: u32, step: MicroStep, kinds: [Option<u32>; 2]) -> u32 {
        self.nodes.push((parent, step));
        self.kinds.push(kinds);
        self.nodes.len() as u32
    }

    /// Every edge that was executed, with the type of the process.
    pub(super) fn executed(&self) -> impl Iterator<Item = (ProcessTypeId, Executed)> {
        self.nodes.iter().zip(&self.kinds).flat_map(|((_, step), kinds)| {
            let sides = [Some(step.mover), step.partner];
            sides.into_iter().zip(kinds).filter_map(|(side, kind)| Some((ProcessTypeId((*kind)?), side?)))
        })
    }

    /// Adds the steps of another expansion, which began where the node `at` ends. The answer gives the nodes of the other
    /// their new numbers.
    pub(super) fn graft(&mut self, other: &Log, at: u32) -> impl Fn(u32) -> u32 + use<> {
        let base = self.nodes.len() as u32;
        let moved = move |node: u32| if node == 0 { at } else { node + base };
        self.nodes.extend(other.nodes.iter().map(|(parent, step)| (moved(*parent), *step)));
        self.kinds.extend_from_slice(&other.kinds);
        moved
    }

    /// The steps from the start to a node.
    pub(super) fn path(&self, node: u32) -> Vec<MicroStep> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((parent, step)) = at.checked_sub(1).and_then(|i| self.nodes.get(i as usize)) {
            path.push(*step);
            at = *parent;
        }
        path.reverse();
        path
    }
}
