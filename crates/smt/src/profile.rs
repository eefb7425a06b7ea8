//! How often each quantifier was instantiated, as Z3 tells on its error stream.
//!
//! Z3 writes a line about a quantifier when it forgets it: at a pop or at its end. In old versions three numbers
//! follow the name, then five; the first is the number of instances in both.

use rustc_hash::FxHashMap;

pub(crate) const PREFIX: &str = "[quantifier_instances]";

/// Sums the lines by name; most instances first, then by name.
pub(crate) fn summarise<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<(String, u64)> {
    let mut counts: FxHashMap<&str, u64> = FxHashMap::default();
    for (name, instances) in lines.into_iter().filter_map(read_line) {
        *counts.entry(name).or_default() += instances;
    }
    let mut summary: Vec<(String, u64)> =
        counts.into_iter().map(|(name, instances)| (name.to_owned(), instances)).collect();
    summary.sort_by(|(left_name, left), (right_name, right)| (right, left_name).cmp(&(left, right_name)));
    summary
}

fn read_line(line: &str) -> Option<(&str, u64)> {
    let mut name = line.strip_prefix(PREFIX)?;
    let mut instances = None;
    // A name may contain colons, so the numbers are taken from the end.
    while let Some((rest, number)) = name.rsplit_once(':')
        && let Ok(number) = number.trim().parse::<u64>()
    {
        name = rest;
        instances = Some(number);
    }
    Some((name.trim(), instances?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_summed_by_name() {
        let lines = [
            "[quantifier_instances]     second :     21 :  20 : 21",
            "[quantifier_instances] a : b :     30 :   0 :   0 :  20 : 21",
            "[quantifier_instances]     second :     12 :   0 :   0 :  20 : 21",
            "[quantifier_instances] broken",
        ];
        assert_eq!(summarise(lines), [("second".to_owned(), 33), ("a : b".to_owned(), 30)]);
    }
}
