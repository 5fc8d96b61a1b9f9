//! Keeps what an address holds for one's eyes only out of every text: user, password and query.

/// What is written where something was hidden.
const HIDDEN: &str = "***";
/// A password of so many bytes is hidden wherever it stands; a shorter one, as names are, only where it is a whole word.
const LONG_BYTES: usize = 4;
/// Keys of a query whose values are hidden however short they are.
const CREDENTIALS: [&str; 7] = ["user", "username", "password", "pass", "passwd", "pwd", "token"];

/// The parts of an address that no message, record or report may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(Vec<Secret>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    text: String,
    place: MatchRule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchRule {
    /// It is hidden wherever it stands.
    Anywhere,
    /// It is hidden where neither a letter, a digit nor `_` stands beside it.
    Word,
}

impl Secrets {
    /// Those of an address, as they stand there and with their percent signs decoded; none where there is no address.
    pub fn of(url: Option<&str>) -> Secrets {
        let mut secrets = Secrets::default();
        let Some((_, rest)) = url.and_then(|url| url.split_once("://")) else { return secrets };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        if let Some((login, _)) = rest.rsplit_once('@') {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            secrets.add(login, MatchRule::Word);
            secrets.add(user, MatchRule::Word);
            secrets.add(password, place_of_password(password));
        }
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if CREDENTIALS.contains(&key.to_ascii_lowercase().as_str()) {
                secrets.add(value, place_of_password(value));
            } else if value.len() >= LONG_BYTES {
                secrets.add(value, MatchRule::Word);
            }
        }
        // A part of another must not be hidden first.
        secrets.0.sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
        secrets
    }

    fn add(&mut self, text: &str, place: MatchRule) {
        for text in [text.to_string(), decoded(text)] {
            match self.0.iter_mut().find(|known| known.text == text) {
                Some(known) if place == MatchRule::Anywhere => known.place = place,
                None if !text.is_empty() => self.0.push(Secret { text, place }),
                _ => {}
            }
        }
    }

    /// `text` without them.
    pub fn clean(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, secret| secret.hide(text))
    }
}

fn place_of_password(password: &str) -> MatchRule {
    if password.len() < LONG_BYTES { MatchRule::Word } else { MatchRule::Anywhere }
}

impl Secret {
    fn hide(&self, text: String) -> String {
        if !text.contains(&self.text) {
            return text;
        }
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for (at, found) in text.match_indices(&self.text) {
            let end = at + found.len();
            let joined = text[..at].chars().next_back().is_some_and(is_part) || text[end..].starts_with(is_part);
            if self.place == MatchRule::Word && joined {
                continue;
            }
            out.push_str(&text[done..at]);
            out.push_str(HIDDEN);
            done = end;
        }
        out.push_str(&text[done..]);
        out
    }
}

/// Percent signs with two hexadecimal digits as the bytes that they stand for.
fn decoded(text: &str) -> String {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        let code = after.first_chunk::<2>().filter(|_| *byte == b'%');
        let code = code.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        out.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(url: &str, text: &str) -> String {
        Secrets::of(Some(url)).clean(text)
    }

    #[test]
    fn user_and_password_of_an_address_are_hidden_as_they_stand_and_decoded() {
        let url = "mysql://sel%40home:s3cret%2Fword@127.0.0.1:3306/test";
        assert_eq!(cleaned(url, "denied to user 'sel@home'@'localhost'"), "denied to user '***'@'localhost'");
        assert_eq!(cleaned(url, "sel%40home and xs3cret/wordx, s3cret%2Fword"), "*** and x***x, ***");
        assert_eq!(
            cleaned("mongodb://u:x@127.0.0.1", "userName='u', source='admin'"),
            "userName='***', source='admin'"
        );
        assert_eq!(cleaned("redis://me@h", "user me at h"), "user *** at h");
    }

    #[test]
    fn a_short_name_is_hidden_as_a_word_and_not_inside_of_others() {
        assert_eq!(cleaned("mysql://sel:pw@h/db", "user 'sel' may not select; pwd"), "user '***' may not select; pwd");
    }

    #[test]
    fn what_a_query_holds_is_hidden() {
        let url = "postgresql://h/db?user=al&password=CANARY&sslmode=require&n=3";
        assert_eq!(cleaned(url, "al said CANARY, require, 3, all"), "*** said ***, ***, 3, all");
        assert_eq!(cleaned("unix:///s?db=3&pass=s3cret-word", "WRONGPASS s3cret-word 3"), "WRONGPASS *** 3");
    }

    #[test]
    fn a_password_with_a_slash_or_an_at_is_hidden_whole() {
        assert_eq!(cleaned("redis://u:a/b@c@h:1/0", "a/b@c, u:a/b@c"), "***, ***");
    }

    #[test]
    fn an_address_without_secrets_hides_nothing() {
        for url in [None, Some("redis://127.0.0.1:6379/0"), Some("no address")] {
            assert_eq!(Secrets::of(url).clean("redis at 127.0.0.1"), "redis at 127.0.0.1");
        }
    }
}
