//! The page about published comparisons: what each asked, what we answer, whether its order came back by its own method,
//! what turned it, and which of its conclusions are right.
//!
//! A screen an article, in words, is what its author reads; tables stand behind it in the HTML page and are not in
//! Markdown. A table with all findings was the alternative; in it nobody found whether the author was right.

use kurabe_analysis::{Answer, ClaimAnswer, ClaimJudgement, ClaimVerdict, Figure, Replication};
use kurabe_messages::{Language, Message, described, message, with_language};
use kurabe_record::{DurabilityLevel, Judged, RunRecord, Source};
use serde::Serialize;

use crate::claims;
use crate::markdown::{TextOutput, escaped, fenced, machine_facts, measured_on};
use crate::page::waterfall;
use crate::text::Text;

/// Steps of a staircase that the first screen tells; the chart shows all.
const SHOWN_STEPS: usize = 3;
/// Cases for another store that it tells; the answer of the run has all.
const SHOWN_CASES: usize = 3;

/// A run with its answer.
pub(crate) type Run = (Answer, RunRecord);

/// The first screen of an article.
#[derive(Serialize)]
pub(crate) struct ArticleView {
    /// The study.
    pub(crate) id: String,
    pub(crate) title: Text,
    /// Where it stood, with its own title where that is in another language.
    pub(crate) source: Text,
    pub(crate) question: Text,
    pub(crate) answer: Text,
    /// Whether the order came back, over all columns.
    pub(crate) order: Text,
    pub(crate) columns: Vec<Text>,
    /// What turned it, the largest first.
    pub(crate) steps: Vec<Text>,
    /// How many conclusions became what.
    pub(crate) counts: Text,
    pub(crate) claims: Vec<ClaimLine>,
    pub(crate) not_judged: Vec<Text>,
    pub(crate) machines: Vec<Text>,
    pub(crate) commands: Vec<String>,
}

/// A conclusion in one line.
#[derive(Serialize)]
pub(crate) struct ClaimLine {
    /// Where all findings about it stand in the HTML page.
    pub(crate) link: String,
    pub(crate) verdict: Text,
    /// A word for style sheets.
    pub(crate) class: &'static str,
    pub(crate) says: Text,
    /// The figure or the fact that decides, or why nothing does.
    pub(crate) why: Text,
}

/// Runs that repeat what was published, together where they are of one study: one may have another client, or the
/// source's method.
pub(crate) fn by_article(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut articles: Vec<Vec<&Run>> = Vec::new();
    for run in runs.iter().filter(|(answer, _)| answer.source().is_some()) {
        match articles.iter_mut().find(|runs| runs[0].0.study == run.0.study) {
            Some(article) => article.push(run),
            None => articles.push(vec![run]),
        }
    }
    articles
}

/// Where the findings about a claim stand, of the run of this number.
pub(crate) fn prefix(study: &str, run: usize) -> String {
    format!("{study}-{}", run + 1)
}

/// The columns whose order was looked at; of a column that several runs have, the last counts.
pub(crate) fn replications<'a>(runs: &[&'a Run]) -> Vec<&'a Replication> {
    let measured = |one: &&Replication| one.verdict != ClaimVerdict::OtherWork;
    let all: Vec<&Replication> = runs.iter().flat_map(|(answer, _)| &answer.replications).filter(measured).collect();
    let is_column = |one: &Replication, other: &Replication| (&one.table, &one.column) == (&other.table, &other.column);
    let is_last = |(at, one): &(usize, &&Replication)| !all[at + 1..].iter().any(|other| is_column(one, other));
    all.iter().enumerate().filter(is_last).map(|(_, one)| *one).collect()
}

impl ArticleView {
    /// The first screen of an article from its runs; `None` where they repeat nothing.
    pub(crate) fn of(runs: &[&Run]) -> Option<ArticleView> {
        let (answer, _) = runs.first()?;
        let (source, advice) = (answer.source()?, &answer.advice);
        // A study that was corrected since has other claims: those of the latest run stand.
        let latest = (0..runs.len()).rev().max_by_key(|at| &runs[*at].1.started_at)?;
        let claims = runs[latest].0.claims.iter().flat_map(|claims| &claims.claims);
        let (mut lines, mut not_judged) = (Vec::new(), Vec::new());
        for claim in claims {
            match line(runs, latest, claim) {
                // What no run has measured is no finding.
                Some((ClaimVerdict::Undecided, Basis::Nothing(why), _)) => not_judged.push(not_judged_line(claim, why)),
                Some((verdict, _, line)) => lines.push((verdict, line)),
                None => not_judged.extend(claim.not_judged.as_ref().map(|why| not_judged_line(claim, described(why)))),
            }
        }
        lines.sort_by_key(|(verdict, _)| *verdict);
        let columns = replications(runs);
        Some(ArticleView {
            id: answer.study.clone(),
            title: described(&source.title).into(),
            source: source_line(source).into(),
            question: described(&answer.title).into(),
            answer: message!(
                article_answer,
                headline = advice.headline.clone(),
                because = advice.because.first().cloned(),
                unless = first_cases(&advice.unless)
            )
            .into(),
            order: order(&answer.study, &columns).into(),
            columns: columns.iter().filter_map(|one| one.messages().into_iter().next()).map(Text::from).collect(),
            steps: waterfall::main_column(&columns).map(steps).unwrap_or_default(),
            counts: counts(&lines, not_judged.len()).into(),
            claims: lines.into_iter().map(|(_, line)| line).collect(),
            not_judged,
            machines: machines(runs),
            commands: runs.iter().map(|(_, run)| run.command.clone()).collect(),
        })
    }
}

/// The machine of each run; behind the last stand the commands.
fn machines(runs: &[&Run]) -> Vec<Text> {
    let Some(((_, last), others)) = runs.split_last() else { return Vec::new() };
    let of_other = |(_, run): &&Run| Text::from(message!(article_measured_on, facts = machine_facts(run)));
    others.iter().map(of_other).chain([measured_on(last).into()]).collect()
}

/// The cases for something else that come first: those in which a phase that decides is faster elsewhere.
fn first_cases(all: &[Message]) -> Option<Message> {
    let shown = all.iter().take(SHOWN_CASES).cloned();
    shown.reduce(|all, next| message!(article_case_more, all, next))
}

/// Its title as it was published, where that is another than the one in this language, the site and the date.
fn source_line(source: &Source) -> Message {
    // The Japanese text of a title is the title that the source has.
    let original = with_language(Language::Japanese, || described(&source.title).to_string());
    let original = Some(original).filter(|original| *original != described(&source.title).to_string());
    let original = original.map(|title| message!(article_original, title));
    message!(article_source, original, site = &source.site, date = &source.date)
}

/// Whether the order came back: over all columns that were measured by the source's own method.
fn order(study: &str, columns: &[&Replication]) -> Message {
    if columns.is_empty() {
        return message!(article_order_not_measured, study);
    }
    let count = |is: fn(ClaimVerdict) -> bool| columns.iter().filter(|one| is(one.verdict)).count();
    message!(
        article_order,
        columns = columns.len(),
        right = count(ClaimVerdict::is_right),
        wrong = count(|one| one == ClaimVerdict::Wrong),
        open = count(|one| one == ClaimVerdict::Undecided)
    )
}

/// The steps that changed most, of those that changed anything for certain.
fn steps(one: &Replication) -> Vec<Text> {
    let is_certain = |at: &usize| one.steps[*at].change.is_some_and(Figure::differs);
    let size = |at: usize| one.steps[at].change.map_or(0.0, |change| change.value.ln().abs());
    let mut order: Vec<usize> = (1..one.steps.len()).filter(is_certain).collect();
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let told = order.into_iter().take(SHOWN_STEPS).filter_map(|at| one.steps[at].message(&one.steps[at - 1]));
    told.map(Text::from).collect()
}

/// How many conclusions became what, each by the programs that its source used.
fn counts(claims: &[(ClaimVerdict, ClaimLine)], not_judged: usize) -> Message {
    let of = |verdict: ClaimVerdict| claims.iter().filter(|(its, _)| *its == verdict).count();
    let counted = ClaimVerdict::count_messages(of);
    message!(article_counts, claims = claims.len() + not_judged, counted, not_judged)
}

/// What became of a claim by the programs that its source used: in the first binding that was measured, in the first run
/// that did. The claim is one of the latest; what an older run judged under that name counts where it is still the same.
fn line(runs: &[&Run], latest: usize, claim: &ClaimAnswer) -> Option<(ClaimVerdict, Basis, ClaimLine)> {
    let of = |at: usize| {
        let is_same = judged(&runs[at].1, &claim.name) == judged(&runs[latest].1, &claim.name);
        let claims = runs[at].0.claims.as_ref().filter(|_| is_same);
        let found = claims.and_then(|claims| claims.claims.iter().find(|one| one.name == claim.name));
        found.into_iter().flat_map(|one| &one.judgements).enumerate().map(move |(binding, one)| (binding, at, one))
    };
    let measured = (0..runs.len()).flat_map(of).filter(|(_, _, one)| is_measured(one));
    let measured = measured.min_by_key(|(binding, at, _)| (*binding, *at)).map(|(_, at, one)| (at, one));
    let by_fact = claim.by_fact().zip(claim.known.as_ref());
    let by_fact = by_fact.map(|(verdict, known)| (latest, verdict, kurabe_analysis::phrases::by_fact(known)));
    let by_runs = || measured.or_else(|| Some((latest, claim.judgements.first()?)));
    let is_found = by_fact.is_some() || measured.is_some();
    let (at, verdict, why) = by_fact.or_else(|| by_runs().map(|(at, one)| (at, one.verdict, why(one))))?;
    let basis = if is_found { Basis::Findings } else { Basis::Nothing(why.clone()) };
    let line = ClaimLine {
        link: format!("{}-claim-{}", prefix(&runs[0].0.study, at), claim.name),
        verdict: verdict.message().into(),
        class: claims::class(verdict),
        says: described(&claim.says).into(),
        why: why.into(),
    };
    Some((verdict, basis, line))
}

/// What decides about the claim of this name, as the study had it when it was run.
fn judged<'a>(run: &'a RunRecord, name: &str) -> Option<(&'a Judged, Option<DurabilityLevel>)> {
    let claim = run.plan.claims.claims.iter().find(|one| one.name == name)?;
    Some((&claim.judged, claim.durability))
}

/// What a verdict rests on.
enum Basis {
    /// A figure, or a fact.
    Findings,
    /// Nothing was measured, for this reason.
    Nothing(Message),
}

/// Whether there is a figure about the source's own work, or what decides without one.
fn is_measured(one: &ClaimJudgement) -> bool {
    match one.verdict {
        ClaimVerdict::OtherWork => false,
        ClaimVerdict::Undecided => one.findings.iter().any(|finding| finding.figure.is_some()),
        ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo | ClaimVerdict::Wrong => true,
    }
}

/// The nearest of the figures that decide it.
fn why(one: &ClaimJudgement) -> Message {
    let telling = claims::telling(one).first().map(|finding| finding.short_message());
    let of_all = one.findings.iter().filter(|finding| finding.verdict == one.verdict).count();
    let stand_ins = one.stand_ins();
    message!(article_why, finding = telling, more = of_all.saturating_sub(1), stand_ins)
}

fn not_judged_line(claim: &ClaimAnswer, why: Message) -> Text {
    message!(article_not_judged, says = described(&claim.says), why).into()
}

/// The page in Markdown.
pub(crate) fn text(runs: &[Run]) -> String {
    let mut out = TextOutput::default();
    out.text.push_str(&format!("# {}\n\n", message!(markdown_articles_title)));
    for paragraph in [
        message!(markdown_articles_studies),
        message!(markdown_articles_method),
        message!(article_figures),
        message!(markdown_articles_figures),
        message!(markdown_articles_origin),
    ] {
        out.paragraph(&paragraph.to_string());
    }
    for view in by_article(runs).iter().filter_map(|runs| ArticleView::of(runs)) {
        article(&mut out, &view);
    }
    // One empty line between paragraphs, and none at the end.
    format!("{}\n", out.text.trim_end())
}

fn article(out: &mut TextOutput, view: &ArticleView) {
    let shown = |text: &Text| escaped(&text.to_string());
    out.paragraph(&format!("## {}", shown(&view.title)));
    out.paragraph(&shown(&view.source));
    let mut item = |heading: Message, text: &Text, below: &[Text]| {
        out.text.push_str(format!("- **{heading}** {}", shown(text)).trim_end());
        below.iter().for_each(|one| out.text.push_str(&format!("\n  - {}", shown(one))));
        out.text.push('\n');
    };
    item(message!(article_question_word), &view.question, &[]);
    item(message!(article_answer_word), &view.answer, &[]);
    item(message!(article_order_word), &view.order, &view.columns);
    if !view.steps.is_empty() {
        item(message!(article_steps_word), &Text::default(), &view.steps);
    }
    out.text.push('\n');
    out.paragraph(&format!("**{}** {}", message!(article_claims_word), shown(&view.counts)));
    for line in &view.claims {
        out.text.push_str(&format!("- **{}**: {} *{}*\n", shown(&line.verdict), shown(&line.says), shown(&line.why)));
    }
    out.text.push('\n');
    if !view.not_judged.is_empty() {
        let all: Vec<String> = view.not_judged.iter().map(shown).collect();
        out.paragraph(&format!("**{}** {}", message!(article_not_judged_word), all.join(" ")));
    }
    view.machines.iter().for_each(|machine| out.paragraph(&shown(machine)));
    out.text.push_str(&format!("{}\n", fenced(&view.commands)));
}
