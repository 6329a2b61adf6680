//! [`Hooked`]: a member whose `id`, `==`, `Hash` and `Drop` do what a test tells them.

use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use snapring::{Member, Registry};

/// Which piece of user code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `Member::id`
    Id,
    /// `Hash` of the id
    Hash,
    /// `==` of ids
    SameId,
    /// `==` of members
    SameContents,
    /// `Drop` of a member
    Drop,
}

pub const EVENTS: [Event; 5] = [Event::Id, Event::Hash, Event::SameId, Event::SameContents, Event::Drop];

type Action = Arc<dyn Fn(Event) + Send + Sync>;

/// What the members of one test do.
#[derive(Clone, Default)]
pub struct Script(Arc<State>);

#[derive(Default)]
struct State {
    action: Mutex<Option<Action>>,
    runs: [AtomicUsize; EVENTS.len()],
}

thread_local! {
    /// An action is not run by what it does itself.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl Script {
    pub fn member(&self, name: u64, contents: u64) -> Hooked {
        Hooked { name: self.name(name), contents }
    }

    pub fn name(&self, name: u64) -> Name {
        Name { name, script: self.clone() }
    }

    /// From now on, user code does this, until [`quiet`](Self::quiet).
    pub fn each(&self, action: impl Fn(Event) + Send + Sync + 'static) {
        *self.0.action.lock().unwrap() = Some(Arc::new(action));
    }

    pub fn quiet(&self) {
        let action = self.0.action.lock().unwrap().take();
        drop(action); // after the lock: an action may own members
    }

    /// How often the action was run by this event.
    pub fn runs(&self, event: Event) -> usize {
        self.0.runs[event as usize].load(SeqCst)
    }

    /// How many members, and names outside of members, are alive.
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }

    fn run(&self, event: Event) {
        struct Outside;
        impl Drop for Outside {
            fn drop(&mut self) {
                INSIDE.set(false);
            }
        }
        let Some(action) = self.0.action.lock().unwrap().clone() else { return };
        if !INSIDE.replace(true) {
            let _outside = Outside;
            self.0.runs[event as usize].fetch_add(1, SeqCst);
            action(event);
        }
    }
}

/// On this thread, user code does nothing more.
pub fn be_quiet() {
    INSIDE.set(true);
}

pub struct Hooked {
    pub name: Name,
    pub contents: u64,
}

#[derive(Clone)]
pub struct Name {
    pub name: u64,
    script: Script,
}

impl Member for Hooked {
    type Id = Name;

    fn id(&self) -> &Name {
        self.name.script.run(Event::Id);
        &self.name
    }
}

impl PartialEq for Hooked {
    fn eq(&self, other: &Self) -> bool {
        self.name.script.run(Event::SameContents);
        (self.name.name, self.contents) == (other.name.name, other.contents)
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        self.name.script.run(Event::Drop);
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.script.run(Event::SameId);
        self.name == other.name
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.script.run(Event::Hash);
        self.name.hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name.name, self.contents)
    }
}

/// Who is registered, with contents.
pub fn names(registry: &(impl Registry<Hooked> + ?Sized)) -> Vec<(u64, u64)> {
    registry.snapshot().iter().map(|member| (member.name.name, member.contents)).collect()
}
