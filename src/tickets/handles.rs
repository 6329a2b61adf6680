//! The handles: one for each thread, or for each task, or for each request.

use std::fmt;
use std::sync::Arc;

use super::directory::Desk;
use super::ledger::Line;
use super::rest::Turns;
use super::run::Run;
use super::version::Version;
use crate::platform::{Platform, Std};
use crate::registry::rotation::Mark;
use crate::{Member, NoBackends};

/// What both kinds have: a version, and a line that says how many tickets of it were served.
struct Seat<T: Member, P: Platform> {
    desk: Arc<Desk<T, P>>,
    version: P::Arc<Version<T, P>>,
    served: u64,
    line: Arc<Line<P>>,
}

impl<T: Member, P: Platform> Seat<T, P> {
    fn new(desk: &Arc<Desk<T, P>>) -> Self {
        let (line, version) = desk.lines.hire(|| desk.current());
        Self { desk: desk.clone(), version, served: 0, line }
    }

    /// Says that these tickets have found their list.
    #[inline]
    fn serve(&mut self, tickets: u64) {
        self.served += tickets;
        self.line.tell(self.served);
    }

    /// Whether a ticket is of a later version than ours.
    fn is_late(&self, ticket: u64) -> bool {
        self.desk.layout.tag(ticket) != self.version.tag
    }

    /// Takes the version of a ticket in hand for its own, if it is another.
    fn follow(&mut self, ticket: u64) {
        if self.is_late(ticket) {
            self.enter(self.desk.with_version_of(ticket, |version| version.clone()));
        }
    }

    fn enter(&mut self, version: P::Arc<Version<T, P>>) {
        self.line.leave(&self.version, self.served);
        self.served = 0;
        self.line.enter(&version);
        // Never the last reference while the registry lives: its writers keep every version that somebody has.
        self.version = version;
    }

    /// A ticket that is not plain.
    #[cold]
    fn settle(&mut self, ticket: u64, tickets: u64) -> u64 {
        self.follow(ticket);
        self.desk.help(&self.version, ticket, tickets);
        self.serve(tickets);
        self.desk.layout.count(ticket)
    }
}

impl<T: Member, P: Platform> Drop for Seat<T, P> {
    fn drop(&mut self) {
        self.line.leave(&self.version, self.served);
        self.desk.lines.release(self.line.clone());
    }
}

/// An exact handle: takes its turn in the ring like [`Registry::next`](crate::Registry::next), and lends the member.
///
/// From [`HandleRegistry::handle`](crate::HandleRegistry::handle). It is `Send` and needs no lifetime: make one for each
/// thread or task, keep it, drop it when and where you like. It outlives the registry value, and then goes on with the
/// last list.
///
/// **Guarantee.** Linearizable against the exact ring, together with all other exact handles and the registry's own
/// `next`. **Cost.** One read-modify-write on a shared word and one store to a line of its own. **Memory.** Outside of
/// `next` it keeps one list, the one it served last; a call that is stalled inside keeps at most two more.
pub struct Handle<T: Member, P: Platform = Std> {
    seat: Seat<T, P>,
    /// The pick before.
    before: Mark,
}

impl<T: Member, P: Platform> Handle<T, P> {
    pub(crate) fn new(desk: &Arc<Desk<T, P>>) -> Self {
        Self { seat: Seat::new(desk), before: Mark::default() }
    }

    /// The member whose turn it is. Wait-free but for a change that has just been published: then it reads the directory
    /// of versions, which is lock-free. Never drops a list or a member while the registry lives.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if nobody is registered.
    #[allow(clippy::should_implement_trait, reason = "it lends, which an iterator cannot, and it never ends")]
    #[inline]
    pub fn next(&mut self) -> Result<&Arc<T>, NoBackends> {
        let seat = &mut self.seat;
        let ticket = seat.desk.take(1);
        let mut count = ticket.wrapping_sub(seat.version.tag);
        if count < seat.version.plain {
            seat.serve(1);
        } else {
            count = seat.settle(ticket, 1);
            self.before = Mark::default();
        }
        let position = self.before.advance(count, seat.version.lap);
        position.and_then(|position| seat.version.list.get(position)).ok_or(NoBackends)
    }
}

/// A handle that takes turns by the lease: several at once, delivered one by one without touching anything shared.
///
/// From [`HandleRegistry::leased`](crate::HandleRegistry::leased). Otherwise as [`Handle`].
///
/// **Guarantee.** A lease is so many consecutive turns of the exact ring, delivered later; members that have left by
/// then are skipped, and a member that was replaced is served as it is now. With H living leases (those of handles, and
/// what dropped handles left over): over an unchanged list each member's share is within H·(n−1)/n of even, whatever
/// the size of the lease; when the list changes, two members that stay differ by at most H from the start, and by 2H −
/// 1 in any window. A member that comes has no turns in leases that were taken before, so it waits for their end. A
/// member is never handed out by a `next` that begins after its `deregister` returned.
///
/// Exact handles and `Registry::next` are exact in the turns that leases leave to them.
///
/// **Cost.** One read of the version and a step in a list; one read-modify-write for each lease. **Memory.** As
/// [`Handle`].
pub struct LeasedHandle<T: Member, P: Platform = Std> {
    /// What is delivered now: turns of one chunk, without a gap. Let go before the seat's version is.
    run: Run<T>,
    seat: Seat<T, P>,
    /// What comes after the run.
    turns: Turns,
    size: u64,
}

/// The largest lease. Each thread may have taken one beyond the end of a lap, and the count has room for 2,048 of these.
const LARGEST: u64 = 1 << 16;

impl<T: Member, P: Platform> LeasedHandle<T, P> {
    pub(crate) fn new(desk: &Arc<Desk<T, P>>, size: usize) -> Self {
        let largest = LARGEST.min(desk.start.capacity() as u64 / 4).max(1);
        Self { run: Run::none(), seat: Seat::new(desk), turns: Turns::default(), size: (size as u64).clamp(1, largest) }
    }

    /// The next turn of the lease, or the first of a new one. Wait-free within a lease of an unchanged list; otherwise
    /// lock-free, but for a short lock while leftovers of dropped handles are waiting. Never drops a list or a member
    /// while the registry lives.
    ///
    /// # Errors
    ///
    /// [`NoBackends`] if nobody is registered.
    #[allow(clippy::should_implement_trait, reason = "it lends, which an iterator cannot, and it never ends")]
    #[inline]
    pub fn next(&mut self) -> Result<&Arc<T>, NoBackends> {
        if self.run.has_stopped() || self.seat.version.is_over() {
            self.renew();
        }
        self.seat.version.list.touch();
        self.run.take().ok_or(NoBackends)
    }

    /// Sees to it that there is a turn to deliver, of the current version; there is none only if nobody is registered.
    #[inline(never)]
    fn renew(&mut self) {
        let over = self.seat.version.is_over();
        if over || !self.run.begin_again() {
            self.change_run(over);
        }
    }

    #[inline(never)]
    fn change_run(&mut self, over: bool) {
        if over || self.turns.left == 0 {
            self.refill();
        }
        self.begin_run();
    }

    /// The turns up to the end of a chunk, of a round, or of the lease. In a list of one chunk, all whole rounds.
    fn begin_run(&mut self) {
        let Turns { at, end, left } = self.turns;
        let Some((chunk, offset)) = self.seat.version.list.chunk(at) else { return self.run = Run::none() };
        let length = left.min((end - at).min(chunk.len() - offset) as u64) as usize;
        let left = left - length as u64;
        let is_round = at + length == end;
        let again = if is_round && end <= chunk.len() { left / end as u64 } else { 0 };
        self.turns = Turns { at: if is_round { 0 } else { at + length }, end, left: left - again * end as u64 };
        self.run.begin(chunk, at - offset, offset, length, again);
    }

    /// Puts what is left of the run back into the turns.
    fn end_run(&mut self) {
        if let Some((left, at)) = self.run.end() {
            self.turns.at = at;
            self.turns.left += left;
        }
    }

    #[cold]
    fn refill(&mut self) {
        self.end_run();
        loop {
            self.catch_up();
            if self.turns.left > 0 {
                return;
            }
            let Some(rest) = self.seat.desk.parked.take() else { return self.claim() };
            self.turns = rest.turns(&self.seat.version.list);
        }
    }

    /// Carries the turns over to the current version.
    fn catch_up(&mut self) {
        if self.seat.version.is_over() && !self.seat.desk.is_current(&self.seat.version) {
            let current = self.seat.desk.current();
            self.turns = self.turns.carried(&self.seat.version.list, &current.list);
            // Before its version is left, so that it never is the last to have a member.
            self.run.keep_only(current.list.chunk(self.run.base()).map(|(chunk, _)| chunk));
            self.seat.enter(current);
        }
    }

    /// Takes a new lease: whole rounds if it is long enough, so that it treats all alike.
    fn claim(&mut self) {
        let n = self.seat.version.lap.n();
        let tickets = match self.size.checked_rem(n) {
            None => 1,
            Some(_) if self.size < n => self.size,
            Some(rest) => self.size - rest,
        };
        let ticket = self.seat.desk.take(tickets);
        if self.seat.is_late(ticket) {
            self.run.keep_only(None); // as in `catch_up`
        }
        let count = self.seat.settle(ticket, tickets);
        let version = &self.seat.version;
        self.turns = match version.lap.position(count) {
            Some(at) => Turns { at, end: version.lap.n() as usize, left: tickets },
            None => Turns::default(),
        };
    }
}

impl<T: Member, P: Platform> Drop for LeasedHandle<T, P> {
    /// Leaves the rest of the lease to others.
    fn drop(&mut self) {
        self.end_run();
        if let Some(rest) = self.turns.rest(&self.seat.version.list) {
            self.seat.desk.parked.put(rest);
        }
    }
}

impl<T: Member, P: Platform> fmt::Debug for Handle<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("version", &self.seat.version.list.version()).finish_non_exhaustive()
    }
}

impl<T: Member, P: Platform> fmt::Debug for LeasedHandle<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedHandle")
            .field("version", &self.seat.version.list.version())
            .field("left", &(self.turns.left + self.run.left()))
            .finish_non_exhaustive()
    }
}
