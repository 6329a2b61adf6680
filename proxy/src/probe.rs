//! Asking a backend that is out of order whether it is back.

use std::sync::Weak;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::fleet::Fleet;
use crate::upstream::Upstream;

/// Opens a connection now and then, since refusing one is what it left for; with the first that opens, it returns.
///
/// Ends when it is told to, and when the fleet is gone: it keeps neither alive.
pub(crate) async fn until_it_answers(fleet: Weak<Fleet>, upstream: Upstream, stop: CancellationToken) {
    let probing = async {
        let mut pause = Pause::start(&fleet)?;
        loop {
            sleep(pause.next()).await;
            let patience = fleet.upgrade()?.options().connect_timeout;
            let connected = timeout(patience, TcpStream::connect(upstream.address().as_str())).await;
            if matches!(connected, Ok(Ok(_))) {
                fleet.upgrade()?.recovered(&upstream);
                return Some(());
            }
        }
    };
    stop.run_until_cancelled(probing).await;
}

/// Waits that double up to a limit. Each is shortened by up to a quarter, by chance, so that the probes of backends
/// that left together spread out.
struct Pause {
    wait: Duration,
    most: Duration,
}

impl Pause {
    fn start(fleet: &Weak<Fleet>) -> Option<Self> {
        let fleet = fleet.upgrade()?;
        let options = fleet.options();
        Some(Self { wait: options.probe_first.min(options.probe_most), most: options.probe_most })
    }

    fn next(&mut self) -> Duration {
        let wait = self.wait;
        self.wait = wait.saturating_mul(2).min(self.most);
        wait.mul_f64(1.0 - fastrand::f64() / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_limit() {
        let mut pause = Pause { wait: Duration::from_millis(100), most: Duration::from_millis(350) };
        for expected in [100, 200, 350, 350] {
            let expected = Duration::from_millis(expected);
            let wait = pause.next();
            assert!(wait <= expected && wait >= expected.mul_f64(0.74), "{wait:?} for {expected:?}");
        }
    }
}
