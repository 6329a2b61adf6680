use snapring::Start;
use snapring::platform::{Mutex, Platform};
use snapring_verification::{Answer, Op, Probe, Subject};

/// A list and who of it is due, under one lock.
pub struct Mine<P: Platform>(P::Mutex<(Vec<Probe>, usize)>);

impl<P: Platform> Mine<P> {
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        let due = start.count.checked_rem(members.len() as u64).unwrap_or(0) as usize;
        Self(Mutex::new((members, due)))
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
        let (list, due) = &mut *self.0.lock();
        let pick = *list.get(*due)?;
        *due = (*due + 1) % list.len();
        Some(pick)
    }

    fn register(&self, member: Probe) -> Answer {
        let (list, _) = &mut *self.0.lock();
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
        let (list, due) = &mut *self.0.lock();
        let at = list.iter().position(|member| member.id == id)?;
        let removed = list.remove(at);
        *due -= usize::from(*due > at);
        *due = due.checked_rem(list.len()).unwrap_or(0);
        Some(removed)
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.0.lock().0.clone()
    }
}
