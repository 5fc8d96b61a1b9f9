//! The share of the processors that control groups leave to this process, and how often they stopped it for that.
//!
//! Containers are limited like that. A process that has used its quota up stands still until the period ends, so a rate is
//! that of the quota, and latencies have its pauses in them. `cpu.max` and `cpu.stat` are those of cgroups(7) version 2,
//! `cpu.cfs_quota_us` those of version 1.

use std::fs;
use std::path::{Path, PathBuf};

/// How often a control group used its quota up, up to a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which it worked.
    pub periods: u64,
    /// Those of them in which it was stopped.
    pub throttled_periods: u64,
}

impl Throttling {
    /// Of the group that limits this process, now; `None` where none does.
    pub fn read() -> Option<Throttling> {
        let group = Group::tightest(&System)?;
        Throttling::parse(&System.text(&group.folder.join("cpu.stat"))?)
    }

    fn parse(stat: &str) -> Option<Throttling> {
        let number = |key: &str| {
            stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
        };
        Some(Throttling { periods: number("nr_periods")?, throttled_periods: number("nr_throttled")? })
    }

    /// What was counted since an `earlier` moment.
    pub fn since(&self, earlier: &Throttling) -> Throttling {
        Throttling {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self.throttled_periods.saturating_sub(earlier.throttled_periods),
        }
    }
}

/// Processor time a second that this process may use, in thousandths of a processor; `None` where nothing limits it.
pub(crate) fn quota_millis() -> Option<u32> {
    Group::tightest(&System).map(|group| group.millis)
}

/// Where texts of the system come from.
trait Texts {
    fn text(&self, path: &Path) -> Option<String>;
}

struct System;

impl Texts for System {
    fn text(&self, path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }
}

/// A control group with a quota.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    folder: PathBuf,
    millis: u32,
}

impl Group {
    /// Of the groups that hold this process, nested as they are, the one that leaves the least.
    fn tightest(system: &impl Texts) -> Option<Group> {
        let mounts = system.text(Path::new("/proc/self/mountinfo"))?;
        let groups = system.text(Path::new("/proc/self/cgroup"))?;
        let hierarchies = mounts.lines().filter_map(Hierarchy::parse);
        let folders = hierarchies.filter_map(|hierarchy| hierarchy.folders(&groups)).flatten();
        let limited = folders.filter_map(|folder| {
            let millis = quota_of(system, &folder)?;
            Some(Group { folder, millis })
        });
        limited.min_by_key(|group| group.millis)
    }
}

/// A mount that shows control groups which limit processors.
struct Hierarchy {
    root: PathBuf,
    point: PathBuf,
    is_v2: bool,
}

impl Hierarchy {
    /// Reads a line of /proc/self/mountinfo.
    fn parse(line: &str) -> Option<Hierarchy> {
        let (mount, of_system) = line.split_once(" - ")?;
        let mut columns = mount.split(' ').skip(3);
        let (root, point) = (columns.next()?.into(), columns.next()?.into());
        let mut of_system = of_system.split(' ');
        let is_v2 = match of_system.next()? {
            "cgroup2" => true,
            "cgroup" if of_system.nth(1)?.split(',').any(|option| option == "cpu") => false,
            _ => return None,
        };
        Some(Hierarchy { root, point, is_v2 })
    }

    /// The folder of this process's group and of those around it; `groups` is the text of /proc/self/cgroup.
    fn folders(&self, groups: &str) -> Option<Vec<PathBuf>> {
        let of_line = |line: &str| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            let is_meant = match self.is_v2 {
                true => controllers.is_empty(),
                false => controllers.split(',').any(|name| name == "cpu"),
            };
            is_meant.then(|| PathBuf::from(path))
        };
        let group = groups.lines().find_map(of_line)?;
        // In a container the mount may show less than the path tells.
        let below = group.strip_prefix(&self.root).unwrap_or(Path::new(""));
        // Without its parts put together again the last one would end in a slash.
        Some(below.ancestors().map(|below| self.point.join(below).components().collect()).collect())
    }
}

/// The quota of one group, in thousandths of a processor.
fn quota_of(system: &impl Texts, folder: &Path) -> Option<u32> {
    let number = |name: &str| system.text(&folder.join(name))?.trim().parse::<u64>().ok();
    let (quota_us, period_us) = match system.text(&folder.join("cpu.max")) {
        Some(text) => {
            let mut numbers = text.split_whitespace().map(str::parse::<u64>);
            (numbers.next()?.ok()?, numbers.next()?.ok()?)
        }
        // Without a quota it says -1, which is no such number.
        None => (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?),
    };
    u32::try_from(quota_us.saturating_mul(1000).checked_div(period_us)?).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct FakeFiles(BTreeMap<&'static str, &'static str>);

    impl Texts for FakeFiles {
        fn text(&self, path: &Path) -> Option<String> {
            self.0.get(path.to_str()?).map(|text| text.to_string())
        }
    }

    fn tightest(texts: &[(&'static str, &'static str)]) -> Option<(String, u32)> {
        let group = Group::tightest(&FakeFiles(texts.iter().copied().collect()))?;
        Some((group.folder.display().to_string(), group.millis))
    }

    const V1: [(&str, &str); 2] = [
        ("/proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"),
        ("/proc/self/cgroup", "4:memory:/other\n1:cpu,cpuacct:/outer/inner\n0::/\n"),
    ];
    const V2: [(&str, &str); 2] = [
        ("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"),
        ("/proc/self/cgroup", "0::/outer/inner\n"),
    ];

    #[test]
    fn the_tightest_of_nested_groups_counts_in_both_versions() {
        let inner = "/sys/fs/cgroup/cpu/outer/inner";
        let v1 = |more: &[(&'static str, &'static str)]| tightest(&[&V1, more].concat());
        let both = [
            ("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_quota_us", "150000\n"),
            ("/sys/fs/cgroup/cpu/outer/inner/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(v1(&both), Some((inner.into(), 1500)));
        let outer = [
            ("/sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu/outer/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(v1(&[both, outer].concat()), Some(("/sys/fs/cgroup/cpu/outer".into(), 500)));
        let v2 = |text: &'static str| tightest(&[&V2[..], &[("/sys/fs/cgroup/outer/cpu.max", text)]].concat());
        assert_eq!(v2("25000 100000\n"), Some(("/sys/fs/cgroup/outer".into(), 250)));
        assert_eq!(v2("max 100000\n"), None);
    }

    #[test]
    fn without_a_quota_there_is_no_such_group() {
        let none =
            [("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"), ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")];
        assert_eq!(tightest(&[&V1[..], &none].concat()), None);
        assert_eq!(tightest(&V1), None);
        assert_eq!(tightest(&[]), None);
    }

    #[test]
    fn a_container_that_shows_only_its_own_group_is_understood() {
        let texts = [
            ("/proc/self/mountinfo", "31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"),
            ("/proc/self/cgroup", "0::/\n"),
            ("/sys/fs/cgroup/cpu.max", "200000 100000\n"),
        ];
        assert_eq!(tightest(&texts), Some(("/sys/fs/cgroup".into(), 2000)));
    }

    #[test]
    fn periods_are_counted_since_a_moment() {
        let at = |text| Throttling::parse(text).expect("a cpu.stat");
        let before = at("nr_periods 10\nnr_throttled 2\nthrottled_time 77\n");
        let after = at("usage_usec 5\nnr_periods 30\nnr_throttled 12\nthrottled_usec 9\n");
        assert_eq!(after.since(&before), Throttling { periods: 20, throttled_periods: 10 });
        assert_eq!(Throttling::parse("usage_usec 5\n"), None);
    }
}
