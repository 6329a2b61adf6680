//! Any sequence of updates leaves what the plainest model says.

use proptest::prelude::*;
use snapring::{Backend, Directory, Registry};
use snapring_control::{Delta, Feed, OnEmpty, Outcome, Sink, Update};

/// A sequence of updates, with versions that are often wrong.
fn updates() -> impl Strategy<Value = Vec<Update<Backend>>> {
    let member = || (0..6_u8, 0..2_u8).prop_map(|(id, address)| Backend::new(id.to_string(), address.to_string()));
    let members = move || proptest::collection::vec(member(), 0..5);
    let removed = || proptest::collection::vec((0..6_u8).prop_map(|id| id.to_string()), 0..4);
    let list = (0..30_u64, members()).prop_map(|(version, members)| Update::List { version, members });
    let delta = (0..30_u64, 0..4_u64, members(), removed()).prop_map(|(base, more, added, removed)| Update::Delta {
        base,
        version: base + more,
        delta: Delta { added, removed },
    });
    proptest::collection::vec(prop_oneof![list, delta], 0..60)
}

/// What a feed should hold, said in the plainest way.
#[derive(Default)]
struct Model {
    version: Option<u64>,
    /// The source's list, as a set.
    source: Vec<Backend>,
    published: Vec<Backend>,
    empty_in_a_row: u32,
}

impl Model {
    /// Whether it is taken.
    fn apply(&mut self, update: &Update<Backend>, on_empty: OnEmpty) -> bool {
        let (version, put, kept): (_, _, Vec<Backend>) = match update {
            Update::List { version, members } => (*version, members, Vec::new()),
            Update::Delta { base, version, delta } => {
                if self.version != Some(*base) {
                    return false;
                }
                let stays = |member: &&Backend| !delta.removed.iter().any(|id| id == member.id());
                (*version, &delta.added, self.source.iter().filter(stays).cloned().collect())
            }
        };
        if self.version.is_some_and(|present| version <= present) {
            return false;
        }
        self.version = Some(version);
        let mut source = kept;
        for member in put {
            match source.iter_mut().find(|present| present.id() == member.id()) {
                Some(present) => *present = member.clone(),
                None => source.push(member.clone()),
            }
        }
        self.source = source;
        if self.source.is_empty() && !self.published.is_empty() {
            self.empty_in_a_row += 1;
            match on_empty {
                OnEmpty::Keep => return true,
                OnEmpty::AcceptAfter(enough) if self.empty_in_a_row < enough => return true,
                _ => {}
            }
        }
        self.empty_in_a_row = 0;
        let find = |list: &[Backend], id: &str| list.iter().find(|member| member.id() == id).cloned();
        let stay = self.published.iter().filter_map(|member| find(&self.source, member.id()));
        let new = self.source.iter().filter(|member| find(&self.published, member.id()).is_none()).cloned();
        self.published = stay.chain(new).collect();
        true
    }
}

proptest! {
    #[test]
    fn any_sequence_of_updates_leaves_the_list_of_the_model(updates in updates(), policy in 0..4_u32) {
        let on_empty = match policy {
            0 => OnEmpty::Keep,
            1 => OnEmpty::Accept,
            n => OnEmpty::AcceptAfter(n),
        };
        let (mut feed, mut model) = (Feed::new(Directory::new().service("web"), on_empty), Model::default());
        for update in updates {
            let before = feed.registry().snapshot();
            let taken = model.apply(&update, on_empty);
            let outcome = feed.apply(update);
            prop_assert_eq!(outcome.is_ok(), taken);
            prop_assert_eq!(feed.version(), model.version);
            let after = feed.registry().snapshot();
            let lists = |snapshot: &snapring::Snapshot<Backend>| -> Vec<_> {
                snapshot.iter().map(|member| Backend::clone(member)).collect()
            };
            prop_assert_eq!(lists(&after), model.published.clone());
            prop_assert_eq!(lists(&before) == lists(&after), before.version() == after.version());
            let kept = matches!(outcome, Ok(Outcome::Kept { .. }));
            prop_assert_eq!(kept, taken && model.empty_in_a_row > 0);
        }
    }
}
