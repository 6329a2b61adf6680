//! How long to wait before the next question.

use std::time::{Duration, Instant};

/// After failures: any time up to a limit that doubles, up to a limit. ("Full jitter": clients that failed together do
/// not come back together.)
#[derive(Debug)]
pub(super) struct Backoff {
    first: Duration,
    most: Duration,
    failures: u32,
}

impl Backoff {
    pub(super) fn new(first: Duration, most: Duration) -> Self {
        Self { first, most, failures: 0 }
    }

    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    pub(super) fn failed(&mut self) -> Duration {
        let limit = self.limit();
        self.failures = self.failures.saturating_add(1);
        limit.mul_f64(fastrand::f64())
    }

    fn limit(&self) -> Duration {
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.most)
    }
}

/// After answers to blocking queries: two may follow each other at once, then one each interval. So news is fast, and a
/// service that changes all the time costs little.
#[derive(Debug)]
pub(super) struct Bucket {
    interval: Duration,
    /// When it is full again. Each question takes one interval.
    full_at: Instant,
}

impl Bucket {
    const BURST: u32 = 2;

    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        Self { interval, full_at: now }
    }

    /// How long to wait before the question that is next.
    pub(super) fn take(&mut self, now: Instant) -> Duration {
        let full_at = self.full_at.max(now).checked_add(self.interval).unwrap_or(now);
        self.full_at = full_at;
        full_at.duration_since(now).saturating_sub(self.interval.saturating_mul(Self::BURST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn limits_double_up_to_the_most_and_start_over() {
        let mut backoff = Backoff::new(SECOND, 5 * SECOND);
        for expected in [1, 2, 4, 5, 5] {
            assert_eq!(backoff.limit(), expected * SECOND);
            assert!(backoff.failed() <= expected * SECOND);
        }
        for _ in 0..100 {
            assert!(backoff.failed() <= 5 * SECOND, "never above, whatever overflows");
        }
        backoff.succeeded();
        assert_eq!(backoff.limit(), SECOND);
    }

    #[test]
    fn waits_spread_over_all_of_the_limit() {
        let mut backoff = Backoff::new(SECOND, SECOND);
        let waits: Vec<_> = (0..1000).map(|_| backoff.failed()).collect();
        assert!(waits.iter().any(|wait| *wait < SECOND / 4) && waits.iter().any(|wait| *wait > SECOND * 3 / 4));
    }

    #[test]
    fn two_at_once_then_one_each_interval() {
        let start = Instant::now();
        let mut bucket = Bucket::new(SECOND, start);
        let mut now = start;
        for expected in [0, 0, 1, 1, 1] {
            let wait = bucket.take(now);
            assert_eq!(wait, expected * SECOND);
            now += wait;
        }
        now += 10 * SECOND;
        assert_eq!([bucket.take(now), bucket.take(now), bucket.take(now)], [Duration::ZERO, Duration::ZERO, SECOND]);
    }
}
