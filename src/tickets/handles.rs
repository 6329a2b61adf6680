//! The handles: one for each thread, or for each task, or for each request.

use std::fmt;
use std::sync::Arc;

use super::directory::Desk;
use super::ledger::Line;
use super::rest::Turns;
use super::version::Version;
use crate::platform::{Platform, Std};
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

    /// Takes the version of a ticket in hand for its own, if it is another.
    fn follow(&mut self, ticket: u64) {
        if self.desk.layout.tag(ticket) != self.version.tag {
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
}

impl<T: Member, P: Platform> Handle<T, P> {
    pub(crate) fn new(desk: &Arc<Desk<T, P>>) -> Self {
        Self { seat: Seat::new(desk) }
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
        }
        seat.version.pick(count).ok_or(NoBackends)
    }
}

/// A handle that takes turns by the lease: several at once, delivered one by one without touching anything shared.
///
/// From [`HandleRegistry::leased`](crate::HandleRegistry::leased). Otherwise as [`Handle`].
///
/// **Guarantee.** A lease is so many consecutive turns of the exact ring, delivered later; members that have left by then
/// are skipped, and a member that was replaced is served as it is now. With H living leases (those of handles, and what
/// dropped handles left over): over an unchanged list each member's share is within H·(n−1)/n of even, whatever the size
/// of the lease; when the list changes, two members that stay differ by at most H from the start, and by 2H − 1 in any
/// window. A member is never handed out by a `next` that begins after its `deregister` returned.
///
/// Exact handles and `Registry::next` are exact in the turns that leases leave to them.
///
/// **Cost.** One read of the version and a step in a list; one read-modify-write for each lease. **Memory.** As
/// [`Handle`].
pub struct LeasedHandle<T: Member, P: Platform = Std> {
    run: Run<T>, // goes before the seat: see `Run`
    seat: Seat<T, P>,
    turns: Turns,
    size: u64,
}

/// The turns that come next, as far as they are neighbours in one chunk: what a pick looks at. [`Turns`] are those behind.
///
/// The chunk is of the version that the seat owns, and is let go before that version: so it is never the last reference,
/// and a pick drops no members.
struct Run<T> {
    chunk: Arc<[Arc<T>]>,
    at: usize,
    end: usize,
    /// The position of the chunk's first member.
    base: usize,
}

impl<T> Run<T> {
    fn none() -> Self {
        Self { chunk: Arc::default(), at: 0, end: 0, base: 0 }
    }
}

/// The largest lease. Each thread may have taken one beyond the end of a lap, and the count has room for 2,048 of these.
const LARGEST: u64 = 1 << 16;

impl<T: Member, P: Platform> LeasedHandle<T, P> {
    pub(crate) fn new(desk: &Arc<Desk<T, P>>, size: usize) -> Self {
        let largest = LARGEST.min(desk.start.capacity() as u64 / 4).max(1);
        let size = (size as u64).clamp(1, largest);
        Self { run: Run::none(), seat: Seat::new(desk), turns: Turns::default(), size }
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
        if self.run.at >= self.run.end || self.seat.version.is_over() {
            self.renew();
        }
        let at = self.run.at;
        self.run.at = at + 1;
        self.run.chunk.get(at).ok_or(NoBackends)
    }

    /// Sees to it that there is a turn to deliver, of the current version; there is none only if nobody is registered.
    #[cold]
    fn renew(&mut self) {
        self.turns = self.all();
        self.run = Run::none();
        loop {
            self.catch_up();
            if self.turns.left > 0 {
                break;
            }
            let Some(rest) = self.seat.desk.parked.take() else {
                self.claim();
                break;
            };
            self.turns = rest.turns(&self.seat.version.list);
        }
        self.run();
    }

    /// All turns, those of the run included.
    fn all(&self) -> Turns {
        match self.run.end.saturating_sub(self.run.at) {
            0 => self.turns,
            left => Turns { at: self.run.base + self.run.at, left: self.turns.left + left as u64, ..self.turns },
        }
    }

    /// Makes a run of the first turns.
    fn run(&mut self) {
        let Turns { at, end, left } = self.turns;
        if left == 0 {
            return; // nobody is registered
        }
        let (chunk, base) = self.seat.version.list.chunk(at);
        let most = (base + chunk.len()).min(end) - at;
        let length = most.min(usize::try_from(left).unwrap_or(most));
        self.turns.left -= length as u64;
        self.turns.at = if at + length == end { 0 } else { at + length };
        self.run = Run { chunk, at: at - base, end: at - base + length, base };
    }

    /// Carries the turns over to the current version.
    fn catch_up(&mut self) {
        if self.seat.version.is_over() && !self.seat.desk.is_current(&self.seat.version) {
            let rest = self.turns.rest(&self.seat.version.list);
            self.seat.enter(self.seat.desk.current());
            self.turns = rest.map_or(Turns::default(), |rest| rest.turns(&self.seat.version.list));
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
        if let Some(rest) = self.all().rest(&self.seat.version.list) {
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
            .field("left", &self.all().left)
            .finish_non_exhaustive()
    }
}
