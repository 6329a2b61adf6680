//! left-right: two copies of the list, and every change is made to both, one after the other.

use std::fmt;
use std::sync::{Arc, Mutex};

use left_right::{Absorb, ReadHandle, ReadHandleFactory, WriteHandle};
use snapring::Backend;

use super::{Cell, Change, Read};

/// One of the copies.
#[derive(Clone, Debug, Default)]
pub struct Copied(Vec<Arc<Backend>>);

impl Absorb<Change> for Copied {
    fn absorb_first(&mut self, change: &mut Change, _other: &Self) {
        change.apply(&mut self.0);
    }

    fn sync_with(&mut self, first: &Self) {
        self.0.clone_from(&first.0);
    }
}

/// Each thread has a handle to read; a writer waits until nobody reads the copy that it is about to change.
pub struct LeftRight {
    readers: ReadHandleFactory<Copied>,
    writer: Mutex<WriteHandle<Copied, Change>>,
}

impl fmt::Debug for LeftRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeftRight").finish_non_exhaustive()
    }
}

impl Cell for LeftRight {
    const CLONES: bool = false;
    type Reader<'a> = ReadHandle<Copied>;

    fn new(list: Vec<Arc<Backend>>) -> Self {
        let (mut writer, reader) = left_right::new_from_empty(Copied(list));
        writer.publish();
        Self { readers: reader.factory(), writer: Mutex::new(writer) }
    }

    fn reader(&self) -> ReadHandle<Copied> {
        self.readers.handle()
    }

    fn change(&self, change: Change) {
        let mut writer = self.writer.lock().expect("no change panics");
        writer.append(change);
        writer.publish();
    }
}

impl Read for ReadHandle<Copied> {
    #[inline]
    fn with<R>(&mut self, look: impl FnOnce(&[Arc<Backend>]) -> R) -> R {
        match self.enter() {
            Some(list) => look(&list.0),
            None => look(&[]),
        }
    }
}
