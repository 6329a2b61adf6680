//! The router over real tower services: ready ones, pending ones, failing ones.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Any, Route, broken, busy, limited, plain, ring};
use snapring::Registry;
use snapring_tower::{Node, RouteError, Router};
use tokio_test::task::spawn;
use tokio_test::{assert_pending, assert_ready_ok};
use tower::buffer::Buffer;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

async fn ask(router: &mut Route, request: &'static str) -> Result<String, RouteError<&'static str, tower::BoxError>> {
    router.ready().await?.call(request).await
}

async fn who(router: &mut Route) -> String {
    ask(router, "x").await.unwrap().split(':').next().unwrap().to_owned()
}

#[tokio::test]
async fn requests_take_turns_whichever_clone_they_use() {
    let ring = ring();
    for name in ["a", "b", "c"] {
        ring.register(Node::new(name, plain(name)));
    }
    let mut router = Router::new(ring);
    let mut clone = router.clone();
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(who(&mut router).await);
        seen.push(who(&mut clone).await);
    }
    assert_eq!(seen, ["a", "b", "c", "a", "b", "c"]);
}

#[test]
fn many_threads_share_evenly() {
    let ring = ring();
    for name in ["a", "b", "c", "d"] {
        ring.register(Node::new(name, plain(name)));
    }
    let router = Router::new(ring);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let mut router = router.clone();
            std::thread::spawn(move || {
                let mut seen = BTreeMap::new();
                for _ in 0..250 {
                    *seen.entry(tokio_test::block_on(who(&mut router))).or_insert(0) += 1;
                }
                seen
            })
        })
        .collect();
    let mut all = BTreeMap::new();
    for thread in threads {
        for (name, count) in thread.join().unwrap() {
            *all.entry(name).or_insert(0) += count;
        }
    }
    assert_eq!(all, BTreeMap::from(["a", "b", "c", "d"].map(|name| (name.to_owned(), 500))));
}

#[tokio::test]
async fn the_turns_of_one_that_is_pending_are_spread_evenly() {
    let ring = ring();
    let slow = limited("b");
    ring.register(Node::new("a", plain("a")));
    ring.register(Node::new("b", slow.clone()));
    ring.register(Node::new("c", plain("c")));
    ring.register(Node::new("d", plain("d")));
    let mut router = Router::new(ring);

    let held = busy(&slow).await;
    let mut seen = BTreeMap::new();
    for _ in 0..4 * 3 {
        *seen.entry(who(&mut router).await).or_insert(0) += 1;
    }
    assert_eq!(seen, BTreeMap::from(["a", "c", "d"].map(|name| (name.to_owned(), 4))));
    drop(held);
    let seen = [who(&mut router).await, who(&mut router).await];
    assert_eq!(seen, ["a", "b"], "the rotation went on, and b is back in its place");
}

#[tokio::test]
async fn pending_while_everybody_is_and_woken_by_the_first() {
    let ring = ring();
    let (a, b) = (limited("a"), limited("b"));
    ring.register(Node::new("a", a.clone()));
    ring.register(Node::new("b", b.clone()));
    let (held_a, held_b) = (busy(&a).await, busy(&b).await);

    let mut router = spawn(Router::new(ring));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert!(!router.is_woken());
    drop(held_b);
    assert!(router.is_woken());
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)), "and stays so");
    assert_eq!(router.call("x").await.unwrap(), "b: x");

    // One request, one turn: this one is b's, and a is still busy.
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_eq!(router.call("x").await.unwrap(), "b: x");
    drop(held_a);
}

#[tokio::test]
async fn somebody_new_ends_the_wait() {
    let ring = ring();
    let a = limited("a");
    ring.register(Node::new("a", a.clone()));
    let held = busy(&a).await;
    let mut router = spawn(Router::new(ring.clone()));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));

    ring.register(Node::new("b", plain("b")));
    assert!(router.is_woken(), "a change is news");
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_eq!(router.call("x").await.unwrap(), "b: x");
    drop(held);
}

#[tokio::test]
async fn nobody_waits_for_one_who_left() {
    let ring = ring();
    let a = limited("a");
    ring.register(Node::new("a", a.clone()));
    let _held = busy(&a).await;
    let mut router = spawn(Router::new(ring.clone()));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));

    // Its successor is somebody else, and is asked.
    ring.register(Node::new("a", limited("a2")));
    assert!(router.is_woken());
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_eq!(router.call("x").await.unwrap(), "a2: x");

    ring.register(Node::new("a", a.clone()));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));
    ring.deregister(&"a");
    assert!(router.is_woken());
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert!(matches!(router.call("x").await, Err(RouteError::NoBackends)));
}

#[tokio::test]
async fn one_that_fails_to_become_ready_is_skipped() {
    let ring = ring();
    ring.register(Node::new("a", plain("a")));
    ring.register(Node::new("bad", broken()));
    ring.register(Node::new("c", plain("c")));
    let mut router = Router::new(ring.clone());
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(who(&mut router).await);
    }
    assert_eq!(seen, ["a", "a", "c", "a", "c", "c"], "the bad one's turns go to a, then to c");

    ring.replace_all(vec![Node::new("bad", broken()), Node::new("worse", broken())]);
    let error = ask(&mut router, "x").await.unwrap_err();
    assert!(matches!(error, RouteError::NobodyReady), "{error:?}");
    ring.register(Node::new("good", plain("good")));
    assert_eq!(who(&mut router).await, "good", "the router itself never breaks");
}

#[tokio::test]
async fn pending_and_failing_ones_together_wait_for_the_pending_one() {
    let ring = ring();
    let slow = limited("slow");
    ring.register(Node::new("bad", broken()));
    ring.register(Node::new("slow", slow.clone()));
    let held = busy(&slow).await;
    let mut router = spawn(Router::new(ring));
    assert_pending!(router.enter(|cx, mut router| router.poll_ready(cx)));
    drop(held);
    assert_ready_ok!(router.enter(|cx, mut router| router.poll_ready(cx)));
    assert_eq!(router.call("x").await.unwrap(), "slow: x");
}

#[tokio::test]
async fn a_buffer_whose_worker_died_is_skipped() {
    let ring = ring();
    let (buffer, worker) = Buffer::pair(plain("dead"), 1);
    drop(worker);
    ring.register(Node::new("dead", BoxCloneSyncService::new(buffer)));
    let (buffer, worker) = Buffer::pair(plain("live"), 1);
    tokio::spawn(worker);
    ring.register(Node::new("live", BoxCloneSyncService::new(buffer)));
    let mut router = Router::new(ring);
    for _ in 0..4 {
        assert_eq!(who(&mut router).await, "live");
    }
}

#[tokio::test]
async fn failures_say_whose_they_are() {
    let ring = ring();
    let mut router = Router::new(ring.clone());
    let error = ask(&mut router, "x").await.unwrap_err();
    assert!(error.to_string().contains("no backends"), "{error}");
    ring.register(Node::new("a", plain("a")));
    match ask(&mut router, "fail").await {
        Err(RouteError::Service("a", error)) => assert_eq!(error.to_string(), "as asked"),
        other => panic!("{other:?}"),
    }
    assert_eq!(who(&mut router).await, "a");
}

#[tokio::test]
async fn what_a_router_reserved_goes_with_it() {
    let ring = ring();
    let a = limited("a");
    ring.register(Node::new("a", a.clone()));
    let mut ready: Route = Router::new(ring.clone());
    ready.ready().await.unwrap();
    let mut other = spawn(Router::new(ring.clone()));
    assert_pending!(other.enter(|cx, mut router| router.poll_ready(cx)));
    drop(ready);
    assert!(other.is_woken());
    assert_ready_ok!(other.enter(|cx, mut router| router.poll_ready(cx)));
    drop(other);
    drop::<Any>(busy(&a).await);
    assert_eq!(Arc::strong_count(&ring), 1, "no router is left");
}
