//! What the system says about the work of other processes.

use std::time::Duration;

use smt::ProcessorTime;

/// Linux tells in hundredths of a second, whatever its own clock does.
const TICK: Duration = Duration::from_millis(10);

/// Where the fields stand that count ticks in user mode and in the kernel, behind the name and its parentheses.
const TICKS: [usize; 2] = [11, 12];

/// The time of processors that a process has used, where the system tells.
pub(crate) fn processor_time() -> ProcessorTime {
    ProcessorTime::new(|process| read_ticks(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?))
}

/// From a line of `/proc/PID/stat`.
fn read_ticks(line: &str) -> Option<Duration> {
    // The name of a program may have anything in it, and its end is the last parenthesis.
    let fields: Vec<&str> = line.get(line.rfind(')')? + 1..)?.split_whitespace().collect();
    let ticks = TICKS.map(|field| fields.get(field).and_then(|field| field.parse::<u32>().ok()));
    Some(TICK * ticks[0]?.checked_add(ticks[1]?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_any_name() {
        let behind = "R 1 4242 4242 0 -1 4194560 905 0 3 0 250 17 0 0 20 0 1 0 8 1 2";
        for name in ["z3", "a) b (c", ")", ""] {
            let line = format!("4242 ({name}) {behind}");
            assert_eq!(read_ticks(&line), Some(Duration::from_millis(2_670)), "{line}");
        }
        for line in ["", "4242 (z3", "4242 (z3) R 1", "4242 (z3) R 1 1 1 0 -1 4 9 0 3 0 x 17 0"] {
            assert_eq!(read_ticks(line), None, "{line}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_works_is_seen_to() {
        let used = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", std::process::id()));
            read_ticks(&stat.expect("the system tells")).expect("there are ticks")
        };
        let before = used();
        let mut number = 1_u64;
        while used() < before + TICK * 3 {
            for _ in 0..100_000 {
                number = std::hint::black_box(number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
            }
        }
    }
}
