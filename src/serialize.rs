//! `Serialize`, with the feature `serde`.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::platform::Platform;
use crate::{Backend, Member, Snapshot};

/// The sequence of its members, in order. The version is not part of it.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<T: Member + Serialize, P: Platform> Serialize for Snapshot<T, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|member| &**member))
    }
}

/// A struct of `id` and `address`.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Backend {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Backend", 2)?;
        fields.serialize_field("id", self.id())?;
        fields.serialize_field("address", self.address())?;
        fields.end()
    }
}
