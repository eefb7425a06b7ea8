//! Quantified permissions: chunks that hold many locations, the maps that give their values, `forperm` and `quasihavoc`.
//!
//! A quantified permission `forall xs :: c(xs) ==> acc(e(xs).f, p(xs))` becomes one chunk that remembers how it was
//! written, its *shape*. Most questions are answered by matching: a location `e(t)` is an instance of a chunk's
//! arguments, so that only `c(t)` is left to prove; a permission to be consumed that is written as a chunk is takes the
//! chunk. Only where shapes do not match is a location traced back to the variables by inverse functions, as in Müller,
//! Schwerhoff and Summers, *Automatic Verification of Iterated Separating Conjunctions Using Symbolic Execution* (CAV
//! 2016).

mod compared;
mod consolidate;
mod consume;
mod elsewhere;
mod family;
mod forperm;
mod havoc;
mod inverse;
mod maps;
mod matching;
mod parted;
mod produce;
mod read;
mod request;
mod shape;
mod shares;
mod snapshot;
mod summary;
mod take;
mod traced;
mod transfer;

use std::rc::Rc;

use rustc_hash::FxHashMap;
use silver::typed::FunctionId;
use smt::{Bound, Function, Sort, Term};

use crate::dependencies::Texts;
use crate::heap::{Heap, Inverse, Resource};

pub(crate) use parted::{parted_heaps, remember_parted};
pub(crate) use request::Request;

/// A map, and what is known of it.
type DefinedMap = (Term, Rc<[Term]>);

/// What quantified permissions share within one member, by what it was made for.
#[derive(Default)]
pub(crate) struct Tables {
    maps: FxHashMap<Resource, maps::MapSymbols>,
    /// Variables of shapes, by sort and place: permissions that are written the same way are the same terms.
    variables: FxHashMap<(Sort, usize), Bound>,
    /// Variables of quantifiers inside of the terms of families, by sort and level.
    inner_variables: FxHashMap<(Sort, usize), Bound>,
    /// Variables that stand for parts of a location.
    formals: FxHashMap<(Sort, usize), Bound>,
    /// Variables that stand for constants which a family of symbols is over.
    parameters: FxHashMap<(Sort, usize), Bound>,
    families: FxHashMap<family::Key, Function>,
    inverses: FxHashMap<inverse::Key, Rc<Inverse>>,
    /// What definitions of inverse functions rest on: that arguments are injective.
    premises: FxHashMap<Term, Term>,
    /// Maps of single chunks that quantifiers' bodies have read, by locations as they are in patterns.
    maps_read: FxHashMap<(Resource, Vec<Term>), Term>,
    /// Snapshots with which quantifiers' bodies have applied functions, by arguments as they are in patterns.
    pub snapshots_taken: FxHashMap<(FunctionId, Vec<Term>), (Heap, Term)>,
    /// Maps that stand for several chunks of one resource together.
    summaries: FxHashMap<(Resource, Vec<Term>), DefinedMap>,
    /// Maps that stand for the values of consumed permissions.
    snapshots: FxHashMap<snapshot::Key, DefinedMap>,
    /// What is left of the shares of infinitely many locations that were found to be held.
    common_shares: Vec<Term>,
    /// Resources that patterns mention which the proof can meet.
    in_patterns: Vec<Resource>,
    /// Whether the proof can meet wands.
    has_wands: bool,
}

impl Tables {
    pub(crate) fn new(texts: &Texts<'_>) -> Tables {
        let in_patterns = summary::resources_in_patterns(&texts.expressions);
        Tables { in_patterns, has_wands: texts.has_wands, ..Tables::default() }
    }
}
