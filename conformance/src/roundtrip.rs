//! Checks on a folder of programs that printing and parsing are inverse to each other.

use std::path::PathBuf;

use silver::syntax::{parse, print};
use source::{Diagnostic, SourceMap};

/// How many files came back as they were.
#[derive(Default, Debug)]
pub struct Summary {
    pub agree: usize,
    /// Files with parse errors, which are not printed.
    pub rejected: usize,
    pub problems: Vec<(PathBuf, String)>,
}

pub fn run(files: &[PathBuf]) -> Summary {
    let mut summary = Summary::default();
    for path in files {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let mut map = SourceMap::default();
        let file = map.add(path.display().to_string(), text.as_str());
        let (program, diagnostics) = parse(file, &text);
        if diagnostics.iter().any(Diagnostic::is_error) {
            summary.rejected += 1;
            continue;
        }
        let once = print(&program);
        let (again, errors) = parse(file, &once);
        let problem = if let Some(error) = errors.iter().find(|diagnostic| diagnostic.is_error()) {
            Some(format!("the printed text has an error: {}", error.message))
        } else if print(&again) != once {
            Some("printing twice gives different texts".to_string())
        } else if without_places(&program) != without_places(&again) {
            Some("the trees differ".to_string())
        } else {
            None
        };
        match problem {
            Some(problem) => summary.problems.push((path.clone(), problem)),
            None => summary.agree += 1,
        }
    }
    summary
}

/// The tree as text, without spans.
fn without_places(program: &silver::syntax::tree::Program) -> String {
    let text = format!("{program:?}");
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find("Span {") {
        result.push_str(&rest[..start]);
        // A span prints as `Span { file: FileId(0), start: 1, end: 2 }`.
        let end = rest[start..].find("end: ").map_or(rest.len(), |offset| start + offset);
        let end = rest[end..].find('}').map_or(rest.len(), |offset| end + offset + 1);
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}
