//! Under load, backends come, go, die and come back the whole time: no request fails, the rotation over those who stay
//! is exact, and nothing is left when it is over.

mod common;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use common::{Client, count, demo, deregister, eventually, ids, once, options, proxy, register, request, status};
use hyper::Method;
use serde_json::{Value, json};
use snapring_proxy::demo::DemoBackend;
use snapring_proxy::{Kind, Options, Proxy};
use tokio::task::JoinSet;

const CLIENTS: usize = 6;
const STAYING: [&str; 3] = ["s1", "s2", "s3"];

/// Clients that send one request after another until told to stop.
struct Load {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
    clients: JoinSet<Served>,
}

/// Who answered how often, and what else happened.
#[derive(Debug, Default)]
struct Served {
    by: BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Load {
    fn start(proxy: SocketAddr) -> Self {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let (stop, done) = (stop.clone(), done.clone());
            clients.spawn(async move {
                let mut client = Client::new(proxy).await.unwrap();
                let mut served = Served::default();
                while !stop.load(SeqCst) {
                    let method = if done.fetch_add(1, SeqCst) % 2 == 0 { Method::GET } else { Method::PUT };
                    match client.send(request(method, "/", "some body")).await {
                        Ok(answer) if answer.status == 200 => *served.by.entry(answer.text().into()).or_insert(0) += 1,
                        Ok(answer) => served.failures.push(format!("{}: {}", answer.status, answer.text())),
                        Err(error) => {
                            served.failures.push(format!("{error:?}"));
                            client = Client::new(proxy).await.unwrap();
                        }
                    }
                }
                served
            });
        }
        Self { stop, done, clients }
    }

    /// Waits for this many more requests: the measure of time here.
    async fn more(&self, requests: u64) {
        let enough = self.done.load(SeqCst) + requests;
        eventually("the load goes on", || async { self.done.load(SeqCst) >= enough }).await;
    }

    /// Who answered how often. Every request was answered.
    async fn stop(mut self) -> BTreeMap<String, u64> {
        self.stop.store(true, SeqCst);
        let mut all = BTreeMap::new();
        while let Some(served) = self.clients.join_next().await {
            let Served { by, failures } = served.unwrap();
            assert!(failures.is_empty(), "requests failed that a healthy backend could have served: {failures:#?}");
            for (name, count) in by {
                *all.entry(name).or_insert(0) += count;
            }
        }
        all
    }
}

/// Registers, deregisters and replaces, over and over. Those who stay are in every list, in any order.
async fn churn(admin: SocketAddr, everybody: Vec<(&'static str, SocketAddr)>, stop: Arc<AtomicBool>) -> u64 {
    let find = |id: &str| everybody.iter().find(|(other, _)| *other == id).unwrap().1;
    let list = |ids: &[&str]| {
        json!(ids.iter().map(|id| json!({ "id": id, "address": find(id).to_string() })).collect::<Vec<_>>()).to_string()
    };
    let mut rounds = 0;
    while !stop.load(SeqCst) {
        register(admin, "e1", find("e1")).await;
        register(admin, "e2", find("e2")).await;
        assert_eq!(deregister(admin, "e1").await, 200);
        for ids in [&["s3", "victim", "e2", "s1", "e1", "s2"][..], &["e1", "s2", "s1", "s3", "victim"]] {
            let answer = once(admin, Method::PUT, "/backends", list(ids)).await.unwrap();
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        assert_eq!(deregister(admin, "e1").await, 200);
        assert_eq!(deregister(admin, "e2").await, 404);
        rounds += 1;
    }
    rounds
}

async fn restart(name: &str, address: SocketAddr) -> DemoBackend {
    let restarted = std::cell::RefCell::new(None);
    eventually("the port is free again", || async {
        *restarted.borrow_mut() = DemoBackend::start(name, address).await.ok();
        restarted.borrow().is_some()
    })
    .await;
    restarted.into_inner().unwrap()
}

fn spread(counts: impl IntoIterator<Item = u64>) -> u64 {
    let counts: Vec<_> = counts.into_iter().collect();
    counts.iter().max().unwrap() - counts.iter().min().unwrap()
}

fn picks(status: &Value) -> u64 {
    spread(STAYING.map(|id| count(status, id, "picks")))
}

/// When everybody has been deregistered, nothing of them is left: no connection, no backend, no task.
async fn nothing_is_left(proxy: &Proxy, backends: &[&DemoBackend]) {
    let answer = once(proxy.admin(), Method::PUT, "/backends?allow=empty", "[]").await.unwrap();
    assert_eq!(answer.status, 200);
    eventually("every backend is dropped, with its connections", || async {
        // A registry may drop what it replaced with a later change only (epochs do).
        register(proxy.admin(), "nobody", ([127, 0, 0, 1], 1).into()).await;
        assert_eq!(deregister(proxy.admin(), "nobody").await, 200);
        let connections: usize = backends.iter().map(|backend| backend.connections()).sum();
        status(proxy).await["alive"] == 0 && connections == 0
    })
    .await;
    eventually("only the two listeners are left", || async { proxy.tasks() == 2 }).await;
}

/// `bound`: by how much the picks of two who stay may differ.
async fn survives(options: Options, bound: u64) {
    let [s1, s2, s3] = [demo("s1").await, demo("s2").await, demo("s3").await];
    let (e1, e2) = (demo("e1").await, demo("e2").await);
    let mut victim = demo("victim").await;
    let address = victim.address();
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();

    let everybody = vec![
        ("s1", s1.address()),
        ("s2", s2.address()),
        ("s3", s3.address()),
        ("e1", e1.address()),
        ("e2", e2.address()),
        ("victim", address),
    ];
    let first = [everybody[0], everybody[1], everybody[2], everybody[5]];
    let proxy = proxy(options, &first).await;
    let load = Load::start(proxy.address());
    let stop_churning = Arc::new(AtomicBool::new(false));
    let churning = tokio::spawn(churn(proxy.admin(), everybody, stop_churning.clone()));

    for _ in 0..3 {
        load.more(300).await;
        drop(victim); // all of its connections break, and further ones are refused
        eventually("the dead one is out of the rotation", || async {
            ids(&status(&proxy).await["out_of_order"]) == ["victim"]
        })
        .await;
        load.more(100).await;
        victim = restart("victim", address).await;
        eventually("it is back and gets requests", || async { victim.requests() > 0 }).await;
    }
    stop_churning.store(true, SeqCst);
    assert!(churning.await.unwrap() > 0);
    let served = load.stop().await;

    let status = status(&proxy).await;
    println!("{served:?}\n{status:#}");
    assert!(picks(&status) <= bound, "more than {bound} apart: {status:#}");
    for id in STAYING {
        assert_eq!(
            count(&status, id, "picks") + count(&status, id, "taken_over"),
            served[id],
            "every turn is an answer"
        );
        assert_eq!(count(&status, id, "failed"), 0);
    }
    assert!(status["ejections"].as_u64() >= Some(3) && status["recoveries"].as_u64() >= Some(3), "{status}");

    nothing_is_left(&proxy, &[&s1, &s2, &s3, &e1, &e2, &victim]).await;
    assert!(proxy.drain().await);
    eventually("no task is left", || async { tokio::runtime::Handle::current().metrics().num_alive_tasks() <= tasks })
        .await;
}

/// Whom clients see, when nothing changes: everybody equally often, whoever asked and when.
async fn is_exact(options: Options, bound: u64) {
    let backends = [demo("s1").await, demo("s2").await, demo("s3").await];
    let list = [0, 1, 2].map(|at| (STAYING[at], backends[at].address()));
    let proxy = proxy(options, &list).await;
    let load = Load::start(proxy.address());
    load.more(500).await;
    let served = load.stop().await;
    assert_eq!(served.len(), 3);
    assert!(spread(served.values().copied()) <= bound, "more than {bound} apart: {served:?}");
    assert!(picks(&status(&proxy).await) <= bound);
}

macro_rules! registries {
    ($($name:ident: $kind:expr, lease $lease:expr, bound $bound:expr;)*) => {$(
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn no_request_fails_and_nothing_leaks() {
                survives(Options { registry: $kind, lease: $lease, seats: Some(4), ..options() }, $bound).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn the_distribution_is_exact() {
                is_exact(Options { registry: $kind, lease: $lease, seats: Some(4), ..options() }, $bound).await;
            }
        }
    )*};
}

// One turn of the exact ring passes everybody who stays once, whatever is registered, deregistered or replaced meanwhile,
// and a retry takes no turn: so the picks of those who stay differ by at most 1, always. With leases, by at most the
// number of handles.
registries! {
    mutex: Kind::Mutex, lease 0, bound 1;
    rwlock: Kind::RwLock, lease 0, bound 1;
    epoch: Kind::Epoch, lease 0, bound 1;
    arc_swap: Kind::ArcSwap, lease 0, bound 1;
    handle: Kind::Handle, lease 0, bound 1;
    leased: Kind::Handle, lease 16, bound 4;
}
