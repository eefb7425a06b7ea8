//! The words of a state: its instance, the last step, the fields, the components of its term.
//!
//! A field is one word. Where it is written out, it is the length of its sequence and the elements one by one: an element
//! then stands beside what changes with it, states share what they have in common, and a step that changes one element makes
//! no new sequence. What is read of a state is noted, so that whoever reads the same again finds the same.

use crate::evaluate::{Store, Table, Word};
use crate::limits;
use crate::types::Type;
use crate::value::Value;

use super::explorer::Explorer;

/// Where the last step stands in the words of a state, and where the fields begin.
pub(super) const LAST: usize = 1;
pub(super) const FIELDS: usize = 2;

/// In place of the length: the field is written out, but its value is no sequence and follows as one word.
const NO_SEQUENCE: u32 = u32::MAX;

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A field.
    Whole(u32),
    /// The length of the sequence that a field is, where that is written out.
    Size(u32),
    /// An element of it, which is there.
    Element(u32, u32),
    /// The number of the instance.
    Instance,
}

/// What a field becomes, or one element of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) field: u32,
    /// [`WHOLE`] where it is the field.
    pub(super) element: u32,
    pub(super) word: Word,
}

pub(super) const WHOLE: u32 = u32::MAX;

/// The state that is looked at.
pub(super) struct Here {
    pub(super) words: Vec<u32>,
    /// Where each field begins.
    places: Vec<usize>,
    /// Where the components begin.
    pub(super) behind: usize,
    /// The fields that are written out.
    written_out: Vec<bool>,
    /// What was read since somebody asked, and what was there; and whether there was too much to be noted.
    pub(super) trace: Vec<(Read, u32)>,
    is_noted: bool,
    is_too_much: bool,
}

/// How many words a field takes that begins at a place.
fn width(state: &[u32], place: usize, is_written_out: bool) -> usize {
    match state.get(place) {
        Some(&NO_SEQUENCE) if is_written_out => 2,
        Some(length) if is_written_out => 1 + *length as usize,
        _ => 1,
    }
}

impl Here {
    pub(super) fn new(fields: usize) -> Here {
        Here {
            words: Vec::new(),
            places: vec![0; fields],
            behind: FIELDS,
            written_out: vec![false; fields],
            trace: Vec::new(),
            is_noted: false,
            is_too_much: false,
        }
    }

    /// What looks at states that are laid out the same.
    pub(super) fn another(&self) -> Here {
        Here { written_out: self.written_out.clone(), ..Here::new(self.places.len()) }
    }

    /// Looks at a state.
    pub(super) fn look(&mut self, state: &[u32]) {
        self.words.clear();
        self.words.extend_from_slice(state);
        let mut at = FIELDS;
        for (place, is_written_out) in self.places.iter_mut().zip(&self.written_out) {
            *place = at;
            at += width(state, at, *is_written_out);
        }
        self.behind = at.min(state.len());
        self.is_noted = false;
    }

    /// Where the components of a state begin.
    pub(super) fn behind(&self, state: &[u32]) -> usize {
        let widths = self.written_out.iter();
        widths.fold(FIELDS, |at, is_written_out| at + width(state, at, *is_written_out)).min(state.len())
    }

    #[inline]
    pub(super) fn is_written_out(&self, field: u32) -> bool {
        self.written_out[field as usize]
    }

    /// The elements of a field that is written out.
    fn elements(&self, field: u32) -> Option<&[u32]> {
        let place = self.places[field as usize];
        let length = *self.words.get(place)?;
        if !self.is_written_out(field) || length == NO_SEQUENCE {
            return None;
        }
        self.words.get(place + 1..place + 1 + length as usize)
    }

    /// What is there now.
    #[inline]
    pub(super) fn read(&self, table: &mut Table, what: Read) -> u32 {
        match what {
            Read::Whole(field) => self.whole(table, field).0,
            Read::Size(field) => self.words[self.places[field as usize]],
            Read::Element(field, element) => self.words[self.places[field as usize] + 1 + element as usize],
            Read::Instance => self.words[0],
        }
    }

    /// The value of a field.
    pub(super) fn whole(&self, table: &mut Table, field: u32) -> Word {
        let place = self.places[field as usize];
        if !self.is_written_out(field) {
            return Word(self.words[place]);
        }
        match self.elements(field) {
            Some(elements) => table.sequence_of(elements),
            None => Word(self.words[place + 1]),
        }
    }

    /// Notes what is read from now on, or not.
    pub(super) fn begin(&mut self, is_noted: bool) {
        self.trace.clear();
        (self.is_noted, self.is_too_much) = (is_noted, false);
    }

    pub(super) fn note(&mut self, what: Read, found: u32) {
        if !self.is_noted || self.trace.iter().any(|(known, _)| *known == what) {
            return;
        }
        match self.trace.len() < limits::READS_NOTED {
            true => self.trace.push((what, found)),
            false => self.is_too_much = true,
        }
    }

    /// Ends a trace; where not everything was noted, what is said to have been read at most is noted as a whole.
    pub(super) fn end(&mut self, table: &mut Table, touches: &[u32]) {
        if std::mem::take(&mut self.is_too_much) {
            self.note_fields(table, touches);
        }
        self.is_noted = false;
    }

    /// Notes fields as they are.
    pub(super) fn note_fields(&mut self, table: &mut Table, fields: &[u32]) {
        if !self.is_noted {
            return;
        }
        for field in fields {
            let what = Read::Whole(*field);
            let found = self.read(table, what);
            if !self.trace.iter().any(|(known, _)| *known == what) {
                self.trace.push((what, found));
            }
        }
    }

    /// Notes which instance it is.
    pub(super) fn note_instance(&mut self, instance: u32) {
        let what = (Read::Instance, instance);
        if self.is_noted && !self.trace.contains(&what) {
            self.trace.push(what);
        }
    }

    /// Adds the words in front of the components of a state that an action leads to, whatever the last step was.
    pub(super) fn changed(
        &self,
        table: &Table,
        writes: impl Iterator<Item = Write> + Clone,
        into: &mut Vec<u32>,
    ) {
        let is_in_place = |write: &Write| write.element != WHOLE || !self.is_written_out(write.field);
        into.extend_from_slice(&self.words[..self.behind]);
        if writes.clone().all(|write| is_in_place(&write)) {
            for write in writes {
                let place = self.places[write.field as usize];
                let offset = if write.element == WHOLE { 0 } else { 1 + write.element as usize };
                into[place + offset] = write.word.0;
            }
            return;
        }
        let begin = into.len() - self.behind;
        into.truncate(begin + FIELDS);
        for (field, is_written_out) in (0..).zip(&self.written_out) {
            let (place, at) = (self.places[field as usize], into.len());
            into.extend_from_slice(&self.words[place..place + width(&self.words, place, *is_written_out)]);
            for write in writes.clone().filter(|write| write.field == field) {
                if is_in_place(&write) {
                    into[at + if write.element == WHOLE { 0 } else { 1 + write.element as usize }] =
                        write.word.0;
                } else {
                    into.truncate(at);
                    write_out(table, write.word, into);
                }
            }
        }
    }
}

/// Adds a value that is written out.
fn write_out(table: &Table, word: Word, into: &mut Vec<u32>) {
    match table.sequence(word) {
        Some(elements) => {
            into.push(elements.len() as u32);
            into.extend(elements.iter().map(|element| element.0));
        }
        None => into.extend([NO_SEQUENCE, word.0]),
    }
}

impl Store for Here {
    fn whole(&mut self, table: &mut Table, field: u32) -> Word {
        let found = Here::whole(self, table, field);
        self.note(Read::Whole(field), found.0);
        found
    }

    fn size(&mut self, field: u32) -> Option<usize> {
        let size = self.elements(field)?.len();
        self.note(Read::Size(field), size as u32);
        Some(size)
    }

    fn element(&mut self, field: u32, place: usize) -> Option<Word> {
        let found = *self.elements(field)?.get(place)?;
        // Elsewhere the sequence may be shorter.
        self.size(field)?;
        self.note(Read::Element(field, place as u32), found);
        Some(Word(found))
    }
}

impl Explorer<'_> {
    /// The length of the sequence that each field is in a state; none where it is no sequence. No field may be written out.
    pub fn lengths<'w>(&'w self, state: &'w [u32]) -> impl Iterator<Item = Option<usize>> + 'w {
        let fields = state.iter().skip(FIELDS).take(self.model.fields.len());
        fields.map(|word| self.table.sequence(Word(*word)).map(|elements| elements.len()))
    }

    /// From now on these fields are written out in all states.
    pub fn write_out(&mut self, fields: Vec<bool>) {
        for (is_written_out, wanted) in self.here.written_out.iter_mut().zip(fields) {
            *is_written_out = wanted;
        }
        self.effects = super::kept::Effects::default();
    }

    /// Adds the words of a state, of which no field is written out, as they are with those that are.
    pub fn written_out(&self, state: &[u32], into: &mut Vec<u32>) {
        let (front, rest) = state.split_at(FIELDS.min(state.len()));
        let (values, behind) = rest.split_at(self.model.fields.len().min(rest.len()));
        into.extend_from_slice(front);
        for (value, is_written_out) in values.iter().zip(&self.here.written_out) {
            match is_written_out {
                true => write_out(&self.table, Word(*value), into),
                false => into.push(*value),
            }
        }
        into.extend_from_slice(behind);
    }

    /// The instance of a state, the values of its fields, and its components.
    pub(super) fn split<'w>(&mut self, state: &'w [u32]) -> (u32, Vec<Word>, &'w [u32]) {
        self.here.look(state);
        let fields = 0..self.model.fields.len() as u32;
        let words = fields.map(|field| self.here.whole(&mut self.table, field)).collect();
        (state[0], words, &state[self.here.behind..])
    }

    /// The values of the fields in a state, in the order of their declaration.
    pub fn fields(&self, state: &[u32]) -> Vec<Value> {
        let mut at = FIELDS;
        let mut values = Vec::with_capacity(self.model.fields.len());
        for (field, is_written_out) in self.model.fields.iter().zip(&self.here.written_out) {
            let words = &state[at..at + width(state, at, *is_written_out)];
            at += words.len();
            values.push(match (words, &field.ty) {
                ([only], _) if !is_written_out => self.table.value(Word(*only), &field.ty),
                ([NO_SEQUENCE, word], _) => self.table.value(Word(*word), &field.ty),
                ([_, elements @ ..], Type::Sequence(ty)) => {
                    Value::Sequence(elements.iter().map(|it| self.table.value(Word(*it), ty)).collect())
                }
                // Nothing else is written out.
                _ => Value::Opaque(0),
            });
        }
        values
    }
}
