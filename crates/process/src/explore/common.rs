//! What all explorers of a search share beside the values: terms and labels with their numbers, the places of terms among the
//! components of a state, and their normal forms.

use source::Span;
use store::sync::{AtomicU32, AtomicUsize, Ordering};

use crate::evaluate::Word;
use crate::shared::{Cells, Numbering, Recent};

use super::components::{Node, TermId};

/// A term, and where it was first written.
struct Made {
    node: Node,
    span: Option<Span>,
}

/// What a number stands for that nobody has given.
static NOTHING: Node = Node::Deadlock;

pub(super) struct Common {
    terms: Numbering<Made>,
    labels: Numbering<(u32, Box<[Word]>)>,
    sentences: Numbering<(String, Span)>,
    /// For each term its place plus one, and the number of its normal form plus one; zero where that is not known.
    places: Cells<AtomicU32>,
    normals: Cells<AtomicU32>,
    /// Bytes that explorers hold for themselves.
    held: AtomicUsize,
}

/// What an explorer asked for last.
pub(super) struct Asked {
    terms: Recent,
    labels: Recent,
    sentences: Recent,
}

impl Asked {
    pub(super) fn new() -> Asked {
        Asked { terms: Recent::new(), labels: Recent::new(), sentences: Recent::new() }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes() + self.labels.memory_bytes() + self.sentences.memory_bytes()
    }
}

impl Common {
    pub(super) fn new() -> Common {
        Common {
            terms: Numbering::new(),
            labels: Numbering::new(),
            sentences: Numbering::new(),
            places: Cells::new(),
            normals: Cells::new(),
            held: AtomicUsize::new(0),
        }
    }

    #[inline]
    pub(super) fn node(&self, term: TermId) -> &Node {
        self.terms.get(term.0).map_or(&NOTHING, |made| &made.node)
    }

    /// Where a term was first written.
    pub(super) fn span(&self, term: TermId) -> Option<Span> {
        self.terms.get(term.0).and_then(|made| made.span)
    }

    pub(super) fn term(&self, asked: &mut Asked, node: Node, span: Option<Span>) -> TermId {
        TermId(self.terms.number(&mut asked.terms, Made { node, span }, |made| &made.node, |_| {}))
    }

    /// An action with its arguments.
    #[inline]
    pub(super) fn label(&self, label: u32) -> (u32, &[Word]) {
        self.labels.get(label).map_or((0, &[]), |(action, arguments)| (*action, arguments))
    }

    pub(super) fn label_of(&self, asked: &mut Asked, action: u32, arguments: Box<[Word]>) -> u32 {
        self.labels.number(&mut asked.labels, (action, arguments), |label| label, |_| {})
    }

    /// Why a part cannot be evaluated.
    pub(super) fn sentence(&self, number: u32) -> &str {
        self.sentences.get(number).map_or("", |(sentence, _)| sentence)
    }

    pub(super) fn sentence_of(&self, asked: &mut Asked, sentence: String, span: Span) -> u32 {
        self.sentences.number(&mut asked.sentences, (sentence, span), |it| it, |_| {})
    }

    /// The place of a term among the components of a state, where it has one.
    pub(super) fn place(&self, term: u32) -> Option<u32> {
        self.places.get(term)?.load(Ordering::Acquire).checked_sub(1)
    }

    /// Gives a term a place, unless it has one; the place that it has.
    pub(super) fn settle(&self, term: u32, place: u32) -> u32 {
        let cell = self.places.reach(term);
        match cell.compare_exchange(0, place + 1, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => place,
            Err(known) => known - 1,
        }
    }

    /// The normal form of a term, where somebody has found it.
    pub(super) fn normal(&self, term: TermId) -> Option<TermId> {
        self.normals.get(term.0)?.load(Ordering::Acquire).checked_sub(1).map(TermId)
    }

    pub(super) fn set_normal(&self, term: TermId, normal: TermId) {
        self.normals.reach(term.0).store(normal.0 + 1, Ordering::Release);
    }

    /// Bytes that are shared, about, and those that explorers hold for themselves.
    pub(super) fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes()
            + self.labels.memory_bytes()
            + self.places.memory_bytes()
            + self.normals.memory_bytes()
            + self.held.load(Ordering::Relaxed)
    }

    /// An explorer that held so many bytes holds so many now.
    pub(super) fn hold(&self, before: usize, now: usize) {
        self.held.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }
}
