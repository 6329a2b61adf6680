//! Strategies with a memory, as subjects: what a balancer picks, while its registry changes.

use snapring::platform::Platform;
use snapring::strategy::ShuffleBag;
use snapring::{ArcSwapRegistry, Balancer, Directory, Registry, Start};

use crate::rule::Rule;
use crate::scenario::{Answer, Op, Probe};
use crate::subject::{self, Subject};

/// A [`ShuffleBag`] over a registry. Seeded, so that a checker can repeat its choices.
#[derive(Debug)]
pub struct Bagged<P: Platform>(Balancer<ArcSwapRegistry<Probe, P>, ShuffleBag<Probe, P>>);

impl<P: Platform> Bagged<P> {
    /// Of these members.
    pub fn new(members: Vec<Probe>, start: Start) -> Self {
        let registry = ArcSwapRegistry::on_platform_with_start(members, start);
        Self(Balancer::new(registry, ShuffleBag::on_platform(1)))
    }
}

/// A service of a [`Directory`], looked up by every call.
#[derive(Debug)]
pub struct Listed<P: Platform>(Directory<Probe, P>);

const SERVICE: &str = "service";

impl<P: Platform> Listed<P> {
    /// Of these members. The service is made by whoever comes first, if there are none.
    pub fn new(members: Vec<Probe>, _start: Start) -> Self {
        let directory = Directory::on_platform(|| ShuffleBag::on_platform(1));
        if !members.is_empty() {
            directory.service(SERVICE).replace_all(members);
        }
        Self(directory)
    }
}

macro_rules! bag {
    ($subject:ident, |$self:ident| $registry:expr, $pick:expr) => {
        impl<P: Platform> Subject for $subject<P> {
            type Local = ();
            const RULE: Rule = Rule::Bag;

            fn can(op: &Op) -> bool {
                !matches!(op, Op::Revoke(_) | Op::Own(_) | Op::Renew)
            }

            fn local(&self) {}

            fn next(&$self, _local: &mut ()) -> Option<Probe> {
                $pick
            }

            fn register(&$self, member: Probe) -> Answer {
                subject::register(&$registry, member)
            }

            fn deregister(&$self, id: u8) -> Option<Probe> {
                $registry.deregister(&id).map(|member| *member)
            }

            fn replace_all(&$self, members: &[Probe]) -> Answer {
                subject::replace_all(&$registry, members)
            }

            fn snapshot(&$self) -> Vec<Probe> {
                subject::snapshot(&$registry)
            }
        }
    };
}

bag!(Bagged, |self| *self.0.registry(), self.0.route().ok().map(|member| *member));
bag!(Listed, |self| self.0.service(SERVICE), self.0.pick(SERVICE).ok().map(|member| *member));
