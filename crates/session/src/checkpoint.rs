//! Runs that are kept on disk and taken up again.
//!
//! What a checkpoint is of is compared before anything is searched: the program, the options that decide what is searched, the
//! texts of the model, the properties. All files are read once and their sums compared, so a checkpoint that is not whole is
//! refused, however little is wrong with it.

mod folder;
mod keeper;
mod manifest;
mod sum;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::{KeepsSearch, PartialOrder, Property, StoreKind};
use source::{Diagnostic, Severity};

use self::folder::{Folder, is_whole, read_manifest};
use self::keeper::{Kept, PropertyKeeper, lock};
use self::manifest::{Difference, Identity, KeptFile, Manifest, Unusable};
use self::sum::Sum;
use crate::check::{CheckOptions, Failure, without_place};
use crate::files::Loaded;

/// Where checkpoints are written, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckpointOptions {
    /// The folder; it is made where there is none.
    pub folder: PathBuf,
    /// The time between two.
    pub every: Duration,
}

/// The checkpoints of a run.
pub(crate) struct Checkpoints {
    kept: Arc<Kept>,
}

/// What a model is, by its texts.
pub(crate) fn model_sum(loaded: &Loaded) -> u64 {
    let mut sum = Sum::default();
    for (_, file) in loaded.sources.files() {
        sum.add(&(file.text.len() as u64).to_le_bytes());
        sum.add(file.text.as_bytes());
    }
    sum.value()
}

impl Checkpoints {
    /// Makes ready what is asked for; none where nothing is.
    pub(crate) fn new(
        model: u64,
        properties: &[Property],
        options: &CheckOptions,
    ) -> Result<Option<Checkpoints>, Failure> {
        if options.checkpoint.is_none() && options.resume.is_none() {
            return Ok(None);
        }
        let identity = identity(model, properties, options);
        let resumed = match &options.resume {
            Some(folder) => resumed(folder, &identity)?,
            None => Vec::new(),
        };
        let mut last = vec![None; properties.len()];
        for (file, folder) in resumed.iter().zip(options.resume.iter().cycle()) {
            last[file.property] = Some(folder.join(&file.name));
        }
        let folder = match &options.checkpoint {
            Some(CheckpointOptions { folder, every }) => {
                // Where a run goes on in its own folder, what is there counts until it is replaced.
                let is_same = options.resume.as_ref().is_some_and(|resume| is_same_folder(resume, folder));
                let files = if is_same { resumed } else { Vec::new() };
                let made = Folder::new(folder, identity, files).map_err(|error| {
                    let path = folder.display();
                    Failure::coded(
                        "checkpoint.folder",
                        format!("{path}: checkpoints cannot be written here: {error}"),
                    )
                })?;
                Some((made, *every))
            }
            None => None,
        };
        let kept = Arc::new(Kept { folder, last: Mutex::new(last), trouble: Mutex::new(None) });
        Ok(Some(Checkpoints { kept }))
    }

    /// Who keeps the search for a property.
    pub(crate) fn keeper(&self, property: usize) -> Arc<dyn KeepsSearch> {
        Arc::new(PropertyKeeper::new(Arc::clone(&self.kept), property))
    }

    /// What went wrong meanwhile.
    pub(crate) fn warning(&self) -> Option<Diagnostic> {
        let error = lock(&self.kept.trouble).clone()?;
        let message = format!("a checkpoint could not be written: {error}; the one before it stays");
        Some(without_place(Severity::Warning, "checkpoint.unwritten", message))
    }
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// What a run is of.
fn identity(model: u64, properties: &[Property], options: &CheckOptions) -> Identity {
    let program = std::env::current_exe().and_then(File::open).and_then(|mut file| Sum::of_all(&mut file));
    let program = program.map_or(0, |sum| sum.value());
    let flag = |flag: bool| if flag { "given" } else { "not given" }.to_string();
    let load = &options.load;
    let own = load.own.iter().map(|(name, value)| format!("--{name} {value}"));
    let named = |name: &str, value: String| (name.to_string(), value);
    let options = vec![
        named("-D", load.defines.join(" ")),
        named("-U", load.undefines.join(" ")),
        named("-m", flag(load.loses_messages)),
        named("options-of-the-language", own.collect::<Vec<_>>().join(" ")),
        named("--algorithm", options.algorithm.map_or("auto", |algorithm| algorithm.name()).to_string()),
        named(
            "--por",
            match options.reductions.partial_order {
                PartialOrder::Off => "off",
                PartialOrder::Sticky => "sticky",
                PartialOrder::Inside => "inside",
            }
            .to_string(),
        ),
        named("--plain", flag(!options.reductions.optimise)),
        named("--all-errors", flag(options.all_errors)),
        named("--coverage", flag(options.coverage)),
        named("--shortest", flag(options.shortest)),
        named("--strict-ends", flag(options.strict_ends)),
        named("--fair", flag(options.weak_fairness)),
        named("--store", if options.store == StoreKind::Exact { "exact" } else { "lossy" }.to_string()),
    ];
    let property = |property: &Property| (property.name(), Sum::of(format!("{property:?}").as_bytes()));
    Identity {
        program: format!("{} {program:016x}", env!("CARGO_PKG_VERSION")),
        model,
        options,
        properties: properties.iter().map(property).collect(),
    }
}

/// The files of a checkpoint that this run can go on with.
fn resumed(folder: &Path, here: &Identity) -> Result<Vec<KeptFile>, Failure> {
    let path = folder.display();
    let bytes = read_manifest(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Failure::coded("checkpoint.missing", format!("{path}: there is no checkpoint here"))
        }
        _ => Failure::coded("checkpoint.missing", format!("{path}: the checkpoint cannot be read: {error}")),
    })?;
    let manifest = Manifest::parse(&bytes).map_err(|unusable| match unusable {
        Unusable::Damaged => Failure::coded(
            "checkpoint.damaged",
            format!("{path}: the file `{}` is damaged or not one of a checkpoint", folder::MANIFEST),
        ),
        Unusable::Version => Failure::coded(
            "checkpoint.version",
            format!("{path}: the checkpoint was written by another version of probity, in another form"),
        ),
    })?;
    if let Some(difference) = manifest.identity.difference(here) {
        return Err(other(folder, &manifest.identity, difference));
    }
    for file in &manifest.files {
        let name = &file.name;
        let is_one = file.property < here.properties.len() && !name.contains(['/', '\\']);
        match is_whole(folder, file) {
            Ok(true) if is_one => {}
            Ok(_) => {
                return Err(Failure::coded(
                    "checkpoint.damaged",
                    format!("{path}: the file `{name}` is damaged"),
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Failure::coded(
                    "checkpoint.incomplete",
                    format!("{path}: the file `{name}` is missing"),
                ));
            }
            Err(error) => {
                let message = format!("{path}: the file `{name}` cannot be read: {error}");
                return Err(Failure::coded("checkpoint.incomplete", message));
            }
        }
    }
    Ok(manifest.files)
}

/// Says what a checkpoint is of that is not of this run.
fn other(folder: &Path, there: &Identity, difference: Difference) -> Failure {
    let path = folder.display();
    let quoted = |name: Option<String>| name.map_or("none".to_string(), |name| format!("`{name}`"));
    match difference {
        Difference::Program => {
            let program = &there.program;
            let message =
                format!("{path}: the checkpoint was written by another build of probity ({program})");
            Failure::coded("checkpoint.version", message)
        }
        Difference::Model => {
            let message = format!("{path}: the checkpoint is of another model, or of other texts of it");
            Failure::coded("checkpoint.model", message)
        }
        Difference::Option { name, there, here } => Failure::coded(
            "checkpoint.option",
            format!(
                "{path}: the checkpoint was made with another `{name}` ({there}) than this run has ({here})"
            ),
        ),
        Difference::Property { there, here } => Failure::coded(
            "checkpoint.property",
            format!(
                "{path}: the checkpoint is of another property: it has {} where this run has {}",
                quoted(there),
                quoted(here)
            ),
        ),
    }
}
