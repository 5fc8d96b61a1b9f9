//! The answer on a terminal.

use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table as Grid, presets};
use kurabe_analysis::english::{self, done};
use kurabe_analysis::{Answer, ClaimsAnswer, Comparison, GO_ON, NotCounted, Note, PhaseAnswer, Sentence, Status};
use kurabe_messages::{Message, language};
use kurabe_record::RunRecord;
use textwrap::{Options, WordSplitter, WrapAlgorithm};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::axis_tables;
use crate::changes::{changes, good_ratios};
use crate::claims::{self, ClaimView};
use crate::clients;
use crate::headline;
use crate::matrix;
use crate::plain::{cut, one_line};
use crate::tables::{self, Align, Row, Table, Tone};
use crate::words::Word;

/// How to show an answer on a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns that a line may take.
    pub width: usize,
    /// Whether bold and dim may be used.
    pub colour: Colour,
    /// How much is shown.
    pub detail: Detail,
    /// The folder of the run, as it is to be shown; empty where it is gone.
    pub run_folder: String,
    /// Which claims are shown where it is short.
    pub claims: ClaimsShown,
}

/// Which claims are shown where it is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimsShown {
    /// All: somebody asked for them.
    All,
    /// Those of a study whose own stores were run.
    OfOwnStores,
}

/// How much of an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What fits one screen: the stores in the phases that decide, what a reader must know, and where the rest is.
    Short,
    /// Everything.
    Full,
}

/// Whether text may carry attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Bold and dim by ANSI sequences.
    Ansi,
    /// Plain text: NO_COLOR, or no terminal.
    Plain,
}

const INDENT: &str = "  ";
/// What stands before a further reason or case, and before a further line of one.
const BELOW: &str = "          ";
const FURTHER: &str = "            ";
/// So many lines has what to take where it is short.
const BOX_LINES: usize = 11;
/// What stands beside the table of what was done amid phases.
const AMID: &str = "median over jobs, least and greatest; 'answers again' is from the new start of the service";
/// Longest name of a candidate in a table, in columns of the terminal.
const NAME_WIDTH: usize = 40;
/// So many entries of a list of stores are shown.
const LISTED: usize = 4;
/// Longest text in any other column, in columns of the terminal.
const CELL_WIDTH: usize = 70;

pub(crate) fn text(answer: &Answer, run: &RunRecord, style: &TerminalStyle) -> String {
    let mut out = Out { text: String::new(), style };
    out.heading(&format!("{}: {}", answer.study, answer.title));
    match style.detail {
        Detail::Short => out.short(answer, run),
        Detail::Full => {
            out.text.push('\n');
            out.full(answer, run);
        }
    }
    out.text.push('\n');
    match style.detail {
        Detail::Short if style.run_folder.is_empty() => (),
        Detail::Short => out.line(&format!("all of it  kurabe show --full {}", out.folder())),
        Detail::Full => {
            if !style.run_folder.is_empty() {
                out.line(&format!("records  {}", style.run_folder));
            }
            out.line(&format!("repeat   {}", run.command));
        }
    }
    out.text
}

/// What to take, alone.
pub(crate) fn recommendation(answer: &Answer, style: &TerminalStyle) -> String {
    let mut out = Out { text: String::new(), style };
    match style.detail {
        Detail::Short => out.boxed(answer),
        Detail::Full => out.recommendation(answer),
    }
    out.text
}

/// The claims alone.
pub(crate) fn claims(answer: &Answer, style: &TerminalStyle) -> String {
    let mut out = Out { text: String::new(), style };
    out.heading(&format!("{}: {}", answer.study, answer.title));
    out.text.push('\n');
    out.claims(answer);
    out.text
}

/// Whether any store was measured; what baselines show alone says nothing.
fn any_rate(phase: &PhaseAnswer) -> bool {
    phase.rows.iter().any(|row| row.rate_per_s().is_some() && row.status != Status::Baseline)
}

/// Runs side by side.
pub(crate) fn comparison(comparison: &Comparison, style: &TerminalStyle) -> String {
    let mut out = Out { text: String::new(), style };
    for (index, run) in comparison.runs.iter().enumerate() {
        out.line(&format!(
            "run {}  {} of {}, kurabe {}, {}",
            index + 1,
            run.study,
            run.started_at,
            run.kurabe,
            run.name
        ));
    }
    out.text.push('\n');
    out.list(&changes(comparison).iter().map(Message::to_string).collect::<Vec<String>>());
    if !comparison.cautions.is_empty() {
        out.section("what differs beside the figures", "");
        out.list(&comparison.cautions.iter().map(|one| one.message().to_string()).collect::<Vec<String>>());
    }
    for phase in &comparison.phases {
        out.section(&phase.name, &format!("each run against the first; {} now", good_ratios(phase.metric)));
        out.table(&tables::comparison(phase));
    }
    if !comparison.not_compared.is_empty() {
        out.section("what is not compared", "");
        out.list(&comparison.not_compared.iter().map(|one| one.message().to_string()).collect::<Vec<String>>());
    }
    out.text
}

/// What clients call the sizes that a user may not read.
const SIZES: [&str; 2] = ["size of the ", "memory of the server"];

/// A note without the sizes that a user may not read: the short answer shows no size, so nobody misses one there.
fn without_sizes(note: &Note) -> Option<Note> {
    let Note::Unreadable { candidate, figures } = note else { return Some(note.clone()) };
    let is_size = |figure: &&String| SIZES.iter().any(|size| figure.starts_with(size));
    let figures: Vec<String> = figures.iter().filter(|figure| !is_size(figure)).cloned().collect();
    (!figures.is_empty()).then(|| Note::Unreadable { candidate: candidate.clone(), figures })
}

struct Out<'a> {
    text: String,
    style: &'a TerminalStyle,
}

impl Out<'_> {
    /// What fits one screen.
    fn short(&mut self, answer: &Answer, run: &RunRecord) {
        self.wrapped("", "", &done(answer, run));
        self.text.push('\n');
        let table = matrix::table(answer);
        let dropped = self.table(&table).into_iter().map(|at| &table.columns[at]);
        let phases: Vec<String> = dropped.filter(|one| one.rank < u8::MAX).map(|one| one.title.english()).collect();
        if !phases.is_empty() {
            let text = format!("no room for {}: a wider terminal shows it, and show --full", phases.join(", "));
            self.wrapped(INDENT, INDENT, &text);
        }
        let legend = matrix::legend(answer);
        if !legend.is_empty() {
            self.wrapped("", INDENT, &legend);
        }
        let said = &answer.recommendation.said;
        let mut beside: Vec<String> = answer.cautions.iter().map(|one| one.message().to_string()).collect();
        beside.extend(answer.sentences.iter().filter(|one| one.is_beside()).map(Sentence::words));
        beside.extend(answer.notes.iter().filter_map(without_sizes).map(|note| note.message().to_string()));
        if !beside.is_empty() {
            self.text.push('\n');
            self.list(&beside);
        }
        let shows = |one: &&ClaimsAnswer| one.about_these || self.style.claims == ClaimsShown::All;
        if let Some(judged) = answer.claims.as_ref().filter(shows) {
            self.section("claims", &judged.summary().to_string());
            for claim in claims::views(judged, language()) {
                let mut verdicts: Vec<String> =
                    claim.contexts.iter().map(|context| context.verdict.english().to_uppercase()).collect();
                verdicts.dedup();
                let verdicts = if verdicts.is_empty() { "NOT MEASURED".into() } else { verdicts.join(", ") };
                self.wrapped("- ", INDENT, &format!("{verdicts}: {}", claim.says));
            }
        }
        if let Some(others) = answer.claims.as_ref().filter(|one| !shows(one)) {
            let (many, folder) = (others.claims.len(), self.folder());
            self.text.push('\n');
            self.wrapped(
                "- ",
                INDENT,
                &format!("{many} claims of the study are about other stores: kurabe claims {folder}"),
            );
        }
        if !said.excluded.is_empty() {
            self.text.push('\n');
            self.wrapped("", INDENT, &format!("cannot be taken: {}", said.excluded.join("; ")));
        }
    }

    /// Everything.
    fn full(&mut self, answer: &Answer, run: &RunRecord) {
        self.recommendation(answer);
        self.wrapped("", "", &done(answer, run));
        self.text.push('\n');
        self.list(&answer.sentences.iter().map(Sentence::words).collect::<Vec<String>>());
        self.list(&answer.cautions.iter().map(|one| one.message().to_string()).collect::<Vec<String>>());
        let headlines = headline::headlines(answer, run);
        if !headlines.is_empty() {
            self.section("in short", "");
            self.table(&headline::table(&headlines));
        }
        let known = crate::known::table(answer);
        if !known.rows.is_empty() {
            self.section("what each store is", "");
            self.table(&known);
        }
        self.who_else(answer);
        self.claims(answer);
        for store in clients::shown(answer) {
            self.section(&clients::title(store).english(), &clients::subtitle(store));
            self.table(&clients::table(store));
        }
        if let Some(settings) = axis_tables::settings(answer) {
            self.section(Word::SettingsOverDurability.english(), Word::SettingsRepeat.english());
            self.table(&settings);
        }
        for axis in axis_tables::shown(answer) {
            self.section(&axis_tables::title(axis).english(), &axis_tables::subtitle(axis));
            self.table(&axis_tables::table(axis));
        }
        self.phases(answer);
        let legend = crate::legend::legend(answer);
        if !legend.is_empty() {
            self.section("words", "");
            self.list(&legend);
        }
        self.not_counted(answer);
        if !answer.notes.is_empty() {
            self.section("notes", "");
            self.list(&answer.notes.iter().map(|note| note.message().to_string()).collect::<Vec<String>>());
        }
    }

    /// The rankings of the configuration of the answer, cost beside time, then the other configurations.
    fn phases(&mut self, answer: &Answer) {
        let at = match answer.other_configurations.as_slice() {
            [] => String::new(),
            _ => format!(" at {}", english::at(&answer.at)),
        };
        let is_steady = headline::is_steady(answer);
        for phase in &answer.phases {
            self.section(&format!("{}{at}", phase.name), &tables::phase_subtitle(phase));
            self.table(&tables::phase(phase, is_steady));
        }
        if !answer.actions.is_empty() {
            self.section(&format!("amid phases{at}"), AMID);
            self.table(&tables::amid(answer));
        }
        self.section(&format!("cost beside time{at}"), "medians over rounds; memory is the peak");
        self.table(&tables::resources(answer));
        for level in answer.other_configurations.iter().rev().filter(|level| level.phases.iter().any(any_rate)) {
            let rounds = if level.rounds.measured == 1 { "round" } else { "rounds" };
            let heading = format!("at {}", english::at(&level.at));
            let rank = if is_steady { "; # is the rank in each phase" } else { "" };
            self.section(&heading, &format!("{} {rounds}{rank}", level.rounds.measured));
            self.table(&axis_tables::level(level, is_steady));
        }
    }

    fn not_counted(&mut self, answer: &Answer) {
        let elsewhere = axis_tables::not_counted_elsewhere(answer);
        if answer.not_counted.is_empty() && elsewhere.is_empty() {
            return;
        }
        self.section("what did not count", "");
        let line = |entry: &NotCounted| match entry.phases.as_slice() {
            [] => format!("{}: {}", entry.candidate, entry.why.words()),
            phases => format!("{} in {}: {}", entry.candidate, phases.join(", "), entry.why.words()),
        };
        self.list(&answer.not_counted.iter().map(line).collect::<Vec<String>>());
        self.list(&elsewhere);
    }

    /// What to take, why, and unless what.
    fn recommendation(&mut self, answer: &Answer) {
        let (lines, cases) = self.advice(answer);
        lines.iter().chain(cases.iter().flatten()).for_each(|line| self.text.push_str(&format!("{line}\n")));
        self.text.push('\n');
    }

    /// The same in so few lines that a screen shows them all; cases that have no room are counted.
    fn boxed(&mut self, answer: &Answer) {
        let (mut lines, mut cases) = self.advice(answer);
        let height = |cases: &[Vec<String>]| cases.iter().map(Vec::len).sum::<usize>();
        if lines.len() + height(&cases) > BOX_LINES {
            let all = cases.len();
            while cases.len() > 1 && lines.len() + height(&cases) >= BOX_LINES {
                cases.pop();
            }
            let more = match all - cases.len() {
                0 => None,
                1 => Some("1 more case".to_string()),
                left => Some(format!("{left} more cases")),
            };
            lines.extend(cases.into_iter().flatten());
            lines.extend(more.map(|more| format!("{BELOW}{more}: kurabe show --full {}", self.folder())));
            cases = Vec::new();
        }
        lines.iter().chain(cases.iter().flatten()).for_each(|line| self.text.push_str(&format!("{line}\n")));
    }

    /// The lines of what to take and why, and those of each case in which something else is to be taken.
    fn advice(&self, answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
        let said = &answer.recommendation.said;
        let headline = said.headline.replace(GO_ON, &GO_ON.replace("RUN", &self.folder()));
        let mut lines: Vec<String> = self.in_lines("", "", &headline).iter().map(|line| self.bold(line)).collect();
        lines.extend(said.about.iter().flat_map(|about| self.in_lines(INDENT, INDENT, about)));
        let items = |word: &str, items: &[String]| -> Vec<Vec<String>> {
            let first = |at: usize| if at == 0 { format!("{INDENT}{word:<8}") } else { BELOW.to_string() };
            let lines = |(at, item): (usize, &String)| self.in_lines(&first(at), FURTHER, item);
            items.iter().enumerate().map(lines).collect()
        };
        lines.extend(items(&said.why, &said.because).into_iter().flatten());
        (lines, items("unless", &said.unless))
    }

    /// The folder of the run as a word of a command.
    fn folder(&self) -> String {
        let folder = &self.style.run_folder;
        shlex::try_quote(folder).map_or_else(|_| folder.clone(), |folder| folder.to_string())
    }

    /// Who else there is.
    fn who_else(&mut self, answer: &Answer) {
        let said = &answer.recommendation.said;
        let lists = [
            ("cannot be taken", &said.excluded),
            ("could be taken, and was not measured here", &said.not_measured),
            ("the rest, best first", &said.others),
        ];
        for (heading, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            self.section(heading, "");
            let shown = if items.len() > LISTED + 1 { LISTED } else { items.len() };
            self.list(&items[..shown]);
            if shown < items.len() {
                self.wrapped(
                    "- ",
                    INDENT,
                    &format!("and {} more: 'kurabe list stores' lists them", items.len() - shown),
                );
            }
        }
    }

    /// Claims with their verdicts, the source's tables and what pitfalls did.
    fn claims(&mut self, answer: &Answer) {
        if let Some(judged) = &answer.claims {
            self.section("claims", &judged.summary().to_string());
            if let Some(source) = judged.source() {
                self.wrapped(INDENT, INDENT, &format!("of {source}"));
            }
            claims::views(judged, language()).iter().for_each(|claim| self.claim(claim));
        }
        for table in claims::tables(answer, language()) {
            self.section(&table.title, &table.subtitle);
            self.table(&table.table);
        }
        for pitfall in claims::pitfalls(answer, language()) {
            self.section(&format!("pitfall: {}", pitfall.name), &pitfall.says);
            self.list(&pitfall.sentences);
            self.table(&pitfall.table);
        }
    }

    fn claim(&mut self, claim: &ClaimView) {
        self.wrapped("- ", INDENT, &format!("{}: {}", claim.name, claim.says));
        if let Some(why) = &claim.not_measured {
            self.wrapped("    ", "      ", &format!("NOT MEASURED: {why}"));
        }
        for context in &claim.contexts {
            let place = if context.context.is_empty() { String::new() } else { format!(" ({})", context.context) };
            let telling = context.telling.join("; ");
            self.wrapped("    ", "      ", &format!("{}{place}: {telling}", context.verdict.english().to_uppercase()));
            if let Some(way_out) = &context.way_out {
                self.wrapped("      ", "      ", way_out);
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&one_line(&cut(line)));
        self.text.push('\n');
    }

    fn bold(&self, text: &str) -> String {
        match self.style.colour {
            Colour::Ansi => format!("\u{1b}[1m{}\u{1b}[0m", one_line(text)),
            Colour::Plain => one_line(text),
        }
    }

    fn heading(&mut self, heading: &str) {
        for line in self.in_lines("", "", heading) {
            let line = self.bold(&line);
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// The name, and the subtitle beside it, or below where it is too long.
    fn section(&mut self, name: &str, subtitle: &str) {
        self.text.push('\n');
        self.text.push_str(&self.bold(name));
        if name.width() + INDENT.len() + subtitle.width() <= self.style.width {
            self.line(format!("{INDENT}{subtitle}").trim_end());
        } else {
            self.text.push('\n');
            self.wrapped(INDENT, INDENT, subtitle);
        }
    }

    /// An item of several lines, such as the end of a log, keeps them.
    fn list(&mut self, items: &[String]) {
        for item in items {
            let item = cut(item);
            let mut lines = item.lines().filter(|line| !line.trim().is_empty());
            self.wrapped("- ", INDENT, lines.next().unwrap_or_default());
            lines.for_each(|line| self.wrapped("    ", "      ", line));
        }
    }

    fn wrapped(&mut self, first: &str, rest: &str, text: &str) {
        for line in self.in_lines(first, rest, text) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// The text in lines that the terminal has room for.
    fn in_lines(&self, first: &str, rest: &str, text: &str) -> Vec<String> {
        let options = Options::new(self.style.width)
            .initial_indent(first)
            .subsequent_indent(rest)
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        textwrap::wrap(one_line(&cut(text)).trim(), options).into_iter().map(String::from).collect()
    }

    /// The table with as many columns as fit; the least telling ones go first. Which did is returned.
    fn table(&mut self, table: &Table) -> Vec<usize> {
        if table.columns.len() < 2 {
            self.line("  nothing was measured");
            return Vec::new();
        }
        let mut kept: Vec<usize> = (0..table.columns.len()).collect();
        while self.grid(table, &kept, Colour::Plain).lines().any(|line| line.width() > self.style.width) {
            let droppable = kept.iter().copied().filter(|at| table.columns[*at].rank > 0);
            let Some(least) = droppable.max_by_key(|at| table.columns[*at].rank) else { break };
            kept.retain(|at| *at != least);
        }
        let text = self.with_rule(&self.grid(table, &kept, self.style.colour), table);
        self.text.push_str(&text);
        (0..table.columns.len()).filter(|at| !kept.contains(at)).collect()
    }

    fn grid(&self, table: &Table, kept: &[usize], colour: Colour) -> String {
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        match colour {
            Colour::Ansi => grid.enforce_styling(),
            Colour::Plain => grid.force_no_tty(),
        };
        grid.set_header(kept.iter().map(|at| Cell::new(one_line(&table.columns[*at].title.english()))));
        for row in &table.rows {
            let most = |at: usize| if table.columns[at].title.is(Word::Candidate) { NAME_WIDTH } else { CELL_WIDTH };
            grid.add_row(kept.iter().map(|at| cell(row, *at, most(*at))));
        }
        for (position, at) in kept.iter().enumerate() {
            if let (Align::Right, Some(column)) = (table.columns[*at].align, grid.column_mut(position)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        grid.trim_fmt() + "\n"
    }

    /// A line above the baselines, so that nobody takes them for ranks.
    fn with_rule(&self, grid: &str, table: &Table) -> String {
        let first_baseline = table.rows.iter().position(|row| row.tone == Tone::Baseline);
        let width = self.grid(table, &[0, 1], Colour::Plain).lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        let mut text = String::new();
        for (index, line) in grid.lines().enumerate() {
            if first_baseline.is_some_and(|baseline| baseline > 0 && index == baseline + 1) {
                text.push_str(&format!(" {}\n", "─".repeat(width.saturating_sub(1))));
            }
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

fn cell(row: &Row, at: usize, most_width: usize) -> Cell {
    let text = one_line(&row.cells[at].english());
    let cell = Cell::new(shortened(&text, most_width));
    match row.tone {
        // Nothing is decided by it.
        Tone::Lead | Tone::Plain if text.starts_with(matrix::OPEN) || text.ends_with(&format!(" {}", matrix::OPEN)) => {
            cell.add_attribute(Attribute::Dim)
        }
        Tone::Lead => cell.add_attribute(Attribute::Bold),
        Tone::Plain => cell,
        Tone::Unranked | Tone::Baseline => cell.add_attribute(Attribute::Dim),
    }
}

/// The text, cut off with a mark where it takes more columns of the terminal than it may.
fn shortened(text: &str, most_width: usize) -> String {
    if text.width() <= most_width {
        return text.to_string();
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += c.width().unwrap_or(0);
        width < most_width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
