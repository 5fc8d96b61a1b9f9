//! `kurabe doctor`: the machine, and the disk under the data folders.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use kurabe_harness::HarnessError;
use kurabe_machine::{DeviceFlushes, DeviceProbe, Machine, PowerVerdict};
use kurabe_messages::{Message, message};

use super::place::PlaceArgs;
use crate::fold;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    place: PlaceArgs,
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
    let text: String = lines(&machine, &device, &args.place.dir()).into_iter().map(line).collect();
    super::say(&super::folded(&text))?;
    Ok(crate::status::GOOD)
}

/// A label, and what belongs to it.
type Line = (Message, String);

/// Columns of the labels.
const LABELS: usize = 18;

fn line((label, value): Line) -> String {
    format!("{}{value}\n", fold::padded(&label.to_string(), LABELS))
}

fn lines(machine: &Machine, device: &DeviceProbe, dir: &Path) -> Vec<Line> {
    let size = |bytes: Option<u64>| match bytes {
        Some(bytes) => message!(doctor_size, size = bytes),
        None => message!(word_unknown),
    };
    let model = machine.cpu_model.clone().unwrap_or_else(|| message!(word_unknown).to_string());
    let cores = machine.cores;
    let mut lines = vec![(message!(word_processor), message!(doctor_processor, model, cores).to_string())];
    let mut add = |label: Message, value: String| lines.push((label, value));
    if let Some(usable) = machine.affinity_cores.filter(|usable| *usable < cores) {
        add(message!(doctor_label_affinity), message!(doctor_affinity, usable, cores).to_string());
    }
    if let Some(quota) = machine.quota_words() {
        add(message!(doctor_label_quota), message!(doctor_quota, quota).to_string());
    }
    let (all, used) = (size(machine.swap_bytes), size(machine.swap_used_bytes));
    add(message!(word_memory), size(machine.memory_bytes).to_string());
    add(message!(doctor_label_swap), message!(doctor_swap, all, used).to_string());
    add(message!(word_kernel), format!("{} {}", machine.kernel_release, machine.architecture));
    let known = [
        (message!(doctor_label_virtual), &machine.virtualisation),
        (message!(word_governor), &machine.cpu_governor),
        (message!(word_clock_source), &machine.clock_source),
    ];
    known.into_iter().for_each(|(label, value)| value.iter().for_each(|value| add(label.clone(), value.clone())));
    machine.load_average_1min.iter().for_each(|it| add(message!(doctor_label_load), load(*it, cores)));
    lines.extend(disk(device, dir));
    lines
}

fn disk(device: &DeviceProbe, dir: &Path) -> Vec<Line> {
    let system = message!(doctor_system, system = &device.file_system, free = device.free_bytes);
    let [median, slow, slowest] = [device.fdatasync_ns_p50, device.fdatasync_ns_p90, device.fdatasync_ns_max];
    let flushes = match DeviceFlushes::of(dir).and_then(|flushes| flushes.count()) {
        Some(_) => message!(doctor_flushes_counted),
        None => message!(doctor_flushes_uncounted),
    };
    let power = match device.power_verdict() {
        PowerVerdict::Plausible => message!(doctor_power_measurable),
        PowerVerdict::Refused { reason } => message!(doctor_power_refused, reason),
    };
    vec![
        (message!(doctor_label_folder), dir.display().to_string()),
        (message!(word_file_system), system.to_string()),
        (message!(doctor_label_sync), message!(doctor_sync, median, slow, slowest).to_string()),
        (message!(doctor_label_flushes), flushes.to_string()),
        (message!(doctor_label_power), power.to_string()),
    ]
}

fn load(load: f64, cores: u32) -> String {
    /// Above this share of the cores other work would show in every figure.
    const BUSY: f64 = 0.25;
    let is_busy = load > BUSY * f64::from(cores);
    let load = format!("{load:.2}");
    if is_busy { message!(doctor_busy, load).to_string() } else { load }
}
