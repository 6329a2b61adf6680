use std::sync::atomic::Ordering;

use snapring::Start;
use snapring::platform::{AtomicU64, Platform, RwLock};
use snapring_verification::{Answer, Op, Probe, Subject, note};

/// A list and a counter.
pub struct Mine<P: Platform> {
    list: P::RwLock<Vec<Probe>>,
    count: P::AtomicU64,
}

impl<P: Platform> Mine<P> {
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: RwLock::new(members), count: AtomicU64::new(start.count) }
    }
}

impl<P: Platform> Subject for Mine<P> {
    type Local = ();

    fn local(&self) {}

    /// It has no `replace_all`.
    fn can(op: &Op) -> bool {
        matches!(op, Op::Register(_) | Op::Deregister(_) | Op::Next | Op::Snapshot)
    }

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        let list = self.list.read();
        if list.is_empty() {
            return None;
        }
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        note!("{count} % {}", list.len());
        Some(list[count as usize % list.len()])
    }

    fn register(&self, member: Probe) -> Answer {
        let mut list = self.list.write();
        match list.iter_mut().find(|other| other.id == member.id) {
            Some(other) if *other == member => Answer::Unchanged,
            Some(other) => Answer::Replaced(std::mem::replace(other, member)),
            None => {
                list.push(member);
                Answer::Added
            }
        }
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        let mut list = self.list.write();
        let at = list.iter().position(|member| member.id == id)?;
        Some(list.remove(at))
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.list.read().clone()
    }
}
