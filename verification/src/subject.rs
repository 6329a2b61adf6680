//! [`Subject`]: what can be checked.

use std::sync::Arc;

use snapring::{Outcome, Platform, Registry, Start};

use crate::rule::Rule;
use crate::scenario::{Answer, Op, Probe, Scenario};

/// A registry as the scenarios see it. Implemented by every [`snapring::Registry`] through [`Checked`]; implement it for
/// yours, leaving out what it does not have.
#[allow(missing_docs, reason = "the words of the scenarios")]
pub trait Subject: Send + Sync + 'static {
    /// What each thread has for itself: a handle, say.
    type Local: Send + 'static;

    /// What its histories are held against.
    const RULE: Rule = Rule::Ring;

    /// Whether it has this operation. Scenarios with others are not for it.
    fn can(op: &Op) -> bool {
        !matches!(op, Op::Revoke(_) | Op::Renew | Op::Own(_))
    }

    fn local(&self) -> Self::Local;

    fn next(&self, local: &mut Self::Local) -> Option<Probe>;

    fn register(&self, _member: Probe) -> Answer {
        cannot("register")
    }

    fn deregister(&self, _id: u8) -> Option<Probe> {
        cannot("deregister")
    }

    fn revoke(&self, _member: Probe) -> Option<Probe> {
        cannot("revoke")
    }

    fn replace_all(&self, _members: &[Probe]) -> Answer {
        cannot("replace_all")
    }

    fn snapshot(&self) -> Vec<Probe>;

    /// Called when all threads have ended. How many lists may be alive then, if that is limited, with this many locals.
    fn settle(&self, _locals: usize) -> Option<usize> {
        None
    }

    /// Does an operation.
    fn call(&self, op: &Op, local: &mut Self::Local) -> Answer {
        match op {
            Op::Next => Answer::Picked(self.next(local)),
            Op::Snapshot => Answer::Listed(self.snapshot()),
            Op::Register(member) => self.register(*member),
            Op::Deregister(id) => Answer::Removed(self.deregister(*id)),
            Op::Revoke(member) => Answer::Removed(self.revoke(*member)),
            Op::ReplaceAll(members) => self.replace_all(members),
            Op::Renew => {
                *local = self.local();
                Answer::Done
            }
            Op::Own(name) => cannot(name),
        }
    }
}

/// An operation that a subject does not have, though its [`Subject::can`] says so: a mistake of whoever wrote it, for which
/// the scenario fails.
fn cannot(what: &str) -> ! {
    panic!("`can` promises {what}, and the subject has none")
}

/// Makes a subject with these members and counters.
pub type Maker<S> = fn(Vec<Probe>, Start) -> S;

/// Whether a scenario is for the subjects of this maker: some are about handles, some about leases.
pub fn suits<S: Subject>(scenario: &Scenario, _make: Maker<S>) -> bool {
    scenario.threads.iter().flatten().all(S::can)
}

/// A [`snapring::Registry`] as a subject.
#[derive(Debug)]
pub struct Checked<R, P>(R, std::marker::PhantomData<fn() -> P>);

impl<R, P> Checked<R, P> {
    /// Wraps it.
    pub fn new(registry: R) -> Self {
        Self(registry, std::marker::PhantomData)
    }
}

impl<P: Platform, R: Registry<Probe, P> + 'static> Subject for Checked<R, P> {
    type Local = ();

    fn local(&self) {}

    fn next(&self, _local: &mut ()) -> Option<Probe> {
        self.0.next().ok().map(|member| *member)
    }

    fn register(&self, member: Probe) -> Answer {
        register(&self.0, member)
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        self.0.deregister(&id).map(|member| *member)
    }

    fn replace_all(&self, members: &[Probe]) -> Answer {
        replace_all(&self.0, members)
    }

    fn snapshot(&self) -> Vec<Probe> {
        snapshot(&self.0)
    }
}

pub(crate) fn register<P: Platform>(registry: &impl Registry<Probe, P>, member: Probe) -> Answer {
    match registry.register(member).outcome() {
        Outcome::Added => Answer::Added,
        Outcome::Unchanged => Answer::Unchanged,
        Outcome::Replaced(old) => Answer::Replaced(**old),
    }
}

pub(crate) fn replace_all<P: Platform>(registry: &impl Registry<Probe, P>, members: &[Probe]) -> Answer {
    let changes = registry.replace_all(members.to_vec());
    Answer::Changed([changes.added(), changes.removed(), changes.replaced(), changes.unchanged()])
}

pub(crate) fn snapshot<P: Platform>(registry: &impl Registry<Probe, P>) -> Vec<Probe> {
    registry.snapshot().iter().map(|member: &Arc<Probe>| **member).collect()
}

/// Makes a registry of this crate on a platform, as a subject.
#[macro_export]
macro_rules! maker {
    ($registry:ty) => {
        |members, start| $crate::subject::Checked::new(<$registry>::on_platform_with_start(members, start))
    };
}
