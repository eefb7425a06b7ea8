//! Processes of a session: how they begin and end, and what they leave.

use std::time::Duration;

use super::Session;
use crate::answer::UnknownReason;
use crate::limits;
use crate::process::{Interruption, Process};
use crate::reply::excerpt;
use crate::solver::SolverError;
use crate::standby;

impl Session {
    /// Starts a process and forgets what the last one knew.
    pub(super) fn launch(&mut self) -> Result<(), SolverError> {
        self.declared = 0;
        self.sent = 0;
        self.pops = 0;
        self.counter = 0;
        self.is_started = true;
        let waiting = self.standby.as_ref().and_then(|standby| standby.take(&self.options, self.profiling));
        let mut process = match waiting {
            Some(process) => process,
            None => standby::launch(&self.options, self.profiling, self.manner)?,
        };
        process.expect_soon(self.silence);
        process.measure(self.processor_time.clone());
        self.process = Some(process);
        self.write_log(&self.options.preamble(self.profiling, self.manner));
        Ok(())
    }

    /// Replaces the process; the next question tells the new one everything again.
    pub fn restart(&mut self) -> Result<(), SolverError> {
        self.abandon();
        self.statistics.restarts += 1;
        if let Some(log) = &mut self.log {
            log.remarks(["a new process"]);
            log.commands("(reset)\n");
        }
        self.launch()
    }

    pub(super) fn abandon(&mut self) {
        if let Some(mut process) = self.process.take() {
            self.silence = process.silence().map_or(Duration::ZERO, |silence| self.silence + silence);
            process.kill();
            self.instances.merge(&process.profile());
        }
    }

    pub(super) fn lose(&mut self, interruption: Interruption, said: &[String]) -> UnknownReason {
        let reason = match (interruption, &mut self.process) {
            (Interruption::Deadline, _) => UnknownReason::Timeout,
            (Interruption::Flag, _) => UnknownReason::Interrupted,
            (Interruption::Mute, _) => {
                self.is_mute = true;
                if let Some(standby) = &self.standby {
                    standby.set_mute();
                }
                mute()
            }
            (Interruption::Gone, process) => {
                let obituary = process.as_mut().map(Process::obituary).unwrap_or_default();
                let last_words = excerpt(said);
                let space = if last_words.is_empty() { "" } else { "; it said " };
                UnknownReason::Died(format!("{obituary}{space}{last_words}"))
            }
        };
        self.abandon();
        reason
    }

    /// Instances of quantifiers by name, most first, where the session counts them.
    ///
    /// Z3 tells at its end, so this ends the process; the next question starts another.
    pub fn profile(&mut self) -> Vec<(String, u64)> {
        if let Some(mut process) = self.process.take() {
            process.finish(limits::STOPPING_TIME);
            self.instances.merge(&process.profile());
        }
        self.instances.sorted(|name| self.symbols.quantifier_named(name))
    }
}

/// What is known about a program that does not answer at all.
pub(super) fn mute() -> UnknownReason {
    let seconds = limits::LONGEST_START.as_secs();
    UnknownReason::Died(format!("it did not answer within {seconds} s of its start; is it a solver?"))
}
