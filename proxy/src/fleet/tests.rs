//! Late news: what a request or a probe says about a backend that is somebody else by now.

use super::*;

fn fleet() -> Arc<Fleet> {
    let options = Options { threshold: 1, probe_first: std::time::Duration::from_secs(3600), ..Options::default() };
    Arc::new(Fleet::new(Arc::new(options), TaskTracker::new(), CancellationToken::new()))
}

fn at(port: u16) -> Authority {
    format!("127.0.0.1:{port}").parse().unwrap()
}

fn places(fleet: &Fleet) -> (Vec<String>, Vec<String>) {
    let (ring, side) = fleet.look();
    let ring = ring.iter().map(|upstream| format!("{upstream:?}")).collect();
    (ring, side.iter().map(|ailing| format!("{:?}", ailing.upstream)).collect())
}

fn expect(fleet: &Fleet, ring: &[&str], side: &[&str]) {
    let (in_ring, on_side) = places(fleet);
    assert_eq!(
        (in_ring, on_side),
        (ring.iter().map(|s| (*s).into()).collect(), side.iter().map(|s| (*s).into()).collect())
    );
}

#[tokio::test]
async fn a_late_refusal_does_not_take_out_a_successor() {
    let fleet = fleet();
    for by_list in [false, true] {
        fleet.register("x", at(1)).unwrap();
        let old = fleet.balance().next().unwrap();
        if by_list {
            fleet.replace_all(vec![("x".into(), at(2))]).unwrap();
        } else {
            fleet.register("x", at(2)).unwrap();
        }
        fleet.refused(&old);
        expect(&fleet, &["x@127.0.0.1:2"], &[]);
    }

    // Nor one at the same address: it left and came anew, and has refused nobody yet.
    let old = fleet.balance().next().unwrap();
    assert!(fleet.deregister("x"));
    fleet.register("x", at(2)).unwrap();
    fleet.refused(&old);
    expect(&fleet, &["x@127.0.0.1:2"], &[]);
    assert_eq!(fleet.ejections.load(Relaxed), 0);
}

#[tokio::test]
async fn a_late_recovery_brings_nobody_back() {
    let fleet = fleet();
    fleet.register("x", at(1)).unwrap();
    fleet.register("y", at(1)).unwrap();
    let old = fleet.balance().next().unwrap();
    fleet.refused(&old);
    fleet.refused(&old);
    expect(&fleet, &["y@127.0.0.1:1"], &["x@127.0.0.1:1"]);
    assert_eq!(fleet.ejections.load(Relaxed), 1, "two requests, one removal");

    assert!(fleet.deregister("x"));
    fleet.recovered(&old);
    expect(&fleet, &["y@127.0.0.1:1"], &[]);

    fleet.register("x", at(2)).unwrap();
    fleet.recovered(&old);
    expect(&fleet, &["y@127.0.0.1:1", "x@127.0.0.1:2"], &[]);
    assert_eq!(fleet.recoveries.load(Relaxed), 0);
}

#[tokio::test]
async fn one_that_came_by_a_list_leaves_and_returns_like_any_other() {
    let fleet = fleet();
    fleet.replace_all(vec![("x".into(), at(1)), ("y".into(), at(1))]).unwrap();
    let x = fleet.balance().next().unwrap();
    fleet.refused(&x);
    expect(&fleet, &["y@127.0.0.1:1"], &["x@127.0.0.1:1"]);
    fleet.replace_all(vec![("x".into(), at(1)), ("z".into(), at(1))]).unwrap();
    expect(&fleet, &["z@127.0.0.1:1"], &["x@127.0.0.1:1"]);
    fleet.recovered(&x);
    expect(&fleet, &["z@127.0.0.1:1", "x@127.0.0.1:1"], &[]);
    assert!(fleet.balance().ring().snapshot().get("x").unwrap().is(&x), "with its counts and connections");
}
