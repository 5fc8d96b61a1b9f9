//! Clients that are built: once, whole or not at all, and never by two at a time.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{PATIENCE, Place, Running, Said, assert_mistake, comes_true, finish, said};

/// Programs of the names that the JVM client needs. `mvn` notes each build and makes half a jar before it may fail.
struct Programs {
    folder: PathBuf,
}

impl Programs {
    fn new(place: &Place) -> Programs {
        let programs = Programs { folder: place.path("bin") };
        std::fs::create_dir(&programs.folder).unwrap();
        programs.write("java", "exit 0");
        programs.write("javac", "exit 0");
        programs
    }

    fn write(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn write_mvn(&self, ending: &str) {
        self.write(
            "mvn",
            &format!(
                "for word; do case $word in -Dkurabe.target=*) target=${{word#*=}};; esac; done\n\
                 echo built >> \"{}/builds\"\nmkdir -p \"$target\"\necho half > \"$target/kurabe-jvm.jar\"\nsleep 0.3\n{ending}",
                self.folder.display()
            ),
        );
    }

    fn builds(&self) -> usize {
        std::fs::read_to_string(self.folder.join("builds")).unwrap_or_default().lines().count()
    }
}

fn kurabe(place: &Place, programs: &Programs, words: &[&str]) -> Command {
    let mut command = place.kurabe(words);
    with_programs(&mut command, place, programs);
    command
}

/// A command that finds these programs, and a cache of its own.
fn with_programs<'a>(command: &'a mut Command, place: &Place, programs: &Programs) -> &'a mut Command {
    command
        .env("XDG_CACHE_HOME", place.path("cache"))
        .env("PATH", format!("{}:/usr/bin:/bin", programs.folder.display()))
        .env("KURABE_JAVA", programs.folder.join("java"))
        // Other clients are built for real by other tests: here they would be built anew each time.
        .env("KURABE_NODE", "/nonexistent/node")
        .env("KURABE_GO", "/nonexistent/go")
}

/// What is said of one client, state by state, each in one line.
fn states(said: &Said, client: &str) -> Vec<String> {
    let blocks = said.out.replace("\n          ", " ");
    let of_client = blocks.lines().filter(|line| line.starts_with(client));
    of_client.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Names in the folder of clients of this version.
fn kept(place: &Place) -> Vec<String> {
    let version = std::fs::read_dir(place.path("cache/kurabe")).unwrap().next().unwrap().unwrap().path();
    let names = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names(&version).map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_missing_virtual_machine_is_named_with_the_way_to_get_it() {
    let place = Place::new();
    let programs = Programs::new(&place);
    programs.write_mvn("exit 0");
    let without = |words: &[&str]| finish(kurabe(&place, &programs, words).env("KURABE_JAVA", "/nonexistent/java"));
    let said = without(&["list", "clients"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let setup = without(&["setup", "+jvm"]);
    assert_ne!(setup.status, 0, "{setup:?}");
    assert!(setup.out.contains("'/nonexistent/java' is missing"), "{}", setup.out);
    let states = states(&said, "jvm");
    assert!(states.len() == 1 && states[0].contains("derby, echo, ehcache"), "{}", said.out);
    assert!(states[0].contains("'/nonexistent/java' is missing"), "{}", said.out);
    // A command stays on one line, however narrow the terminal.
    assert!(
        said.out.contains("apt-get install -y --no-install-recommends maven openjdk-17-jdk-headless\n"),
        "{}",
        said.out
    );
    assert_eq!(programs.builds(), 0);
}

#[test]
fn a_list_builds_nothing_and_says_what_is_not_built() {
    let place = Place::new();
    let programs = Programs::new(&place);
    programs.write_mvn("exit 0");
    let say = |words: &[&str]| finish(&mut kurabe(&place, &programs, words));
    let said = say(&["list", "clients"]);
    assert_eq!((said.status, said.err.as_str(), programs.builds()), (0, "", 0));
    let told = |line: &String| line.contains("not built yet");
    assert!(states(&said, "jvm").iter().all(told), "{}", said.out);
    assert_eq!(say(&["list", "jdbc"]).out.lines().next(), Some("JVM, one thread a connection"));
    // The command that is told.
    let (_, rest) = said.out.split_once("not built yet: 'kurabe ").expect("a command");
    let told: Vec<&str> = rest.split('\'').next().expect("its end").split(' ').collect();
    let unasked = say(&told);
    assert_eq!((unasked.status, programs.builds()), (2, 0), "{unasked:?}");
    assert!(unasked.err.contains("--yes"), "{unasked:?}");
    let said = say(&[&told[..], &["--yes"]].concat());
    assert_eq!((said.status, programs.builds()), (0, 1), "{said:?}");
    assert!(said.out.contains("\n  build the jvm client\n") && said.out.ends_with("+jvm is here\n"), "{}", said.out);
    assert!(said.err.contains("built the jvm client in"), "{}", said.err);
    assert_eq!(say(&["setup", "+jdbc"]).out, "+jvm is here\n");
    assert_eq!(programs.builds(), 1);
    assert_mistake(&say(&["setup", "+jwm"]), &["'+jwm'", "'+jvm'"]);
    assert_eq!((say(&["setup", "+jvm", "--anew", "--yes"]).status, programs.builds()), (0, 2));
}

#[test]
fn an_app_is_built_by_the_command_that_the_list_tells() {
    let place = Place::new();
    let say = |words: &[&str]| finish(place.kurabe(words).env("XDG_CACHE_HOME", place.path("cache")));
    let listed = say(&["list", "nginx"]).out;
    let Some((_, rest)) = listed.split_once("not built yet: 'kurabe ") else {
        assert!(std::env::var("KURABE_REQUIRE_STORES").as_deref() != Ok("1"), "required: {listed}");
        println!("skipped: nginx is not here");
        return;
    };
    let told: Vec<&str> = rest.split('\'').next().expect("its end").split(' ').collect();
    let said = say(&[&told[..], &["--yes"]].concat());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.ends_with("/nginx is here\n"), "{}", said.out);
    assert!(say(&["list", "nginx"]).out.contains(" ready: "));
}

#[test]
fn a_build_that_fails_leaves_nothing_that_is_taken_for_whole() {
    let place = Place::new();
    let programs = Programs::new(&place);
    programs.write_mvn("echo '[ERROR] no such artifact'; exit 1");
    let say = |words: &[&str]| finish(&mut kurabe(&place, &programs, words));
    let failed = say(&["setup", "+jvm", "--yes"]);
    assert_eq!(failed.status, 1, "{failed:?}");
    let told = "cannot build the jvm client: its build ended with";
    assert!(failed.err.contains(told) && failed.err.contains("no such artifact"), "{}", failed.err);
    assert!(failed.out.ends_with("+jvm is still missing: it must be built\n"), "{}", failed.out);
    let listed = say(&["list", "clients"]);
    assert!(states(&listed, "jvm").iter().all(|line| line.contains("not built yet")), "{}", listed.out);
    let before = programs.builds();
    programs.write_mvn("echo whole > \"$target/kurabe-jvm.jar\"");
    let good = say(&["setup", "+jvm", "--yes"]);
    let listed = say(&["list", "clients"]);
    assert!(states(&listed, "jvm").iter().all(|line| line.ends_with("ready")), "{}", listed.out);
    assert!(good.err.contains("building the jvm client"), "{}", good.err);
    assert_eq!(programs.builds(), before + 1);
    let names = kept(&place);
    let built = names.iter().find(|name| name.ends_with(".built")).expect("a folder of what was built");
    let version = std::fs::read_dir(place.path("cache/kurabe")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::read_to_string(version.join(built).join("kurabe-jvm.jar")).unwrap(), "whole\n");
    assert!(!names.iter().any(|name| name.ends_with(".building")), "{names:?}");
}

#[test]
fn two_at_a_time_build_once() {
    let place = Place::new();
    let programs = Programs::new(&place);
    programs.write_mvn("exit 0");
    let both: Vec<_> = (0..2)
        .map(|_| {
            let mut command = kurabe(&place, &programs, &["setup", "+jvm", "--yes"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for one in both {
        let said = said(one.wait_with_output().unwrap());
        assert!(said.status == 0 && said.out.ends_with("+jvm is here\n"), "{}{}", said.out, said.err);
    }
    assert_eq!(programs.builds(), 1);
}

#[test]
fn options_of_the_client_that_make_no_sense_are_refused_before_anything_is_started() {
    let place = Place::new();
    let mistake = |setting: &str, parts: &[&str]| {
        let said = finish(&mut place.kurabe(["plan", &place.file("mine.toml", h2_with(setting))]));
        assert_mistake(&said, parts);
    };
    for heap in ["much", "0m", "1 g", "1t", ""] {
        mistake(&format!("jvm_heap = \"{heap}\""), &["jvm_heap", "expected a size such as 512m or 2g"]);
    }
    for words in ["fast", "-Xms1g; true", "-Dx=$HOME"] {
        mistake(&format!("jvm_options = \"{words}\""), &["jvm_options", "expected options such as"]);
    }
}

/// A study of h2 alone, with a setting.
fn h2_with(setting: &str) -> String {
    format!(
        "{}\n[[candidate]]\nname = \"other\"\nstore = \"h2\"\nsettings = {{ {setting} }}\n",
        crate::common::TINY.replace("stores = [\"echo\", \"map\", \"file\", \"sqlite\", \"lmdb\"]\n", "")
    )
}

#[test]
fn options_reach_the_virtual_machine_and_one_that_it_does_not_know_is_told() {
    let run = |options: &str| {
        let place = Place::new();
        let study = place.file("mine.toml", h2_with(&format!("jvm_options = \"{options}\"")));
        let mut command = place.kurabe(["run", &study, "--dir"]);
        command.arg(place.data()).arg("--out").arg(place.out());
        finish(&mut command)
    };
    let good = run("-Xms64m -XX:+UseSerialGC");
    assert_eq!(good.status, 0, "{}{}", good.out, good.err);
    let bad = run("-Xms64m -XX:+UseNoSuchCollector");
    assert_ne!(bad.status, 0, "{}{}", bad.out, bad.err);
    assert!(bad.err.contains("UseNoSuchCollector"), "{}{}", bad.out, bad.err);
}

#[test]
fn an_interrupted_build_ends_at_once_and_leaves_nothing_that_runs() {
    let place = Place::new();
    let programs = Programs::new(&place);
    programs.write_mvn("echo waits; sleep 600");
    let mut run = place.kurabe(["run", "quick", "--stores", "derby", "--dir"]);
    run.arg(place.data()).arg("--out").arg(place.out());
    for (builds, mut command) in [run, place.kurabe(["setup", "+jvm", "--yes"])].into_iter().enumerate() {
        let running = Running::start(with_programs(&mut command, &place, &programs));
        assert!(comes_true(PATIENCE, || programs.builds() == builds + 1), "nothing is built");
        running.signal(rustix::process::Signal::INT);
        let said = running.finish();
        assert_eq!(said.status, 130, "{said:?}");
        assert!(said.err.contains("interrupted"), "{}", said.err);
        assert!(!kept(&place).iter().any(|name| name.ends_with(".built")));
        place.assert_nothing_is_left();
    }
}
