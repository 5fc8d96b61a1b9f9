//! `kurabe dev wire`: the lines that a client would be sent.

use anyhow::Context;
use kurabe_harness::job::{Setup, compose};
use kurabe_harness::resolve::resolve;
use kurabe_harness::{Clients, HarnessError, StreamFiles};
use kurabe_messages::message;
use kurabe_protocol::Command;
use kurabe_study::Overrides;

use super::Mistake;
use super::place::PlaceArgs;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "STUDY")]
    study: String,
    #[arg(value_name = "CANDIDATE")]
    candidate: String,
    #[command(flatten)]
    place: PlaceArgs,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let overrides = Overrides { stores: vec![args.candidate.clone()], ..Overrides::default() };
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let dir = args.place.open()?;
    let opened = super::data::open(&catalogue, &args.study, &overrides, dir.path(), &guardian)?;
    let (mut study, rows) = (opened.study, opened.folder);
    // Of one that an axis made several of, that at its first value.
    study.candidates.dedup_by(|one, before| one.base.is_some() && one.base == before.base);
    if study.candidates.len() != 1 {
        return Err(Mistake(message!(cli_wire_one, count = study.candidates.len())).into());
    }
    let resolved = resolve(&study, &catalogue, &clients, &guardian, args.place.remote())?;
    let candidate = resolved.candidates.first().context(message!(cli_wire_cannot))?;
    if candidate.store.service.is_some() && candidate.spec.url.is_none() {
        let title = &candidate.store.title;
        return Err(Mistake(message!(cli_wire_server, candidate = &args.candidate, title)).into());
    }
    // The client reads these files after this process has ended, so they stay.
    let folder = kurabe_service::RunFolder::create(dir.path(), &guardian, kurabe_service::FolderAccess::Owner)
        .map_err(HarnessError::from)?;
    // The first round of the first configuration.
    let config = study.plan.configurations.first().context(message!(cli_no_configuration))?;
    let files = StreamFiles::write(&study.plan, config, 0, &folder.path().join("streams"), &clients.interrupt)?;
    let data = folder.path().join("data");
    std::fs::create_dir(&data)?;
    let setup = Setup { study: &study, config, phases: &config.phases, files: &files };
    let job = compose(setup, candidate, &data, None);
    let create = kurabe_protocol::Call { name: kurabe_protocol::message::CallName::Create, id: 1 };
    let mut text = format!("{}\n{}\n", Command::Job(Box::new(job)).to_line(), Command::Call(create).to_line());
    // Programs are the harness's own.
    for plan in config.phases.iter().filter(|plan| plan.phase.program().is_none()) {
        text += &format!("{}\n", Command::Go(plan.phase.name.clone()).to_line());
    }
    text += &format!("{}\n", Command::Stop.to_line());
    super::say_as_it_is(&text)?;
    if let Some(rows) = rows {
        crate::tell::tell(&format!("kurabe: {}", message!(cli_wire_rows, path = rows.keep().display())));
    }
    crate::tell::tell(&format!("kurabe: {}", message!(cli_wire_files, path = folder.keep().display())));
    Ok(crate::status::GOOD)
}
