//! How a proof gets on, in a few lines: a bar over the members, and what is being proved of each at the moment.

use std::time::Duration;

use source::SourceMap;
use verdict::Obligation;

/// A moment of a run of the deductive engine.
#[derive(Clone, Debug, Default)]
pub struct ProofProgress {
    pub file: String,
    pub finished: usize,
    pub failed: usize,
    pub members: usize,
    pub time: Duration,
    /// How much longer it will take, judged by earlier runs; zero if it takes longer than they did.
    pub left: Option<Duration>,
    /// The members that are being proved: the obligation with its place, and how long it has been tried.
    pub running: Vec<(String, String, Duration)>,
}

/// The bar, and a line for each running member.
pub fn proof_progress(progress: &ProofProgress) -> Vec<String> {
    const SHOWN: usize = 6;
    const WIDTH: usize = 24;
    let done = (WIDTH * progress.finished).checked_div(progress.members).unwrap_or(0).min(WIDTH);
    let bar = format!("{}{}", "#".repeat(done), "-".repeat(WIDTH - done));
    let failed = if progress.failed > 0 { format!(", {} violated", progress.failed) } else { String::new() };
    let first = format!(
        "[{bar}] {}/{} members{failed} · {:.0} s{} · {}",
        progress.finished,
        progress.members,
        progress.time.as_secs_f64(),
        progress.left.map(time_left).unwrap_or_default(),
        progress.file
    );
    let mut lines = vec![first];
    for (member, obligation, time) in progress.running.iter().take(SHOWN) {
        lines.push(format!("{:>7.1} s  {member}: {obligation}", time.as_secs_f64()));
    }
    if progress.running.len() > SHOWN {
        lines.push(format!("           and {} more", progress.running.len() - SHOWN));
    }
    lines
}

/// An obligation with the places that it is about.
pub fn obligation_text(sources: &SourceMap, obligation: &Obligation) -> String {
    let place = |span| {
        let place = sources.place(span);
        format!("{}:{}", sources.file(span.file).name, place.line)
    };
    let mut text = format!("{}, {}", obligation.text, place(obligation.span));
    if let Some(clause) = obligation.clause {
        let shown = place(clause);
        let same_file = clause.file == obligation.span.file;
        let shown = if same_file { format!("line {}", sources.place(clause).line) } else { shown };
        text.push_str(&format!(" (declared at {shown})"));
    }
    text
}

/// In whole seconds or minutes, since it is an estimate.
fn time_left(left: Duration) -> String {
    let seconds = left.as_secs_f64();
    match left.as_secs() {
        _ if left.is_zero() => ", longer than before".to_string(),
        0 => ", less than 1 s left".to_string(),
        1..90 => format!(", about {seconds:.0} s left"),
        _ => format!(", about {:.0} min left", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_bar_grows_with_the_members() {
        let progress = ProofProgress {
            file: "a.vpr".to_string(),
            finished: 1,
            failed: 1,
            members: 2,
            time: Duration::from_secs(3),
            left: None,
            running: vec![(
                "method `m`".to_string(),
                "the postcondition holds, a.vpr:7".to_string(),
                Duration::from_millis(1500),
            )],
        };
        let lines = proof_progress(&progress);
        assert_eq!(lines[0], "[############------------] 1/2 members, 1 violated · 3 s · a.vpr");
        assert_eq!(lines[1], "    1.5 s  method `m`: the postcondition holds, a.vpr:7");
        let many = ProofProgress { running: vec![progress.running[0].clone(); 9], ..progress };
        assert_eq!(proof_progress(&many).last().map(String::as_str), Some("           and 3 more"));
        assert!(proof_progress(&ProofProgress::default())[0].starts_with("[------"));
    }

    #[test]
    fn the_time_left_is_told_where_earlier_runs_tell_it() {
        let line = |left: u64| {
            let left = Some(Duration::from_millis(left));
            let time = Duration::from_secs(4);
            let progress = ProofProgress {
                file: "a.pvl".to_string(),
                finished: 12,
                members: 25,
                time,
                left,
                ..ProofProgress::default()
            };
            proof_progress(&progress)[0].clone() + "\n"
        };
        expect![[r#"
            [###########-------------] 12/25 members · 4 s, about 8 s left · a.pvl
            [###########-------------] 12/25 members · 4 s, about 4 min left · a.pvl
            [###########-------------] 12/25 members · 4 s, less than 1 s left · a.pvl
            [###########-------------] 12/25 members · 4 s, longer than before · a.pvl
        "#]]
        .assert_eq(&[8300, 250_000, 700, 0].map(line).concat());
    }
}
