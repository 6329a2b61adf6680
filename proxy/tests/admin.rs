//! The admin interface: what it does, and what it says to bad input.

mod common;

use common::{Answer, anywhere, deregister, get, ids, once, options, proxy, status};
use hyper::Method;
use serde_json::{Value, json};
use snapring_proxy::{Options, Proxy};

async fn say(proxy: &Proxy, method: Method, path: &str, body: impl ToString) -> Answer {
    once(proxy.admin(), method, path, body.to_string()).await.unwrap()
}

fn one(id: &str, address: &str) -> Value {
    json!({ "id": id, "address": address })
}

#[tokio::test]
async fn backends_come_move_and_go() {
    let proxy = proxy(options(), &[]).await;
    let added = say(&proxy, Method::POST, "/backends", one("a", "10.0.0.1:80")).await;
    assert_eq!((added.status.as_u16(), added.json()), (201, json!({ "outcome": "added", "version": 1 })));
    let again = say(&proxy, Method::POST, "/backends", one("a", "10.0.0.1:80")).await;
    assert_eq!((again.status.as_u16(), again.json()), (200, json!({ "outcome": "unchanged", "version": 1 })));
    say(&proxy, Method::POST, "/backends", one("ö/ 2", "10.0.0.2:80")).await;
    let moved = say(&proxy, Method::POST, "/backends", one("a", "10.0.0.9:80")).await;
    assert_eq!(moved.json(), json!({ "outcome": "replaced", "version": 3 }));

    let list = get(proxy.admin(), "/backends").await.json();
    let ring = [one("a", "10.0.0.9:80"), one("ö/ 2", "10.0.0.2:80")];
    assert_eq!(list, json!({ "version": 3, "ring": ring, "out_of_order": [] }));

    assert_eq!(deregister(proxy.admin(), "%C3%B6%2F%202").await, 200);
    assert_eq!(deregister(proxy.admin(), "%C3%B6%2F%202").await, 404);
    assert_eq!(ids(&status(&proxy).await["ring"]), ["a"]);
    assert_eq!(status(&proxy).await["alive"], 1);
}

#[tokio::test]
async fn a_list_replaces_the_list() {
    let proxy = proxy(options(), &[]).await;
    let list = json!([one("a", "10.0.0.1:80"), one("b", "10.0.0.2:80"), one("a", "10.0.0.3:80")]);
    let answer = say(&proxy, Method::PUT, "/backends", &list).await;
    let expected = json!({ "added": 2, "removed": 0, "replaced": 0, "unchanged": 0, "version": 1 });
    assert_eq!((answer.status.as_u16(), answer.json()), (200, expected));
    let ring = json!([one("a", "10.0.0.3:80"), one("b", "10.0.0.2:80")]);
    assert_eq!(get(proxy.admin(), "/backends").await.json()["ring"], ring, "the first place, the last contents");

    let list = json!([one("c", "10.0.0.4:80"), one("b", "10.0.0.2:80"), one("a", "10.0.0.5:80")]);
    let answer = say(&proxy, Method::PUT, "/backends", &list).await;
    assert_eq!(answer.json(), json!({ "added": 1, "removed": 0, "replaced": 1, "unchanged": 1, "version": 2 }));
    assert_eq!(ids(&status(&proxy).await["ring"]), ["a", "b", "c"], "survivors stay where they are");

    // One that came by a list has no token, and leaves all the same.
    assert_eq!(deregister(proxy.admin(), "b").await, 200);
    let refused = say(&proxy, Method::PUT, "/backends", "[]").await;
    assert_eq!(refused.status, 409, "an outage has to be meant");
    assert_eq!(ids(&status(&proxy).await["ring"]), ["a", "c"]);
    assert_eq!(say(&proxy, Method::PUT, "/backends?allow=empty", "[]").await.json()["removed"], 2);
    assert_eq!(status(&proxy).await["alive"], 0);
}

#[tokio::test]
async fn bad_input_is_refused_with_a_reason_and_changes_nothing() {
    let proxy = proxy(options(), &[("a", anywhere())].map(|(id, _)| (id, ([10, 0, 0, 1], 80).into()))).await;
    let long = "x".repeat(257);
    for body in [
        "".to_owned(),
        "{".into(),
        "null".into(),
        "[]".into(),
        "\u{0}\u{1}".into(),
        "[".repeat(100_000),
        json!({}).to_string(),
        json!({ "id": "b" }).to_string(),
        json!({ "id": 7, "address": "h:1" }).to_string(),
        json!({ "id": "b", "address": "h:1", "weight": 2 }).to_string(),
        one("", "h:1").to_string(),
        one(&long, "h:1").to_string(),
        one("b", "").to_string(),
        one("b", "h").to_string(),
        one("b", "h:0").to_string(),
        one("b", "h:99999").to_string(),
        one("b", "http://h:1/").to_string(),
    ] {
        let answer = say(&proxy, Method::POST, "/backends", &body).await;
        let shown = body.get(..60).unwrap_or(&body);
        assert_eq!(answer.status, 400, "{shown}: {}", answer.text());
        assert!(!answer.json()["error"].as_str().unwrap().is_empty());
        let list = say(&proxy, Method::PUT, "/backends", format!("[{}, {body}]", one("c", "h:1"))).await;
        assert_eq!(list.status, 400, "{shown} in a list: {}", list.text());
    }
    let now = status(&proxy).await;
    assert_eq!((&now["version"], ids(&now["ring"])), (&json!(1), vec!["a"]));
}

#[tokio::test]
async fn unknown_paths_and_methods_are_told_apart() {
    let proxy = proxy(options(), &[]).await;
    for path in ["/", "/backend", "/status/", "/backends?x/y/z/..", "/%00"] {
        let answer = say(&proxy, Method::PATCH, path, "").await;
        let expected = if path.starts_with("/backends?") { 405 } else { 404 };
        assert_eq!(answer.status, expected, "{path}");
        assert!(answer.json()["error"].is_string());
    }
    for (method, path, allowed) in [
        (Method::DELETE, "/backends", "GET, POST, PUT"),
        (Method::POST, "/status", "GET"),
        (Method::GET, "/backends/a", "DELETE"),
    ] {
        let answer = say(&proxy, method, path, "").await;
        assert_eq!((answer.status.as_u16(), answer.headers["allow"].to_str().unwrap()), (405, allowed), "{path}");
    }
    assert_eq!(deregister(proxy.admin(), "%FF").await, 400, "not UTF-8");
    assert_eq!(deregister(proxy.admin(), "").await, 404);
}

#[tokio::test]
async fn there_is_a_limit_to_bodies_and_to_backends() {
    let proxy = proxy(Options { max_backends: 2, ..options() }, &[]).await;
    let three = json!([one("a", "h:1"), one("b", "h:1"), one("c", "h:1")]);
    assert_eq!(say(&proxy, Method::PUT, "/backends", &three).await.status, 507);
    for (id, status) in [("a", 201), ("b", 201), ("c", 507), ("a", 200)] {
        assert_eq!(say(&proxy, Method::POST, "/backends", one(id, "h:1")).await.status, status, "{id}");
    }
    assert_eq!(ids(&status(&proxy).await["ring"]), ["a", "b"]);

    // The connection closes once the limit is passed, which the client may notice before it reads the answer.
    let huge = once(proxy.admin(), Method::PUT, "/backends", " ".repeat(4 << 20)).await;
    assert!(huge.is_err() || huge.unwrap().status == 413);
    assert_eq!(ids(&status(&proxy).await["ring"]), ["a", "b"]);
}
