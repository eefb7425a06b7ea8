//! What the benchmark is to show, and whether it does.

use std::fmt::Write;

use crate::table::Row;

/// The least speed in the median, and on any model, in units of SPIN's.
const SPEED: (f64, f64) = (1.0, 0.7);
/// The most memory for a state in the median, in units of SPIN's.
const MEMORY: f64 = 0.5;
/// The time to a verdict counts where SPIN's search takes less than this many seconds.
const SOON: f64 = 10.0;

pub(crate) fn summary(rows: &[Row], runs: u32) -> String {
    let mut text = String::new();
    let speeds: Vec<f64> = rows.iter().filter_map(Row::speed).collect();
    let times: Vec<f64> = rows.iter().filter(|row| row.spin_search_seconds() < SOON).map(Row::time).collect();
    let memory: Vec<f64> = rows.iter().filter_map(Row::memory).collect();
    let differing: Vec<&str> = rows.iter().filter(|row| !row.agrees()).map(Row::name).collect();
    let mut goal = |what: &str, found: Option<f64>, wanted: &str, met: Option<bool>| {
        let found = found.map_or("not measured".to_string(), |value| format!("{value:.2}"));
        let mark = met.map_or("", |met| if met { ": met" } else { ": NOT MET" });
        let _ = writeln!(text, "- {what}: {found} (goal: {wanted}){mark}");
    };
    let median_speed = median(&speeds);
    let slowest = minimum(&speeds);
    goal(
        "speed, median of the ratios",
        median_speed,
        "at least 1",
        median_speed.map(|value| value >= SPEED.0),
    );
    goal("speed, smallest ratio", slowest, "at least 0.7", slowest.map(|value| value >= SPEED.1));
    let longest = times.iter().copied().reduce(f64::max);
    goal("source to verdict, largest ratio", longest, "below 1", longest.map(|value| value < 1.0));
    let median_memory = median(&memory);
    goal(
        "memory per state, median of the ratios",
        median_memory,
        "at most 0.5",
        median_memory.map(|m| m <= MEMORY),
    );
    let _ = match differing.as_slice() {
        [] => writeln!(text, "- stored states: equal on all {} models", rows.len()),
        names => writeln!(text, "- stored states: DIFFERENT on {}", names.join(", ")),
    };
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown").to_string();
    let _ =
        writeln!(text, "\nBest of {runs} measurements each; load average of the machine at the end: {load}.");
    text
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted.get(middle).copied()
    } else {
        Some((sorted.get(middle.checked_sub(1)?)? + sorted.get(middle)?) / 2.0)
    }
}

fn minimum(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::row;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_goal_that_is_missed_is_named() {
        let rows = [row((50_000, 50_000), (1.0, 2.0), (64, 16))];
        let text = summary(&rows, 1);
        assert!(text.contains("speed, median of the ratios: 0.50 (goal: at least 1): NOT MET"), "{text}");
        assert!(text.contains("equal on all 1 models"), "{text}");
    }
}
