//! The page about published comparisons: runs of one study share an article, and the order that came back is drawn.

use kurabe_analysis::{ClaimJudgement, ClaimVerdict, Measure, OrderedPair, Replication, Step};
use kurabe_record::Source;
use kurabe_report::{articles, articles_html};

use super::*;

fn figure(value: f64) -> Figure {
    Figure { value, rounds: 5, interval: Some(Range { low: value / 1.2, high: value * 1.2 }) }
}

fn step(removes: Option<&str>, lead: f64, change: Option<f64>, best: &str) -> Step {
    Step { removes: removes.map(String::from), lead: figure(lead), change: change.map(figure), best: best.into() }
}

/// The order of two programs that came back by the source's method, and turned.
fn came_back(column: &str) -> Replication {
    let pair = OrderedPair {
        first: "sqlite".into(),
        second: "lmdb".into(),
        theirs: 8.6,
        ours: figure(20.0),
        verdict: ClaimVerdict::Right,
    };
    Replication {
        table: "Read".into(),
        column: column.into(),
        order: vec!["sqlite".into(), "lmdb".into()],
        verdict: ClaimVerdict::Right,
        pairs: vec![pair],
        too_few_rounds: None,
        steps: vec![
            step(None, 20.0, None, "sqlite"),
            step(Some("hundred-copies"), 0.2, Some(0.01), "lmdb"),
            step(Some("old-library"), 0.21, Some(1.05), "lmdb"),
        ],
    }
}

fn claim(name: &str, verdict: Option<ClaimVerdict>) -> ClaimAnswer {
    let measure = Measure::Fails { candidate: "sqlite".into(), message: None, rounds: 5 };
    let finding = |verdict| kurabe_analysis::Finding {
        measure: measure.clone(),
        verdict,
        figure: None,
        unknown: None,
        clients: None,
    };
    let judgement = |verdict| ClaimJudgement {
        binding: None,
        durability: None,
        verdict,
        findings: vec![finding(verdict)],
        stand_ins: Vec::new(),
        settle: None,
    };
    ClaimAnswer {
        name: name.into(),
        says: format!("{name} is as it is."),
        judgements: verdict.map(judgement).into_iter().collect(),
        known: None,
        not_judged: verdict.is_none().then(|| "no run can".into()),
    }
}

/// One run for the conclusions, and one by the source's own method in which a side is missing.
fn runs() -> Vec<(Answer, RunRecord)> {
    let source = Source { title: "A comparison".into(), site: "a diary".into(), date: "2010".into(), url: None };
    let run = |claims: Vec<ClaimAnswer>, replications: Vec<Replication>| {
        let (mut answer, run, _) = sample();
        answer.claims = Some(ClaimsAnswer {
            source: Some(source.clone()),
            fixed_before: true,
            level: 0.95,
            about_these: true,
            claims,
        });
        answer.replications = replications;
        (answer, run)
    };
    let undecided = Replication { verdict: ClaimVerdict::OtherWork, steps: Vec::new(), ..came_back("one key") };
    vec![
        run(
            vec![
                claim("late", Some(ClaimVerdict::Wrong)),
                claim("other", Some(ClaimVerdict::OtherWork)),
                claim("market", None),
            ],
            vec![undecided],
        ),
        run(
            vec![claim("late", Some(ClaimVerdict::OtherWork)), claim("other", Some(ClaimVerdict::Right))],
            vec![came_back("one key"), came_back("every key")],
        ),
    ]
}

pub fn articles_page(language: Language) -> String {
    articles_html(&runs(), language).unwrap()
}

#[test]
fn runs_of_one_study_are_one_article_and_each_claim_has_the_verdict_of_who_did_its_work() {
    let text = articles(&runs(), Language::English);
    assert_eq!(text.matches("\n## ").count(), 1, "{text}");
    let lines: Vec<&str> =
        text.lines().filter(|line| line.starts_with("- **") && line.ends_with('*') && !line.ends_with("**")).collect();
    let begins = ["- **right**: other is as it is.", "- **wrong**: late is as it is."];
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{lines:#?}");
    assert!(text.contains("Of 3 conclusions 1 is right and 1 is wrong; 1 is not judged."), "{text}");
    assert!(text.contains("2 published columns were measured by the source's own method. Came back: 2."), "{text}");
}

#[test]
fn what_turned_the_order_is_told_where_its_interval_decides() {
    let text = articles(&runs(), Language::English);
    let told = text.lines().find(|line| line.contains("Without 'hundred-copies'")).expect("the step that turned");
    assert!(told.ends_with("From here on lmdb is the fastest."), "{told}");
    assert!(!text.contains("Without 'old-library'"), "its interval has 1 in it: {text}");
    for language in [Language::English, Language::Japanese] {
        let page = articles_page(language);
        // The chart of the first screen, and one a column behind it, each in two widths.
        assert_eq!(page.matches("<svg ").count(), 6);
        assert!(page.contains("20.0 ×") && page.contains("old-library"), "the chart has all steps");
    }
}
