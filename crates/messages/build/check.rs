//! What must hold for the catalogues before a program is made of them. The build script and the tests use this file.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{self, Entry, Expression, InlineExpression, Pattern, PatternElement};
use fluent_syntax::{parser, serializer};

/// A file of a catalogue.
pub struct Source {
    /// Its path below the crate, such as `en/lists.ftl`.
    pub file: String,
    /// What it holds.
    pub text: String,
}

/// The type of an argument.
#[derive(Debug, PartialEq)]
pub struct Kind {
    /// As comments write it.
    pub word: &'static str,
    /// The type of the field, and the variant of `Kind` and of `Value`.
    pub rust: &'static str,
    /// Whether a selector can tell its values apart.
    pub is_selectable: bool,
    /// Whether `$NAME-count` is its number of elements.
    pub is_list: bool,
}

const fn kind(word: &'static str, rust: &'static str) -> Kind {
    Kind { word, rust, is_selectable: false, is_list: false }
}

const fn selectable(word: &'static str, rust: &'static str) -> Kind {
    Kind { word, rust, is_selectable: true, is_list: false }
}

const fn list(word: &'static str, rust: &'static str) -> Kind {
    Kind { word, rust, is_selectable: false, is_list: true }
}

const KINDS: [Kind; 22] = [
    selectable("text", "Text"),
    kind("described", "Described"),
    kind("line", "Line"),
    list("names", "Names"),
    list("either", "Either"),
    list("list", "List"),
    list("clauses", "Clauses"),
    list("series", "Series"),
    kind("message", "Message"),
    selectable("message?", "OptionalMessage"),
    selectable("count", "Count"),
    kind("number", "Number"),
    kind("ratio", "Ratio"),
    kind("rate", "Rate"),
    kind("times", "Times"),
    kind("percent", "Percent"),
    kind("duration", "Duration"),
    kind("span", "Span"),
    kind("size", "Size"),
    kind("difference", "Difference"),
    kind("significant2", "Significant2"),
    kind("significant3", "Significant3"),
];

/// Words that cannot name a field or a message in Rust.
const KEYWORDS: &str = " as async await box break const continue crate do dyn else enum extern false fn for gen if \
    impl in let loop match mod move mut pub ref return self static struct super trait true try type unsafe use where \
    while yield ";

/// An argument as its comment declares it.
#[derive(Debug, PartialEq)]
pub struct Argument {
    /// Without its `$`.
    pub name: String,
    /// Its type.
    pub kind: &'static Kind,
    /// What the comment says of it, or nothing.
    pub about: String,
}

/// A message that both languages have.
#[derive(Debug, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// The English file.
    pub file: String,
    /// In the order of the comments.
    pub arguments: Vec<Argument>,
    /// The English text in Fluent's syntax.
    pub english: String,
}

/// `only-ranked` as `only_ranked`.
pub fn snake(id: &str) -> String {
    id.replace('-', "_").to_lowercase()
}

/// The messages, or all that is wrong: file, line, id, and what to do.
pub fn check(english: &[Source], japanese: &[Source]) -> Result<Vec<Message>, Vec<String>> {
    let mut problems = Vec::new();
    let (en, ja) = (Side::read(english, &mut problems), Side::read(japanese, &mut problems));
    let mut messages = Vec::new();
    for (id, found) in &en.messages {
        let arguments = declared(found, &mut problems);
        en.check(found, &arguments, &mut problems);
        for argument in &arguments {
            let of = |used: &String| used == &argument.name || counted(used) == Some(&argument.name);
            if !uses(found).names.iter().any(of) {
                let name = &argument.name;
                problems.push(found.problem(&format!("declares ${name}, but does not use it: delete the comment")));
            }
        }
        match ja.messages.get(id) {
            Some(twin) => ja.check(twin, &arguments, &mut problems),
            None => problems.push(found.problem("is not in ja: add it to the file of the same name")),
        }
        let english = found.english();
        messages.push(Message { id: id.to_string(), file: found.source.file.clone(), arguments, english });
    }
    for (id, found) in &ja.messages {
        if !en.messages.contains_key(id) {
            problems.push(found.problem("is not in en: add it to the file of the same name, or delete it here"));
        }
        let same_file = |twin: &Found| tail(&twin.source.file) == tail(&found.source.file);
        if en.messages.get(id).is_some_and(|twin| !same_file(twin)) {
            problems.push(found.problem("is in another file in en: use the same file name in both languages"));
        }
        if comment_lines(found.message.comment.as_ref()).any(|line| line.starts_with('$')) {
            problems.push(found.problem("declares arguments: only the comments of en do"));
        }
    }
    if problems.is_empty() { Ok(messages) } else { Err(problems) }
}

fn tail(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// A message where it stands.
struct Found<'a> {
    source: &'a Source,
    message: ast::Message<&'a str>,
}

impl Found<'_> {
    fn problem(&self, what: &str) -> String {
        let id = self.message.id.name;
        problem(self.source, line_of(&self.source.text, id, 0), id, what)
    }

    fn english(&self) -> String {
        let message = ast::Message { comment: None, ..self.message.clone() };
        serializer::serialize(&ast::Resource { body: vec![Entry::Message(message)] }).trim_end().to_string()
    }
}

fn problem(source: &Source, line: usize, id: &str, what: &str) -> String {
    format!("{}:{line}: {id} {what}", source.file)
}

/// The line on which the message begins; `skip` of that id come before it.
fn line_of(text: &str, id: &str, skip: usize) -> usize {
    let begins = |line: &str| line.strip_prefix(id).is_some_and(|rest| rest.trim_start().starts_with('='));
    text.lines().enumerate().filter(|(_, line)| begins(line)).nth(skip).map_or(1, |(index, _)| index + 1)
}

/// The catalogue of one language.
struct Side<'a> {
    messages: BTreeMap<&'a str, Found<'a>>,
    terms: BTreeSet<&'a str>,
}

impl<'a> Side<'a> {
    fn read(sources: &'a [Source], problems: &mut Vec<String>) -> Side<'a> {
        let mut side = Side { messages: BTreeMap::new(), terms: BTreeSet::new() };
        for source in sources {
            let resource = parser::parse(source.text.as_str()).unwrap_or_else(|(resource, errors)| {
                problems.extend(errors.iter().map(|error| {
                    let line = source.text[..error.pos.start.min(source.text.len())].lines().count().max(1);
                    problem(source, line, "a syntax error:", &format!("{error}; correct the entry"))
                }));
                resource
            });
            for entry in resource.body {
                side.add(source, entry, problems);
            }
        }
        side
    }

    fn add(&mut self, source: &'a Source, entry: Entry<&'a str>, problems: &mut Vec<String>) {
        match entry {
            Entry::Message(message) => {
                let id = message.id.name;
                if let Some(first) = self.messages.get(id) {
                    let line = line_of(&source.text, id, usize::from(first.source.file == source.file));
                    let what = format!("is in {} already: delete or rename one", first.source.file);
                    problems.push(problem(source, line, id, &what));
                    return;
                }
                self.messages.insert(id, Found { source, message });
            }
            Entry::Term(term) => {
                if !self.terms.insert(term.id.name) {
                    problems.push(problem(source, 1, term.id.name, "is a term twice: delete or rename one"));
                }
            }
            Entry::Comment(comment) => {
                if let Some(line) = comment_lines(Some(&comment)).find(|line| line.starts_with('$')) {
                    let what = "declares an argument of no message: put it directly above its message";
                    let found = source.text.lines().position(|it| it.contains(line)).map_or(1, |index| index + 1);
                    problems.push(problem(source, found, line, what));
                }
            }
            Entry::GroupComment(_) | Entry::ResourceComment(_) | Entry::Junk { .. } => {}
        }
    }

    /// What a text must keep to, whatever its language.
    fn check(&self, found: &Found, arguments: &[Argument], problems: &mut Vec<String>) {
        let mut tell = |what: String| problems.push(found.problem(&what));
        let id = found.message.id.name;
        if id.chars().any(|it| it.is_uppercase() || it == '_') || is_keyword(&snake(id)) {
            tell("is no usable id: use lower case with hyphens, and no keyword of Rust".into());
        }
        if found.message.value.is_none() || !found.message.attributes.is_empty() {
            tell("has attributes or no text: make each text a message of its own".into());
        }
        let kind = |name: &str| arguments.iter().find(|it| it.name == name).map(|it| it.kind);
        let uses = uses(found);
        for name in &uses.names {
            let is_count = counted(name).and_then(kind).is_some_and(|kind| kind.is_list);
            if kind(name).is_none() && !is_count {
                tell(format!("uses ${name}, which en does not declare: add '# ${name} (TYPE)' above it in en"));
            }
        }
        for name in &uses.selectors {
            if kind(name).is_some_and(|kind| !kind.is_selectable) {
                let word = kind(name).map_or("", |kind| kind.word);
                tell(format!("selects by ${name}, a {word}: select by a count, a text or a message?"));
            }
        }
        for term in uses.terms.iter().filter(|term| !self.terms.contains(term.as_str())) {
            tell(format!("uses the term -{term}, which its language does not have: define it, or write the word"));
        }
        for other in &uses.others {
            tell(format!("uses {other}: pass it as an argument of type message"));
        }
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&format!(" {word} "))
}

/// `names-count` as `names`.
fn counted(name: &str) -> Option<&str> {
    name.strip_suffix("-count")
}

fn comment_lines<'a>(comment: Option<&ast::Comment<&'a str>>) -> impl Iterator<Item = &'a str> + use<'a> {
    let lines: Vec<&'a str> = comment.map(|comment| comment.content.clone()).unwrap_or_default();
    lines.into_iter().map(str::trim)
}

/// The arguments as the comment above a message declares them.
fn declared(found: &Found, problems: &mut Vec<String>) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    for line in comment_lines(found.message.comment.as_ref()) {
        let Some(line) = line.strip_prefix('$') else { continue };
        let parts = line.split_once(" (").and_then(|(name, rest)| Some((name, rest.split_once(')')?)));
        let Some((name, (word, about))) = parts else {
            problems.push(found.problem(&format!("has the comment '${line}': write '# $NAME (TYPE) what it is'")));
            continue;
        };
        let Some(kind) = KINDS.iter().find(|kind| kind.word == word) else {
            let words: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
            let what = format!("gives ${name} the unknown type '{word}': use one of {}", words.join(", "));
            problems.push(found.problem(&what));
            continue;
        };
        let clashes = |other: &Argument| other.name == name || counted(name) == Some(&other.name) && other.kind.is_list;
        if is_keyword(&snake(name)) || arguments.iter().any(clashes) {
            problems
                .push(found.problem(&format!("cannot declare ${name}: it is a keyword, or there already; rename it")));
            continue;
        }
        arguments.push(Argument { name: name.into(), kind, about: about.trim().into() });
    }
    arguments
}

/// What a text refers to.
#[derive(Default)]
struct Uses {
    names: BTreeSet<String>,
    selectors: BTreeSet<String>,
    terms: BTreeSet<String>,
    others: BTreeSet<String>,
}

fn uses(found: &Found) -> Uses {
    let mut uses = Uses::default();
    if let Some(pattern) = &found.message.value {
        uses.pattern(pattern);
    }
    uses
}

impl Uses {
    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                self.expression(expression);
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                if let InlineExpression::VariableReference { id } = selector {
                    self.selectors.insert(id.name.into());
                }
                self.inline(selector);
                variants.iter().for_each(|variant| self.pattern(&variant.value));
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => drop(self.names.insert(id.name.into())),
            // Its arguments are literals.
            InlineExpression::TermReference { id, .. } => drop(self.terms.insert(id.name.into())),
            InlineExpression::MessageReference { id, .. } => {
                self.others.insert(format!("the message {}", id.name));
            }
            InlineExpression::FunctionReference { id, .. } => {
                self.others.insert(format!("the function {}", id.name));
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
            InlineExpression::StringLiteral { .. } | InlineExpression::NumberLiteral { .. } => {}
        }
    }
}
