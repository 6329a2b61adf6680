//! Members are removed in the array that readers hold a slice of (class K02).

use snapring::Start;
use snapring::platform::{Mutex, Platform};

use super::Mistake;
use crate::spec::Ring;
use crate::{Answer, Op, Probe, note};

/// As a filter that reuses its input does: the slice keeps its length, and what is in it moves.
#[derive(Debug)]
pub struct FilterInPlace<P: Platform>(P::Mutex<Ring>);

impl<P: Platform> Mistake for FilterInPlace<P> {
    fn new(members: Vec<Probe>, start: Start) -> Self {
        Self(Mutex::new(Ring::new(members, start)))
    }

    fn call(&self, op: &Op) -> Answer {
        if *op != Op::Snapshot {
            return self.0.lock().step(op);
        }
        let length = self.0.lock().members.len();
        note!("a slice of {length}");
        // The array keeps what moved out of the list's end.
        let element = |at: usize| {
            let array = &self.0.lock().members;
            let element = array.get(at).or(array.last()).copied();
            note!("[{at}] is {element:?}");
            element
        };
        Answer::Listed((0..length).filter_map(element).collect())
    }
}
