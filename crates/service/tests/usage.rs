//! Processor time of a tree in which processes end while it is looked at.

use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kurabe_service::{TreeUsage, ended_children_cpu_ns, usage};

/// Burns some 30 ms.
const BURN: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";
const BURSTS: usize = 6;
/// Processor time of children stands in ticks of 10 ms, one of user and one of system time.
const TICKS_NS: u64 = 20_000_000;

/// Lets children burn time that end at once and are waited for a while later, one by one, as a server does whose clients leave.
fn burst() {
    let start = || Command::new("/bin/sh").args(["-c", BURN]).spawn().unwrap();
    let children: Vec<Child> = (0..8).map(|_| start()).collect();
    for mut child in children {
        thread::sleep(Duration::from_millis(20));
        child.wait().unwrap();
    }
}

fn look() -> TreeUsage {
    usage(std::process::id()).unwrap()
}

#[test]
fn a_child_that_ends_while_its_tree_is_read_is_neither_lost_nor_counted_twice() {
    let (first, start) = (look(), ended_children_cpu_ns());
    let done = AtomicBool::new(false);
    let looks: Vec<TreeUsage> = thread::scope(|scope| {
        scope.spawn(|| {
            (0..BURSTS).for_each(|_| burst());
            done.store(true, Ordering::Relaxed);
        });
        let looks = std::iter::repeat_with(look);
        looks.take_while(|_| !done.load(Ordering::Relaxed)).collect()
    });
    let last = look();
    let known: Vec<&TreeUsage> = looks.iter().filter(|look| look.cpu_ns.is_some()).collect();
    assert!(known.len() > looks.len() / 2, "{} of {} looks", known.len(), looks.len());
    for pair in known.windows(2) {
        let [earlier, later] = [pair[0].cpu_ns.unwrap(), pair[1].cpu_ns.unwrap()];
        assert!(later + TICKS_NS >= earlier, "{later} after {earlier}");
        assert!(pair[1].since(pair[0]).cpu_ns.is_some(), "{pair:?}");
    }
    // What the kernel counted of children that ended, and this process's own work beside it.
    let end = ended_children_cpu_ns();
    let burnt = end.0 + end.1 - start.0 - start.1;
    let seen = last.since(&first).cpu_ns.unwrap();
    assert!(seen + TICKS_NS >= burnt, "{seen} of {burnt}");
    assert!(looks.iter().all(|look| look.cpu_ns <= last.cpu_ns.map(|sum| sum + TICKS_NS)), "{looks:?}");
}
