//! The version is read, and written one higher: who was slow takes it back (class K15).

use std::sync::atomic::Ordering;

use snapring::Start;
use snapring::platform::{AtomicU64, Mutex, Platform};

use super::Mistake;
use crate::rule;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, Rule, note};

/// The list itself is right. Whoever caches by version is not.
#[derive(Debug)]
pub struct VersionGoesBack<P: Platform> {
    ring: P::Mutex<Ring>,
    version: P::AtomicU64,
}

impl<P: Platform> Mistake for VersionGoesBack<P> {
    const RULE: Rule = Rule::Own(rule::never_back);

    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { ring: Mutex::new(Ring::new(members, start)), version: AtomicU64::new(0) }
    }

    fn call(&self, op: &Op) -> Answer {
        if let Op::Own(_) = op {
            return Answer::Count(self.version.load(Ordering::Acquire));
        }
        let answer = self.ring.lock().step(op);
        if answer == Answer::Added {
            let version = self.version.load(Ordering::Acquire) + 1;
            note!("the version will be {version}");
            self.version.store(version, Ordering::Release);
            note!("the version is {version}");
        }
        answer
    }
}
