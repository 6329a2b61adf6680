//! [`Subject`]: what can be checked.

use std::sync::Arc;

use snapring::{Outcome, Platform, Registry, Start};

use crate::scenario::{Answer, Op, Probe};

/// A registry as the scenarios see it. Implemented by every [`snapring::Registry`] through [`Checked`]; implement it for
/// yours, leaving out what it does not have.
#[allow(missing_docs, reason = "the words of the scenarios")]
pub trait Subject: Send + Sync + 'static {
    fn next(&self) -> Option<Probe>;

    fn register(&self, _member: Probe) -> Answer {
        unimplemented!("this subject cannot register")
    }

    fn deregister(&self, _id: u8) -> Option<Probe> {
        unimplemented!("this subject cannot deregister")
    }

    fn replace_all(&self, _members: &[Probe]) -> Answer {
        unimplemented!("this subject cannot replace_all")
    }

    fn snapshot(&self) -> Vec<Probe>;

    /// Does an operation.
    fn call(&self, op: &Op) -> Answer {
        match op {
            Op::Next => Answer::Picked(self.next()),
            Op::Snapshot => Answer::Listed(self.snapshot()),
            Op::Register(member) => self.register(*member),
            Op::Deregister(id) => Answer::Removed(self.deregister(*id)),
            Op::ReplaceAll(members) => self.replace_all(members),
        }
    }
}

/// Makes a subject with these members and counters.
pub type Maker<S> = fn(Vec<Probe>, Start) -> S;

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
    fn next(&self) -> Option<Probe> {
        self.0.next().ok().map(|member| *member)
    }

    fn register(&self, member: Probe) -> Answer {
        match self.0.register(member).outcome() {
            Outcome::Added => Answer::Added,
            Outcome::Unchanged => Answer::Unchanged,
            Outcome::Replaced(old) => Answer::Replaced(**old),
        }
    }

    fn deregister(&self, id: u8) -> Option<Probe> {
        self.0.deregister(&id).map(|member| *member)
    }

    fn replace_all(&self, members: &[Probe]) -> Answer {
        let changes = self.0.replace_all(members.to_vec());
        Answer::Changed([changes.added(), changes.removed(), changes.replaced(), changes.unchanged()])
    }

    fn snapshot(&self) -> Vec<Probe> {
        self.0.snapshot().iter().map(|member: &Arc<Probe>| **member).collect()
    }
}

/// Makes a registry of this crate on a platform, as a subject.
#[macro_export]
macro_rules! maker {
    ($registry:ty) => {
        |members, start| $crate::subject::Checked::new(<$registry>::on_platform_with_start(members, start))
    };
}
