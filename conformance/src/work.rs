//! How work is done here: several things at a time, and commands that are stopped when they take too long.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Does some work for each item, so many at a time. Each result is told as soon as it is there, one at a time; together they
/// have the order of the items.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(usize, &T) -> R + Sync,
    tell: impl Fn(&R) + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(index, item);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            tell(&result);
            found.push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(worker);
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, result)| result).collect()
}

/// What a command prints on its standard output; `None` if it had to be stopped.
pub fn bounded(mut command: Command, limit: Duration) -> Result<Option<Vec<u8>>, String> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    let mut stdout = child.stdout.take().ok_or("there is no output")?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        bytes
    });
    let start = Instant::now();
    loop {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(reader.join().ok());
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u64> = (0..20).collect();
        let told = AtomicUsize::new(0);
        let work = |index: usize, item: &u64| {
            std::thread::sleep(Duration::from_millis(20 - item));
            (index, item * 2)
        };
        let found = in_parallel(&items, 4, work, |_| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(found, (0..20).map(|item| (item as usize, item * 2)).collect::<Vec<_>>());
        assert_eq!(told.into_inner(), 20);
        assert!(in_parallel(&[] as &[u64], 4, work, |_| {}).is_empty());
    }

    #[test]
    fn a_command_that_takes_too_long_is_stopped() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        assert_eq!(bounded(shell("echo here"), Duration::from_secs(20)), Ok(Some(b"here\n".to_vec())));
        assert_eq!(bounded(shell("exec sleep 20"), Duration::from_millis(50)), Ok(None));
    }
}
