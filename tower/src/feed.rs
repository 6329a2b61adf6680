//! [`feed`]: from a stream of changes into a registry.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::hash::Hash;
use std::pin::pin;

use snapring::Registry;
use tower::discover::{Change, Discover};

use crate::Node;

/// Registers what a stream inserts and takes out what it removes, until it ends or fails.
///
/// A removal takes out what *this stream* put there: it goes by the token of the registration, so several streams may
/// feed one registry, and the late removal of one does not take out another's service under the same key. Inserting a
/// key again replaces its service in place.
///
/// When the stream ends or fails, the registry stays as it is: an outage of the discovery is none of the services. When
/// this future is dropped, too. It holds the registry only by the `R` given, which may be a reference or an `Arc`.
///
/// # Errors
///
/// The stream's.
pub async fn feed<D, R>(changes: D, registry: R) -> Result<(), D::Error>
where
    D: Discover,
    D::Key: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    D::Service: Send + Sync + 'static,
    R: Registry<Node<D::Key, D::Service>>,
{
    let mut changes = pin!(changes);
    let mut tokens = HashMap::new();
    while let Some(change) = poll_fn(|cx| changes.as_mut().poll_discover(cx)).await {
        match change? {
            Change::Insert(key, service) => {
                let (token, _) = registry.register(Node::new(key.clone(), service)).into_parts();
                tokens.insert(key, token);
            }
            Change::Remove(key) => {
                if let Some(token) = tokens.remove(&key) {
                    // Stale: somebody else has replaced or removed it already.
                    drop(registry.revoke(&token));
                }
            }
        }
    }
    Ok(())
}
