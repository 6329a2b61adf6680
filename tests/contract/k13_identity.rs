//! K13: an identity that is too coarse, so that instances overwrite each other (Netflix/eureka). K17: ids that are folded,
//! trimmed or normalised in one place and not in another (hashicorp/consul). Here: byte for byte, everywhere.

use snapring::strategy::RoundRobin;
use snapring::{Backend, Member, MutexRegistry, Outcome, Registry, Snapshot, Strategy};

use crate::common::{Kind, on_every_registry};

on_every_registry!(
    ids_are_compared_byte_for_byte,
    each_of_them_alone_can_be_removed,
    replace_all_tells_them_apart,
    strategies_tell_them_apart,
    one_host_several_ports,
    an_overwritten_member_is_reported,
);

/// Ids that somebody might take for the same.
fn look_alikes() -> Vec<String> {
    let mut ids: Vec<String> = [
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\0",
        "\0\0",
        "redis",
        "Redis",
        "REDIS",
        "redis ",
        " redis",
        "redis\n",
        "redis\0",
        "redis\0a",
        "redis\0b",
        "r edis",
        "straße",
        "strasse",
        "STRASSE",
        "caf\u{e9}",
        "cafe\u{301}",
        "ﬁ",
        "fi",
        "İ",
        "i\u{307}",
        "I",
        "ı",
        "i",
        "a\u{200b}",
        "a",
        "а",
        "ａ",
        "\u{feff}a",
        "01",
        "1",
        "1.0",
        "%20",
        "host:80",
        "host:080",
        "host:80/",
        "b1@10.0.0.1",
        "ab",
        "b",
    ]
    .map(str::to_owned)
    .to_vec();
    let long = "x".repeat(1 << 16);
    ids.extend([long.clone(), format!("{long}y"), format!("y{long}"), long.to_uppercase()]);
    ids
}

fn ids(snapshot: &Snapshot<Backend>) -> Vec<String> {
    snapshot.iter().map(|backend| backend.id().to_owned()).collect()
}

fn ids_are_compared_byte_for_byte(kind: Kind) {
    let registry = kind.empty();
    for id in look_alikes() {
        assert_eq!(registry.register(Backend::new(&*id, "a")).outcome(), &Outcome::Added, "{id:?}");
    }
    let snapshot = registry.snapshot();
    assert_eq!(ids(&snapshot), look_alikes());
    for id in look_alikes() {
        assert_eq!(registry.register(Backend::new(&*id, "a")).outcome(), &Outcome::Unchanged, "{id:?}");
        assert_eq!(snapshot.get(&id).map(|backend| backend.id()), Some(&*id), "found in a long list");
        let few = snapshot.filter(|backend| backend.id().len() < 3 || backend.id() == id);
        assert_eq!(few.get(&id).map(|backend| backend.id()), Some(&*id), "found in a short list");
        assert_eq!(registry.next().unwrap().id(), id);
    }
    for absent in ["rediS", "\0\0\0", "b2", "cafe", "   "] {
        assert!(registry.deregister(absent).is_none() && snapshot.get(absent).is_none(), "{absent:?}");
    }
}

fn each_of_them_alone_can_be_removed(kind: Kind) {
    for (at, gone) in look_alikes().into_iter().enumerate() {
        let registry = kind.of(look_alikes().into_iter().map(|id| Backend::new(id, "a")).collect());
        assert_eq!(registry.deregister(&gone).map(|backend| backend.id().to_owned()), Some(gone.clone()));
        let mut expected = look_alikes();
        expected.remove(at);
        assert_eq!(ids(&registry.snapshot()), expected, "without {gone:?}");
    }
}

fn replace_all_tells_them_apart(kind: Kind) {
    let all = |address: &str| look_alikes().into_iter().map(|id| Backend::new(id, address)).collect::<Vec<_>>();
    let n = look_alikes().len();
    let registry = kind.empty();
    assert_eq!(registry.replace_all(all("a")).added(), n);
    assert_eq!(registry.replace_all(all("a")).unchanged(), n);
    assert_eq!(registry.replace_all(all("b")).replaced(), n);
    let half = all("b").into_iter().step_by(2).collect::<Vec<_>>();
    let changes = registry.replace_all(half.clone());
    assert_eq!((changes.unchanged(), changes.removed()), (half.len(), n - half.len()));
}

/// rancher/rancher: the memory of a strategy is keyed exactly as the registry is.
fn strategies_tell_them_apart(kind: Kind) {
    let registry = kind.of(look_alikes().into_iter().map(|id| Backend::new(id, "a")).collect());
    let strategy = RoundRobin::new();
    for (turn, id) in look_alikes().into_iter().enumerate() {
        assert_eq!(strategy.route(&registry.snapshot()).unwrap().id(), id);
        registry.register(Backend::new(id, format!("{turn}"))); // another list, so that it looks for the id
    }
    assert_eq!(strategy.route(&registry.snapshot()).unwrap().id(), "");
}

fn one_host_several_ports(kind: Kind) {
    let registry = kind.empty();
    for port in 8080..8090 {
        registry.register(Backend::new(format!("host:{port}"), format!("host:{port}")));
    }
    assert_eq!(registry.snapshot().len(), 10);
}

/// smallrye/smallrye-stork: what was overwritten by mistake shows.
fn an_overwritten_member_is_reported(kind: Kind) {
    let registry = kind.empty();
    registry.register(Backend::new("svc", "10.0.0.1:80"));
    let registration = registry.register(Backend::new("svc", "10.0.0.2:80"));
    let Outcome::Replaced(old) = registration.outcome() else { panic!("{registration:?}") };
    assert_eq!(old.address(), "10.0.0.1:80");
    assert_eq!(registry.snapshot().len(), 1);
}

#[derive(Debug, PartialEq)]
struct Numbered<I>(I, &'static str);

impl<I> Member for Numbered<I>
where
    I: Eq + std::hash::Hash + Clone + std::fmt::Debug + Send + Sync + 'static,
{
    type Id = I;
    fn id(&self) -> &I {
        &self.0
    }
}

#[derive(Debug, PartialEq)]
struct Raw(Vec<u8>);

impl Member for Raw {
    type Id = [u8];
    fn id(&self) -> &[u8] {
        &self.0
    }
}

/// (What asks for ids is the same in all registries.)
#[test]
fn any_type_can_be_an_id() {
    let pairs = MutexRegistry::new();
    for (at, id) in [(1_u8, 'a'), (1, 'b'), (2, 'a')].into_iter().enumerate() {
        pairs.register(Numbered(id, "x"));
        assert_eq!(pairs.snapshot().len(), at + 1);
    }
    assert!(pairs.deregister(&(1, 'b')).is_some() && pairs.deregister(&(1, 'b')).is_none());

    let units = MutexRegistry::new();
    units.register(Numbered((), "x"));
    units.register(Numbered((), "y"));
    assert_eq!(units.deregister(&()).unwrap().1, "y");

    let raw = MutexRegistry::new();
    raw.register(Raw(vec![0xff, 0]));
    raw.register(Raw(vec![0xff]));
    assert_eq!(raw.deregister(&[0xff][..]).unwrap().0, [0xff]);
    assert_eq!(raw.next().unwrap().0, [0xff, 0]);
}
