//! What a store keeps of acknowledged writes: three facts for each of its settings, and the levels that a person asks
//! for.
//!
//! A store can be fast because it keeps less, so a study asks for a minimum. Each setting states its loss on kill, its
//! loss on power failure and its integrity afterwards. A level is a demand on these facts. Two settings compare only
//! where one is no stronger in any of them; being faster than a store that keeps more is a trade, never a lead.
//!
//! One ladder of levels was the first design, and it cannot hold all settings. PostgreSQL without synchronous commits
//! loses 0.6 s in a kill, and as much in a power failure. SQLite without syncs loses nothing in a kill, and all since
//! its checkpoint in a power failure. Neither is above the other. The ladder barred LMDB's NOSYNC and chose H2's
//! `written`, which has the same fault (commit 2e0915e2).
//!
//! Documents alone do not prove a setting: `analysis/src/figures/guarantee.rs` compares it with what the disk did.
//! docs/decisions/0008-durability-as-three-facts.md has the figures.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use kurabe_messages::{Message, message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};

/// How much of what was acknowledged a fault takes, at most.
///
/// As text: `0`, `1 commit`, `100 commits`, `600 ms`, `64 KiB`, `checkpoint, 1003 commits`, `checkpoint, 64 MiB`,
/// `writeback`, `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr, JsonSchema)]
#[schemars(with = "String")]
pub enum Loss {
    /// Nothing.
    Nothing,
    /// So many commits.
    Commits(u64),
    /// The commits of so many milliseconds.
    Millis(u64),
    /// So many bytes of writes.
    Bytes(u64),
    /// What was committed since the last checkpoint, which comes after so much at the latest while nothing holds it up.
    Checkpoint(Bound),
    /// What the system has not yet written back by itself: some 30 s on Linux, which nothing promises.
    Writeback,
    /// Everything.
    All,
}

/// After how much a checkpoint comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// So many commits.
    Commits(u64),
    /// So many bytes of writes.
    Bytes(u64),
}

impl Loss {
    /// From the least to the most; losses of one rank compare where they have one unit.
    fn rank(self) -> u8 {
        match self {
            Loss::Nothing => 0,
            Loss::Commits(_) | Loss::Millis(_) | Loss::Bytes(_) => 1,
            Loss::Checkpoint(_) => 2,
            Loss::Writeback => 3,
            Loss::All => 4,
        }
    }

    /// The worse of two; the first where they do not compare.
    fn worse(self, other: Loss) -> Loss {
        if other > self { other } else { self }
    }

    /// Whether it has a bound in commits, time or bytes that holds whatever happens.
    pub fn is_bounded(self) -> bool {
        self.rank() <= 1
    }
}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Loss) -> Option<Ordering> {
        match (self, other) {
            (Loss::Commits(a), Loss::Commits(b))
            | (Loss::Millis(a), Loss::Millis(b))
            | (Loss::Bytes(a), Loss::Bytes(b))
            | (Loss::Checkpoint(Bound::Commits(a)), Loss::Checkpoint(Bound::Commits(b)))
            | (Loss::Checkpoint(Bound::Bytes(a)), Loss::Checkpoint(Bound::Bytes(b))) => a.partial_cmp(b),
            // A window holds one commit at least.
            (Loss::Commits(1), Loss::Millis(_) | Loss::Bytes(_)) => Some(Ordering::Less),
            (Loss::Millis(_) | Loss::Bytes(_), Loss::Commits(1)) => Some(Ordering::Greater),
            _ if self.rank() == other.rank() => (self == other).then_some(Ordering::Equal),
            _ => self.rank().partial_cmp(&other.rank()),
        }
    }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Nothing => f.write_str("0"),
            Loss::Commits(n) => commits(*n, f),
            Loss::Millis(n) => write!(f, "{n} ms"),
            Loss::Bytes(n) => bytes(*n, f),
            Loss::Checkpoint(bound) => {
                f.write_str("checkpoint, ")?;
                match bound {
                    Bound::Commits(n) => commits(*n, f),
                    Bound::Bytes(n) => bytes(*n, f),
                }
            }
            Loss::Writeback => f.write_str("writeback"),
            Loss::All => f.write_str("all"),
        }
    }
}

fn commits(n: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{n} commit{}", if n == 1 { "" } else { "s" })
}

fn bytes(n: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match n {
        n if n % MIB == 0 => write!(f, "{} MiB", n / MIB),
        n if n % KIB == 0 => write!(f, "{} KiB", n / KIB),
        n => write!(f, "{n} B"),
    }
}

/// How a loss is written, for those who wrote it otherwise.
const LOSSES: [&str; 10] = [
    "0",
    "N commits",
    "N ms",
    "N s",
    "N KiB",
    "N MiB",
    "checkpoint, N commits",
    "checkpoint, N MiB",
    "writeback",
    "all",
];

impl FromStr for Loss {
    type Err = Message;

    fn from_str(text: &str) -> Result<Loss, Message> {
        let text = text.trim();
        let wrong = || message!(record_no_loss, text, known = LOSSES);
        match text {
            "0" => return Ok(Loss::Nothing),
            "writeback" => return Ok(Loss::Writeback),
            "all" => return Ok(Loss::All),
            _ => {}
        }
        if let Some(bound) = text.strip_prefix("checkpoint,") {
            return match bound.parse()? {
                Loss::Commits(n) => Ok(Loss::Checkpoint(Bound::Commits(n))),
                Loss::Bytes(n) => Ok(Loss::Checkpoint(Bound::Bytes(n))),
                _ => Err(wrong()),
            };
        }
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
        let times = |by: u64| number.checked_mul(by).ok_or_else(wrong);
        match unit.trim() {
            "commit" | "commits" => Ok(Loss::Commits(number)),
            "ms" => Ok(Loss::Millis(number)),
            "s" => Ok(Loss::Millis(times(1000)?)),
            "B" => Ok(Loss::Bytes(number)),
            "KiB" => Ok(Loss::Bytes(times(KIB)?)),
            "MiB" => Ok(Loss::Bytes(times(MIB)?)),
            _ => Err(wrong()),
        }
    }
}

/// The state of the data after a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Integrity {
    /// The store opens by itself with a consistent prefix of what was acknowledged.
    I0,
    /// It opens by itself; writes in between may be missing.
    I1,
    /// It needs a repair tool.
    I2,
    /// It may be wrong, or not open at all.
    I3,
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What shows that a setting keeps what it is said to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Its makers say so.
    Documents,
    /// Its system calls were read.
    SystemCalls,
    /// Its processes were killed, and what was acknowledged was read back.
    KillTrials,
    /// Power was cut, or what was not synced was dropped, and what was acknowledged was read back.
    PowerTrials,
}

impl Proof {
    /// In words.
    pub fn words(self) -> Message {
        match self {
            Proof::Documents => message!(record_proof_documents),
            Proof::SystemCalls => message!(record_proof_system_calls),
            Proof::KillTrials => message!(record_proof_kill_trials),
            Proof::PowerTrials => message!(record_proof_power_trials),
        }
    }
}

/// What a setting keeps: what each fault takes, and the state of the data then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Guarantee {
    /// What SIGKILL of all processes of the store takes; of a library those of its program.
    pub kill: Loss,
    /// What a power failure, or the end of the kernel, takes.
    pub power: Loss,
    /// The state of the data after a power failure.
    pub integrity: Integrity,
}

impl Guarantee {
    /// Nothing is lost.
    pub const FULL: Guarantee = Guarantee { kill: Loss::Nothing, power: Loss::Nothing, integrity: Integrity::I0 };

    /// Nothing is sure.
    pub const NONE: Guarantee = Guarantee { kill: Loss::All, power: Loss::All, integrity: Integrity::I3 };

    /// What is left of it where something keeps `other` at most.
    pub fn at_most(self, other: Guarantee) -> Guarantee {
        Guarantee {
            kill: self.kill.worse(other.kill),
            power: self.power.worse(other.power),
            integrity: self.integrity.max(other.integrity),
        }
    }

    /// Whether it keeps more than `other` in any of the three.
    pub fn is_stronger_in_any(self, other: Guarantee) -> bool {
        self.kill < other.kill || self.power < other.power || self.integrity < other.integrity
    }

    /// Whether it reaches a minimum.
    pub fn meets(self, minimum: MinimumDurability) -> bool {
        let is_sound = self.integrity == Integrity::I0;
        match minimum {
            MinimumDurability::Default | MinimumDurability::Cache => true,
            MinimumDurability::Kill => self.kill == Loss::Nothing,
            MinimumDurability::Consistent => self.kill == Loss::Nothing && is_sound,
            MinimumDurability::Window(window) => window.holds(self.kill) && window.holds(self.power) && is_sound,
            MinimumDurability::Power => self == Guarantee::FULL,
        }
    }

    /// The highest minimum that it reaches.
    pub fn minimum(self) -> MinimumDurability {
        match (self.level(), self.kill, self.power) {
            (DurabilityLevel::Power, ..) => MinimumDurability::Power,
            (DurabilityLevel::Consistent, ..) => MinimumDurability::Consistent,
            (DurabilityLevel::Kill, ..) => MinimumDurability::Kill,
            (DurabilityLevel::Window, Loss::Millis(kill), Loss::Millis(power)) => {
                MinimumDurability::Window(Window::Millis(kill.max(power)))
            }
            (DurabilityLevel::Window, Loss::Commits(kill), Loss::Commits(power)) => {
                MinimumDurability::Window(Window::Commits(kill.max(power)))
            }
            (DurabilityLevel::Window | DurabilityLevel::Cache, ..) => MinimumDurability::Cache,
        }
    }

    /// The highest level that it reaches.
    pub fn level(self) -> DurabilityLevel {
        let is_sound = self.integrity == Integrity::I0;
        match self {
            Guarantee::FULL => DurabilityLevel::Power,
            Guarantee { kill: Loss::Nothing, .. } if is_sound => DurabilityLevel::Consistent,
            Guarantee { kill, power, .. } if is_sound && kill.is_bounded() && power.is_bounded() => {
                DurabilityLevel::Window
            }
            Guarantee { kill: Loss::Nothing, .. } => DurabilityLevel::Kill,
            _ => DurabilityLevel::Cache,
        }
    }
}

/// The level that a setting reaches, in a word for tables. Two settings of one level may lose different amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DurabilityLevel {
    /// Nothing is sure.
    Cache,
    /// A kill takes nothing; after a power failure the data may be wrong.
    Kill,
    /// Both faults take no more than a bounded window, and the data stay sound.
    Window,
    /// A kill takes nothing, a power failure the latest commits; the data stay sound.
    Consistent,
    /// Nothing is lost.
    Power,
}

impl DurabilityLevel {
    /// The word used in tables and studies.
    pub fn word(self) -> &'static str {
        match self {
            DurabilityLevel::Cache => "cache",
            DurabilityLevel::Kill => "kill",
            DurabilityLevel::Window => "window",
            DurabilityLevel::Consistent => "consistent",
            DurabilityLevel::Power => "power",
        }
    }
}

impl fmt::Display for DurabilityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The least that every store of a run keeps.
///
/// As text: `power`, `consistent`, `window=1s`, `window=100commits`, `kill`, `cache`, `default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr, JsonSchema)]
#[schemars(with = "String")]
pub enum MinimumDurability {
    /// Each store as it is shipped, whatever that keeps.
    Default,
    /// Nothing: what a fault spoils is made again.
    Cache,
    /// A kill takes nothing; after a power failure the data may be wrong.
    Kill,
    /// Neither fault takes more than a window, and the data stay sound.
    Window(Window),
    /// A kill takes nothing, and after a power failure the data are sound.
    Consistent,
    /// Nothing is lost.
    Power,
}

/// The most that may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The commits of so many milliseconds.
    Millis(u64),
    /// So many commits.
    Commits(u64),
}

impl Window {
    /// Whether a loss lies within it.
    fn holds(self, loss: Loss) -> bool {
        match (self, loss) {
            (_, Loss::Nothing) => true,
            (Window::Millis(most), Loss::Millis(n)) | (Window::Commits(most), Loss::Commits(n)) => n <= most,
            _ => false,
        }
    }

    /// As a person reads it.
    pub fn words(self) -> Message {
        match (self, self.typed()) {
            (Window::Commits(commits), _) => message!(record_commits, commits),
            (_, (number, unit)) => message!(record_time, number, unit),
        }
    }

    /// Number and unit as they are typed: whole seconds are seconds.
    fn typed(self) -> (u64, &'static str) {
        match self {
            Window::Millis(n) if n % 1000 == 0 => (n / 1000, "s"),
            Window::Millis(n) => (n, "ms"),
            Window::Commits(n) => (n, "commits"),
        }
    }
}

impl MinimumDurability {
    /// The level that it asks for; `None` where every store runs as it is shipped.
    pub fn level(self) -> Option<DurabilityLevel> {
        match self {
            MinimumDurability::Default => None,
            MinimumDurability::Cache => Some(DurabilityLevel::Cache),
            MinimumDurability::Kill => Some(DurabilityLevel::Kill),
            MinimumDurability::Window(_) => Some(DurabilityLevel::Window),
            MinimumDurability::Consistent => Some(DurabilityLevel::Consistent),
            MinimumDurability::Power => Some(DurabilityLevel::Power),
        }
    }

    /// The words, for help texts and suggestions.
    pub const WORDS: [&'static str; 6] = ["power", "consistent", "window=1s", "kill", "cache", "default"];

    /// As a person reads it in a sentence: `power`, `window of 10 ms`. What is typed is its text.
    pub fn words(self) -> Message {
        match self {
            MinimumDurability::Window(window) => message!(record_window_of, window = window.words()),
            other => message!(record_level, level = other),
        }
    }

    /// The same in a table, a chart or a name: `power`, `≤ 10 ms`.
    pub fn short(self) -> Message {
        match self {
            MinimumDurability::Window(window) => message!(record_at_most, window = window.words()),
            other => message!(record_level, level = other),
        }
    }

    /// How much a power failure may take, for an order from the strongest to the weakest; `None` where that differs by store.
    pub fn allows(self) -> Option<Loss> {
        match self {
            MinimumDurability::Power => Some(Loss::Nothing),
            MinimumDurability::Window(Window::Millis(n)) => Some(Loss::Millis(n)),
            MinimumDurability::Window(Window::Commits(n)) => Some(Loss::Commits(n)),
            MinimumDurability::Consistent => Some(Loss::Writeback),
            MinimumDurability::Kill | MinimumDurability::Cache => Some(Loss::All),
            MinimumDurability::Default => None,
        }
    }
}

/// What an axis over durability calls a candidate, `lmdb (window=10ms)`, as a person reads it: `lmdb (≤ 10 ms)`. Windows
/// stand in such a name between parentheses and commas, which no command has; all else stays.
pub fn windows_in_short(text: &str) -> Cow<'_, str> {
    const TYPED: &str = "window=";
    let mut shown = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(found) = text[from..].find(TYPED) {
        let start = from + found;
        let end = start + text[start..].find([')', ',']).unwrap_or(text.len() - start);
        from = start + TYPED.len();
        let before = &text[..start];
        let is_in_parentheses = before.rfind('(') > before.rfind(')');
        let is_listed = is_in_parentheses && [" (", ", "].iter().any(|end| before.ends_with(end));
        let minimum = text[start..end].parse::<MinimumDurability>().ok();
        if let Some(minimum) = minimum.filter(|_| is_listed && end < text.len()) {
            shown.push_str(&text[done..start]);
            shown.push_str(&minimum.short().to_string());
            (done, from) = (end, end);
        }
    }
    if done == 0 {
        return text.into();
    }
    shown.push_str(&text[done..]);
    shown.into()
}

impl fmt::Display for MinimumDurability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MinimumDurability::Default => f.write_str("default"),
            MinimumDurability::Cache => f.write_str("cache"),
            MinimumDurability::Kill => f.write_str("kill"),
            MinimumDurability::Window(window) => {
                let (number, unit) = window.typed();
                write!(f, "window={number}{unit}")
            }
            MinimumDurability::Consistent => f.write_str("consistent"),
            MinimumDurability::Power => f.write_str("power"),
        }
    }
}

impl FromStr for MinimumDurability {
    type Err = Message;

    fn from_str(text: &str) -> Result<MinimumDurability, Message> {
        let known = MinimumDurability::WORDS;
        match text {
            "default" => return Ok(MinimumDurability::Default),
            "cache" => return Ok(MinimumDurability::Cache),
            "kill" => return Ok(MinimumDurability::Kill),
            "consistent" => return Ok(MinimumDurability::Consistent),
            "power" => return Ok(MinimumDurability::Power),
            // The words of records and scripts before.
            "process" => return Err(message!(record_minimum_process)),
            "none" => return Err(message!(record_minimum_none)),
            _ => {}
        }
        let Some(window) = text.strip_prefix("window=") else {
            return Err(message!(record_no_minimum, text, known));
        };
        match window.parse() {
            Ok(Loss::Millis(n)) => Ok(MinimumDurability::Window(Window::Millis(n))),
            Ok(Loss::Commits(n)) => Ok(MinimumDurability::Window(Window::Commits(n))),
            _ => Err(message!(record_no_window, text, known)),
        }
    }
}

#[cfg(test)]
#[path = "durability_tests.rs"]
mod tests;
