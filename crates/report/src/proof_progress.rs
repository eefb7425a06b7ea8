//! How a proof gets on, in two lines: a bar over the members, and what is being proved at the moment.

use std::time::Duration;

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
    /// The member, the obligation with its place, and how long it has been tried; the longest running.
    pub current: Option<(String, String, Duration)>,
    /// Other members that are being proved.
    pub others: usize,
}

/// The two lines.
pub fn proof_progress(progress: &ProofProgress) -> [String; 2] {
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
    let second = match &progress.current {
        Some((member, obligation, time)) => {
            let others =
                if progress.others > 0 { format!("  (and {} more)", progress.others) } else { String::new() };
            format!("{:>7.1} s  {member}: {obligation}{others}", time.as_secs_f64())
        }
        None => String::new(),
    };
    [first, second]
}

/// Nobody knows more than one digit of it.
fn time_left(left: Duration) -> String {
    let seconds = left.as_secs_f64();
    match left.as_secs() {
        _ if left.is_zero() => ", longer than before".to_string(),
        0 => ", less than 1 s left".to_string(),
        0..90 => format!(", about {seconds:.0} s left"),
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
            current: Some((
                "method `m`".to_string(),
                "the postcondition holds, a.vpr:7".to_string(),
                Duration::from_millis(1500),
            )),
            others: 1,
        };
        let [bar, live] = proof_progress(&progress);
        assert_eq!(bar, "[############------------] 1/2 members, 1 violated · 3 s · a.vpr");
        assert_eq!(live, "    1.5 s  method `m`: the postcondition holds, a.vpr:7  (and 1 more)");
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
