//! From the documents of the API to instances.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::{FieldError, PollError, Problem};
use super::fields::{Object, inner, inner_or_none, list, number, object, text, text_map, texts, wrong};
use super::instance::{Instance, InstanceId, Status, Weights};

/// Reads what `/v1/health/service/{name}` answers: an array of instances, each with `Node`, `Service` and `Checks`.
///
/// In the order of the document. `Tags`, `Meta` and `Weights` may be missing or null, `Checks` may be null. Fields that
/// are not documented are passed over.
///
/// # Errors
///
/// [`PollError::Json`], or [`PollError::Field`] for the first field that is not as documented.
pub fn parse_health(body: &[u8]) -> Result<Vec<Instance>, PollError> {
    let document = json(body)?;
    let entries = document.as_array().ok_or_else(|| wrong("", "an array", &document))?;
    let instances = entries.iter().enumerate();
    let instances = instances.map(|(at, entry)| health_entry(entry).map_err(|error| error.within(&format!("[{at}]"))));
    Ok(instances.collect::<Result<_, _>>()?)
}

/// Reads what `/v1/agent/services` answers: an object with an instance for each service id. By the name of the service.
///
/// An instance without an address is at `agent_address`, since it is on the node of the agent.
///
/// # Errors
///
/// As [`parse_health`].
pub fn parse_agent(body: &[u8], agent_address: &str) -> Result<BTreeMap<String, Vec<Instance>>, PollError> {
    let document = json(body)?;
    let mut services = BTreeMap::<_, Vec<_>>::new();
    for (id, entry) in object(&document)? {
        let read = object(entry).and_then(|entry| service(entry, "", agent_address, Status::Passing));
        let instance = read.map_err(|error| error.within(&format!("[{id:?}]")))?;
        services.entry(instance.service.clone()).or_default().push(instance);
    }
    Ok(services)
}

fn json(body: &[u8]) -> Result<Value, PollError> {
    serde_json::from_slice(body).map_err(PollError::Json)
}

fn health_entry(entry: &Value) -> Result<Instance, FieldError> {
    let entry = object(entry)?;
    let node = inner(entry, "Node")?;
    let name = text(node, "Node").map_err(|error| error.within("Node"))?;
    let address = text(node, "Address").map_err(|error| error.within("Node"))?;
    let mut worst = Status::Passing;
    for (at, check) in list(entry, "Checks")?.iter().enumerate() {
        let status = object(check).and_then(status);
        worst = worst.max(status.map_err(|error| error.within(&format!("Checks[{at}]")))?);
    }
    service(inner(entry, "Service")?, name, address, worst).map_err(|error| error.within("Service"))
}

fn status(check: &Object) -> Result<Status, FieldError> {
    match text(check, "Status")? {
        "passing" => Ok(Status::Passing),
        "warning" => Ok(Status::Warning),
        "critical" => Ok(Status::Critical),
        other => Err(FieldError::at("Status", Problem::Unknown(other.to_owned()))),
    }
}

fn service(service: &Object, node: &str, node_address: &str, status: Status) -> Result<Instance, FieldError> {
    let address = match text(service, "Address")? {
        "" if node_address.is_empty() => return Err(FieldError::at("Address", Problem::Empty)),
        "" => node_address,
        address => address,
    };
    Ok(Instance {
        id: InstanceId { node: node.to_owned(), service: text(service, "ID")?.to_owned() },
        service: text(service, "Service")?.to_owned(),
        address: address.to_owned(),
        port: number(service, "Port", u16::MAX.into())? as u16,
        tags: texts(service, "Tags")?,
        meta: text_map(service, "Meta")?,
        weights: weights(service)?,
        status,
    })
}

fn weights(service: &Object) -> Result<Weights, FieldError> {
    let Some(weights) = inner_or_none(service, "Weights")? else { return Ok(Weights { passing: 1, warning: 1 }) };
    let weight = |key| number(weights, key, u32::MAX.into()).map_err(|error| error.within("Weights"));
    Ok(Weights { passing: weight("Passing")? as u32, warning: weight("Warning")? as u32 })
}
