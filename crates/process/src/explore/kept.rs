//! Outcomes of actions by what was read to find them.
//!
//! What an action with its arguments does is a function of the parts of a state that are read on the way, and which part is
//! read next depends on what was found in those before. So there is a tree for each action with its arguments: a node says
//! what to read, an edge what was found, and a leaf what comes of it. Outcomes stand one behind the other in one array; what
//! is not worth keeping stands behind what is, until the next entry begins.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::evaluate::{Table, Word};

use super::layout::{Here, Read, Write};

/// The number of values of a step that is not one of a sum.
pub(super) const NO_VALUES: u32 = u32::MAX;

/// What is done: a tree for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    /// An action with its arguments.
    Label(u32),
    /// A first action of a sum with the values of its free variables.
    Sum(u32),
    /// A condition; it has one outcome where it is true, and none elsewhere.
    Atom(u32),
}

/// One way to do an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The action with its arguments.
    pub(super) label: u32,
    /// The number of the values of the variables of a sum.
    pub(super) number: u32,
    /// Where the changes begin, and where they end.
    begin: u32,
    end: u32,
}

/// The outcomes of an entry: where the first one is, how many words each has, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcomes {
    at: u32,
    width: u32,
    pub(super) count: u32,
}

impl Outcomes {
    /// Whether there are none among the values that were given, but might be with others.
    #[inline]
    pub(super) fn are_narrowed(self) -> bool {
        self.count == 0 && self.width == NARROWED as u32
    }
}

/// Something to read; most nodes have one edge, which is here.
struct Node {
    what: Read,
    found: u32,
    next: Next,
}

/// A node, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Next(u32);

const NOWHERE: Next = Next(u32::MAX);
const LEAF: u32 = 1 << 31;

/// Outcomes by what they depend on.
#[derive(Default)]
pub(super) struct Effects {
    labels: Vec<Next>,
    sums: Vec<Next>,
    atoms: Vec<Next>,
    nodes: Vec<Node>,
    /// Node, what was found, what follows: edges that are not in their nodes.
    edges: HashTable<(u32, u32, Next)>,
    /// A word with the numbers of its parts, then for each outcome its label, the number of its values, and what changes.
    words: Vec<u32>,
    /// How many of the words are kept.
    kept: usize,
    /// The words of each outcome of the entry that is made, and how many there are.
    width: usize,
    count: usize,
}

/// The most that the numbers of an entry can say.
const MOST: usize = 0xffff;
/// The width of an entry without outcomes that might have some with values that were not given; others have none.
const NARROWED: usize = 1;
/// The words of a change.
const CHANGE: usize = 3;

#[inline]
fn hash(node: u32, found: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(node) << 32 | u64::from(found));
    hasher.finish()
}

impl Effects {
    /// The outcomes that are kept for what is done in a state.
    #[inline]
    pub(super) fn find(&self, cause: Cause, here: &Here, table: &mut Table) -> Option<Outcomes> {
        let mut next = self.root(cause);
        while next.0 & LEAF == 0 {
            let node = self.nodes.get(next.0 as usize)?;
            let found = here.read(table, node.what);
            next = if found == node.found { node.next } else { self.edge(next.0, found) };
        }
        if next == NOWHERE {
            return None;
        }
        let at = next.0 & !LEAF;
        let head = self.words[at as usize];
        Some(Outcomes { at: at + 1, width: head >> 16, count: head & 0xffff })
    }

    fn root(&self, cause: Cause) -> Next {
        let (roots, number) = match cause {
            Cause::Label(number) => (&self.labels, number),
            Cause::Sum(number) => (&self.sums, number),
            Cause::Atom(number) => (&self.atoms, number),
        };
        roots.get(number as usize).copied().unwrap_or(NOWHERE)
    }

    #[inline]
    fn edge(&self, node: u32, found: u32) -> Next {
        let is_it = |(from, value, _): &(u32, u32, Next)| (*from, *value) == (node, found);
        self.edges.find(hash(node, found), is_it).map_or(NOWHERE, |(.., next)| *next)
    }

    /// Begins an entry; one that was not kept is forgotten.
    pub(super) fn begin(&mut self) {
        self.words.truncate(self.kept);
        self.words.push(0);
        (self.width, self.count) = (0, 0);
    }

    /// Adds an outcome with what it changes; each of an entry changes as much.
    pub(super) fn add(&mut self, label: u32, number: u32, writes: impl Iterator<Item = Write>) {
        let begin = self.words.len();
        self.words.extend([label, number]);
        for write in writes {
            self.words.extend([write.field, write.element, write.word.0]);
        }
        self.width = self.words.len() - begin;
        self.count += 1;
    }

    /// Says of an entry without outcomes that it might have some with values that were not given.
    pub(super) fn narrow(&mut self) {
        if self.count == 0 {
            self.width = NARROWED;
        }
    }

    /// The outcomes of the entry that was begun, which stays until the next one.
    pub(super) fn end(&mut self) -> Outcomes {
        Outcomes { at: self.kept as u32 + 1, width: self.width as u32, count: self.count as u32 }
    }

    /// Keeps the entry that was begun for what was read.
    pub(super) fn keep(&mut self, cause: Cause, trace: &[(Read, u32)]) {
        // Numbers have 31 bits; who has so many words has no memory left in any case.
        if self.width > MOST
            || self.count > MOST
            || self.words.len().max(self.nodes.len()) >= LEAF as usize / 2
        {
            return;
        }
        let leaf = Next(LEAF | self.kept as u32);
        let mut next = self.root(cause);
        let mut from = None;
        for (what, found) in trace {
            if next == NOWHERE {
                next = Next(self.nodes.len() as u32);
                self.nodes.push(Node { what: *what, found: 0, next: NOWHERE });
                self.link(cause, from, next);
            }
            match self.nodes.get(next.0 as usize) {
                Some(node) if node.what == *what => {}
                // Who reads something else after the same answers is not kept.
                _ => return,
            }
            from = Some((next.0, *found));
            let node = &self.nodes[next.0 as usize];
            let is_first = node.next != NOWHERE && node.found == *found;
            next = if is_first { node.next } else { self.edge(next.0, *found) };
        }
        if next == NOWHERE {
            self.words[self.kept] = (self.width << 16 | self.count) as u32;
            self.kept = self.words.len();
            self.link(cause, from, leaf);
        }
    }

    /// Puts something behind an edge, or at the root.
    fn link(&mut self, cause: Cause, from: Option<(u32, u32)>, next: Next) {
        if let Some((node, found)) = from {
            let first = &mut self.nodes[node as usize];
            if first.next == NOWHERE {
                (first.found, first.next) = (found, next);
            } else {
                let place = |(node, found, _): &(u32, u32, Next)| hash(*node, *found);
                self.edges.insert_unique(hash(node, found), (node, found, next), place);
            }
            return;
        }
        let (roots, number) = match cause {
            Cause::Label(number) => (&mut self.labels, number as usize),
            Cause::Sum(number) => (&mut self.sums, number as usize),
            Cause::Atom(number) => (&mut self.atoms, number as usize),
        };
        if roots.len() <= number {
            roots.resize(number + 1, NOWHERE);
        }
        roots[number] = next;
    }

    #[inline]
    pub(super) fn outcome(&self, outcomes: Outcomes, number: u32) -> Outcome {
        let at = (outcomes.at + number * outcomes.width) as usize;
        let end = at as u32 + outcomes.width;
        Outcome { label: self.words[at], number: self.words[at + 1], begin: at as u32 + 2, end }
    }

    /// What an outcome changes.
    #[inline]
    pub(super) fn writes(&self, outcome: Outcome) -> impl Iterator<Item = Write> + Clone + '_ {
        let words = self.words[outcome.begin as usize..outcome.end as usize].chunks_exact(CHANGE);
        words.map(|it| Write { field: it[0], element: it[1], word: Word(it[2]) })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        (self.words.capacity() + self.labels.capacity() + self.sums.capacity()) * 4
            + self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * 13
    }
}
