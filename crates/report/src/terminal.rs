//! The answer on a terminal.

use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table as Grid, presets};
use kurabe_analysis::{
    Advice, Answer, Caution, ClaimsAnswer, Comparison, Difference, GO_ON, NotCompared, NotCounted, Note, PhaseAnswer,
    Sentence, Status, phrases,
};
use kurabe_messages::{Language, Message, message};
use kurabe_record::RunRecord;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::axis_tables;
use crate::changes;
use crate::claims::{self, ClaimView};
use crate::clients;
use crate::headline;
use crate::matrix;
use crate::plain::{cut, one_line, words};
use crate::tables::{self, Align, Row, Table, Tone};
use crate::text::{Text, texts};

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
    /// In which language.
    pub language: Language,
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
/// So many lines has what to take where it is short.
const BOX_LINES: usize = 11;
/// Longest name of a candidate in a table, in columns of the terminal.
const NAME_WIDTH: usize = 40;
/// So many entries of a list of stores are shown.
const LISTED: usize = 4;
/// Longest text in any other column, in columns of the terminal.
const CELL_WIDTH: usize = 70;

pub(crate) fn text(answer: &Answer, run: &RunRecord, style: &TerminalStyle) -> String {
    let mut out = TextOutput { text: String::new(), style };
    out.heading(&message!(terminal_title, study = &answer.study, title = &answer.title));
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
        Detail::Short => out.line(&message!(terminal_show_full, folder = out.folder()).to_string()),
        Detail::Full => {
            if !style.run_folder.is_empty() {
                out.line(&message!(terminal_records, folder = &style.run_folder).to_string());
            }
            out.line(&message!(terminal_repeat, command = &run.command).to_string());
        }
    }
    out.text
}

/// What to take, alone.
pub(crate) fn recommendation(answer: &Answer, style: &TerminalStyle) -> String {
    let mut out = TextOutput { text: String::new(), style };
    match style.detail {
        Detail::Short => out.boxed(answer),
        Detail::Full => out.recommendation(answer),
    }
    out.text
}

/// The claims alone.
pub(crate) fn claims(answer: &Answer, style: &TerminalStyle) -> String {
    let mut out = TextOutput { text: String::new(), style };
    out.heading(&message!(terminal_title, study = &answer.study, title = &answer.title));
    out.text.push('\n');
    out.claims(answer);
    out.text
}

/// Columns of the labels before reasons and cases.
fn label_width(advice: &Advice) -> usize {
    let unless = message!(word_unless).to_string();
    advice.why.to_string().width().max(unless.width()).max(6) + INDENT.len()
}

/// Whether any store was measured; what baselines show alone says nothing.
fn any_rate(phase: &PhaseAnswer) -> bool {
    phase.rows.iter().any(|row| row.rate_per_s().is_some() && row.status != Status::Baseline)
}

/// Runs side by side.
pub(crate) fn comparison(comparison: &Comparison, style: &TerminalStyle) -> String {
    let mut out = TextOutput { text: String::new(), style };
    for (index, run) in comparison.runs.iter().enumerate() {
        let line = message!(
            terminal_run,
            run = index + 1,
            study = &run.study,
            started = &run.started_at,
            kurabe = &run.kurabe,
            name = &run.name
        );
        out.line(&line.to_string());
    }
    out.text.push('\n');
    out.list(&texts(changes::changes(comparison)));
    if !comparison.cautions.is_empty() {
        out.section(message!(terminal_differences), "");
        out.list(&texts(comparison.cautions.iter().map(Difference::message)));
    }
    for phase in &comparison.phases {
        out.section(&phase.name, message!(terminal_against_first, good = changes::good_ratios(phase.metric)));
        out.table(&tables::comparison(phase));
    }
    if !comparison.not_compared.is_empty() {
        out.section(message!(terminal_not_compared), "");
        out.list(&texts(comparison.not_compared.iter().map(NotCompared::message)));
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

struct TextOutput<'a> {
    text: String,
    style: &'a TerminalStyle,
}

impl TextOutput<'_> {
    /// What fits one screen.
    fn short(&mut self, answer: &Answer, run: &RunRecord) {
        self.wrapped("", "", &phrases::done(answer, run).to_string());
        self.text.push('\n');
        let table = matrix::table(answer);
        let dropped = self.table(&table).into_iter().map(|at| &table.columns[at]);
        let dropped = dropped.filter(|one| one.rank < u8::MAX).map(|one| one.title.clone());
        let columns: Vec<Text> = dropped.collect();
        if !columns.is_empty() {
            self.wrapped(INDENT, INDENT, &message!(terminal_no_room, columns, folder = self.folder()).to_string());
        }
        for one in matrix::legend(answer) {
            self.wrapped("", INDENT, &one.to_string());
        }
        let sentences = answer.sentences.iter().filter(|one| one.is_beside()).flat_map(Sentence::messages);
        let notes = answer.notes.iter().filter_map(without_sizes).map(|note| note.message());
        let beside = texts(answer.cautions.iter().map(Caution::message).chain(sentences).chain(notes));
        if !beside.is_empty() {
            self.text.push('\n');
            self.list(&beside);
        }
        let shows = |one: &&ClaimsAnswer| one.about_these || self.style.claims == ClaimsShown::All;
        if let Some(judged) = answer.claims.as_ref().filter(shows) {
            self.section(message!(word_claims), judged.summary());
            for claim in claims::views(judged) {
                let mut verdicts: Vec<String> =
                    claim.contexts.iter().map(|context| context.verdict.to_string().to_uppercase()).collect();
                verdicts.dedup();
                if verdicts.is_empty() {
                    let fact = claim.by_fact.map(|fact| fact.verdict.to_string());
                    verdicts.push(fact.unwrap_or_else(|| message!(word_not_judged).to_string()).to_uppercase());
                }
                self.wrapped("- ", INDENT, &message!(terminal_verdicts, verdicts, claim = &claim.says).to_string());
            }
        }
        if let Some(others) = answer.claims.as_ref().filter(|one| !shows(one)) {
            let told = message!(terminal_claims_of_others, claims = others.claims.len(), folder = self.folder());
            self.text.push('\n');
            self.wrapped("- ", INDENT, &told.to_string());
        }
        let excluded = &answer.advice.excluded;
        if !excluded.is_empty() {
            self.text.push('\n');
            self.wrapped("", INDENT, &message!(terminal_excluded, stores = excluded).to_string());
        }
    }

    /// Everything.
    fn full(&mut self, answer: &Answer, run: &RunRecord) {
        self.recommendation(answer);
        self.wrapped("", "", &phrases::done(answer, run).to_string());
        self.text.push('\n');
        self.list(&texts(answer.messages()));
        self.list(&texts(answer.cautions.iter().map(Caution::message)));
        let headlines = headline::headlines(answer, run);
        if !headlines.is_empty() {
            self.section(message!(terminal_in_short), "");
            self.table(&headline::table(&headlines));
        }
        let known = crate::known::table(answer);
        if !known.rows.is_empty() {
            self.section(message!(terminal_stores), "");
            self.table(&known);
        }
        self.who_else(answer);
        self.claims(answer);
        for store in clients::shown(answer) {
            self.section(clients::title(store), clients::subtitle(store));
            self.table(&clients::table(store));
        }
        if let Some(settings) = axis_tables::settings(answer) {
            self.section(message!(word_durability_settings), message!(word_same_setting));
            self.table(&settings);
        }
        for axis in axis_tables::shown(answer) {
            self.section(axis_tables::title(axis), axis_tables::subtitle(axis));
            self.table(&axis_tables::table(axis));
        }
        self.phases(answer);
        let legend = texts(crate::legend::legend(answer));
        if !legend.is_empty() {
            self.section(message!(word_words), "");
            self.list(&legend);
        }
        self.not_counted(answer);
        if !answer.notes.is_empty() {
            self.section(message!(word_notes), "");
            self.list(&texts(answer.notes.iter().map(Note::message)));
        }
    }

    /// The rankings of the configuration of the answer, cost beside time, then the other configurations.
    fn phases(&mut self, answer: &Answer) {
        // Several configurations need their names in the headings.
        let at = (!answer.other_configurations.is_empty()).then(|| phrases::configuration_name(&answer.at));
        let at = |section: Text| match &at {
            Some(at) => message!(terminal_section_at, section = section.to_string(), at = at.clone()).into(),
            None => section,
        };
        let is_steady = headline::is_steady(answer);
        if !answer.losses.is_empty() {
            self.section(at(message!(word_losses).into()), "");
            self.table(&tables::losses(answer));
            // How fast stores were until they were ended is no matter here.
            return;
        }
        if !answer.disk_faults.is_empty() {
            self.section(at(message!(word_disk_faults).into()), "");
            self.table(&tables::disk_faults(answer));
            return;
        }
        for phase in &answer.phases {
            self.section(at(phase.name.clone().into()), tables::phase_subtitle(phase));
            self.table(&tables::phase(phase, is_steady));
        }
        if !answer.actions.is_empty() {
            self.section(at(message!(word_actions).into()), message!(terminal_actions));
            self.table(&tables::actions(answer));
        }
        self.section(at(message!(word_resources).into()), message!(terminal_resources));
        self.table(&tables::resources(answer));
        for level in answer.other_configurations.iter().rev().filter(|level| level.phases.iter().any(any_rate)) {
            let rounds = message!(table_rounds, rounds = level.rounds.measured);
            let subtitle = if is_steady { message!(terminal_ranks_by_phase, rounds) } else { rounds };
            self.section(message!(terminal_at, at = phrases::configuration_name(&level.at)), subtitle);
            self.table(&axis_tables::level(level, is_steady));
        }
    }

    fn not_counted(&mut self, answer: &Answer) {
        let elsewhere = axis_tables::not_counted_elsewhere(answer);
        if answer.not_counted.is_empty() && elsewhere.is_empty() {
            return;
        }
        self.section(message!(word_not_counted), "");
        let line = |entry: &NotCounted| crate::tables::not_counted(entry).to_string();
        self.list(&answer.not_counted.iter().map(line).collect::<Vec<String>>());
        self.list(&texts(elsewhere));
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
            let left = all - cases.len();
            let more = message!(terminal_more_cases, cases = left, folder = self.folder());
            lines.extend(cases.into_iter().flatten());
            let below = " ".repeat(INDENT.len() + label_width(&answer.advice));
            lines.extend((left > 0).then(|| format!("{below}{more}")));
            cases = Vec::new();
        }
        lines.iter().chain(cases.iter().flatten()).for_each(|line| self.text.push_str(&format!("{line}\n")));
    }

    /// The lines of what to take and why, and those of each case in which something else is to be taken.
    fn advice(&self, answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
        let advice = &answer.advice;
        let headline = advice.headline.to_string().replace(GO_ON, &GO_ON.replace("RUN", &self.folder()));
        let mut lines: Vec<String> = self.in_lines("", "", &headline).iter().map(|line| self.bold(line)).collect();
        lines.extend(advice.about.iter().flat_map(|about| self.in_lines(INDENT, INDENT, &about.to_string())));
        let width = label_width(advice);
        let items = |word: &Message, items: &[Message]| -> Vec<Vec<String>> {
            let label = word.to_string();
            let pad = |word: &str| format!("{INDENT}{word}{}", " ".repeat(width.saturating_sub(word.width())));
            let first = |at: usize| if at == 0 { pad(&label) } else { pad("") };
            let lines =
                |(at, item): (usize, &Message)| self.in_lines(&first(at), &(pad("") + INDENT), &item.to_string());
            items.iter().enumerate().map(lines).collect()
        };
        lines.extend(items(&advice.why, &advice.because).into_iter().flatten());
        (lines, items(&message!(word_unless), &advice.unless))
    }

    /// The folder of the run as a word of a command.
    fn folder(&self) -> String {
        let folder = &self.style.run_folder;
        shlex::try_quote(folder).map_or_else(|_| folder.clone(), |folder| folder.to_string())
    }

    /// Who else there is.
    fn who_else(&mut self, answer: &Answer) {
        let advice = &answer.advice;
        let lists = [
            (message!(word_excluded), &advice.excluded),
            (message!(word_also_suitable), &advice.not_measured),
            (message!(word_others), &advice.others),
        ];
        for (heading, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            self.section(heading, "");
            let shown = if items.len() > LISTED + 1 { LISTED } else { items.len() };
            self.list(&texts(items[..shown].iter().cloned()));
            if shown < items.len() {
                let more = message!(terminal_more_stores, stores = items.len() - shown);
                self.wrapped("- ", INDENT, &more.to_string());
            }
        }
    }

    /// Claims with their verdicts, the source's tables and what pitfalls did.
    fn claims(&mut self, answer: &Answer) {
        if let Some(judged) = &answer.claims {
            self.section(message!(word_claims), judged.summary());
            if let Some(source) = judged.source() {
                self.wrapped(INDENT, INDENT, &message!(terminal_claims_source, source).to_string());
            }
            claims::views(judged).iter().for_each(|claim| self.claim(claim));
        }
        let replications = claims::replications(answer);
        if !replications.is_empty() {
            self.section(message!(word_replication), "");
            self.list(&replications);
        }
        for table in claims::tables(answer) {
            self.section(&table.title, table.subtitle);
            self.table(&table.table);
        }
        for pitfall in claims::pitfalls(answer, claims::PitfallRows::All) {
            self.section(message!(terminal_pitfall, pitfall = &pitfall.name), pitfall.says);
            self.list(&pitfall.sentences);
            self.table(&pitfall.table);
        }
    }

    fn claim(&mut self, claim: &ClaimView) {
        self.wrapped("- ", INDENT, &format!("{}: {}", claim.name, claim.says));
        let not_judged = claim.not_judged.iter().map(|why| (message!(word_not_judged).into(), why));
        let by_fact = claim.by_fact.iter().map(|fact| (fact.verdict.clone(), &fact.fact));
        for (verdict, why) in not_judged.chain(by_fact) {
            let verdicts = [verdict.to_string().to_uppercase()];
            self.wrapped("    ", "      ", &message!(terminal_verdicts, verdicts, claim = why).to_string());
        }
        for context in &claim.contexts {
            let place = if context.context.is_empty() { String::new() } else { format!(" ({})", context.context) };
            let verdicts = [format!("{}{place}", context.verdict.to_string().to_uppercase())];
            let found = context.telling.to_string();
            self.wrapped("    ", "      ", &message!(terminal_verdicts, verdicts, claim = found).to_string());
            if let Some(stand_ins) = &context.stand_ins {
                self.wrapped("      ", "      ", &stand_ins.to_string());
            }
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

    fn heading(&mut self, heading: &Message) {
        for line in self.in_lines("", "", &heading.to_string()) {
            let line = self.bold(&line);
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// The name, and the subtitle beside it, or below where it is too long.
    fn section(&mut self, name: impl ToString, subtitle: impl ToString) {
        let (name, subtitle) = (name.to_string(), subtitle.to_string());
        self.text.push('\n');
        self.text.push_str(&self.bold(&name));
        if name.width() + INDENT.len() + subtitle.width() <= self.style.width {
            self.line(format!("{INDENT}{subtitle}").trim_end());
        } else {
            self.text.push('\n');
            self.wrapped(INDENT, INDENT, &subtitle);
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
            .word_separator(WordSeparator::Custom(words))
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit);
        textwrap::wrap(one_line(&cut(text)).trim(), options).into_iter().map(String::from).collect()
    }

    /// The table with as many columns as fit; the least telling ones go first. Which did is returned.
    fn table(&mut self, table: &Table) -> Vec<usize> {
        if table.columns.len() < 2 {
            self.line(&format!("{INDENT}{}", message!(word_nothing_measured)));
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
        grid.set_header(kept.iter().map(|at| Cell::new(one_line(&table.columns[*at].title.to_string()))));
        let candidate = message!(word_candidate);
        for row in &table.rows {
            let most = |at: usize| if table.columns[at].title.is(&candidate) { NAME_WIDTH } else { CELL_WIDTH };
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
    let text = one_line(&row.cells[at].to_string());
    let cell = Cell::new(shortened(&text, most_width));
    match row.tone {
        // A tie has no winner.
        Tone::Lead | Tone::Plain if text.starts_with(matrix::TIE) || text.ends_with(&format!(" {}", matrix::TIE)) => {
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
