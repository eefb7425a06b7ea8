//! Being told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::UNKNOWN;
use crate::output::err;

/// How long a run may take to come to an end after it was told to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// A flag that the first signal sets. A second signal ends the program at once, in case the first is not heard.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, String> {
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let registered = signal_hook::flag::register_conditional_shutdown(
            signal,
            i32::from(UNKNOWN),
            Arc::clone(&interrupt),
        )
        .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&interrupt)));
        registered.map_err(|error| format!("cannot listen to signals: {error}"))?;
    }
    Ok(interrupt)
}

/// Ends the program when a run does not heed the flag: a script sends one signal only, and must not be left
/// with a program that goes on.
pub(crate) fn insist(flag: &Arc<AtomicBool>) {
    let flag = Arc::clone(flag);
    std::thread::spawn(move || {
        while !flag.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        std::thread::sleep(PATIENCE);
        err("\nprobity: interrupted\n");
        std::process::exit(i32::from(UNKNOWN));
    });
}
