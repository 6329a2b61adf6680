//! The word, the directory of versions, and the writer's side: when a version leaves.

use std::sync::Arc;

use super::ledger::Lines;
use super::rest::Parked;
use super::version::Version;
use crate::chunks::Chunks;
use crate::orderings::{ISSUE_CLOSE, ISSUE_FOLD, ISSUE_MOVE, ISSUE_READ, ISSUE_TAKE, TICKET_PEEK};
use crate::platform::{AtomicU64, Platform, Shared, SwapCell};
use crate::registry::rotation::{Rotation, Step};
use crate::ring::{Layout, Padded};
use crate::{Member, NoBackends, Snapshot, Start};

/// The versions of which tickets may be unserved, the newest last.
pub(super) struct Directory<T: Member, P: Platform> {
    versions: Vec<P::Arc<Version<T, P>>>,
}

impl<T: Member, P: Platform> Directory<T, P> {
    fn find(&self, tag: u64) -> Option<&P::Arc<Version<T, P>>> {
        self.versions.iter().rev().find(|version| version.tag == tag)
    }
}

/// What the registry and its handles share.
pub(crate) struct Desk<T: Member, P: Platform> {
    word: Padded<P::AtomicU64>,
    directory: P::ArcSwap<Directory<T, P>>,
    pub(super) lines: Lines<P>,
    pub(super) parked: Parked<P>,
    pub(super) layout: Layout,
    pub(super) start: Start,
}

impl<T: Member, P: Platform> Desk<T, P> {
    /// Takes tickets.
    #[inline]
    pub(super) fn take(&self, tickets: u64) -> u64 {
        self.word.0.fetch_add(tickets, P::ordering(&ISSUE_TAKE))
    }

    /// Looks at the version of a ticket in one's hand.
    pub(super) fn with_version_of<R>(&self, ticket: u64, look: impl FnOnce(&P::Arc<Version<T, P>>) -> R) -> R {
        let tag = self.layout.tag(ticket);
        self.directory.read(|directory| look(directory.find(tag).expect("a version with an unserved ticket is listed")))
    }

    /// The version that tickets are issued in. Without a ticket it may be gone by the time we look: then there is a
    /// newer one.
    pub(super) fn current(&self) -> P::Arc<Version<T, P>> {
        loop {
            let tag = self.layout.tag(self.word.0.load(P::ordering(&ISSUE_READ)));
            if let Some(version) = self.directory.read(|directory| directory.find(tag).cloned()) {
                return version;
            }
        }
    }

    /// Whether tickets are still issued in this version, as far as we know.
    pub(super) fn is_current(&self, version: &Version<T, P>) -> bool {
        self.layout.tag(self.word.0.load(P::ordering(&ISSUE_READ))) == version.tag
    }

    /// What a pick that is not plain owes to others: it moves a closed word on, and takes full laps out.
    pub(super) fn help(&self, version: &Version<T, P>, ticket: u64, tickets: u64) {
        if ticket & self.layout.closing() != 0 {
            let next = version.tag.wrapping_add(self.layout.of_version(1));
            // Not there: it has come and gone, so the word has long moved on.
            if let Some(next) = self.directory.read(|directory| directory.find(next).cloned()) {
                self.advance(version, &next);
            }
        } else if self.layout.count(ticket) + tickets > version.lap.end() {
            self.fold(version);
        }
    }

    /// Moves the word from a closed version to the next. Who does it records where the old one ended.
    fn advance(&self, version: &Version<T, P>, next: &Version<T, P>) {
        let mut word = self.word.0.load(P::ordering(&TICKET_PEEK));
        while self.layout.tag(word) == version.tag {
            let count = self.layout.count(word);
            let moved = next.tag | next.carry(version, count);
            match self.word.0.compare_exchange(word, moved, P::ordering(&ISSUE_MOVE), P::ordering(&TICKET_PEEK)) {
                Ok(_) => return version.set_end(count),
                Err(now) => word = now,
            }
        }
    }

    /// Takes a lap out of the count, unless somebody did or the version is over.
    fn fold(&self, version: &Version<T, P>) {
        let lap = version.lap.end();
        let is_long = |word: u64| (lap..self.layout.closing()).contains(&word.wrapping_sub(version.tag));
        let mut word = self.word.0.load(P::ordering(&TICKET_PEEK));
        if !is_long(word) {
            return;
        }
        version.add_lap();
        while is_long(word) {
            match self.word.0.compare_exchange(word, word - lap, P::ordering(&ISSUE_FOLD), P::ordering(&TICKET_PEEK)) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
        version.undo_lap();
    }
}

/// The rotation of [`HandleRegistry`](crate::HandleRegistry).
pub(crate) struct Tickets<T: Member, P: Platform>(Arc<Desk<T, P>>);

impl<T: Member, P: Platform> Tickets<T, P> {
    pub(crate) fn desk(&self) -> &Arc<Desk<T, P>> {
        &self.0
    }
}

/// What only writers touch.
pub(crate) struct Writer<T: Member, P: Platform> {
    newest: P::Arc<Version<T, P>>,
    old: Vec<Old<T, P>>,
    /// Directories that were replaced and that a reader may still be looking at.
    replaced: Vec<P::Arc<Directory<T, P>>>,
}

/// A version that is over, and whether it is still in the directory.
struct Old<T: Member, P: Platform> {
    version: P::Arc<Version<T, P>>,
    listed: bool,
}

/// What is free. Dropped outside of all locks.
pub(crate) struct Free<T: Member, P: Platform> {
    _versions: Vec<Old<T, P>>,
}

impl<T: Member, P: Platform> Writer<T, P> {
    fn directory(&self, next: Option<&P::Arc<Version<T, P>>>) -> P::Arc<Directory<T, P>> {
        let listed = self.old.iter().filter(|old| old.listed).map(|old| &old.version);
        P::Arc::new(Directory { versions: listed.chain([&self.newest]).chain(next).cloned().collect() })
    }

    /// Strikes from the list the versions whose tickets are all served. Says whether there were any.
    fn strike(&mut self, lines: &Lines<P>) -> bool {
        let mut struck = false;
        for old in self.old.iter_mut().filter(|old| old.listed) {
            old.listed = !lines.all_served(&old.version);
            struck |= !old.listed;
        }
        struck
    }

    /// Takes out what nobody else has.
    fn free(&mut self) -> Free<T, P> {
        // A directory gives up its versions when it goes, and never the last reference: we have them all.
        self.replaced.retain_mut(|directory| !directory.is_unique());
        let is_free = |old: &mut Old<T, P>| !old.listed && old.version.is_unique();
        Free { _versions: extract(&mut self.old, is_free) }
    }
}

/// Moves out the items that satisfy `out`. The others stay in their order.
fn extract<A>(items: &mut Vec<A>, mut out: impl FnMut(&mut A) -> bool) -> Vec<A> {
    let mut taken = Vec::new();
    let mut at = 0;
    while at < items.len() {
        if out(&mut items[at]) { taken.push(items.remove(at)) } else { at += 1 }
    }
    taken
}

impl<T: Member, P: Platform> Rotation<T, P> for Tickets<T, P> {
    type List = Chunks<T, P>;
    type Writer = Writer<T, P>;
    type Retired = Free<T, P>;

    fn new(first: P::Arc<Chunks<T, P>>, start: Start) -> (Self, Self::Writer) {
        let newest: P::Arc<Version<T, P>> = P::Arc::new(Version::first(first, start));
        let writer: Writer<T, P> = Writer { newest, old: Vec::new(), replaced: Vec::new() };
        let desk = Desk {
            word: Padded(P::AtomicU64::new(writer.newest.tag | (start.count % writer.newest.lap.end()))),
            directory: P::ArcSwap::new(writer.directory(None)),
            lines: Lines::new(),
            parked: Parked::new(),
            layout: Layout::of(start),
            start,
        };
        (Self(Arc::new(desk)), writer)
    }

    /// Without a handle: a second read-modify-write says that the ticket was served.
    fn next(&self) -> Result<Arc<T>, NoBackends> {
        let ticket = self.0.take(1);
        self.0.with_version_of(ticket, |version| {
            let count = ticket.wrapping_sub(version.tag);
            if count >= version.plain {
                self.0.help(version, ticket, 1);
            }
            let pick = version.pick(self.0.layout.count(ticket)).cloned().ok_or(NoBackends);
            version.add_served(1);
            pick
        })
    }

    fn current(&self) -> Snapshot<T, P> {
        Snapshot::from_list(self.0.current().list.flat())
    }

    fn publish(&self, writer: &mut Self::Writer, list: P::Arc<Chunks<T, P>>, step: Step) -> Self::Retired {
        let desk = &*self.0;
        writer.strike(&desk.lines);
        let next = P::Arc::new(writer.newest.after(list, step, desk.start));
        writer.replaced.push(desk.directory.swap(writer.directory(Some(&next))));
        writer.newest.set_over();
        desk.word.0.fetch_or(desk.layout.closing(), P::ordering(&ISSUE_CLOSE));
        desk.advance(&writer.newest, &next);
        let version = std::mem::replace(&mut writer.newest, next);
        writer.old.push(Old { version, listed: true });
        self.tidy(writer)
    }

    fn sweep(&self, writer: &mut Self::Writer) -> Option<Self::Retired> {
        Some(self.tidy(writer))
    }
}

impl<T: Member, P: Platform> Tickets<T, P> {
    /// Lets go of versions whose tickets are all served.
    fn tidy(&self, writer: &mut Writer<T, P>) -> Free<T, P> {
        if writer.strike(&self.0.lines) {
            writer.replaced.push(self.0.directory.swap(writer.directory(None)));
        }
        writer.free()
    }
}
