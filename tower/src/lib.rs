//! snapring and [tower](https://docs.rs/tower).
//!
//! - [`feed`]: any [`Discover`](tower::discover::Discover) stream changes a registry.
//! - [`Router`]: a [`Service`](tower::Service) that sends each request to the member whose turn it is, or, while that one
//!   is not ready, to one that is.
//! - [`Watched`]: any registry, and news of its changes. A router needs them; they are useful without tower too.
//!
//! ```
//! use std::convert::Infallible;
//! use std::sync::Arc;
//!
//! use snapring::ArcSwapRegistry;
//! use snapring_tower::{Node, Router, Watched, feed};
//! use tower::discover::Change;
//! use tower::{Service, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! async fn shout(text: &'static str) -> Result<String, Infallible> {
//!     Ok(text.to_uppercase())
//! }
//!
//! let registry = Arc::new(Watched::new(ArcSwapRegistry::<Node<&str, _>>::new()));
//! let found = [Ok::<_, Infallible>(Change::Insert("a", service_fn(shout))), Ok(Change::Insert("b", service_fn(shout)))];
//! feed(tokio_stream::iter(found), &registry).await?;
//!
//! let mut router = Router::new(registry);
//! assert_eq!(router.ready().await?.call("hello").await?, "HELLO");
//! # Ok(())
//! # }
//! ```

mod error;
mod feed;
mod node;
mod router;
mod watched;

pub use error::{ResponseFuture, RouteError};
pub use feed::feed;
pub use node::Node;
pub use router::Router;
pub use watched::{Watched, Watcher};
