//! The conformance suite: every store, variant and client of the catalogue does everything that it says it can do,
//! and every answer is right.
//!
//! There is no list of stores here: whatever has a descriptor takes part. A store is started once and serves all of
//! its cases. What is not installed is skipped in words, and fails under `KURABE_REQUIRE_STORES=1`; but not what no
//! command can install (`install.by_hand`), which is named and left out.
//! A store's first client takes every variant through all cases. Every other client does everything once by each of its
//! drivers, with the first variant; one without drivers, with each variant. The second client by its first driver goes
//! through the main cases. `KURABE_CONFORMANCE=all` (as `make trust` sets it) runs every durability setting instead of
//! the one that a store ships with, every client and driver with every variant, and leaves nothing out.

mod cases;
mod cut;
mod fixture;
mod liars;
mod own;
mod phases;
mod pinned;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use kurabe_harness::{Candidate, Clients};
use kurabe_study::{Catalogue, ClientName, StoreDescriptor};
use libtest_mimic::{Arguments, Failed, Trial};

use self::cases::Extent;

/// What is wrong, in words.
pub type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One more than there are cores: some wait for locks or for a disk.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(cores + 1);
    let catalogue = catalogue().expect("the descriptors are right");
    let every_setting = every_setting();
    let mut trials = Vec::new();
    for store in catalogue.stores() {
        for (name, extent) in names(&catalogue, store, every_setting) {
            let extent = if every_setting { Extent::Whole } else { extent };
            for durability in durabilities(&catalogue, store, &name, every_setting) {
                let title = durability.as_ref().map_or(name.clone(), |setting| format!("{name} [{setting}]"));
                let name = name.clone();
                trials.push(Trial::test(title, move || candidate_conforms(&name, durability.as_deref(), extent)));
            }
        }
    }
    for name in catalogue.store("redis").map(|store| with_drivers(&catalogue, store)).unwrap_or_default() {
        trials.push(Trial::test(format!("liars behind the wire: {name}"), move || liars_are_caught(&name)));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    tell_what_ran();
    conclusion.exit_code()
}

/// A store with every client and driver, without its variants.
fn with_drivers(catalogue: &Catalogue, store: &StoreDescriptor) -> Vec<String> {
    // Answers of load tools are not checked.
    let clients = store.clients.iter().filter(|name| !catalogue.is_load_tool(name));
    let others = clients.skip(1).flat_map(|name| {
        let drivers = catalogue.client(name).into_iter().flat_map(|client| client.drivers_of(&store.name));
        let named: Vec<String> = drivers.map(|driver| format!("{}+{name}:{}", store.name, driver.name)).collect();
        if named.is_empty() { vec![format!("{}+{name}", store.name)] } else { named }
    });
    std::iter::once(store.name.clone()).chain(others).collect()
}

/// Every case that was gone through, in the order of its end: store, variant, client, durability, case.
static RAN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says how much it was, and where the list of it is: what a suite no longer runs is not seen otherwise.
fn tell_what_ran() {
    let mut ran = RAN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    ran.sort();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance.tsv");
    let text = format!("store\tvariant\tclient\tdurability\tcase\n{}\n", ran.join("\n"));
    match std::fs::write(&path, text) {
        Ok(()) => eprintln!("{} cases ran; the list is in '{}'", ran.len(), path.display()),
        Err(error) => eprintln!("{} cases ran; the list cannot be written to '{}': {error}", ran.len(), path.display()),
    }
}

fn note(candidate: &Candidate, case: &str) {
    let spec = &candidate.spec;
    let durability = candidate.durability.as_ref().map_or("-", |setting| setting.name.as_str());
    let variant = spec.variant.as_deref().unwrap_or("-");
    let client = spec.client.to_string();
    let words = [spec.store.as_str(), variant, &client, durability, case];
    RAN.lock().unwrap_or_else(PoisonError::into_inner).push(words.join("\t"));
}

/// Everything that travels in the binary, and the clients of the test kit.
pub fn catalogue() -> Outcome<Catalogue> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit");
    let catalogue = Catalogue::builtin().and_then(|catalogue| catalogue.with_definitions(Path::new(folder)));
    catalogue.map_err(|error| error.to_string())
}

/// Whether nothing is left out, as for `make trust`.
fn every_setting() -> bool {
    std::env::var("KURABE_CONFORMANCE").is_ok_and(|value| value == "all")
}

/// Every variant with every client and driver, as a person would type them, and what each goes through.
fn names(catalogue: &Catalogue, store: &StoreDescriptor, every: bool) -> Vec<(String, Extent)> {
    let variants: Vec<String> = match store.variants.is_empty() {
        true => vec![store.name.clone()],
        false => store.variants.iter().map(|variant| format!("{}:{}", store.name, variant.name)).collect(),
    };
    let with_clients = |(at, variant): (usize, &String)| {
        let variant_name = store.variants.get(at).map(|variant| variant.name.as_str());
        let clients = store.clients.iter().filter(|name| !catalogue.is_load_tool(name));
        let others = clients.enumerate().flat_map(move |(place, name)| {
            let drivers = catalogue.drivers(name, &store.name);
            let takes_part = at == 0 || drivers.is_empty() || every;
            // The first by its usual driver goes through everything; by its others it is another client.
            let drives = |driver: &&&str| {
                let known = catalogue.client(name).and_then(|client| client.driver(&store.name, driver));
                // What a driver says that it does not drive is refused before anything starts.
                known.is_none_or(|known| known.lacks_variant(&store.name, variant_name).is_none())
            };
            let by = |driver: &&str| format!("{variant}+{name}:{driver}");
            let named: Vec<String> = match (place, drivers.as_slice()) {
                (0, drivers) => drivers.iter().skip(1).filter(drives).map(by).collect(),
                (_, []) => vec![format!("{variant}+{name}")],
                (_, drivers) => drivers.iter().filter(drives).map(by).collect(),
            };
            let is_main = move |number| place == 1 && at == 0 && number == 0;
            let extent = move |number| if is_main(number) { Extent::Main } else { Extent::Brief };
            let named = named.into_iter().enumerate().filter(move |_| takes_part);
            named.map(move |(number, name)| (name, extent(number)))
        });
        std::iter::once((variant.clone(), Extent::Whole)).chain(others).collect::<Vec<_>>()
    };
    variants.iter().enumerate().flat_map(with_clients).collect()
}

fn durabilities(catalogue: &Catalogue, store: &StoreDescriptor, name: &str, every: bool) -> Vec<Option<String>> {
    if !every {
        return vec![None];
    }
    let (store_name, client) = name.split_once('+').unwrap_or((name, ""));
    let variant = store_name.split_once(':').map(|(_, variant)| variant);
    let client = if client.is_empty() { store.clients.first().map_or("", String::as_str) } else { client };
    let client = ClientName::of(client);
    let driver = catalogue.driver(&client, &store.name);
    let store = store.of_variant(variant).by_client(&client.client).by_driver(driver);
    store.durability.iter().map(|setting| Some(setting.name.clone())).collect()
}

fn candidate_conforms(name: &str, durability: Option<&str>, extent: Extent) -> Result<(), Failed> {
    with(name, durability, |candidate, clients| conforms(candidate, clients, extent))
}

fn liars_are_caught(name: &str) -> Result<(), Failed> {
    with(name, None, |candidate, _| {
        liars::are_caught(candidate)?;
        note(candidate, "liars behind the wire");
        Ok(())
    })
}

/// Tries a candidate, where it is here.
fn with(
    name: &str,
    durability: Option<&str>,
    tried: impl FnOnce(&Candidate, &Clients) -> Outcome<()>,
) -> Result<(), Failed> {
    let clients = Clients { exe: PathBuf::from(env!("CARGO_BIN_EXE_kurabe")), ..Clients::usual()? };
    match fixture::find(name, durability, &clients)? {
        fixture::Presence::Here(candidate) => tried(&candidate, &clients).map_err(Failed::from),
        fixture::Presence::Missing(reason) if is_brought_by_hand(name)? => {
            eprintln!("not here: {name}, which no command installs: {reason}");
            Ok(())
        }
        fixture::Presence::Missing(reason) if std::env::var_os("KURABE_REQUIRE_STORES").is_some() => {
            Err(Failed::from(format!("{name} must be here: {reason}")))
        }
        fixture::Presence::Missing(reason) => {
            eprintln!("skipped: {name}: {reason}");
            Ok(())
        }
    }
}

/// Whether nobody can be asked to install the store of a candidate, or its driver.
fn is_brought_by_hand(name: &str) -> Result<bool, Failed> {
    let catalogue = catalogue()?;
    let (store, client) = name.split_once('+').unwrap_or((name, ""));
    let store = catalogue.store(store.split(':').next().unwrap_or(store))?;
    let driver = catalogue.driver(&ClientName::of(client), &store.name);
    Ok(store.install.by_hand.is_some() || driver.is_some_and(|driver| driver.by_hand))
}

fn conforms(candidate: &Candidate, clients: &Clients, extent: Extent) -> Outcome<()> {
    let start = Instant::now();
    let mut fixture = fixture::StoreFixture::start(candidate, clients)?;
    for case in cases::ALL.iter().filter(|case| case.extent <= extent) {
        fixture.warmup = case.warmup;
        (case.run)(&mut fixture).map_err(|error| format!("case '{}': {error}", case.name))?;
        note(candidate, case.name);
    }
    pinned::compare(&fixture)?;
    fixture.stop()?;
    // Where the minutes of the whole suite go.
    eprintln!("{} took {:.0} s", candidate.spec.name, start.elapsed().as_secs_f64());
    Ok(())
}
