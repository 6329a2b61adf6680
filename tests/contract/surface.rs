//! The public surface: what others compile against.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use snapring::baseline::{PlainArcSwap, PlainEpoch};
use snapring::ring::{ArcSwapCell, ByArcSwap, ByEpoch, EpochCell, Node, RingRegistry};
use snapring::strategy::RoundRobin;
use snapring::{
    ArcSwapRegistry, Backend, Balancer, Changes, EpochRegistry, Handle, HandleRegistry, LeasedHandle, Member,
    MutexRegistry, NoBackends, Outcome, Platform, Registration, Registry, RwLockRegistry, Snapshot, Stale, Start, Std,
    Strategy, Token,
};

fn thread_safe<T: Send + Sync + Unpin + 'static>() {}
fn sent_elsewhere<T: Send + Unpin + 'static>() {}
fn unwind_safe<T: UnwindSafe + RefUnwindSafe>() {}
fn debug<T: Debug>() {}
fn plain_data<T: Clone + Debug + PartialEq + Eq>() {}
fn error<T: Error + Copy + Default + Hash + Send + Sync + 'static>() {}
fn registry<R: Registry<Backend> + ?Sized>() {}
fn strategy<S: Strategy<Backend> + ?Sized>() {}

/// A member that has nothing but what is asked for.
#[derive(PartialEq)]
struct Bare(u8);

impl Member for Bare {
    type Id = u8;
    fn id(&self) -> &u8 {
        &self.0
    }
}

macro_rules! registries {
    ($($registry:ident),*) => {$(
        thread_safe::<$registry<Backend>>();
        unwind_safe::<$registry<Backend>>();
        debug::<$registry<Bare>>();
        registry::<$registry<Backend>>();
        registry::<&$registry<Backend>>();
        registry::<Box<$registry<Backend>>>();
        registry::<Arc<$registry<Backend>>>();
        let _: $registry<Backend> = $registry::new();
        let _: $registry<Backend> = $registry::default();
        let _: $registry<Backend, Std> = $registry::on_platform();
        let _ = $registry::with_start(vec![Bare(0)], Start::default());
        let _ = $registry::<Backend>::new();
    )*};
}

#[test]
fn registries() {
    registries!(
        MutexRegistry,
        RwLockRegistry,
        EpochRegistry,
        ArcSwapRegistry,
        HandleRegistry,
        PlainEpoch,
        PlainArcSwap
    );
    thread_safe::<RingRegistry<Backend, ByEpoch>>();
    let _: RingRegistry<Backend, ByArcSwap> = RingRegistry::new();
    EpochRegistry::<Backend>::new().collect();
}

#[test]
fn objects() {
    registry::<dyn Registry<Backend>>();
    registry::<&dyn Registry<Backend>>();
    registry::<Box<dyn Registry<Backend>>>();
    registry::<Arc<dyn Registry<Backend>>>();
    registry::<Arc<Box<&dyn Registry<Backend>>>>();
    strategy::<dyn Strategy<Backend>>();
    strategy::<&dyn Strategy<Backend>>();
    strategy::<Box<dyn Strategy<Backend>>>();
    strategy::<Arc<dyn Strategy<Backend>>>();
    strategy::<RoundRobin>();
    thread_safe::<Box<dyn Registry<Backend>>>();
    thread_safe::<Box<dyn Strategy<Backend>>>();

    let registries: Vec<Box<dyn Registry<Backend>>> = vec![
        Box::new(MutexRegistry::new()),
        Box::new(RwLockRegistry::new()),
        Box::new(EpochRegistry::new()),
        Box::new(ArcSwapRegistry::new()),
        Box::new(HandleRegistry::new()),
    ];
    for registry in registries {
        registry.register(Backend::new("a", "10.0.0.1:80"));
        let balancer = Balancer::new(registry, Box::new(RoundRobin::new()) as Box<dyn Strategy<Backend>>);
        assert_eq!(balancer.route().unwrap().id(), "a");
    }
}

#[test]
fn values() {
    thread_safe::<Snapshot<Backend>>();
    unwind_safe::<Snapshot<Backend>>();
    debug::<Snapshot<Backend>>();
    sent_elsewhere::<Handle<Backend>>();
    sent_elsewhere::<LeasedHandle<Backend>>();
    debug::<Handle<Bare>>();
    debug::<LeasedHandle<Bare>>();
    thread_safe::<RoundRobin<Backend>>();
    unwind_safe::<RoundRobin<Backend>>();
    debug::<RoundRobin<Bare>>();
    thread_safe::<Balancer<MutexRegistry<Backend>, RoundRobin>>();
    debug::<Balancer<EpochRegistry<Bare>, RoundRobin<Bare>>>();
    plain_data::<Backend>();
    plain_data::<Token>();
    plain_data::<Changes>();
    plain_data::<Start>();
    plain_data::<Outcome<Backend>>();
    plain_data::<Registration<Backend>>();
    thread_safe::<Registration<Backend>>();
    thread_safe::<Token>();
    debug::<(ByEpoch, ByArcSwap)>();
    debug::<EpochCell<u8, Std>>();
    debug::<ArcSwapCell<u8, Std>>();
    debug::<Node<Bare, Std>>();
    error::<NoBackends>();
    error::<Stale>();
    debug::<Std>();
    assert_eq!(Std::NAME, "std");
    let _: Balancer<ArcSwapRegistry<Backend>, RoundRobin> = Balancer::default();
}

/// Every call by its full signature.
#[test]
fn signatures() {
    fn of<R: Registry<Backend>>() {
        let _: fn(&R, Backend) -> Registration<Backend> = R::register;
        let _: fn(&R, &str) -> Option<Arc<Backend>> = R::deregister;
        let _: fn(&R, &Token) -> Result<Arc<Backend>, Stale> = R::revoke;
        let _: fn(&R, Vec<Backend>) -> Changes = R::replace_all;
        let _: fn(&R) -> Snapshot<Backend> = R::snapshot;
        let _: fn(&R) -> Result<Arc<Backend>, NoBackends> = R::next;
    }
    of::<MutexRegistry<Backend>>();
    let _: fn(&Registration<Backend>) -> &Token = Registration::token;
    let _: fn(&Registration<Backend>) -> &Outcome<Backend> = Registration::outcome;
    let _: fn(Registration<Backend>) -> (Token, Outcome<Backend>) = Registration::into_parts;
    let _: fn(&Snapshot<Backend>) -> u64 = Snapshot::version;
    let _: fn(Vec<Arc<Backend>>) -> Snapshot<Backend> = Snapshot::from_members;
    fn found<'a>(snapshot: &'a Snapshot<Backend>, id: &str) -> Option<&'a Arc<Backend>> {
        snapshot.get(id)
    }
    fn slice(snapshot: &Snapshot<Backend>) -> &[Arc<Backend>] {
        snapshot
    }
    let snapshot = Snapshot::from_members(vec![Arc::new(Backend::new(String::from("a"), "x"))]);
    assert!(found(&snapshot, "a").is_some() && slice(&snapshot.clone()).len() == 1);
    assert_eq!(snapshot.filter(|member| member.address() != "x").len(), 0);
    assert_eq!(Start::default(), Start { version: 0, count: 0, count_bits: 28 });
}

#[test]
fn what_is_displayed() {
    fn display<T: Display>(value: T) -> String {
        value.to_string()
    }
    assert_eq!(display(Backend::new("b1", "10.0.0.1:80")), "b1@10.0.0.1:80");
    assert!(display(NoBackends).contains("backends"));
    assert!(display(Stale).contains("stale"));
    let boxed: Box<dyn Error + Send + Sync> = NoBackends.into();
    assert!(boxed.downcast_ref::<NoBackends>().is_some());

    let registry = EpochRegistry::<Backend>::new();
    registry.register(Backend::new("b1", "10.0.0.1:80"));
    let shown = format!("{registry:?}");
    assert!(shown.contains("EpochRegistry") && shown.contains("version: 1") && shown.contains("members: 1"), "{shown}");
    let shown = format!("{:?}", registry.snapshot());
    assert!(shown.contains("b1") && shown.contains("version: 1"), "{shown}");
    assert!(format!("{:?}", Balancer::new(registry, RoundRobin::<Backend>::new())).contains("RoundRobin"));
}
