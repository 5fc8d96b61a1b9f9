//! What a store keeps and what it can lose.

use kurabe_messages::{Message, message};
use kurabe_record::{Bound, Guarantee, Integrity, Loss, MinimumDurability, Window};

use crate::rank::phase::RankingScope;

/// What a fault takes, as the object of "can lose": `up to 2 s of commits`.
fn loss(loss: Loss) -> Message {
    match loss {
        Loss::Nothing => message!(durability_loss_nothing),
        Loss::Commits(1) => message!(durability_loss_last_commit),
        Loss::Commits(count) => message!(durability_loss_commits, commits = commits(count)),
        Loss::Millis(ms) => message!(durability_loss_time, window = time(ms)),
        Loss::Bytes(size) => message!(durability_loss_bytes, size),
        Loss::Checkpoint(Bound::Commits(count)) => message!(durability_loss_checkpoint, commits = commits(count)),
        Loss::Checkpoint(Bound::Bytes(size)) => message!(durability_loss_checkpoint_bytes, size),
        Loss::Writeback => message!(durability_loss_writeback),
        Loss::All => message!(durability_loss_everything),
    }
}

/// The same for a cell of a table: `1,003 commits`.
pub fn loss_in_short(loss: Loss) -> Message {
    match loss {
        Loss::Nothing => message!(durability_loss_nothing),
        Loss::Commits(count) | Loss::Checkpoint(Bound::Commits(count)) => commits(count),
        Loss::Millis(ms) => time(ms),
        Loss::Bytes(size) | Loss::Checkpoint(Bound::Bytes(size)) => message!(durability_cell_bytes, size),
        Loss::Writeback => message!(durability_cell_writeback),
        Loss::All => message!(durability_loss_everything),
    }
}

fn commits(commits: u64) -> Message {
    Window::Commits(commits).words()
}

/// A window in the largest unit that keeps it whole.
fn time(ms: u64) -> Message {
    match ms {
        ms if ms % 3_600_000 == 0 => message!(record_time, number = ms / 3_600_000, unit = "h"),
        ms => Window::Millis(ms).words(),
    }
}

/// The state of the data after a power failure, where it is not sound.
fn damage(integrity: Integrity) -> Option<Message> {
    match integrity {
        Integrity::I0 => None,
        Integrity::I1 => Some(message!(durability_leaves_gaps)),
        Integrity::I2 => Some(message!(durability_needs_repair)),
        Integrity::I3 => Some(message!(durability_is_damaged)),
    }
}

/// What can be lost, as the predicate of a subject that names so many stores.
pub(super) fn can_lose(it: Guarantee, stores: usize) -> Message {
    let damage = damage(it.integrity);
    match (it.kill, it.power, damage) {
        (Loss::Nothing, Loss::Nothing, None) => message!(durability_loses_nothing, stores),
        (Loss::Nothing, Loss::Nothing, Some(damage)) => message!(durability_loses_nothing_but, stores, damage),
        (kill, power, damage) if kill == power => {
            message!(durability_can_lose_in_both, loss = loss(power), damage)
        }
        (Loss::Nothing, power, damage) => {
            message!(durability_can_lose_in_power_failure, loss = loss(power), damage)
        }
        (kill, power, damage) => {
            message!(durability_can_lose_in_each, kill = loss(kill), power = loss(power), damage)
        }
    }
}

/// The same in few words, of one store: `can lose 1,003 commits in a power failure`.
pub(super) fn can_lose_in_short(it: Guarantee) -> Message {
    let damaged = if it.integrity == Integrity::I0 { "no" } else { "yes" };
    match (it.kill, it.power) {
        (Loss::Nothing, Loss::Nothing) if it.integrity == Integrity::I0 => message!(durability_short_nothing),
        (Loss::Nothing, power) => message!(durability_short_in_power_failure, loss = loss_in_short(power), damaged),
        (kill, _) => message!(durability_short_in_crash, loss = loss_in_short(kill), damaged),
    }
}

/// A minimum as the name of where something was measured: `durability power`, `window of 10 ms`.
pub(super) fn named_minimum(asked: MinimumDurability) -> Message {
    match asked {
        window @ MinimumDurability::Window(_) => window.words(),
        minimum => message!(durability_named, minimum),
    }
}

/// A minimum after "at" or "than": `'power'`, `a window of 10 ms`.
pub(super) fn quoted_minimum(asked: MinimumDurability) -> Message {
    match asked {
        MinimumDurability::Window(window) => message!(durability_quoted_window, window = window.words()),
        minimum => message!(durability_quoted, minimum),
    }
}

/// What was asked for, as a clause.
pub fn minimum(asked: MinimumDurability) -> Message {
    match asked {
        MinimumDurability::Power => message!(durability_needs_power),
        MinimumDurability::Consistent => message!(durability_needs_consistent),
        MinimumDurability::Window(Window::Millis(ms)) => message!(durability_needs_window, window = time(ms)),
        MinimumDurability::Window(Window::Commits(count)) => {
            message!(durability_needs_window_commits, commits = commits(count))
        }
        MinimumDurability::Kill => message!(durability_needs_kill),
        MinimumDurability::Cache => message!(durability_needs_nothing),
        MinimumDurability::Default => message!(durability_as_shipped),
    }
}

/// What the candidates of a ranking have in common: `durability power`, `profile tuned`.
pub fn scope_names(among: RankingScope) -> Vec<Message> {
    let level = among.durability.map(|level| message!(durability_named, minimum = level));
    let durability = among.window.map(named_minimum).or(level);
    let profile = among.profile.map(|profile| message!(durability_profile, profile));
    durability.into_iter().chain(profile).collect()
}
