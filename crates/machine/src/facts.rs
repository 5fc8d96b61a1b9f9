use std::fs;

use kurabe_messages::{Message, message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quota::quota_millis;

/// The machine as it was at one moment. What the system does not tell is `None`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
pub struct Machine {
    /// The processor's name, as in "AMD EPYC".
    pub cpu_model: Option<String>,
    /// Logical processors that are online.
    pub cores: u32,
    /// Logical processors that this process may use (affinity and cgroup quota taken into account).
    pub usable_cores: u32,
    /// Logical processors that its affinity leaves to this process, as `taskset` sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity_cores: Option<u32>,
    /// Processor time a second that control groups leave to this process, in thousandths of a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_quota_millis: Option<u32>,
    /// Main memory.
    pub memory_bytes: Option<u64>,
    /// Swap space, used or not.
    pub swap_bytes: Option<u64>,
    /// Swap space in use at the time of reading.
    pub swap_used_bytes: Option<u64>,
    /// The kernel's release, as in "6.1.0-18-amd64".
    pub kernel_release: String,
    /// The kernel's name of the architecture, as in "x86_64".
    pub architecture: String,
    /// The hypervisor, where one is told; `None` also where nothing is known.
    pub virtualisation: Option<String>,
    /// The frequency governor of the first processor.
    pub cpu_governor: Option<String>,
    /// What the kernel reads the time from, as in "tsc": it decides how clients take their stamps.
    pub clock_source: Option<String>,
    /// Mean number of runnable tasks over the last minute, at the time of reading.
    pub load_average_1min: Option<f64>,
}

impl Machine {
    /// The quota of its control groups in processors, as in "0.5 processors".
    pub fn quota_words(&self) -> Option<Message> {
        Some(match self.cpu_quota_millis? {
            1_000 => message!(machine_quota_one),
            millis => message!(machine_quota, quota = f64::from(millis) / 1000.0),
        })
    }

    /// Reads the machine's facts from the kernel; never fails, what is missing stays `None`.
    pub fn read() -> Machine {
        let cpuinfo = read_text("/proc/cpuinfo").unwrap_or_default();
        let meminfo = read_text("/proc/meminfo").unwrap_or_default();
        let uname = rustix::system::uname();
        let usable_cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let swap_bytes = meminfo_bytes(&meminfo, "SwapTotal");
        Machine {
            cpu_model: cpu_model(&cpuinfo),
            cores: online_cores().unwrap_or(usable_cores),
            usable_cores,
            affinity_cores: affinity_cores(),
            cpu_quota_millis: quota_millis(),
            memory_bytes: meminfo_bytes(&meminfo, "MemTotal"),
            swap_bytes,
            swap_used_bytes: swap_bytes
                .zip(meminfo_bytes(&meminfo, "SwapFree"))
                .map(|(total, free)| total.saturating_sub(free)),
            kernel_release: uname.release().to_string_lossy().into_owned(),
            architecture: uname.machine().to_string_lossy().into_owned(),
            virtualisation: virtualisation(&cpuinfo),
            cpu_governor: read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            clock_source: read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            load_average_1min: read_text("/proc/loadavg").and_then(|text| text.split_whitespace().next()?.parse().ok()),
        }
    }
}

/// The file's text without surrounding white space; `None` where it is missing or empty.
fn read_text(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn online_cores() -> Option<u32> {
    // SAFETY: sysconf takes no pointer and only reads.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u32::try_from(count).ok().filter(|count| *count > 0)
}

fn affinity_cores() -> Option<u32> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    Some(set.count()).filter(|count| *count > 0)
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value.trim())
    })
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    // x86 says "model name", other architectures "Model", "cpu" or "uarch".
    ["model name", "Model", "cpu", "uarch"]
        .iter()
        .find_map(|key| field(cpuinfo, key))
        .filter(|model| !model.is_empty())
        .map(str::to_owned)
}

fn meminfo_bytes(meminfo: &str, key: &str) -> Option<u64> {
    let kib: u64 = field(meminfo, key)?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn virtualisation(cpuinfo: &str) -> Option<String> {
    if let Some(kind) = read_text("/sys/hypervisor/type") {
        return Some(kind);
    }
    let is_guest =
        field(cpuinfo, "flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    if !is_guest {
        return None;
    }
    let vendor = read_text("/sys/class/dmi/id/sys_vendor");
    Some(vendor.map_or_else(|| "hypervisor".to_owned(), |vendor| format!("hypervisor ({vendor})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processors_name_is_read_on_x86_and_elsewhere() {
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC\n").as_deref(), Some("AMD EPYC"));
        assert_eq!(cpu_model("processor : 0\nModel : Raspberry Pi 4\n").as_deref(), Some("Raspberry Pi 4"));
        assert_eq!(cpu_model("processor : 0\n"), None);
    }

    #[test]
    fn meminfo_is_given_in_bytes() {
        let text = "MemTotal:       24684096 kB\nSwapTotal:             0 kB\n";
        assert_eq!(meminfo_bytes(text, "MemTotal"), Some(24_684_096 * 1024));
        assert_eq!(meminfo_bytes(text, "SwapTotal"), Some(0));
        assert_eq!(meminfo_bytes(text, "SwapFree"), None);
    }

    #[test]
    fn a_guest_is_told_by_its_processor_flag() {
        assert!(virtualisation("flags : fpu hypervisor sse\n").is_some());
    }

    #[test]
    fn this_machine_has_a_kernel_a_core_and_memory() {
        let machine = Machine::read();
        assert!(machine.cores >= 1 && machine.usable_cores >= 1);
        assert!(machine.affinity_cores.is_some_and(|cores| cores >= 1 && cores <= machine.cores));
        assert!(!machine.kernel_release.is_empty());
        assert_eq!(machine.architecture, std::env::consts::ARCH);
        assert!(machine.memory_bytes.is_some_and(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn facts_survive_json_and_name_no_host() {
        let machine = Machine::read();
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
        for forbidden in ["\"host", "nodename", "hostname"] {
            assert!(!text.contains(forbidden), "'{forbidden}' in {text}");
        }
    }
}
