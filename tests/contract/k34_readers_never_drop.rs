//! K34: the reader pays for freeing (aptos-labs/aptos-core). Here `next` runs nobody's `Drop`: not that of a list that was
//! replaced, nor of its members, nor what else waits for the same epoch.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};

use snapring::Member;

use crate::common::{Kind, on_every_registry};

on_every_registry!(next_drops_nobody, readers_of_one_registry_drop_nothing_of_another);

/// Where members were dropped.
type Graves = Arc<Mutex<HashMap<ThreadId, usize>>>;

struct Mortal(u64, u64, Graves);

impl Member for Mortal {
    type Id = u64;
    fn id(&self) -> &u64 {
        &self.0
    }
}

impl PartialEq for Mortal {
    fn eq(&self, other: &Self) -> bool {
        self.1 == other.1
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        *self.2.lock().unwrap().entry(thread::current().id()).or_default() += 1;
    }
}

/// Two readers of `read`, one writer of `written`. A reader may be the last who holds its pick, so picks are sent to the
/// writer, which drops them.
fn readers_against_a_writer(kind: Kind, same: bool) {
    const CHANGES: u64 = 4000;
    let graves = Graves::default();
    let member = |number, contents| Mortal(number, contents, Arc::clone(&graves));
    let written = kind.of(vec![member(0, 0), member(1, 0), member(2, 0)]);
    let read = if same { Arc::clone(&written) } else { kind.of(vec![member(0, 0), member(1, 0)]) };
    let done = AtomicBool::new(false);
    let (send, picks) = mpsc::sync_channel(64);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let (send, done, read) = (send.clone(), &done, &read);
                scope.spawn(move || {
                    while !done.load(SeqCst) {
                        let batch: Vec<_> = (0..64).map(|_| read.next().expect("never empty")).collect();
                        send.send(batch).expect("the writer lives longer");
                    }
                })
            })
            .collect();
        for round in 1..=CHANGES {
            written.register(member(round % 3, round));
            written.register(member(3, round));
            written.deregister(&3);
            if round % 50 == 0 {
                written.replace_all((0..3).map(|number| member(number, 0)).collect());
            }
            if !same {
                read.register(member(round % 2, round % 5));
            }
            picks.try_iter().take(64).for_each(drop);
        }
        done.store(true, SeqCst);
        drop(send);
        picks.iter().for_each(drop); // until the readers have gone
        for reader in readers {
            let id = reader.thread().id();
            reader.join().unwrap();
            let buried = graves.lock().unwrap().get(&id).copied();
            assert_eq!(buried, None, "members were dropped by a reader");
        }
    });
    drop((written, read));
    let graves = graves.lock().unwrap().clone();
    assert_eq!(graves.len(), 1, "only the writer dropped members");
    assert!(graves[&thread::current().id()] as u64 >= 2 * CHANGES);
}

fn next_drops_nobody(kind: Kind) {
    readers_against_a_writer(kind, true);
}

fn readers_of_one_registry_drop_nothing_of_another(kind: Kind) {
    readers_against_a_writer(kind, false);
}
