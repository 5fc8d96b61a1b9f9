//! `kurabe list apps`: services that can stand before a store, and what of them is here.

use kurabe_messages::{Item, Message, described, message};
use kurabe_study::{AppDescriptor, StudyError};

use super::either;
use crate::cmd::presence::Inventory;
use crate::fold;

/// Every app, before what it stands and whether it is here.
pub fn all(inventory: &Inventory<'_>) -> String {
    inventory.catalogue.apps().iter().map(|app| block(inventory, app)).collect::<String>() + &chosen()
}

/// How an app is chosen.
fn chosen() -> String {
    format!("\n{}\n", message!(cli_list_choose_app))
}

/// One app, with what a candidate may set of it.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    let app = inventory.catalogue.app(name)?;
    let mut text = block(inventory, app);
    for (label, value) in [(message!(word_licence), &app.licence), (message!(cli_list_label_read), &app.homepage)] {
        text += &format!("          {}{value}\n", fold::padded(&label.to_string(), 12));
    }
    if !app.options.is_empty() {
        text += &format!("\n{}\n", message!(cli_list_candidate_settings_first));
    }
    for option in &app.options {
        text += &format!("  {}={}\n", option.name, either(&option.values));
    }
    Ok(text + &chosen())
}

fn block(inventory: &Inventory<'_>, app: &AppDescriptor) -> String {
    let (name, summary) = (&app.name, described(&app.summary));
    let app_line = message!(cli_list_app, title = described(&app.title), stores = stores(app));
    let mut text = format!("{name:<10}{app_line}\n          {summary}\n");
    state(inventory, app).to_string().lines().for_each(|line| text += &format!("          {line}\n"));
    text
}

/// What it stands before, in words.
fn stores(app: &AppDescriptor) -> Message {
    if app.is_proxy {
        return message!(cli_list_any_app);
    }
    let mut stores: Vec<&String> = Vec::new();
    for store in app.before.iter().flat_map(|before| &before.stores) {
        if !stores.contains(&store) {
            stores.push(store);
        }
    }
    let stores = stores.into_iter().map(|store| match store.as_str() {
        "*" => Item::from(message!(cli_list_rust_stores)),
        store => Item::from(store),
    });
    message!(cli_list_app_stores, stores = stores.collect::<Vec<Item>>())
}

/// Whether it is here.
fn state(inventory: &Inventory<'_>, app: &AppDescriptor) -> Message {
    if let Some(lack) = inventory.lacks_for_app(app) {
        return lack.message(&format!("/{}", app.name));
    }
    match inventory.clients.find_app(app, inventory.guardian) {
        Ok(Some(version)) => message!(cli_list_ready_version, version),
        _ => message!(cli_list_ready),
    }
}
