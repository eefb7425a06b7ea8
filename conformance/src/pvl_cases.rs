//! The tests of VerCors about PVL: which programs, and what is expected of them.
//!
//! A table has one row per test and file; its columns are found by their names. Files of a group form one program. A
//! row whose file is `inline:Spec:line` stands for a program inside of a Scala test, which begins on that line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use testing::list_below;

/// What VerCors' own test asks for, under the rules of its test run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// No failure, apart from those that the text itself expects.
    Pass,
    /// At least one failure, all of them with this code.
    Fail(String),
    /// The program is refused with these codes.
    Error(Vec<String>),
    /// VerCors gives up because of this construct, so any honest answer is as good.
    Cancelled(String),
    /// Nobody says anything about it.
    Untested,
}

/// A failure that the text expects in some of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub code: String,
    pub lines: (u32, u32),
}

/// One program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The files with `+` between them, or the name of the snippet.
    pub name: String,
    /// Where the test stands.
    pub test: String,
    pub files: Vec<String>,
    pub is_snippet: bool,
    pub expected: Expected,
    pub regions: Vec<Region>,
    pub flags: Vec<String>,
    /// Choreographies are another language that lives in the same files.
    pub is_choreography: bool,
    pub note: String,
}

/// The cases of a table, in its order; tests that are disabled are left out.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| {
        let position = names.iter().position(|column| column.split('(').next() == Some(name));
        position.ok_or_else(|| format!("the table has no column `{name}`"))
    };
    let (kind, file, code, effective) =
        (column("kind")?, column("file")?, column("code")?, column("effective")?);
    let (regions, mode, flags, group) =
        (column("expected_failures_inline")?, column("mode")?, column("flags")?, column("group")?);
    let (test, note) = (column("spec:line")?, column("note")?);
    let mut cases: Vec<Case> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |index: usize| cells.get(index).copied().unwrap_or("").trim();
        let expected = match cell(effective) {
            "pass" | "pass-with-expected-failures" => Expected::Pass,
            "fail" => Expected::Fail(cell(code).to_string()),
            "error" => Expected::Error(read_codes(cell(code))),
            "untested" => Expected::Untested,
            "disabled" => continue,
            other => match other.strip_prefix("cancelled:") {
                Some(construct) => Expected::Cancelled(construct.to_string()),
                None => return Err(format!("`{other}` is no expectation")),
            },
        };
        let name = if cell(group).is_empty() { cell(file) } else { cell(group) };
        let found = read_regions(cell(regions))?;
        // A group has a row for each of its files.
        if let Some(case) = cases.iter_mut().find(|case| case.name == name && case.test == cell(test)) {
            case.regions.extend(found);
            continue;
        }
        cases.push(Case {
            name: name.to_string(),
            test: cell(test).to_string(),
            files: name.split('+').map(str::to_string).collect(),
            is_snippet: cell(kind) == "inline",
            expected,
            regions: found,
            flags: cell(flags).split_whitespace().map(str::to_string).collect(),
            is_choreography: cell(mode).starts_with("veymont"),
            note: cell(note).to_string(),
        });
    }
    Ok(cases)
}

/// Codes with commas between them; the family in front of a colon is written only once.
fn read_codes(text: &str) -> Vec<String> {
    let family = text.split_once(':').map(|(family, _)| family);
    let code = |code: &str| match family {
        Some(family) if !code.contains(':') => format!("{family}:{code}"),
        _ => code.to_string(),
    };
    text.split(',').map(|part| code(part.trim())).collect()
}

/// `code@first-last`, separated by commas.
fn read_regions(text: &str) -> Result<Vec<Region>, String> {
    let region = |part: &str| {
        let (code, lines) = part.rsplit_once('@')?;
        let (first, last) = lines.split_once('-')?;
        Some(Region { code: code.to_string(), lines: (first.parse().ok()?, last.parse().ok()?) })
    };
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| region(part).ok_or_else(|| format!("`{part}` is no region"))).collect()
}

impl Case {
    /// The texts of the program with their names, from a checkout of VerCors.
    pub fn texts(&self, root: &Path) -> Result<Vec<(String, Arc<str>)>, String> {
        if self.is_snippet {
            return Ok(vec![(self.name.clone(), snippet(root, &self.name)?.into())]);
        }
        let read = |file: &String| {
            let text =
                std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
            Ok((file.clone(), text.into()))
        };
        self.files.iter().map(read).collect()
    }
}

/// The program of a Scala test, by the name of its class and the line that the test starts on.
fn snippet(root: &Path, name: &str) -> Result<String, String> {
    let absent = || format!("{name}: there is no such program in a test");
    let (class, line) =
        name.strip_prefix("inline:").and_then(|name| name.rsplit_once(':')).ok_or_else(absent)?;
    let path = scala_file(&root.join("test/main/vct/test/integration"), &format!("{class}.scala"))
        .ok_or_else(absent)?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let line: usize = line.parse().map_err(|_| absent())?;
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    program_behind(&text[start..]).map(str::to_string).ok_or_else(absent)
}

/// The string literal behind the first word `pvl` that is followed by one.
fn program_behind(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find(" pvl")? + " pvl".len()..];
        let behind = rest.trim_start();
        // Inside of a description the word may be followed by its end.
        if behind.len() == rest.len() || !behind.starts_with('"') {
            continue;
        }
        let quote = if behind.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
        let inner = &behind[quote.len()..];
        return inner.find(quote).map(|end| &inner[..end]);
    }
}

fn scala_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = list_below(folder, &["scala"]).ok()?;
    files.into_iter().find(|path| path.file_name().is_some_and(|file| file == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "kind\tfile\tcode\teffective\texpected_failures_inline(code@lines)\tmode\tflags\tgroup(files)\tspec:line\tnote\n\
        example\ta.pvl\t\tpass\t\tverify\t\ta.pvl+b.pvl\tS:1\t\n\
        example\tb.pvl\t\tpass-with-expected-failures\tassertFailed:false@3-5,perm@7-7\tverify\t\ta.pvl+b.pvl\tS:1\t\n\
        example\tc.pvl\ta:x,y\terror\t\tveymont:choreography\t--flag\t\tS:2\tn\n\
        example\td.pvl\t\tdisabled\t\tverify\t\t\tS:3\t\n\
        inline\tinline:S:9\tperm\tfail\t\tverify\t\t\tS:9\t\n\
        example\te.pvl\t\tcancelled:Models\t\tverify\t\t\tS:4\t\n";

    #[test]
    fn a_group_is_one_case_and_disabled_tests_are_none() {
        let cases = read(TABLE).expect("the table is complete");
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["a.pvl+b.pvl", "c.pvl", "inline:S:9", "e.pvl"]);
        assert_eq!(cases[0].files, ["a.pvl", "b.pvl"]);
        assert_eq!(cases[0].regions.len(), 2);
        assert_eq!(cases[0].regions[0], Region { code: "assertFailed:false".to_string(), lines: (3, 5) });
        assert_eq!(cases[1].expected, Expected::Error(vec!["a:x".to_string(), "a:y".to_string()]));
        assert!(cases[1].is_choreography && cases[1].flags == ["--flag"]);
        assert_eq!(cases[2].expected, Expected::Fail("perm".to_string()));
        assert!(cases[2].is_snippet);
        assert_eq!(cases[3].expected, Expected::Cancelled("Models".to_string()));
    }

    #[test]
    fn a_table_without_the_columns_is_refused() {
        assert!(read("kind\tfile\n").is_err());
    }

    #[test]
    fn programs_are_taken_out_of_scala() {
        let text = "  vercors should verify using silicon in \"casting pvl\" pvl \"\"\"\n  a \"b\"\n\"\"\"\n";
        assert_eq!(program_behind(text), Some("\n  a \"b\"\n"));
        assert_eq!(program_behind("x in \"y\" pvl \"} class\"\n"), Some("} class"));
        assert_eq!(program_behind("no program"), None);
    }
}
