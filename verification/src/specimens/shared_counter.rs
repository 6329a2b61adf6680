//! One counter for several services: who calls them in turn always gets the same instance (class K06).

use std::sync::atomic::{AtomicUsize, Ordering};

use snapring::Start;
use snapring::platform::{AtomicU64, Platform};

use super::take;
use crate::rule;
use crate::{Probe, Rule, Subject, note};

/// Two services with half of the members each. The threads use one or the other, in turn.
#[derive(Debug)]
pub struct SharedCounter<P: Platform> {
    services: [Vec<Probe>; 2],
    users: AtomicUsize,
    count: P::AtomicU64,
}

impl<P: Platform> SharedCounter<P> {
    /// Of these members.
    pub fn new(mut members: Vec<Probe>, start: Start) -> Self {
        let second = members.split_off(members.len() / 2);
        Self { services: [members, second], users: AtomicUsize::new(0), count: AtomicU64::new(start.count) }
    }
}

impl<P: Platform> Subject for SharedCounter<P> {
    /// Which service.
    type Local = usize;
    const RULE: Rule = Rule::Own(rule::never_twice_running);

    fn local(&self) -> usize {
        self.users.fetch_add(1, Ordering::Relaxed) % 2
    }

    fn next(&self, service: &mut usize) -> Option<Probe> {
        let list = &self.services[*service];
        let count = take::<P>(&self.count);
        note!("{count} % {}", list.len());
        Some(list[count as usize % list.len()])
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.services.concat()
    }
}
