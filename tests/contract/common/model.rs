//! The ring specification, written down once more and differently: the cursor is not a position but *who* is due.

/// A member of the model. The serial tells registrations of one id and contents apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub number: u64,
    pub contents: u64,
    pub serial: u64,
}

impl Entry {
    fn equals(&self, other: &Self) -> bool {
        (self.number, self.contents) == (other.number, other.contents)
    }
}

/// What a registration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Added,
    Unchanged,
    Replaced(Entry),
    /// Refused: no more than the capacity fit.
    Full,
}

/// What a replacement of the whole list does: added, removed, replaced, unchanged.
pub type Counts = [usize; 4];

/// An ordered list and who is due.
#[derive(Clone, Debug)]
pub struct Model {
    pub ring: Vec<Entry>,
    pub due: Option<u64>,
    pub version: u64,
    pub capacity: usize,
}

impl Model {
    pub fn new(members: Vec<Entry>, version: u64, count: u64, capacity: usize) -> Self {
        let ring = without_duplicates(members);
        let due = (!ring.is_empty()).then(|| ring[(count % ring.len() as u64) as usize].number);
        Self { ring, due, version, capacity }
    }

    pub fn register(&mut self, new: Entry) -> Answer {
        if let Some(old) = self.ring.iter_mut().find(|old| old.number == new.number) {
            if old.equals(&new) {
                return Answer::Unchanged;
            }
            let replaced = std::mem::replace(old, new);
            self.published();
            return Answer::Replaced(replaced);
        }
        if self.ring.len() == self.capacity {
            return Answer::Full;
        }
        self.ring.push(new);
        self.due.get_or_insert(new.number);
        self.published();
        Answer::Added
    }

    pub fn deregister(&mut self, number: u64) -> Option<Entry> {
        let entry = *self.ring.iter().find(|entry| entry.number == number)?;
        if self.due == Some(number) {
            let successor = self.after(number);
            self.due = (successor != number).then_some(successor);
        }
        self.ring.retain(|entry| entry.number != number);
        self.published();
        Some(entry)
    }

    /// A registration's token stands for the very member that it put there.
    pub fn revoke(&mut self, serial: u64) -> Option<Entry> {
        let number = self.ring.iter().find(|entry| entry.serial == serial)?.number;
        self.deregister(number)
    }

    /// `None` if they do not fit.
    pub fn replace_all(&mut self, members: Vec<Entry>) -> Option<Counts> {
        let wanted = without_duplicates(members);
        if wanted.len() > self.capacity {
            return None;
        }
        let find = |list: &[Entry], number| list.iter().find(|entry| entry.number == number).copied();
        let [mut added, mut removed, mut replaced, mut unchanged] = [0; 4];
        let mut ring = Vec::new();
        for old in &self.ring {
            match find(&wanted, old.number) {
                None => removed += 1,
                Some(new) if new.equals(old) => {
                    unchanged += 1;
                    ring.push(*old);
                }
                Some(new) => {
                    replaced += 1;
                    ring.push(new);
                }
            }
        }
        for new in &wanted {
            if find(&self.ring, new.number).is_none() {
                added += 1;
                ring.push(*new);
            }
        }
        if added + removed + replaced > 0 {
            let mut due = self.due;
            for _ in 0..self.ring.len() {
                if due.is_some_and(|due| find(&wanted, due).is_some()) {
                    break;
                }
                due = due.map(|due| self.after(due));
            }
            let survivor = due.filter(|due| find(&wanted, *due).is_some());
            self.due = survivor.or(ring.first().map(|first| first.number));
            self.ring = ring;
            self.published();
        }
        Some([added, removed, replaced, unchanged])
    }

    pub fn next(&mut self) -> Option<Entry> {
        let due = self.due?;
        self.due = Some(self.after(due));
        self.ring.iter().find(|entry| entry.number == due).copied()
    }

    /// The successor in the ring.
    fn after(&self, number: u64) -> u64 {
        let mut twice = self.ring.iter().chain(&self.ring).skip_while(|entry| entry.number != number);
        twice.nth(1).expect("the number is in the ring").number
    }

    fn published(&mut self) {
        self.version = self.version.wrapping_add(1);
    }
}

/// Each id once, at its first place, as it occurs last.
fn without_duplicates(members: Vec<Entry>) -> Vec<Entry> {
    let last = |number| *members.iter().rfind(|entry| entry.number == number).expect("it is there");
    let mut unique: Vec<Entry> = Vec::new();
    for entry in &members {
        if unique.iter().all(|seen| seen.number != entry.number) {
            unique.push(last(entry.number));
        }
    }
    unique
}
