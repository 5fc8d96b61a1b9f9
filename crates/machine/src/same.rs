//! Whether two looks were at the same machine and the same disk: figures of two sittings stand in one table only then.

use std::fmt::Display;

use crate::{DeviceProbe, Machine};

/// Main memory that a kernel keeps for itself differs from start to start: less than this share is no difference.
const MEMORY_SHARE: u64 = 16;

impl Machine {
    /// What makes `now` another machine for measuring, each in words as in "the kernel was '6.1.0', is '6.12.0'".
    ///
    /// Load, memory in use and swap are left out: they change from hour to hour, and the canaries tell of it.
    pub fn differences(&self, now: &Machine) -> Vec<String> {
        let mib = |machine: &Machine| machine.memory_bytes.map(|bytes| format!("{} MiB", bytes >> 20));
        let memory = match (self.memory_bytes, now.memory_bytes) {
            (Some(before), Some(after)) if before.abs_diff(after) > before.max(after) / MEMORY_SHARE => {
                told("the main memory", &mib(self), &mib(now))
            }
            _ => None,
        };
        let quota = |machine: &Machine| Some(machine.quota_words().unwrap_or_else(|| "none".into()));
        let quota = told("the CPU quota", &quota(self), &quota(now));
        let pairs = [
            told("the processor", &self.cpu_model, &now.cpu_model),
            told("the architecture", &Some(&self.architecture), &Some(&now.architecture)),
            told("the number of processors", &Some(self.cores), &Some(now.cores)),
            told("the number of processors that may be used", &Some(self.usable_cores), &Some(now.usable_cores)),
            told("the number of processors by affinity", &self.affinity_cores, &now.affinity_cores),
            quota,
            memory,
            told("the kernel", &Some(&self.kernel_release), &Some(&now.kernel_release)),
            told("the hypervisor", &self.virtualisation, &now.virtualisation),
            told("the processor's governor", &self.cpu_governor, &now.cpu_governor),
            told("the clock source", &self.clock_source, &now.clock_source),
        ];
        pairs.into_iter().flatten().collect()
    }
}

impl DeviceProbe {
    /// What makes `now` another place for data, in words as in "the file system was ext4 on 'sda1', is tmpfs". Times and
    /// free space are left out.
    pub fn differences(&self, now: &DeviceProbe) -> Vec<String> {
        let place = |probe: &DeviceProbe| match &probe.block_device {
            Some(device) => format!("{} on '{device}'", probe.file_system),
            None => probe.file_system.clone(),
        };
        // Kernels may name the same disk anew with every start; so its name counts only where nothing better is known.
        let is_other = match (&self.file_system_id, &now.file_system_id) {
            (Some(before), Some(after)) => before != after,
            _ => matches!((&self.block_device, &now.block_device), (Some(before), Some(after)) if before != after),
        };
        let other = if place(self) == place(now) { "another " } else { "" };
        let file_system = (self.file_system != now.file_system || is_other)
            .then(|| format!("the file system was {}, is {other}{}", place(self), place(now)));
        let options = |probe: &DeviceProbe| probe.mount_options.join(",");
        let mount = told("the list of mount options", &Some(options(self)), &Some(options(now)));
        file_system.into_iter().chain(mount).collect()
    }
}

/// Both values, where they differ; nothing also where one of them is not known.
fn told<T: PartialEq + Display>(what: &str, before: &Option<T>, now: &Option<T>) -> Option<String> {
    let (before, now) = (before.as_ref()?, now.as_ref()?);
    (before != now).then(|| format!("{what} was '{before}', is '{now}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine {
            cpu_model: Some("AMD EPYC".into()),
            cores: 8,
            usable_cores: 8,
            affinity_cores: Some(8),
            cpu_quota_millis: None,
            memory_bytes: Some(16 << 30),
            swap_bytes: Some(0),
            swap_used_bytes: Some(0),
            kernel_release: "6.1.0".into(),
            architecture: "x86_64".into(),
            virtualisation: None,
            cpu_governor: Some("performance".into()),
            clock_source: Some("tsc".into()),
            load_average_1min: Some(0.1),
        }
    }

    fn device(file_system: &str, block_device: Option<&str>, id: Option<&str>) -> DeviceProbe {
        DeviceProbe {
            file_system: file_system.into(),
            mount_options: Vec::new(),
            block_device: block_device.map(str::to_owned),
            file_system_id: id.map(str::to_owned),
            free_bytes: 1 << 30,
            fdatasync_ns_p50: 80_000,
            fdatasync_ns_p90: 90_000,
            fdatasync_ns_max: 100_000,
            fdatasync_ns_samples: vec![80_000],
        }
    }

    #[test]
    fn what_changes_from_hour_to_hour_makes_no_other_machine() {
        let later = Machine {
            swap_bytes: Some(1 << 30),
            swap_used_bytes: Some(1 << 20),
            memory_bytes: Some((16 << 30) - (200 << 20)),
            load_average_1min: Some(9.0),
            virtualisation: Some("hypervisor".into()),
            ..machine()
        };
        assert_eq!(machine().differences(&later), [""; 0]);
    }

    #[test]
    fn each_fact_of_another_machine_is_named_with_both_values() {
        let other = Machine {
            cpu_model: Some("Intel Xeon".into()),
            cores: 4,
            usable_cores: 2,
            memory_bytes: Some(8 << 30),
            kernel_release: "6.12.0".into(),
            cpu_governor: Some("powersave".into()),
            clock_source: Some("hpet".into()),
            ..machine()
        };
        let expected = [
            "the processor was 'AMD EPYC', is 'Intel Xeon'",
            "the number of processors was '8', is '4'",
            "the number of processors that may be used was '8', is '2'",
            "the main memory was '16384 MiB', is '8192 MiB'",
            "the kernel was '6.1.0', is '6.12.0'",
            "the processor's governor was 'performance', is 'powersave'",
            "the clock source was 'tsc', is 'hpet'",
        ];
        assert_eq!(machine().differences(&other), expected);
    }

    #[test]
    fn another_file_system_is_named_and_times_do_not_matter() {
        let disk = device("ext4/ext2/ext3", Some("sda1"), Some("a1"));
        let later = DeviceProbe { free_bytes: 1, fdatasync_ns_p50: 9, ..disk.clone() };
        assert_eq!(disk.differences(&later), [""; 0]);
        let memory = device("tmpfs", None, None);
        assert_eq!(disk.differences(&memory), ["the file system was ext4/ext2/ext3 on 'sda1', is tmpfs"]);
        assert_eq!(memory.differences(&memory.clone()), [""; 0], "all memory is alike");
    }

    #[test]
    fn two_disks_of_one_kind_are_told_apart_and_one_under_two_names_is_not() {
        let disk = device("xfs", Some("sda1"), Some("a1"));
        let other = device("xfs", Some("sdb1"), Some("b2"));
        assert_eq!(disk.differences(&other), ["the file system was xfs on 'sda1', is xfs on 'sdb1'"]);
        let twin = device("xfs", Some("sda1"), Some("b2"));
        assert_eq!(disk.differences(&twin), ["the file system was xfs on 'sda1', is another xfs on 'sda1'"]);
        assert_eq!(disk.differences(&device("xfs", Some("sdb1"), Some("a1"))), [""; 0]);
        assert_eq!(
            device("xfs", Some("sda1"), None).differences(&other).len(),
            1,
            "by name where nothing else is known"
        );
        assert_eq!(device("xfs", None, None).differences(&other), [""; 0], "a record of an earlier version");
    }

    #[test]
    fn other_options_of_a_mount_are_told() {
        let disk = device("xfs", Some("sda1"), Some("a1"));
        let other = DeviceProbe { mount_options: vec!["nobarrier".into()], ..disk.clone() };
        assert_eq!(disk.differences(&other), ["the list of mount options was '', is 'nobarrier'"]);
    }
}
