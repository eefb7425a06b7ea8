//! Handshakes: a send on a channel without room, together with a receive of another process.

use super::evaluate::View;
use super::execute::{Executor, Offer, Stop};
use super::expand::{Expansion, Source};
use super::program::{Edge, First};
use super::shape::Shape;
use super::{Executed, MicroStep, Stay};
use crate::model::{Fault, LocationId};

impl<'a> Expansion<'a> {
    /// All ways to complete a handshake that this edge offers. Was there one?
    pub(super) fn handshakes(
        &mut self,
        source: &Source<'_>,
        view: &View<'_>,
        edge: &Edge,
        step: Executed,
    ) -> Result<bool, Stop> {
        let First::Send(send) = edge.first else { return Ok(false) };
        let mut message = std::mem::take(self.offer);
        let found = match self.evaluator.message(view, send, &mut message) {
            Err(fault) => {
                self.fault(source, fault, MicroStep { mover: step, partner: None });
                Ok(true)
            }
            Ok(channel) => {
                let offer = Offer { channel, message: &message };
                if edge.private && self.evaluator.program.trace.is_none() {
                    self.receivers(source, edge, &offer, step)
                } else {
                    self.prepared(source, edge, &offer, step)
                }
            }
        };
        *self.offer = message;
        found
    }

    /// The handshakes of a sender whose further actions the receiver might see: they are done first.
    fn prepared(
        &mut self,
        source: &Source<'_>,
        edge: &Edge,
        offer: &Offer<'_>,
        step: Executed,
    ) -> Result<bool, Stop> {
        let mut words = self.pool.pop().unwrap_or_default();
        words.clear();
        words.extend_from_slice(source.words);
        let (done, shape) = self.sender_part(&mut words, source.timeout, edge, offer, step);
        let raised: Vec<Fault> = self.raised.drain(..).collect();
        let found = match done {
            Ok(()) => {
                let after = Source { words: &words, shape, ..*source };
                self.all_receivers(&after, None, offer, step, &raised)
            }
            Err(Stop::Fault(fault)) => {
                self.fault(source, fault, MicroStep { mover: step, partner: None });
                Ok(true)
            }
            Err(stop) => Err(stop),
        };
        self.pool.push(words);
        found
    }

    /// What the sender does in a handshake besides handing over the message, its new location included.
    fn sender_part(
        &mut self,
        words: &mut [u32],
        timeout: bool,
        edge: &Edge,
        offer: &Offer<'_>,
        step: Executed,
    ) -> (Result<(), Stop>, &'a Shape) {
        let pid = usize::from(step.pid);
        let message = std::mem::take(self.message);
        let mut executor = Executor::new(&mut self.evaluator, words, timeout, self.raised, message);
        let mut done = executor.event(true, offer.channel.number, offer.message).map_err(Stop::Fault);
        if done.is_ok() {
            done = executor.effects(pid, edge.effects.clone());
        }
        if done.is_ok() {
            executor.set_location(pid, edge.target);
        }
        *self.message = executor.message;
        (done, executor.shape)
    }

    /// The handshakes of a sender that does nothing else a receiver could see: nothing is done before a
    /// receiver is found.
    fn receivers(
        &mut self,
        source: &Source<'_>,
        edge: &Edge,
        offer: &Offer<'_>,
        step: Executed,
    ) -> Result<bool, Stop> {
        if self.evaluator.program.looks_around {
            return self.prepared(source, edge, offer, step);
        }
        self.all_receivers(source, Some(edge), offer, step, &[])
    }

    /// `sending`: the sender's edge, where its part is still to be done.
    fn all_receivers(
        &mut self,
        source: &Source<'_>,
        sending: Option<&Edge>,
        offer: &Offer<'_>,
        step: Executed,
        raised_by_sender: &[Fault],
    ) -> Result<bool, Stop> {
        let program = self.evaluator.program;
        let mut found = false;
        for pid in (0..source.shape.count()).rev() {
            if pid == usize::from(step.pid) {
                continue;
            }
            let view = View::of(source.words, source.shape, pid, source.timeout);
            let location = self.evaluator.location(&view, pid);
            if !location.may_receive || !self.evaluator.may_move(&view) {
                continue;
            }
            let number = self.evaluator.location_number(&view, pid);
            let mut escape = 0;
            for edge in &program.edges[location.edges.start as usize..location.edges.end as usize] {
                if escape != 0 && escape != edge.escape {
                    break;
                }
                let partner = Executed { pid: pid as u8, location: LocationId(number), edge: edge.number };
                let micro = MicroStep { mover: step, partner: Some(partner) };
                match self.evaluator.accepts(&view, edge, offer) {
                    Ok(false) => continue,
                    Ok(true) => {
                        self.raised.extend_from_slice(raised_by_sender);
                        self.together(source, sending, pid, edge, offer, micro)?;
                    }
                    Err(fault) => self.fault(source, fault, micro),
                }
                found = true;
                if self.at_start {
                    self.out.executable.insert(pid as u8);
                }
                escape = edge.escape;
            }
        }
        Ok(found)
    }

    fn together(
        &mut self,
        source: &Source<'_>,
        sending: Option<&Edge>,
        pid: usize,
        edge: &Edge,
        offer: &Offer<'_>,
        micro: MicroStep,
    ) -> Result<(), Stop> {
        let start = self.out.words.len();
        self.out.words.extend_from_slice(source.words);
        let (words, message) = (&mut self.out.words[start..], std::mem::take(self.message));
        let mut executor = Executor::new(&mut self.evaluator, words, source.timeout, self.raised, message);
        let source_shape = executor.shape;
        let send = |executor: &mut Executor<'_, 'a>| {
            let Some(sending) = sending else { return Ok(()) };
            let sender = usize::from(micro.mover.pid);
            let done = executor.effects(sender, sending.effects.clone());
            executor.set_location(sender, sending.target);
            done
        };
        let mut done = send(&mut executor);
        let mut is_endless = false;
        if done.is_ok() {
            done = executor.accept(pid, edge, offer);
            is_endless = done == Err(Stop::Fault(Fault::StepDoesNotEnd));
        }
        if done.is_ok() {
            executor.set_location(pid, edge.target);
        }
        if is_endless && self.inner {
            executor.raised.clear();
            executor.words.copy_from_slice(source.words);
            executor.shape = source_shape;
            done = send(&mut executor);
            if done.is_ok() {
                done = executor.enter(pid, edge, Some(offer));
            }
        }
        *self.message = executor.message;
        if is_endless {
            self.diverges(source, pid, Stay::Step);
        }
        let exclusive = (edge.atomic || is_endless).then_some(pid as u8);
        self.finish(source, start, done, micro, pid as u8, exclusive)
    }
}
