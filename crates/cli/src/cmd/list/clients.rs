//! `kurabe list clients`: the clients and load tools, and what of them is here.

use kurabe_study::{ClientDescriptor, ClientDriver, StudyError};

use super::{Kind, RUST};
use crate::cmd::presence::Inventory;

/// Every client, by what it can drive here.
pub fn all(inventory: &Inventory<'_>) -> String {
    let blocks = inventory.catalogue.clients().iter().map(|client| block(inventory, client));
    std::iter::once(rust(inventory)).chain(blocks).collect::<String>() + CHOSEN
}

/// How a client is chosen.
const CHOSEN: &str =
    "\nA client is chosen by +NAME or +NAME:DRIVER, as in: kurabe run quick --stores sqlite,sqlite+python\n";

/// One client, with what a candidate may set of it.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    if name == RUST {
        return Ok(rust(inventory) + CHOSEN);
    }
    let known = || Kind::Clients.names(inventory.catalogue);
    let unknown = || StudyError::Unknown { what: "client", name: name.to_string(), known: known() };
    let client = inventory.catalogue.client(name).ok_or_else(unknown)?;
    let mut text = format!("{}\n\n{}", client.title, block(inventory, client));
    if !client.options.is_empty() {
        text += "\nSettings of a candidate:\n";
    }
    for option in &client.options {
        text += &format!("  {}={}\n    {}\n", option.name, option.default, option.reason);
    }
    Ok(text + CHOSEN)
}

fn rust(inventory: &Inventory<'_>) -> String {
    let mut text = format!("{RUST:<10}every store\n          built in\n");
    for store in inventory.catalogue.stores().iter().filter(|store| !store.drivers.is_empty()) {
        let names: Vec<&str> = store.drivers.iter().map(|driver| driver.name.as_str()).collect();
        text += &format!("          {} by {}\n", store.name, names.join(" or "));
    }
    text
}

/// What a client can drive. Stores of one state stand together: what is missing is mostly missing for all.
fn block(inventory: &Inventory<'_>, client: &ClientDescriptor) -> String {
    let lacks = inventory.lacks_for_client(client).map(|lack| lack.words(&format!("+{}", client.name)));
    let mut states: Vec<(String, Vec<String>)> = Vec::new();
    for store in &client.stores {
        let drivers: Vec<Option<&ClientDriver>> = match client.drivers_of(store).map(Some).collect::<Vec<_>>() {
            none if none.is_empty() => vec![None],
            some => some,
        };
        for driver in drivers {
            let state = lacks.clone().unwrap_or_else(|| state(inventory, client, driver, store));
            let name = driver.map_or_else(|| store.clone(), |driver| format!("{store} by {}", driver.name));
            match states.iter_mut().find(|(known, _)| *known == state) {
                Some((_, names)) => names.push(name),
                None => states.push((state, vec![name])),
            }
        }
    }
    let mut text = String::new();
    for (state, names) in states {
        text += &format!("{:<10}{}\n", client.name, names.join(", "));
        state.lines().for_each(|line| text += &format!("          {line}\n"));
    }
    text
}

/// Whether a client that can be started can drive a store.
fn state(inventory: &Inventory<'_>, client: &ClientDescriptor, driver: Option<&ClientDriver>, store: &str) -> String {
    match inventory.lacks_for_store(client, driver, store) {
        Some(lack) => lack.words(&format!("+{}", client.name)),
        None if client.load_tool => "ready; a load tool: its answers are not checked, and it is never ranked".into(),
        None => "ready".into(),
    }
}
