//! [`Plan`]: who is asked first, and who is asked when that one fails.
//!
//! One request takes one turn of the ring. A retry takes none: it goes to one of the others, so the rotation is the same
//! whether or not somebody fails, and one backend's failures do not make the next one in the ring carry double.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use snapring::Snapshot;

use crate::balance::Balance;
use crate::upstream::Upstream;

/// The attempts at one request, each at another backend.
pub(crate) struct Plan<'a> {
    balance: &'a Balance,
    tried: Vec<Arc<Upstream>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(balance: &'a Balance) -> Self {
        Self { balance, tried: Vec::new() }
    }

    /// The next to try; `None` when everybody in the rotation has been.
    ///
    /// Looks at the list as it is now, so that a backend that registered meanwhile has its chance too.
    pub(crate) fn next(&mut self) -> Option<Arc<Upstream>> {
        let next = match self.tried.last() {
            None => {
                let next = self.balance.next().ok()?;
                next.counts().picks.fetch_add(1, Relaxed);
                next
            }
            Some(failed) => {
                let next = successor(&self.balance.ring().snapshot(), &self.tried, failed)?;
                next.counts().taken_over.fetch_add(1, Relaxed);
                next
            }
        };
        self.tried.push(next.clone());
        Some(next)
    }
}

/// Who takes over. The k-th request that fails at one backend goes to the k-th of the others, cyclically, so each of
/// them gets the same share of its failures, exactly. When that one fails as well, chance decides: a count would mix
/// candidates of different lists, and could favour one of them for ever.
fn successor(list: &Snapshot<Upstream>, tried: &[Arc<Upstream>], failed: &Upstream) -> Option<Arc<Upstream>> {
    let others: Vec<_> = list.iter().filter(|member| !tried.contains(member)).collect();
    if others.is_empty() {
        return None;
    }
    let at = match tried {
        [_] => failed.counts().passed_on.fetch_add(1, Relaxed) % others.len(),
        _ => fastrand::usize(..others.len()),
    };
    others.get(at).map(|next| Arc::clone(next))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::Options;

    fn balance(ids: &[&str]) -> Balance {
        let options = Options::default();
        let balance = Balance::new(&options);
        let alive = Arc::new(AtomicUsize::new(0));
        for id in ids {
            balance.ring().register(Upstream::new(id, "127.0.0.1:1".parse().unwrap(), &options, &alive));
        }
        balance
    }

    #[tokio::test]
    async fn everybody_is_tried_once() {
        let balance = balance(&["a", "b", "c", "d"]);
        let mut plan = Plan::new(&balance);
        let mut order: Vec<_> = std::iter::from_fn(|| plan.next()).map(|upstream| upstream.id().to_owned()).collect();
        assert_eq!(order[0], "a");
        order.sort();
        assert_eq!(order, ["a", "b", "c", "d"]);
        assert_eq!(Plan::new(&balance).next().unwrap().id(), "b", "one request, one turn");
    }

    #[tokio::test]
    async fn the_share_of_the_one_that_fails_is_spread_evenly() {
        let balance = balance(&["a", "b", "c", "d"]);
        let mut takers = BTreeMap::new();
        for _ in 0..4 * 3 * 5 {
            let mut plan = Plan::new(&balance);
            if plan.next().unwrap().id() == "b" {
                *takers.entry(plan.next().unwrap().id().to_owned()).or_insert(0) += 1;
            }
        }
        assert_eq!(takers, BTreeMap::from([("a".into(), 5), ("c".into(), 5), ("d".into(), 5)]));
    }

    #[tokio::test]
    async fn a_late_comer_is_tried_too() {
        let balance = balance(&["a"]);
        let mut plan = Plan::new(&balance);
        assert_eq!(plan.next().unwrap().id(), "a");
        let alive = Arc::new(AtomicUsize::new(0));
        balance.ring().register(Upstream::new("z", "127.0.0.1:1".parse().unwrap(), &Options::default(), &alive));
        assert_eq!(plan.next().unwrap().id(), "z");
        assert!(plan.next().is_none());
    }
}
