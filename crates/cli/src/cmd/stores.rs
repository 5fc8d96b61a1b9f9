//! `kurabe stores`: what is here, what is missing, how to get it.

use std::collections::BTreeMap;

use comfy_table::{ContentArrangement, Table, presets};
use kurabe_harness::Clients;
use kurabe_record::StoreKind;
use kurabe_service::find;
use kurabe_study::{Catalogue, StoreDescriptor};

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
    let presence = |store: &StoreDescriptor| match &store.service {
        None => Ok("built in".to_string()),
        Some(service) => match find(service, &BTreeMap::new(), &guardian) {
            Ok(found) => Ok(found.version.unwrap_or_else(|| "found".into())),
            Err(error) => Err(error.to_string()),
        },
    };
    match args.name {
        Some(name) => super::say(&one(catalogue.store(&name)?, &presence(catalogue.store(&name)?)))?,
        None => super::say(&all(catalogue.stores(), presence))?,
    }
    Ok(crate::status::GOOD)
}

fn all(stores: &[StoreDescriptor], presence: impl Fn(&StoreDescriptor) -> Result<String, String>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(super::terminal_style(std::path::Path::new("")).width.clamp(60, 160) as u16);
    table.set_header(["store", "what", "here", "classes", "clients"]);
    for store in stores {
        let here = match presence(store) {
            Ok(version) => version,
            Err(_) => match &store.install.debian {
                Some(command) => format!("missing; {command}"),
                None => "missing".into(),
            },
        };
        let mut classes: Vec<&str> = store.durability.iter().map(|setting| setting.class.word()).collect();
        classes.dedup();
        let what = if store.kind == StoreKind::Floor { "not a store" } else { store.title.as_str() };
        table.add_row([&store.name, what, &here, &classes.join(" "), &store.clients.join(" ")]);
    }
    format!("{table}\n\nkurabe stores NAME shows durability settings, windows of loss and sources.\n")
}

fn one(store: &StoreDescriptor, presence: &Result<String, String>) -> String {
    let mut text = format!("{} ({})\n{}\n\n", store.title, store.name, store.summary);
    let mut line = |name: &str, value: &str| text += &format!("{name:<12}{value}\n");
    line("licence", &store.licence);
    line("read", &store.homepage);
    line("clients", &store.clients.join(", "));
    if !store.variants.is_empty() {
        let names: Vec<&str> = store.variants.iter().map(|variant| variant.name.as_str()).collect();
        line("variants", &names.join(", "));
    }
    match presence {
        Ok(version) => line("here", version),
        Err(reason) => line("missing", reason),
    }
    store.install.debian.iter().for_each(|command| line("install", command));
    store.install.other.iter().for_each(|place| line("elsewhere", place));
    text += "\nDurability, from cheapest to dearest:\n";
    for setting in &store.durability {
        let mut marks = Vec::new();
        marks.extend(setting.default.then_some("as shipped"));
        marks.extend(setting.by_name_only.then_some("never chosen by Kurabe: may corrupt or need repair"));
        let marks = if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join("; ")) };
        text += &format!(
            "  {} ({}){marks}\n    can lose: {}\n    {}\n    source: {}\n",
            setting.name, setting.class, setting.window, setting.reason, setting.source
        );
    }
    if !store.settings.is_empty() {
        text += "\nOther settings:\n";
        for setting in &store.settings {
            text += &format!("  {} {}\n    {}\n", setting.name, setting.args.join(" "), setting.reason);
        }
    }
    text
}
