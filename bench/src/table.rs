//! The table: a row for each model.

use crate::spin::Searched;

/// A search shorter than this is not rated by its speed.
pub(crate) const TOO_SHORT: f64 = 0.05;
/// With fewer states than this the memory they need drowns in everything else.
const TOO_FEW: u64 = 20_000;

pub(crate) const HEAD: &str = "\
| model | states | SPIN states/s | Probity states/s | ratio | SPIN total s | Probity total s | ratio | SPIN B/state | Probity B/state | ratio |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// A model and what both programs made of it.
pub(crate) struct Row {
    name: &'static str,
    spin: Searched,
    probity: Searched,
    /// Bytes for each state, SPIN and Probity; nothing where there are too few states to tell.
    memory: Option<(f64, f64)>,
}

impl Row {
    pub(crate) fn new(name: &'static str, spin: Searched, probity: Searched, base: (u64, u64)) -> Row {
        let memory = (spin.states >= TOO_FEW && probity.states >= TOO_FEW).then(|| {
            let per_state = |found: &Searched, base: u64| {
                found.memory_bytes.saturating_sub(base) as f64 / found.states as f64
            };
            (per_state(&spin, base.0), per_state(&probity, base.1))
        });
        Row { name, spin, probity, memory }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn agrees(&self) -> bool {
        self.spin.states == self.probity.states
    }

    /// Probity's speed in units of SPIN's; nothing where the searches are too short to rate.
    pub(crate) fn speed(&self) -> Option<f64> {
        let rate = |found: &Searched| found.states as f64 / found.search_seconds;
        let is_rated = self.spin.search_seconds.min(self.probity.search_seconds) >= TOO_SHORT;
        is_rated.then(|| rate(&self.probity) / rate(&self.spin))
    }

    /// Probity's time from source to verdict in units of SPIN's.
    pub(crate) fn time(&self) -> f64 {
        self.probity.total_seconds / self.spin.total_seconds.max(0.001)
    }

    pub(crate) fn spin_search_seconds(&self) -> f64 {
        self.spin.search_seconds
    }

    /// Probity's memory for a state in units of SPIN's.
    pub(crate) fn memory(&self) -> Option<f64> {
        self.memory.filter(|(spin, _)| *spin > 0.0).map(|(spin, probity)| probity / spin)
    }

    pub(crate) fn line(&self) -> String {
        let states = if self.agrees() {
            grouped(self.spin.states)
        } else {
            format!("**SPIN {}, Probity {}**", grouped(self.spin.states), grouped(self.probity.states))
        };
        let rate = |found: &Searched| {
            if found.search_seconds < TOO_SHORT {
                "too short".to_string()
            } else {
                grouped((found.states as f64 / found.search_seconds) as u64)
            }
        };
        let ratio = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.2}"));
        let bytes = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.1}"));
        format!(
            "| {} | {states} | {} | {} | {} | {:.2} | {:.2} | {} | {} | {} | {} |",
            self.name,
            rate(&self.spin),
            rate(&self.probity),
            ratio(self.speed()),
            self.spin.total_seconds,
            self.probity.total_seconds,
            ratio(Some(self.time())),
            bytes(self.memory.map(|(spin, _)| spin)),
            bytes(self.memory.map(|(_, probity)| probity)),
            ratio(self.memory()),
        )
    }
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn row(states: (u64, u64), seconds: (f64, f64), memory: (u64, u64)) -> Row {
        let searched = |states, seconds: f64, memory_bytes| Searched {
            states,
            search_seconds: seconds,
            total_seconds: seconds + 1.0,
            memory_bytes,
        };
        Row::new(
            "m",
            searched(states.0, seconds.0, memory.0),
            searched(states.1, seconds.1, memory.1),
            (0, 0),
        )
    }

    #[test]
    fn ratios_are_probity_over_spin() {
        let row = row((100_000, 100_000), (2.0, 1.0), (6_400_000, 1_600_000));
        assert_eq!(row.speed(), Some(2.0));
        assert_eq!(row.memory(), Some(0.25));
        assert_eq!(
            row.line(),
            "| m | 100 000 | 50 000 | 100 000 | 2.00 | 3.00 | 2.00 | 0.67 | 64.0 | 16.0 | 0.25 |"
        );
    }

    #[test]
    fn short_searches_are_not_rated() {
        let row = row((10, 11), (0.01, 0.01), (1, 1));
        assert_eq!((row.speed(), row.memory(), row.agrees()), (None, None, false));
    }
}
