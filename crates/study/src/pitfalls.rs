//! Pitfalls: known mistakes of published methods, measured beside the correct work to see what they do to the answer.
//!
//! A study can make such a mistake again, in the rounds of the correct work. So the effect of a pitfall is a paired
//! ratio with an interval. The term is that of "Common Pitfalls In Database Performance Testing" (DBTest 2018).
//!
//! A pitfall is a variation beside its control. It makes a further candidate of each one that it concerns: with other
//! work, other settings or other rows, in a configuration of its own. So nothing of a pitfall is in a ranking of
//! correct work.
//!
//! Pitfalls had types and a path through the analysis of their own. Two of them could set the same key, and the last
//! one won without a word. In two of our own studies "as published" was not what was measured (commit 8fb5c686).
//! docs/decisions/0013-variations-as-patches.md.

use kurabe_messages::{Language, Message, message};
use kurabe_protocol::{Operation, Phase};
use kurabe_record::{
    AS_PUBLISHED, AxisEffect, AxisValue, Configuration, Factor, NO_PITFALL, PITFALL, PhasePlan, Pitfall, StoreKind,
};
use serde::Deserialize;

use crate::axes::{CheckedAxis, MAX_JOBS, is_plain_name, not_plain_name};
use crate::candidate::{CandidateSpec, parse_candidate};
use crate::catalogue::Catalogue;
use crate::configurations::Base;
use crate::error::{StudyError, named, unlisted};
use crate::phase::check_source;
use crate::toml_text::Located;
use crate::variation::{Cause, Change, Claimed, VariationPart};
use crate::work::StudyText;

/// Which pitfalls are measured beside the correct work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PitfallChoice {
    /// None.
    #[default]
    None,
    /// Those of these names, each alone.
    Named(Vec<String>),
    /// All of them together.
    AsPublished,
    /// Each alone, and all of them together.
    All,
}

/// A `[[pitfall]]` of a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WirePitfall {
    name: Located<String>,
    says: String,
    #[serde(default, rename = "change")]
    changes: Vec<Located<Change>>,
    /// Instead of changes: an axis of the study that makes phases, with the values of the correct work and of the
    /// pitfall.
    #[serde(default)]
    axis: Option<WireOnAxis>,
    /// Whether it has no part in what is measured of all pitfalls together: it takes from the others what they change.
    #[serde(default)]
    alone: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireOnAxis {
    name: Located<String>,
    from: String,
    to: String,
}

pub(crate) struct Pitfalls<'a> {
    pub(crate) source: StudyText<'a>,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) pitfalls: &'a [WirePitfall],
    /// Names that the study's own tables give candidates.
    pub(crate) named: Vec<String>,
    /// The axes of the study, whatever the command line makes of them.
    pub(crate) own_axes: &'a [CheckedAxis],
    /// What configurations of the run are made of.
    pub(crate) base: &'a Base<'a>,
}

/// What a run has of pitfalls.
#[derive(Default)]
pub(crate) struct Applied {
    pub(crate) pitfalls: Vec<Pitfall>,
    pub(crate) configurations: Vec<Configuration>,
    pub(crate) candidates: Vec<CandidateSpec>,
}

/// The changes of a pitfall for some candidates, and these candidates.
type Group<'a, 'c> = (Vec<VariationPart<'a>>, Vec<&'c CandidateSpec>);

/// A pitfall as it is measured: with its own changes, or with those of all.
struct Measured<'a> {
    name: String,
    says: String,
    /// By the pitfall that each is of.
    changes: Vec<(Cause, &'a Located<Change>)>,
    /// The pitfalls that are measured together; empty where it is one alone.
    together: Vec<String>,
}

impl WirePitfall {
    fn cause(&self) -> Cause {
        Cause::Pitfall(self.name.value.clone())
    }

    fn changes(&self) -> impl Iterator<Item = (Cause, &Located<Change>)> {
        self.changes.iter().map(|change| (self.cause(), change))
    }
}

impl<'a> Pitfalls<'a> {
    /// Names of all pitfalls, checked.
    pub(crate) fn names(&self) -> Result<Vec<String>, StudyError> {
        let corrected = self.base.configurations(&[])?;
        let mut names: Vec<String> = Vec::new();
        for pitfall in self.pitfalls {
            let name = &pitfall.name;
            if !is_plain_name(&name.value) {
                return self.mistake(name.at, not_plain_name(&name.value));
            }
            let is_taken = name.value.starts_with(AS_PUBLISHED) || name.value == NO_PITFALL;
            if is_taken || names.contains(&name.value) {
                return self.mistake(name.at, message!(study_name_taken, name = &name.value));
            }
            if let Some(axis) = &pitfall.axis {
                self.check_axis(pitfall, axis)?;
            } else if pitfall.changes.is_empty() {
                let pitfall = pitfall.cause().words();
                return self.mistake(name.at, message!(study_pitfall_changes_nothing, pitfall));
            }
            for (cause, change) in pitfall.changes() {
                let stores = change.value.check_stores(self.catalogue, &self.named);
                stores.or_else(|problem| self.mistake(change.at, problem))?;
                if !change.value.is_of_work() && !change.value.is_of_candidates() {
                    let pitfall = cause.words();
                    return self.mistake(change.at, message!(study_pitfall_changes_nothing, pitfall));
                }
                self.check_work(&cause, change)?;
                self.check_phase(pitfall, change, &corrected)?;
            }
            names.push(name.value.clone());
        }
        if !names.is_empty() {
            names.push(AS_PUBLISHED.into());
        }
        Ok(names)
    }

    /// What can be known of a change when the study is read, whether the pitfall is measured or not: each by itself,
    /// since two changes of one phase may be for different stores.
    fn check_work(&self, cause: &Cause, change: &Located<Change>) -> Result<(), StudyError> {
        // A run with a data file of its own has other rows than the study.
        let rows = if self.base.data.is_some() { toml::Table::new() } else { change.value.rows.clone() };
        let of_work = Change { rows, ..change.value.clone() };
        let part = VariationPart { cause, change: &of_work, at: Some(change.at) };
        let mut work = self.base.work.clone();
        work.patch(part)?;
        work.phases.iter().try_for_each(|phase| check_source(self.catalogue, self.source.origin, &phase.wire))?;
        work.leave_out(part, &self.base.work)
    }

    /// The phase that a change names must be one that it can touch. It cannot where the same pitfall leaves the phase
    /// out for the same stores, where none of its stores can do the phase, and where the phase stays as it was. The
    /// first two would be lost without a word; all three would show no effect of a mistake that was never made.
    fn check_phase(
        &self,
        pitfall: &WirePitfall,
        change: &Located<Change>,
        corrected: &[Configuration],
    ) -> Result<(), StudyError> {
        let Some(phase) = &change.value.phase else { return Ok(()) };
        let (words, name) = (pitfall.cause().words(), &phase.value);
        let leaves_out = |other: &Change| other.without.contains(name) && other.may_meet(&change.value);
        if pitfall.changes.iter().any(|other| leaves_out(&other.value)) {
            return self.mistake(phase.at, message!(study_pitfall_phase_left_out, pitfall = words, phase = name));
        }
        let of_work = Change { phase: change.value.phase.clone(), set: change.value.set.clone(), ..Change::default() };
        let part = VariationPart { cause: &pitfall.cause(), change: &of_work, at: Some(change.at) };
        // What is wrong only beside other changes, or at the sizes of this run, is refused where it is measured.
        let Ok(made) = self.base.configurations(&[part]) else { return Ok(()) };
        let is_it = |plan: &&PhasePlan| plan.study_name() == name;
        let is_same = corrected.iter().zip(&made).all(|(control, made)| {
            control.phases.iter().filter(is_it).eq(made.phases.iter().filter(is_it)) && control.factors == made.factors
        });
        if is_same {
            return self.mistake(phase.at, message!(study_pitfall_phase_same, pitfall = words, phase = name));
        }
        let changed: Vec<&PhasePlan> = made.iter().flat_map(|one| &one.phases).filter(is_it).collect();
        let cannot = |store: &String| {
            let spec = parse_candidate(self.catalogue, store).ok();
            spec.is_some_and(|spec| changed.iter().any(|plan| self.lacks(&spec, &plan.phase)))
        };
        if change.value.stores.as_ref().is_some_and(|stores| stores.iter().all(cannot)) {
            return self.mistake(phase.at, message!(study_pitfall_phase_unsupported, pitfall = words, phase = name));
        }
        Ok(())
    }

    /// Whether the app before a store is known to lack an operation of a phase. What others can do they say when they
    /// run.
    fn lacks(&self, spec: &CandidateSpec, phase: &Phase) -> bool {
        let app = spec.app.first().and_then(|name| self.catalogue.app(name).ok());
        let can = app.and_then(|app| app.before(&spec.store)?.operations.as_ref());
        // A mix is what it is made of.
        let mut needed = Operation::ALL.into_iter().filter(|one| *one != Operation::Mix && phase.does(*one));
        can.is_some_and(|can| needed.any(|one| !can.contains(&one)))
    }

    /// An axis that makes phases, so that both values are phases of one job.
    fn check_axis(&self, pitfall: &WirePitfall, axis: &WireOnAxis) -> Result<(), StudyError> {
        if !pitfall.changes.is_empty() {
            return self.mistake(pitfall.name.at, message!(study_either, keys = ["axis", "[[pitfall.change]]"]));
        }
        let known =
            self.own_axes.iter().find(|one| one.axis.name == axis.name.value && one.axis.makes == AxisEffect::Phases);
        let Some(known) = known else {
            return self.mistake(axis.name.at, message!(study_pitfall_axis, axis = &axis.name.value));
        };
        let words: Vec<String> = known.axis.values.iter().map(AxisValue::to_string).collect();
        match [&axis.from, &axis.to].into_iter().find(|value| !words.contains(value)) {
            None if axis.from == axis.to => {
                let pitfall = pitfall.cause().words();
                self.mistake(axis.name.at, message!(study_pitfall_axis_same, pitfall, value = &axis.to))
            }
            Some(value) => {
                let (part, problem) = (named("axis", &axis.name.value), unlisted(value, &words));
                self.mistake(axis.name.at, message!(study_in_part, part, problem))
            }
            None => Ok(()),
        }
    }

    /// The pitfalls that are values of an axis of the run: they need nothing but to be told.
    fn on_axes(&self) -> impl Iterator<Item = Pitfall> {
        self.pitfalls.iter().filter_map(|pitfall| {
            let asked = pitfall.axis.as_ref()?;
            let axis = &self.base.axes.iter().find(|one| one.axis.name == asked.name.value)?.axis;
            let value = |word: &String| axis.values.iter().find(|value| value.to_string() == *word).cloned();
            let (name, says) = (pitfall.name.value.clone(), pitfall.says.clone());
            let (from, to) = (value(&asked.from)?, value(&asked.to)?);
            Some(Pitfall { name, says, axis: axis.name.clone(), from, to, together: Vec::new() })
        })
    }

    fn mistake<T>(&self, at: usize, problem: Message) -> Result<T, StudyError> {
        self.source.mistake(Some(at), problem)
    }

    /// The pitfalls that were chosen, over these candidates and the configurations beside which they are measured.
    pub(crate) fn apply(
        &self,
        choice: &PitfallChoice,
        candidates: &[CandidateSpec],
        corrected: &[Configuration],
    ) -> Result<Applied, StudyError> {
        let mut applied = Applied { pitfalls: self.on_axes().collect(), ..Applied::default() };
        for pitfall in self.chosen(choice)? {
            let before = applied.candidates.len();
            for group in self.groups(&pitfall, candidates)? {
                self.group(&pitfall.name, &group, corrected, &mut applied)?;
            }
            if applied.candidates.len() > before {
                let separate = Pitfall::separate(&pitfall.name, &pitfall.says);
                applied.pitfalls.push(Pitfall { together: pitfall.together.clone(), ..separate });
            } else if matches!(choice, PitfallChoice::Named(_))
                && !applied.pitfalls.iter().any(|known| known.name == pitfall.name)
            {
                let pitfall = named("pitfall", &pitfall.name);
                return Err(StudyError::value("--pitfall", message!(study_pitfall_nothing_here, pitfall)));
            }
            self.check_jobs(&applied)?;
        }
        let is_asked = matches!(choice, PitfallChoice::All | PitfallChoice::AsPublished);
        if is_asked && applied.pitfalls.is_empty() {
            let flag = if *choice == PitfallChoice::All { "--pitfalls" } else { "--as-published" };
            return Err(StudyError::value(flag, message!(study_pitfall_none_here)));
        }
        Ok(applied)
    }

    /// Refuses more jobs a round than anybody would wait for.
    fn check_jobs(&self, applied: &Applied) -> Result<(), StudyError> {
        let jobs: usize = applied.configurations.iter().map(|one| one.only.len()).sum();
        if jobs <= MAX_JOBS {
            return Ok(());
        }
        Err(StudyError::value(self.source.origin, message!(study_pitfall_jobs, jobs, most = MAX_JOBS)))
    }

    fn chosen(&self, choice: &PitfallChoice) -> Result<Vec<Measured<'a>>, StudyError> {
        let alone = |one: &'a WirePitfall| Measured {
            name: one.name.value.clone(),
            says: one.says.clone(),
            changes: one.changes().collect(),
            together: Vec::new(),
        };
        let flag = match choice {
            PitfallChoice::None => return Ok(Vec::new()),
            PitfallChoice::All => "--pitfalls",
            PitfallChoice::AsPublished => "--as-published",
            PitfallChoice::Named(_) => "--pitfall",
        };
        if self.pitfalls.is_empty() {
            return Err(StudyError::value(flag, message!(study_pitfall_none)));
        }
        match choice {
            PitfallChoice::Named(names) => {
                let one = |name: &String| match self.pitfalls.iter().find(|one| one.name.value == *name) {
                    Some(pitfall) => Ok(alone(pitfall)),
                    None if name == AS_PUBLISHED => Ok(self.together(0)),
                    None => Err(StudyError::Unknown { what: "pitfall", name: name.clone(), known: self.names()? }),
                };
                let is_first = |(at, name): &(usize, &String)| !names[..*at].contains(name);
                names.iter().enumerate().filter(is_first).map(|(_, name)| one(name)).collect()
            }
            PitfallChoice::All => {
                let several = self.joint().count() > 1;
                let each = self.pitfalls.iter().filter(|one| one.axis.is_none()).map(alone);
                Ok(each.chain(several.then(|| self.together(0))).collect())
            }
            PitfallChoice::None | PitfallChoice::AsPublished => {
                let steps = self.joint().count().max(1);
                Ok((0..steps).map(|removed| self.together(removed)).collect())
            }
        }
    }

    /// Those that have a part in what is measured of all together, and changes of their own.
    fn joint(&self) -> impl Iterator<Item = &'a WirePitfall> + use<'a> {
        self.pitfalls.iter().filter(|one| !one.alone && one.axis.is_none())
    }

    /// All pitfalls together without the first so many of the study: the steps to the correct work, which is the last
    /// one itself.
    fn together(&self, removed: usize) -> Measured<'a> {
        let left: Vec<&WirePitfall> = self.joint().skip(removed).collect();
        let last_removed = removed.checked_sub(1).and_then(|at| self.joint().nth(at));
        let (name, says) = match last_removed {
            None => (AS_PUBLISHED.to_string(), message!(study_all_pitfalls)),
            Some(last) => {
                (format!("{AS_PUBLISHED}-{removed}"), message!(study_without_pitfall, pitfall = &last.name.value))
            }
        };
        Measured {
            name,
            says: says.text(Language::English),
            changes: left.iter().flat_map(|one| one.changes()).collect(),
            together: left.iter().map(|one| one.name.value.clone()).collect(),
        }
    }

    /// The candidates that a pitfall concerns, by what it changes for them.
    fn groups<'c>(
        &self,
        pitfall: &'c Measured<'a>,
        candidates: &'c [CandidateSpec],
    ) -> Result<Vec<Group<'c, 'c>>, StudyError> {
        let mut groups: Vec<Group<'c, 'c>> = Vec::new();
        for candidate in candidates.iter().filter(|one| one.cannot.is_none()) {
            let store = self.catalogue.store(&candidate.store)?.of_variant(candidate.variant.as_deref());
            if candidate.is_baseline || store.kind == StoreKind::Baseline {
                continue;
            }
            let part = |(cause, change): &'c (Cause, &'a Located<Change>)| VariationPart {
                cause,
                change: &change.value,
                at: Some(change.at),
            };
            let parts: Vec<VariationPart<'c>> =
                pitfall.changes.iter().map(part).filter(|part| part.change.concerns(candidate)).collect();
            // What an axis sets, a pitfall may set beside its first value alone.
            let is_moved = || candidate.factors.iter().any(|factor| self.base.changed_axis(factor).is_some());
            let is_set = || parts.iter().any(|part| candidate.claimed.has_any(part.change));
            if parts.is_empty() || (is_moved() && is_set()) {
                continue;
            }
            let is_same =
                |known: &[VariationPart<'c>]| known.iter().map(|one| one.at).eq(parts.iter().map(|one| one.at));
            match groups.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, members)) => members.push(candidate),
                None => groups.push((parts, vec![candidate])),
            }
        }
        Ok(groups)
    }

    fn group(
        &self,
        pitfall: &str,
        (parts, members): &Group<'_, '_>,
        corrected: &[Configuration],
        applied: &mut Applied,
    ) -> Result<(), StudyError> {
        let specs: Vec<CandidateSpec> =
            members.iter().map(|member| self.candidate(pitfall, parts, member)).collect::<Result<_, _>>()?;
        // Beside what the others are varied from, at every size.
        let axes = || self.base.axes.iter().map(|one| &one.axis);
        let made = self.base.configurations(parts)?;
        let beside = || corrected.iter().zip(&made).filter(|(control, _)| control.is_usual(axes()));
        let changes_work = beside().any(|(control, made)| {
            (&made.phases, &made.schema, made.encoding, made.rows)
                != (&control.phases, &control.schema, control.encoding, control.rows)
        });
        let changes_them = specs.iter().zip(members).any(|(spec, member)| !spec.is_like(member));
        if !changes_work && !changes_them {
            let pitfall = named("pitfall", pitfall);
            return self.source.mistake(parts[0].at, message!(study_pitfall_nothing_new, pitfall));
        }
        let only: Vec<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        for (control, one) in beside() {
            let factors = control.factors.iter().cloned().chain([factor(pitfall)]).collect();
            applied.configurations.push(Configuration { factors, only: only.clone(), ..one.clone() });
        }
        applied.candidates.extend(specs);
        Ok(())
    }

    /// The candidate that a pitfall makes of another.
    fn candidate(
        &self,
        pitfall: &str,
        parts: &[VariationPart<'_>],
        member: &CandidateSpec,
    ) -> Result<CandidateSpec, StudyError> {
        let mut spec = CandidateSpec {
            name: format!("{} [{pitfall}]", member.name),
            from_table: true,
            base: member.base.clone().or_else(|| Some(member.name.clone())),
            factors: member.factors.iter().cloned().chain([factor(pitfall)]).collect(),
            claimed: Claimed::default(),
            ..member.clone()
        };
        for part in parts {
            let wrong = |problem: Message| {
                let problem = message!(study_in_part, part = part.cause.words(), problem);
                self.source.mistake(part.at, problem)
            };
            let origin = self.source.origin;
            spec.patch(self.catalogue, *part).or_else(|error| wrong(error.message()).map(Ok))?.or_else(wrong)?;
            let checked = spec.clone().checked(self.catalogue, origin);
            spec = checked.or_else(|error| wrong(error.problem(origin)).map(|()| spec))?;
        }
        if spec.is_baseline {
            let part = named("pitfall", pitfall);
            let problem = message!(study_in_part, part, problem = message!(study_pitfall_load_tool));
            return self.source.mistake(parts[0].at, problem);
        }
        Ok(spec)
    }
}

impl CandidateSpec {
    /// Whether it is set as another one.
    fn is_like(&self, other: &CandidateSpec) -> bool {
        (&self.settings, &self.args, &self.durability, self.output, &self.client, &self.app)
            == (&other.settings, &other.args, &other.durability, other.output, &other.client, &other.app)
    }
}

fn factor(pitfall: &str) -> Factor {
    Factor::new(PITFALL, &AxisValue::Word(pitfall.to_string()))
}
