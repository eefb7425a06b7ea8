//! Which words of a state change together: what the store's tree should keep together.
//!
//! A few steps are looked at before the search. A step changes words of the process that takes it and of what that process
//! uses; so words are joined to groups, those first that change together most of the time (agglomerative clustering with
//! average linkage), and groups are put beside each other with their most related ends together. What is found here decides
//! about memory only: states are the same in every order.

use store::Order;

use crate::limits;

/// What was seen of steps.
#[derive(Default)]
pub struct Changes {
    /// How often a word changed; longer as states get wider.
    often: Vec<u32>,
    /// Sets of words that changed in one step, one after another, and where they end.
    together: Vec<u32>,
    ends: Vec<usize>,
}

/// A group of words, by their places in the list of those that change.
type Group = Vec<usize>;

impl Changes {
    /// Looks at a step, from the words of one state to those of another.
    pub fn see(&mut self, from: &[u32], to: &[u32]) {
        if self.often.len() < to.len() {
            self.often.resize(to.len(), 0);
        }
        for (word, (old, new)) in from.iter().zip(to).enumerate() {
            if old != new {
                self.often[word] += 1;
                self.together.push(word as u32);
            }
        }
        self.ends.push(self.together.len());
    }

    /// The order for a store whose vectors lack the first `hidden` words and have `prefix` others in front.
    pub fn order(&self, hidden: usize, prefix: usize) -> Order {
        let changing: Vec<usize> = (hidden..self.often.len()).filter(|&word| self.often[word] > 0).collect();
        if changing.len() > limits::WORDS_TO_ORDER {
            return Order::default();
        }
        let words = self.grouped(&changing).into_iter().map(|place| changing[place]);
        // What is in front changes with everything, and belongs to nobody.
        let front = 0..prefix as u32;
        Order::new(front.chain(words.map(|word| (word - hidden + prefix) as u32)).collect())
    }

    /// How closely two words are related: 1 if they always change together, 0 if they never do.
    fn relations(&self, changing: &[usize]) -> Vec<Vec<f32>> {
        let mut place = vec![None; self.often.len()];
        for (number, &word) in changing.iter().enumerate() {
            place[word] = Some(number);
        }
        let mut relations = vec![vec![0.0; changing.len()]; changing.len()];
        let mut start = 0;
        for &end in &self.ends {
            let step: Vec<usize> =
                self.together[start..end].iter().filter_map(|&word| place[word as usize]).collect();
            start = end;
            for &one in &step {
                for &other in &step {
                    relations[one][other] += 1.0;
                }
            }
        }
        for (one, row) in relations.iter_mut().enumerate() {
            for (other, relation) in row.iter_mut().enumerate() {
                let often = f64::from(self.often[changing[one]]) * f64::from(self.often[changing[other]]);
                *relation /= often.sqrt() as f32;
            }
        }
        relations
    }

    /// The places of all words that change, related ones together.
    fn grouped(&self, changing: &[usize]) -> Group {
        let relations = self.relations(changing);
        let mut groups: Vec<Group> = (0..changing.len()).map(|place| vec![place]).collect();
        // The sums of the relations between the words of two groups.
        let mut sums = relations.clone();
        while groups.len() > 1 {
            let (mut best, mut closest) = ((0, 1), -1.0);
            for one in 0..groups.len() {
                for other in one + 1..groups.len() {
                    let mean = sums[one][other] / (groups[one].len() * groups[other].len()) as f32;
                    if mean > closest {
                        (best, closest) = ((one, other), mean);
                    }
                }
            }
            let (one, other) = best;
            let second = groups.remove(other);
            let row = sums.remove(other);
            for row in &mut sums {
                row.remove(other);
            }
            for (group, more) in row.into_iter().enumerate().filter(|(group, _)| *group != other) {
                let group = if group > other { group - 1 } else { group };
                sums[one][group] += more;
                if group != one {
                    sums[group][one] += more;
                }
            }
            let first = std::mem::take(&mut groups[one]);
            groups[one] = beside(first, second, &relations);
        }
        groups.pop().unwrap_or_default()
    }
}

/// Two groups beside each other, turned such that the words where they meet are the most related.
fn beside(mut first: Group, mut second: Group, relations: &[Vec<f32>]) -> Group {
    let meet = |one: Option<&usize>, other: Option<&usize>| match (one, other) {
        (Some(&one), Some(&other)) => relations[one][other],
        _ => 0.0,
    };
    let ends = [
        meet(first.last(), second.first()),
        meet(first.last(), second.last()),
        meet(first.first(), second.first()),
        meet(first.first(), second.last()),
    ];
    let best = (1..4).fold(0, |best, way| if ends[way] > ends[best] { way } else { best });
    if best >= 2 {
        first.reverse();
    }
    if best % 2 == 1 {
        second.reverse();
    }
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_together_is_together() {
        // Two processes of two words each, which use a channel each, behind the words of both.
        let mut changes = Changes::default();
        let zero = [0; 7];
        for step in [[0, 1, 4], [0, 1, 4], [2, 3, 5], [2, 3, 5], [0, 1, 4]] {
            let mut words = zero;
            step.into_iter().for_each(|word| words[word] = 1);
            changes.see(&zero, &words);
        }
        let changing: Vec<usize> = (0..6).collect();
        let mut halves: Vec<Vec<usize>> =
            changes.grouped(&changing).chunks(3).map(<[usize]>::to_vec).collect();
        halves.iter_mut().for_each(|half| half.sort_unstable());
        halves.sort();
        assert_eq!(halves, [vec![0, 1, 4], vec![2, 3, 5]]);
    }

    #[test]
    fn a_chain_keeps_its_order() {
        let mut changes = Changes::default();
        let zero = [0; 6];
        // 3 – 0 – 4 – 1 – 5 – 2
        for pair in [[3, 0], [0, 4], [4, 1], [1, 5], [5, 2]] {
            let mut words = zero;
            pair.into_iter().for_each(|word| words[word] = 1);
            changes.see(&zero, &words);
        }
        let found = changes.grouped(&[0, 1, 2, 3, 4, 5]);
        let near = |one, other| {
            let place = |word| found.iter().position(|found| *found == word).expect("every word");
            place(one).abs_diff(place(other)) <= 2
        };
        assert!(near(3, 0) && near(0, 4) && near(4, 1) && near(1, 5) && near(5, 2), "{found:?}");
    }
}
