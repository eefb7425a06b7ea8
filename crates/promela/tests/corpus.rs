//! Every model in `corpus/` gives exactly the diagnostics that its comments announce.
//!
//! `// error: [code]` and `// warning: [code]` stand on the line they are about; a line may have several.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use promela::Options;
use source::{Loader, Severity, SourceMap};
use testing::files_below;

struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&self, path: &str) -> Result<Arc<str>, String> {
        std::fs::read_to_string(self.0.join(path)).map(Arc::from).map_err(|error| error.to_string())
    }
}

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let name = |path: PathBuf| path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
    let trials = files_below(&folder, &["pml"]).into_iter().map(name).map(|name| {
        let folder = folder.clone();
        Trial::test(name.clone(), move || check(&folder, &name))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

type Found = BTreeMap<(u32, String), usize>;

fn check(folder: &Path, name: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(folder.join(name))?;
    let expected = expectations(&text);
    let mut map = SourceMap::default();
    let (program, diagnostics) =
        promela::load(name, &Folder(folder.to_path_buf()), &Options::default(), &mut map);
    let mut found = Found::new();
    let mut messages = Vec::new();
    let mut failing = false;
    for diagnostic in &diagnostics {
        let place = diagnostic.span().map_or(0, |span| map.place(span).line);
        let kind = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        failing |= diagnostic.severity == Severity::Error;
        *found.entry((place, format!("{kind}: [{}]", diagnostic.code))).or_default() += 1;
        messages.push(format!("{place}: {kind}: [{}] {}", diagnostic.code, diagnostic.message));
        if diagnostic.help.is_none()
            && diagnostic.code != "preprocess.error"
            && diagnostic.code != "preprocess.warning"
        {
            return Err(format!("[{}] says nothing about what to do", diagnostic.code).into());
        }
    }
    if program.is_some() == failing {
        return Err("a program must be there exactly if no error is".into());
    }
    if failing != name.contains(".fail.") {
        return Err(format!("the name says otherwise:\n{}", messages.join("\n")).into());
    }
    if found != expected {
        let missing = expected.iter().filter(|(key, count)| found.get(*key) != Some(count));
        let missing = missing.map(|((line, text), count)| format!("{line}: {text} {count} times"));
        let missing = missing.collect::<Vec<_>>().join("\n");
        return Err(format!("expected\n{missing}\nfound\n{}", messages.join("\n")).into());
    }
    Ok(())
}

fn expectations(text: &str) -> Found {
    let mut expected = Found::new();
    for (number, line) in text.lines().enumerate() {
        for kind in ["error: [", "warning: ["] {
            for (start, _) in line.match_indices(kind) {
                if let Some(length) = line[start..].find(']') {
                    *expected
                        .entry((number as u32 + 1, line[start..=start + length].to_string()))
                        .or_default() += 1;
                }
            }
        }
    }
    expected
}
