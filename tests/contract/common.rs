//! What every test needs: the registries by name, members, a model to compare with, and watchdogs.

use std::fmt;
use std::sync::Arc;

use snapring::{
    ArcSwapRegistry, EpochRegistry, HandleRegistry, Member, MutexRegistry, Registry, RwLockRegistry, Start,
};

pub mod caught;
pub mod checked;
pub mod counted;
pub mod hooked;
pub mod meet;
pub mod model;
pub mod watchdog;

pub use caught::caught;
pub use checked::Checked;
pub use counted::{Census, Counted};
pub use meet::{Crew, meet};
pub use watchdog::{eventually, within};

/// Which registry is on trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Mutex,
    RwLock,
    Epoch,
    ArcSwap,
    Handle,
}

/// A registry on trial.
pub trait Subject<T: Member>: Registry<T> + fmt::Debug {
    /// Lets go of lists that only waited for their readers, where that is not done by every change.
    fn collect(&self) {}
}

impl<T: Member> Subject<T> for MutexRegistry<T> {}
impl<T: Member> Subject<T> for RwLockRegistry<T> {}
impl<T: Member> Subject<T> for ArcSwapRegistry<T> {
    fn collect(&self) {
        ArcSwapRegistry::collect(self);
    }
}
impl<T: Member> Subject<T> for EpochRegistry<T> {
    fn collect(&self) {
        EpochRegistry::collect(self);
    }
}
impl<T: Member> Subject<T> for HandleRegistry<T> {
    fn collect(&self) {
        HandleRegistry::collect(self);
    }
}

/// A registry on trial, for several threads.
pub type Shared<T> = Arc<dyn Subject<T>>;

impl Kind {
    /// A new registry.
    pub fn empty<T: Member>(self) -> Shared<T> {
        match self {
            Self::Mutex => Arc::new(MutexRegistry::new()),
            Self::RwLock => Arc::new(RwLockRegistry::new()),
            Self::Epoch => Arc::new(EpochRegistry::new()),
            Self::ArcSwap => Arc::new(ArcSwapRegistry::new()),
            Self::Handle => Arc::new(HandleRegistry::new()),
        }
    }

    /// A registry of these members that begins where `start` says.
    pub fn starting<T: Member>(self, members: Vec<T>, start: Start) -> Shared<T> {
        match self {
            Self::Mutex => Arc::new(MutexRegistry::with_start(members, start)),
            Self::RwLock => Arc::new(RwLockRegistry::with_start(members, start)),
            Self::Epoch => Arc::new(EpochRegistry::with_start(members, start)),
            Self::ArcSwap => Arc::new(ArcSwapRegistry::with_start(members, start)),
            Self::Handle => Arc::new(HandleRegistry::with_start(members, start)),
        }
    }

    /// A registry of these members.
    pub fn of<T: Member>(self, members: Vec<T>) -> Shared<T> {
        self.starting(members, Start::default())
    }
}

/// Makes one test for each registry out of each function, named `function::registry`.
macro_rules! on_every_registry {
    ($($test:ident),* $(,)?) => {$(
        mod $test {
            use $crate::common::Kind;

            #[test]
            fn mutex() {
                super::$test(Kind::Mutex);
            }

            #[test]
            fn rwlock() {
                super::$test(Kind::RwLock);
            }

            #[test]
            fn epoch() {
                super::$test(Kind::Epoch);
            }

            #[test]
            fn arc_swap() {
                super::$test(Kind::ArcSwap);
            }

            #[test]
            fn handle() {
                super::$test(Kind::Handle);
            }
        }
    )*};
}
pub(crate) use on_every_registry;

/// Who is next, several times.
pub fn picks(registry: &(impl Registry<Counted> + ?Sized), times: usize) -> Vec<u64> {
    (0..times).map(|_| registry.next().expect("somebody is registered").number).collect()
}

/// The ids of a list, in order.
pub fn numbers(list: &[Arc<Counted>]) -> Vec<u64> {
    list.iter().map(|member| member.number).collect()
}
