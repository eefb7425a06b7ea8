//! Every program of `tests/corpus/silver` and `examples/silver`, verified and judged by the comments in it, and
//! printed twice.
//!
//! A comment `//:: ExpectedOutput(id)` speaks about the next line of code. Programs in a folder `smoke` of the corpus are
//! verified with smoke detection. Nobody is excused: all that is expected must be reported and nothing else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use conformance::findings::{Finding, find};
use conformance::judge::{Mode, Verdict};
use conformance::verify::Verifier;
use conformance::{roundtrip, solver};
use libtest_mimic::{Arguments, Failed, Trial};
use symbolic::VerifyOptions;
use testing::files_below;

/// Programs that need parts of the engine which are not there yet; they are listed but not run.
const PENDING: &[&str] =
    &["examples/silver/array_max.vpr", "examples/silver/marking.vpr", "examples/silver/traversal.vpr"];

fn main() {
    let arguments = Arguments::from_args();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut trials = Vec::new();
    for folder in ["tests/corpus/silver", "examples/silver"] {
        let root = workspace.join(folder);
        for path in files_below(&root, &["vpr"]) {
            let name = format!("{folder}/{}", path.strip_prefix(&root).unwrap_or(&path).display());
            let (root, file) = (root.clone(), path.clone());
            let is_pending = PENDING.contains(&name.as_str());
            trials.push(
                Trial::test(format!("verify {name}"), move || verify(&root, &file))
                    .with_ignored_flag(is_pending),
            );
            trials.push(Trial::test(format!("print {name}"), move || print(path)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn verify(root: &Path, path: &Path) -> Result<(), Failed> {
    let options = VerifyOptions::new(solver::find(None, 0)?);
    let verifier = Verifier { options, timeout: Some(Duration::from_secs(60)), log_folder: None };
    let finding = find(root, path, "-", &verifier, Mode::Ideal);
    if finding.verdict == Verdict::Pass && finding.missed.is_empty() {
        Ok(())
    } else {
        Err(explain(&finding).into())
    }
}

fn explain(finding: &Finding) -> String {
    format!("{}\n{}", finding.line(), finding.run.messages.join("\n"))
}

fn print(path: PathBuf) -> Result<(), Failed> {
    match roundtrip::run(&[path]).problems.first() {
        Some((_, problem)) => Err(problem.into()),
        None => Ok(()),
    }
}
