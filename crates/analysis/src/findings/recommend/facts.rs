//! What a store is beside its figures: its languages, its licence, how it keeps connections apart, and what was not
//! measured.

use kurabe_record::{About, Form, Isolation, LicenceBinds, MinimumDurability, UsedBy};

use super::reasons::Case;
use super::rules::Rule;
use super::{Alternative, Rationale, Unless};

/// More rows than so many times the measured ones are another question: the data leave caches, and trees grow a level.
const FAR_MORE: u64 = 10;

impl Case<'_> {
    /// In which cases something else, whatever was measured.
    pub(super) fn facts(&self) -> Vec<Unless> {
        let about = self.taken.about.as_ref();
        let mut all = Vec::new();
        all.extend(about.and_then(|about| self.language(about)));
        all.extend(about.and_then(|about| self.isolation(about)));
        all.extend(about.and_then(|about| self.forgets(about)));
        all.extend(about.and_then(|about| self.licence(about)));
        all.extend(self.more_rows());
        all
    }

    /// What speed decided for who did not say how much is needed: up to where the plain choice does it too.
    pub(super) fn little(&self) -> Option<Unless> {
        let situation = self.situation;
        let by_speed = matches!(self.chosen.rule, Rule::FirstEverywhere | Rule::FirstInTheMix | Rule::LeastBehind);
        if situation.is_needed() || !by_speed {
            return None;
        }
        let used_by = situation.used_by.unwrap_or(UsedBy::OneProgram);
        let plain = self.others().find(|one| situation.plain(used_by) == Some(one.store.as_str()))?;
        let rates = (0..situation.phases.len()).map(|at| plain.sure_rate_per_s(at));
        let least = rates.collect::<Option<Vec<f64>>>()?.into_iter().fold(f64::INFINITY, f64::min);
        Some(Unless::LittleNeeded { rate_per_s: least, candidate: plain.name.clone() })
    }

    /// It is supported no longer in the version that was measured.
    pub(super) fn support(&self) -> Option<Rationale> {
        let version = self.taken.version.as_ref()?;
        let line = self.taken.about.as_ref()?.line_of(version)?;
        // Dates are compared as far as both go.
        let today = self.situation.today.get(..line.until.len())?;
        (line.until.as_str() < today).then(|| Rationale::OutOfSupport {
            version: version.clone(),
            until: line.until.clone(),
            newest: self.taken.about.as_ref().and_then(|about| about.released_version.clone()),
        })
    }

    /// A driver for other languages, where few have one.
    fn language(&self, about: &About) -> Option<Unless> {
        let instead = || self.of_the_same_form(about, &|one| one.languages.is_empty());
        (!about.languages.is_empty())
            .then(|| Unless::OtherLanguage { languages: about.languages.clone(), instead: instead() })
    }

    /// What connections that write at the same time can do to each other, where several do.
    fn isolation(&self, about: &About) -> Option<Unless> {
        let several = self.situation.phases.iter().any(|phase| phase.writes && phase.under_way > 1);
        let several = several || self.situation.used_by == Some(UsedBy::SeveralMachines);
        let isolation = about.isolation.filter(|isolation| several && *isolation < Isolation::Snapshot)?;
        let instead = self.of_the_same_form(about, &|one| one.isolation.is_some_and(|other| other > isolation));
        Some(Unless::Isolation { isolation, instead })
    }

    /// Expiry and eviction, where everything may be lost: such data are a cache.
    fn forgets(&self, about: &About) -> Option<Unless> {
        let is_cache = self.situation.asked == MinimumDurability::Cache && about.forgets.is_empty();
        let used_by = self.situation.used_by.unwrap_or(UsedBy::OneProgram);
        let instead = || self.instead(used_by, &|one| !one.forgets.is_empty());
        is_cache.then(|| Unless::RowsExpire { instead: instead() })
    }

    /// Whom its licence binds.
    fn licence(&self, about: &About) -> Option<Unless> {
        let binds = about.licence_binds?;
        // A library is in the program; a program that only talks to a server is not linked to it.
        if binds == LicenceBinds::Programs && about.form == Form::Server {
            return None;
        }
        let licence = self.situation.known(&self.taken.store).map(|one| one.licence.clone()).unwrap_or_default();
        let instead = self.of_the_same_form(about, &|one| one.licence_binds.is_none());
        Some(Unless::Licence { binds, licence, instead })
    }

    /// Far more rows than were measured, where no growth was.
    fn more_rows(&self) -> Option<Unless> {
        let situation = self.situation;
        let is_asked = situation.command.has("--sizes");
        if situation.rows == 0 || is_asked || !self.taken.growth.is_empty() || situation.has_own_rows {
            return None;
        }
        let more = situation.rows.saturating_mul(FAR_MORE);
        let sizes = format!("{},{}", situation.rows, more);
        Some(Unless::MoreRows {
            rows: situation.rows,
            command: situation.command.clone().with("--sizes", sizes).to_string(),
        })
    }

    /// What to take instead of the same form as it.
    fn of_the_same_form(&self, about: &About, is_it: &dyn Fn(&About) -> bool) -> Alternative {
        let form = about.form;
        self.instead(UsedBy::of_form(form), &|one| one.form == form && is_it(one))
    }
}
