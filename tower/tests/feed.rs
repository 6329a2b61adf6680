//! A registry fed by Discover streams.

mod common;

use std::io;

use common::{Any, ring};
use snapring::Registry;
use snapring_tower::{Node, feed};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_test::{assert_pending, assert_ready, task::spawn};
use tower::ServiceExt;
use tower::discover::{Change, ServiceList};

type Item = io::Result<Change<&'static str, Any>>;

fn stream() -> (UnboundedSender<Item>, UnboundedReceiverStream<Item>) {
    let (sender, receiver) = unbounded_channel();
    (sender, UnboundedReceiverStream::new(receiver))
}

fn insert(key: &'static str, name: &'static str) -> Item {
    Ok(Change::Insert(key, common::plain(name)))
}

async fn names(ring: &common::Ring) -> Vec<String> {
    let mut names = Vec::new();
    for node in &ring.snapshot() {
        names.push(format!("{}={}", node.key(), node.service().clone().oneshot("?").await.unwrap()));
    }
    names
}

#[tokio::test]
async fn inserts_replacements_and_removals() {
    let ring = ring();
    let (found, changes) = stream();
    let mut feeding = spawn(feed(changes, &ring));
    for change in [insert("a", "a1"), insert("b", "b1"), insert("c", "c1"), insert("a", "a2"), Ok(Change::Remove("b"))]
    {
        found.send(change).unwrap();
    }
    found.send(Ok(Change::Remove("never there"))).unwrap();
    assert_pending!(feeding.poll());
    assert_eq!(names(&ring).await, ["a=a2: ?", "c=c1: ?"], "replaced in place, the gap closed");

    found.send(insert("b", "b2")).unwrap();
    assert!(feeding.is_woken());
    assert_pending!(feeding.poll());
    drop(found);
    assert!(assert_ready!(feeding.poll()).is_ok());
    assert_eq!(names(&ring).await, ["a=a2: ?", "c=c1: ?", "b=b2: ?"], "the end of a stream removes nobody");
}

#[tokio::test]
async fn a_failing_discovery_is_reported_and_takes_nobody_along() {
    let ring = ring();
    let changes = [insert("a", "a"), Err(io::ErrorKind::ConnectionReset.into()), Ok(Change::Remove("a"))];
    let error = feed(tokio_stream::iter(changes), &ring).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(names(&ring).await, ["a=a: ?"]);
}

#[tokio::test]
async fn a_late_removal_of_one_stream_leaves_what_another_put_there() {
    let ring = ring();
    let ((old, old_changes), (new, new_changes)) = (stream(), stream());
    let mut feeding_old = spawn(feed(old_changes, &ring));
    let mut feeding_new = spawn(feed(new_changes, &ring));
    old.send(insert("a", "old")).unwrap();
    assert_pending!(feeding_old.poll());
    new.send(insert("a", "new")).unwrap();
    assert_pending!(feeding_new.poll());
    old.send(Ok(Change::Remove("a"))).unwrap();
    assert_pending!(feeding_old.poll());
    assert_eq!(names(&ring).await, ["a=new: ?"]);
    new.send(Ok(Change::Remove("a"))).unwrap();
    assert_pending!(feeding_new.poll());
    assert!(ring.snapshot().is_empty());
}

#[tokio::test]
async fn a_predetermined_list() {
    let registry = snapring::ArcSwapRegistry::<Node<usize, Any>>::new();
    let list = ServiceList::new::<&'static str>(["x", "y"].map(common::plain));
    feed(list, &registry).await.unwrap();
    assert_eq!(registry.snapshot().iter().map(|node| *node.key()).collect::<Vec<_>>(), [0, 1]);
}
