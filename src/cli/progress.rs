//! A sign of life, on a terminal only and only when a run is long enough to wait for.

use std::{
    io::IsTerminal,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Shows a spinner from the first second until it is dropped.
pub(super) struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    pub(super) fn start(what: &'static str, quiet: bool) -> Self {
        Self::telling(move || what.to_owned(), quiet)
    }

    /// One that says how far it got.
    pub(super) fn telling(say: impl Fn() -> String + Send + 'static, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = indicatif::ProgressBar::new_spinner();
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                spinner.set_message(say());
                spinner.tick();
            }
            spinner.finish_and_clear();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take()); // a closed channel ends the thread
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a spinner that failed is no reason to fail
        }
    }
}
