//! `kurabe stores`: what is here, what is missing, how to get it; one store in full.

use comfy_table::{ContentArrangement, Table, presets};
use kurabe_harness::resolve::{Remote, default_dir};
use kurabe_harness::run::{Receipts, Setting, receipts};
use kurabe_harness::{Clients, Options};
use kurabe_harness::{Evictions, Keep, Observer};
use kurabe_protocol::Hello;
use kurabe_record::{Floor, StoreKind};
use kurabe_service::Guardian;
use kurabe_study::{Catalogue, Durability, Overrides, Probe, StoreDescriptor, Study, Undoing, Variant};

use super::presence;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Show one store in full
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = Catalogue::builtin()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let asked = Asked { catalogue: &catalogue, clients: &clients, guardian: &guardian };
    match args.name {
        Some(name) => {
            let store = catalogue.store(&name)?;
            let found = presence::of(store, &clients, &guardian);
            super::say(&(one(store, &found) + &abilities(store, found.is_ok(), &asked)))?;
        }
        None => super::say(&all(catalogue.stores(), &asked))?,
    }
    Ok(crate::status::GOOD)
}

fn all(stores: &[StoreDescriptor], asked: &Asked<'_>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(super::terminal_style(std::path::Path::new(""), false).width.clamp(60, 160) as u16);
    table.set_header(["store", "what", "here", "classes", "variants", "clients"]);
    let all = here(stores, asked);
    for (store, here) in stores.iter().zip(&all) {
        let (Ok(here) | Err(here)) = here;
        // A setting that Kurabe never chooses gives no class that one could ask for.
        let mut classes: Vec<_> =
            store.durability.iter().filter(|setting| !setting.by_name_only).map(|setting| setting.class).collect();
        classes.sort();
        classes.dedup();
        let classes: Vec<&str> = classes.iter().map(|class| class.word()).collect();
        let classes = if classes.is_empty() { "by name only".to_string() } else { classes.join(" ") };
        let what = if store.kind == StoreKind::Floor { "not a store" } else { store.title.as_str() };
        let variants: Vec<&str> = store.variants.iter().map(|variant| variant.name.as_str()).collect();
        let clients = store.clients.join(" ");
        table.add_row([&store.name, what, here, &classes, &variants.join(" "), &clients]);
    }
    let present = stores.iter().zip(&all).filter(|(_, here)| here.is_ok());
    let mut missing: String = present.flat_map(|(store, _)| missing_variants(store)).collect();
    if !missing.is_empty() {
        missing.push('\n');
    }
    format!(
        "{table}\n\n{missing}kurabe stores NAME shows durability settings, windows of loss, sources and operations; \
         kurabe setup NAME installs what is missing.\n"
    )
}

/// Where each store is, and its version in short where it is told; otherwise that it is missing, and the remedy.
fn here(stores: &[StoreDescriptor], asked: &Asked<'_>) -> Vec<Result<String, String>> {
    let found: Vec<_> = stores
        .iter()
        .map(|store| presence::of(store, asked.clients, asked.guardian).map_err(|_| store.remedy()))
        .collect();
    // Only a client can ask the library that it uses for its version; to list what is here none is built.
    let ready = |store: &StoreDescriptor| {
        store.clients.first().is_none_or(|client| asked.clients.is_ready(asked.catalogue, client))
    };
    let embedded: Vec<String> = stores
        .iter()
        .zip(&found)
        .filter(|(store, found)| found.is_ok() && store.service.is_none() && store.kind != StoreKind::Floor)
        .filter(|(store, _)| ready(store))
        .map(|(store, _)| store.name.clone())
        .collect();
    // Where none can be asked, `kurabe stores NAME` tells why.
    let told = asked.receipts(&embedded).unwrap_or_default();
    let library = |store: &StoreDescriptor| {
        let (_, receipt) = told.iter().find(|(name, _)| *name == store.name)?;
        receipt.as_ref().ok()?.libraries.values().find_map(|version| presence::short_version(version))
    };
    let cell = |(store, found): (&StoreDescriptor, Result<String, String>)| {
        let found = found.map_err(|remedy| format!("missing; {remedy}"))?;
        if store.service.is_some() {
            return Ok(presence::short_version(&found).unwrap_or(found));
        }
        let place = match store.install.probe {
            Probe::Library => "library",
            _ if ready(store) => "built in",
            _ => "in a client that is built when it is needed",
        };
        Ok(library(store).map_or_else(|| place.to_string(), |version| format!("{place}, {version}")))
    };
    stores.iter().zip(found).map(cell).collect()
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

fn one(store: &StoreDescriptor, presence: &Result<String, String>) -> String {
    let mut text = format!("{} ({})\n{}\n\n", store.title, store.name, store.summary);
    let mut line = |name: &str, value: &str| text += &format!("{name:<12}{value}\n");
    line("licence", &store.licence);
    line("read", &store.homepage);
    line("clients", &store.clients.join(", "));
    match presence {
        Ok(version) => line("here", version),
        Err(reason) => line("missing", reason),
    }
    if presence.is_err() {
        let by_setup = || format!("kurabe setup {}", store.name);
        line("get it", &store.install.by_hand.clone().unwrap_or_else(by_setup));
    }
    store.install.debian.iter().for_each(|command| line("install", command));
    store.install.other.iter().for_each(|place| line("elsewhere", place));
    if !store.install.libraries.is_empty() {
        line("library", &store.install.libraries.join(", "));
    }
    text += &variants(store);
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
        let kind = if variant.kind == Some(StoreKind::Floor) { " [not a store]" } else { "" };
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
    marks.extend(setting.by_name_only.then_some("never chosen by Kurabe: may corrupt or need repair"));
    let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join("; ")) };
    format!(
        "  {} ({}){marks}{}\n    can lose: {}\n    {}\n    source: {}\n",
        setting.name,
        setting.class,
        only_for(&setting.variants),
        setting.window,
        setting.reason,
        setting.source
    )
}

fn undoing(setting: &Undoing) -> String {
    let values = |word: &str, values: &[String]| match values {
        [] => String::new(),
        values => format!(" {word} {}", values.join(" or ")),
    };
    format!(
        "  {}{}{}{} ({} at most){}\n    can lose: {}\n    source: {}\n",
        setting.setting,
        values("is", &setting.when),
        values("is not", &setting.unless),
        values("holds", &setting.holds),
        setting.class,
        only_for(&setting.variants),
        setting.window,
        setting.source
    )
}

fn only_for(variants: &[String]) -> String {
    if variants.is_empty() { String::new() } else { format!(" (only for {})", variants.join(", ")) }
}

/// What a receipt is asked with.
struct Asked<'a> {
    catalogue: &'a Catalogue,
    clients: &'a Clients,
    guardian: &'a Guardian,
}

struct Silent;
impl Observer for Silent {}

impl Asked<'_> {
    /// The receipts of these candidates' clients, which are started for it, with their servers where they have one.
    fn receipts(&self, names: &[String]) -> anyhow::Result<Receipts> {
        let overrides = Overrides {
            stores: names.to_vec(),
            durability: Some(Floor::Default),
            rows: Some(1),
            ..Overrides::default()
        };
        let study = Study::open(self.catalogue, "quick", &overrides)?;
        let setting =
            Setting { catalogue: self.catalogue, clients: self.clients, guardian: self.guardian, observer: &Silent };
        let options = Options {
            dir: default_dir().to_path_buf(),
            out: Default::default(),
            keep: Keep::Nothing,
            remote: Remote::Refused,
            evictions: Evictions::Refused,
            command: String::new(),
        };
        Ok(receipts(&study, &setting, &options)?)
    }
}

/// What each variant can do, as its client says.
fn abilities(store: &StoreDescriptor, is_here: bool, asked: &Asked<'_>) -> String {
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
        let receipt = asked.receipts(std::slice::from_ref(&name)).and_then(|told| match told.into_iter().next() {
            Some((_, receipt)) => receipt.map_err(anyhow::Error::msg),
            None => anyhow::bail!("no client was asked"),
        });
        let words = receipt.map_or_else(|error| format!("    not known: {error}\n"), |hello| ability(&hello));
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
