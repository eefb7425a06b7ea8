//! Simulation: one run of a model, step by step, on the reference interpreter.

use evidence::{Names, Replayed};
use source::SourceMap;
use transition::interpret::{Interpreter, Move, State};
use transition::model::Model;
use verdict::TraceStep;

/// Something that can happen next.
pub struct Choice {
    pub step: TraceStep,
    pub fault: Option<&'static str>,
    found: Move,
}

/// A run in the making.
pub struct Simulator<'a> {
    interpreter: Interpreter<'a>,
    names: Names<'a>,
    state: State,
    exclusive: Option<u8>,
    random: u64,
    /// Where the run was before each of its steps, if that is to be remembered.
    past: Vec<(State, Option<u8>)>,
    remembers: bool,
}

impl<'a> Simulator<'a> {
    /// At the initial state, or the sentence that says why there is none.
    pub fn new(model: &'a Model, sources: &'a SourceMap, seed: u64) -> Result<Simulator<'a>, String> {
        let interpreter = Interpreter::new(model);
        let state = interpreter.initial().map_err(|fault| evidence::explain_fault(fault).to_string())?;
        // Any seed will do, but the generator must not start at 0.
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Ok(Simulator {
            interpreter,
            names: Names { model, sources },
            state,
            exclusive: None,
            random,
            past: Vec::new(),
            remembers: false,
        })
    }

    /// Everything that can happen now; empty where the run has ended.
    pub fn choices(&mut self) -> Vec<Choice> {
        let mut moves = self.interpreter.moves(&self.state, self.exclusive);
        if moves.is_empty() && self.exclusive.take().is_some() {
            moves = self.interpreter.moves(&self.state, None);
        }
        moves
            .into_iter()
            .map(|found| Choice {
                step: self.names.step(&Replayed {
                    step: found.step,
                    before: self.state.clone(),
                    after: found.state.clone(),
                    exclusive: found.exclusive,
                    fault: found.fault,
                }),
                fault: found.fault.map(evidence::explain_fault),
                found,
            })
            .collect()
    }

    /// Goes on with one of the choices. False where the step has no successor.
    pub fn take(&mut self, choice: &Choice) -> bool {
        match &choice.found.state {
            Some(state) => {
                let before = std::mem::replace(&mut self.state, state.clone());
                let exclusive = std::mem::replace(&mut self.exclusive, choice.found.exclusive);
                if self.remembers {
                    self.past.push((before, exclusive));
                }
                true
            }
            None => false,
        }
    }

    /// From now on steps can be taken back.
    pub fn remember(&mut self) {
        self.remembers = true;
    }

    /// How many steps can be taken back.
    pub fn length(&self) -> usize {
        self.past.len()
    }

    /// Takes the last steps back, as many as there are.
    pub fn undo(&mut self, steps: usize) {
        for _ in 0..steps {
            let Some((state, exclusive)) = self.past.pop() else { return };
            (self.state, self.exclusive) = (state, exclusive);
        }
    }

    /// The state as people look at it.
    pub fn snapshot(&self) -> verdict::Snapshot {
        evidence::snapshot(&self.names, &self.state)
    }

    /// A number below `count`, from the seed.
    pub fn pick(&mut self, count: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % count.max(1)
    }

    /// May every process rest where it is?
    pub fn is_valid_end(&self) -> bool {
        self.interpreter.is_valid_end(&self.state)
    }

    pub fn waiting(&self) -> Vec<verdict::Waiting> {
        evidence::waiting(&self.names, &self.state)
    }
}
