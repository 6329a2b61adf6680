//! A soak: random threads do random things to every registry, and an oracle watches. Two seconds by default; hours with
//! `SNAPRING_SOAK_SECONDS=7200 cargo test --release --test soak -- --nocapture`.
//!
//! The oracle: nobody is served by a pick that began after its removal returned; nobody is in a list twice; when all is
//! dropped, no member is alive. Members' `==` and `Drop` panic now and then.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::{Duration, Instant};

use snapring::strategy::{RoundRobin, ShuffleBag};
use snapring::{
    ArcSwapRegistry, Balancer, EpochRegistry, HandleRegistry, Member, MutexRegistry, NoBackends, Registry,
    RwLockRegistry, Snapshot, Strategy,
};

const IDS: u64 = 12;

/// What a member's own code throws. Anything else is a failure.
struct Planned;

thread_local! {
    /// How many calls of members' code are left until one panics; 0 is never.
    static FUSE: Cell<u32> = const { Cell::new(0) };
}

fn burn() {
    let left = FUSE.get();
    FUSE.set(left.saturating_sub(1));
    if left == 1 && !std::thread::panicking() {
        panic_any(Planned);
    }
}

/// Runs this with a panic perhaps on its way; `None` if it came.
fn with_fuse<R>(fuse: u64, f: impl FnOnce() -> R) -> Option<R> {
    FUSE.set(if fuse < 4 { fuse as u32 } else { 0 });
    let result = catch_unwind(AssertUnwindSafe(f));
    FUSE.set(0);
    match result {
        Ok(result) => Some(result),
        Err(cause) if cause.is::<Planned>() => None,
        Err(cause) => std::panic::resume_unwind(cause),
    }
}

#[derive(Default)]
struct Counts {
    alive: AtomicI64,
    /// What time it is: for pairs of events, which came first.
    clock: AtomicU64,
    picks: AtomicU64,
    changes: AtomicU64,
    panics: AtomicU64,
}

struct Soaked {
    id: u64,
    contents: u64,
    /// When a call that removed this very member had returned.
    gone: AtomicU64,
    counts: Arc<Counts>,
}

impl Soaked {
    fn new(id: u64, contents: u64, counts: &Arc<Counts>) -> Self {
        counts.alive.fetch_add(1, SeqCst);
        Self { id, contents, gone: AtomicU64::new(u64::MAX), counts: counts.clone() }
    }
}

impl Member for Soaked {
    type Id = u64;

    fn id(&self) -> &u64 {
        &self.id
    }
}

impl PartialEq for Soaked {
    fn eq(&self, other: &Self) -> bool {
        burn();
        (self.id, self.contents) == (other.id, other.contents)
    }
}

impl Drop for Soaked {
    fn drop(&mut self) {
        self.counts.alive.fetch_sub(1, SeqCst);
        burn();
    }
}

/// Panics now and then, and otherwise takes whoever is last.
struct Moody(AtomicU64);

impl Strategy<Soaked> for Moody {
    fn route(&self, nodes: &Snapshot<Soaked>) -> Result<Arc<Soaked>, NoBackends> {
        if self.0.fetch_add(1, SeqCst) % 97 == 0 {
            panic_any(Planned);
        }
        nodes.last().cloned().ok_or(NoBackends)
    }
}

/// A small generator (xorshift), so that a run is known by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Picks, and holds what was picked against the oracle.
type Check<'a> = dyn Fn(&mut dyn FnMut() -> Option<Arc<Soaked>>) + 'a;

/// A registry, and whatever else can be picked with.
trait Soak: Registry<Soaked> + Sized + 'static {
    /// Picks some times in a way of its own.
    fn pick_otherwise(&self, _dice: &mut Dice, _check: &Check<'_>) {}
    fn settle(&self) {}
}

impl Soak for MutexRegistry<Soaked> {}
impl Soak for RwLockRegistry<Soaked> {}

impl Soak for ArcSwapRegistry<Soaked> {
    fn settle(&self) {
        self.collect();
    }
}

impl Soak for EpochRegistry<Soaked> {
    fn settle(&self) {
        self.collect();
    }
}

impl Soak for HandleRegistry<Soaked> {
    fn pick_otherwise(&self, dice: &mut Dice, check: &Check<'_>) {
        let times = dice.roll(40);
        let mut handle = self.handle();
        let mut lease = self.leased(dice.roll(70) as usize);
        for _ in 0..times {
            check(&mut || handle.next().ok().cloned());
            check(&mut || lease.next().ok().cloned());
        }
    }

    fn settle(&self) {
        self.collect();
    }
}

/// A pick must not be of a member that had left before it began.
fn check(counts: &Counts, pick: &mut dyn FnMut() -> Option<Arc<Soaked>>) {
    let began = counts.clock.fetch_add(1, SeqCst);
    if let Some(member) = pick() {
        assert!(member.gone.load(SeqCst) > began, "{} was served after it left", member.id);
        counts.picks.fetch_add(1, SeqCst);
    }
}

/// A removal has returned this member.
fn removed(counts: &Counts, member: Option<Arc<Soaked>>) {
    if let Some(member) = member {
        member.gone.store(counts.clock.fetch_add(1, SeqCst), SeqCst);
    }
}

fn work<R: Soak>(registry: &Arc<R>, counts: &Arc<Counts>, mut dice: Dice, until: Instant) {
    let strategies: [Box<dyn Strategy<Soaked>>; 3] = [
        Box::new(RoundRobin::<Soaked>::new()),
        Box::new(ShuffleBag::<Soaked>::new()),
        Box::new(Moody(AtomicU64::new(1))),
    ];
    let balancers = strategies.map(|strategy| Balancer::new(registry.clone(), strategy));
    let mut token = None;
    let mut held = Vec::new();
    while Instant::now() < until {
        let fuse = dice.roll(60);
        let id = dice.roll(IDS);
        let doing = dice.roll(16);
        let done = with_fuse(fuse, || match doing {
            0..=2 => {
                let registration = registry.register(Soaked::new(id, dice.roll(3), counts));
                token = Some(registration.token().clone());
                counts.changes.fetch_add(1, SeqCst);
            }
            3 | 4 => removed(counts, registry.deregister(&id)),
            5 => removed(counts, token.take().and_then(|token| registry.revoke(&token).ok())),
            6 => {
                let ids = 0..dice.roll(IDS);
                let members = ids.map(|_| Soaked::new(dice.roll(IDS), dice.roll(3), counts)).collect();
                registry.replace_all(members);
                counts.changes.fetch_add(1, SeqCst);
            }
            7 => held.push(registry.snapshot()), // a slow reader
            8 => {
                let ids = registry.snapshot().iter().map(|member| member.id).collect::<Vec<_>>();
                assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "somebody twice in {ids:?}");
            }
            9 => registry.pick_otherwise(&mut dice, &|pick| check(counts, pick)),
            10 => registry.settle(),
            11 => check(counts, &mut || balancers[dice.roll(3) as usize].route().ok()),
            _ => check(counts, &mut || registry.next().ok()),
        });
        if done.is_none() {
            counts.panics.fetch_add(1, SeqCst);
        }
        if held.len() > 5 {
            held.remove(0);
        }
        if dice.roll(400) == 0 {
            return; // the thread exits, and another one comes
        }
    }
}

fn soak<R: Soak>(name: &str, registry: R, seed: u64, lasts: Duration) {
    let counts = Arc::new(Counts::default());
    let registry = Arc::new(registry);
    let until = Instant::now() + lasts;
    std::thread::scope(|scope| {
        for thread in 1..=4 {
            let (registry, counts) = (&registry, &counts);
            scope.spawn(move || {
                let mut seeds = Dice(seed.wrapping_mul(thread).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
                while Instant::now() < until {
                    let dice = Dice(seeds.roll(u64::MAX) | 1);
                    std::thread::scope(|inner| inner.spawn(|| work(registry, counts, dice, until)).join())
                        .unwrap_or_else(|cause| std::panic::resume_unwind(cause));
                }
            });
        }
    });
    registry.replace_all(Vec::new());
    drop(registry);
    let Counts { alive, picks, changes, panics, .. } = &*counts;
    println!("{name}: {picks:?} picks, {changes:?} changes, {panics:?} panics");
    assert!(picks.load(SeqCst) > 100 && changes.load(SeqCst) > 100 && panics.load(SeqCst) > 0, "it did something");
    assert_eq!(alive.load(SeqCst), 0, "{name}: members that nobody has are alive");
}

#[test]
fn nothing_goes_wrong_for_long() {
    let seconds = std::env::var("SNAPRING_SOAK_SECONDS").map_or(2.0, |text| text.parse().expect("seconds"));
    let seed = std::env::var("SNAPRING_SOAK_SEED").map_or(0x5EED, |text| text.parse().expect("a seed"));
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.payload().is::<Planned>() {
            hook(info);
        }
    }));
    let share = Duration::from_secs_f64(seconds / 5.0);
    soak("mutex", MutexRegistry::new(), seed, share);
    soak("rwlock", RwLockRegistry::new(), seed, share);
    soak("epoch", EpochRegistry::new(), seed, share);
    soak("arc-swap", ArcSwapRegistry::new(), seed, share);
    soak("handle", HandleRegistry::new(), seed, share);
}
