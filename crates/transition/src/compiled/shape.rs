//! Shapes: which process types are on the stack, and so where each frame and channel lies.
//!
//! A shape is a sequence of process types; the header word of a state names it by number. Shapes form a
//! tree by creation (`run` descends, `End` goes back up), the empty stack is number 0. Numbers are given in
//! the order in which shapes are first asked for; systems that were cloned from one another share them, so
//! that their vectors can be compared.

use super::program::Program;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a channel's contents lie, and how they are packed. Generated code reads this, hence the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct ChannelPosition {
    pub(super) word: u32,
    /// Index into [`Program::channels`].
    pub(super) layout: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// By pid.
    pub(super) kinds: Vec<u32>,
    /// First word of each frame, by pid.
    pub(super) frames: Vec<u32>,
    /// How many channels exist before those of this process, by pid.
    pub(super) channels_below: Vec<u32>,
    /// By channel number, from number 1.
    pub(super) channels: Vec<ChannelPosition>,
    /// Words in use.
    pub(super) words: u32,
    /// What machine code is told of the shape: the number of processes from bit 8 on, that of channels from bit 18.
    pub(super) facts: u32,
    pub(super) parent: u32,
    /// Known shapes with one process more: type and number.
    children: Vec<(u32, u32)>,
}

impl Shape {
    pub(super) fn count(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn child(&self, kind: u32) -> Option<u32> {
        self.children.iter().find(|(of, _)| *of == kind).map(|(_, shape)| *shape)
    }

    fn with(&self, program: &Program, own_number: u32, kind: u32) -> Shape {
        let process = &program.processes[kind as usize];
        let mut shape = Shape { parent: own_number, children: Vec::new(), ..self.clone() };
        shape.kinds.push(kind);
        shape.frames.push(self.words);
        shape.channels_below.push(self.channels.len() as u32);
        for channel in &process.channels {
            shape.channels.push(ChannelPosition { word: self.words + channel.word, layout: channel.layout });
        }
        shape.words += process.frame_words;
        shape.facts = facts(shape.kinds.len(), shape.channels.len());
        shape
    }
}

/// At most 255 processes and channels: what does not fit does not exist.
fn facts(processes: usize, channels: usize) -> u32 {
    (processes.min(0x1ff) as u32) << 8 | (channels.min(0x1ff) as u32) << 18
}

/// The shapes that one system knows; a prefix of those that all its clones know together.
#[derive(Clone)]
pub(super) struct Shapes {
    known: Vec<Shape>,
    shared: Arc<Mutex<Vec<Shape>>>,
}

impl Shapes {
    pub(super) fn new(program: &Program) -> Shapes {
        let empty = Shape {
            kinds: Vec::new(),
            frames: Vec::new(),
            channels_below: Vec::new(),
            channels: program.global_channels.clone(),
            words: program.global_words,
            facts: facts(0, program.global_channels.len()),
            parent: 0,
            children: Vec::new(),
        };
        Shapes { known: vec![empty.clone()], shared: Arc::new(Mutex::new(vec![empty])) }
    }

    /// What each shape but the empty one adds to which, in the order of their numbers; all that clones know together.
    pub(super) fn list(&self) -> Vec<(u32, u32)> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let last = |shape: &Shape| shape.kinds.last().copied().unwrap_or_default();
        shared.iter().skip(1).map(|shape| (shape.parent, last(shape))).collect()
    }

    /// The shapes of such a list; none where it is no list of this program's.
    pub(super) fn of_list(program: &Program, list: &[(u32, u32)]) -> Option<Shapes> {
        let mut shapes = Shapes::new(program);
        for (number, &(parent, kind)) in (1..).zip(list) {
            let is_known = parent < number && (kind as usize) < program.processes.len();
            if !is_known || shapes.intern(program, parent, kind) != number {
                return None;
            }
        }
        Some(shapes)
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> &Shape {
        &self.known[number as usize]
    }

    /// The shape after creating a process; known from now on.
    pub(super) fn intern(&mut self, program: &Program, parent: u32, kind: u32) -> u32 {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let child = match shared[parent as usize].child(kind) {
            Some(child) => child,
            None => {
                let child = shared.len() as u32;
                let shape = shared[parent as usize].with(program, parent, kind);
                shared.push(shape);
                shared[parent as usize].children.push((kind, child));
                child
            }
        };
        self.known.extend_from_slice(&shared[self.known.len()..]);
        if self.known[parent as usize].child(kind).is_none() {
            self.known[parent as usize].children.push((kind, child));
        }
        child
    }

    /// Learns the shapes that clones have added, if this number is not known yet.
    #[inline]
    pub(super) fn learn(&mut self, number: u32) {
        if number as usize >= self.known.len() {
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            self.known.extend_from_slice(&shared[self.known.len()..]);
        }
    }
}
