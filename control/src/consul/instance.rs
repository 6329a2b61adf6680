//! [`Instance`]: one instance of a service, as Consul knows it.

use std::collections::BTreeMap;
use std::fmt;

use snapring::{Backend, Member};

/// Which instance. Consul's service ids are unique on a node only, so the node is part of it.
///
/// Compared byte for byte: what differs in case is different.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// `Node.Node`. Empty for the services of an agent, which all are on its node.
    pub node: String,
    /// `Service.ID`.
    pub service: String,
}

impl fmt::Display for InstanceId {
    /// `node/service`, or only the service if there is no node. `%` and `/` of the node are percent-encoded, so that two
    /// instances never look alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.node.is_empty() {
            write!(f, "{}/", self.node.replace('%', "%25").replace('/', "%2F"))?;
        }
        f.write_str(&self.service)
    }
}

/// One instance of a service. A change of any field is a change of the member.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instance {
    /// Which one.
    pub id: InstanceId,
    /// `Service.Service`, the name of the service.
    pub service: String,
    /// `Service.Address`, or `Node.Address` if that is empty. Never empty.
    pub address: String,
    /// `Service.Port`. 0 if it was registered without one.
    pub port: u16,
    /// `Service.Tags`.
    pub tags: Vec<String>,
    /// `Service.Meta`.
    pub meta: BTreeMap<String, String>,
    /// `Service.Weights`.
    pub weights: Weights,
    /// The worst status of its `Checks`.
    pub status: Status,
}

/// `Service.Weights`: the share of an instance. 1 and 1 if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weights {
    /// While all checks pass.
    pub passing: u32,
    /// While the worst is a warning.
    pub warning: u32,
}

/// The `Status` of a check. The later, the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// All is well; also when there are no checks, and for the services of an agent, whose list has none.
    Passing,
    /// It works, with something amiss.
    Warning,
    /// It does not work.
    Critical,
}

impl Instance {
    /// The weight that goes with its status: 0 if that is critical.
    pub fn weight(&self) -> u32 {
        match self.status {
            Status::Passing => self.weights.passing,
            Status::Warning => self.weights.warning,
            Status::Critical => 0,
        }
    }

    /// `address:port`, or only the address if there is no port. IPv6 addresses have brackets before a port.
    pub fn authority(&self) -> String {
        match self.port {
            0 => self.address.clone(),
            port if self.address.parse::<std::net::Ipv6Addr>().is_ok() => format!("[{}]:{port}", self.address),
            port => format!("{}:{port}", self.address),
        }
    }
}

impl Member for Instance {
    type Id = InstanceId;

    fn id(&self) -> &InstanceId {
        &self.id
    }
}

impl From<&Instance> for Backend {
    fn from(instance: &Instance) -> Self {
        Self::new(instance.id.to_string(), instance.authority())
    }
}
