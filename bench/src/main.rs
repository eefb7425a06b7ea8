//! Probity beside SPIN, for Promela and (`bench processes`) for process models, and (`bench silver`) beside Silicon: the same
//! inputs, the same question, the same machine. `bench states`: what a stored state costs, beside SPIN. `bench flat`: what it
//! costs in large searches and in small ones. `bench searches`: the searches of Probity beside each other.
//!
//! Each model is searched whole for assertions and invalid end states, without partial-order reduction, by one
//! thread. Both programs must store the same number of states, or the comparison is worth nothing and the exit
//! code says so.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod arguments;
mod flat;
mod goals;
mod json;
mod measure;
mod models;
mod plot;
mod probity;
mod processes;
mod searches;
mod silver;
mod spin;
mod states;
mod table;

use std::process::ExitCode;

use crate::arguments::Arguments;
use crate::measure::Workplace;
use crate::table::Row;

/// All counts agree.
const AGREED: u8 = 0;
/// A count differs, or a program failed.
const DIFFERED: u8 = 1;
/// A tool is missing.
const MISSING: u8 = 2;
/// The arguments are wrong.
const BAD_USAGE: u8 = 3;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == "silver").is_some() {
        return told(silver::run(words), silver::USAGE);
    }
    if words.next_if(|word| word == "searches").is_some() {
        return told(searches::run(words), searches::USAGE);
    }
    if words.next_if(|word| word == "flat").is_some() {
        return told(flat::run(words), flat::USAGE);
    }
    for (mode, run, usage) in [
        ("processes", processes::run as fn(_) -> _, processes::USAGE),
        ("states", states::run as fn(_) -> _, states::USAGE),
    ] {
        if words.next_if(|word| word == mode).is_some() {
            let missing = measure::missing_tools();
            if !missing.is_empty() {
                missing.iter().for_each(|sentence| eprintln!("bench: {sentence}"));
                return ExitCode::from(MISSING);
            }
            return told(run(words), usage);
        }
    }
    let arguments = match arguments::parse(words) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{}", arguments::USAGE);
            return ExitCode::from(AGREED);
        }
        Err(message) => {
            eprintln!("bench: {message}\n\n{}", arguments::USAGE);
            return ExitCode::from(BAD_USAGE);
        }
    };
    let missing = measure::missing_tools();
    if !missing.is_empty() {
        for sentence in missing {
            eprintln!("bench: {sentence}");
        }
        return ExitCode::from(MISSING);
    }
    match run(&arguments) {
        Ok(true) => ExitCode::from(AGREED),
        Ok(false) => ExitCode::from(DIFFERED),
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(MISSING)
        }
    }
}

/// The exit code for what a benchmark found; nothing where help was asked for.
fn told(outcome: Result<Option<bool>, String>, usage: &str) -> ExitCode {
    match outcome {
        Ok(Some(true)) => ExitCode::from(AGREED),
        Ok(Some(false)) => ExitCode::from(DIFFERED),
        Ok(None) => {
            println!("{usage}");
            ExitCode::from(AGREED)
        }
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(MISSING)
        }
    }
}

/// Whether everything agreed.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let models = models::select(arguments)?;
    let program = probity::find(arguments)?;
    let place = Workplace::new()?;

    // What the programs need for (nearly) nothing: everything above it is for states.
    let empty = place.write("two_states.pml", "init { skip }\n")?;
    let spin_base = spin::run(&place, &empty, arguments.runs)?.memory_bytes;
    let probity_base = probity::run(&place, &program, &empty, arguments.runs)?.memory_bytes;

    println!("{}", table::HEAD);
    let mut rows: Vec<Row> = Vec::new();
    let mut agreed = true;
    for model in &models {
        let text = model.text()?;
        let path = place.write_model(model, &text)?;
        let outcome = spin::run(&place, &path, arguments.runs)
            .and_then(|spin| Ok((spin, probity::run(&place, &program, &path, arguments.runs)?)));
        match outcome {
            Ok((spin, probity)) => {
                let row = Row::new(model.name, spin, probity, (spin_base, probity_base));
                println!("{}", row.line());
                agreed &= row.agrees();
                rows.push(row);
            }
            Err(message) => {
                println!("| {} | {} |", model.name, message.trim().replace('\n', "; "));
                agreed = false;
            }
        }
    }
    println!();
    print!("{}", goals::summary(&rows, arguments.runs));
    Ok(agreed)
}
