//! K32: a reader sees freed or reused memory (vorner/arc-swap), or half of a list. An oracle under real threads: every
//! member carries a magic number that its destructor wipes, and says which registry and which list it belongs to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use snapring::{Balancer, Member, NoBackends, Registry, Snapshot, Strategy};

use crate::common::{Crew, Kind, Shared, meet, on_every_registry};

on_every_registry!(
    nobody_sees_foreign_or_freed_members,
    nested_reads_see_whole_lists,
    versions_never_go_back_under_allocation_pressure,
);

const MAGIC: u64 = 0x5eed_cafe_f00d_beef;

#[derive(Debug)]
struct Marked {
    magic: AtomicU64,
    number: u64,
    registry: u64,
    generation: u64,
}

impl Marked {
    fn new(number: u64, registry: u64, generation: u64) -> Self {
        Self { magic: AtomicU64::new(MAGIC), number, registry, generation }
    }

    fn check(&self, registry: u64) {
        assert_eq!(self.magic.load(SeqCst), MAGIC, "freed");
        assert_eq!(self.registry, registry, "of another registry");
    }
}

impl Member for Marked {
    type Id = u64;
    fn id(&self) -> &u64 {
        &self.number
    }
}

impl PartialEq for Marked {
    fn eq(&self, other: &Self) -> bool {
        self.generation == other.generation
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        assert_eq!(self.magic.swap(0, SeqCst), MAGIC, "freed twice");
    }
}

/// A whole list of one generation: the size follows from it, and so does everybody's place.
fn generation(registry: u64, generation: u64) -> Vec<Marked> {
    (0..generation % 4 + 1).map(|place| Marked::new(10 * generation + place, registry, generation)).collect()
}

fn check_list(list: &Snapshot<Marked>, registry: u64) {
    let generation = list[0].generation;
    assert_eq!(list.len() as u64, generation % 4 + 1);
    for (place, member) in list.iter().enumerate() {
        member.check(registry);
        assert_eq!((member.generation, member.number), (generation, 10 * generation + place as u64), "{list:?}");
    }
}

/// Two writers for each of two registries publish generations; readers use both in turn.
fn published<S: Default + Send>(kind: Kind, read: impl Fn(&mut S, &[Shared<Marked>; 2], usize) + Sync) {
    let registries = [0, 1].map(|which| kind.of(generation(which, 0)));
    let generations = AtomicU64::new(1);
    let write = |writer, _| {
        let which = writer % 2;
        registries[which as usize].replace_all(generation(which, generations.fetch_add(1, SeqCst)));
    };
    let read = |state: &mut S, step| read(state, &registries, step as usize % 2);
    meet(Crew { threads: 2, steps: 20_000 }, read, Crew { threads: 4, steps: 10_000 }, write);
}

fn nobody_sees_foreign_or_freed_members(kind: Kind) {
    published(kind, |_: &mut (), registries, which| {
        let pick = registries[which].next().expect("never empty");
        pick.check(which as u64);
        assert!(pick.number / 10 == pick.generation && pick.number % 10 <= pick.generation % 4);
        check_list(&registries[which].snapshot(), which as u64);
        drop(pick);
    });
}

/// Each strategy asks the other registry before it chooses.
struct Across(Vec<(Shared<Marked>, u64)>);

impl Strategy<Marked> for Across {
    fn route(&self, nodes: &Snapshot<Marked>) -> Result<Arc<Marked>, NoBackends> {
        if let Some(((registry, which), rest)) = self.0.split_first() {
            registry.next()?.check(*which);
            let inner = Balancer::new(registry, Across(rest.to_vec()));
            inner.route()?.check(*which);
            check_list(&registry.snapshot(), *which);
        }
        nodes.last().cloned().ok_or(NoBackends)
    }
}

/// kanidm/concread, crossbeam-rs/crossbeam: reads nested in reads of another.
fn nested_reads_see_whole_lists(kind: Kind) {
    published(kind, |_: &mut (), registries, which| {
        let outer = registries[which].snapshot();
        let path = [1 - which, which, 1 - which].map(|which| (Arc::clone(&registries[which]), which as u64));
        let balancer = Balancer::new(&registries[which], Across(path.to_vec()));
        balancer.route().unwrap().check(which as u64);
        check_list(&outer, which as u64);
    });
}

fn versions_never_go_back_under_allocation_pressure(kind: Kind) {
    published(kind, |last: &mut [u64; 2], registries, which| {
        let snapshot = registries[which].snapshot();
        let pressure: Vec<_> = (1..8).map(|size| vec![0xff_u8; 24 * size]).collect();
        check_list(&snapshot, which as u64);
        assert!(last[which] <= snapshot.version());
        last[which] = snapshot.version();
        drop(pressure);
    });
}
