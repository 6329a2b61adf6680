//! What does each call cost a single thread that has the registry for itself? See `README.md`.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use snapring::baseline::{PlainArcSwap, PlainEpoch};
use snapring::strategy::RoundRobin;
use snapring::{
    ArcSwapRegistry, Backend, Balancer, EpochRegistry, HandleRegistry, MutexRegistry, Registry, RwLockRegistry,
};
use snapring_benches::adapters::{Contender, Picker, Shared, backends};
use snapring_benches::args::Args;
use snapring_benches::floors::{BorrowOwn, CloneOwn, Floor, SharedTicket};
use snapring_benches::handles::{Exact, Leased};
use snapring_benches::rivals::ArcSwapAndCounter;

/// Which benchmarks to run, beside criterion's own options.
struct Micro {
    criterion: Criterion,
    words: Vec<String>,
}

fn main() {
    let args = Args::from_command_line();
    let mut micro = Micro { words: args.words(), criterion: criterion(&args) };
    micro.next::<Shared<MutexRegistry<Backend>>>("mutex");
    micro.next::<Shared<RwLockRegistry<Backend>>>("rwlock");
    micro.next::<Shared<EpochRegistry<Backend>>>("epoch");
    micro.next::<Shared<PlainEpoch<Backend>>>("plain epoch");
    micro.next::<Shared<ArcSwapRegistry<Backend>>>("arc-swap");
    micro.next::<Shared<PlainArcSwap<Backend>>>("plain arc-swap");
    micro.next::<Shared<HandleRegistry<Backend>>>("handle registry");
    micro.next::<Exact>("handle");
    micro.next::<Leased<256>>("leased 256");
    micro.next::<ArcSwapAndCounter>("arc-swap + counter");
    micro.next::<Floor<CloneOwn>>("floor clone");
    micro.next::<SharedTicket>("floor shared ticket");
    micro.next::<Floor<BorrowOwn>>("floor borrow");
    micro.registry::<MutexRegistry<Backend>>("mutex");
    micro.registry::<RwLockRegistry<Backend>>("rwlock");
    micro.registry::<EpochRegistry<Backend>>("epoch");
    micro.registry::<ArcSwapRegistry<Backend>>("arc-swap");
    micro.registry::<HandleRegistry<Backend>>("handle registry");
    micro.criterion.final_summary();
}

/// Options that only criterion knows are left to criterion, which then wants to read all of them itself.
fn criterion(args: &Args) -> Criterion {
    let (warm_up, measurement, samples, resamples) =
        if args.is_quick() { (10, 20, 10, 2_000) } else { (300, 1_000, 30, 10_000) };
    let criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(warm_up))
        .measurement_time(Duration::from_millis(measurement))
        .sample_size(samples)
        .nresamples(resamples);
    if args.ignored.is_empty() { criterion } else { criterion.configure_from_args() }
}

impl Micro {
    fn bench(&mut self, group: &str, name: &str, n: usize, mut call: impl FnMut()) {
        let id = format!("{group}/{name}/{n}");
        if self.words.is_empty() || self.words.iter().any(|word| id.contains(word.as_str())) {
            self.criterion.bench_function(&id, |bencher| bencher.iter(&mut call));
        }
    }

    /// One pick.
    fn next<C: Contender>(&mut self, name: &str) {
        let contender = C::new(backends(16));
        let mut picker = contender.picker(0);
        self.bench("next", name, 16, || picker.pick());
    }

    /// A snapshot, a routed call, and a backend that comes and goes.
    fn registry<R: Registry<Backend> + Default>(&mut self, name: &str) {
        for n in [16, 4096] {
            let balancer = Balancer::new(R::default(), RoundRobin::new());
            let registry = balancer.registry();
            registry.replace_all(backends(n));
            if n == 16 {
                self.bench("snapshot", name, n, || drop(black_box(registry.snapshot())));
                self.bench("route", name, n, || drop(black_box(balancer.route::<Backend, snapring::Std>())));
            }
            self.bench("register+deregister", name, n, || {
                registry.register(Backend::new("extra", "10.255.255.255:80"));
                registry.deregister("extra");
            });
        }
    }
}
