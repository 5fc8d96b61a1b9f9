//! The pages in a real browser: they open without a word on the console, fit a narrow screen, and can be read without
//! eyes, without a mouse and in the dark. Needs `chromium`; without it the tests are left out, unless
//! `KURABE_REQUIRE_BROWSER=1`.

use std::process::Command;

use kurabe_messages::Language;
use serde_json::Value;

use crate::articles::articles_page;
use crate::japanese::japanese_page;
use crate::windows::windows_page;
use crate::{compared, sample_page};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// What the browser prints before a message of a page.
const CONSOLE: &str = ":CONSOLE";

/// Looks at a page that fills a frame of the given width, and puts what it found into the title.
const LOOK: &str = r##"
const frame = document.querySelector('iframe');
addEventListener('load', () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const all = selector => [...page.querySelectorAll(selector)];
  const parse = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(view.getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  for (const element of all('body *')) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !element.getClientRects().length) continue;
    const style = view.getComputedStyle(element);
    const [a, b] = [light(parse(element.closest('svg') ? style.fill : style.color)), light(behind(element))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) faint.add(element.tagName + '.' + element.getAttribute('class'));
  }
  const ids = all('[id]').map(e => e.id);
  document.title = JSON.stringify({
    width: page.documentElement.scrollWidth,
    text: page.body.innerText.length,
    faint: [...faint],
    twice: ids.filter((id, at) => ids.indexOf(id) !== at),
    dangling: all('a[href^="#"]').map(a => a.hash.slice(1)).filter(id => !ids.includes(id)),
    unnamed: all('svg:not([aria-label]), table:not(:has(caption)), section:not([aria-labelledby]), nav:not([aria-label])').map(e => e.tagName),
    rows: all('tbody tr').filter(row => row.querySelectorAll('th[scope=row]').length !== 1).length,
    beyond: all('svg text').filter(e => e.getClientRects().length).filter(e => {
      const [text, svg] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];
      return text.left < svg.left - 1 || text.right > svg.right + 1 || text.top < svg.top - 1 || text.bottom > svg.bottom + 1;
    }).map(e => e.textContent),
    stuck: all('.scroll').filter(e => e.scrollWidth > e.clientWidth && e.tabIndex !== 0).length,
    landmarks: [all('main').length, all('h1').length, all('header').length],
    jumps: all('h1, h2, h3').filter((h, at, list) => at && h.tagName[1] - list[at - 1].tagName[1] > 1).length,
  });
});
"##;

fn browser() -> Option<&'static str> {
    let found = BROWSERS.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let required = std::env::var("KURABE_REQUIRE_BROWSER").as_deref() == Ok("1");
    assert!(found.is_some() || !required, "no browser is here: {BROWSERS:?}");
    if found.is_none() {
        println!("skipped: no browser is here");
    }
    found
}

/// What [`LOOK`] found on a page at this width.
fn look(browser: &str, page: &str, width_px: u32, dark: bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let inner = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!("<iframe style=\"width:{width_px}px;height:900px;border:0\" srcdoc=\"{inner}\"></iframe>");
    let outer = folder.path().join("page.html");
    std::fs::write(&outer, format!("<!doctype html><meta charset=utf-8>{frame}<script>{LOOK}</script>")).unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.args(["--hide-scrollbars", "--enable-logging=stderr", "--window-size=1400,1000", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    // 0 is dark, 1 is light.
    command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)));
    let output = command.arg(format!("file://{}", outer.display())).output().unwrap();
    let (dom, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let messages: Vec<&str> = said.lines().filter(|line| line.contains(CONSOLE)).collect();
    assert!(messages.is_empty(), "the console says: {messages:#?}");
    let title = dom.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).map(|(title, _)| title);
    let title = title.unwrap_or_else(|| panic!("the page was not looked at: {said}"));
    serde_json::from_str(&title.replace("&amp;", "&")).unwrap()
}

#[test]
fn every_page_is_readable_at_every_width_and_in_the_dark() {
    let Some(browser) = browser() else { return };
    let pages = [
        ("sample", sample_page()),
        ("compare", compared().1),
        ("windows", windows_page()),
        ("sample in Japanese", japanese_page()),
        ("articles", articles_page(Language::English)),
        ("articles in Japanese", articles_page(Language::Japanese)),
    ];
    for (name, page) in pages {
        for (width_px, dark) in [(400, false), (1280, false), (1280, true)] {
            let found = look(browser, &page, width_px, dark);
            let at = format!("{name} at {width_px} px, dark {dark}: {found:#}");
            assert!(found["width"].as_u64().unwrap() <= u64::from(width_px), "it scrolls sideways: {at}");
            assert!(found["text"].as_u64().unwrap() > 1_000, "there is something to read: {at}");
            for none in ["faint", "twice", "dangling", "unnamed", "beyond"] {
                assert_eq!(found[none], serde_json::json!([]), "{none}: {at}");
            }
            for zero in ["rows", "stuck", "jumps"] {
                assert_eq!(found[zero], 0, "{zero}: {at}");
            }
            assert_eq!(found["landmarks"], serde_json::json!([1, 1, 1]), "{at}");
        }
    }
}

#[test]
fn the_look_at_pages_sees_what_it_is_for() {
    let Some(browser) = browser() else { return };
    let bad = "<!doctype html><html><body><p style='color:#aaa'>faint</p><p style='width:900px'>wide</p>\
               <a href='#gone'>x</a><i id=a></i><i id=a></i><h1>a</h1><h3>b</h3><table><tbody><tr><td>1</table>\
               <svg aria-label=c viewBox='0 0 90 90' width=90><text x=60 y=20>too far</text><text x=9 y=20>in</text></svg></body></html>";
    let found = look(browser, bad, 400, false);
    assert!(found["width"].as_u64().unwrap() >= 900, "{found:#}");
    assert_eq!(found["beyond"], serde_json::json!(["too far"]));
    assert_eq!(found["faint"], serde_json::json!(["P.null"]));
    assert_eq!((&found["twice"], &found["dangling"]), (&serde_json::json!(["a"]), &serde_json::json!(["gone"])));
    assert_eq!(
        (&found["unnamed"], &found["rows"], &found["jumps"]),
        (&serde_json::json!(["TABLE"]), &1.into(), &1.into())
    );
}
