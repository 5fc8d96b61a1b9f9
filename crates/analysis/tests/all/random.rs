//! Of a thousand result sets drawn at random no answer says more than it may, and an answer that does is found.

use kurabe_analysis::trial::{DrawnAnswer, Fault, ranking_trial};
use kurabe_protocol::{Action, Operation};
use kurabe_record::{Guarantee, Loaded, MinimumDurability};

use crate::common::{job, loaded, plan, ran, run, store};

const SETS: u64 = 1_000;

/// A run of one store, after which others are drawn.
fn template() -> Loaded {
    let run = run(3, vec![store("a")], vec![plan("read", Action::Read), plan("update", Action::Update)]);
    let phases = vec![ran("read", Operation::Read, 1_000), ran("update", Operation::Update, 1_000)];
    loaded(run, vec![job("a", 0, phases)])
}

#[test]
fn no_answer_of_a_thousand_says_more_than_it_may() {
    let template = template();
    for seed in 0..SETS {
        let found = DrawnAnswer::draw(&template, seed).violations();
        assert!(found.is_empty(), "set {seed}: {found:?}");
    }
    let trial = ranking_trial(&template, SETS);
    // Or nothing would have been tried.
    assert!(trial.wrong == 0 && trial.leads > 300 && trial.taken > 300 && trial.broken > 300, "{trial:?}");
}

/// Defects that such a rule could have: each is found in most of the sets in which it can be seen.
#[test]
fn an_answer_that_says_too_much_is_found() {
    let template = template();
    let mut found = [0; 3];
    for seed in 0..200 {
        // What keeps everything is told to keep nothing, and the other way round.
        let drawn = DrawnAnswer::draw(&template, seed);
        let mut swapped = drawn.clone();
        for row in swapped.answer.phases.iter_mut().flat_map(|phase| &mut phase.rows) {
            row.guarantee =
                row.guarantee.map(|kept| if kept == Guarantee::FULL { Guarantee::NONE } else { Guarantee::FULL });
        }
        found[0] += usize::from(!swapped.violations().is_empty());
        // What was wrong is not looked at.
        let mut blind = drawn.clone();
        blind.faults = ["a", "b", "c", "d", "e", "f"].map(|name| (name.to_string(), Fault::Failed)).into();
        found[1] += usize::from(!blind.violations().is_empty());
        // More is asked for than was looked at.
        let asked = DrawnAnswer { minimum: MinimumDurability::Power, ..drawn.clone() };
        found[2] += usize::from(asked.minimum != drawn.minimum && !asked.violations().is_empty());
    }
    assert!(found.iter().all(|times| *times > 50), "{found:?}");
}
