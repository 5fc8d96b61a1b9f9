//! Records are passed on, so any number may stand in one: what is read is shown or refused in words, and never panics.

#[path = "../../analysis/tests/all/common/mod.rs"]
mod common;

use std::path::Path;

use kurabe_analysis::{Side, answer, compare};
use kurabe_messages::Language;
use kurabe_record::Loaded;
use kurabe_report::{
    ClaimsShown, Colour, Detail, TerminalStyle, comparison, comparison_html, csv, html, markdown, terminal,
};
use serde_json::{Value, json};

/// What stands in the place of a number.
const EXTREMES: [u64; 5] = [0, 1, u32::MAX as u64, (1 << 53) + 1, u64::MAX];

/// The paths of all numbers, each list by its first entry.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_string()),
        Value::Array(list) => list.iter().take(1).for_each(|one| numbers(one, &format!("{path}/0"), found)),
        Value::Object(map) => map.iter().for_each(|(key, one)| numbers(one, &format!("{path}/{key}"), found)),
        _ => {}
    }
}

/// Numbers that look random, and are the same in every run of the test.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

/// The sample as JSON: the record of the run, and its jobs.
fn sample() -> (Value, Value) {
    let (run, jobs, _) = common::sample::sample();
    (serde_json::to_value(run).unwrap(), serde_json::to_value(jobs).unwrap())
}

/// CRC-32 of IEEE 802.3, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// A job as a line of `jobs.jsonl`, with the right checksum.
fn line(job: &Value) -> String {
    let entry = json!({ "job": job }).to_string();
    format!("{{\"crc32\":\"{:08x}\",\"entry\":{entry}}}\n", crc32(entry.as_bytes()))
}

/// Reads a record and shows it in every way there is; tells whether it could be read.
fn show(folder: &Path) -> bool {
    let Ok(loaded) = Loaded::read(folder) else { return false };
    let said = answer(&loaded);
    let (run, jobs) = (&loaded.run, &loaded.jobs[..]);
    let style = |detail, language| TerminalStyle {
        width: 80,
        colour: Colour::Plain,
        detail,
        run_folder: String::new(),
        claims: ClaimsShown::OfOwnStores,
        language,
    };
    for language in Language::ALL {
        for detail in [Detail::Short, Detail::Full] {
            terminal(&said, run, &style(detail, language));
            markdown(&said, run, jobs, (language, detail));
        }
        html(&said, run, jobs, language).unwrap();
    }
    csv(&said).unwrap();
    serde_json::to_string(&said).unwrap();
    let side = || Side { name: String::new(), run, jobs, answer: &said };
    let compared = compare(&[side(), side()]);
    comparison(&compared, &style(Detail::Full, Language::English));
    comparison_html(&compared, &[side(), side()], Language::Japanese).unwrap();
    true
}

#[test]
fn no_number_in_a_record_makes_it_panic() {
    let folder = tempfile::tempdir().unwrap();
    let (run, jobs) = sample();
    let [mut of_run, mut of_jobs] = [Vec::new(), Vec::new()];
    numbers(&run, "", &mut of_run);
    // Phases differ in what they have.
    numbers(&jobs, "", &mut of_jobs);
    for phase in 1..jobs[0]["phases"].as_array().unwrap().len() {
        numbers(&jobs[0]["phases"][phase], &format!("/0/phases/{phase}"), &mut of_jobs);
    }
    let mut chance = Chance(7);
    let all = of_run.len() + of_jobs.len();
    let lines: Vec<String> = jobs.as_array().unwrap().iter().map(line).collect();
    let mut shown = 0;
    for case in 0..all {
        let (mut run, mut jobs, mut lines) = (run.clone(), jobs.clone(), lines.clone());
        let mut told = Vec::new();
        // Every number once, in company.
        for place in [case % all, chance.below(all), chance.below(all)] {
            let to = EXTREMES[chance.below(EXTREMES.len())];
            let job = chance.below(lines.len());
            let (value, path) = match place.checked_sub(of_run.len()) {
                None => (&mut run, of_run[place].clone()),
                Some(place) => (&mut jobs, of_jobs[place].replacen("/0/", &format!("/{job}/"), 1)),
            };
            if let Some(number) = value.pointer_mut(&path) {
                *number = to.into();
                told.push(format!("{path} = {to}"));
                lines[job] = line(&jobs[job]);
            }
        }
        std::fs::write(folder.path().join("run.json"), run.to_string()).unwrap();
        std::fs::write(folder.path().join("jobs.jsonl"), lines.concat()).unwrap();
        let outcome = std::panic::catch_unwind(|| show(folder.path()));
        shown += usize::from(*outcome.as_ref().unwrap_or_else(|_| panic!("{}", told.join(", "))));
    }
    assert!(shown > all / 4, "many are shown: {shown} of {all}");
}
