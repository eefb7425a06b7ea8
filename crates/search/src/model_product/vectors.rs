//! A model's product for searches that handle states as vectors and do not store them.

use store::StateId;

use super::edges::Made;
use super::{ModelProduct, Valueless};
use crate::lossy_reach::{Reached, Vectors};
use crate::product::{Expansion, Halt, Product};

impl ModelProduct {
    fn load_vector(&mut self, vector: &[u32]) {
        self.store.pass_safe_point();
        self.follow_width();
        let front = vector.iter().copied().chain(std::iter::repeat(0));
        for (word, value) in self.front[..self.prefix].iter_mut().zip(front) {
            *word = value;
        }
        self.state.clear();
        self.state.resize(self.system.hidden_words(), 0);
        self.state.extend_from_slice(vector.get(self.prefix..).unwrap_or_default());
        self.state.resize(self.system.width(), 0);
    }
}

impl Vectors for ModelProduct {
    fn first_vectors(&mut self) -> Result<Vec<Vec<u32>>, Halt> {
        let states = self.initial()?;
        let mut vectors = Vec::new();
        for state in states {
            self.store.load(state, &mut self.base);
            vectors.push(self.base.words().to_vec());
        }
        Ok(vectors)
    }

    fn expand_vector(
        &mut self,
        vector: &[u32],
        reached: &mut Reached,
        out: &mut Expansion,
    ) -> Result<(), Halt> {
        out.clear();
        reached.words.clear();
        self.load_vector(vector);
        let made = self.make(None, out)?;
        reached.width = self.store.width();
        match made {
            // A loop leads to nothing new.
            Made::Nothing | Made::Loop(_) => {}
            Made::Undecided { proposition, fault } => {
                let state = self.keep_vector(vector)?;
                self.met().valueless.get_or_insert(Valueless { state, proposition, fault });
            }
            Made::Steps { .. } if self.system.hidden_words() == 0 => {
                reached.words.extend_from_slice(self.successors.vectors());
            }
            Made::Steps { .. } => {
                self.collect_vectors(false);
                std::mem::swap(&mut reached.words, &mut self.vectors);
            }
            Made::Moves { stutters } => {
                self.collect_vectors(stutters);
                std::mem::swap(&mut reached.words, &mut self.vectors);
            }
        }
        Ok(())
    }

    fn keep_vector(&mut self, vector: &[u32]) -> Result<StateId, Halt> {
        let mut words = vector.to_vec();
        words.resize(self.store.width(), 0);
        Ok(self.store.insert(&words)?.state)
    }
}
