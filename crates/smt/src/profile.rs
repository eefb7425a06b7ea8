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
    // A name may contain colons and numbers, so the fields are taken from the end.
    let fields: Vec<&str> = line.strip_prefix(PREFIX)?.rsplitn(6, ':').collect();
    let numbers: Vec<u64> = fields.iter().map_while(|field| field.trim().parse().ok()).collect();
    let count = if numbers.len() >= 5 { 5 } else { 3 };
    let instances = *numbers.get(count - 1)?;
    let name = line.strip_prefix(PREFIX)?.rsplitn(count + 1, ':').nth(count)?;
    Some((name.trim(), instances))
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
            "[quantifier_instances] line: 7 :     2 :  20 : 21",
            "[quantifier_instances] line: 7 :     3 :   0 :   0 :  20 : 21",
            "[quantifier_instances] broken",
            "[quantifier_instances] 1 : 2",
        ];
        let summary = summarise(lines);
        let summary: Vec<(&str, u64)> =
            summary.iter().map(|(name, instances)| (name.as_str(), *instances)).collect();
        assert_eq!(summary, [("second", 33), ("a : b", 30), ("line: 7", 5)]);
    }
}
