//! Channels: looking at messages, putting them in, taking them out.

use std::cmp::Ordering;

use super::evaluate::View;
use super::{ChannelState, Interpreter, State};
use crate::model::{Fault, Pattern};

impl ChannelState {
    /// A handshake channel holds no message between steps, so it is never full.
    pub(super) fn is_full(&self) -> bool {
        self.capacity > 0 && self.messages.len() >= self.capacity as usize
    }
}

impl Interpreter<'_> {
    pub(super) fn channel<'s>(&self, state: &'s State, number: i32) -> Result<&'s ChannelState, Fault> {
        let index =
            usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).ok_or(Fault::NoSuchChannel)?;
        state.channels.get(index).ok_or(Fault::NoSuchChannel)
    }

    fn channel_mut<'s>(&self, state: &'s mut State, number: i32) -> Result<&'s mut ChannelState, Fault> {
        let index =
            usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).ok_or(Fault::NoSuchChannel)?;
        state.channels.get_mut(index).ok_or(Fault::NoSuchChannel)
    }

    /// Cuts the values to the channel's fields; there must be one for each.
    pub(super) fn message(&self, state: &State, number: i32, values: &[i32]) -> Result<Vec<i32>, Fault> {
        let fields = &self.channel(state, number)?.fields;
        match values.len().cmp(&fields.len()) {
            Ordering::Greater => return Err(Fault::MessageTooLong),
            Ordering::Less => return Err(Fault::MessageTooShort),
            Ordering::Equal => {}
        }
        Ok(fields.iter().zip(values).map(|(field, value)| field.cut(*value)).collect())
    }

    pub(super) fn put(
        &self,
        state: &mut State,
        number: i32,
        message: Vec<i32>,
        sorted: bool,
    ) -> Result<(), Fault> {
        let messages = &mut self.channel_mut(state, number)?.messages;
        let at = if sorted { messages.iter().position(|held| *held > message) } else { None };
        messages.insert(at.unwrap_or(messages.len()), message);
        Ok(())
    }

    /// The position of the message that a receive would take.
    pub(super) fn matching(
        &self,
        state: &State,
        pid: u8,
        number: i32,
        patterns: &[Pattern],
        random: bool,
        view: View,
    ) -> Result<Option<usize>, Fault> {
        let channel = self.channel(state, number)?;
        let candidates = if random { channel.messages.len() } else { channel.messages.len().min(1) };
        for position in 0..candidates {
            if self.fits(state, pid, &channel.messages[position], patterns, view)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    pub(super) fn fits(
        &self,
        state: &State,
        pid: u8,
        message: &[i32],
        patterns: &[Pattern],
        view: View,
    ) -> Result<bool, Fault> {
        if patterns.len() > message.len() {
            return Err(Fault::ReceiveTooLong);
        }
        for (pattern, value) in patterns.iter().zip(message) {
            if let Pattern::Match(expected) = pattern
                && self.value(state, pid, expected, view)? != *value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn take(&self, state: &mut State, number: i32, position: usize) -> Result<Vec<i32>, Fault> {
        let messages = &mut self.channel_mut(state, number)?.messages;
        if position >= messages.len() {
            return Err(Fault::NoSuchChannel);
        }
        Ok(messages.remove(position))
    }

    pub(super) fn store_fields(
        &self,
        state: &mut State,
        pid: u8,
        message: &[i32],
        patterns: &[Pattern],
    ) -> Result<(), Fault> {
        for (pattern, value) in patterns.iter().zip(message) {
            if let Pattern::Store(place) = pattern {
                self.store(state, pid, place, *value)?;
            }
        }
        Ok(())
    }
}
