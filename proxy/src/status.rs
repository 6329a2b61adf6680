//! What the proxy says about itself.

use std::sync::atomic::Ordering::Relaxed;

use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::upstream::Upstream;

/// The ring in order, its version, and who is out of order.
pub(crate) fn backends(fleet: &Fleet) -> Value {
    render(fleet, |upstream| json!({ "id": upstream.id(), "address": upstream.address().as_str() }))
}

/// The same with counts. Each is read by itself, so while requests run they need not add up.
pub(crate) fn full(fleet: &Fleet) -> Value {
    let mut all = render(fleet, |upstream| {
        let counts = upstream.counts();
        json!({
            "id": upstream.id(),
            "address": upstream.address().as_str(),
            "picks": counts.picks.load(Relaxed),
            "taken_over": counts.taken_over.load(Relaxed),
            "answered": counts.answered.load(Relaxed),
            "failed": counts.failed.load(Relaxed),
            "in_flight": counts.in_flight.load(Relaxed),
        })
    });
    let options = fleet.options();
    all["registry"] = json!(options.registry);
    all["lease"] = json!(options.lease);
    // Backends that exist: those listed, and removed ones whose requests are still under way.
    all["alive"] = json!(fleet.alive.load(Relaxed));
    all["ejections"] = json!(fleet.ejections.load(Relaxed));
    all["recoveries"] = json!(fleet.recoveries.load(Relaxed));
    all
}

fn render(fleet: &Fleet, one: impl Fn(&Upstream) -> Value) -> Value {
    let (ring, side) = fleet.look();
    let side: Vec<_> = side
        .iter()
        .map(|ailing| {
            let mut line = one(&ailing.upstream);
            line["seconds_out_of_order"] = json!(ailing.since.elapsed().as_secs());
            line
        })
        .collect();
    json!({
        "version": ring.version(),
        "ring": ring.iter().map(|upstream| one(upstream)).collect::<Vec<_>>(),
        "out_of_order": side,
    })
}
