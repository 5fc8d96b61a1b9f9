//! What the live store tells of itself: which product it is; its settings, read back, compared with what was asked, and held
//! against what they undo.

use kurabe_messages::message;
use kurabe_protocol::reply::{Info, Settings, Texts};
use kurabe_record::{Guarantee, JobErrorKind, JobRecord, SettingCheck, SettingState, WeakenedSetting};

use super::Work;
use crate::fault::Fault;
use crate::resolve::fill;

impl Work<'_> {
    /// What the store tells of itself. One that tells to be another product fails the job.
    pub(super) fn info(&mut self) -> Result<Texts, Fault> {
        let info = self.call::<Info>()?.unwrap_or_default();
        match self.candidate.store.is_another(&info) {
            Some(why) => Err(Fault::new(JobErrorKind::Service, why)),
            None => Ok(info),
        }
    }

    /// Compares what was asked with what the live store reports.
    pub(super) fn read_settings_back(&mut self) -> Result<Vec<SettingCheck>, Fault> {
        let found = self.call::<Settings>()?.unwrap_or_default();
        let asked = self.candidate.expected_settings();
        let variables = self.variables();
        let mut checks: Vec<SettingCheck> = asked
            .iter()
            .map(|(name, value)| {
                let (asked, found) = (fill(value, &variables), found.get(name).cloned());
                let state = match &found {
                    None => SettingState::SetNotReadable,
                    Some(found) if *found == asked => SettingState::Confirmed,
                    Some(_) => SettingState::Differs,
                };
                SettingCheck { name: name.clone(), asked: Some(asked), found, state }
            })
            .collect();
        checks.extend(found.into_iter().filter(|(name, _)| !asked.contains_key(name)).map(|(name, value)| {
            SettingCheck { name, asked: None, found: Some(value), state: SettingState::Reported }
        }));
        Ok(checks)
    }

    /// Warns in the first round that a setting takes the candidate below the minimum of the study.
    pub(super) fn warn_below_minimum(&self, record: &JobRecord) {
        let minimum = self.candidate.record.minimum_durability(&self.context.study.plan);
        let below = |one: &&WeakenedSetting| !Guarantee::FULL.at_most(one.guarantee).meets(minimum);
        let Some(one) = record.undone.iter().filter(|_| record.round == 0).find(below) else { return };
        let (name, WeakenedSetting { setting, found, window, .. }) = (&record.candidate, one);
        self.context.observer.warn(&message!(run_below_minimum, name, minimum, setting, found, window));
    }
}

/// A setting that reads back as something else fails the job: its figures would be of another setting.
pub(super) fn check_settings(checks: &[SettingCheck]) -> Result<(), Fault> {
    let Some(bad) = checks.iter().find(|check| check.state == SettingState::Differs) else { return Ok(()) };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let (found, asked) = (text(&bad.found), text(&bad.asked));
    Err(Fault::new(JobErrorKind::Settings, message!(run_setting_differs, name = &bad.name, found, asked)))
}
