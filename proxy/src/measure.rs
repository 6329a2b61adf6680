//! What a pick costs in here, for the comparison: the very call that a request makes, without the request.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use crate::balance::Balance;
use crate::upstream::Upstream;
use crate::{Options, admin};

/// Nanoseconds between two picks of one thread, while this many threads pick from this many backends as fast as they
/// can: more contention than requests ever cause. Must be called in a tokio runtime, since backends have connection
/// pools.
pub fn nanoseconds_per_pick(options: &Options, backends: usize, threads: usize, window: Duration) -> f64 {
    let balance = Balance::new(options);
    let alive = Arc::new(AtomicUsize::new(0));
    for number in 0..backends {
        if let Ok(address) = admin::parse_address("127.0.0.1:1") {
            balance.ring().register(Upstream::new(&format!("b{number}"), address, options, &alive));
        }
    }
    let (stop, barrier) = (AtomicBool::new(false), Barrier::new(threads + 1));
    std::thread::scope(|scope| {
        let picking: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let (begin, mut picks) = (Instant::now(), 0_u64);
                    while !stop.load(Relaxed) {
                        for _ in 0..64 {
                            std::hint::black_box(balance.next().is_ok());
                        }
                        picks += 64;
                    }
                    begin.elapsed().as_nanos() as f64 / picks as f64
                })
            })
            .collect();
        barrier.wait();
        std::thread::sleep(window);
        stop.store(true, Relaxed);
        let each: Vec<f64> = picking.into_iter().filter_map(|thread| thread.join().ok()).collect();
        each.iter().sum::<f64>() / each.len() as f64
    })
}
