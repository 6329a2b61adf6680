//! Changes are made under a lock and published after it: the older one may be published last (class K15).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Nothing is lost, and nobody sees it.
#[derive(Debug)]
pub struct OlderPublishedLast<P: Platform> {
    changed: P::Mutex<Ring>,
    published: P::Mutex<Ring>,
}

impl<P: Platform> Mistake for OlderPublishedLast<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        let ring = Ring::new(members, start);
        Self { changed: Mutex::new(ring.clone()), published: Mutex::new(ring) }
    }

    fn call(&self, op: &Op) -> Answer {
        if let Op::Next | Op::Snapshot = op {
            return self.published.lock().step(op);
        }
        let (answer, copy) = {
            let mut ring = self.changed.lock();
            (ring.step(op), ring.clone())
        };
        note!("changes it to {:?}", copy.members);
        let mut published = self.published.lock();
        note!("publishes {:?}", copy.members);
        *published = copy;
        answer
    }
}
