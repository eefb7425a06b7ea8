//! `conformance mutate`: verified PVL programs with a small change, which ought not to be verified any more.
//!
//! Whatever is still verified is put into Silver and, if asked for, given to Silicon: a mutant that Probity verifies and
//! Silicon refutes is a wrong verdict of one of them. Those that both verify are for people to judge; the table says
//! what was changed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;
use conformance::mutation::{Mutation, mutations, without_expectations};
use conformance::work::bounded;
use serde_json::Value;
use testing::list_below;

#[derive(Args)]
pub(crate) struct MutateArguments {
    /// Programs, or folders with programs
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The program under test
    #[arg(long, value_name = "PATH")]
    probity: PathBuf,
    /// Where mutants, their Silver and the tables go
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mutants of each program
    #[arg(long, value_name = "N", default_value_t = 12)]
    per_file: usize,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds for each run
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// z3, cvc5 or a path
    #[arg(long)]
    solver: Option<String>,
    /// Run `COMMAND warm TABLE FOLDER LIST` on the Silver of what is still verified
    #[arg(long, value_name = "COMMAND")]
    silicon: Option<PathBuf>,
}

/// What became of a mutant.
struct Row {
    name: String,
    mutation: Mutation,
    line: usize,
    before: String,
    after: String,
    verdict: &'static str,
    code: String,
    silicon: String,
}

pub(crate) fn run(arguments: &MutateArguments) -> ExitCode {
    crate::ended(run_all(arguments).map(|problems| problems == 0))
}

fn run_all(arguments: &MutateArguments) -> Result<usize, String> {
    for folder in ["base", "mutants", "silver"] {
        let folder = arguments.out.join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut rows = Vec::new();
    let mut programs = 0;
    for file in programs_of(&arguments.paths)? {
        if let Some(mut found) = mutate_file(arguments, &file)? {
            programs += 1;
            rows.append(&mut found);
            write(&arguments.out.join("mutants.tsv"), &table(&rows))?;
        }
    }
    if let Some(silicon) = &arguments.silicon {
        ask_silicon(arguments, silicon, &mut rows)?;
    }
    write(&arguments.out.join("mutants.tsv"), &table(&rows))?;
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    println!("programs\t{programs}\nmutants\t{}", rows.len());
    for verdict in ["refuted", "rejected", "unknown", "verified"] {
        println!("{verdict}\t{}", count(verdict));
    }
    let refuted: Vec<&Row> =
        rows.iter().filter(|row| row.verdict == "verified" && row.silicon == "fail").collect();
    for row in &refuted {
        println!("SILICON REFUTES\t{}\tline {}\t{} -> {}", row.name, row.line, row.before, row.after);
    }
    Ok(refuted.len())
}

/// The programs that are named, and all below the folders that are.
fn programs_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(list_below(path, &["pvl"])?);
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// All mutants of a program; `None` if it is not verified itself.
fn mutate_file(arguments: &MutateArguments, file: &Path) -> Result<Option<Vec<Row>>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let Some(text) = without_expectations(&text) else {
        println!("skipped\t{}\tit cannot be read", file.display());
        return Ok(None);
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let stem = format!("{folder}-{stem}");
    let base = arguments.out.join("base").join(format!("{stem}.pvl"));
    write(&base, &text)?;
    let (verdict, code) = verify(arguments, &base)?;
    if verdict != "verified" {
        println!("skipped\t{}\t{verdict} {code}", file.display());
        return Ok(None);
    }
    let mut rows = Vec::new();
    for (index, mutation) in mutations(&text, arguments.per_file, arguments.seed).into_iter().enumerate() {
        let name = format!("{stem}.{index:02}");
        let mutant = arguments.out.join("mutants").join(format!("{name}.pvl"));
        write(&mutant, &mutation.apply(&text))?;
        let (verdict, code) = verify(arguments, &mutant)?;
        let line = mutation.line(&text);
        let (before, after) = mutation.describe(&text);
        if verdict == "verified" {
            let silver = Command::new(&arguments.probity).args(["print", "--silver"]).arg(&mutant).output();
            let silver = silver.map_err(|error| error.to_string())?;
            let path = arguments.out.join("silver").join(format!("{name}.vpr"));
            fs::write(&path, silver.stdout).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        println!("{verdict}\t{name}\t{}\tline {line}\t{before} -> {after}\t{code}", mutation.kind);
        rows.push(Row { name, mutation, line, before, after, verdict, code, silicon: "-".to_string() });
    }
    Ok(Some(rows))
}

/// The verdict on a program and the first code that is reported.
fn verify(arguments: &MutateArguments, file: &Path) -> Result<(&'static str, String), String> {
    let mut command = Command::new(&arguments.probity);
    command
        .env("PROBITY_CACHE", "")
        .args(["verify", "--json", "--no-counterexamples", "--workers", "1"])
        .arg(file);
    command.args(["--member-timeout", &arguments.timeout.to_string()]);
    if let Some(solver) = &arguments.solver {
        command.args(["--solver", solver]);
    }
    let output = bounded(command, Duration::from_secs(arguments.timeout * 3))?;
    let Some(output) = output else { return Ok(("unknown", "the time is over".to_string())) };
    let value: Value = match serde_json::from_slice(&output) {
        Ok(value) => value,
        Err(_) => return Ok(("rejected", "no report".to_string())),
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let code = |report: &Value| report["code"].as_str().unwrap_or("?").to_string();
    let error = list(&value["diagnostics"]).iter().find(|report| report["severity"] == "error").map(code);
    let failure = list(&value["members"]).iter().flat_map(|member| list(&member["failures"])).next();
    let failure = failure.as_ref().map(code);
    Ok(match value["verdict"].as_str() {
        Some("holds") => ("verified", String::new()),
        Some("violated") => ("refuted", failure.or(error).unwrap_or_default()),
        _ if error.is_some() => ("rejected", error.unwrap_or_default()),
        _ => ("unknown", failure.unwrap_or_default()),
    })
}

/// Runs Silicon on everything that is still verified.
fn ask_silicon(arguments: &MutateArguments, silicon: &Path, rows: &mut [Row]) -> Result<(), String> {
    let names = rows.iter().filter(|row| row.verdict == "verified");
    let list: String = names.map(|row| format!("{}.vpr\n", row.name)).collect();
    let (list_path, answers) = (arguments.out.join("list"), arguments.out.join("silicon.tsv"));
    write(&list_path, &list)?;
    let _ = fs::remove_file(&answers);
    let status = Command::new(silicon)
        .arg("warm")
        .args([&answers, &arguments.out.join("silver"), &list_path])
        .stdout(std::process::Stdio::null())
        .status();
    status.map_err(|error| format!("{}: {error}", silicon.display()))?;
    let answers = fs::read_to_string(&answers).unwrap_or_default();
    for answer in answers.lines() {
        let mut columns = answer.split('\t');
        let (Some(file), Some(verdict)) = (columns.next(), columns.next()) else { continue };
        if let Some(row) = rows.iter_mut().find(|row| file == format!("{}.vpr", row.name)) {
            row.silicon = verdict.to_string();
        }
    }
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let mut text = "mutant\tkind\tline\tbefore\tafter\tverdict\tcode\tsilicon\n".to_string();
    for row in rows {
        let Row { name, mutation, line, before, after, verdict, code, silicon } = row;
        let kind = mutation.kind;
        let _ = writeln!(text, "{name}\t{kind}\t{line}\t{before}\t{after}\t{verdict}\t{code}\t{silicon}");
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
