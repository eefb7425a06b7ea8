//! The command line.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: bench --spin-examples PATH [--probity BINARY] [--models a,b,…] [--runs N]

  --spin-examples PATH  a checkout of SPIN, or its Examples folder
  --probity BINARY      the program to measure; by default the release build of this workspace
  --models a,b          only these models
  --runs N              measure N times and keep the best of each figure [default: 3]";

pub(crate) struct Arguments {
    pub(crate) spin_examples: PathBuf,
    pub(crate) probity: Option<PathBuf>,
    /// Empty: all.
    pub(crate) models: Vec<String>,
    pub(crate) runs: u32,
}

/// Nothing where help was asked for.
pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut words = words;
    let (mut spin_examples, mut probity, mut models, mut runs) = (None, None, Vec::new(), 3);
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            return Ok(None);
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value, or is not known"))?;
        match word.as_str() {
            "--spin-examples" => spin_examples = Some(PathBuf::from(value)),
            "--probity" => probity = Some(PathBuf::from(value)),
            "--models" => models.extend(value.split(',').map(str::to_string)),
            "--runs" => {
                runs = value
                    .parse()
                    .ok()
                    .filter(|runs| (1..=100).contains(runs))
                    .ok_or("--runs takes 1 to 100")?;
            }
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    let spin_examples = spin_examples.ok_or(
        "--spin-examples is needed: `git clone https://github.com/nimble-code/Spin` and give its path",
    )?;
    Ok(Some(Arguments { spin_examples, probity, models, runs }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Option<Arguments>, String> {
        parse(words.iter().map(|word| (*word).to_string()))
    }

    #[test]
    fn the_checkout_is_needed() {
        assert!(parsed(&[]).is_err());
        assert!(parsed(&["--runs", "0", "--spin-examples", "x"]).is_err());
        assert!(matches!(parsed(&["--help"]), Ok(None)));
    }

    #[test]
    fn models_are_named_with_commas() {
        let arguments = parsed(&["--spin-examples", "x", "--models", "sort,pftp"]);
        assert!(matches!(arguments, Ok(Some(found)) if found.models == ["sort", "pftp"] && found.runs == 3));
    }
}
