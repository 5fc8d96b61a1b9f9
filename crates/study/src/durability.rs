//! What a store keeps of acknowledged writes by each of its settings, as descriptors say it, and which setting is chosen.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_record::{Guarantee, Integrity, Loss, MinimumDurability, Proof, WeakenedSetting};
use serde::Deserialize;

use crate::store::StoreDescriptor;

/// A durability setting.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Durability {
    /// Name of the setting.
    pub name: String,
    /// What SIGKILL of all the store's processes takes.
    pub kill: Loss,
    /// What a power failure takes.
    pub power: Loss,
    /// The state of the data after a power failure.
    pub integrity: Integrity,
    /// What shows these three.
    pub proof: Vec<Proof>,
    /// What can be lost, in words.
    pub window: String,
    /// Whether the store ships like this.
    #[serde(default)]
    pub default: bool,
    /// Never chosen unless it is named, though it may be enough.
    #[serde(default)]
    pub by_name_only: bool,
    /// The variants that it is for; all where it names none.
    #[serde(default)]
    pub variants: Vec<String>,
    /// The clients that can give it; all where it names none.
    #[serde(default)]
    pub clients: Vec<String>,
    /// Where that is documented.
    pub source: String,
    /// Why it is in the list.
    pub reason: String,
    /// Arguments for the service.
    #[serde(default)]
    pub args: Vec<String>,
    /// Settings for the adapter.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What the live store must report.
    #[serde(default)]
    pub expect: BTreeMap<String, String>,
}

impl Durability {
    /// What it keeps.
    pub fn guarantee(&self) -> Guarantee {
        Guarantee { kill: self.kill, power: self.power, integrity: self.integrity }
    }

    /// Words of a window that promise less than the facts beside them.
    pub(crate) fn problem(&self) -> Option<Message> {
        /// Each says that the files may need more than to be opened.
        const UNSOUND: [&str; 7] =
            ["corrupt", "damaged", "promises nothing", "repair", "torn", "recover", "not synced either"];
        let window = self.window.replace("never corrupt", "");
        let word = UNSOUND.into_iter().find(|word| window.contains(word)).filter(|_| self.integrity < Integrity::I2)?;
        Some(message!(store_file_window, setting = &self.name, integrity = self.integrity, word))
    }
}

/// A setting that undoes what a durability setting keeps. Exactly one of `when`, `unless` and `holds` says with which
/// values; capital and small letters are the same.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeakeningRule {
    /// Name as the live store reports it.
    pub setting: String,
    /// With these values.
    #[serde(default)]
    pub when: Vec<String>,
    /// With all values but these.
    #[serde(default)]
    pub unless: Vec<String>,
    /// With values that hold one of these.
    #[serde(default)]
    pub holds: Vec<String>,
    /// What a kill takes at least then.
    #[serde(default = "nothing")]
    pub kill: Loss,
    /// What a power failure takes at least then.
    #[serde(default = "nothing")]
    pub power: Loss,
    /// The best state of the data after a power failure then.
    #[serde(default = "sound")]
    pub integrity: Integrity,
    /// What can be lost then, in words.
    pub window: String,
    /// Where that is documented.
    pub source: String,
    /// The variants that it is for; all where it names none.
    #[serde(default)]
    pub variants: Vec<String>,
}

fn nothing() -> Loss {
    Loss::Nothing
}

fn sound() -> Integrity {
    Integrity::I0
}

impl WeakeningRule {
    fn leaves(&self) -> Guarantee {
        Guarantee { kill: self.kill, power: self.power, integrity: self.integrity }
    }

    /// Whether it undoes anything with this value.
    fn applies(&self, value: &str) -> bool {
        let value = value.to_lowercase();
        let is = |given: &String| given.to_lowercase() == value;
        let is_in = |given: &String| value.contains(&given.to_lowercase());
        self.when.iter().any(is)
            || self.holds.iter().any(is_in)
            || (!self.unless.is_empty() && !self.unless.iter().any(is))
    }

    /// What is wrong with it.
    pub(crate) fn problem(&self) -> Option<Message> {
        let kinds = [&self.when, &self.unless, &self.holds].into_iter().filter(|values| !values.is_empty()).count();
        if kinds != 1 {
            return Some(message!(store_file_undoes_one, setting = &self.setting));
        }
        (self.leaves() == Guarantee::FULL).then(|| message!(store_file_undoes_nothing, setting = &self.setting))
    }
}

impl StoreDescriptor {
    /// The setting that a minimum asks for: the cheapest that reaches it, of those within a window the one that uses most
    /// of it. `None` where the store cannot give it. Settings are listed from the cheapest to the dearest.
    pub fn durability_for(&self, minimum: MinimumDurability) -> Option<&Durability> {
        let enough = || self.durability.iter().filter(|one| !one.by_name_only && one.guarantee().meets(minimum));
        match minimum {
            MinimumDurability::Default => {
                self.durability.iter().find(|setting| setting.default).or(self.durability.first())
            }
            MinimumDurability::Window(_) => {
                enough().reduce(|best, one| if one.power > best.power { one } else { best })
            }
            _ => enough().next(),
        }
    }

    /// Which of the reported settings undo what is promised. One that is not reported undoes nothing.
    pub fn undone(&self, promised: Guarantee, found: &BTreeMap<String, String>) -> Vec<WeakenedSetting> {
        let undone = |one: &WeakeningRule| {
            let takes = promised.is_stronger_in_any(one.leaves());
            let value = found.get(&one.setting).filter(|value| takes && one.applies(value))?;
            Some(WeakenedSetting {
                setting: one.setting.clone(),
                found: value.clone(),
                guarantee: one.leaves(),
                window: one.window.clone(),
                source: one.source.clone(),
            })
        };
        self.undoing.iter().filter_map(undone).collect()
    }

    /// For a store that cannot give what is asked for: the cheapest of those settings that keep most. `None` where all of its
    /// settings must be asked for by name.
    pub fn strongest_durability(&self) -> Option<&Durability> {
        let chosen = self.durability.iter().filter(|setting| !setting.by_name_only);
        chosen.reduce(|best, one| {
            let (kept, most) = (one.guarantee(), best.guarantee());
            let keeps_more = kept.level() > most.level()
                || (kept.level() == most.level() && kept.is_stronger_in_any(most) && !most.is_stronger_in_any(kept));
            if keeps_more { one } else { best }
        })
    }

    /// What its settings keep, those left out that must be asked for by name.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        self.durability.iter().filter(|setting| !setting.by_name_only).map(Durability::guarantee).collect()
    }
}
