//! A new member is put into the list first and filled in afterwards (class K16).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

const BLANK: Probe = Probe { id: 0, contents: 0 };

/// Whoever is quick gets the blank.
#[derive(Debug)]
pub struct PublishBeforeFilled<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for PublishBeforeFilled<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        match op {
            Op::Register(member) if self.0.lock().position(member.id).is_none() => {
                note!("makes room");
                self.0.lock().members.push(BLANK);
                let mut ring = self.0.lock();
                note!("fills it in");
                let at = ring.position(BLANK.id).expect("it was put there");
                ring.members[at] = *member;
                Answer::Added
            }
            _ => self.0.lock().step(op),
        }
    }
}
