//! Services for the tests: ready, pending and failing ones, in one type.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Arc;
use std::task::{Context, Poll};

use snapring::MutexRegistry;
use snapring_tower::{Node, Router, Watched};
use tower::limit::ConcurrencyLimit;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt, service_fn};

pub(crate) type Any = BoxCloneSyncService<&'static str, String, BoxError>;
pub(crate) type Member = Node<&'static str, Any>;
pub(crate) type Ring = Watched<MutexRegistry<Member>>;
pub(crate) type Route = Router<&'static str, Any, MutexRegistry<Member>>;

pub(crate) fn ring() -> Arc<Ring> {
    Arc::new(Watched::new(MutexRegistry::new()))
}

/// Answers `name: request`; the request `fail` fails.
pub(crate) fn plain(name: &'static str) -> Any {
    let answer = move |request: &'static str| async move {
        if request == "fail" { Err(BoxError::from("as asked")) } else { Ok(format!("{name}: {request}")) }
    };
    BoxCloneSyncService::new(service_fn(answer))
}

/// The same with one permit for all of its clones.
pub(crate) fn limited(name: &'static str) -> Any {
    BoxCloneSyncService::new(ConcurrencyLimit::new(plain(name), 1))
}

/// Fails to become ready.
pub(crate) fn broken() -> Any {
    #[derive(Clone)]
    struct Broken;
    impl Service<&'static str> for Broken {
        type Response = String;
        type Error = BoxError;
        type Future = std::future::Ready<Result<String, BoxError>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Err("broken".into()))
        }

        fn call(&mut self, _: &'static str) -> Self::Future {
            panic!("called although it failed to become ready")
        }
    }
    BoxCloneSyncService::new(Broken)
}

/// Makes a limited service pending for as long as the result lives.
pub(crate) async fn busy(service: &Any) -> Any {
    let mut service = service.clone();
    service.ready().await.unwrap();
    service
}
