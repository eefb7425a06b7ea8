//! `conformance attack`: random programs against a concrete interpreter, and `assert false` at every point.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Args;
use conformance::oracle::campaign::{self, Counts, Finding, Kind, Plan};
use conformance::oracle::pvl::Pvl;
use conformance::oracle::silver::Silver;
use conformance::oracle::verifier::{Answer, Verifier, Word};
use conformance::oracle::{Effort, Language};
use conformance::solver;
use symbolic::VerifyOptions;
use testing::Random;

#[derive(Args)]
pub(crate) struct AttackArguments {
    /// The language of random programs: silver or pvl
    #[arg(long, default_value = "silver")]
    language: String,
    /// How many random programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    programs: u64,
    /// The number of the first one: with `--programs 1` a program is tried again alone
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Programs that are tried at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Concrete runs of each member
    #[arg(long, value_name = "N", default_value_t = Effort::default().runs)]
    runs: usize,
    /// Start no more programs after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Stop when something was found
    #[arg(long)]
    until_found: bool,
    /// Ask the tool only about programs with a failing run: faster, but the counts are not about all programs
    #[arg(long)]
    hunt: bool,
    /// Smaller programs to try for each finding
    #[arg(long, value_name = "N", default_value_t = 2000)]
    tries: usize,
    /// Ask this build of the program instead of the engine that is built in
    #[arg(long, value_name = "PATH")]
    probity: Option<PathBuf>,
    /// z3, cvc5 or a path
    #[arg(long)]
    solver: Option<String>,
    /// Seconds for each member
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    timeout: u64,
    /// Keep what was found in this folder: programs, minimised programs and the runs that fail
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Print the programs instead of trying them
    #[arg(long)]
    show: bool,
    /// Put `assert false` at every point of the programs that hold: the files given, or random ones
    #[arg(long = "false")]
    point_of_false: bool,
    /// Say how often each failure was reported
    #[arg(long)]
    codes: bool,
    /// Programs to execute and verify instead of random ones; the language is told by the name
    files: Vec<PathBuf>,
}

/// Every language that can be attacked.
fn languages() -> Vec<Box<dyn Language>> {
    vec![Box::new(Silver), Box::new(Pvl)]
}

pub(crate) fn run(arguments: &AttackArguments) -> ExitCode {
    crate::ended(attack(arguments))
}

/// Whether nothing was found.
fn attack(arguments: &AttackArguments) -> Result<bool, String> {
    let verifier = verifier(arguments)?;
    if let Some(folder) = &arguments.keep {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let languages = languages();
    let by_name = |name: &str| {
        let found = languages.iter().find(|language| language.name() == name || language.extension() == name);
        found.map(|language| &**language).ok_or(format!("`{name}` is not a language that can be attacked"))
    };
    if !arguments.files.is_empty() {
        let mut is_good = true;
        for file in &arguments.files {
            let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
            let language = by_name(&extension)?;
            let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let name = file.display().to_string();
            is_good &= if arguments.point_of_false {
                false_points(arguments, language, &verifier, &name, &text)?
            } else {
                one_file(arguments, language, &verifier, &name, &text)?
            };
        }
        return Ok(is_good);
    }
    let language = by_name(&arguments.language)?;
    let numbers = arguments.first..arguments.first + arguments.programs;
    if arguments.show {
        for number in numbers {
            println!("// {number}\n{}", campaign::program(language, arguments.seed, number));
        }
        return Ok(true);
    }
    if arguments.point_of_false {
        let mut is_good = true;
        let start = Instant::now();
        for number in numbers {
            if arguments.time.is_some_and(|time| start.elapsed().as_secs() > time) {
                break;
            }
            let text = campaign::program(language, arguments.seed, number);
            is_good &= false_points(arguments, language, &verifier, &number.to_string(), &text)?;
        }
        return Ok(is_good);
    }
    random_programs(arguments, language, &verifier)
}

fn verifier(arguments: &AttackArguments) -> Result<Verifier, String> {
    let timeout = Duration::from_secs(arguments.timeout);
    Ok(match &arguments.probity {
        Some(program) => {
            Verifier::Child { program: program.clone(), solver: arguments.solver.clone(), timeout }
        }
        None => {
            let mut options = VerifyOptions::new(solver::find(arguments.solver.as_deref(), 0)?);
            options.counterexamples = false;
            options.member_timeout = Some(timeout);
            Verifier::InProcess(Box::new(options))
        }
    })
}

fn effort(arguments: &AttackArguments) -> Effort {
    Effort { runs: arguments.runs, ..Effort::default() }
}

fn random_programs(
    arguments: &AttackArguments,
    language: &dyn Language,
    verifier: &Verifier,
) -> Result<bool, String> {
    let plan = Plan {
        seed: arguments.seed,
        first: arguments.first,
        programs: arguments.programs,
        jobs: arguments.jobs,
        effort: effort(arguments),
        time: arguments.time.map(Duration::from_secs),
        until_found: arguments.until_found,
        tries: arguments.tries,
        hunt: arguments.hunt,
    };
    let problem = Mutex::new(None);
    let start = Instant::now();
    let observe = |counts: &Counts, finding: Option<&Finding>| {
        if let Some(finding) = finding {
            tell(finding);
            if let Some(folder) = &arguments.keep
                && let Err(message) = keep(folder, language, finding)
                && let Ok(mut problem) = problem.lock()
            {
                *problem = Some(message);
            }
        }
        if counts.programs.is_multiple_of(500) {
            eprintln!("{} programs, {:.0} s", counts.programs, start.elapsed().as_secs_f64());
        }
    };
    let outcome = campaign::run(language, verifier, &plan, &observe);
    print!("{}", outcome.counts.table());
    println!("seconds\t{:.1}", outcome.time.as_secs_f64());
    if arguments.codes {
        for (code, count) in &outcome.counts.codes {
            println!("{code}\t{count}");
        }
    }
    if let Ok(Some(message)) = problem.into_inner() {
        return Err(message);
    }
    Ok(outcome.findings.iter().all(|finding| finding.kind == Kind::Suspect))
}

fn tell(finding: &Finding) {
    println!("{}\tprogram {}\t{}", finding.kind.word(), finding.number, finding.message);
    println!("{}", finding.minimised);
    if let Some(run) = &finding.run {
        println!("{}", run.story);
    }
}

/// Writes a finding into a folder: the program as it was, made small, and how it fails.
fn keep(folder: &Path, language: &dyn Language, finding: &Finding) -> Result<(), String> {
    let stem = format!("{}-{}-{}", language.name(), finding.kind.word(), finding.number);
    let extension = language.extension();
    let write = |name: String, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(format!("{stem}.{extension}"), &finding.program)?;
    write(format!("{stem}.small.{extension}"), &finding.minimised)?;
    let story = finding.run.as_ref().map_or("", |run| run.story.as_str());
    write(format!("{stem}.txt"), &format!("{}\n{story}\n", finding.message))
}

/// Both sides on one file.
fn one_file(
    arguments: &AttackArguments,
    language: &dyn Language,
    verifier: &Verifier,
    name: &str,
    text: &str,
) -> Result<bool, String> {
    let answer = verifier.ask(text, language.extension());
    let runs = match language.execute(text, &mut Random::new(arguments.seed), &effort(arguments)) {
        Ok(runs) => runs,
        Err(message) => {
            println!("{name}\t{:?}\tnot executable: {message}", answer.verdict);
            return Ok(true);
        }
    };
    let (complete, pruned, given_up) = (runs.complete, runs.pruned, runs.given_up);
    println!("{name}\t{:?}\t{complete} complete, {pruned} pruned, {given_up} given up", answer.verdict);
    for (reason, count) in &runs.reasons {
        println!("    given up: {reason} ({count})");
    }
    for code in &answer.codes {
        println!("    reported: {code}");
    }
    for run in &runs.failures {
        let exact = if run.is_exact { "" } else { " (something infinite was cut down)" };
        println!("    `{}` fails on line {}: {}{exact}\n{}", run.member, run.line, run.code, run.story);
    }
    let contradiction = campaign::contradiction(language, text, &answer, &runs);
    if let Some(run) = &contradiction {
        println!("{name}\tCONTRADICTION\t`{}` line {}", run.member, run.line);
    }
    Ok(contradiction.is_none())
}

/// `assert false` at each point of what holds; whether none of those that can be reached is proved.
fn false_points(
    arguments: &AttackArguments,
    language: &dyn Language,
    verifier: &Verifier,
    name: &str,
    text: &str,
) -> Result<bool, String> {
    let before = verifier.ask(text, language.extension());
    let word_of = |answer: &Answer, member: &str| answer.of(member).unwrap_or(answer.verdict);
    let (mut refuted, mut unreachable, mut wrong) = (0, 0, 0);
    for point in language.with_false(text) {
        if word_of(&before, &point.member) != Word::Holds {
            continue;
        }
        let answer =
            verifier.ask_about(&point.text, language.extension(), std::slice::from_ref(&point.member));
        let word = word_of(&answer, &point.member);
        if word != Word::Holds {
            refuted += 1;
            continue;
        }
        let random = &mut Random::new(arguments.seed);
        let runs = language.execute(&point.text, random, &effort(arguments)).unwrap_or_default();
        let reached = runs.failures.iter().find(|run| run.line == point.line && run.member == point.member);
        match reached {
            Some(run) => {
                wrong += 1;
                let kind = if run.is_exact { "WRONG HOLDS" } else { "suspect" };
                println!("{name}\t{kind}: line {} is reached\n{}\n{}", point.line, point.text, run.story);
                if let Some(folder) = &arguments.keep {
                    let stem: String =
                        name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
                    let path = folder.join(format!("false-{stem}-{}.{}", point.line, language.extension()));
                    fs::write(&path, &point.text).map_err(|error| format!("{}: {error}", path.display()))?;
                }
            }
            None => {
                unreachable += 1;
                println!("{name}\tproved, not reached\t`{}` line {}", point.member, point.line);
            }
        }
    }
    println!("{name}\t{refuted} points refuted, {unreachable} proved and not reached, {wrong} wrong");
    Ok(wrong == 0)
}
