//! [`Roster`]: who is registered, and how that changes; the part that all registries share.
//!
//! # A change never runs user code under the lock
//!
//! A change concerns some ids. Whether a registered member has such an id, and whether it is equal to the new one, only
//! user code can tell. So a [`Claim`] first notes, under the lock, which members have the same *hash* (usually none or
//! one); then, without the lock, it asks them; then, under the lock again, it checks that those are still the members
//! with that hash, which is a comparison of pointers, and applies the change. If not, it asks those that are new.
//! Building the new list and keeping the index need pointers and hashes only.
//!
//! # Nothing is dropped under the lock
//!
//! Whatever a change leaves over is moved out of the locked section and dropped behind it.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use super::rotation::{Rotation, Step};
use crate::events::{self, About, Published};
use crate::list::{Origin, Sequence};
use crate::platform::{Mutex, Platform, Shared};
use crate::{Changes, Member, NoBackends, Outcome, Registration, Snapshot, Stale, Start, Token};

pub(crate) struct Roster<T: Member, P: Platform, R: Rotation<T, P>> {
    rotation: R,
    books: P::Mutex<Books<T, P, R>>,
    hasher: RandomState,
    capacity: usize,
}

/// The writers' truth, under their lock.
struct Books<T: Member, P: Platform, R: Rotation<T, P>> {
    list: P::Arc<R::List>,
    index: Index<T>,
    writer: R::Writer,
}

/// The books, under the lock.
type Opened<'a, T, P, R> = <<P as Platform>::Mutex<Books<T, P, R>> as Mutex<Books<T, P, R>>>::Guard<'a>;

/// A registered member, found by the hash of its id.
struct Entry<T> {
    token: Token,
    member: Arc<T>,
}

/// Who is registered, by the hash of their id.
struct Index<T>(HashTable<Entry<T>>);

impl<T> Drop for Index<T> {
    /// A table stops at the first `Drop` that panics, and forgets the rest; a vector goes on.
    fn drop(&mut self) {
        drop(std::mem::take(&mut self.0).into_iter().collect::<Vec<_>>());
    }
}

impl<T> Entry<T> {
    fn hash(&self) -> u64 {
        self.token.hash
    }

    fn holds(&self, member: &Arc<T>) -> bool {
        Arc::ptr_eq(&self.member, member)
    }
}

/// What is known about who holds an id.
struct Claim<T> {
    hash: u64,
    /// The members with this hash when we looked last.
    seen: Vec<Arc<T>>,
    /// Which of them has the id.
    holder: Option<Arc<T>>,
    /// Whether the holder is equal to the member that claims the id.
    equal: bool,
    /// What was seen before that, kept until we are outside the lock.
    stale: Vec<Arc<T>>,
}

impl<T: Member> Claim<T> {
    fn new(hash: u64) -> Self {
        Self { hash, seen: Vec::new(), holder: None, equal: false, stale: Vec::new() }
    }

    /// Under the lock: whether what we know is still so. If not, notes what to ask.
    fn is_current(&mut self, index: &HashTable<Entry<T>>) -> bool {
        let same_hash = || index.iter_hash(self.hash).filter(|entry| entry.hash() == self.hash);
        if same_hash().count() == self.seen.len() && same_hash().all(|entry| self.seen.iter().any(|m| entry.holds(m))) {
            return true;
        }
        let now = same_hash().map(|entry| entry.member.clone()).collect();
        self.stale.extend(std::mem::replace(&mut self.seen, now));
        false
    }

    /// Outside the lock: asks the members that were seen.
    fn ask(&mut self, id: &T::Id, claimant: Option<&T>) {
        self.stale.clear();
        self.holder = self.seen.iter().find(|member| member.id() == id).cloned();
        self.equal = match (&self.holder, claimant) {
            (Some(holder), Some(claimant)) => **holder == *claimant,
            _ => false,
        };
    }
}

/// A member on its way in.
struct Candidate<T> {
    member: Arc<T>,
    claim: Claim<T>,
}

impl<T: Member, P: Platform, R: Rotation<T, P>> Roster<T, P, R> {
    pub(crate) fn new(members: Vec<T>, start: Start) -> Self {
        let (hasher, capacity) = (RandomState::new(), start.capacity());
        let candidates = unique(&hasher, members);
        check_capacity(candidates.len(), capacity);
        let mut index = Index(HashTable::with_capacity(candidates.len()));
        let mut list = Vec::with_capacity(candidates.len());
        for Candidate { member, claim } in candidates {
            list.push(member.clone());
            index.0.insert_unique(claim.hash, Entry { token: Token::issue(claim.hash), member }, Entry::hash);
        }
        let list: P::Arc<R::List> = P::Arc::new(R::List::of(list, start.version, Origin::next()));
        let (rotation, writer) = R::new(list.clone(), start);
        Self { rotation, books: P::Mutex::new(Books { list, index, writer }), hasher, capacity }
    }

    pub(crate) fn rotation(&self) -> &R {
        &self.rotation
    }

    #[inline]
    pub(crate) fn next(&self) -> Result<Arc<T>, NoBackends> {
        self.rotation.next()
    }

    pub(crate) fn snapshot(&self) -> Snapshot<T, P> {
        self.rotation.current()
    }

    pub(crate) fn register(&self, member: T) -> Registration<T> {
        let hash = self.hasher.hash_one(member.id());
        let member = Arc::new(member);
        let mut claim = Claim::new(hash);
        let mut books = self.books.lock();
        while !claim.is_current(&books.index.0) {
            drop(books);
            claim.ask(member.id(), Some(&member));
            if claim.equal {
                return Registration::new(Token::null(), Outcome::Unchanged);
            }
            books = self.books.lock();
        }
        let token = Token::issue(hash);
        let entry = Entry { token: token.clone(), member: member.clone() };
        let about = About::member(&member);
        let (list, outcome) = match &claim.holder {
            Some(holder) => {
                let old = books.index.0.find_mut(hash, |entry| entry.holds(holder)).expect("a current claim's holder");
                let old = std::mem::replace(old, entry).member;
                (books.list.replaced(position(&*books.list, &old), member), Outcome::Replaced(old))
            }
            None => {
                if books.list.len() == self.capacity {
                    drop(books);
                    panic_full(self.capacity);
                }
                books.index.0.insert_unique(hash, entry, Entry::hash);
                (books.list.appended(member), Outcome::Added)
            }
        };
        let published = self.publish(books, list, Step::Append);
        about.tell(if matches!(outcome, Outcome::Added) { "registered" } else { "replaced" }, published);
        Registration::new(token, outcome)
    }

    pub(crate) fn deregister(&self, id: &T::Id) -> Option<Arc<T>> {
        let mut claim = Claim::new(self.hasher.hash_one(id));
        let mut books = self.books.lock();
        while !claim.is_current(&books.index.0) {
            drop(books);
            claim.ask(id, None);
            claim.holder.as_ref()?;
            books = self.books.lock();
        }
        let holder = claim.holder.as_ref()?;
        let entry = books.index.0.find_entry(claim.hash, |entry| entry.holds(holder)).ok().expect("a current holder");
        let entry = entry.remove().0;
        Some(self.remove(books, entry, "deregistered"))
    }

    pub(crate) fn revoke(&self, token: &Token) -> Result<Arc<T>, Stale> {
        let mut books = self.books.lock();
        let entry = books.index.0.find_entry(token.hash, |entry| entry.token == *token).map_err(|_| Stale)?.remove().0;
        Ok(self.remove(books, entry, "revoked"))
    }

    pub(crate) fn replace_all(&self, members: Vec<T>) -> Changes {
        let mut candidates = unique(&self.hasher, members);
        check_capacity(candidates.len(), self.capacity);
        let mut books = self.books.lock();
        loop {
            let mut to_ask = Vec::new();
            for (at, candidate) in candidates.iter_mut().enumerate() {
                if !candidate.claim.is_current(&books.index.0) {
                    to_ask.push(at);
                }
            }
            if to_ask.is_empty() {
                break;
            }
            drop(books);
            for at in to_ask {
                let Candidate { member, claim } = &mut candidates[at];
                claim.ask(member.id(), Some(member));
            }
            books = self.books.lock();
        }

        let Replacement { members, survivors, step, kept, changes } = Replacement::plan(&*books.list, &candidates);
        if changes.is_empty() {
            drop(books); // before the candidates are
            return changes;
        }
        let mut index = Index(HashTable::with_capacity(candidates.len()));
        for (Candidate { member, claim }, kept) in candidates.iter().zip(kept) {
            let hash = claim.hash;
            let entry = match kept.and_then(|kept| books.index.0.find(hash, |entry| entry.holds(kept))) {
                Some(Entry { token, member }) => Entry { token: token.clone(), member: member.clone() },
                None => Entry { token: Token::issue(hash), member: member.clone() },
            };
            index.0.insert_unique(hash, entry, Entry::hash);
        }
        let old_index = std::mem::replace(&mut books.index, index);
        let list = books.list.rebuilt(members, &survivors);
        let published = self.publish(books, list, step);
        drop(old_index);
        events::all_replaced(changes, published);
        changes
    }

    fn remove(&self, books: Opened<'_, T, P, R>, entry: Entry<T>, change: &'static str) -> Arc<T> {
        let gap = position(&*books.list, &entry.member);
        let list = books.list.removed(gap);
        let published = self.publish(books, list, Step::Remove(gap as u64));
        About::member(&entry.member).tell(change, published);
        entry.member
    }

    /// The end of every change: the new list goes out, the lock is released, what is left over is dropped.
    fn publish(&self, mut books: Opened<'_, T, P, R>, list: R::List, step: Step) -> Published {
        let published = Published { version: list.version(), n: list.len() };
        let next = P::Arc::new(list);
        let old = std::mem::replace(&mut books.list, next.clone());
        let retired = self.rotation.publish(&mut books.writer, next, step);
        drop(books);
        // What is retired is settled before anything is dropped: a member's `Drop` may panic.
        let more = self.rotation.settle(retired);
        drop(old);
        if more {
            self.sweep();
        }
        published
    }

    /// Drops what is free, without a change.
    pub(crate) fn collect(&self) {
        self.rotation.reclaim();
        self.sweep();
    }

    fn sweep(&self) {
        let swept = self.rotation.sweep(&mut self.books.lock().writer);
        drop(swept); // the lock is released
    }
}

/// What `replace_all` does to a list.
struct Replacement<'a, T> {
    members: Vec<Arc<T>>,
    /// Where the first of those were.
    survivors: Vec<u32>,
    step: Step,
    /// For each candidate, the equal member that stays in its place.
    kept: Vec<Option<&'a Arc<T>>>,
    changes: Changes,
}

impl<'a, T: Member> Replacement<'a, T> {
    /// Needs pointers only, so it may run under the lock.
    fn plan(old: &impl Sequence<T>, candidates: &'a [Candidate<T>]) -> Self {
        let mut by_holder = HashMap::with_capacity(candidates.len());
        for (at, Candidate { claim, .. }) in candidates.iter().enumerate() {
            if let Some(holder) = &claim.holder {
                by_holder.entry(Arc::as_ptr(holder)).or_insert((at, holder));
            }
        }
        let mut members = Vec::with_capacity(candidates.len());
        let mut kept = vec![None; candidates.len()];
        let mut placed = vec![false; candidates.len()];
        let mut survivors = Vec::new();
        let mut changes = Changes::default();
        for (place, member) in old.iter().enumerate() {
            let Some(&(at, holder)) = by_holder.get(&Arc::as_ptr(member)) else {
                changes.removed += 1;
                continue;
            };
            survivors.push(place as u32);
            placed[at] = true;
            if candidates[at].claim.equal {
                changes.unchanged += 1;
                kept[at] = Some(holder);
                members.push(holder.clone());
            } else {
                changes.replaced += 1;
                members.push(candidates[at].member.clone());
            }
        }
        for (candidate, _) in candidates.iter().zip(placed).filter(|(_, placed)| !placed) {
            changes.added += 1;
            members.push(candidate.member.clone());
        }
        let step = match changes.removed {
            0 => Step::Append,
            _ => Step::Remap(first_survivors(old.len(), &survivors)),
        };
        Self { members, survivors, step, kept, changes }
    }
}

/// For each of `n` old positions, where its member is now, or else its first surviving successor, cyclically; 0 if there
/// is none. `survivors` are the old positions of the members that are now at 0, 1, 2, …
fn first_survivors(n: usize, survivors: &[u32]) -> Box<[u32]> {
    let mut next = 0; // behind the last survivor comes the first
    let mut left = survivors.len();
    let mut to = vec![0; n].into_boxed_slice();
    for place in (0..n).rev() {
        if left > 0 && survivors[left - 1] as usize == place {
            left -= 1;
            next = left as u32;
        }
        to[place] = next;
    }
    to
}

/// One candidate for each id: at its first place, with its last contents. Runs user code.
fn unique<T: Member>(hasher: &RandomState, members: Vec<T>) -> Vec<Candidate<T>> {
    let mut candidates: Vec<Candidate<T>> = Vec::with_capacity(members.len());
    let mut places: HashTable<usize> = HashTable::with_capacity(members.len());
    for member in members {
        let member = Arc::new(member);
        let hash = hasher.hash_one(member.id());
        match places.find(hash, |&at| candidates[at].claim.hash == hash && candidates[at].member.id() == member.id()) {
            Some(&at) => candidates[at].member = member,
            None => {
                places.insert_unique(hash, candidates.len(), |&at| candidates[at].claim.hash);
                candidates.push(Candidate { member, claim: Claim::new(hash) });
            }
        }
    }
    candidates
}

/// Where this very member is. Compares pointers.
fn position<T: Member>(list: &impl Sequence<T>, member: &Arc<T>) -> usize {
    list.iter().position(|other| Arc::ptr_eq(other, member)).expect("every entry of the index is in the list")
}

fn check_capacity(members: usize, capacity: usize) {
    if members > capacity {
        panic_full(capacity);
    }
}

#[cold]
fn panic_full(capacity: usize) -> ! {
    panic!("the registry is full: it holds at most {capacity} members, and nothing was changed");
}
