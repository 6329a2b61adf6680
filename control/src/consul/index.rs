//! Where a blocking query goes on.

/// The index to wait beyond, by the rules that Consul documents for its clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Index(u64);

impl Index {
    /// What to ask with. Without an index the answer comes at once.
    pub(super) fn to_ask(self) -> Option<u64> {
        (self.0 > 0).then_some(self.0)
    }

    /// After an answer with this one. One that went backwards is not to be waited beyond: the next change may be before it.
    #[must_use]
    pub(super) fn after(self, answered: u64) -> Self {
        if answered < self.0 { Self(0) } else { Self(answered) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwards_backwards_and_zero() {
        let index = Index::default();
        assert_eq!(index.to_ask(), None);
        let index = index.after(7);
        assert_eq!(index.to_ask(), Some(7));
        assert_eq!(index.after(7).to_ask(), Some(7), "the wait was over");
        let back = index.after(3);
        assert_eq!(back.to_ask(), None, "anew");
        assert_eq!(back.after(3).to_ask(), Some(3));
        assert_eq!(index.after(0).to_ask(), None, "0 would not block");
        assert_eq!(index.after(u64::MAX).to_ask(), Some(u64::MAX));
    }
}
