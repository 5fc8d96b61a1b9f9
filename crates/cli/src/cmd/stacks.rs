//! `kurabe stacks`: services that can stand before a store, what of them is here, and how they are built.

use anyhow::Context;
use kurabe_harness::{Clients, HarnessError};
use kurabe_service::Guardian;
use kurabe_study::{Catalogue, StackDescriptor, StudyError};

use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Build these stacks now, or all that have to be built; else the first run that needs one does it
    #[arg(long, value_name = "NAME", num_args = 0..)]
    build: Option<Vec<String>>,
}

pub fn run(args: &Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients { interrupt: interrupt::watch().context("cannot watch for Ctrl-C")?, ..Clients::usual()? };
    let guardian = super::guardian(&clients)?;
    let mut status = crate::status::GOOD;
    if let Some(names) = &args.build {
        for stack in wanted(&catalogue, names)? {
            if !build(&catalogue, &clients, &guardian, stack)? {
                status = crate::status::FAILED;
            }
        }
    }
    let mut text = String::new();
    for stack in catalogue.stacks() {
        let (name, title, summary) = (&stack.name, &stack.title, &stack.summary);
        let (stores, state) = (stores(stack), state(&catalogue, &clients, &guardian, stack));
        text += &format!("{name:<10}{title}, before {stores}\n          {summary}\n          {state}\n");
    }
    text += "\nA stack stands behind the store and a slash, as in: kurabe run board --stores sqlite,sqlite/serve\n";
    super::say(&super::folded(&text))?;
    Ok(status)
}

/// What it stands before, in words.
fn stores(stack: &StackDescriptor) -> String {
    if stack.is_front {
        return "any other of them".to_string();
    }
    let stores = stack.before.iter().flat_map(|before| &before.stores).map(|store| match store.as_str() {
        "*" => "every store of the Rust client",
        store => store,
    });
    stores.collect::<Vec<_>>().join(", ")
}

/// Whether it is here. Nothing is built for the answer.
fn state(catalogue: &Catalogue, clients: &Clients, guardian: &Guardian, stack: &StackDescriptor) -> String {
    if let Some((reason, remedy)) = clients.lacks_for_stack(catalogue, stack, guardian) {
        let remedy = remedy.map(|remedy| format!("; get it with:\n          {remedy}")).unwrap_or_default();
        return format!("missing: {reason}{remedy}");
    }
    if !clients.stack_is_built(catalogue, stack) {
        let name = &stack.name;
        return format!("not built yet: 'kurabe stacks --build {name}' or the first run with it does that");
    }
    match clients.find_stack(stack, guardian) {
        Ok(Some(version)) => format!("ready: {version}"),
        _ => "ready".to_string(),
    }
}

/// The stacks of these names, or all that have to be built.
fn wanted<'a>(catalogue: &'a Catalogue, names: &[String]) -> Result<Vec<&'a StackDescriptor>, StudyError> {
    if names.is_empty() {
        return Ok(catalogue.stacks().iter().filter(|stack| stack.build.is_some()).collect());
    }
    names.iter().map(|name| catalogue.stack(name)).collect()
}

/// Builds a stack and says what is in the way; `false` where something is.
fn build(
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    stack: &StackDescriptor,
) -> anyhow::Result<bool> {
    if clients.stack_is_built(catalogue, stack) {
        crate::tell::tell(&format!("kurabe: of the stack '{}' there is nothing to build", stack.name));
        return Ok(true);
    }
    let built = clients.stack_places(catalogue, stack, guardian);
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
