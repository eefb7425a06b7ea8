//! PVL as a language of campaigns.

use pvl::syntax::tree::{ClassMemberKind, DeclarationKind, Dialect, Program, Statement, StatementKind};
use pvl::syntax::{Options, parse_files};
use source::{SourceMap, Span};

use super::examine::examine;
use super::explore::Bounds;
use super::generate::program;
use super::shrink::smaller;
use crate::oracle::verifier::{Answer, Word};
use crate::oracle::{Effort, FailingRun, Language, Point, Runs};
use testing::Random;

/// The language of VerCors, in its new dialect.
#[derive(Clone, Copy, Debug)]
pub struct Pvl;

impl Language for Pvl {
    fn name(&self) -> &'static str {
        "pvl"
    }

    fn extension(&self) -> &'static str {
        "pvl"
    }

    fn generate(&self, random: &mut Random) -> String {
        program(random)
    }

    fn execute(&self, text: &str, _random: &mut Random, effort: &Effort) -> Result<Runs, String> {
        let bounds = Bounds { runs: effort.runs, steps: effort.steps * 10 };
        let examination = examine(text, Dialect::New, false, bounds);
        if let Some(message) = examination.rejected {
            return Err(message);
        }
        let (program, _) = parsed(text);
        let bodies = bodies(&program);
        let mut runs = Runs::default();
        for run in &examination.runs {
            let found = &run.exploration;
            runs.complete += found.runs;
            runs.threads = runs.threads.max(found.most_threads);
            runs.pruned += found.pruned;
            if let Some(why) = &found.unknown {
                runs.given_up += 1;
                *runs.reasons.entry(why.clone()).or_default() += 1;
            }
            if let Some(failure) = &found.failure {
                let line = failure.place.map_or(0, |place| examination.sources.place(place).line);
                let place = failure.place.unwrap_or(Span { file: source::FileId(0), start: 0, end: 0 });
                let member = bodies.iter().find(|(_, span, _)| within(place, *span));
                let member = member.map_or_else(|| run.method.clone(), |(name, ..)| name.clone());
                let failing = FailingRun {
                    member,
                    code: failure.code.to_string(),
                    line,
                    story: format!(
                        "{}({}) with {:?}: {} {}",
                        run.method, run.arguments, run.manner, failure.code, failure.detail
                    ),
                    // Whether ghost code changes a program is a question of its own.
                    is_exact: !run.manner.erased,
                };
                let is_new = !runs.failures.iter().any(|it| {
                    it.member == failing.member && it.line == failing.line && it.is_exact == failing.is_exact
                });
                if is_new {
                    runs.failures.push(failing);
                }
            }
        }
        Ok(runs)
    }

    fn smaller(&self, text: &str) -> Vec<String> {
        smaller(text)
    }

    fn with_false(&self, text: &str) -> Vec<Point> {
        let (program, _) = parsed(text);
        let mut points = Vec::new();
        for (name, span, statements) in bodies(&program) {
            let is_expected = program.expectations.iter().any(|it| within(it.span, span));
            if is_expected {
                continue;
            }
            let mut places = Vec::new();
            statements.iter().for_each(|statement| collect(statement, &mut places));
            if let Some(end) = statements.last().map(|statement| statement.span.end as usize)
                && !statements.last().is_some_and(leaves)
            {
                places.push(end);
            }
            places.sort_unstable();
            places.dedup();
            for place in places {
                let Some((front, back)) = text.split_at_checked(place) else { continue };
                let line = front.lines().count().max(1) as u32 + u32::from(front.ends_with('\n'));
                let text = format!("{front} assert false; {back}");
                points.push(Point { member: name.clone(), line, text });
            }
        }
        points
    }

    fn contradicts(&self, text: &str, answer: &Answer, run: &FailingRun) -> bool {
        if answer.verdict != Word::Holds {
            return false;
        }
        // Behind a failure that is expected nothing is claimed about a member.
        let (program, sources) = parsed(text);
        !program.expectations.iter().any(|expectation| {
            let owner = bodies(&program).into_iter().find(|(_, span, _)| within(expectation.span, *span));
            owner.is_none_or(|(name, span, _)| {
                let lines = (sources.place(span).line, sources.place(Span { start: span.end, ..span }).line);
                // The run may have begun in that member, and fail in what it calls.
                let begins_there = run.story.split('(').next() == name.rsplit('.').next();
                begins_there || name == run.member || (lines.0 <= run.line && run.line <= lines.1)
            })
        })
    }
}

fn parsed(text: &str) -> (Program, SourceMap) {
    let mut sources = SourceMap::default();
    let file = sources.add("program.pvl", text);
    let (program, _) = parse_files(&sources, &[file], Options { dialect: Dialect::New });
    (program, sources)
}

fn within(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Everything with a body that is a block: its name, where it is declared, and its statements.
fn bodies(program: &Program) -> Vec<(String, Span, &[Statement])> {
    let mut found = Vec::new();
    for declaration in &program.declarations {
        match &declaration.kind {
            DeclarationKind::Method(method) if method.modifiers.pure.is_none() => {
                if let Some(body) = &method.body {
                    found.push((method.name.name.text.to_string(), declaration.span, &body.statements[..]));
                }
            }
            DeclarationKind::Class(class) => {
                for member in &class.members {
                    let (name, body) = match &member.kind {
                        ClassMemberKind::Method(method) if method.modifiers.pure.is_none() => {
                            (format!("{}.{}", class.name.text, method.name.name.text), &method.body)
                        }
                        ClassMemberKind::Constructor(it) => {
                            (format!("{}.constructor", class.name.text), &it.body)
                        }
                        ClassMemberKind::Run(it) => (format!("{}.run", class.name.text), &it.body),
                        _ => continue,
                    };
                    if let Some(body) = body {
                        found.push((name, member.span, &body.statements[..]));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Where a statement can be put: in front of those that stand in blocks.
fn collect(statement: &Statement, places: &mut Vec<usize>) {
    places.push(statement.span.start as usize);
    inside(statement, places);
}

fn inside(statement: &Statement, places: &mut Vec<usize>) {
    match &statement.kind {
        StatementKind::Block(block) | StatementKind::Invariant { body: block, .. } => {
            block.statements.iter().for_each(|statement| collect(statement, places));
            if !block.statements.last().is_some_and(leaves) {
                places.push(block.span.end as usize - 1);
            }
        }
        StatementKind::Vector { .. } | StatementKind::Package { .. } | StatementKind::Barrier { .. } => {}
        other => other.for_each_child(&mut |child| inside(child, places)),
    }
}

fn leaves(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Return(_) | StatementKind::Goto(_))
}
