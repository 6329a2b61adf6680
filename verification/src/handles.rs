//! The handles of [`HandleRegistry`], as subjects: one for each thread, made before the threads begin and alive, idle,
//! when they have ended.

use std::marker::PhantomData;

use snapring::platform::Platform;
use snapring::{Handle, HandleRegistry, LeasedHandle, NoBackends, Registry, Start};

use crate::rule::Rule;
use crate::scenario::{Answer, Op, Probe};
use crate::subject::{self, Subject};

/// A kind of handle.
pub trait Kind<P: Platform>: Send + Sync + 'static {
    /// The handle.
    type Handle: Send + 'static;
    /// What its histories are held against.
    const RULE: Rule;
    /// Makes one.
    fn handle(registry: &HandleRegistry<Probe, P>) -> Self::Handle;
    /// Picks.
    fn next(handle: &mut Self::Handle) -> Result<Probe, NoBackends>;
}

/// [`HandleRegistry::handle`].
#[derive(Debug)]
pub enum Exact {}

/// [`HandleRegistry::leased`], two turns at a time.
#[derive(Debug)]
pub enum Leased {}

impl<P: Platform> Kind<P> for Exact {
    type Handle = Handle<Probe, P>;
    const RULE: Rule = Rule::Ring;

    fn handle(registry: &HandleRegistry<Probe, P>) -> Self::Handle {
        registry.handle()
    }

    fn next(handle: &mut Self::Handle) -> Result<Probe, NoBackends> {
        handle.next().map(|member| **member)
    }
}

impl<P: Platform> Kind<P> for Leased {
    type Handle = LeasedHandle<Probe, P>;
    const RULE: Rule = Rule::Leases(2);

    fn handle(registry: &HandleRegistry<Probe, P>) -> Self::Handle {
        registry.leased(2)
    }

    fn next(handle: &mut Self::Handle) -> Result<Probe, NoBackends> {
        handle.next().map(|member| **member)
    }
}

/// The registry, with a handle of this kind for each thread.
#[derive(Debug)]
pub struct Handles<P: Platform, K> {
    registry: HandleRegistry<Probe, P>,
    kind: PhantomData<fn() -> K>,
}

impl<P: Platform, K: Kind<P>> Handles<P, K> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        Self { registry: HandleRegistry::on_platform_with_start(members, start), kind: PhantomData }
    }
}

impl<P: Platform, K: Kind<P>> Subject for Handles<P, K> {
    type Local = K::Handle;
    const RULE: Rule = K::RULE;

    fn can(op: &Op) -> bool {
        !matches!(op, Op::Revoke(_) | Op::Own(_))
    }

    fn local(&self) -> K::Handle {
        K::handle(&self.registry)
    }

    fn next(&self, handle: &mut K::Handle) -> Option<Probe> {
        K::next(handle).ok()
    }

    fn register(&self, member: Probe) -> Answer {
        subject::register(&self.registry, member)
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        self.registry.deregister(&id).map(|member| *member)
    }

    fn replace_all(&self, members: &[Probe]) -> Answer {
        subject::replace_all(&self.registry, members)
    }

    fn snapshot(&self) -> Vec<Probe> {
        subject::snapshot(&self.registry)
    }

    /// The newest list, and one for each handle. (And one that a snapshot made of each.)
    fn settle(&self, handles: usize) -> Option<usize> {
        self.registry.collect();
        Some(handles + 1)
    }
}
