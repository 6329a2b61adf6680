//! With the feature `tracing`: every change that publishes is one event, emitted under no lock.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use snapring::{ArcSwapRegistry, Backend, EpochRegistry, HandleRegistry, MutexRegistry, Registry, RwLockRegistry};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Writes down each event, and asks the registry meanwhile, as a subscriber may.
struct Listener {
    heard: Arc<Mutex<Vec<String>>>,
    registry: Arc<dyn Registry<Backend>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.insert_str(0, &format!("{value:?}:"));
        } else {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "snapring"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        assert_eq!(*event.metadata().level(), Level::DEBUG);
        let mut line = Line(String::new());
        event.record(&mut line);
        self.heard.lock().unwrap().push(line.0);
        // Under a lock of the registry, this would wait for ever.
        assert!(self.registry.deregister("nobody").is_none());
        self.registry.snapshot();
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn every_change_is_an_event() {
    let registries: [Arc<dyn Registry<Backend>>; 5] = [
        Arc::new(MutexRegistry::<Backend>::new()),
        Arc::new(RwLockRegistry::<Backend>::new()),
        Arc::new(EpochRegistry::<Backend>::new()),
        Arc::new(ArcSwapRegistry::<Backend>::new()),
        Arc::new(HandleRegistry::<Backend>::new()),
    ];
    for registry in registries {
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let listener = Listener { heard: heard.clone(), registry: registry.clone() };
        tracing::subscriber::with_default(listener, || {
            let b = Backend::new("b", "2");
            registry.register(Backend::new("a", "1"));
            let token = registry.register(b.clone());
            registry.register(b.clone()); // equal: nothing is published, nothing is said
            registry.register(Backend::new("a", "3"));
            registry.deregister("a");
            registry.revoke(token.token()).unwrap();
            registry.revoke(token.token()).unwrap_err();
            registry.replace_all(vec![b.clone(), Backend::new("c", "4")]);
            registry.replace_all(vec![b, Backend::new("c", "4")]);
        });
        let expected = [
            r#"registered: id="a" version=1 n=1"#,
            r#"registered: id="b" version=2 n=2"#,
            r#"replaced: id="a" version=3 n=2"#,
            r#"deregistered: id="a" version=4 n=1"#,
            r#"revoked: id="b" version=5 n=0"#,
            "replaced all: version=6 n=2 added=2 removed=0 replaced=0",
        ];
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
