//! `kurabe list clients`: the clients and load tools, and what of them is here.

use kurabe_messages::{described, message};
use kurabe_study::{ClientDescriptor, ClientDriver, StudyError};

use super::{Kind, RUST, either};
use crate::cmd::presence::Inventory;

/// Every client, by what it can drive here.
pub fn all(inventory: &Inventory<'_>) -> String {
    let blocks = inventory.catalogue.clients().iter().map(|client| block(inventory, client));
    std::iter::once(rust(inventory)).chain(blocks).collect::<String>() + &chosen()
}

/// How a client is chosen.
fn chosen() -> String {
    format!("\n{}\n", message!(cli_list_choose_client))
}

/// One client, with what a candidate may set of it.
pub fn one(inventory: &Inventory<'_>, name: &str) -> Result<String, StudyError> {
    if name == RUST {
        return Ok(rust(inventory) + &chosen());
    }
    let known = || Kind::Clients.names(inventory.catalogue);
    let unknown = || StudyError::Unknown { what: "client", name: name.to_string(), known: known() };
    let client = inventory.catalogue.client(name).ok_or_else(unknown)?;
    let mut text = format!("{}\n\n{}", described(&client.title), block(inventory, client));
    if !client.options.is_empty() {
        text += &format!("\n{}\n", message!(cli_list_candidate_settings));
    }
    for option in &client.options {
        text += &format!("  {}={}\n    {}\n", option.name, option.default, described(&option.reason));
    }
    Ok(text + &chosen())
}

fn rust(inventory: &Inventory<'_>) -> String {
    let (stores, state) = (message!(cli_list_every_store), message!(cli_list_built_in));
    let mut text = format!("{RUST:<10}{stores}\n          {state}\n");
    for store in inventory.catalogue.stores().iter().filter(|store| !store.drivers.is_empty()) {
        let names: Vec<String> = store.drivers.iter().map(|driver| driver.name.clone()).collect();
        let line = message!(cli_list_by_drivers, store = &store.name, drivers = either(&names));
        text += &format!("          {line}\n");
    }
    text
}

/// What a client can drive. Stores of one state stand together: what is missing is mostly missing for all.
fn block(inventory: &Inventory<'_>, client: &ClientDescriptor) -> String {
    let lacks = inventory.lacks_for_client(client).map(|lack| lack.message(&format!("+{}", client.name)).to_string());
    let mut states: Vec<(String, Vec<String>)> = Vec::new();
    for store in &client.stores {
        let drivers: Vec<Option<&ClientDriver>> = match client.drivers_of(store).map(Some).collect::<Vec<_>>() {
            none if none.is_empty() => vec![None],
            some => some,
        };
        for driver in drivers {
            let state = lacks.clone().unwrap_or_else(|| state(inventory, client, driver, store));
            let name = driver.map_or_else(
                || store.clone(),
                |driver| {
                    let line = message!(cli_list_by_drivers, store, drivers = &driver.name);
                    line.to_string()
                },
            );
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
        Some(lack) => lack.message(&format!("+{}", client.name)).to_string(),
        None if client.load_tool => message!(cli_list_ready_tool).to_string(),
        None => message!(cli_list_ready).to_string(),
    }
}
