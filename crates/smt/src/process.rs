//! A solver as a child process: text goes in, lines come out, and nothing it does can block its owner for ever.
//!
//! Two threads read what it says; they end when its pipes close. Texts too long for a pipe's buffer are written by
//! a thread of their own, so that a solver that stopped reading can still be killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::limits;
use crate::patience::{Patience, ProcessorTime};
use crate::profile::Profile;

const TOO_LONG: &str = "(error \"the output is too long\")";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interruption {
    /// The time is over.
    Deadline,
    /// Somebody set the flag.
    Flag,
    /// The process is gone, or does not listen any more.
    Gone,
    /// It has never said anything, though it had time enough to start.
    Mute,
}

/// How the lines begin at which a block of output ends; the quotation mark is cvc5's.
pub(crate) const SENTINELS: [&str; 2] = ["probity ", "\"probity "];

/// Lines up to a sentinel, or up to the end of the output.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<String>,
    /// Absent at the end of the output.
    pub(crate) sentinel: Option<String>,
}

enum Input {
    Free(ChildStdin),
    /// A thread writes and will give it back.
    Busy,
    Closed,
}

pub(crate) struct Process {
    child: Child,
    input: Input,
    returned: Receiver<Option<ChildStdin>>,
    giving_back: Sender<Option<ChildStdin>>,
    blocks: Receiver<Block>,
    errors: Arc<Mutex<ErrorStream>>,
    errors_ended: Receiver<()>,
    greeting: Greeting,
    /// How long to wait for the greeting.
    longest_start: Duration,
    /// Who tells how much it has worked.
    processor_time: Option<ProcessorTime>,
}

/// Whether the process has said anything up to now.
#[derive(Clone, Copy)]
enum Greeting {
    /// Nobody has listened yet: a process on standby has time.
    NotAwaited,
    AwaitedSince(Instant),
    Heard,
}

#[derive(Default)]
struct ErrorStream {
    /// The last complaints.
    tail: String,
    profile: Profile,
}

impl Process {
    pub(crate) fn start(mut command: Command) -> std::io::Result<Process> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (giving_back, returned) = channel();
        let (sender, blocks) = channel();
        let (ended, errors_ended) = channel();
        let errors: Arc<Mutex<ErrorStream>> = Arc::default();
        if let Some(output) = child.stdout.take() {
            spawn("solver output", move || read_blocks(output, &sender))?;
        }
        if let Some(output) = child.stderr.take() {
            let errors = errors.clone();
            spawn("solver errors", move || {
                read_lines(output, |line| {
                    if let Ok(mut stream) = errors.lock() {
                        stream.take(&line);
                    }
                });
                let _ = ended.send(());
            })?;
        }
        let input = child.stdin.take().map_or(Input::Closed, Input::Free);
        Ok(Process {
            child,
            input,
            returned,
            giving_back,
            blocks,
            errors,
            errors_ended,
            greeting: Greeting::NotAwaited,
            longest_start: limits::LONGEST_START,
            processor_time: None,
        })
    }

    pub(crate) fn write(
        &mut self,
        text: &str,
        patience: &mut Patience,
        flag: &AtomicBool,
    ) -> Result<(), Interruption> {
        self.finish_writing(patience, flag)?;
        let Input::Free(mut input) = std::mem::replace(&mut self.input, Input::Closed) else {
            return Err(Interruption::Gone);
        };
        if text.len() <= limits::PIPE {
            input.write_all(text.as_bytes()).map_err(|_| Interruption::Gone)?;
            self.input = Input::Free(input);
            return Ok(());
        }
        let (text, giving_back) = (text.to_owned(), self.giving_back.clone());
        spawn("solver input", move || {
            let written = input.write_all(text.as_bytes());
            let _ = giving_back.send(written.is_ok().then_some(input));
        })
        .map_err(|_| Interruption::Gone)?;
        self.input = Input::Busy;
        Ok(())
    }

    /// Waits until the solver has taken in what was written.
    fn finish_writing(&mut self, patience: &mut Patience, flag: &AtomicBool) -> Result<(), Interruption> {
        if let Input::Busy = self.input {
            let greeted_by = self.greeted_by();
            let returned = self.wait(&self.returned, patience, greeted_by, flag)?;
            self.input = returned.map_or(Input::Closed, Input::Free);
        }
        Ok(())
    }

    /// Shortens the time for the first word by what others of its kind were waited for in vain.
    pub(crate) fn expect_soon(&mut self, silence: Duration) {
        self.longest_start = limits::LONGEST_START.saturating_sub(silence).max(limits::SHORTEST_START);
    }

    /// Says who tells how much it works.
    pub(crate) fn measure(&mut self, processor_time: Option<ProcessorTime>) {
        self.processor_time = processor_time;
    }

    /// How long it was waited for without a word; none if it has said one.
    pub(crate) fn silence(&self) -> Option<Duration> {
        match self.greeting {
            Greeting::NotAwaited => Some(Duration::ZERO),
            Greeting::AwaitedSince(start) => Some(start.elapsed()),
            Greeting::Heard => None,
        }
    }

    /// Until when it must have said its first word, if it has not.
    fn greeted_by(&mut self) -> Option<Instant> {
        if let Greeting::NotAwaited = self.greeting {
            self.greeting = Greeting::AwaitedSince(Instant::now());
        }
        match self.greeting {
            Greeting::AwaitedSince(start) => Some(start + self.longest_start),
            _ => None,
        }
    }

    fn used(&self) -> Option<Duration> {
        self.processor_time.as_ref().and_then(|processor_time| processor_time.of(self.child.id()))
    }

    fn wait<T>(
        &self,
        from: &Receiver<T>,
        patience: &mut Patience,
        greeted_by: Option<Instant>,
        flag: &AtomicBool,
    ) -> Result<T, Interruption> {
        loop {
            let now = Instant::now();
            let next = [patience.next(), greeted_by].into_iter().flatten().min();
            let time = next.map_or(limits::GLANCE, |next| next.saturating_duration_since(now));
            match from.recv_timeout(time.min(limits::GLANCE)) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => return Err(Interruption::Gone),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if flag.load(Ordering::Relaxed) {
                return Err(Interruption::Flag);
            }
            if patience.is_over(now, || self.used()) {
                return Err(Interruption::Deadline);
            }
            if greeted_by.is_some_and(|latest| now >= latest) {
                return Err(Interruption::Mute);
            }
        }
    }

    /// Would something written now have to wait for what was written before?
    pub(crate) fn is_busy(&mut self) -> bool {
        if let Input::Busy = self.input
            && let Ok(input) = self.returned.try_recv()
        {
            self.input = input.map_or(Input::Closed, Input::Free);
        }
        matches!(self.input, Input::Busy)
    }

    pub(crate) fn read_block(
        &mut self,
        patience: &mut Patience,
        flag: &AtomicBool,
    ) -> Result<Block, Interruption> {
        let greeted_by = self.greeted_by();
        let block = self.wait(&self.blocks, patience, greeted_by, flag)?;
        self.greeting = Greeting::Heard;
        Ok(block)
    }

    /// What it last wrote to its error stream.
    pub(crate) fn complaints(&self) -> String {
        self.errors.lock().map(|stream| stream.tail.trim().to_owned()).unwrap_or_default()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Lets the process end by itself.
    pub(crate) fn finish(&mut self, patience: Duration) {
        self.input = Input::Closed;
        let _ = self.errors_ended.recv_timeout(patience);
    }

    /// What it wrote about quantifiers.
    pub(crate) fn profile(&self) -> Profile {
        self.errors.lock().map(|stream| stream.profile.clone()).unwrap_or_default()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Why it is no longer there, as far as that can be known.
    pub(crate) fn obituary(&mut self) -> String {
        // Its pipes close a little before it is gone.
        let status = (0..50).find_map(|_| {
            self.child.try_wait().ok().flatten().or_else(|| {
                std::thread::sleep(Duration::from_millis(1));
                None
            })
        });
        let _ = self.errors_ended.recv_timeout(limits::GLANCE);
        let complaints = self.complaints();
        match (status, complaints.is_empty()) {
            (Some(status), true) => status.to_string(),
            (Some(status), false) => format!("{status}: {complaints}"),
            (None, true) => "it closed its output".to_owned(),
            (None, false) => complaints,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl ErrorStream {
    fn take(&mut self, line: &str) {
        if self.profile.take(line) {
            return;
        }
        self.tail.push_str(line);
        self.tail.push('\n');
        if self.tail.len() > 2 * limits::COMPLAINT_BYTES {
            let mut start = self.tail.len() - limits::COMPLAINT_BYTES;
            while !self.tail.is_char_boundary(start) {
                start += 1;
            }
            self.tail.drain(..start);
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(128 * 1024).spawn(body).map(drop)
}

/// Whole blocks only, as waking somebody for every line costs more than reading it.
fn read_blocks(stream: impl Read, sender: &Sender<Block>) {
    let mut block = Block::default();
    let mut length = 0;
    read_lines(stream, |line| {
        length += line.len() + 1;
        if SENTINELS.iter().any(|start| line.starts_with(start)) {
            block.sentinel = Some(line);
            length = 0;
            // Whoever does not listen any more has no use for the rest, but the solver must get rid of it.
            let _ = sender.send(std::mem::take(&mut block));
        } else if length <= limits::ANSWER_BYTES {
            block.lines.push(line);
        } else if block.lines.last().is_none_or(|last| last != TOO_LONG) {
            // What is left out may have been an error, so it is one.
            block.lines.push(TOO_LONG.to_owned());
        }
    });
    let _ = sender.send(block);
}

fn read_lines(stream: impl Read, mut accept: impl FnMut(String)) {
    let mut reader = BufReader::with_capacity(16 * 1024, stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => accept(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        }
    }
}
