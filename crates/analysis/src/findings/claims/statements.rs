//! What is known of each statement: the figures of both sides round by round, and what becomes of them.

use kurabe_messages::RecordedText;
use kurabe_record::{
    AxisValue, Better, Bounds, Condition, DurabilityLevel, Extreme, Factor, GrowthLaw, Guarantee, JobRecord, Metric,
    MinimumDurability, PITFALL, PhaseRef, Statement, value_on,
};
use kurabe_stats::{MIN_VALUES, Measured, growth_exponent};

use super::binding::{Cell, Context};
use super::condition::{Claimed, Leaf, Node, Observation, Scale};
use super::finding::{Measure, Unknown};
use crate::figures::budget::Skipped;
use crate::findings::axes::growing;

/// Exponents from here to there are called linear.
pub(crate) const LINEAR: (f64, f64) = (0.9, 1.1);

/// Growth is judged from so many sizes, the largest so many times the smallest: between two sizes near each other the
/// warming up of a runtime, or a cache that fits one of them, is as large as what grows.
const LEAST_SIZES: usize = 3;
const LEAST_SPAN: u64 = 10;

/// What is known of a candidate at several sizes.
struct Sizes {
    /// What grows in each round of each size, rows ascending: the time for every row, or the figure that ranks the
    /// phase.
    points: Vec<(u64, Vec<f64>)>,
    /// What keeps the last of them away.
    missing: Option<Unknown>,
    configs: Vec<usize>,
}

impl<'a> Context<'a> {
    /// The condition over what is known.
    pub(super) fn node(&'a self, condition: &'a Condition) -> Node {
        let nodes = |parts: &'a [Condition]| parts.iter().map(|part| self.node(part)).collect();
        match condition {
            Condition::All(parts) => Node::AtLeast(parts.len(), nodes(parts)),
            Condition::Any(parts) => Node::AtLeast(1, nodes(parts)),
            Condition::AtLeast(count, parts) => Node::AtLeast(*count, nodes(parts)),
            Condition::Not(part) => Node::Not(Box::new(self.node(part))),
            Condition::Is(statement) => self.statement(statement),
        }
    }

    fn statement(&'a self, statement: &'a Statement) -> Node {
        match statement {
            Statement::Extreme { end, candidate, among, metric, place } => {
                self.extreme(*end, candidate, among, *metric, place)
            }
            Statement::Ratio { candidate, than, metric, place, than_place, bounds } => {
                self.ratio(candidate, than, *metric, place, than_place.as_ref(), *bounds)
            }
            Statement::Amount { candidate, metric, place, bounds } => self.amount(candidate, *metric, place, *bounds),
            Statement::Growth { candidate, place, law, from_rows, to_rows } => {
                self.growth(candidate, place, *law, (*from_rows, *to_rows))
            }
            Statement::LosesRows { candidate, at } => self.loses_rows(candidate, at),
            Statement::Fails { candidate, at } => self.fails(candidate, at),
            Statement::Change { .. } => self.change(statement),
        }
    }

    /// `configs` are those that it is told from.
    fn leaf(&self, measure: Measure, known: Result<Observation, Unknown>, configs: &[usize]) -> Node {
        let is_unsteady = self.is_unsteady(configs) && measure.is_about_time();
        Node::Leaf(Box::new(Leaf { measure, known, clients: None, is_unsteady }))
    }

    /// Better, or worse, than each of the others that did the work.
    fn extreme(&'a self, end: Extreme, part: &str, among: &'a [String], metric: Metric, place: &PhaseRef) -> Node {
        let did_it = |other: &String| match self.cell(other, place) {
            Ok(cell) => !matches!(cell.uncounted(), Some(Unknown::Uncounted { .. })),
            // Whoever is named is asked for.
            Err(_) => !among.is_empty(),
        };
        let others: Vec<String> = self.others(part, among).into_iter().filter(did_it).collect();
        let better_first = metric.better() == Better::Higher;
        let against = |other: &String| {
            let (one, than) = match (end == Extreme::First) == better_first {
                true => (part, other.as_str()),
                false => (other.as_str(), part),
            };
            self.ratio(one, than, metric, place, None, Bounds { at_least: Some(1.0), at_most: None })
        };
        if others.is_empty() {
            let measure = Measure::Amount {
                candidate: self.player(part).to_string(),
                metric,
                place: self.shown(place),
                bounds: Bounds { at_least: None, at_most: None },
            };
            return self.leaf(measure, Err(Unknown::NobodyElse), &[]);
        }
        Node::AtLeast(others.len(), others.iter().map(against).collect())
    }

    fn ratio(
        &'a self,
        part: &str,
        than: &str,
        metric: Metric,
        place: &PhaseRef,
        than_place: Option<&PhaseRef>,
        bounds: Bounds,
    ) -> Node {
        let cells = self.cell(part, place).and_then(|one| Ok((one, self.cell(than, than_place.unwrap_or(place))?)));
        let measure = Measure::Ratio {
            candidate: self.player(part).to_string(),
            than: self.player(than).to_string(),
            metric,
            place: self.shown(place),
            than_place: than_place.map(|place| self.shown(place)),
            bounds,
        };
        let known = cells.as_ref().map_err(Clone::clone).and_then(|(one, other)| {
            self.check(&[one, other])?;
            let values = (self.values(one, metric)?, self.values(other, metric)?);
            let measured = Measured::log_ratio(&values.0, &values.1).ok_or_else(|| too_few(&values.0, &values.1))?;
            Ok(between(measured, bounds))
        });
        let configs = cells.as_ref().map_or_else(|_| Vec::new(), |(one, other)| vec![one.at, other.at]);
        let is_unsteady = self.is_unsteady(&configs) && measure.is_about_time();
        let clients = cells.ok().map(|(one, other)| (one.candidate.client.clone(), other.candidate.client.clone()));
        let clients = clients.filter(|(one, other)| one != other);
        Node::Leaf(Box::new(Leaf { measure, known, clients, is_unsteady }))
    }

    fn amount(&'a self, part: &str, metric: Metric, place: &PhaseRef, bounds: Bounds) -> Node {
        let measure =
            Measure::Amount { candidate: self.player(part).to_string(), metric, place: self.shown(place), bounds };
        let known = self.cell(part, place).and_then(|cell| {
            self.check(&[&cell])?;
            let values: Vec<f64> = self.values(&cell, metric)?.into_iter().flatten().collect();
            let measured = Measured::log(&values).ok_or(Unknown::TooFewRounds { rounds: values.len() })?;
            Ok(amount_between(measured, bounds))
        });
        self.leaf(measure, known, &self.configurations_of(&[part], &[place]))
    }

    /// Whether figures of these count, and may be compared.
    fn check(&self, cells: &[&Cell<'_>]) -> Result<(), Unknown> {
        if let Some(unknown) = cells.iter().find_map(|cell| cell.uncounted_at(self.level)) {
            return Err(unknown);
        }
        let writing: Vec<&&Cell<'_>> = cells.iter().filter(|cell| cell.phase.writes).collect();
        let level = |cell: &Cell<'_>| cell.row.guarantee.map(Guarantee::level);
        if let Some(asked) = self.level.filter(|_| self.writes) {
            let is_asked = self.durability.and_then(MinimumDurability::level) == Some(asked);
            // Whatever is known to keep nothing, or of which nothing is known, is at the level that may lose everything.
            let keeps = |cell: &Cell<'_>| level(cell).map_or(asked == DurabilityLevel::Cache, |kept| kept >= asked);
            if !is_asked && !writing.iter().all(|cell| keeps(cell)) {
                return Err(Unknown::WrongDurability);
            }
        }
        // As shipped, stores keep different things.
        let as_shipped = self.durability == Some(MinimumDurability::Default);
        match writing.as_slice() {
            [one, other] if as_shipped && level(one) != level(other) => Err(Unknown::OtherDurability {
                candidate: one.candidate.name.clone(),
                than: other.candidate.name.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The values of a metric by round.
    pub(crate) fn values(&self, cell: &Cell<'_>, metric: Metric) -> Result<Vec<Option<f64>>, Unknown> {
        if cell.row.rounds(metric).is_empty() {
            let no_figure = Unknown::NoFigure { candidate: cell.candidate.name.clone(), metric };
            return Err(if cell.row.rate_per_s().is_none() { Unknown::TooFewRounds { rounds: 0 } } else { no_figure });
        }
        Ok(cell.row.by_round(metric))
    }

    fn growth(&'a self, part: &str, place: &PhaseRef, law: GrowthLaw, range: (Option<u64>, Option<u64>)) -> Node {
        let metric = self.ranked_by(&place.phase);
        let sizes = self.sizes(part, place, metric, range);
        let candidate = self.player(part).to_string();
        let phase = place.phase.clone();
        let Sizes { points, missing, configs } = match sizes {
            Ok(sizes) => sizes,
            Err(unknown) => {
                return self.leaf(Measure::Exponent { candidate, phase, metric, law, rows: None }, Err(unknown), &[]);
            }
        };
        let rows = points.first().zip(points.last()).map(|(first, last)| (first.0, last.0));
        if law == GrowthLaw::Knee {
            return self.knee((&candidate, &phase, metric), &points, missing, &configs);
        }
        let all: Vec<(f64, f64)> =
            points.iter().flat_map(|(rows, times)| times.iter().map(|time| (*rows as f64, *time))).collect();
        let measured = growth_exponent(&all).as_ref().and_then(Measured::exponent);
        let (sizes, least, most) =
            (points.len(), points.first().map_or(0, |one| one.0), points.last().map_or(0, |one| one.0));
        let is_narrow = missing.is_none() && (sizes < LEAST_SIZES || most < least * LEAST_SPAN);
        let missing = if is_narrow { Some(Unknown::NarrowSizes { sizes, low: least, high: most }) } else { missing };
        let (low, high) = match law {
            GrowthLaw::Linear => (Some(LINEAR.0), Some(LINEAR.1)),
            GrowthLaw::Faster | GrowthLaw::Knee => (Some(LINEAR.1), None),
        };
        let known = match (measured, missing) {
            // What is claimed of all sizes cannot be shown by some of them.
            (_, Some(missing)) if law == GrowthLaw::Linear || is_narrow || points.len() < 2 => Err(missing),
            (Some(measured), _) => {
                Ok(Observation::Estimate { measured, claimed: Claimed::between(low, high), scale: Scale::Plain })
            }
            (None, Some(missing)) => Err(missing),
            (None, None) => Err(Unknown::TooFewRounds { rounds: all.len() }),
        };
        self.leaf(Measure::Exponent { candidate, phase, metric, law, rows }, known, &configs)
    }

    /// After any of the sizes between the first and the last.
    fn knee(
        &self,
        (candidate, phase, metric): (&str, &str, Metric),
        points: &[(u64, Vec<f64>)],
        missing: Option<Unknown>,
        configs: &[usize],
    ) -> Node {
        let bend = |at: &[(u64, Vec<f64>)]| {
            let [before, size, after] = at else { return None };
            let claimed = Claimed::between(Some(0.0), None);
            let measured = Measured::bend(
                [before.0 as f64, size.0 as f64, after.0 as f64],
                [before.1.as_slice(), size.1.as_slice(), after.1.as_slice()],
            );
            let known = measured
                .map(|measured| Observation::Estimate { measured, claimed, scale: Scale::Plain })
                .ok_or(Unknown::TooFewRounds { rounds: size.1.len() });
            let measure = Measure::Bend { candidate: candidate.into(), phase: phase.into(), metric, rows: size.0 };
            Some(self.leaf(measure, known, configs))
        };
        let mut bends: Vec<Node> = points.windows(3).filter_map(bend).collect();
        let at_most_two = bends.is_empty();
        if let Some(missing) =
            missing.or(at_most_two.then_some(Unknown::NoPlace { place: Vec::new(), phase: phase.to_string() }))
        {
            let rows = points.last().map_or(0, |last| last.0);
            let measure = Measure::Bend { candidate: candidate.into(), phase: phase.into(), metric, rows };
            bends.push(self.leaf(measure, Err(missing), configs));
        }
        Node::AtLeast(1, bends)
    }

    /// What the study ranks a phase by. How a reader wants it ranked changes no claim.
    fn ranked_by(&self, phase: &str) -> Metric {
        let all = self.evidences.run.plan.configurations.iter().flat_map(|level| &level.phases);
        let mut its = all.filter(|one| one.study_name() == phase);
        its.next().map_or_else(Metric::default, |one| one.rank_by)
    }

    fn sizes(
        &self,
        part: &str,
        place: &PhaseRef,
        metric: Metric,
        (from, to): (Option<u64>, Option<u64>),
    ) -> Result<Sizes, Unknown> {
        let plan = &self.evidences.run.plan;
        let Some(axis) = plan.axis("rows") else {
            return Err(Unknown::NoPlace { place: place.at.clone(), phase: place.phase.clone() });
        };
        let (mut points, mut missing, mut configs) = (Vec::new(), None, Vec::new());
        for value in &axis.values {
            let AxisValue::Number(rows) = value else { continue };
            if from.is_some_and(|from| *rows < from)
                || to.is_some_and(|to| *rows > to + u64::from(plan.max_connections()))
            {
                continue;
            }
            let here = Factor { axis: "rows".into(), value: value.clone() };
            let at = place.at.iter().cloned().chain([here]).collect();
            let cell = self.cell(part, &PhaseRef { phase: place.phase.clone(), at })?;
            configs.push(cell.at);
            if let Err(unknown) = self.check(&[&cell]) {
                missing = Some(unknown);
                continue;
            }
            let phase = plan.configurations[cell.at].phases.iter().find(|one| one.phase.name == cell.phase.name);
            let values = cell.row.rounds(metric);
            match phase {
                Some(phase) if values.len() >= MIN_VALUES => {
                    points.push((*rows, values.iter().map(|one| growing(metric, phase, *rows, one.value)).collect()));
                }
                _ => {
                    let too_few = Unknown::TooFewRounds { rounds: values.len() };
                    missing = Some(self.values(&cell, metric).err().unwrap_or(too_few));
                }
            }
        }
        Ok(Sizes { points, missing, configs })
    }

    /// The jobs of a candidate at the configs that some factors mean; of all configs where there is none.
    fn jobs(&self, part: &str, at: &[Factor]) -> Result<Vec<&'a JobRecord>, Unknown> {
        let plan = &self.evidences.run.plan;
        let candidate = self.candidate(part, at)?;
        let place = PhaseRef { phase: String::new(), at: at.to_vec() };
        let with_pitfall = match self.pitfall(&place)? {
            Some(pitfall) => self.made_by(candidate, pitfall)?,
            None => None,
        };
        let name = &with_pitfall.unwrap_or(candidate).name;
        let configs: Vec<usize> = plan
            .corrected()
            .filter(|number| {
                let config = &plan.configurations[*number];
                at.iter().filter(|one| one.axis != PITFALL).all(|one| match (one.axis.as_str(), &one.value) {
                    ("rows", rows) => self.has_rows(config, rows),
                    (axis, value) => config.value_of(axis).is_none_or(|it| it == value),
                })
            })
            .collect();
        if configs.is_empty() {
            return Err(Unknown::NoPlace { place: place.at, phase: place.phase });
        }
        // A candidate that a pitfall made has jobs beside the configs that are meant.
        let is_it =
            |job: &&JobRecord| job.candidate == *name && configs.contains(&plan.control(job.configuration as usize));
        let jobs: Vec<&JobRecord> = self.evidences.jobs.iter().filter(is_it).collect();
        if jobs.is_empty() {
            return Err(Unknown::TooFewRounds { rounds: 0 });
        }
        Ok(jobs)
    }

    /// Whether a skip kept some of the configs away.
    fn skipped(&self, part: &str, at: &[Factor]) -> Option<Unknown> {
        let candidate = self.candidate(part, at).ok()?;
        let plan = &self.evidences.run.plan;
        let skipped = self.evidences.skipped.iter().find(|skipped| skipped.candidate == candidate.name)?;
        let reaches = match value_on(at, "rows") {
            Some(AxisValue::Number(rows)) => {
                plan.configurations.get(skipped.configuration as usize).is_none_or(|level| level.rows <= *rows)
            }
            _ => true,
        };
        reaches.then(|| Unknown::Skipped {
            candidate: candidate.name.clone(),
            skipped: Box::new(Skipped::of(plan, skipped)),
        })
    }

    fn loses_rows(&'a self, part: &str, at: &[Factor]) -> Node {
        let jobs = self.jobs(part, at);
        let lost = |job: &&JobRecord| {
            let found: u64 = job.phases.iter().flat_map(|phase| &phase.results).map(|result| result.checks.lost).sum();
            let counted = job.final_count.map_or(0, |count| count.least_rows.saturating_sub(count.counted_rows));
            found.max(counted)
        };
        let rows = jobs.iter().flatten().map(lost).sum();
        let rounds = jobs.as_ref().map_or(0, Vec::len);
        let measure = Measure::LosesRows { candidate: self.player(part).to_string(), rows, rounds };
        self.leaf(measure, self.fact(part, at, jobs.map(|_| (rows > 0, rounds))), &[])
    }

    fn fails(&'a self, part: &str, at: &[Factor]) -> Node {
        let jobs = self.jobs(part, at);
        let message = jobs.iter().flatten().find_map(|job| failure(job));
        let rounds = jobs.as_ref().map_or(0, Vec::len);
        let known = self.fact(part, at, jobs.map(|_| (message.is_some(), rounds)));
        self.leaf(Measure::Fails { candidate: self.player(part).to_string(), message, rounds }, known, &[])
    }

    /// What did not happen is no fact where a skip kept some of the sizes away.
    fn fact(&self, part: &str, at: &[Factor], seen: Result<(bool, usize), Unknown>) -> Result<Observation, Unknown> {
        match (seen, self.skipped(part, at)) {
            (Ok((true, rounds)), _) => Ok(Observation::Fact { happened: true, rounds }),
            (_, Some(skipped)) => Err(skipped),
            (Ok((false, rounds)), None) => Ok(Observation::Fact { happened: false, rounds }),
            (Err(unknown), None) => Err(unknown),
        }
    }

    fn change(&'a self, statement: &Statement) -> Node {
        let Statement::Change { axis, from, to, candidate, than, metric, place, bounds } = statement else {
            return Node::AtLeast(0, Vec::new());
        };
        let at = |value: &AxisValue| {
            let here = Factor { axis: axis.clone(), value: value.clone() };
            let at = place.at.iter().filter(|one| one.axis != *axis).cloned().chain([here]).collect();
            PhaseRef { phase: place.phase.clone(), at }
        };
        let (before, after) = (at(from), at(to));
        let known = self.changed(candidate, than.as_deref(), *metric, &before, &after);
        let parts: Vec<&str> = std::iter::once(candidate.as_str()).chain(than.as_deref()).collect();
        let configs = self.configurations_of(&parts, &[&before, &after]);
        let measure = Measure::Change {
            axis: axis.clone(),
            from: from.clone(),
            to: to.clone(),
            candidate: self.player(candidate).to_string(),
            than: than.as_deref().map(|than| self.player(than).to_string()),
            metric: *metric,
            place: self.shown(place),
            bounds: *bounds,
        };
        self.leaf(measure, known.map(|measured| between(measured, *bounds)), &configs)
    }

    /// How many times a figure, or the ratio of two, becomes.
    fn changed(
        &self,
        part: &str,
        than: Option<&str>,
        metric: Metric,
        from: &PhaseRef,
        to: &PhaseRef,
    ) -> Result<Measured, Unknown> {
        let (before, after) = (self.side(part, than, metric, from)?, self.side(part, than, metric, to)?);
        Measured::log_ratio(&after, &before).ok_or_else(|| too_few(&after, &before))
    }

    /// A figure by round, or the ratio of two.
    fn side(
        &self,
        part: &str,
        than: Option<&str>,
        metric: Metric,
        place: &PhaseRef,
    ) -> Result<Vec<Option<f64>>, Unknown> {
        let one = self.cell(part, place)?;
        self.check(&[&one])?;
        let values = self.values(&one, metric)?;
        let Some(than) = than else { return Ok(values) };
        let other = self.cell(than, place)?;
        self.check(&[&one, &other])?;
        let theirs = self.values(&other, metric)?;
        Ok(values.iter().zip(&theirs).map(|(one, other)| Some((*one)? / (*other)?)).collect())
    }
}

/// What failed in a job: the job, or else an operation. One that failed while the study ended the store is no failure.
fn failure(job: &JobRecord) -> Option<RecordedText> {
    let undisturbed = job.phases.iter().filter(|phase| phase.actions.is_empty());
    let mut operations = undisturbed.flat_map(|phase| &phase.results).flat_map(|result| &result.failures);
    let of_job = job.error.as_ref().map(|error| error.message.clone());
    of_job.or_else(|| operations.next().map(|failed| failed.message.clone().into()))
}

/// A ratio, or how many times something becomes.
fn between(measured: Measured, bounds: Bounds) -> Observation {
    let claimed = Claimed::within(bounds.at_least.map(f64::ln), bounds.at_most.map(f64::ln));
    Observation::Estimate { measured, claimed, scale: Scale::Log }
}

/// An amount in the unit of its metric: more of it than is claimed is not more so.
fn amount_between(measured: Measured, bounds: Bounds) -> Observation {
    let claimed = Claimed::between(bounds.at_least.map(f64::ln), bounds.at_most.map(f64::ln));
    Observation::Estimate { measured, claimed, scale: Scale::Log }
}

fn too_few(one: &[Option<f64>], other: &[Option<f64>]) -> Unknown {
    Unknown::TooFewRounds { rounds: one.iter().zip(other).filter(|(a, b)| a.is_some() && b.is_some()).count() }
}
