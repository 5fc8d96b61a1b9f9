//! `kurabe doctor`: the machine, and the disk under the data folders.

use std::sync::atomic::AtomicBool;

use kurabe_harness::HarnessError;
use kurabe_machine::{DeviceFlushes, DeviceProbe, Machine, PowerVerdict};

use super::place::PlaceArgs;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    place: PlaceArgs,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let machine = Machine::read();
    let device = DeviceProbe::run(&args.place.dir(), &AtomicBool::new(false)).map_err(HarnessError::from)?;
    if args.json {
        let json = serde_json::json!({"machine": machine, "device": device, "power": device.power_verdict()});
        super::say_json(&json)?;
        return Ok(crate::status::GOOD);
    }
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<17}{value}\n");
    let mib = |bytes: Option<u64>| bytes.map_or("unknown".into(), |bytes| format!("{} MiB", bytes >> 20));
    line("processor", format!("{}, {} cores", machine.cpu_model.as_deref().unwrap_or("unknown"), machine.cores));
    if let Some(cores) = machine.affinity_cores.filter(|cores| *cores < machine.cores) {
        line("affinity", format!("{cores} of {} cores may be used (taskset)", machine.cores));
    }
    if let Some(quota) = machine.quota_words() {
        line(
            "cpu quota",
            format!(
                "{quota}: its control group stops every process when that is used up; raise cpu.max to measure stores"
            ),
        );
    }
    line("memory", mib(machine.memory_bytes));
    line("swap", format!("{} ({} used)", mib(machine.swap_bytes), mib(machine.swap_used_bytes)));
    line("kernel", format!("{} {}", machine.kernel_release, machine.architecture));
    machine.virtualisation.iter().for_each(|kind| line("virtual", kind.clone()));
    machine.cpu_governor.iter().for_each(|governor| line("governor", governor.clone()));
    machine.clock_source.iter().for_each(|source| line("clock source", source.clone()));
    machine.load_average_1min.iter().for_each(|load| line("load", load_words(*load, machine.cores)));
    line("data folder", args.place.dir().display().to_string());
    line("file system", format!("{} ({} MiB free)", device.file_system, device.free_bytes >> 20));
    let us = |ns: u64| ns as f64 / 1e3;
    line(
        "fdatasync",
        format!(
            "p50 {:.0} µs, p90 {:.0} µs, max {:.0} µs",
            us(device.fdatasync_ns_p50),
            us(device.fdatasync_ns_p90),
            us(device.fdatasync_ns_max)
        ),
    );
    let flushes = DeviceFlushes::of(&args.place.dir()).and_then(|flushes| flushes.count());
    line(
        "flushes",
        match flushes {
            Some(_) => "counted by the device, so commits are compared with them".into(),
            None => "not counted by this device, so commits are not compared with them".into(),
        },
    );
    line(
        "durability power",
        match device.power_verdict() {
            PowerVerdict::Plausible => "can be measured here".into(),
            PowerVerdict::Refused { reason } => format!("refused here: {reason}"),
        },
    );
    super::say(&super::folded(&text))?;
    Ok(crate::status::GOOD)
}

fn load_words(load: f64, cores: u32) -> String {
    /// Above this share of the cores other work would show in every figure.
    const BUSY: f64 = 0.25;
    if load > BUSY * f64::from(cores) {
        format!("{load:.2}: other work is running, figures will be noisy")
    } else {
        format!("{load:.2}")
    }
}
