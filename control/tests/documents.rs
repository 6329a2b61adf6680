//! The documents of Consul's API, right and wrong.

use proptest::prelude::*;
use snapring::Backend;
use snapring_control::consul::{
    FieldError, Instance, InstanceId, PollError, Problem, Status, Weights, parse_agent, parse_health,
};

/// With the fields of the documentation's example.
const HEALTH: &str = r#"[{
  "Node": {"ID": "40e4a748-2192-161a-0510-9bf59fe950b5", "Node": "foobar", "Address": "10.1.10.12", "Datacenter": "dc1",
    "TaggedAddresses": {"lan": "10.1.10.12", "wan": "10.1.10.12"}, "Meta": {"instance_type": "t2.medium"}},
  "Service": {"ID": "redis", "Service": "redis", "Tags": ["primary"], "Address": "10.1.10.13",
    "TaggedAddresses": {"lan": {"address": "10.1.10.12", "port": 8000}, "wan": {"address": "198.18.1.2", "port": 80}},
    "Meta": {"redis_version": "4.0"}, "Port": 8000, "Weights": {"Passing": 10, "Warning": 1}, "Namespace": "default"},
  "Checks": [
    {"Node": "foobar", "CheckID": "service:redis", "Name": "Service 'redis' check", "Status": "passing", "Notes": "",
     "Output": "", "ServiceID": "redis", "ServiceName": "redis", "ServiceTags": ["primary"], "Namespace": "default"},
    {"Node": "foobar", "CheckID": "serfHealth", "Name": "Serf Health Status", "Status": "passing", "Notes": "",
     "Output": "", "ServiceID": "", "ServiceName": "", "ServiceTags": [], "Namespace": "default"}]
}]"#;

const AGENT: &str = r#"{
  "redis": {"ID": "redis", "Service": "redis", "Tags": [], "Meta": {"redis_version": "4.0"}, "Namespace": "default",
    "TaggedAddresses": {"lan": {"address": "127.0.0.1", "port": 8000}, "wan": {"address": "198.51.100.53", "port": 80}},
    "Port": 8000, "Address": "", "EnableTagOverride": false, "Datacenter": "dc1", "Weights": {"Passing": 10, "Warning": 1}},
  "web-2": {"ID": "web-2", "Service": "web", "Tags": null, "Meta": null, "Port": 81, "Address": "10.0.0.2"},
  "web-1": {"ID": "web-1", "Service": "web", "Port": 80, "Address": "10.0.0.1"}
}"#;

fn one(body: &str) -> Instance {
    let mut instances = parse_health(body.as_bytes()).unwrap();
    assert_eq!(instances.len(), 1);
    instances.remove(0)
}

#[test]
fn the_instances_of_a_service() {
    let redis = one(HEALTH);
    assert_eq!(redis.id, InstanceId { node: "foobar".into(), service: "redis".into() });
    assert_eq!((redis.service.as_str(), redis.address.as_str(), redis.port), ("redis", "10.1.10.13", 8000));
    assert_eq!((redis.tags.clone(), redis.meta["redis_version"].as_str()), (vec!["primary".to_owned()], "4.0"));
    assert_eq!((redis.weights, redis.status), (Weights { passing: 10, warning: 1 }, Status::Passing));
    assert_eq!(Backend::from(&redis), Backend::new("foobar/redis", "10.1.10.13:8000"));
    assert!(parse_health(b"[]").unwrap().is_empty());
}

#[test]
fn the_services_of_an_agent() {
    let services = parse_agent(AGENT.as_bytes(), "127.0.0.1").unwrap();
    assert_eq!(services.keys().collect::<Vec<_>>(), ["redis", "web"]);
    assert_eq!(services["redis"][0].address, "127.0.0.1", "the agent's own");
    assert_eq!(services["redis"][0].id.to_string(), "redis");
    let web: Vec<_> = services["web"].iter().map(Instance::authority).collect();
    assert_eq!(web, ["10.0.0.1:80", "10.0.0.2:81"]);
    assert_eq!(services["web"][0].weights, Weights { passing: 1, warning: 1 });
    assert!(parse_agent(b"{}", "").unwrap().is_empty());
}

#[test]
fn addresses_and_ids() {
    let of_node = one(&HEALTH.replace(r#""Address": "10.1.10.13""#, r#""Address": """#));
    assert_eq!(of_node.address, "10.1.10.12");
    let v6 = one(&HEALTH.replace("10.1.10.13", "::1"));
    assert_eq!(v6.authority(), "[::1]:8000");
    let without_port = one(&HEALTH.replace("\"Port\": 8000", "\"Port\": 0"));
    assert_eq!(without_port.authority(), "10.1.10.13");

    // One service id on two nodes: two instances. And a slash does not make two alike.
    let elsewhere = one(&HEALTH.replace(r#""Node": "foobar", "Address""#, r#""Node": "other", "Address""#));
    assert_ne!(elsewhere.id, one(HEALTH).id);
    let id = |node: &str, service: &str| InstanceId { node: node.into(), service: service.into() }.to_string();
    assert_ne!(id("a/b", "c"), id("a", "b/c"));
    assert_ne!(id("a%2Fb", "c"), id("a/b", "c"));
}

#[test]
fn the_worst_check_and_its_weight() {
    let with = |first: &str, second: &str| {
        let checks = HEALTH.replacen(r#""Status": "passing""#, &format!(r#""Status": "{first}""#), 1);
        one(&checks.replacen(r#""Status": "passing""#, &format!(r#""Status": "{second}""#), 1))
    };
    for (first, second, status, weight) in [
        ("passing", "passing", Status::Passing, 10),
        ("warning", "passing", Status::Warning, 1),
        ("warning", "critical", Status::Critical, 0),
        ("critical", "warning", Status::Critical, 0),
    ] {
        let instance = with(first, second);
        assert_eq!((instance.status, instance.weight()), (status, weight), "{first} and {second}");
    }
}

fn problem(body: &str) -> FieldError {
    match parse_health(body.as_bytes()) {
        Err(PollError::Field(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_say_which_field_of_which_entry() {
    let good = HEALTH.trim().strip_prefix('[').unwrap().strip_suffix(']').unwrap();
    let second = |from: &str, to: &str| {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        problem(&format!("[{good},{bad}]"))
    };
    let port = |value: &str| second(r#""Port": 8000"#, &format!(r#""Port": {value}"#));
    for value in ["65536", "-1", "80.5", "1e99", "18446744073709551616"] {
        let error = port(value);
        assert_eq!(error.path(), "[1].Service.Port");
        assert!(matches!(error.problem(), Problem::OutOfRange { most: 65535, .. }), "{error}");
    }
    assert_eq!(port("65536").to_string(), "[1].Service.Port should be an integer from 0 to 65535, not 65536");
    assert_eq!(port("\"80\"").to_string(), "[1].Service.Port should be a number, not a string");
    assert_eq!(port("null").to_string(), "[1].Service.Port should be a number, not null");

    for (from, to, text) in [
        (r#""ID": "redis", "Service""#, r#""Service""#, "[1].Service.ID is missing"),
        (r#""Service": "redis""#, r#""Service": 1"#, "[1].Service.Service should be a string, not a number"),
        (r#""Address": "10.1.10.13","#, "", "[1].Service.Address is missing"),
        (r#""Tags": ["primary"]"#, r#""Tags": ["a", 1]"#, "[1].Service.Tags[1] should be a string, not a number"),
        (r#""Tags": ["primary"]"#, r#""Tags": {}"#, "[1].Service.Tags should be an array, not an object"),
        (r#""redis_version": "4.0""#, r#""v": false"#, "[1].Service.Meta[\"v\"] should be a string, not a boolean"),
        (
            r#""Passing": 10"#,
            r#""Passing": -1"#,
            "[1].Service.Weights.Passing should be an integer from 0 to 4294967295, not -1",
        ),
        (r#""Passing": 10, "#, "", "[1].Service.Weights.Passing is missing"),
        (r#""Address": "10.1.10.12""#, r#""Address": []"#, "[1].Node.Address should be a string, not an array"),
        (r#""Status": "passing""#, r#""Status": "fine""#, "[1].Checks[0].Status is \"fine\", which is not documented"),
        (r#""Checks": ["#, r#""Checkz": ["#, "[1].Checks is missing"),
        (r#""Checks": ["#, r#""Checks": [7,"#, "[1].Checks[0] should be an object, not a number"),
        (r#""Node": {"#, r#""Nod": {"#, "[1].Node is missing"),
        (r#""Service": {"#, r#""Service": null, "X": {"#, "[1].Service should be an object, not null"),
    ] {
        assert_eq!(second(from, to).to_string(), text);
    }
    assert_eq!(problem("{}").to_string(), "the document should be an array, not an object");
    assert_eq!(problem("[3]").to_string(), "[0] should be an object, not a number");
    let nowhere = HEALTH.replace("10.1.10.12", "").replace("10.1.10.13", "");
    assert_eq!(problem(&nowhere).to_string(), "[0].Service.Address is empty, and so is the address of the node");

    let agent = parse_agent(AGENT.replace("81", "70000").as_bytes(), "h").unwrap_err();
    assert_eq!(agent.to_string(), "[\"web-2\"].Port should be an integer from 0 to 65535, not 70000");
}

#[test]
fn what_may_be_null_or_missing() {
    for (from, to) in [
        (r#""Tags": ["primary"], "#, ""),
        (r#""Tags": ["primary"], "#, r#""Tags": null, "#),
        (r#""Meta": {"redis_version": "4.0"}"#, r#""Meta": null"#),
        (r#""Weights": {"Passing": 10, "Warning": 1}"#, r#""Weights": null"#),
    ] {
        one(&HEALTH.replacen(from, to, 1));
    }
    let no_checks = format!("{}\"Checks\": null}}]", HEALTH.split("\"Checks\"").next().unwrap());
    assert_eq!(one(&no_checks).status, Status::Passing);
}

#[test]
fn truncated_at_any_byte_it_is_an_error() {
    for end in 0..HEALTH.len() {
        assert!(matches!(parse_health(&HEALTH.as_bytes()[..end]), Err(PollError::Json(_))), "cut at {end}");
    }
    let deep = "[".repeat(100_000);
    assert!(matches!(parse_health(deep.as_bytes()), Err(PollError::Json(_))));
    assert!(parse_health(b"[\"\xff\"]").is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(parse_health(&bytes));
        drop(parse_agent(&bytes, "h"));
    }

    #[test]
    fn no_change_of_a_byte_makes_it_panic(at in 0..HEALTH.len(), byte in any::<u8>()) {
        let mut bytes = HEALTH.as_bytes().to_vec();
        bytes[at] = byte;
        drop(parse_health(&bytes));
        drop(parse_agent(&bytes, "h"));
    }
}
