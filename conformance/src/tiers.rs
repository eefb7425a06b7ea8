//! Which files of a suite count, and under which heading: a table that is given by path.
//!
//! The table has a header line and columns separated by tabs; `path` and `tier` are needed, `suite` says which of the
//! tool's test runs a file belongs to.

use std::collections::BTreeMap;
use std::path::Path;

/// Test runs that end in a verdict about each file. The others look at syntax trees, counterexamples or options that
/// only one tool has.
const VERDICT_SUITES: &[&str] = &["SiliconTests", "AdtPluginTests", "Quasihavoc(MCE)", "Smoke"];

#[derive(Clone, Default, Debug)]
pub struct Tiers {
    of_file: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    tier: String,
    suite: String,
}

impl Tiers {
    pub fn read(path: &Path) -> Result<Tiers, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Tiers::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Tiers, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| {
            header.iter().position(|column| *column == name).ok_or_else(|| format!("no column `{name}`"))
        };
        let (path, tier, suite) = (column("path")?, column("tier")?, column("suite").ok());
        let mut tiers = Tiers::default();
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |index: usize| cells.get(index).copied().unwrap_or_default().to_string();
            let suite = suite.map_or_else(|| VERDICT_SUITES[0].to_string(), cell);
            tiers.of_file.insert(cell(path), Entry { tier: cell(tier), suite });
        }
        Ok(tiers)
    }

    /// The tier of a file, `-` where the table does not know it.
    pub fn tier(&self, name: &str) -> &str {
        self.of_file.get(name).map_or("-", |entry| entry.tier.as_str())
    }

    /// Whether the file has a verdict to compare with; without a table all have.
    pub fn counts(&self, name: &str) -> bool {
        self.of_file.is_empty()
            || self.of_file.get(name).is_some_and(|entry| VERDICT_SUITES.contains(&entry.suite.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let tiers = Tiers::parse("suite\tpath\ttier\nSmoke\ta.vpr\tT8\nSIF\tb.vpr\tT8\n");
        let tiers = tiers.expect("the table has its columns");
        assert_eq!(tiers.tier("a.vpr"), "T8");
        assert_eq!(tiers.tier("c.vpr"), "-");
        assert!(tiers.counts("a.vpr") && !tiers.counts("b.vpr") && !tiers.counts("c.vpr"));
        assert!(Tiers::parse("path\n").is_err());
    }
}
