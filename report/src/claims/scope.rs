//! Where a claim applies.

use serde::Deserialize;
use snapring_benches::machine::Machine;

/// What a machine must be like. What is not said does not matter.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// At least so many cores.
    pub min_cores: Option<usize>,
    /// At most so many cores.
    pub max_cores: Option<usize>,
    /// In the processor's name.
    pub cpu: Option<String>,
    /// In the name of what it was compiled for.
    pub target: Option<String>,
    /// The recorded run that it is about; the newest of each machine that fits, if none is named.
    pub run: Option<String>,
}

impl Scope {
    /// What is not as it must be on this machine; nothing, if the claim applies there.
    pub fn misses(&self, machine: &Machine) -> Vec<String> {
        let mut misses = Vec::new();
        let cores = machine.cores;
        if self.min_cores.is_some_and(|min| cores < min) || self.max_cores.is_some_and(|max| cores > max) {
            misses.push(format!("{cores} cores"));
        }
        let cpu = machine.cpu.as_deref().unwrap_or("an unknown processor");
        if self.cpu.as_deref().is_some_and(|wanted| !cpu.contains(wanted)) {
            misses.push(cpu.to_owned());
        }
        let target = machine.build.get("target").map_or("an unknown target", String::as_str);
        if self.target.as_deref().is_some_and(|wanted| !target.contains(wanted)) {
            misses.push(target.to_owned());
        }
        misses
    }

    /// In words.
    pub fn words(&self) -> String {
        let cores = match (self.min_cores, self.max_cores) {
            (Some(min), Some(max)) if min == max => Some(format!("{min} cores")),
            (Some(min), Some(max)) => Some(format!("{min} to {max} cores")),
            (Some(min), None) => Some(format!("{min} or more cores")),
            (None, Some(max)) => Some(format!("up to {max} cores")),
            (None, None) => None,
        };
        let run = self.run.as_ref().map(|run| format!("the run {run}"));
        let parts: Vec<_> = [cores, self.cpu.clone(), self.target.clone(), run].into_iter().flatten().collect();
        if parts.is_empty() { "any machine".into() } else { parts.join(", ") }
    }
}
