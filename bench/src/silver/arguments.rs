//! The command line of `bench silver`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::families::Family;
use testing::list_below;

pub(crate) const USAGE: &str = "\
usage: bench silver [--silicon COMMAND] [--suite FOLDER [--files LIST] [--sample N] [--table TSV]]
                    [--families a,b,…] [--sizes n,m,…]
                    [--solver Z3] [--probity BINARY] [--runs N] [--timeout SECONDS]

  --silicon COMMAND   starts Silicon, see README.md [default: the environment variable PROBITY_SILICON]
  --suite FOLDER      programs to verify, such as src/test/resources of viperproject/silver
  --files LIST        which of them: a path on each line, or a table with columns path, stage and suite
  --sample N          how many of them are also run from a standing start and replayed [default: 10]
  --table TSV         write a row for each file
  --families a,b      generated programs: arrays, exchanged, split [default: all if there is no --suite]
  --sizes n,m         how many arrays they have [default: 1,2,4,6,8,10,12,16,20]
  --solver Z3         the solver for both; Silicon's is set by its command
  --probity BINARY    the program to measure; by default the release build of this workspace
  --runs N            measure N times and keep the best [default: 3]
  --timeout SECONDS   for each file [default: 120]";

pub(crate) struct Arguments {
    pub(crate) silicon: Option<String>,
    pub(crate) suite: Option<PathBuf>,
    pub(crate) files: Option<PathBuf>,
    pub(crate) sample: usize,
    pub(crate) table: Option<PathBuf>,
    pub(crate) families: Vec<Family>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) solver: Option<String>,
    pub(crate) probity: Option<PathBuf>,
    pub(crate) runs: u32,
    pub(crate) timeout: Duration,
}

/// Nothing where help was asked for.
pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut words = words;
    let mut arguments = Arguments {
        silicon: std::env::var("PROBITY_SILICON").ok(),
        suite: None,
        files: None,
        sample: 10,
        table: None,
        families: Vec::new(),
        sizes: vec![1, 2, 4, 6, 8, 10, 12, 16, 20],
        solver: None,
        probity: None,
        runs: 3,
        timeout: Duration::from_secs(120),
    };
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        match word.as_str() {
            "--silicon" => arguments.silicon = Some(value),
            "--suite" => arguments.suite = Some(PathBuf::from(value)),
            "--files" => arguments.files = Some(PathBuf::from(value)),
            "--sample" => arguments.sample = number(&word, &value)?,
            "--table" => arguments.table = Some(PathBuf::from(value)),
            "--families" => {
                for name in value.split(',') {
                    let family = Family::named(name);
                    arguments.families.push(family.ok_or_else(|| format!("there is no family `{name}`"))?);
                }
            }
            "--sizes" => {
                arguments.sizes =
                    value.split(',').map(|size| number(&word, size)).collect::<Result<_, _>>()?;
            }
            "--solver" => arguments.solver = Some(value),
            "--probity" => arguments.probity = Some(PathBuf::from(value)),
            "--runs" => arguments.runs = number(&word, &value)? as u32,
            "--timeout" => arguments.timeout = Duration::from_secs(number(&word, &value)? as u64),
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    if arguments.suite.is_none() && arguments.families.is_empty() {
        arguments.families = Family::ALL.to_vec();
    }
    Ok(Some(arguments))
}

fn number(word: &str, value: &str) -> Result<usize, String> {
    let number = value.trim().parse().ok().filter(|number| (1..=10_000).contains(number));
    number.ok_or_else(|| format!("{word} takes numbers from 1 to 10000, not `{value}`"))
}

/// The files of a list, or all below the folder.
pub(crate) fn files(list: Option<&Path>, suite: &Path) -> Result<Vec<String>, String> {
    let files = match list {
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            listed(&text)
        }
        None => {
            let name = |path: &PathBuf| path.strip_prefix(suite).unwrap_or(path).display().to_string();
            list_below(suite, &["vpr"])?.iter().map(name).collect()
        }
    };
    let files: Vec<String> = files.into_iter().filter(|file| suite.join(file).is_file()).collect();
    if files.is_empty() { Err(format!("no programs below {}", suite.display())) } else { Ok(files) }
}

/// A plain list, or those rows of a table that are decided by proofs, with default options, and not ignored by
/// Silicon's own tests.
fn listed(text: &str) -> Vec<String> {
    const SUITES: [&str; 3] = ["SiliconTests", "AdtPluginTests", "Quasihavoc(MCE)"];
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).peekable();
    let header: Vec<&str> = lines.peek().copied().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|cell| *cell == name);
    let Some(path) = column("path") else { return lines.map(|line| line.trim().to_string()).collect() };
    let (stage, suite, flags) = (column("stage"), column("suite"), column("silicon_flags"));
    let rows = lines.skip(1).map(|line| line.split('\t').collect::<Vec<&str>>());
    rows.filter(|row| {
        let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).copied();
        cell(stage).is_none_or(|stage| stage == "verify")
            && cell(suite).is_none_or(|suite| SUITES.contains(&suite))
            && cell(flags).is_none_or(|flags| !flags.starts_with("ignored"))
    })
    .filter_map(|row| Some((*row.get(path)?).to_string()))
    .collect()
}

/// `wanted` indices below `count`, evenly spread.
pub(crate) fn sample(count: usize, wanted: usize) -> Vec<usize> {
    let wanted = wanted.min(count);
    (0..wanted).map(|index| index * count / wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Option<Arguments>, String> {
        parse(words.iter().map(|word| (*word).to_string()))
    }

    #[test]
    fn without_a_suite_all_families_are_measured() {
        assert!(matches!(parsed(&[]), Ok(Some(found)) if found.families.len() == 3));
        assert!(matches!(parsed(&["--suite", "x"]), Ok(Some(found)) if found.families.is_empty()));
        assert!(parsed(&["--families", "none"]).is_err());
        assert!(parsed(&["--sizes", "1,x"]).is_err());
    }

    #[test]
    fn a_table_gives_the_files_that_are_proved() {
        let table = "path\tsuite\tstage\tsilicon_flags\na\tSiliconTests\tverify\t\nb\tSiliconTests\tstatic\t\n\
                     c\tSIF\tverify\t\nd\tSmoke\tverify\tignored:x\n";
        assert_eq!(listed(table), ["a"]);
        assert_eq!(listed("# list\nx.vpr\ny.vpr\n"), ["x.vpr", "y.vpr"]);
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        assert_eq!(sample(10, 3), [0, 3, 6]);
        assert_eq!(sample(2, 9), [0, 1]);
    }
}
