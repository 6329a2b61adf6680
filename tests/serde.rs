//! With the feature `serde`: a snapshot is the sequence of its members.

use snapring::{Backend, HandleRegistry, MutexRegistry, Registry};

#[test]
fn a_snapshot_is_the_sequence_of_its_members() {
    let registries: [Box<dyn Registry<Backend>>; 2] =
        [Box::new(MutexRegistry::<Backend>::new()), Box::new(HandleRegistry::<Backend>::new())];
    for registry in registries {
        assert_eq!(serde_json::to_string(&registry.snapshot()).unwrap(), "[]");
        registry.register(Backend::new("a", "10.0.0.1:80"));
        registry.register(Backend::new("b", "10.0.0.2:80"));
        assert_eq!(
            serde_json::to_string(&registry.snapshot()).unwrap(),
            r#"[{"id":"a","address":"10.0.0.1:80"},{"id":"b","address":"10.0.0.2:80"}]"#
        );
    }
}
