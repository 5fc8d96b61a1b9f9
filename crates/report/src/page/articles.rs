//! The page about published comparisons as HTML: the first screens, and the tables behind them, folded.

use kurabe_messages::{language, message};
use minijinja::Value;
use serde::Serialize;

use super::figures::FigureView;
use super::{STYLE, fill, waterfall};
use crate::ReportError;
use crate::articles::{self, ArticleView, Run};
use crate::claims::{self, ClaimView, PitfallView, PublishedView};
use crate::text::Text;

#[derive(Serialize)]
struct ArticlesPage {
    style: Value,
    language: &'static str,
    title: Text,
    articles: Vec<ArticleSection>,
}

#[derive(Serialize)]
struct ArticleSection {
    first: ArticleView,
    /// The column that pitfalls changed most.
    waterfall: Option<FigureView>,
    waterfalls: Vec<FigureView>,
    runs: Vec<RunSection>,
}

/// The tables of one run.
#[derive(Serialize)]
struct RunSection {
    /// Begins the places of its claims.
    prefix: String,
    command: String,
    claims: Vec<ClaimView>,
    published: Vec<PublishedView>,
    pitfalls: Vec<PitfallView>,
}

pub(crate) fn render(runs: &[Run]) -> Result<String, ReportError> {
    let sections = articles::by_article(runs).into_iter().filter_map(|runs| section(&runs).transpose());
    let page = ArticlesPage {
        style: Value::from_safe_string(STYLE.into()),
        language: language().code(),
        title: message!(markdown_articles_title).into(),
        articles: sections.collect::<Result<_, ReportError>>()?,
    };
    fill("articles.html", page)
}

fn section(runs: &[&Run]) -> Result<Option<ArticleSection>, ReportError> {
    let Some(first) = ArticleView::of(runs) else { return Ok(None) };
    let columns = articles::replications(runs);
    let run = |(at, (answer, run)): (usize, &&Run)| RunSection {
        prefix: articles::prefix(&answer.study, at),
        command: run.command.clone(),
        claims: answer.claims.as_ref().map(claims::views).unwrap_or_default(),
        published: claims::tables(answer),
        pitfalls: claims::pitfalls(answer, claims::PitfallRows::Touched),
    };
    Ok(Some(ArticleSection {
        first,
        waterfall: waterfall::main_column(&columns).map(waterfall::view).transpose()?.flatten(),
        waterfalls: waterfall::views(columns.iter().copied())?,
        runs: runs.iter().enumerate().map(run).collect(),
    }))
}
