//! Who is registered: the [`Member`] trait, and [`Backend`], the ready implementation.

use std::borrow::ToOwned;
use std::fmt;
use std::hash::Hash;

/// Something that can be registered: it has an identity and can be compared.
///
/// The **id** says *which* member this is; `==` says whether its *contents* are the same. Registering an equal member
/// again changes nothing; the same id with other contents replaces the member in place.
///
/// Ids are compared whole and byte for byte: no case folding, no trimming, no normalisation. The empty id is an id.
///
/// Your `id`, `==`, `Eq`, `Hash` and `Drop` may do what they like, call the registry included: none of them ever runs
/// under a lock of this crate, and a panic in one of them leaves every registry usable. An `id` that changes while the
/// member is registered, or a `Hash` that disagrees with `Eq`, can make a registry keep two members with one id; it
/// cannot make it panic or misbehave otherwise.
///
/// ```
/// use snapring::{Member, MutexRegistry, Registry};
///
/// #[derive(PartialEq, Debug)]
/// struct Shard { number: u64, address: String }
///
/// impl Member for Shard {
///     type Id = u64;
///     fn id(&self) -> &u64 { &self.number }
/// }
///
/// let shards = MutexRegistry::<Shard>::new();
/// shards.register(Shard { number: 7, address: "10.0.0.7:443".into() });
/// assert_eq!(shards.next().unwrap().number, 7);
/// assert!(shards.deregister(&7).is_some());
/// ```
pub trait Member: PartialEq + Send + Sync + 'static {
    /// What tells members apart, `str` for example. Its owned form is what a strategy remembers.
    type Id: ?Sized + Eq + Hash + fmt::Debug + Send + Sync + 'static + ToOwned<Owned: Eq + Hash + Send + Sync>;

    /// The identity of this member. It must not change while the member is registered.
    fn id(&self) -> &Self::Id;
}

/// A backend: an id and an address, both opaque strings.
///
/// Two backends may share an address; two backends with one id are one member. Displayed as `id@address`.
///
/// ```
/// let backend = snapring::Backend::new("b1", "10.0.0.1:80");
/// assert_eq!(backend.id(), "b1");
/// assert_eq!(backend.address(), "10.0.0.1:80");
/// assert_eq!(backend.to_string(), "b1@10.0.0.1:80");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Backend {
    id: String,
    address: String,
}

impl Backend {
    /// A backend with this id at this address.
    pub fn new(id: impl Into<String>, address: impl Into<String>) -> Self {
        Self { id: id.into(), address: address.into() }
    }

    /// The identity, as given.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The address, as given.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Member for Backend {
    type Id = str;

    fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.address)
    }
}
