//! Reading what a solver says to a question.
//!
//! One plain answer is an answer. Anything else, be it an error, two answers or none, is an error, so that nothing is
//! ever believed that was not said clearly.

use crate::answer::{Answer, UnknownReason};

/// The lines between two sentinels, understood.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reply {
    verdicts: Vec<Answer>,
    error: Option<String>,
    reason: Option<String>,
    /// What Z3's resource counter shows.
    pub(crate) counter: Option<u64>,
}

impl Reply {
    pub(crate) fn read(lines: &[String]) -> Reply {
        let mut reply = Reply::default();
        for line in lines {
            reply.read_line(line.trim());
        }
        reply
    }

    fn read_line(&mut self, line: &str) {
        match line {
            "sat" => self.verdicts.push(Answer::Sat),
            "unsat" => self.verdicts.push(Answer::Unsat),
            "unknown" => self.verdicts.push(Answer::Unknown(UnknownReason::Incomplete)),
            // Newer versions of cvc5 say this where others say unknown.
            "timeout" | "interrupted by timeout" => {
                self.verdicts.push(Answer::Unknown(UnknownReason::Timeout));
            }
            _ => {
                if let Some(text) = line.strip_prefix("(:reason-unknown ") {
                    self.reason = Some(text.trim_end_matches(')').trim_matches('"').to_owned());
                } else if let Some(count) = line.strip_prefix("(:rlimit ") {
                    self.counter = count.trim_end_matches(')').trim().parse().ok();
                } else if line.starts_with("(error") && self.error.is_none() {
                    self.error = Some(line.to_owned());
                }
            }
        }
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The one answer; if it is *unknown*, the reason is still to be found.
    pub(crate) fn answer(&self, lines: &[String]) -> Result<Answer, UnknownReason> {
        if let Some(error) = &self.error {
            return Err(UnknownReason::Error(error.clone()));
        }
        match &self.verdicts[..] {
            [answer] => Ok(answer.clone()),
            _ => Err(UnknownReason::Error(format!("no answer in {:?}", excerpt(lines)))),
        }
    }
}

/// The beginning of what was said.
pub(crate) fn excerpt(lines: &[String]) -> String {
    let mut text = lines.iter().take(8).map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = text.char_indices().nth(400) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// What a solver had used up when it answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exhausted {
    /// Absent if there was no limit.
    pub(crate) resources: Option<bool>,
    pub(crate) time: bool,
}

/// What a solver's words for its ignorance mean.
pub(crate) fn reason_for(text: &str, exhausted: Exhausted) -> UnknownReason {
    let mentions = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if mentions(&["memory", "memout"]) {
        UnknownReason::Error(text.to_owned())
    } else if mentions(&["resource"]) {
        UnknownReason::ResourceLimit
    } else if mentions(&["incomplete"]) {
        // A procedure that is stopped at the limit may call itself incomplete.
        if exhausted.resources == Some(true) {
            UnknownReason::ResourceLimit
        } else if mentions(&["arith"]) {
            UnknownReason::Arithmetic
        } else {
            UnknownReason::Incomplete
        }
    } else if exhausted.time {
        UnknownReason::Timeout
    } else if exhausted.resources == Some(true) || exhausted.resources.is_some() && mentions(&["canceled"]) {
        UnknownReason::ResourceLimit
    } else if mentions(&["timeout", "canceled", "interrupted"]) {
        UnknownReason::Timeout
    } else {
        UnknownReason::Incomplete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_ignorance_are_told_apart() {
        let ample = Exhausted { resources: Some(false), time: false };
        let spent = Exhausted { resources: Some(true), time: false };
        assert_eq!(reason_for("(incomplete quantifiers)", ample), UnknownReason::Incomplete);
        assert_eq!(reason_for("(incomplete (theory arithmetic))", ample), UnknownReason::Arithmetic);
        assert_eq!(reason_for("(incomplete (theory arithmetic))", spent), UnknownReason::ResourceLimit);
        assert_eq!(reason_for("(incomplete quantifiers)", spent), UnknownReason::ResourceLimit);
        assert_eq!(reason_for("canceled", ample), UnknownReason::ResourceLimit);
        assert_eq!(reason_for("incomplete", ample), UnknownReason::Incomplete);
    }
}
