//! pingora's `LoadBalancer` with `RoundRobin`.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::net::{Ipv4Addr, SocketAddrV4};

use pingora_load_balancing::LoadBalancer;
use pingora_load_balancing::selection::RoundRobin;
use snapring_benches::adapters::{Contender, Picker};

/// What its own documentation recommends.
const MOST: usize = 256;

/// A pick also looks whether the backend is healthy, skips those that it has seen, and clones address and extensions.
pub struct Pingora(LoadBalancer<RoundRobin>);

impl Contender for Pingora {
    type Picker<'a> = Selecting<'a>;

    fn new(members: Vec<snapring::Backend>) -> Self {
        let address = |at: usize| SocketAddrV4::new(Ipv4Addr::from(0x0a00_0000 + at as u32), 80);
        let addresses: BTreeSet<_> = (0..members.len()).map(address).collect();
        Self(LoadBalancer::try_from_iter(addresses).expect("addresses are addresses"))
    }

    fn picker(&self, _thread: usize) -> Selecting<'_> {
        Selecting(&self.0)
    }

    fn add(&self, _member: snapring::Backend) {}

    fn remove(&self, _id: &str) {}
}

/// Selects from the shared balancer.
pub struct Selecting<'a>(&'a LoadBalancer<RoundRobin>);

impl Picker for Selecting<'_> {
    #[inline]
    fn pick(&mut self) {
        black_box(self.0.select(b"", MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_turns() {
        let pingora = Pingora::new(snapring_benches::adapters::backends(3));
        let picks = [(); 6].map(|()| pingora.0.select(b"", MOST).unwrap().addr.to_string());
        assert_eq!(picks[..3], picks[3..]);
        assert_eq!(BTreeSet::from(picks).len(), 3);
    }
}
