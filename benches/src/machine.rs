//! Where, when and how: `machine.json`, without which a number means nothing. What a system does not tell is `null`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::window::Cores;

/// What is known about a run apart from its samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The command that measures the same again.
    pub command: String,
    /// When it began.
    pub started: String,
    /// When it ended; `null` in a run that was broken off.
    pub finished: Option<String>,
    /// How long a window is, in milliseconds.
    pub window_ms: u64,
    /// How many rounds were measured.
    pub rounds: usize,
    /// Whether threads could be pinned to cores.
    pub pinned: bool,
    /// The processor's name.
    pub cpu: Option<String>,
    /// Its family, model and stepping: hypervisors tend to hide the name.
    pub cpu_model: Option<String>,
    /// How many cores this process may use.
    pub cores: usize,
    /// Which of them share a physical core with the first one.
    pub siblings_of_first_core: Option<String>,
    /// Sizes by level and kind.
    pub caches: BTreeMap<String, String>,
    /// The frequency governor.
    pub governor: Option<String>,
    /// Hints that the machine is a virtual one.
    pub virtualisation: Option<String>,
    /// The operating system.
    pub kernel: Option<String>,
    /// The load average before: not zero, if somebody else was busy.
    pub load_before: Option<String>,
    /// The load average after.
    pub load_after: Option<String>,
    /// Hundredths of a second, over all cores, that a hypervisor gave to others meanwhile. No thread can notice that.
    pub stolen_cs: Option<u64>,
    /// The compiler.
    pub rustc: String,
    /// What it was told.
    pub build: BTreeMap<String, String>,
    /// The commit that was measured.
    pub commit: Option<String>,
    /// Whether there were uncommitted changes, apart from recorded runs.
    pub dirty: Option<bool>,
    /// Versions of what the registries and their rivals are made of.
    pub dependencies: BTreeMap<String, Option<String>>,
    #[serde(skip)]
    stolen_before: Option<u64>,
}

/// What has a version that matters.
const DEPENDENCIES: &[&str] = &[
    "arc-swap",
    "crossbeam-epoch",
    "dashmap",
    "haphazard",
    "hazarc",
    "hashbrown",
    "left-right",
    "parking_lot",
    "rcu_cell",
    "scc",
    "seize",
];

/// What this very binary was built with.
const LOCK: &str = include_str!("../../Cargo.lock");

impl Machine {
    /// This machine, now.
    pub fn describe(bench: &str, cores: &Cores, window: Duration) -> Self {
        let git = |arguments: &[&str]| output(Command::new("git").current_dir(root()).args(arguments));
        Self {
            command: command(bench, std::env::args().skip(1)),
            started: now(),
            finished: None,
            window_ms: window.as_millis() as u64,
            rounds: 0,
            pinned: can_pin(cores),
            cpu: cpu_info("model name"),
            cpu_model: cpu_model(),
            cores: cores.count(),
            siblings_of_first_core: read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            virtualisation: virtualisation(),
            kernel: kernel(),
            load_before: read("/proc/loadavg"),
            load_after: None,
            stolen_cs: None,
            stolen_before: stolen(),
            rustc: env!("BUILT_BY").to_owned(),
            build: BTreeMap::from([
                ("target", env!("BUILT_TARGET")),
                ("profile", env!("BUILT_PROFILE")),
                ("opt-level", env!("BUILT_OPT_LEVEL")),
                ("debug", env!("BUILT_DEBUG")),
                ("rustflags", env!("BUILT_RUSTFLAGS")),
            ])
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
            commit: git(&["rev-parse", "HEAD"]),
            dirty: git(&["status", "--porcelain", "--", ".", ":!results"]).map(|changes| !changes.is_empty()),
            dependencies: DEPENDENCIES.iter().map(|name| (name.to_string(), version(name))).collect(),
        }
    }

    /// The run is over.
    pub fn finish(&mut self, rounds: usize) {
        self.rounds = rounds;
        self.finished = Some(now());
        self.load_after = read("/proc/loadavg");
        self.stolen_cs = stolen().zip(self.stolen_before).map(|(now, before)| now.saturating_sub(before));
    }
}

/// The workspace: what relative paths refer to, since cargo starts a benchmark in its package's folder.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.and_then(|package| package.parent().map(Path::to_owned)).unwrap_or_else(|| PathBuf::from("."))
}

/// Tried on a thread of its own: this one stays free.
fn can_pin(cores: &Cores) -> bool {
    std::thread::scope(|scope| scope.spawn(|| cores.pin(0)).join().unwrap_or(false))
}

fn command(bench: &str, arguments: impl Iterator<Item = String>) -> String {
    let mut command = format!("cargo bench -p snapring-benches --bench {bench} --");
    for argument in arguments.filter(|argument| argument != "--bench") {
        command.push(' ');
        command.push_str(&argument);
    }
    command
}

/// The time, as it is recorded.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn cpu_info(field: &str) -> Option<String> {
    let info = read("/proc/cpuinfo")?;
    let value = info.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() == field)?.1;
    Some(value.trim().to_owned())
}

fn cpu_model() -> Option<String> {
    let field = |name| cpu_info(name).map(|value| format!("{name} {value}"));
    let parts: Vec<_> = ["cpu family", "model", "stepping"].into_iter().filter_map(field).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn stolen() -> Option<u64> {
    read("/proc/stat")?.lines().next()?.split_whitespace().nth(8)?.parse().ok()
}

fn caches(folder: &Path) -> BTreeMap<String, String> {
    let cache = |index: PathBuf| {
        let (level, kind) = (read(index.join("level"))?, read(index.join("type"))?);
        Some((format!("L{level} {kind}"), read(index.join("size"))?))
    };
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| cache(entry.path())).collect()
}

fn virtualisation() -> Option<String> {
    let vendor = ["sys_vendor", "product_name"].map(|file| read(Path::new("/sys/class/dmi/id").join(file)));
    let flag = cpu_info("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let flag = flag.then(|| "the processor reports a hypervisor".to_owned());
    let hints: Vec<_> = vendor.into_iter().chain([flag]).flatten().collect();
    (!hints.is_empty()).then(|| hints.join(", "))
}

#[cfg(unix)]
fn kernel() -> Option<String> {
    let name = rustix::system::uname();
    let parts = [name.sysname(), name.release(), name.version(), name.machine()];
    Some(parts.map(|part| part.to_string_lossy().into_owned()).join(" "))
}

#[cfg(not(unix))]
fn kernel() -> Option<String> {
    Some(std::env::consts::OS.to_owned())
}

/// The version of a package that this workspace is locked to; all of them, if there are several.
pub fn version(name: &str) -> Option<String> {
    locked(LOCK, name)
}

/// The version of a package in a lock file; all of them, if there are several.
fn locked(lock: &str, name: &str) -> Option<String> {
    let head = format!("name = \"{name}\"\nversion = \"");
    let versions: Vec<_> = lock.split(&head).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    (!versions.is_empty()).then(|| versions.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_a_lock_file() {
        let lock =
            "[[package]]\nname = \"a-b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        assert_eq!(locked(lock, "a").as_deref(), Some("2.0.0"));
        assert_eq!(locked(lock, "b"), None);
        let twice = format!("{lock}\n[[package]]\nname = \"a\"\nversion = \"3.0.0\"\n");
        assert_eq!(locked(&twice, "a").as_deref(), Some("2.0.0 and 3.0.0"));
        assert!(locked(LOCK, "arc-swap").is_some());
        assert!(locked(LOCK, "crossbeam-epoch").is_some());
    }

    #[test]
    fn the_build_is_known() {
        let machine = Machine::describe("next", &Cores::available(), Duration::from_millis(40));
        assert!(machine.command.starts_with("cargo bench -p snapring-benches --bench next --"));
        assert!(machine.rustc.starts_with("rustc "), "{}", machine.rustc);
        assert!(machine.build.values().filter(|value| !value.is_empty()).count() >= 4, "{:?}", machine.build);
    }
}
