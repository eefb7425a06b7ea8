//! Being told to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::UNKNOWN;

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
