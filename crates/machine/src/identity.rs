//! Whether two looks were at the same machine and the same disk: figures of two sessions stand in one table only then.

use std::fmt::Display;

use kurabe_messages::{Message, message};

use crate::{DeviceProbe, Machine};

/// Main memory that a kernel keeps for itself differs from start to start: less than this share is no difference.
const MEMORY_SHARE: u64 = 16;

impl Machine {
    /// What makes `now` another machine for measuring.
    ///
    /// Load, memory in use and swap are left out: they change from hour to hour, and the canaries tell of it.
    pub fn differences(&self, now: &Machine) -> Vec<Message> {
        let memory = match (self.memory_bytes, now.memory_bytes) {
            (Some(before), Some(after)) if before.abs_diff(after) > before.max(after) / MEMORY_SHARE => {
                Some(message!(machine_memory_changed, before, now = after))
            }
            _ => None,
        };
        let quotas = (self.quota_words(), now.quota_words());
        let quota = (quotas.0 != quotas.1).then(|| message!(machine_quota_changed, before = quotas.0, now = quotas.1));
        let pairs = [
            changed("processor", &self.cpu_model, &now.cpu_model),
            changed("architecture", &Some(&self.architecture), &Some(&now.architecture)),
            changed("processors", &Some(self.cores), &Some(now.cores)),
            changed("usable", &Some(self.usable_cores), &Some(now.usable_cores)),
            changed("affinity", &self.affinity_cores, &now.affinity_cores),
            quota,
            memory,
            changed("kernel", &Some(&self.kernel_release), &Some(&now.kernel_release)),
            changed("hypervisor", &self.virtualisation, &now.virtualisation),
            changed("governor", &self.cpu_governor, &now.cpu_governor),
            changed("clock", &self.clock_source, &now.clock_source),
        ];
        pairs.into_iter().flatten().collect()
    }
}

impl DeviceProbe {
    /// What makes `now` another place for data. Times and free space are left out.
    pub fn differences(&self, now: &DeviceProbe) -> Vec<Message> {
        let place = |probe: &DeviceProbe| match &probe.block_device {
            Some(device) => message!(device_place_on, file_system = &probe.file_system, device),
            None => message!(device_place, file_system = &probe.file_system),
        };
        // Kernels may name the same disk anew with every start; so its name counts only where nothing better is known.
        let is_other = match (&self.file_system_id, &now.file_system_id) {
            (Some(before), Some(after)) => before != after,
            _ => matches!((&self.block_device, &now.block_device), (Some(before), Some(after)) if before != after),
        };
        let told = |before: Message, now: Message| match before == now {
            true => message!(device_replaced, place = now),
            false => message!(device_moved, before, now),
        };
        let file_system = (self.file_system != now.file_system || is_other).then(|| told(place(self), place(now)));
        let options = |probe: &DeviceProbe| probe.mount_options.join(",");
        let mount = changed("mount", &Some(options(self)), &Some(options(now)));
        file_system.into_iter().chain(mount).collect()
    }
}

/// Both values, where they differ; nothing also where one of them is not known. `fact` is a word that the message knows.
fn changed<T: PartialEq + Display>(fact: &str, before: &Option<T>, now: &Option<T>) -> Option<Message> {
    let (before, now) = (before.as_ref()?, now.as_ref()?);
    (before != now).then(|| message!(machine_changed, fact, before, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(differences: Vec<Message>) -> Vec<String> {
        differences.iter().map(Message::to_string).collect()
    }

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
        assert_eq!(machine().differences(&later), []);
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
            "the processor was 'AMD EPYC' and is now 'Intel Xeon'",
            "the number of processors was '8' and is now '4'",
            "the number of usable processors was '8' and is now '2'",
            "the main memory was 16.0 GiB and is now 8.00 GiB",
            "the kernel was '6.1.0' and is now '6.12.0'",
            "the frequency governor was 'performance' and is now 'powersave'",
            "the clock source was 'tsc' and is now 'hpet'",
        ];
        assert_eq!(texts(machine().differences(&other)), expected);
    }

    #[test]
    fn another_file_system_is_named_and_times_do_not_matter() {
        let disk = device("ext4/ext2/ext3", Some("sda1"), Some("a1"));
        let later = DeviceProbe { free_bytes: 1, fdatasync_ns_p50: 9, ..disk.clone() };
        assert_eq!(disk.differences(&later), []);
        let memory = device("tmpfs", None, None);
        assert_eq!(texts(disk.differences(&memory)), ["the file system was ext4/ext2/ext3 on 'sda1' and is now tmpfs"]);
        assert_eq!(memory.differences(&memory.clone()), [], "all memory is alike");
    }

    #[test]
    fn two_disks_of_one_kind_are_told_apart_and_one_under_two_names_is_not() {
        let disk = device("xfs", Some("sda1"), Some("a1"));
        let other = device("xfs", Some("sdb1"), Some("b2"));
        assert_eq!(texts(disk.differences(&other)), ["the file system was xfs on 'sda1' and is now xfs on 'sdb1'"]);
        let twin = device("xfs", Some("sda1"), Some("b2"));
        assert_eq!(
            texts(disk.differences(&twin)),
            ["the file system was xfs on 'sda1' and is now another xfs on 'sda1'"]
        );
        assert_eq!(disk.differences(&device("xfs", Some("sdb1"), Some("a1"))), []);
        assert_eq!(
            device("xfs", Some("sda1"), None).differences(&other).len(),
            1,
            "by name where nothing else is known"
        );
        assert_eq!(device("xfs", None, None).differences(&other), [], "a record of an earlier version");
    }

    #[test]
    fn other_options_of_a_mount_are_told() {
        let disk = device("xfs", Some("sda1"), Some("a1"));
        let other = DeviceProbe { mount_options: vec!["nobarrier".into()], ..disk.clone() };
        assert_eq!(texts(disk.differences(&other)), ["the list of mount options was '' and is now 'nobarrier'"]);
    }
}
