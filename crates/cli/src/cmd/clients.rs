//! `kurabe clients`: the clients in other languages.

use std::collections::BTreeMap;

use kurabe_harness::Clients;
use kurabe_study::Catalogue;

#[derive(clap::Args, Debug)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<i32> {
    let catalogue = Catalogue::builtin()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let mut text = format!("{:<10}{:<12}built in\n", "rust", "every store");
    for client in catalogue.clients() {
        clients.command(&catalogue, &client.name, &BTreeMap::new())?;
        for store in &client.stores {
            let state = match clients.probe(&catalogue, client, store, &guardian) {
                Ok(()) => "ready".to_string(),
                Err((reason, Some(remedy))) => format!("missing: {reason}; get it with: {remedy}"),
                Err((reason, None)) => format!("missing: {reason}"),
            };
            text += &format!("{:<10}{store:<12}{state}\n", client.name);
        }
    }
    text += "\nA client is chosen by +NAME, as in: kurabe run quick --stores sqlite,sqlite+python\n";
    super::say(&text)?;
    Ok(crate::status::GOOD)
}
