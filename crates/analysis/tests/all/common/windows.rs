//! Two stores over what may be lost, from nothing to the latest commits.

use kurabe_protocol::{Action, Operation};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, CandidateRecord, CandidateRequest, DurabilityRecord, Factor, JobRecord, Loss,
    MinimumDurability, RunRecord,
};

use super::{durability, job, plan, ran, run, store};

/// Values with the settings that 'lmdb' and 'sqlite' use there, and their rates of updates.
const VALUES: [(&str, [(&str, u64); 2]); 5] = [
    ("power", [("sync", 2_000), ("wal-full", 2_100)]),
    ("window=1commits", [("nometasync", 4_000), ("delete-full", 700)]),
    ("window=10ms", [("sync", 2_050), ("wal-full", 2_300)]),
    ("window=1s", [("sync", 1_950), ("synced-500ms", 47_000)]),
    ("consistent", [("nometasync", 4_100), ("wal-normal", 46_000)]),
];

/// The run and its jobs.
pub fn windows() -> (RunRecord, Vec<JobRecord>) {
    let minimum = |word: &str| word.parse::<MinimumDurability>().unwrap_or_else(|error| panic!("{error}"));
    let at = |name: &str, word: &str, setting: &str| {
        let minimum = minimum(word);
        let mut kept = durability(minimum.level().expect("a level"));
        match minimum.allows() {
            Some(loss @ Loss::Commits(_)) => (kept.guarantee.kill, kept.guarantee.power) = (Loss::Nothing, loss),
            Some(loss @ Loss::Millis(_)) => (kept.guarantee.kill, kept.guarantee.power) = (loss, loss),
            _ => {}
        }
        if setting == "sync" || setting == "wal-full" {
            kept.guarantee = kurabe_record::Guarantee::FULL;
        }
        CandidateRecord {
            asked: Some(CandidateRequest { minimum: Some(minimum), ..CandidateRequest::default() }),
            base: Some(name.into()),
            factors: vec![Factor { axis: "durability".into(), value: AxisValue::Word(word.into()) }],
            durability: Some(DurabilityRecord { name: setting.into(), ..kept }),
            store: name.into(),
            ..store(&format!("{name} ({word})"))
        }
    };
    let (mut stores, mut jobs) = (Vec::new(), Vec::new());
    for (word, [lmdb, sqlite]) in VALUES {
        for (name, (setting, rate)) in [("lmdb", lmdb), ("sqlite", sqlite)] {
            stores.push(at(name, word, setting));
            let candidate = format!("{name} ({word})");
            jobs.extend((0..3).map(|round| {
                let rate = rate + u64::from(round);
                job(&candidate, round, vec![ran("update", Operation::Update, rate)])
            }));
        }
    }
    let mut run = run(3, stores, vec![plan("update", Action::Update)]);
    run.plan.axes = vec![Axis {
        name: "durability".into(),
        phases: Vec::new(),
        makes: AxisEffect::Candidates,
        design: Default::default(),
        values: VALUES.iter().map(|(word, _)| AxisValue::Word((*word).into())).collect(),
    }];
    (run, jobs)
}
