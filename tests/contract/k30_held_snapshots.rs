//! K30: a read inside a read deadlocks when a writer waits in between (Amanieu/parking_lot), or the writer waits for ever.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use snapring::{Balancer, NoBackends, Registry, Snapshot, Strategy};

use crate::common::{Census, Counted, Crew, Kind, Shared, meet, numbers, on_every_registry, picks, within};

on_every_registry!(
    a_held_snapshot_blocks_nobody,
    a_writer_finishes_while_a_strategy_runs,
    strategies_nest_under_a_waiting_writer,
    writers_finish_under_constant_reading,
);

fn a_held_snapshot_blocks_nobody(kind: Kind) {
    within(move || {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        let mut held = Vec::new();
        for round in 0..50 {
            let snapshot = registry.snapshot();
            let pick = registry.next().unwrap();
            let filtered = snapshot.filter(|member| member.number != 1);
            thread::scope(|scope| {
                scope.spawn(|| {
                    registry.register(census.member(3 + round, 0));
                    registry.deregister(&(2 + round));
                    registry.register(census.member(0, round + 1));
                });
            });
            assert!(registry.next().is_ok());
            assert_eq!(numbers(&registry.snapshot()), [0, 1, 3 + round]);
            assert_eq!(numbers(&snapshot), [0, 1, 2 + round]);
            held.push((snapshot, pick, filtered));
        }
        assert_eq!(registry.snapshot().version(), 150);
    });
}

/// Lets a writer begin, and chooses when that one has finished.
struct Patient(mpsc::SyncSender<()>, std::sync::Mutex<mpsc::Receiver<()>>);

impl Strategy<Counted> for Patient {
    fn route(&self, nodes: &Snapshot<Counted>) -> Result<Arc<Counted>, NoBackends> {
        self.0.send(()).expect("the writer listens");
        self.1.lock().unwrap().recv().expect("the writer answers");
        nodes.last().cloned().ok_or(NoBackends)
    }
}

fn a_writer_finishes_while_a_strategy_runs(kind: Kind) {
    within(move || {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        let (begin, begun) = mpsc::sync_channel(0);
        let (end, ended) = mpsc::channel();
        let balancer = Balancer::new(Arc::clone(&registry), Patient(begin, ended.into()));
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in begun {
                    let () = round;
                    registry.deregister(&registry.snapshot().last().unwrap().number);
                    end.send(()).unwrap();
                }
            });
            for number in [2, 1, 0] {
                assert_eq!(balancer.route().unwrap().number, number, "chosen from the list of the call's beginning");
            }
            drop(balancer);
        });
        assert!(registry.snapshot().is_empty());
    });
}

/// Reads the registry inside of a read, three deep.
struct Nested(Shared<Counted>, usize);

impl Strategy<Counted> for Nested {
    fn route(&self, nodes: &Snapshot<Counted>) -> Result<Arc<Counted>, NoBackends> {
        match self.1 {
            0 => self.0.next(),
            depth => {
                let inner = Nested(Arc::clone(&self.0), depth - 1);
                assert!(!nodes.is_empty());
                let pick = self.0.next()?;
                Balancer::new(&self.0, inner).route()?;
                Ok(pick)
            }
        }
    }
}

fn strategies_nest_under_a_waiting_writer(kind: Kind) {
    within(move || {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        let balancer = Balancer::new(Arc::clone(&registry), Nested(Arc::clone(&registry), 2));
        let route = |_: &mut (), _| assert!(balancer.route().is_ok());
        let write = |_, round| drop(registry.register(census.member(round % 3, round)));
        meet(Crew { threads: 2, steps: 10_000 }, route, Crew { threads: 1, steps: 10_000 }, write);
    });
}

/// steemit/steem. Readers go on until the writer has finished.
fn writers_finish_under_constant_reading(kind: Kind) {
    within(move || {
        let census = Census::new();
        let registry = kind.of(census.members(3));
        let read = |_: &mut (), _| assert!(registry.next().is_ok() && registry.snapshot().len() >= 3);
        let write = |_, round| match round % 2 {
            0 => drop(registry.register(census.member(3, round))),
            _ => drop(registry.deregister(&3)),
        };
        meet(Crew { threads: 8, steps: 0 }, read, Crew { threads: 1, steps: 2000 }, write);
        assert!(registry.snapshot().version() >= 2000);
        registry.deregister(&3);
        assert_eq!(picks(&registry, 30).iter().filter(|number| **number == 1).count(), 10);
    });
}
