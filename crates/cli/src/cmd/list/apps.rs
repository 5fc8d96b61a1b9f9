//! `kurabe list apps`: services that can stand before a store, and what of them is here.

use kurabe_study::{AppDescriptor, StudyError};

use crate::cmd::presence::Inventory;

/// Every app, before what it stands and whether it is here.
pub fn all(inventory: &Inventory<'_>) -> String {
    inventory.catalogue.apps().iter().map(|app| block(inventory, app)).collect::<String>() + CHOSEN
}

/// How an app is chosen.
const CHOSEN: &str =
    "\nAn app stands behind the store and a slash, as in: kurabe run board --stores sqlite,sqlite/serve\n";

/// One app, with what a candidate may set of it.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    let app = inventory.catalogue.app(name)?;
    let mut text = block(inventory, app);
    text += &format!("          licence  {}\n          read     {}\n", app.licence, app.homepage);
    if !app.options.is_empty() {
        text += "\nSettings of a candidate; the first value is the usual one:\n";
    }
    for option in &app.options {
        text += &format!("  {}={}\n", option.name, option.values.join(" or "));
    }
    Ok(text + CHOSEN)
}

fn block(inventory: &Inventory<'_>, app: &AppDescriptor) -> String {
    let (name, title, summary, stores) = (&app.name, &app.title, &app.summary, stores(app));
    let mut text = format!("{name:<10}{title}, before {stores}\n          {summary}\n");
    state(inventory, app).lines().for_each(|line| text += &format!("          {line}\n"));
    text
}

/// What it stands before, in words.
fn stores(app: &AppDescriptor) -> String {
    if app.is_proxy {
        return "any other of them".to_string();
    }
    let stores = app.before.iter().flat_map(|before| &before.stores).map(|store| match store.as_str() {
        "*" => "every store of the Rust client",
        store => store,
    });
    stores.collect::<Vec<_>>().join(", ")
}

/// Whether it is here.
fn state(inventory: &Inventory<'_>, app: &AppDescriptor) -> String {
    if let Some(lack) = inventory.lacks_for_app(app) {
        return lack.words(&format!("/{}", app.name));
    }
    match inventory.clients.find_app(app, inventory.guardian) {
        Ok(Some(version)) => format!("ready: {version}"),
        _ => "ready".to_string(),
    }
}
