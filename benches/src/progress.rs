//! How far a run is and how long it will take: a bar in a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Shown on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    said: Instant,
    done: usize,
    total: usize,
}

const SILENCE: Duration = Duration::from_secs(15);

impl Progress {
    /// For so many windows.
    pub fn new(total: usize) -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:32} {pos}/{len} windows, {eta} left  {wide_msg}");
            ProgressBar::new(total as u64).with_style(style.expect("the template is correct"))
        });
        Self { bar, started: now, said: now, done: 0, total }
    }

    /// What is measured now. To be called between windows: nothing is drawn while one is being measured.
    pub fn begin(&self, what: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(what());
        }
    }

    /// One window is done.
    pub fn advance(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if self.said.elapsed() >= SILENCE => {
                self.said = Instant::now();
                let left = self.started.elapsed().as_secs_f64() / self.done as f64 * (self.total - self.done) as f64;
                eprintln!("  {} of {} windows, about {left:.0} s left", self.done, self.total);
            }
            None => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
