//! The page about published comparisons: what their authors concluded, and which of it held in kept runs.

use kurabe_analysis::{Answer, ClaimsAnswer};
use kurabe_messages::{described, message};
use kurabe_record::{RunRecord, StoreKind};

use crate::markdown::{TextOutput, escaped, fenced, measured_on};
use crate::text::texts;

/// The page about these runs, in their order; those that repeat nothing that was published are left out.
pub(crate) fn text(runs: &[(Answer, RunRecord)]) -> String {
    let mut out = TextOutput::default();
    out.text.push_str(&format!("# {}\n\n", message!(markdown_articles_title)));
    for paragraph in [
        message!(markdown_articles_studies),
        message!(markdown_articles_claims),
        message!(markdown_articles_figures),
        message!(markdown_articles_origin),
    ] {
        out.paragraph(&paragraph.to_string());
    }
    let mut shown: Vec<&str> = Vec::new();
    let repeats = |answer: &Answer| answer.claims.as_ref().is_some_and(|claims| claims.source.is_some());
    for (answer, run) in runs.iter().filter(|(answer, _)| repeats(answer)) {
        let study = format!("`{}`", escaped(&answer.study));
        // Two runs of one study differ in their stores.
        let heading = match shown.contains(&answer.study.as_str()) {
            true => message!(markdown_article_with, study, stores = stores(run)).to_string(),
            false => study,
        };
        out.paragraph(&format!("## {heading}"));
        shown.push(&answer.study);
        self::study(&mut out, answer, run);
    }
    // One empty line between paragraphs, and none at the end.
    format!("{}\n", out.text.trim_end())
}

/// The stores of a run.
fn stores(run: &RunRecord) -> Vec<String> {
    let stores = run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.pitfall().is_none());
    stores.map(|one| format!("`{}`", escaped(&one.name))).collect()
}

fn study(out: &mut TextOutput, answer: &Answer, run: &RunRecord) {
    let source = answer.claims.as_ref().and_then(ClaimsAnswer::source);
    let source = source
        .map_or_else(|| described(&answer.title).to_string(), |source| message!(markdown_repeats, source).to_string());
    out.paragraph(&escaped(&source));
    out.list(texts(answer.messages()).iter());
    if let Some(judged) = &answer.claims {
        out.paragraph(&judged.verdicts().to_string());
    }
    out.verdicts(answer);
    out.paragraph(&escaped(&measured_on(run).to_string()));
    out.text.push_str(&format!("{}\n", fenced(&run.command)));
}
