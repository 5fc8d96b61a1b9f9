//! Which of several configurations the answer is about.

use kurabe_record::StudyPlan;

use crate::result::configuration_result::ConfigurationResult;

/// The position of the last configuration at which two stores are ranked in a phase, else one, else of the last at
/// which anything was measured; the first where nothing was.
pub(crate) fn headline(plan: &StudyPlan, results: &[ConfigurationResult]) -> usize {
    let ranked = |result: &ConfigurationResult| {
        let rankings = result.phases.iter().flat_map(|phase| &phase.rankings);
        rankings.map(|ranking| ranking.candidates.len()).max().unwrap_or(0)
    };
    let last = |fits: &dyn Fn(&ConfigurationResult) -> bool| results.iter().rposition(fits);
    let measured = |result: &ConfigurationResult| {
        result.phases.iter().flat_map(|phase| &phase.rows).any(|row| row.rate_per_s().is_some())
    };
    // What is varied alone tells of a few; the answer is about what it is varied from.
    let alone = plan.axes.iter().any(|axis| !axis.design.is_full());
    let usual = |result: &ConfigurationResult| !alone || plan.is_usual(result.at.configuration as usize);
    last(&|result| usual(result) && ranked(result) >= 2)
        .or_else(|| last(&|result| ranked(result) >= 2))
        .or_else(|| last(&|result| usual(result) && ranked(result) == 1))
        .or_else(|| last(&|result| ranked(result) == 1))
        .or_else(|| last(&measured))
        .unwrap_or(0)
}
