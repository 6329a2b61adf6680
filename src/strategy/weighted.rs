//! [`Weighted`]: shares by weight, without bursts.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::known::Known;
use super::sets::{self, Sets};
use crate::chance::Chance;
use crate::platform::{Platform, Std};
use crate::{Member, NoBackends, Snapshot, Strategy};

/// How much of the load a member gets, relative to the others. 0 is none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u32);

impl Weight {
    /// A weight.
    pub const fn new(weight: u32) -> Self {
        Self(weight)
    }

    /// As a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// A number that is no weight: it is negative, or does not fit 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidWeight(i64);

impl fmt::Display for InvalidWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a weight is a number from 0 to {}, not {}", u32::MAX, self.0)
    }
}

impl Error for InvalidWeight {}

impl TryFrom<i64> for Weight {
    type Error = InvalidWeight;

    fn try_from(weight: i64) -> Result<Self, InvalidWeight> {
        u32::try_from(weight).map(Self).map_err(|_| InvalidWeight(weight))
    }
}

/// Shares by weight, as smoothly as can be: after any number of picks from an unchanged list, every member has had its
/// exact share, give or take less than one pick.
///
/// The weight of a member comes from a function of yours, and so is part of the list: a change of a weight is a change of
/// the member, and takes effect with the list that it is in. A member of weight 0 is never picked; if all are 0, there is
/// [`NoBackends`].
///
/// The schedule is Tijdeman's for the chairman assignment problem (1980): of those that may be picked without getting too
/// far ahead, the one that would fall too far behind first. With k members of a weight above 0, no member is ever off its
/// share by more than 1 − 1/(2k − 2). When the list changes, what each member is owed is carried over, and newcomers are
/// owed nothing.
///
/// **Start.** [`new`](Self::new) always begins alike; [`with_random_start`](Self::with_random_start) draws the first
/// member by weight, so that many fresh clients do not all begin with the heaviest; then shares are within two picks.
///
/// **Memory.** Ids and a number for each member, O(n). **Cost.** A short lock and O(n) for each pick. **Progress.**
/// Blocking, but never while your code runs: the weights are asked for without the lock, once for each list.
///
/// ```
/// use snapring::strategy::{Weight, Weighted};
/// use snapring::{Backend, Balancer, MutexRegistry, Registry};
///
/// let heavy = |backend: &Backend| Weight::new(if backend.id() == "big" { 3 } else { 1 });
/// let balancer = Balancer::new(MutexRegistry::<Backend>::new(), Weighted::new(heavy));
/// balancer.registry().register(Backend::new("big", "10.0.0.1:80"));
/// balancer.registry().register(Backend::new("small", "10.0.0.2:80"));
/// let picks: Vec<_> = (0..8).map(|_| balancer.route().unwrap().id().to_owned()).collect();
/// assert_eq!(picks.iter().filter(|id| *id == "big").count(), 6);
/// ```
pub struct Weighted<T: Member, W, P: Platform = Std> {
    weight: W,
    sets: Sets<P, Schedule<T>, Option<Chance>>,
}

impl<T: Member, W: Fn(&T) -> Weight + Send + Sync> Weighted<T, W> {
    /// Shares by these weights.
    pub fn new(weight: W) -> Self {
        Self::on_platform(weight)
    }

    /// The same, beginning with a member that is drawn by weight.
    pub fn with_random_start(weight: W) -> Self {
        Self { weight, sets: Sets::new(Some(Chance::new())) }
    }
}

impl<T: Member, P: Platform, W: Fn(&T) -> Weight + Send + Sync> Weighted<T, W, P> {
    /// [`new`](Weighted::new) on any platform.
    pub fn on_platform(weight: W) -> Self {
        Self { weight, sets: Sets::new(None) }
    }

    fn carry(&self) -> impl Fn(Option<&Schedule<T>>, &Snapshot<T, P>) -> Schedule<T> {
        |before, nodes| Schedule::carried(before, nodes, &self.weight)
    }
}

impl<T: Member, P: Platform, W: Fn(&T) -> Weight + Send + Sync> Strategy<T, P> for Weighted<T, W, P> {
    fn route(&self, nodes: &Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route(nodes, self.carry())
    }

    fn route_latest(&self, latest: &dyn Fn() -> Snapshot<T, P>) -> Result<Arc<T>, NoBackends> {
        self.sets.route_latest(latest, self.carry())
    }
}

/// What each member of a list is owed.
struct Schedule<T: Member> {
    list: Known<T>,
    weights: Arc<[u32]>,
    /// Their sum: less than 2⁵⁹, for a list has fewer than 2²⁷ members.
    total: i64,
    /// How far each is behind its share, in picks times `total`. The sum is 0.
    owed: Vec<i64>,
    begun: bool,
    /// Counts picks.
    moves: u64,
}

impl<T: Member> Clone for Schedule<T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), weights: self.weights.clone(), owed: self.owed.clone(), ..*self }
    }
}

impl<T: Member, P: Platform> sets::Place<T, P> for Schedule<T> {
    type Chance = Option<Chance>;

    fn is_in(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.is(nodes)
    }

    fn is_still(&self, seen: &Self) -> bool {
        self.list.same(&seen.list) && self.moves == seen.moves
    }

    fn version(&self) -> u64 {
        self.list.version()
    }

    fn is_kin_of(&self, nodes: &Snapshot<T, P>) -> bool {
        self.list.is_kin_of(nodes)
    }

    fn step(&mut self, chance: &mut Option<Chance>) -> Option<usize> {
        if self.total == 0 {
            return None;
        }
        for (owed, weight) in self.owed.iter_mut().zip(&*self.weights) {
            *owed += i64::from(*weight);
        }
        let pick = match chance {
            Some(chance) if !self.begun => self.drawn(chance),
            _ => self.most_urgent()?,
        };
        self.begun = true;
        self.owed[pick] -= self.total;
        self.moves += 1;
        Some(pick)
    }
}

impl<T: Member> Schedule<T> {
    fn carried<P: Platform>(before: Option<&Self>, nodes: &Snapshot<T, P>, weight: &impl Fn(&T) -> Weight) -> Self {
        let (list, from) = Known::next(before.map(|schedule| &schedule.list), nodes);
        let weights: Arc<[u32]> = nodes.iter().map(|member| weight(member).get()).collect();
        let total = weights.iter().copied().map(i64::from).sum();
        let owed = |(old, weight): (&Option<u32>, &u32)| match (before, old) {
            (Some(before), Some(old)) if *weight > 0 && before.total > 0 => {
                scaled(before.owed[*old as usize], total, before.total)
            }
            _ => 0,
        };
        let mut owed: Vec<i64> = from.iter().zip(&*weights).map(owed).collect();
        balance(&mut owed, &weights, total);
        Self { list, weights, total, owed, begun: before.is_some_and(|before| before.begun), moves: 0 }
    }

    /// Of those that one more pick does not put too far ahead, the one that would be too far behind first.
    fn most_urgent(&self) -> Option<usize> {
        let total = i128::from(self.total);
        let k = self.weights.iter().filter(|weight| **weight > 0).count() as i128;
        let parts = 2 * k - 2;
        let mut most: Option<(usize, i128, i128)> = None;
        for (at, (owed, weight)) in self.owed.iter().zip(&*self.weights).enumerate() {
            let (owed, weight) = (i128::from(*owed), i128::from(*weight));
            if weight == 0 || owed * parts < total {
                continue;
            }
            // Time is left until it is behind by 1 - 1/parts: so much, divided by the weight.
            let left = total * (parts - 1) - owed * parts;
            if most.is_none_or(|(_, most_left, most_weight)| left * most_weight < most_left * weight) {
                most = Some((at, left, weight));
            }
        }
        most.map(|(at, ..)| at).or_else(|| self.furthest_behind())
    }

    /// Who is owed most. Where there is only one to pick, and right after a change, nobody may be in time.
    fn furthest_behind(&self) -> Option<usize> {
        let weighted = self.owed.iter().zip(&*self.weights).enumerate().filter(|(_, (_, weight))| **weight > 0);
        weighted.max_by_key(|(at, (owed, _))| (**owed, std::cmp::Reverse(*at))).map(|(at, _)| at)
    }

    /// Each with a chance of its weight.
    fn drawn(&self, chance: &mut Chance) -> usize {
        let mut left = chance.below(self.total as usize) as i64;
        let drawn = self.weights.iter().position(|weight| {
            left -= i64::from(*weight);
            left < 0
        });
        drawn.expect("what is left is less than the sum of the weights")
    }
}

fn scaled(value: i64, numerator: i64, denominator: i64) -> i64 {
    (i128::from(value) * i128::from(numerator) / i128::from(denominator)) as i64
}

/// Makes the sum 0 again: what those who left were owed, or owed, is shared out by weight.
fn balance(owed: &mut [i64], weights: &[u32], total: i64) {
    let excess: i64 = owed.iter().sum();
    if total == 0 || excess == 0 {
        return;
    }
    let mut left = excess;
    for (owed, weight) in owed.iter_mut().zip(weights) {
        let share = scaled(excess, i64::from(*weight), total);
        *owed -= share;
        left -= share;
    }
    if let Some(heaviest) = (0..weights.len()).max_by_key(|at| weights[*at]) {
        owed[heaviest] -= left; // less than one unit for each member
    }
}

impl<T: Member, W, P: Platform> fmt::Debug for Weighted<T, W, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weighted").field("sets", &self.sets.len()).finish_non_exhaustive()
    }
}
