//! `kurabe list stores`: what is here, what is missing, how to get it; one store in full.

use std::collections::BTreeSet;

use comfy_table::{ContentArrangement, Table, presets};
use kurabe_analysis::phrases;
use kurabe_harness::resolve::{Remote, default_dir};
use kurabe_harness::run::{Hellos, Setting, hellos};
use kurabe_harness::{BUILDS_SERVERS, Options};
use kurabe_harness::{DataRetention, Evictions, NoObserver, OtherPrograms};
use kurabe_messages::{Message, described, message};
use kurabe_protocol::Hello;
use kurabe_record::{Integrity, Loss, MinimumDurability, StoreKind};
use kurabe_study::{
    Catalogue, Durability, Overrides, Probe, RustDriver, StoreDescriptor, Study, StudyError, Variant, WeakeningRule,
};

use crate::cmd::presence::{self, Inventory};
use crate::fold;

/// One store in full.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    let store = inventory.catalogue.store(name)?;
    let found = inventory.store(store);
    Ok(whole(inventory.catalogue, store, &found) + &abilities(store, found.is_ok(), inventory))
}

/// The stores that are here, those that are missing, those that no package registry has, and what is no store.
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
        let rows = present
            .iter()
            .map(|(store, here)| [store.name.clone(), short_title(store), here.to_string(), levels(store)]);
        text += &format!(
            "{}\n\n",
            aligned(
                [
                    message!(cli_list_head_here),
                    message!(cli_list_head_what),
                    message!(cli_list_head_version),
                    message!(cli_list_head_levels)
                ],
                rows
            )
        );
    }
    let lacking: Vec<String> = present.iter().flat_map(|(store, _)| missing_variants(store)).collect();
    if !lacking.is_empty() {
        text += &format!("{}\n", lacking.concat());
    }
    if !missing.is_empty() {
        let rows = missing.iter().map(|(store, remedy)| [store.name.clone(), short_title(store), remedy.to_string()]);
        text += &format!(
            "{}\n\n",
            aligned([message!(cli_list_head_missing), message!(cli_list_head_what), message!(cli_list_head_get)], rows)
        );
    }
    let known = inventory.catalogue.known_stores().iter();
    let rows = known.map(|store| [store.name.clone(), store.title.clone(), store.way().unwrap_or_default()]);
    text += &format!(
        "{}\n\n",
        aligned([message!(cli_list_head_known), message!(cli_list_head_registry), message!(cli_list_head_own)], rows)
    );
    let baselines = stores.iter().filter(|store| store.kind == StoreKind::Baseline);
    let rows = baselines.map(|store| [store.name.clone(), described(&store.title).to_string()]);
    text += &format!("{}\n", aligned([message!(word_baseline), message!(cli_list_head_no_store)], rows));
    if let Some(reason) = inventory.clients.lacks_servers(inventory.guardian) {
        text += &format!("\n{}\n", message!(cli_list_no_servers, reason, command = BUILDS_SERVERS));
    }
    format!("{text}\n{}\n", message!(cli_list_stores_end))
}

/// A table without lines, as wide as its words: a terminal breaks a line that is too long where it can still be copied.
fn aligned<const N: usize>(header: [Message; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.map(|one| one.to_string())).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// What a store is, in two words.
fn short_title(store: &StoreDescriptor) -> String {
    store
        .about
        .as_ref()
        .map_or_else(|| described(&store.title).to_string(), |about| kurabe_report::about_in_short(about).to_string())
}

/// The durability levels that a store's settings reach, the highest first.
fn levels(store: &StoreDescriptor) -> String {
    let levels: BTreeSet<_> = store.guarantees().iter().map(|kept| kept.level()).collect();
    let words: Vec<&str> = levels.iter().rev().map(|level| level.word()).collect();
    words.join(" ")
}

/// Where each store is, and its version in short where it is known; otherwise what gets it.
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
            Probe::Library => message!(cli_list_library),
            _ if ready(store) => message!(cli_list_built_in),
            _ => message!(cli_list_not_built),
        };
        Ok(match library(store) {
            Some(version) => message!(cli_list_version, place, version).to_string(),
            None => place.to_string(),
        })
    };
    stores.iter().zip(found).map(cell).collect()
}

/// What gets a store that is missing.
fn way_to_get(store: &StoreDescriptor) -> String {
    store
        .install
        .by_hand
        .as_ref()
        .map_or_else(|| format!("kurabe setup {}", store.name), |way| described(way).to_string())
}

/// A line for each variant of a store that needs a package which is not here.
fn missing_variants(store: &StoreDescriptor) -> Vec<String> {
    let line = |variant: &Variant| {
        let reason = presence::of_variant(store, variant).err()?;
        let name = format!("{}:{}", store.name, variant.name);
        let line = match &variant.debian {
            Some(command) => message!(cli_missing_get, name, reason, command),
            None => message!(cli_missing, name, reason),
        };
        Some(format!("{line}\n"))
    };
    store.variants.iter().filter_map(line).collect()
}

fn whole(catalogue: &Catalogue, store: &StoreDescriptor, presence: &Result<String, String>) -> String {
    let mut text = format!("{} ({})\n{}\n\n", described(&store.title), store.name, described(&store.summary));
    let mut line =
        |label: Message, value: &str| text += &format!("{}{value}\n", fold::padded(&label.to_string(), LABELS));
    line(message!(word_licence), &described(&store.licence).to_string());
    line(message!(cli_list_label_read), &store.homepage);
    let (tools, clients): (Vec<&str>, Vec<&str>) =
        store.clients.iter().map(String::as_str).partition(|name| catalogue.is_load_tool(name));
    line(message!(cli_list_label_clients), &clients.join(", "));
    if !tools.is_empty() {
        line(message!(cli_list_label_tools), &message!(cli_list_tools, names = tools).to_string());
    }
    match presence {
        Ok(version) => line(message!(cli_list_head_here), version),
        Err(reason) => line(message!(cli_list_head_missing), reason),
    }
    if presence.is_err() {
        line(message!(cli_list_label_get), &way_to_get(store));
    }
    store.install.debian.iter().for_each(|command| line(message!(cli_list_label_install), command));
    store.install.other.iter().for_each(|place| line(message!(cli_list_label_elsewhere), place));
    if !store.install.libraries.is_empty() {
        line(message!(cli_list_label_library), &store.install.libraries.join(", "));
    }
    text + &settings(store)
}

/// Columns of the labels.
const LABELS: usize = 12;

/// A headline of its own.
fn title(of: Message) -> String {
    format!("\n{of}\n")
}

/// Variants, drivers, durability and all other settings.
fn settings(store: &StoreDescriptor) -> String {
    let mut text = variants(store);
    if !store.drivers.is_empty() {
        text += &title(message!(cli_list_drivers));
        let line = |driver: &RustDriver| {
            format!("  {}+rust:{}\n    {}\n", store.name, driver.name, described(&driver.summary))
        };
        store.drivers.iter().for_each(|driver| text += &line(driver));
    }
    text += &title(message!(cli_list_durability));
    store.durability.iter().for_each(|setting| text += &durability(setting));
    if !store.undoing.is_empty() {
        text += &title(message!(cli_list_undoing));
        store.undoing.iter().for_each(|setting| text += &undoing(setting));
    }
    if !store.settings.is_empty() {
        text += &title(message!(cli_list_settings));
        for setting in &store.settings {
            let pairs = setting.settings.iter().map(|(name, value)| format!("{name}={value}"));
            let values: Vec<String> = setting.args.iter().cloned().chain(pairs).collect();
            text += &format!("  {} {}{}\n", setting.name, values.join(" "), only_for(&setting.variants));
            text += &format!("    {}\n", described(&setting.reason));
        }
    }
    text
}

fn variants(store: &StoreDescriptor) -> String {
    if store.variants.is_empty() {
        return String::new();
    }
    let mut text = title(message!(cli_list_variants));
    for variant in &store.variants {
        let is_baseline = variant.kind == Some(StoreKind::Baseline);
        let kind = if is_baseline { format!(" [{}]", message!(cli_list_head_no_store)) } else { String::new() };
        text += &format!("  {}:{}{kind}\n    {}\n", store.name, variant.name, described(&variant.summary));
        if let Err(reason) = presence::of_variant(store, variant) {
            let line = message!(cli_list_missing_reason, reason);
            let remedy = variant.debian.as_ref().map(|command| format!("    {command}\n")).unwrap_or_default();
            text += &format!("    {line}\n{remedy}");
        }
    }
    text
}

fn durability(setting: &Durability) -> String {
    let mut marks = Vec::new();
    marks.extend(setting.default.then(|| message!(cli_list_as_shipped).to_string()));
    marks.extend(setting.by_name_only.then(|| message!(cli_list_by_name).to_string()));
    let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join("; ")) };
    let only = only_for(if setting.variants.is_empty() { &setting.clients } else { &setting.variants });
    let Durability { window, kill, power, integrity, reason, source, .. } = setting;
    let proof: Vec<String> = setting.proof.iter().map(|proof| proof.words().to_string()).collect();
    format!(
        "  {} ({}){marks}{only}\n    {}\n    {}\n    {}\n    {}\n",
        setting.name,
        setting.guarantee().level(),
        can_lose(window, *kill, *power, *integrity),
        described(reason),
        message!(cli_list_source, source),
        message!(cli_list_proof, proof)
    )
}

/// What can be lost: in the words of the descriptor, and by kind of fault.
fn can_lose(window: &str, kill: Loss, power: Loss, integrity: Integrity) -> Message {
    let (kill, power) = (phrases::loss_in_short(kill), phrases::loss_in_short(power));
    message!(cli_list_can_lose, window, kill, power, integrity)
}

fn undoing(setting: &WeakeningRule) -> String {
    let WeakeningRule { window, kill, power, integrity, source, .. } = setting;
    let conditions = [
        (!setting.when.is_empty()).then(|| message!(cli_list_is, values = &setting.when)),
        (!setting.unless.is_empty()).then(|| message!(cli_list_is_not, values = &setting.unless)),
        (!setting.holds.is_empty()).then(|| message!(cli_list_holds, values = &setting.holds)),
    ];
    let conditions: String = conditions.into_iter().flatten().map(|condition| format!(" {condition}")).collect();
    format!(
        "  {}{conditions}{}\n    {}\n    {}\n",
        setting.setting,
        only_for(&setting.variants),
        can_lose(window, *kill, *power, *integrity),
        message!(cli_list_source, source)
    )
}

fn only_for(variants: &[String]) -> String {
    if variants.is_empty() { String::new() } else { format!(" ({})", message!(cli_list_only_for, names = variants)) }
}

/// The hellos of these candidates' clients, which are started for it, with their servers where they have one.
fn hellos_of(inventory: &Inventory<'_>, names: &[String]) -> anyhow::Result<Hellos> {
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
        observer: &NoObserver,
    };
    let options = Options {
        dir: default_dir().to_path_buf(),
        out: Default::default(),
        keep: DataRetention::Nothing,
        remote: Remote::Refused,
        evictions: Evictions::Refused,
        own_server: None,
        others: OtherPrograms::Borne,
        command: String::new(),
    };
    Ok(hellos(&study, &setting, &options)?)
}

/// What each variant can do, as its client says.
fn abilities(store: &StoreDescriptor, is_here: bool, inventory: &Inventory<'_>) -> String {
    let mut text = title(message!(cli_list_abilities));
    if !is_here {
        return format!("{text}  {}\n", message!(cli_list_abilities_later));
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
            None => anyhow::bail!(message!(cli_list_no_client)),
        });
        let unknown = |error: anyhow::Error| format!("    {}\n", message!(cli_list_abilities_unknown, error));
        let words = hello.map_or_else(unknown, |hello| ability(&hello));
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
    let mut line =
        |label: Message, value: String| text += &format!("    {}{value}\n", fold::padded(&label.to_string(), 14));
    let transactions = if can.transactions { message!(cli_list_yes) } else { message!(cli_list_no) };
    let most = can.max_depth;
    let depth = if can.batch { message!(cli_list_up_to_batches, most) } else { message!(cli_list_up_to, most) };
    line(message!(word_operations), operations.join(", "));
    line(message!(cli_list_label_keys), keys.join(", "));
    line(message!(cli_list_label_paths), paths.join(", "));
    line(message!(cli_list_label_scopes), scopes.join(", "));
    line(message!(cli_list_label_transactions), transactions.to_string());
    line(message!(cli_list_label_connections), message!(cli_list_up_to, most = can.max_connections).to_string());
    line(message!(cli_list_label_depth), depth.to_string());
    line(message!(word_value), message!(cli_list_up_to_bytes, most = can.max_value_bytes).to_string());
    if !libraries.is_empty() {
        line(message!(cli_list_label_libraries), libraries.join(", "));
    }
    text
}
