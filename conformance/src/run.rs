//! Runs a file of a suite and gives its errors in the form that annotations speak about.

use std::path::Path;
use std::time::{Duration, Instant};

use session::Disk;
use silver::Options;
use source::{Diagnostic, FileId, SourceMap};

use crate::judge::Output;

/// Something that reads a Silver file and reports errors. Verification joins the front end here.
pub trait Subject {
    fn run(&self, root: &Path, path: &Path) -> Run;
}

#[derive(Clone, Default, Debug)]
pub struct Run {
    pub outputs: Vec<Output>,
    /// The same errors in words, for people.
    pub messages: Vec<String>,
    pub time: Duration,
    /// Faults of the tool itself: broken invariants, panics, runs that do not end.
    pub faults: Vec<String>,
    /// What was said about each member; empty where the front end found errors.
    pub members: Vec<Member>,
}

impl Run {
    fn unreadable(error: &std::io::Error, start: Instant) -> Run {
        let outputs = vec![Output { line: None, id: "unreadable".to_string() }];
        Run { outputs, messages: vec![error.to_string()], time: start.elapsed(), ..Run::default() }
    }
}

/// A member with its place in the file under test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub name: String,
    /// First and last line; `None` for members of imported files.
    pub lines: Option<(u32, u32)>,
    pub verdict: verdict::Verdict,
}

/// The front end alone: parsing, names, types, consistency.
#[derive(Clone, Copy, Debug)]
pub struct FrontEnd;

/// The options that a folder of the suite is run with; the suite's own `import` folder is a further standard library.
pub fn options_of(root: &Path, path: &Path) -> Options {
    let folder = path.strip_prefix(root).ok().and_then(|path| path.iter().next());
    let folder = folder.and_then(|name| name.to_str()).unwrap_or("");
    Options {
        smoke_detection: folder == "smoke",
        respect_function_permission_amounts: folder == "oldpermsemantics",
        folders: vec![root.join("import").display().to_string()],
        order: None,
    }
}

impl Subject for FrontEnd {
    fn run(&self, root: &Path, path: &Path) -> Run {
        match read(root, path) {
            Ok(mut read) => {
                if let Some(program) = &read.program {
                    read.run.faults = silver::with_large_stack(|| faults(program));
                }
                read.run
            }
            Err(run) => run,
        }
    }
}

/// A file that the front end has seen.
pub(crate) struct Read {
    pub(crate) map: SourceMap,
    pub(crate) file: FileId,
    /// Present if there are no errors.
    pub(crate) program: Option<silver::typed::Program>,
    pub(crate) run: Run,
}

/// Runs the front end; where not even the file can be read, that is all there is to say.
pub(crate) fn read(root: &Path, path: &Path) -> Result<Read, Run> {
    let start = Instant::now();
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Err(Run::unreadable(&error, start)),
    };
    let mut map = SourceMap::default();
    let file = map.add(path.to_string_lossy(), text);
    let resolved = silver::resolve(&mut map, file, &Disk, &options_of(root, path));
    let mut run = Run { time: start.elapsed(), ..Run::default() };
    // Where parsing fails, Viper lists its warnings among the errors.
    let parsing_failed =
        resolved.diagnostics.iter().any(|diagnostic| diagnostic.code == silver::codes::PARSER);
    let is_output = |diagnostic: &&Diagnostic| {
        diagnostic.is_error() || parsing_failed && diagnostic.code == silver::codes::PARSER_WARNING
    };
    for diagnostic in resolved.diagnostics.iter().filter(is_output) {
        let place = diagnostic.span().map(|span| map.place(span));
        run.outputs.push(Output { line: place.map(|place| place.line), id: diagnostic.code.to_string() });
        let line = place.map_or(0, |place| place.line);
        run.messages.push(format!("{line}: {}: {}", diagnostic.code, diagnostic.message));
    }
    Ok(Read { map, file, program: resolved.program, run })
}

/// What is wrong with a typed program, apart from the input: its invariants, and that its text is Silver again.
fn faults(program: &silver::typed::Program) -> Vec<String> {
    let mut faults = silver::typed::check_program(program);
    let text = silver::typed::print(program);
    let mut map = SourceMap::default();
    let file = map.add("printed", text.as_str());
    let again = silver::resolve(&mut map, file, &source::NoFiles, &Options::default());
    for diagnostic in again.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        let line = diagnostic.span().map_or(0, |span| map.place(span).line);
        faults.push(format!("printed line {line}: {}: {}", diagnostic.message, map.file(file).line(line)));
    }
    if let Some(again) = &again.program {
        let text_again = silver::typed::print(again);
        let lines = text.lines().zip(text_again.lines());
        if let Some((first, second)) = lines.into_iter().find(|(first, second)| first != second) {
            faults.push(format!("printed `{first}`, then `{second}`"));
        }
    }
    faults
}
