//! `kurabe list`: the stores, clients, apps and studies that Kurabe knows, all of a kind or one in full.

mod apps;
mod clients;
mod stores;
pub mod studies;

use kurabe_harness::{Clients, is_here};
use kurabe_messages::{format, language, message};
use kurabe_record::StoreKind;
use kurabe_study::{Catalogue, StoreDescriptor, StudyError, nearest};

use super::presence::Inventory;
use super::{Mistake, folded};
use crate::fold;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "KIND|NAME")]
    what: Option<String>,
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Columns that a line takes at most.
const WIDTH: usize = 80;
/// The client that has no descriptor.
const RUST: &str = "rust";

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Stores,
    Clients,
    Apps,
    Studies,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Stores, Kind::Clients, Kind::Apps, Kind::Studies];

    fn word(self) -> &'static str {
        match self {
            Kind::Stores => "stores",
            Kind::Clients => "clients",
            Kind::Apps => "apps",
            Kind::Studies => "studies",
        }
    }

    /// The kind of this name.
    fn of(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Names of all that are listed.
    fn names(self, catalogue: &Catalogue) -> Vec<String> {
        match self {
            Kind::Stores => catalogue.stores().iter().map(|store| store.name.clone()).collect(),
            Kind::Clients => {
                let clients = catalogue.clients().iter().map(|client| client.name.clone());
                std::iter::once(RUST.to_string()).chain(clients).collect()
            }
            Kind::Apps => catalogue.apps().iter().map(|app| app.name.clone()).collect(),
            Kind::Studies => catalogue.studies(),
        }
    }

    /// Whether something of this kind has the name, though it may not be listed.
    fn has(self, catalogue: &Catalogue, name: &str) -> bool {
        match self {
            Kind::Stores => !matches!(catalogue.store(name), Err(StudyError::Unknown { .. })),
            Kind::Clients => name == RUST || catalogue.client(name).is_some(),
            Kind::Apps => catalogue.app(name).is_ok(),
            Kind::Studies => catalogue.study_text(name).is_ok(),
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let inventory = Inventory { catalogue: &catalogue, clients: &clients, guardian: &guardian };
    let text = match (args.what, args.name) {
        (None, _) => overview(&inventory),
        (Some(what), name) => match (Kind::of(&what), name) {
            (Some(kind), None) => all(kind, &inventory)?,
            (Some(kind), Some(name)) => one(kind, &name, &inventory)?,
            (None, None) => one(kind_of(&what, &catalogue)?, &what, &inventory)?,
            (None, Some(_)) => {
                let known = Kind::ALL.map(|kind| kind.word().to_string()).to_vec();
                return Err(StudyError::Unknown { what: "kind", name: what, known }.into());
            }
        },
    };
    super::say(&text)?;
    Ok(crate::status::GOOD)
}

/// The kind of what has this name.
fn kind_of(name: &str, catalogue: &Catalogue) -> Result<Kind, Mistake> {
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has(catalogue, name)).collect();
    match kinds.as_slice() {
        [kind] => Ok(*kind),
        [] => {
            let kinds = Kind::ALL.iter().map(|kind| kind.word().to_string());
            let known: Vec<String> = kinds.chain(Kind::ALL.iter().flat_map(|kind| kind.names(catalogue))).collect();
            Err(Mistake(match nearest(name, &known) {
                Some(nearest) => message!(cli_list_unknown, name, nearest),
                None => message!(cli_list_unknown_all, name),
            }))
        }
        several => {
            let ways: Vec<String> = several.iter().map(|kind| format!("kurabe list {} {name}", kind.word())).collect();
            Err(Mistake(message!(cli_list_several, name, commands = ways)))
        }
    }
}

/// Values of which one is chosen, without quotes.
fn either(values: &[String]) -> String {
    format::either(values, language())
}

/// All of a kind.
fn all(kind: Kind, inventory: &Inventory<'_>) -> anyhow::Result<String> {
    Ok(match kind {
        Kind::Stores => stores::all(inventory),
        Kind::Clients => folded(&clients::all(inventory)),
        Kind::Apps => folded(&apps::all(inventory)),
        Kind::Studies => studies::all(inventory.catalogue)?,
    })
}

/// One of a kind in full.
fn one(kind: Kind, name: &str, inventory: &Inventory<'_>) -> Result<String, StudyError> {
    Ok(match kind {
        Kind::Stores => folded(&stores::one(inventory, name)?),
        Kind::Clients => folded(&clients::one(inventory, name)?),
        Kind::Apps => folded(&apps::one(inventory, name)?),
        Kind::Studies => inventory.catalogue.study_text(name)?.to_string(),
    })
}

/// How many there are of each kind, and their names. No program is asked for its version.
fn overview(inventory: &Inventory<'_>) -> String {
    let catalogue = inventory.catalogue;
    let line = |text: String| {
        let options = textwrap::Options::new(WIDTH).initial_indent("  ").subsequent_indent("  ");
        if text.is_empty() { text } else { format!("{}\n", fold::fill(&text, options)) }
    };
    let (baselines, stores): (Vec<_>, Vec<_>) =
        catalogue.stores().iter().partition(|store| store.kind == StoreKind::Baseline);
    let (here, missing): (Vec<_>, Vec<_>) =
        stores.iter().partition(|store| is_here(store, inventory.clients, inventory.guardian));
    let names = |stores: Vec<&StoreDescriptor>| stores.iter().map(|store| store.name.clone()).collect::<Vec<String>>();
    let title = message!(cli_list_stores, here = here.len(), all = stores.len());
    let mut text = format!("{title}\n{}", line(names(here).join(", ")));
    if !missing.is_empty() {
        text += &line(message!(cli_list_missing, names = names(missing)).to_string());
    }
    text += &line(message!(cli_list_baselines, names = names(baselines)).to_string());
    for kind in [Kind::Clients, Kind::Apps, Kind::Studies] {
        let known = kind.names(catalogue);
        let count = known.len();
        let title = match kind {
            Kind::Clients => message!(cli_list_clients, count),
            Kind::Apps => message!(cli_list_apps, count),
            Kind::Stores | Kind::Studies => message!(cli_list_studies, count),
        };
        text += &format!("\n{title}\n{}", line(known.join(", ")));
    }
    format!("{text}\n{}\n", message!(cli_list_show_one))
}
