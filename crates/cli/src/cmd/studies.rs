//! `kurabe studies`: the built-in studies.

use kurabe_study::{Catalogue, Study};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Print this study's file
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = Catalogue::builtin()?;
    let text = match args.name {
        Some(name) => catalogue.study_text(&name)?.to_string(),
        None => {
            let mut text = String::new();
            for name in catalogue.studies() {
                text += &format!("{name:<14}{}\n", Study::title_of(&catalogue, &name)?);
            }
            text + "\nkurabe run NAME runs one; kurabe studies NAME prints its file, a start for one of your own.\n"
        }
    };
    super::say(&text)?;
    Ok(crate::status::GOOD)
}
