//! [`DirectoryFeed`]: from versioned updates into all services of a directory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use snapring::{Directory, Member, Service};

use crate::feed::{EmptyGuard, Feed, OnEmpty, Outcome};
use crate::sink::{Rejected, Sink, check};
use crate::update::{Delta, DirectoryUpdate};

/// What to do with a service that the source no longer has. Only services that this feed has fed are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnMissing {
    /// Keep it and its list.
    #[default]
    Keep,
    /// Keep it, as one whose list is empty; [`OnEmpty`] decides about that.
    Empty,
    /// [Remove](Directory::remove) it from the directory, with what its strategy knows.
    Remove,
}

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryOutcome {
    /// For each service that had a list in the update, or was missing and counts as empty, what became of it.
    pub services: BTreeMap<String, Outcome>,
    /// The services that were missing, in order. What becomes of them is what [`OnMissing`] says, unless
    /// [`kept`](Self::kept) is set.
    pub missing: Vec<String>,
    /// The update had no services at all, and was held back as a whole: how many of that kind there were in a row.
    pub kept: Option<u32>,
}

/// Feeds the services of a directory. Each is published in one step, as by a [`Feed`]; they follow one another.
///
/// It touches no service that it was not told of. A whole list without any service is treated as an empty list is:
/// [`OnEmpty`] decides, before [`OnMissing`] is asked. A service that is held back begins anew, from the empty list, when
/// a delta speaks of it again, as it does at the source.
///
/// **Panics** of a member's code reach the caller. The services that came before are published then, the version is
/// not taken, and the update can be applied again.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::Arc;
/// use snapring::{Backend, Directory};
/// use snapring_control::{DirectoryFeed, DirectoryUpdate, OnEmpty, OnMissing, Sink};
///
/// let directory = Arc::new(Directory::<Backend>::new());
/// let mut feed = DirectoryFeed::new(directory.clone(), OnEmpty::Keep, OnMissing::Remove);
/// let services = BTreeMap::from([("orders".to_owned(), vec![Backend::new("o1", "10.0.0.1:80")])]);
/// feed.apply(DirectoryUpdate::List { version: 1, services }).unwrap();
/// assert_eq!(directory.pick("orders").unwrap().id(), "o1");
/// ```
pub struct DirectoryFeed<T: Member> {
    directory: Arc<Directory<T>>,
    on_empty: OnEmpty,
    on_missing: OnMissing,
    version: Option<u64>,
    feeds: BTreeMap<String, Feed<T, Service<T>>>,
    /// Of lists without services.
    guard: EmptyGuard,
}

impl<T: Member + Clone> DirectoryFeed<T> {
    /// Feeds this directory, which stays as it is until the first update.
    pub fn new(directory: Arc<Directory<T>>, on_empty: OnEmpty, on_missing: OnMissing) -> Self {
        let guard = EmptyGuard::new(on_empty);
        Self { directory, on_empty, on_missing, version: None, feeds: BTreeMap::new(), guard }
    }

    /// The directory.
    pub fn directory(&self) -> &Arc<Directory<T>> {
        &self.directory
    }

    /// Forgets the version: the next list may have any. For a control plane that begins anew; the lists stay.
    pub fn forget_version(&mut self) {
        self.version = None;
    }

    fn take_all(&mut self, services: BTreeMap<String, Vec<T>>) -> DirectoryOutcome {
        let guard = self.guard.next(services.is_empty(), || self.feeds.is_empty());
        self.guard = guard;
        let missing: Vec<_> = self.feeds.keys().filter(|name| !services.contains_key(*name)).cloned().collect();
        if guard.holds() {
            return DirectoryOutcome { missing, kept: Some(guard.in_a_row()), ..DirectoryOutcome::default() };
        }
        let mut outcome = DirectoryOutcome::default();
        for (name, members) in services {
            let taken = self.feed(&name).take(members);
            outcome.services.insert(name, taken);
        }
        self.miss(missing, &mut outcome);
        outcome
    }

    fn take_delta(&mut self, services: BTreeMap<String, Delta<T>>, gone: Vec<String>) -> DirectoryOutcome {
        if self.guard.holds() {
            // The source began anew, with no services; nor are there any to be gone.
            return self.take_all(services.into_iter().map(|(name, delta)| (name, delta.added)).collect());
        }
        let known = |name: &String| self.feeds.contains_key(name) && !services.contains_key(name);
        let mut missing: Vec<_> = gone.into_iter().filter(known).collect();
        missing.sort();
        missing.dedup();
        let mut outcome = DirectoryOutcome::default();
        for (name, delta) in services {
            let feed = self.feed(&name);
            let members = feed.after(delta);
            let taken = feed.take(members);
            outcome.services.insert(name, taken);
        }
        self.miss(missing, &mut outcome);
        outcome
    }

    fn miss(&mut self, missing: Vec<String>, outcome: &mut DirectoryOutcome) {
        for name in &missing {
            match self.on_missing {
                OnMissing::Keep => {
                    let feed = self.feed(name);
                    feed.guard = feed.guard.gone();
                }
                OnMissing::Empty => {
                    let taken = self.feed(name).take(Vec::new());
                    outcome.services.insert(name.clone(), taken);
                }
                OnMissing::Remove => {
                    self.feeds.remove(name);
                    self.directory.remove(name);
                }
            }
        }
        outcome.missing = missing;
    }

    fn feed(&mut self, name: &str) -> &mut Feed<T, Service<T>> {
        let make = || Feed::new(self.directory.service(name), self.on_empty);
        self.feeds.entry(name.to_owned()).or_insert_with(make)
    }
}

impl<T: Member + Clone> Sink for DirectoryFeed<T> {
    type Update = DirectoryUpdate<T>;
    type Outcome = DirectoryOutcome;

    fn version(&self) -> Option<u64> {
        self.version
    }

    fn apply(&mut self, update: DirectoryUpdate<T>) -> Result<DirectoryOutcome, Rejected> {
        let (version, outcome) = match update {
            DirectoryUpdate::List { version, services } => {
                check(self.version, version, None)?;
                (version, self.take_all(services))
            }
            DirectoryUpdate::Delta { base, version, services, gone } => {
                check(self.version, version, Some(base))?;
                (version, self.take_delta(services, gone))
            }
        };
        self.version = Some(version); // not before: user code may have panicked
        Ok(outcome)
    }

    fn awaits_confirmation(&self) -> bool {
        self.guard.awaits_confirmation() || self.feeds.values().any(Sink::awaits_confirmation)
    }
}

impl<T: Member> fmt::Debug for DirectoryFeed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectoryFeed")
            .field("directory", &self.directory)
            .field("version", &self.version)
            .field("fed", &self.feeds.keys())
            .finish_non_exhaustive()
    }
}
