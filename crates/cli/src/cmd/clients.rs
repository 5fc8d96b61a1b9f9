//! `kurabe clients`: the clients in other languages, what of them is here, and how it is built.

use anyhow::Context;
use kurabe_harness::{Clients, HarnessError};
use kurabe_service::Guardian;
use kurabe_study::{Catalogue, ClientDescriptor, ClientDriver, StudyError};

use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Build these clients now, or all that have to be built; else the first run that needs one does it
    #[arg(long, value_name = "NAME", num_args = 0..)]
    build: Option<Vec<String>>,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients { interrupt: interrupt::watch().context("cannot watch for Ctrl-C")?, ..Clients::usual()? };
    let guardian = super::guardian(&clients)?;
    let mut status = crate::status::GOOD;
    if let Some(names) = &args.build {
        for client in wanted(&catalogue, names)? {
            if !build(&catalogue, &clients, &guardian, client)? {
                status = crate::status::FAILED;
            }
        }
    }
    let mut text = "rust      every store\n          built in\n".to_string();
    for store in catalogue.stores().iter().filter(|store| !store.drivers.is_empty()) {
        let names: Vec<&str> = store.drivers.iter().map(|driver| driver.name.as_str()).collect();
        text += &format!("          {} by {}\n", store.name, names.join(" or "));
    }
    for client in catalogue.clients() {
        clients.write_sources(&catalogue, client)?;
        // Stores of one state stand together: what is missing is mostly missing for all.
        let mut states: Vec<(String, Vec<String>)> = Vec::new();
        for store in &client.stores {
            let drivers: Vec<Option<&ClientDriver>> = match client.drivers_of(store).map(Some).collect::<Vec<_>>() {
                none if none.is_empty() => vec![None],
                some => some,
            };
            for driver in drivers {
                let state = state(&catalogue, &clients, &guardian, (client, driver), store);
                let name = driver.map_or_else(|| store.clone(), |driver| format!("{store} by {}", driver.name));
                match states.iter_mut().find(|(known, _)| *known == state) {
                    Some((_, names)) => names.push(name),
                    None => states.push((state, vec![name])),
                }
            }
        }
        for (state, names) in states {
            text += &format!("{:<10}{}\n", client.name, names.join(", "));
            state.lines().for_each(|line| text += &format!("          {line}\n"));
        }
    }
    text += "\nA client is chosen by +NAME or +NAME:DRIVER, as in: kurabe run quick --stores sqlite,sqlite+python\n";
    super::say(&super::folded(&text))?;
    Ok(status)
}

/// Whether a client can drive a store. Nothing is built for the answer.
fn state(
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    (client, driver): (&ClientDescriptor, Option<&ClientDriver>),
    store: &str,
) -> String {
    let missing = |(reason, remedy): (String, Option<String>)| match remedy {
        Some(remedy) => format!("missing: {reason}; get it with:\n{remedy}"),
        None => format!("missing: {reason}"),
    };
    if client.build.is_some() && !clients.is_ready(catalogue, &client.name) {
        return match clients.lacks_for_build(catalogue, client) {
            Some(lacking) => missing(lacking),
            None => {
                format!("not built yet: 'kurabe clients --build {}' or the first run with it does that", client.name)
            }
        };
    }
    match clients.probe(catalogue, client, driver, store, guardian) {
        Ok(()) if client.load_tool => {
            "ready; a load tool: its answers are not checked, and it is never ranked".to_string()
        }
        Ok(()) => "ready".to_string(),
        Err(lacking) => missing(lacking),
    }
}

/// The clients of these names, or all that have to be built.
fn wanted<'a>(catalogue: &'a Catalogue, names: &[String]) -> Result<Vec<&'a ClientDescriptor>, StudyError> {
    if names.is_empty() {
        return Ok(catalogue.clients().iter().filter(|client| client.build.is_some()).collect());
    }
    let known = || catalogue.clients().iter().map(|client| client.name.clone()).collect();
    let of_name = |name: &String| {
        let unknown = || StudyError::Unknown { what: "client", name: name.clone(), known: known() };
        catalogue.client(name).ok_or_else(unknown)
    };
    names.iter().map(of_name).collect()
}

/// Builds a client and says so; `false` where that failed, which is said too.
fn build(
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    client: &ClientDescriptor,
) -> anyhow::Result<bool> {
    let name = &client.name;
    clients.write_sources(catalogue, client)?;
    if client.build.is_none() {
        crate::tell::tell(&format!("kurabe: the {name} client runs from its sources; there is nothing to build"));
        return Ok(true);
    }
    if clients.is_ready(catalogue, name) {
        crate::tell::tell(&format!("kurabe: the {name} client is built already"));
        return Ok(true);
    }
    let built = clients.build(catalogue, client, guardian);
    if clients.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(HarnessError::Interrupted.into());
    }
    match built {
        Ok(()) => Ok(true),
        Err((reason, remedy)) => {
            let remedy = remedy.map(|remedy| format!("; what it takes comes with: {remedy}")).unwrap_or_default();
            crate::tell::tell(&format!("kurabe: {reason}{remedy}"));
            Ok(false)
        }
    }
}
