//! Two clocks: how much time passed, and how much of it this thread was on a processor.

use std::time::{Duration, Instant};

/// When a thread began to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
}

/// What a thread has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lapse {
    /// Time that passed.
    pub wall: Duration,
    /// Time on a processor; `None` where the system does not tell.
    pub cpu: Option<Duration>,
}

impl Stopwatch {
    /// Starts now, for the calling thread.
    pub fn start() -> Self {
        Self { cpu: thread_cpu(), wall: Instant::now() }
    }

    /// What passed since the start. To be called by the thread that started it.
    pub fn lapse(&self) -> Lapse {
        let wall = self.wall.elapsed();
        let cpu = self.cpu.zip(thread_cpu()).map(|(start, now)| now.saturating_sub(start));
        Lapse { wall, cpu }
    }
}

impl Lapse {
    /// The share of the time in which the thread was not on a processor: somebody else was, or it waited for a lock.
    pub fn off_cpu(&self) -> Option<f64> {
        let cpu = self.cpu?.as_secs_f64();
        Some((1.0 - cpu / self.wall.as_secs_f64()).max(0.0))
    }
}

#[cfg(unix)]
fn thread_cpu() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).ok()
}

#[cfg(not(unix))]
fn thread_cpu() -> Option<Duration> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_sleeping_thread_is_off_the_processor_and_a_busy_one_is_not() {
        let watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(20));
        let asleep = watch.lapse().off_cpu().unwrap();
        assert!(asleep > 0.5, "{asleep}");

        let watch = Stopwatch::start();
        while watch.lapse().cpu.unwrap() < Duration::from_millis(5) {}
        assert!(watch.lapse().cpu.unwrap() >= Duration::from_millis(5));
    }
}
