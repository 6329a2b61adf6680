//! A pick takes the list and then its turn; a change may come in between (S7, class K02).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// Each is consistent, and they do not belong together.
#[derive(Debug)]
pub struct ListAndTurnApart<P: Platform> {
    list: P::Mutex<Vec<Probe>>,
    ring: P::Mutex<Ring>,
}

impl<P: Platform> Mistake for ListAndTurnApart<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { list: Mutex::new(members.clone()), ring: Mutex::new(Ring::new(members, start)) }
    }

    fn call(&self, op: &Op) -> Answer {
        if *op != Op::Next {
            let mut ring = self.ring.lock();
            let answer = ring.step(op);
            self.list.lock().clone_from(&ring.members);
            return answer;
        }
        let list = self.list.lock().clone();
        note!("the list is {list:?}");
        let mut ring = self.ring.lock();
        let turn = ring.due;
        note!("the turn is {turn}");
        ring.pick();
        Answer::Picked(list.get(turn).copied())
    }
}
