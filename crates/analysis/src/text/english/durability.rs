//! What a store keeps and what it can lose, in words.

use kurabe_record::{Bound, Guarantee, Integrity, Loss, MinimumDurability, Window};

use crate::text::format::{count, size};

/// What a fault takes, as the object of "takes": `up to 2 s of commits`.
fn loss(loss: Loss) -> String {
    match loss {
        Loss::Nothing => "nothing".into(),
        Loss::Commits(1) => "the last commit".into(),
        Loss::Commits(n) => format!("up to {} commits", count(n)),
        Loss::Millis(n) => format!("up to {} of commits", window(n)),
        Loss::Bytes(n) => format!("up to {} of writes", size(n as f64)),
        Loss::Checkpoint(Bound::Commits(n)) => {
            format!("all commits since the last checkpoint, {} at most unless a reader holds it up", count(n))
        }
        Loss::Checkpoint(Bound::Bytes(n)) => {
            format!("all commits since the last checkpoint, at most {}", size(n as f64))
        }
        Loss::Writeback => "what the system has not written back, usually 30 s of commits".into(),
        Loss::All => "everything".into(),
    }
}

/// The same for a cell of a table: `1,003 commits`.
pub fn loss_in_short(loss: Loss) -> String {
    let many = |n: u64| format!("{} commit{}", count(n), if n == 1 { "" } else { "s" });
    match loss {
        Loss::Nothing => "nothing".into(),
        Loss::Commits(n) | Loss::Checkpoint(Bound::Commits(n)) => many(n),
        Loss::Millis(n) => window(n),
        Loss::Bytes(n) | Loss::Checkpoint(Bound::Bytes(n)) => size(n as f64),
        Loss::Writeback => "about 30 s".into(),
        Loss::All => "everything".into(),
    }
}

fn window(ms: u64) -> String {
    match ms {
        ms if ms % 3_600_000 == 0 => format!("{} h", ms / 3_600_000),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// What can be lost, as a sentence without its first letter in capitals and without a full stop.
pub(super) fn kept(it: Guarantee) -> String {
    let after = match it.integrity {
        Integrity::I0 => "",
        Integrity::I1 => " and may leave gaps",
        Integrity::I2 => " and may leave files that need a repair tool",
        Integrity::I3 => " and may leave wrong data, or files that do not open",
    };
    match (it.kill, it.power) {
        (Loss::Nothing, Loss::Nothing) if after.is_empty() => "no fault takes a commit".into(),
        (Loss::All, Loss::All) => "any fault takes everything".into(),
        (kill, power) if kill == power => format!("a kill or a power failure takes {}{after}", loss(power)),
        (kill, power) => format!("a kill takes {}; a power failure takes {}{after}", loss(kill), loss(power)),
    }
}

/// The same after "and", in few words: `may lose 1,003 commits in a power failure`.
pub(super) fn may_lose(it: Guarantee) -> String {
    let after = if it.integrity == Integrity::I0 { "" } else { " and be damaged" };
    match (it.kill, it.power) {
        (Loss::Nothing, Loss::Nothing) if after.is_empty() => "loses nothing".into(),
        (Loss::Nothing, power) => format!("may lose {}{after} in a power failure", loss_in_short(power)),
        (kill, _) => format!("may lose {}{after} when it is killed", loss_in_short(kill)),
    }
}

/// A minimum as the name of where something was measured: `durability power`, `window of 10 ms`.
pub(in crate::text) fn named_minimum(asked: MinimumDurability) -> String {
    match asked {
        MinimumDurability::Window(_) => asked.words(),
        other => format!("durability {other}"),
    }
}

/// A minimum after "at" or "than": `'power'`, `a window of 10 ms`.
pub fn quoted_minimum(asked: MinimumDurability) -> String {
    match asked {
        MinimumDurability::Window(_) => format!("a {}", asked.words()),
        other => format!("'{other}'"),
    }
}

/// What was asked for, in the words of the field.
pub fn minimum(asked: MinimumDurability) -> String {
    match asked {
        MinimumDurability::Power => "nothing may be lost in a power failure".into(),
        MinimumDurability::Consistent => "a power failure may take the latest commits, but the data stay sound".into(),
        MinimumDurability::Window(window @ Window::Millis(_)) => format!("at most {window} of commits may be lost"),
        MinimumDurability::Window(window @ Window::Commits(_)) => format!("at most {window} may be lost"),
        MinimumDurability::Kill => "a kill may take nothing".into(),
        MinimumDurability::Cache => "everything may be lost".into(),
        MinimumDurability::Default => "each store as it is shipped".into(),
    }
}
