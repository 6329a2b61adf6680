//! The thread that changes the list: one backend more, one backend less.

use std::thread;
use std::time::{Duration, Instant};

use snapring::Backend;

use crate::adapters::Contender;
use crate::window::Phases;

/// What the writer did while picks were counted.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// How many times it published a list.
    pub updates: u64,
    /// In what time.
    pub wall: Duration,
}

impl Written {
    /// The rate that was achieved, which is less than the wanted one if the contender is too slow for it.
    pub fn per_second(&self) -> f64 {
        self.updates as f64 / self.wall.as_secs_f64()
    }
}

/// Writes until all have finished, so many updates a second or, without a rate, one after the other.
pub(crate) fn write<C: Contender>(contender: &C, rate: Option<u32>, phases: &Phases) -> Written {
    let mut hand = Hand { contender, extra: Backend::new("extra", "10.255.255.255:80"), is_in: false };
    hand.update();
    phases.enter();
    let mut pace = Pace::new(rate);
    while !phases.all_are_here() {
        hand.update();
        pace.keep();
    }
    let (mut updates, start) = (0, Instant::now());
    while !phases.is_over() {
        hand.update();
        updates += 1;
        pace.keep();
    }
    let wall = start.elapsed();
    phases.finish();
    while !phases.all_have_finished() {
        hand.update();
        pace.keep();
    }
    Written { updates, wall }
}

struct Hand<'a, C> {
    contender: &'a C,
    extra: Backend,
    is_in: bool,
}

impl<C: Contender> Hand<'_, C> {
    fn update(&mut self) {
        if self.is_in {
            self.contender.remove(self.extra.id());
        } else {
            self.contender.add(self.extra.clone());
        }
        self.is_in = !self.is_in;
    }
}

/// Sleeps until the next update is due. Being late is made good by not sleeping, up to a limit: a writer that cannot
/// keep up, or was kept from running, does not become a flat-out writer for the rest of the window.
struct Pace {
    period: Option<Duration>,
    due: Instant,
}

/// As much may be made good.
const DEBT: Duration = Duration::from_millis(2);

impl Pace {
    fn new(rate: Option<u32>) -> Self {
        Self { period: rate.map(|rate| Duration::from_secs(1) / rate), due: Instant::now() }
    }

    fn keep(&mut self) {
        let Some(period) = self.period else { return };
        let now = Instant::now();
        self.due = (self.due + period).max(now.checked_sub(DEBT).unwrap_or(now));
        if let Some(early) = self.due.checked_duration_since(now) {
            thread::sleep(early);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_kept_on_average() {
        let (start, mut pace) = (Instant::now(), Pace::new(Some(2_000)));
        for _ in 0..40 {
            pace.keep();
        }
        assert!(start.elapsed() >= Duration::from_millis(20) - DEBT, "{:?}", start.elapsed());
    }

    #[test]
    fn without_a_rate_nobody_sleeps() {
        let (start, mut pace) = (Instant::now(), Pace::new(None));
        for _ in 0..1_000 {
            pace.keep();
        }
        assert!(start.elapsed() < Duration::from_millis(100));
    }
}
