//! `kurabe apps`: services that can stand before a store, what of them is here, and how they are built.

use anyhow::Context;
use kurabe_harness::{Clients, HarnessError};
use kurabe_service::Guardian;
use kurabe_study::{AppDescriptor, Catalogue, StudyError};

use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Build these apps now, or all that have to be built; else the first run that needs one does it
    #[arg(long, value_name = "NAME", num_args = 0..)]
    build: Option<Vec<String>>,
}

pub fn run(args: &Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients { interrupt: interrupt::watch().context("cannot watch for Ctrl-C")?, ..Clients::usual()? };
    let guardian = super::guardian(&clients)?;
    let mut status = crate::status::GOOD;
    if let Some(names) = &args.build {
        for app in wanted(&catalogue, names)? {
            if !build(&catalogue, &clients, &guardian, app)? {
                status = crate::status::FAILED;
            }
        }
    }
    let mut text = String::new();
    for app in catalogue.apps() {
        let (name, title, summary) = (&app.name, &app.title, &app.summary);
        let (stores, state) = (stores(app), state(&catalogue, &clients, &guardian, app));
        text += &format!("{name:<10}{title}, before {stores}\n          {summary}\n          {state}\n");
    }
    text += "\nAn app stands behind the store and a slash, as in: kurabe run board --stores sqlite,sqlite/serve\n";
    super::say(&super::folded(&text))?;
    Ok(status)
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

/// Whether it is here. Nothing is built for the answer.
fn state(catalogue: &Catalogue, clients: &Clients, guardian: &Guardian, app: &AppDescriptor) -> String {
    if let Some((reason, remedy)) = clients.lacks_for_app(catalogue, app, guardian) {
        let remedy = remedy.map(|remedy| format!("; get it with:\n          {remedy}")).unwrap_or_default();
        return format!("missing: {reason}{remedy}");
    }
    if !clients.app_is_built(catalogue, app) {
        let name = &app.name;
        return format!("not built yet: 'kurabe apps --build {name}' or the first run with it does that");
    }
    match clients.find_app(app, guardian) {
        Ok(Some(version)) => format!("ready: {version}"),
        _ => "ready".to_string(),
    }
}

/// The apps of these names, or all that have to be built.
fn wanted<'a>(catalogue: &'a Catalogue, names: &[String]) -> Result<Vec<&'a AppDescriptor>, StudyError> {
    if names.is_empty() {
        return Ok(catalogue.apps().iter().filter(|app| app.build.is_some()).collect());
    }
    names.iter().map(|name| catalogue.app(name)).collect()
}

/// Builds an app and says what is in the way; `false` where something is.
fn build(catalogue: &Catalogue, clients: &Clients, guardian: &Guardian, app: &AppDescriptor) -> anyhow::Result<bool> {
    if clients.app_is_built(catalogue, app) {
        crate::tell::tell(&format!("kurabe: of the app '{}' there is nothing to build", app.name));
        return Ok(true);
    }
    let built = clients.app_places(catalogue, app, guardian);
    if clients.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(HarnessError::Interrupted.into());
    }
    match built {
        Ok(_) => Ok(true),
        Err((reason, remedy)) => {
            let remedy = remedy.map(|remedy| format!("; what it takes comes with: {remedy}")).unwrap_or_default();
            crate::tell::tell(&format!("kurabe: {reason}{remedy}"));
            Ok(false)
        }
    }
}
