//! The hash of what a session has said, kept up to date at the cost of what was added.
//!
//! Declarations only grow. The stack is hashed up to some place; where a frame begins, the state of the hash is set aside,
//! so that taking the frame back is taking that state.

use blake3::Hasher;

/// The hash of a session's declarations and of its stack.
#[derive(Default)]
pub(crate) struct Digest {
    declarations: Hasher,
    declared: usize,
    script: Hasher,
    /// How much of the script is in the hash.
    hashed: usize,
    /// The hash where each frame begins, as far as it got there.
    marks: Vec<Hasher>,
}

impl Digest {
    /// The frames from the one with this number on are gone; the first of them began here.
    pub(crate) fn pop(&mut self, frame: usize, start: usize) {
        if let Some(mark) = self.marks.get(frame) {
            self.script = mark.clone();
            self.hashed = start;
            self.marks.truncate(frame);
        }
    }

    /// The hashes of all declarations and of all that the stack holds. `frames` says where the frames begin in the script.
    pub(crate) fn of(&mut self, declarations: &str, script: &str, frames: &[usize]) -> [[u8; 32]; 2] {
        self.declarations.update(&declarations.as_bytes()[self.declared..]);
        self.declared = declarations.len();
        let script = script.as_bytes();
        for start in &frames[self.marks.len()..] {
            self.script.update(&script[self.hashed..*start]);
            self.hashed = *start;
            self.marks.push(self.script.clone());
        }
        self.script.update(&script[self.hashed..]);
        self.hashed = script.len();
        [&self.declarations, &self.script].map(|hasher| *hasher.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was pushed and popped before, the hash is that of the text.
    #[test]
    fn it_is_the_hash_of_the_text() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % below
        };
        let mut digest = Digest::default();
        let (mut declarations, mut script, mut frames) = (String::new(), String::new(), Vec::new());
        for round in 0..3_000 {
            match next(5) {
                0 => {
                    frames.push(script.len());
                    script.push_str("(push 1)\n");
                }
                1 if !frames.is_empty() => {
                    let kept = next(frames.len() as u64) as usize;
                    digest.pop(kept, frames[kept]);
                    script.truncate(frames[kept]);
                    frames.truncate(kept);
                }
                2 => declarations.push_str(&format!("(declare-const c{round} Int)\n")),
                3 => script.push_str(&format!("(assert {round})\n")),
                _ => {
                    let plain = [&declarations, &script].map(|it| *blake3::hash(it.as_bytes()).as_bytes());
                    assert_eq!(digest.of(&declarations, &script, &frames), plain);
                }
            }
        }
    }
}
