//! Verdicts and failures of PVL programs depend neither on the order of declarations, nor on unrelated members, nor on
//! the number of workers.
//!
//! Each program of `examples/pvl` and of the messages of `cli` is verified as it is, with its declarations and the
//! members of its classes the other way round, with two workers, and one member at a time. With `PROBITY_SLOW_TESTS` each of
//! this is done for itself and for each member, otherwise the first two at once, and every third member.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use pvl::syntax::tree::{DeclarationKind, Dialect, Expectation};
use session::{ProgramLanguage, ProgramOptions, ProgramText};
use source::{SourceMap, Span};
use symbolic::VerifyOptions;
use testing::files_below;
use verdict::{ProofReport, Silent};

/// Programs that take seconds.
const SLOW: &[&str] = &["scc.pvl", "prefix_sum.pvl"];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["examples/pvl", "crates/cli/tests/messages"] {
        let is_quick = |path: &PathBuf| !SLOW.iter().any(|name| path.ends_with(name));
        files.extend(files_below(&root.join(folder), &["pvl"]).into_iter().filter(is_quick));
    }
    assert!(files.len() > 40, "there are {} programs", files.len());
    let trial = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(name, move || check(&path))
    };
    libtest_mimic::run(&arguments, files.into_iter().map(trial).collect()).exit();
}

/// What is said about members that does not depend on where they stand.
type Answers = BTreeSet<String>;

fn check(path: &Path) -> Result<(), Failed> {
    let text: Arc<str> = std::fs::read_to_string(path).map_err(|error| error.to_string())?.into();
    let is_long_round = std::env::var_os("PROBITY_SLOW_TESTS").is_some();
    let (whole, names) = verify(&text, 1, None)?;
    let turned = reversed(&text).into();
    if is_long_round {
        same("with two workers", &whole, &verify(&text, 2, None)?.0)?;
        same("in another order", &whole, &verify(&turned, 1, None)?.0)?;
    } else {
        same("with two workers, in another order", &whole, &verify(&turned, 2, None)?.0)?;
    }
    let step = if is_long_round { 1 } else { 3 };
    // Not always the first one.
    let first = text.len() % step.min(names.len().max(1));
    for name in names.into_iter().skip(first).step_by(step) {
        let alone = verify(&text, 1, Some(&name))?.0;
        let wanted = |answer: &&String| answer.split(' ').nth(1) == Some(name.as_str());
        let part: Answers = whole.iter().filter(wanted).cloned().collect();
        let alone: Answers = alone.iter().filter(wanted).cloned().collect();
        same(&format!("{name} alone"), &part, &alone)?;
    }
    Ok(())
}

fn same(what: &str, expected: &Answers, found: &Answers) -> Result<(), Failed> {
    if expected == found {
        return Ok(());
    }
    let missing: Vec<&String> = expected.difference(found).collect();
    let new: Vec<&String> = found.difference(expected).collect();
    Err(format!("{what}: missing {missing:#?}, new {new:#?}").into())
}

/// What is said, and the names of the members.
fn verify(text: &Arc<str>, workers: usize, member: Option<&str>) -> Result<(Answers, Vec<String>), Failed> {
    let name = "program.pvl".to_string();
    let language = ProgramLanguage::new("a PVL program", &pvl::port::Pvl);
    let text_of_program = ProgramText { name, text: text.clone(), language };
    let program = ProgramOptions { dialect: Some(2), ..ProgramOptions::default() };
    let loaded = session::load_program(&[text_of_program], &program);
    let loaded = loaded.map_err(|failure| format!("it cannot be read: {:?}\n{text}", failure.diagnostics))?;
    let solver = session::find_solver(None).map_err(|error| error.to_string())?;
    let options = VerifyOptions {
        workers,
        all_errors: true,
        counterexamples: false,
        members: member.map(|name| vec![name.to_string()]),
        ..VerifyOptions::new(solver)
    };
    let report = session::verify(&loaded, &options, &Silent);
    let report = report.map_err(|failure| failure.message.unwrap_or_default())?;
    let names = report.members.iter().map(|member| member.name.clone()).collect();
    Ok((answers(&report, &loaded.sources), names))
}

fn answers(report: &ProofReport, sources: &SourceMap) -> Answers {
    let mut answers = Answers::new();
    for member in &report.members {
        let name = format!("{} {}", member.kind.word().replace(' ', "-"), member.name);
        answers.insert(format!("{name} : {}", member.verdict.word()));
        for failure in &member.failures {
            let place = sources.text(failure.span);
            answers.insert(format!("{name} : {} at {place}: {}", failure.code, failure.message));
        }
    }
    answers
}

/// The program with its declarations and the members of its classes the other way round.
fn reversed(text: &Arc<str>) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("program.pvl", text.clone());
    let (program, _) = pvl::syntax::parse(file, text, pvl::syntax::Options { dialect: Dialect::New });
    let expectations = &program.expectations;
    let mut pieces = Vec::new();
    for declaration in &program.declarations {
        let span = with_expectation(declaration.span, expectations);
        let inner: Vec<Span> = match &declaration.kind {
            DeclarationKind::Class(class) => {
                let members = class.members.iter().map(|member| member.span);
                members.map(|span| with_expectation(span, expectations)).collect()
            }
            _ => Vec::new(),
        };
        pieces.push((span, turned(text, span, &inner)));
    }
    // A region around several declarations stays as it is.
    if pieces.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
        return text.to_string();
    }
    pieces.reverse();
    pieces.into_iter().map(|(_, piece)| piece).collect::<Vec<_>>().join("\n\n")
}

/// The text of a span in which inner spans are the other way round.
fn turned(text: &str, span: Span, inner: &[Span]) -> String {
    let slice = |start: u32, end: u32| &text[start as usize..end as usize];
    let is_apart = inner.windows(2).all(|pair| pair[0].end <= pair[1].start);
    let (Some(first), Some(last), true) = (inner.first(), inner.last(), is_apart) else {
        return slice(span.start, span.end).to_string();
    };
    let members: Vec<&str> = inner.iter().rev().map(|member| slice(member.start, member.end)).collect();
    format!("{}{}{}", slice(span.start, first.start), members.join("\n\n"), slice(last.end, span.end))
}

/// A declaration with the regions that begin or end in it, or are around it.
fn with_expectation(span: Span, expectations: &[Expectation]) -> Span {
    let regions = expectations.iter().map(|expectation| expectation.span);
    let touching = regions.filter(|region| region.start < span.end && span.start < region.end);
    touching.fold(span, |span, region| Span {
        start: span.start.min(region.start),
        end: span.end.max(region.end),
        ..span
    })
}
