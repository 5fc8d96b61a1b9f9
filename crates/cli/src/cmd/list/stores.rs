//! `kurabe list stores`: what is here, what is missing, how to get it; one store in full.

use std::collections::BTreeSet;

use comfy_table::{ContentArrangement, Table, presets};
use kurabe_harness::resolve::{Remote, default_dir};
use kurabe_harness::run::{Receipts, Setting, hellos};
use kurabe_harness::{BUILDS_SERVERS, Options};
use kurabe_harness::{Evictions, Keep, Observer, Others};
use kurabe_protocol::Hello;
use kurabe_record::{MinimumDurability, StoreKind};
use kurabe_study::{
    Catalogue, Durability, Overrides, Probe, RustDriver, StoreDescriptor, Study, StudyError, Undoing, Variant,
};

use crate::cmd::presence::{self, Inventory};

/// One store in full.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    let store = inventory.catalogue.store(name)?;
    let found = inventory.store(store);
    Ok(described(inventory.catalogue, store, &found) + &abilities(store, found.is_ok(), inventory))
}

/// The stores that are here, those that are missing, those that cannot be had, and what is no store.
pub fn all(inventory: &Inventory<'_>) -> String {
    let stores = inventory.catalogue.stores();
    let found = here(stores, inventory);
    let of = |wanted: fn(&StoreDescriptor, &Result<String, String>) -> bool| -> Vec<(&StoreDescriptor, &str)> {
        let chosen = stores.iter().zip(&found).filter(|(store, here)| wanted(store, here));
        chosen.map(|(store, Ok(text) | Err(text))| (store, text.as_str())).collect()
    };
    let present = of(|store, here| store.kind != StoreKind::Baseline && here.is_ok());
    let missing = of(|store, here| store.kind != StoreKind::Baseline && here.is_err());
    let mut text = String::new();
    if !present.is_empty() {
        let rows =
            present.iter().map(|(store, here)| [store.name.clone(), what(store), here.to_string(), levels(store)]);
        text += &format!("{}\n\n", aligned(["here", "what it is", "where, version", "durability levels"], rows));
    }
    let lacking: Vec<String> = present.iter().flat_map(|(store, _)| missing_variants(store)).collect();
    if !lacking.is_empty() {
        text += &format!("{}\n", lacking.concat());
    }
    if !missing.is_empty() {
        let rows = missing.iter().map(|(store, remedy)| [store.name.clone(), what(store), remedy.to_string()]);
        text += &format!("{}\n\n", aligned(["missing", "what it is", "get it with"], rows));
    }
    let known = inventory.catalogue.known_stores().iter();
    let rows = known.map(|store| [store.name.clone(), store.title.clone(), store.way().unwrap_or_default()]);
    text += &format!("{}\n\n", aligned(["known", "in no package registry", "one of your own"], rows));
    let baselines = stores.iter().filter(|store| store.kind == StoreKind::Baseline);
    let rows = baselines.map(|store| [store.name.clone(), store.title.clone()]);
    text += &format!("{}\n", aligned(["baseline", "no store"], rows));
    if let Some(reason) = inventory.clients.lacks_servers(inventory.guardian) {
        text += &format!("\nServers cannot be measured yet: {reason}; get it with: {BUILDS_SERVERS}\n");
    }
    text + "\nkurabe list stores NAME tells all of one: settings, what each can lose, clients, sources.\n"
}

/// A table without lines, as wide as its words: a terminal breaks a line that is too long where it can still be copied.
fn aligned<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// What a store is, in two words.
fn what(store: &StoreDescriptor) -> String {
    store.about.as_ref().map_or_else(|| store.title.clone(), kurabe_report::about_in_short)
}

/// The durability levels that a store's settings reach, the highest first.
fn levels(store: &StoreDescriptor) -> String {
    let levels: BTreeSet<_> = store.guarantees().iter().map(|kept| kept.level()).collect();
    let words: Vec<&str> = levels.iter().rev().map(|level| level.word()).collect();
    words.join(" ")
}

/// Where each store is, and its version in short where it is told; otherwise what gets it.
fn here(stores: &[StoreDescriptor], inventory: &Inventory<'_>) -> Vec<Result<String, String>> {
    let found: Vec<_> = stores.iter().map(|store| inventory.store(store).map_err(|_| way_to_get(store))).collect();
    // Only a client can ask the library that it uses for its version; to list what is here none is built.
    let ready = |store: &StoreDescriptor| {
        store.clients.first().is_none_or(|client| inventory.clients.is_ready(inventory.catalogue, client))
    };
    let embedded: Vec<String> = stores
        .iter()
        .zip(&found)
        .filter(|(store, found)| found.is_ok() && store.service.is_none() && store.kind != StoreKind::Baseline)
        .filter(|(store, _)| ready(store))
        .map(|(store, _)| store.name.clone())
        .collect();
    // Where none can be asked, `kurabe list stores NAME` tells why.
    let told = hellos_of(inventory, &embedded).unwrap_or_default();
    let library = |store: &StoreDescriptor| {
        let (_, hello) = told.iter().find(|(name, _)| *name == store.name)?;
        hello.as_ref().ok()?.libraries.values().find_map(|version| presence::short_version(version))
    };
    let cell = |(store, found): (&StoreDescriptor, Result<String, String>)| {
        let found = found?;
        if store.service.is_some() {
            return Ok(presence::short_version(&found).unwrap_or(found));
        }
        let place = match store.install.probe {
            Probe::Library => "library",
            _ if ready(store) => "built in",
            _ => "client not built yet",
        };
        Ok(library(store).map_or_else(|| place.to_string(), |version| format!("{place}, {version}")))
    };
    stores.iter().zip(found).map(cell).collect()
}

/// What gets a store that is missing.
fn way_to_get(store: &StoreDescriptor) -> String {
    store.install.by_hand.clone().unwrap_or_else(|| format!("kurabe setup {}", store.name))
}

/// A line for each variant of a store that needs a package which is not here.
fn missing_variants(store: &StoreDescriptor) -> Vec<String> {
    let line = |variant: &Variant| {
        let reason = presence::of_variant(store, variant).err()?;
        let remedy = variant.debian.as_ref().map(|command| format!("; {command}")).unwrap_or_default();
        Some(format!("{}:{} is missing: {reason}{remedy}\n", store.name, variant.name))
    };
    store.variants.iter().filter_map(line).collect()
}

fn described(catalogue: &Catalogue, store: &StoreDescriptor, presence: &Result<String, String>) -> String {
    let mut text = format!("{} ({})\n{}\n\n", store.title, store.name, store.summary);
    let mut line = |name: &str, value: &str| text += &format!("{name:<12}{value}\n");
    line("licence", &store.licence);
    line("read", &store.homepage);
    let (tools, clients): (Vec<&str>, Vec<&str>) =
        store.clients.iter().map(String::as_str).partition(|name| catalogue.is_load_tool(name));
    line("clients", &clients.join(", "));
    if !tools.is_empty() {
        line("load tools", &format!("{} (answers not checked, never ranked)", tools.join(", ")));
    }
    match presence {
        Ok(version) => line("here", version),
        Err(reason) => line("missing", reason),
    }
    if presence.is_err() {
        line("get it", &way_to_get(store));
    }
    store.install.debian.iter().for_each(|command| line("install", command));
    store.install.other.iter().for_each(|place| line("elsewhere", place));
    if !store.install.libraries.is_empty() {
        line("library", &store.install.libraries.join(", "));
    }
    text += &variants(store);
    if !store.drivers.is_empty() {
        text += "\nDrivers of the Rust client; the first is meant where none is named:\n";
        let line = |driver: &RustDriver| format!("  {}+rust:{}\n    {}\n", store.name, driver.name, driver.summary);
        store.drivers.iter().for_each(|driver| text += &line(driver));
    }
    text += "\nDurability, from cheapest to dearest:\n";
    store.durability.iter().for_each(|setting| text += &durability(setting));
    if !store.undoing.is_empty() {
        text += "\nWhat undoes such a promise:\n";
        store.undoing.iter().for_each(|setting| text += &undoing(setting));
    }
    if !store.settings.is_empty() {
        text += "\nOther settings:\n";
        for setting in &store.settings {
            let pairs = setting.settings.iter().map(|(name, value)| format!("{name}={value}"));
            let values: Vec<String> = setting.args.iter().cloned().chain(pairs).collect();
            text += &format!("  {} {}{}\n", setting.name, values.join(" "), only_for(&setting.variants));
            text += &format!("    {}\n", setting.reason);
        }
    }
    text
}

fn variants(store: &StoreDescriptor) -> String {
    if store.variants.is_empty() {
        return String::new();
    }
    let mut text = "\nVariants; the first is meant where none is named:\n".to_string();
    for variant in &store.variants {
        let kind = if variant.kind == Some(StoreKind::Baseline) { " [not a store]" } else { "" };
        text += &format!("  {}:{}{kind}\n    {}\n", store.name, variant.name, variant.summary);
        if let Err(reason) = presence::of_variant(store, variant) {
            let remedy = variant.debian.as_ref().map(|command| format!("; {command}")).unwrap_or_default();
            text += &format!("    missing: {reason}{remedy}\n");
        }
    }
    text
}

fn durability(setting: &Durability) -> String {
    let mut marks = Vec::new();
    marks.extend(setting.default.then_some("as shipped"));
    marks.extend(setting.by_name_only.then_some("only by name"));
    let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join("; ")) };
    format!(
        "  {} ({}){marks}{}\n    can lose: {} [kill: {}; power: {}; integrity: {}]\n    {}\n    source: {}\n    proof: {}\n",
        setting.name,
        setting.guarantee().level(),
        only_for(if setting.variants.is_empty() { &setting.clients } else { &setting.variants }),
        setting.window,
        setting.kill,
        setting.power,
        setting.integrity,
        setting.reason,
        setting.source,
        setting.proof.iter().map(|proof| proof.words()).collect::<Vec<_>>().join(", ")
    )
}

fn undoing(setting: &Undoing) -> String {
    let values = |word: &str, values: &[String]| match values {
        [] => String::new(),
        values => format!(" {word} {}", values.join(" or ")),
    };
    format!(
        "  {}{}{}{}{}\n    can lose: {} [kill: {}; power: {}; integrity: {}]\n    source: {}\n",
        setting.setting,
        values("is", &setting.when),
        values("is not", &setting.unless),
        values("holds", &setting.holds),
        only_for(&setting.variants),
        setting.window,
        setting.kill,
        setting.power,
        setting.integrity,
        setting.source
    )
}

fn only_for(variants: &[String]) -> String {
    if variants.is_empty() { String::new() } else { format!(" (only for {})", variants.join(", ")) }
}

struct Silent;
impl Observer for Silent {}

/// The hellos of these candidates' clients, which are started for it, with their servers where they have one.
fn hellos_of(inventory: &Inventory<'_>, names: &[String]) -> anyhow::Result<Receipts> {
    let overrides = Overrides {
        stores: names.to_vec(),
        durability: Some(MinimumDurability::Default),
        rows: Some(1),
        ..Overrides::default()
    };
    let study = Study::open(inventory.catalogue, "quick", &overrides)?;
    let setting = Setting {
        catalogue: inventory.catalogue,
        clients: inventory.clients,
        guardian: inventory.guardian,
        observer: &Silent,
    };
    let options = Options {
        dir: default_dir().to_path_buf(),
        out: Default::default(),
        keep: Keep::Nothing,
        remote: Remote::Refused,
        evictions: Evictions::Refused,
        others: Others::Borne,
        command: String::new(),
    };
    Ok(hellos(&study, &setting, &options)?)
}

/// What each variant can do, as its client says.
fn abilities(store: &StoreDescriptor, is_here: bool, inventory: &Inventory<'_>) -> String {
    let mut text = "\nWhat it can do here:\n".to_string();
    if !is_here {
        return text + "  known once it is installed: its client tells\n";
    }
    let names: Vec<String> = match store.variants.as_slice() {
        [] => vec![store.name.clone()],
        variants => variants.iter().map(|variant| format!("{}:{}", store.name, variant.name)).collect(),
    };
    let mut told: Vec<(Vec<String>, String)> = Vec::new();
    for name in names {
        // One by one: a variant whose package is missing must not hide the others.
        let hello = hellos_of(inventory, std::slice::from_ref(&name)).and_then(|told| match told.into_iter().next() {
            Some((_, hello)) => hello.map_err(anyhow::Error::msg),
            None => anyhow::bail!("no client was asked"),
        });
        let words = hello.map_or_else(|error| format!("    not known: {error}\n"), |hello| ability(&hello));
        match told.iter_mut().find(|(_, known)| *known == words) {
            Some((names, _)) => names.push(name),
            None => told.push((vec![name], words)),
        }
    }
    told.iter().for_each(|(names, words)| text += &format!("  {}\n{words}", names.join(", ")));
    text
}

fn ability(hello: &Hello) -> String {
    let can = &hello.capabilities;
    let operations: Vec<&str> = can.operations.iter().map(|operation| operation.word()).collect();
    let keys: Vec<String> = can.key_types.iter().map(|key| key.to_string()).collect();
    let paths: Vec<String> = can.load_paths.iter().map(|path| path.to_string()).collect();
    let scopes: Vec<String> = can.read_scopes.iter().map(|scope| scope.to_string()).collect();
    let libraries: Vec<String> = hello.libraries.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("    {name:<14}{value}\n");
    line("operations", operations.join(", "));
    line("keys", keys.join(", "));
    line("load paths", paths.join(", "));
    line("read scopes", scopes.join(", "));
    line("transactions", if can.transactions { "yes" } else { "no" }.to_string());
    line("connections", format!("up to {}", can.max_connections));
    line("depth", format!("up to {}{}", can.max_depth, if can.batch { ", batches" } else { "" }));
    line("value", format!("up to {} bytes", can.max_value_bytes));
    if !libraries.is_empty() {
        line("libraries", libraries.join(", "));
    }
    text
}
