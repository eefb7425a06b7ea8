//! The tables that `bench silver` prints, and what they say about the goals of the project.

use std::fmt::Write;

use super::run::Measured;
use super::statistics::{exponent, median};

/// Many files one after another, beside a warm process.
pub(crate) struct Warm<'a> {
    files: &'a [String],
    ours: &'a [Measured],
    theirs: &'a [Measured],
}

impl<'a> Warm<'a> {
    pub(crate) fn new(files: &'a [String], ours: &'a [Measured], theirs: &'a [Measured]) -> Warm<'a> {
        Warm { files, ours, theirs }
    }

    fn pairs(&self) -> impl Iterator<Item = (&String, &Measured, &Measured)> {
        self.files.iter().zip(self.ours).zip(self.theirs).map(|((file, ours), theirs)| (file, ours, theirs))
    }

    /// The files that both have a verdict on: not answering is no speed.
    fn answered(&self) -> impl Iterator<Item = (&String, &Measured, &Measured)> {
        self.pairs().filter(|(_, ours, theirs)| ours.is_answer() && theirs.is_answer())
    }

    pub(crate) fn agrees(&self) -> bool {
        self.pairs().all(|(_, ours, theirs)| ours.errors == theirs.errors)
    }

    pub(crate) fn summary(&self) -> String {
        let seconds = |all: &[Measured]| all.iter().map(|one| one.seconds).sum::<f64>();
        let middle = |all: &[Measured]| median(&all.iter().map(|one| one.seconds).collect::<Vec<_>>());
        let mut text = String::from(
            "## Files, one after another\n\n| | files | total s | median s |\n|---|---:|---:|---:|\n",
        );
        for (name, all) in
            [("Silicon, warm, second pass", self.theirs), ("Probity, a process for each file", self.ours)]
        {
            if !all.is_empty() {
                let _ =
                    writeln!(text, "| {name} | {} | {:.2} | {:.3} |", all.len(), seconds(all), middle(all));
            }
        }
        let counts: Vec<String> = ["holds", "violated", "unknown", "timeout", "no answer"]
            .iter()
            .map(|word| (word, self.ours.iter().filter(|one| one.verdict == **word).count()))
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{count} {word}"))
            .collect();
        let _ = writeln!(text, "\nProbity: {}.", counts.join(", "));
        if self.theirs.is_empty() {
            return text;
        }
        let ratios: Vec<f64> =
            self.answered().map(|(_, ours, theirs)| theirs.seconds / ours.seconds).collect();
        let total_ours: f64 = self.answered().map(|(_, ours, _)| ours.seconds).sum();
        let total_theirs: f64 = self.answered().map(|(_, _, theirs)| theirs.seconds).sum();
        let _ = writeln!(
            text,
            "On the {} files that both have a verdict on, Probity is faster in total: {:.1} times (goal: 4); in the \
             median: {:.1} times.",
            ratios.len(),
            total_theirs / total_ours,
            median(&ratios)
        );
        let differing = self.pairs().filter(|(_, ours, theirs)| ours.errors != theirs.errors).count();
        let _ = writeln!(text, "Files with other errors than Silicon's: {differing}.");
        let slow = |(_, ours, theirs): &(&String, &Measured, &Measured)| ours.seconds > 1.5 * theirs.seconds;
        let slower: Vec<_> = self.answered().filter(slow).collect();
        let _ = writeln!(text, "More than 1.5 times slower than Silicon: {} files.", slower.len());
        for (file, ours, theirs) in slower {
            let _ = writeln!(text, "- {file}: {:.2} s, Silicon {:.2} s", ours.seconds, theirs.seconds);
        }
        text
    }

    /// A row for each file, separated by tabs.
    pub(crate) fn rows(&self) -> String {
        let mut text = String::from("file\tverdict\terrors\tseconds\tsilicon_errors\tsilicon_seconds\n");
        for (index, (file, ours)) in self.files.iter().zip(self.ours).enumerate() {
            let theirs = self.theirs.get(index);
            let _ = writeln!(
                text,
                "{file}\t{}\t{}\t{:.4}\t{}\t{}",
                ours.verdict,
                ours.errors.join(" "),
                ours.seconds,
                theirs.map_or(String::new(), |one| one.errors.join(" ")),
                theirs.map_or(String::new(), |one| format!("{:.4}", one.seconds)),
            );
        }
        text
    }
}

/// A file from a standing start, and the solver's part of it.
pub(crate) struct Cold {
    pub(crate) name: String,
    pub(crate) theirs: f64,
    pub(crate) ours: f64,
    /// Whether Probity has a verdict; if not, the file is shown but does not count.
    pub(crate) is_answer: bool,
    /// The solver alone, on Silicon's questions and on ours.
    pub(crate) replay: f64,
    pub(crate) own_replay: f64,
}

pub(crate) fn cold(rows: &[Cold]) -> String {
    let mut text = String::from(
        "\n## A file from a standing start, and the solver alone\n\n| file | Silicon s | Probity s | ratio | \
         replay of Silicon's log s | replay of Probity's log s | Probity by Silicon's replay |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {}{} | {:.2} | {:.3} | {:.0} | {:.3} | {:.3} | {:.2} |",
            row.name,
            if row.is_answer { "" } else { " (no verdict)" },
            row.theirs,
            row.ours,
            row.theirs / row.ours,
            row.replay,
            row.own_replay,
            row.ours / row.replay
        );
    }
    let of = |pick: fn(&Cold) -> f64| rows.iter().filter(|row| row.is_answer).map(pick).collect::<Vec<f64>>();
    let starts = of(|row| row.theirs / row.ours);
    let _ = writeln!(
        text,
        "\nFaster from a standing start: {:.0} times in the median (goal: 20), {:.1} times at the least.",
        median(&starts),
        starts.iter().copied().fold(f64::INFINITY, f64::min)
    );
    let _ = writeln!(
        text,
        "Engine and solver by the replay of Silicon's log: {:.2} in the median (goal: at most 1.5).",
        median(&of(|row| row.ours / row.replay))
    );
    text
}

/// A family of programs that grow.
pub(crate) fn family(name: &str, sizes: &[usize], ours: &[Measured], theirs: &[Measured]) -> String {
    let mut text = format!(
        "\n## Family `{name}`\n\n| n | Silicon, warm s | Probity s | ratio | Silicon says | Probity says |\n|---:|---:|---:|---:|---|---|\n"
    );
    for (index, (size, measured)) in sizes.iter().zip(ours).enumerate() {
        let peer = theirs.get(index);
        let _ = writeln!(
            text,
            "| {size} | {} | {:.3} | {} | {} | {} |",
            peer.map_or("–".to_string(), |peer| format!("{:.2}", peer.seconds)),
            measured.seconds,
            peer.filter(|_| measured.is_answer())
                .map_or("–".to_string(), |peer| format!("{:.1}", peer.seconds / measured.seconds)),
            peer.map_or("–", |peer| peer.verdict.as_str()),
            measured.verdict
        );
    }
    // Below a few arrays the start of the programs is what is measured.
    let large = |all: &[Measured]| -> Vec<(f64, f64)> {
        let pairs = sizes.iter().zip(all).filter(|(size, _)| **size >= 4);
        pairs.map(|(size, one)| (*size as f64, one.seconds)).collect()
    };
    if large(ours).len() > 1 {
        let _ = write!(text, "\nGrowth from n = 4 on: n^{:.2} (goal: at most n^2)", exponent(&large(ours)));
        if !theirs.is_empty() {
            let _ = write!(text, "; Silicon n^{:.2}", exponent(&large(theirs)));
        }
        text.push_str(".\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(verdict: &str, errors: &[&str], seconds: f64) -> Measured {
        let errors = errors.iter().map(|error| (*error).to_string()).collect();
        Measured { verdict: verdict.to_string(), errors, seconds }
    }

    #[test]
    fn totals_and_slow_files_are_named() {
        let files = ["a.vpr".to_string(), "b.vpr".to_string()];
        let ours = [measured("holds", &[], 0.1), measured("violated", &["3:a:b"], 0.5)];
        let theirs = [measured("holds", &[], 2.5), measured("holds", &[], 0.2)];
        let table = Warm::new(&files, &ours, &theirs);
        let text = table.summary();
        assert!(!table.agrees());
        assert!(text.contains("On the 2 files"), "{text}");
        assert!(text.contains("faster in total: 4.5 times"), "{text}");
        assert!(text.contains("- b.vpr: 0.50 s, Silicon 0.20 s"), "{text}");
        assert!(text.contains("other errors than Silicon's: 1"), "{text}");
        assert!(table.rows().contains("b.vpr\tviolated\t3:a:b\t0.5000\t\t0.2000"));
    }

    #[test]
    fn growth_is_an_exponent() {
        let sizes = [4, 8, 16];
        let ours: Vec<Measured> = sizes.iter().map(|n| measured("holds", &[], 0.01 * *n as f64)).collect();
        assert!(family("arrays", &sizes, &ours, &[]).contains("n^1.00"));
    }
}
