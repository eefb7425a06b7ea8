//! Probity's deductive engine beside Silicon: the same programs, the same solver, the same machine.
//!
//! Four questions: how long until a verdict from a standing start, how long for many files one after another, how far
//! from the time that the solver needs for Silicon's own questions, and how does the time grow with the number of
//! quantified permissions.

mod arguments;
mod families;
mod peer;
mod run;
mod statistics;
mod tables;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use self::arguments::Arguments;
use self::peer::Peer;
use self::run::{Measured, Prover};
use crate::measure::Workplace;

pub(crate) use self::arguments::USAGE;

/// Whether all answers agreed; nothing where help was asked for.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<Option<bool>, String> {
    let Some(arguments) = arguments::parse(words)? else { return Ok(None) };
    let prover = Prover::new(&arguments)?;
    let peer = arguments.silicon.as_deref().map(|command| Peer::new(command, arguments.timeout));
    let place = Workplace::new()?;
    let mut agreed = true;
    if let Some(suite) = &arguments.suite {
        let files = arguments::files(arguments.files.as_deref(), suite)?;
        agreed &= suite_tables(&arguments, &prover, peer.as_ref(), &place, suite, &files)?;
    }
    for family in &arguments.families {
        let mut sizes = Vec::new();
        for size in &arguments.sizes {
            let name = format!("{}_{size:02}.vpr", family.name());
            sizes.push((*size, place.write(&name, &family.text(*size))?));
        }
        agreed &= family_table(&arguments, &prover, peer.as_ref(), &place, family.name(), &sizes)?;
    }
    Ok(Some(agreed))
}

/// Where a run is, for somebody who watches.
fn tell(text: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{text}");
    }
}

fn suite_tables(
    arguments: &Arguments,
    prover: &Prover,
    peer: Option<&Peer>,
    place: &Workplace,
    suite: &Path,
    files: &[String],
) -> Result<bool, String> {
    let mut ours: Vec<Measured> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        tell(&format!("{}/{} {file}", index + 1, files.len()));
        ours.push(prover.verify_source(&suite.join(file), arguments.runs)?);
    }
    tell("");
    let theirs = match peer {
        Some(peer) => peer.warm(place, suite, files)?,
        None => Vec::new(),
    };
    let table = tables::Warm::new(files, &ours, &theirs);
    print!("{}", table.summary());
    if let Some(path) = &arguments.table {
        std::fs::write(path, table.rows()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let Some(peer) = peer else { return Ok(true) };
    let mut cold = Vec::new();
    for index in arguments::sample(files.len(), arguments.sample) {
        let path = suite.join(&files[index]);
        tell(&format!("cold: {}", files[index]));
        let seconds = peer.cold(place, &path)?;
        let replay = peer.replay(place, &path, prover.solver())?;
        let own_log = place.folder().join("own-log");
        // Logging costs time, so the run that is logged is not the one that is measured.
        prover.verify(&path, 1, Some(&own_log))?;
        let own_replay = peer::replay_folder(&own_log, prover.solver())?;
        // What cannot be removed is overwritten by the next file.
        let _ = std::fs::remove_dir_all(&own_log);
        cold.push(tables::Cold {
            name: files[index].clone(),
            theirs: seconds,
            ours: ours[index].seconds,
            is_answer: ours[index].is_answer(),
            replay,
            own_replay,
        });
    }
    tell("");
    print!("{}", tables::cold(&cold));
    Ok(table.agrees())
}

fn family_table(
    arguments: &Arguments,
    prover: &Prover,
    peer: Option<&Peer>,
    place: &Workplace,
    name: &str,
    sizes: &[(usize, PathBuf)],
) -> Result<bool, String> {
    let files: Vec<String> =
        sizes.iter().filter_map(|(_, path)| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    let mut ours = Vec::new();
    for (_, path) in sizes {
        tell(&path.display().to_string());
        ours.push(prover.verify(path, arguments.runs, None)?);
    }
    tell("");
    let theirs = match peer {
        Some(peer) => peer.warm(place, place.folder(), &files)?,
        None => Vec::new(),
    };
    let numbers: Vec<usize> = sizes.iter().map(|(size, _)| *size).collect();
    print!("{}", tables::family(name, &numbers, &ours, &theirs));
    Ok(ours.iter().all(|measured| measured.verdict == "holds"))
}
