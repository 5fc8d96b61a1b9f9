//! The texts of the rules by which a store is chosen.

use kurabe_messages::{Message, message};

use crate::findings::recommend::Rule;

/// A rule as a page tells it.
pub struct RuleText {
    /// When it applies.
    pub when: Message,
    /// What it answers.
    pub then: Message,
    /// Why.
    pub why: Message,
}

impl Rule {
    /// Its texts.
    pub fn text(self) -> RuleText {
        let (when, then, why) = match self {
            Rule::TooFewRounds => (
                message!(recommendation_rule_too_few_rounds_when),
                message!(recommendation_rule_too_few_rounds_then),
                message!(recommendation_rule_too_few_rounds_why),
            ),
            Rule::NobodyThrough => (
                message!(recommendation_rule_nobody_through_when),
                message!(recommendation_rule_nobody_through_then),
                message!(recommendation_rule_nobody_through_why),
            ),
            Rule::NoneForThem => (
                message!(recommendation_rule_none_for_them_when),
                message!(recommendation_rule_none_for_them_then),
                message!(recommendation_rule_none_for_them_why),
            ),
            Rule::NoneEnough => (
                message!(recommendation_rule_none_enough_when),
                message!(recommendation_rule_none_enough_then),
                message!(recommendation_rule_none_enough_why),
            ),
            Rule::AllEnough => (
                message!(recommendation_rule_all_enough_when),
                message!(recommendation_rule_all_enough_then),
                message!(recommendation_rule_all_enough_why),
            ),
            Rule::OnlyOne => (
                message!(recommendation_rule_only_one_when),
                message!(recommendation_rule_only_one_then),
                message!(recommendation_rule_only_one_why),
            ),
            Rule::Unsteady => (
                message!(recommendation_rule_unstable_when),
                message!(recommendation_rule_unstable_then),
                message!(recommendation_rule_unstable_why),
            ),
            Rule::FirstEverywhere => (
                message!(recommendation_rule_first_everywhere_when),
                message!(recommendation_rule_first_everywhere_then),
                message!(recommendation_rule_first_everywhere_why),
            ),
            Rule::LevelEverywhere => (
                message!(recommendation_rule_level_everywhere_when),
                message!(recommendation_rule_level_everywhere_then),
                message!(recommendation_rule_level_everywhere_why),
            ),
            Rule::NotToldApart => (
                message!(recommendation_rule_not_told_apart_when),
                message!(recommendation_rule_not_told_apart_then),
                message!(recommendation_rule_not_told_apart_why),
            ),
            Rule::FirstInTheMix => (
                message!(recommendation_rule_first_in_the_mix_when),
                message!(recommendation_rule_first_in_the_mix_then),
                message!(recommendation_rule_first_in_the_mix_why),
            ),
            Rule::PlainNearBest => (
                message!(recommendation_rule_plain_near_best_when),
                message!(recommendation_rule_plain_near_best_then),
                message!(recommendation_rule_plain_near_best_why),
            ),
            Rule::LeastBehind => (
                message!(recommendation_rule_least_behind_when),
                message!(recommendation_rule_least_behind_then),
                message!(recommendation_rule_least_behind_why),
            ),
        };
        RuleText { when, then, why }
    }
}
