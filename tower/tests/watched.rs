//! News of changes: the last one is never lost, nobody is woken for nothing, and nothing is held meanwhile.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use snapring::{
    ArcSwapRegistry, Backend, Changes, EpochRegistry, HandleRegistry, Member, MutexRegistry, NoBackends, Registration,
    Registry, RwLockRegistry, Snapshot, Stale, Token,
};
use snapring_tower::{Watched, Watcher};
use tokio_test::{assert_pending, assert_ready, task::spawn};

fn backend(id: &str) -> Backend {
    Backend::new(id, "10.0.0.1:80")
}

fn all() -> Vec<Arc<Watched<Arc<dyn Registry<Backend>>>>> {
    let all: [Arc<dyn Registry<Backend>>; 5] = [
        Arc::new(MutexRegistry::new()),
        Arc::new(RwLockRegistry::new()),
        Arc::new(EpochRegistry::new()),
        Arc::new(ArcSwapRegistry::new()),
        Arc::new(HandleRegistry::new()),
    ];
    all.into_iter().map(|registry| Arc::new(Watched::new(registry))).collect()
}

#[test]
fn every_kind_of_change_is_news_and_nothing_else_is() {
    for registry in all() {
        let mut watcher = Watched::watch(&registry);
        let token = registry.register(backend("a")).token().clone();
        assert_eq!(assert_ready!(spawn(watcher.changed()).poll()).len(), 1, "news from before the wait");

        let mut waiting = spawn(watcher.changed());
        assert_pending!(waiting.poll());
        registry.register(backend("a"));
        assert!(registry.deregister("z").is_none());
        assert!(registry.replace_all(vec![backend("a")]).is_empty());
        let _ = (registry.snapshot(), registry.next());
        assert_pending!(waiting.poll(), "nothing changed");
        registry.register(Backend::new("a", "moved"));
        assert!(waiting.is_woken());
        assert_eq!(assert_ready!(waiting.poll())[0].address(), "moved");
        drop(waiting);

        let mut waiting = spawn(watcher.changed());
        assert_pending!(waiting.poll());
        assert!(registry.revoke(&token).is_err());
        assert_pending!(waiting.poll(), "a stale token changes nothing");
        registry.replace_all(vec![backend("b"), backend("c")]);
        registry.deregister("b");
        let list = assert_ready!(waiting.poll());
        assert_eq!(list.iter().map(|member| member.id()).collect::<Vec<_>>(), ["c"], "the last of two changes");
        drop(waiting);
        assert_pending!(spawn(watcher.changed()).poll(), "and once only");
    }
}

#[test]
fn a_cancelled_wait_loses_nothing() {
    for registry in all() {
        let mut watcher = Watched::watch(&registry);
        {
            let mut waiting = spawn(watcher.changed());
            assert_pending!(waiting.poll());
            registry.register(backend("a"));
            assert!(waiting.is_woken());
        }
        assert_eq!(assert_ready!(spawn(watcher.changed()).poll()).len(), 1);
    }
}

/// One change at a time, each waited for: a single lost one stops the game.
#[test]
fn no_change_is_ever_lost() {
    const ROUNDS: u64 = 5_000;
    for registry in all() {
        let watchers: Vec<Watcher<_>> = (0..2).map(|_| Watched::watch(&registry)).collect();
        let (tell, told) = mpsc::channel();
        let threads: Vec<_> = watchers
            .into_iter()
            .map(|mut watcher| {
                let tell = tell.clone();
                std::thread::spawn(move || {
                    let mut version = 0;
                    while version < ROUNDS {
                        version = tokio_test::block_on(watcher.changed()).version();
                        tell.send(version).unwrap();
                    }
                })
            })
            .collect();
        for round in 1..=ROUNDS {
            if round % 2 == 1 {
                registry.register(backend("a"));
            } else {
                registry.deregister("a");
            }
            for _ in 0..threads.len() {
                let version = told.recv_timeout(Duration::from_secs(60)).expect("a change was lost");
                assert_eq!(version, round);
            }
        }
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

/// The waker is somebody else's code. It may use the registry.
#[test]
fn a_waker_may_call_the_registry() {
    struct Curious(Arc<Watched<Arc<dyn Registry<Backend>>>>, AtomicU64);
    impl Wake for Curious {
        fn wake(self: Arc<Self>) {
            self.1.store(self.0.snapshot().version(), SeqCst);
            self.0.next().unwrap();
            self.0.register(backend("from the waker"));
        }
    }
    for registry in all() {
        let mut watcher = Watched::watch(&registry);
        let curious = Arc::new(Curious(registry.clone(), AtomicU64::new(0)));
        let waker = Waker::from(curious.clone());
        let mut waiting = std::pin::pin!(watcher.changed());
        assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        registry.register(backend("a"));
        assert_eq!(curious.1.load(SeqCst), 1, "woken after the change");
        let Poll::Ready(list) = waiting.poll(&mut Context::from_waker(&waker)) else { panic!("it is news") };
        assert_eq!(list.len(), 2);
    }
}

#[test]
fn a_panic_after_the_publication_is_news_all_the_same() {
    #[derive(Debug, PartialEq)]
    struct Touchy(&'static str, u8);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    impl Member for Touchy {
        type Id = str;
        fn id(&self) -> &str {
            self.0
        }
    }
    impl Drop for Touchy {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
            if self.1 == 1 && !std::thread::panicking() {
                panic!("dropped");
            }
        }
    }
    let registry = Arc::new(Watched::new(MutexRegistry::<Touchy>::new()));
    registry.register(Touchy("a", 1));
    let mut watcher = Watched::watch(&registry);
    let mut waiting = spawn(watcher.changed());
    assert_pending!(waiting.poll());
    let replacing = std::panic::AssertUnwindSafe(|| registry.replace_all(vec![Touchy("b", 0)]));
    assert!(std::panic::catch_unwind(replacing).is_err(), "the last reference to a goes with the change");
    assert!(waiting.is_woken());
    assert_eq!(assert_ready!(waiting.poll())[0].0, "b");
    assert!(DROPPED.load(SeqCst) > 0);
}

/// A change between the look of a watcher and its wait, made by a registry that changes right after it was looked at.
#[test]
fn a_change_in_the_moment_after_the_look_is_news() {
    type Hook = Mutex<Option<Box<dyn FnOnce() + Send>>>;
    struct Sly(MutexRegistry<Backend>, Hook);
    impl Registry<Backend> for Sly {
        fn register(&self, member: Backend) -> Registration<Backend> {
            self.0.register(member)
        }
        fn deregister(&self, id: &str) -> Option<Arc<Backend>> {
            self.0.deregister(id)
        }
        fn revoke(&self, token: &Token) -> Result<Arc<Backend>, Stale> {
            self.0.revoke(token)
        }
        fn replace_all(&self, members: Vec<Backend>) -> Changes {
            self.0.replace_all(members)
        }
        fn snapshot(&self) -> Snapshot<Backend> {
            let snapshot = self.0.snapshot();
            let hook = self.1.lock().unwrap().take();
            if let Some(hook) = hook {
                hook();
            }
            snapshot
        }
        fn next(&self) -> Result<Arc<Backend>, NoBackends> {
            self.0.next()
        }
    }
    let registry = Arc::new(Watched::new(Sly(MutexRegistry::new(), Mutex::new(None))));
    let mut watcher = Watched::watch(&registry);
    let inner = registry.clone();
    *registry.get().1.lock().unwrap() = Some(Box::new(move || drop(inner.register(backend("a")))));
    let mut waiting = spawn(watcher.changed());
    assert_eq!(assert_ready!(waiting.poll()).len(), 1);
}
