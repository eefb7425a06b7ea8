//! How often each quantifier was instantiated, as Z3 tells on its error stream.
//!
//! Z3 writes a line about a quantifier when it forgets it: at a pop or at its end. In old versions three numbers
//! follow the name, then five; the first is the number of instances in both.

use rustc_hash::FxHashMap;

const PREFIX: &str = "[quantifier_instances]";

/// Instances by the name of the quantifier.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Profile(FxHashMap<String, u64>);

impl Profile {
    /// Counts the line if it is about a quantifier.
    pub(crate) fn take(&mut self, line: &str) -> bool {
        if let Some((name, instances)) = read_line(line) {
            self.add(name, instances);
        }
        line.starts_with(PREFIX)
    }

    fn add(&mut self, name: &str, instances: u64) {
        match self.0.get_mut(name) {
            Some(count) => *count += instances,
            None => {
                self.0.insert(name.to_owned(), instances);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Profile) {
        for (name, instances) in &other.0 {
            self.add(name, *instances);
        }
    }

    /// Most instances first, then by name, by the names that those of the solver stand for.
    pub(crate) fn sorted<'s>(&'s self, named: impl Fn(&'s str) -> &'s str) -> Vec<(String, u64)> {
        let named = |name: &'s String| named(name).to_owned();
        let mut counts: Vec<(String, u64)> =
            self.0.iter().map(|(name, instances)| (named(name), *instances)).collect();
        counts.sort_by(|(left_name, left), (right_name, right)| (right, left_name).cmp(&(left, right_name)));
        counts
    }
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
        let mut profile = Profile::default();
        assert!(lines.iter().all(|line| profile.take(line)));
        assert!(!profile.take("WARNING: something : 1 : 2 : 3"));
        let sorted = profile.sorted(|name| name);
        let summary: Vec<(&str, u64)> =
            sorted.iter().map(|(name, instances)| (name.as_str(), *instances)).collect();
        assert_eq!(summary, [("second", 33), ("a : b", 30), ("line: 7", 5)]);
    }
}
