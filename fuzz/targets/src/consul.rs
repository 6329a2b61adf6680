//! Documents of Consul's API: whatever they are, they are read or refused, and nobody in them is lost.

use std::collections::BTreeMap;

use serde_json::Value;
use snapring::{Registry, RwLockRegistry};
use snapring_control::consul::{Instance, InstanceId, PollError, parse_agent, parse_health};
use snapring_control::{Feed, OnEmpty, Sink, Update};

/// Reads an answer of `/v1/health/service/{name}`.
///
/// # Panics
///
/// If the document counts other instances than were read, or if a list made of them has others.
pub fn health(data: &[u8]) {
    let Some(instances) = read(data, parse_health(data)) else { return };
    let document: Value = serde_json::from_slice(data).expect("it has been read");
    assert_eq!(document.as_array().map(Vec::len), Some(instances.len()));
    reaches_a_registry(instances);
}

/// Reads an answer of `/v1/agent/services`.
///
/// # Panics
///
/// As [`health`].
pub fn agent(data: &[u8]) {
    let Some(services) = read(data, parse_agent(data, "192.0.2.1")) else { return };
    let document: Value = serde_json::from_slice(data).expect("it has been read");
    let counted: usize = services.values().map(Vec::len).sum();
    assert_eq!(document.as_object().map(serde_json::Map::len), Some(counted));
    for (name, instances) in services {
        assert!(instances.iter().all(|instance| instance.service == name));
        reaches_a_registry(instances);
    }
}

/// What was read. If nothing was, the error must have something to say, and blame JSON exactly if it is none.
fn read<T>(data: &[u8], result: Result<T, PollError>) -> Option<T> {
    let is_json = serde_json::from_slice::<Value>(data).is_ok();
    match result {
        Ok(read) => {
            assert!(is_json);
            Some(read)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(matches!(error, PollError::Json(_)), !is_json, "{error}");
            None
        }
    }
}

/// Everybody once, at the first place, with the last contents; and whoever is picked can be connected to.
fn reaches_a_registry(instances: Vec<Instance>) {
    let mut order: Vec<InstanceId> = Vec::new();
    let mut last = BTreeMap::new();
    for instance in &instances {
        if last.insert(instance.id.clone(), instance.clone()).is_none() {
            order.push(instance.id.clone());
        }
    }
    let mut feed = Feed::new(RwLockRegistry::<Instance>::new(), OnEmpty::Accept);
    feed.apply(Update::List { version: 1, members: instances }).expect("the first version is due");
    let expected: Vec<&Instance> = order.iter().map(|id| &last[id]).collect();
    let snapshot = feed.registry().snapshot();
    assert_eq!(snapshot.iter().map(|instance| &**instance).collect::<Vec<_>>(), expected);
    for expected in expected {
        let picked = feed.registry().next().expect("there are members");
        assert_eq!(&*picked, expected);
        assert!(!picked.address.is_empty() && picked.authority().contains(&picked.address));
    }
}
