//! `kurabe stacks`: services that can stand before a store, and what of them is here.

use std::collections::BTreeMap;

use kurabe_harness::Clients;
use kurabe_service::find;
use kurabe_study::StackDescriptor;

#[derive(clap::Args, Debug)]
pub struct Args {}

pub fn run(_: &Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let state = |stack: &StackDescriptor| {
        if let Some((reason, install)) = clients.lacks_for_stack(&catalogue, stack) {
            return match install {
                Some(install) => format!("{reason}\n          what it takes: {install}"),
                None => reason,
            };
        }
        match find(&stack.service, &clients.places(BTreeMap::new()), &guardian) {
            Ok(found) => found.version.map_or_else(|| "ready".to_string(), |version| format!("ready: {version}")),
            Err(missing) => match &stack.install {
                Some(install) => format!("missing: {missing}; get it with:\n          {install}"),
                None => format!("missing: {missing}"),
            },
        }
    };
    let mut text = String::new();
    for stack in catalogue.stacks() {
        let stores = stack.before.iter().flat_map(|before| &before.stores).map(|store| match store.as_str() {
            "*" => "every store of the Rust client",
            store => store,
        });
        let stores = stores.collect::<Vec<_>>().join(", ");
        let (name, title, summary, state) = (&stack.name, &stack.title, &stack.summary, state(stack));
        text += &format!("{name:<10}{title}, before {stores}\n          {summary}\n          {state}\n");
    }
    text += "\nA stack stands behind the store and a slash, as in: kurabe run board --stores sqlite,sqlite/serve\n";
    super::say(&super::folded(&text))?;
    Ok(crate::status::GOOD)
}
