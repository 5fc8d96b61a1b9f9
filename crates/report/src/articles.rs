//! The page about published comparisons: what their authors concluded, and which of it held in kept runs.

use kurabe_analysis::{Answer, ClaimsAnswer};
use kurabe_messages::Language;
use kurabe_record::{RunRecord, StoreKind};

use crate::markdown::{Out, escaped, fenced, machine};

const HEAD: &str = "\
# Published comparisons, measured again

Every study below repeats a published comparison with checked answers, interleaved rounds and intervals. What its author
concluded stands in the study before the run, each conclusion with a condition; the verdicts are those of [CLAIMS](CLAIMS.md).
The published figures beside ours, and what each pitfall does (a mistake of the published method, made again beside the work as it
should be and in the same rounds), are in `kurabe show --full results/NAME`, and with pictures in `kurabe report results/NAME`.

This page is written by `make articles` from the records in `results`, and a test writes it again. The figures are of the
machines that are named, and of no other: run a study on yours.

";

/// The page about these runs, in their order; those that repeat nothing that was published are left out.
pub(crate) fn text(runs: &[(Answer, RunRecord)]) -> String {
    let mut out = Out::new(Language::English);
    out.text.push_str(HEAD);
    let mut told: Vec<&str> = Vec::new();
    let repeats = |answer: &Answer| answer.claims.as_ref().is_some_and(|claims| claims.source.is_some());
    for (answer, run) in runs.iter().filter(|(answer, _)| repeats(answer)) {
        let again = told.contains(&answer.study.as_str());
        out.text.push_str(&format!(
            "## `{}`{}\n\n",
            escaped(&answer.study),
            if again { with(run) } else { String::new() }
        ));
        told.push(&answer.study);
        study(&mut out, answer, run);
    }
    // One empty line between paragraphs, and none at the end.
    format!("{}\n", out.text.trim_end())
}

/// Who was in a run, where there is another one of the same study.
fn with(run: &RunRecord) -> String {
    let stores = run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.pitfall().is_none());
    let names: Vec<String> = stores.map(|one| format!("`{}`", escaped(&one.name))).collect();
    format!(" with {}", names.join(", "))
}

fn study(out: &mut Out, answer: &Answer, run: &RunRecord) {
    let source = answer.claims.as_ref().and_then(ClaimsAnswer::source);
    out.paragraph(&escaped(
        &source.map_or_else(|| answer.title.clone(), |source| format!("Repeats {}.", source.text(Language::English))),
    ));
    out.list(answer.said().iter());
    if let Some(judged) = &answer.claims {
        out.paragraph(&judged.verdicts().text(Language::English));
    }
    out.verdicts(answer);
    out.paragraph(&escaped(&machine(run, Language::English)));
    out.text.push_str(&format!("{}\n", fenced(&run.command)));
}
