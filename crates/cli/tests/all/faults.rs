//! Full disks, closed folders, damaged records, servers that do not start: a clear sentence, and nothing lost.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{
    LONG, Mount, PATIENCE, Place, Running, Said, TINY, assert_mistake, census, comes_true, entries, fake_server,
    finish, here, wait_for,
};
use kurabe_record::{EndStatus, JobErrorKind};

/// Status 1 and a sentence that holds all `words`.
#[track_caller]
fn assert_failed(said: &Said, words: &[&str]) {
    assert_eq!(said.status, 1, "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "'{word}' is missing in: {}", said.err);
    }
}

#[test]
fn a_results_folder_that_fills_up_keeps_the_jobs_before() {
    let place = Place::new();
    let Some(mount) = Mount::tmpfs(&place.path("small"), "size=300k") else { return };
    let study = place.file("tiny.toml", TINY);
    let out = place.path("small").join("out");
    let mut command = place.kurabe(["run", &study, "--stores", "sqlite,map", "--rounds", "500", "--dir"]);
    let said = finish(command.arg(place.data()).arg("--out").arg(&out));
    assert_failed(&said, &["cannot write", "jobs.jsonl", "No space left", "--resume"]);
    place.assert_nothing_is_left();

    let recorded = kurabe_record::Loaded::read(&out).unwrap();
    assert!(recorded.jobs.len() > 5 && recorded.damaged.is_none(), "{} jobs", recorded.jobs.len());
    let shown = finish(place.kurabe(["show", "--full"]).arg(&out));
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.out.contains("sqlite"), "{}", shown.out);

    // With more room it goes on where it stopped.
    mount.remount("size=64m");
    let mut run = Running::start(place.kurabe(["run", "--resume"]).arg(&out).arg("--dir").arg(place.data()));
    run.hear(&format!("{} of 1000", recorded.jobs.len() + 2));
    run.signal(rustix::process::Signal::INT);
    assert_eq!(run.finish().status, 130);
    let more = kurabe_record::Loaded::read(&out).unwrap();
    assert_eq!(more.jobs[..recorded.jobs.len()], recorded.jobs[..]);
}

#[test]
fn an_answer_is_shown_also_where_the_report_cannot_be_written() {
    let place = Place::new();
    let mut run = Running::start(&mut place.run(TINY, &["--stores", "sqlite,map"]));
    run.hear_jobs(1);
    std::fs::create_dir(place.out().join("report.html")).unwrap();
    let said = run.finish();
    assert_failed(&said, &["cannot write", "report.html", "kurabe report"]);
    assert!(said.out.contains("op/s"), "{}", said.out);
    assert_eq!(place.loaded().jobs.len(), 6);
}

#[test]
fn data_that_cannot_fit_is_refused_before_anything_starts() {
    let place = Place::new();
    let Some(_mount) = Mount::tmpfs(&place.path("small"), "size=8m") else { return };
    let study = place.file("tiny.toml", TINY);
    let drawn = place.file("drawn.toml", TINY.replace("duration", "distribution = \"uniform\"\nduration"));
    for (study, rows) in [(&study, "100000"), (&drawn, "1000")] {
        for verb in ["plan", "run"] {
            let mut command = place.kurabe([verb, study, "--stores", "sqlite", "--rows", rows, "--dir"]);
            assert_mistake(&finish(command.arg(place.path("small"))), &["MiB", "free", "--dir"]);
        }
    }
    assert_eq!(entries(&place.path("small")), [""; 0]);
}

#[test]
fn a_store_that_finds_no_room_is_a_failed_row_with_its_own_words() {
    if !here(&["postgres"]) {
        return;
    }
    let place = Place::new();
    let Some(_mount) = Mount::tmpfs(&place.path("small"), "size=8m,mode=755") else { return };
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["run", &study, "--stores", "sqlite,postgres", "--dir"]);
    let said = finish(command.arg(place.path("small")).arg("--out").arg(place.out()));
    assert_failed(&said, &["postgres  failed: ", "No space left on device"]);
    let jobs = place.loaded().jobs;
    let failed: Vec<_> = jobs.iter().filter(|job| job.error.is_some()).collect();
    assert_eq!((jobs.len(), failed.len()), (4, 1), "a failed candidate is not tried again");
    assert_eq!(failed[0].error.as_ref().map(|error| error.kind), Some(JobErrorKind::Service));
    assert_eq!(entries(&place.path("small")), [""; 0]);
}

#[test]
fn folders_that_cannot_be_written_are_named_with_their_flag() {
    let place = Place::new();
    let file = place.file("occupied", "a letter");
    let study = place.file("tiny.toml", TINY);
    let run = |dir: &Path, out: &Path| {
        finish(
            place.kurabe(["run", &study, "--stores", "map", "--rounds", "1", "--dir"]).arg(dir).arg("--out").arg(out),
        )
    };
    let below = Path::new(&file).join("below");
    let said = run(&place.data(), &below);
    assert_mistake(&said, &["occupied/below", "--out"]);
    assert_eq!(said.err.matches("os error").count(), 1, "said once: {}", said.err);
    let said = run(&place.data(), Path::new(&file));
    assert_mistake(&said, &["occupied", "is not a folder", "--out"]);
    assert!(!said.err.contains("--resume"), "{}", said.err);
    for dir in [Path::new(&file), &below] {
        assert_mistake(&run(dir, &place.out()), &["occupied", "is not a folder", "--dir"]);
    }
    assert!(!place.out().exists());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "a letter");
    place.assert_nothing_is_left();
}

#[test]
fn a_folder_for_data_is_made_only_where_its_parent_is_and_goes_again() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let run = |dir: &Path, stores: &str| {
        let mut command = place.kurabe(["run", &study, "--rounds", "1", "--stores", stores, "--dir"]);
        finish(command.arg(dir).arg("--out").arg(place.out()))
    };
    let typo = place.path("dtaa").join("new");
    assert_mistake(&run(&typo, "map"), &["cannot make", "dtaa/new", "dtaa' is not a folder", "--dir"]);
    assert!(!place.path("dtaa").exists());
    let new = place.data().join("new");
    assert_mistake(&run(&new, "redis@redis://127.0.0.1:1"), &["redis"]);
    assert!(!new.exists(), "made for a run that was refused");
    assert_eq!(run(&new, "map,sqlite").status, 0);
    assert!(!new.exists(), "made for a run that is over");
    let odd = place.data().join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"odd-\xff"));
    assert_mistake(&run(&odd, "map"), &["is not UTF-8", "--dir"]);
    place.assert_nothing_is_left();
}

#[test]
fn runs_of_the_same_second_have_folders_of_their_own_and_a_refused_one_has_none() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let run = |stores: &str| {
        let mut command = place.kurabe(["run", &study, "--quiet", "--rounds", "1", "--stores", stores, "--dir"]);
        command.arg(place.data());
        command
    };
    assert_mistake(&finish(&mut run("redis@redis://127.0.0.1:1")), &["redis"]);
    assert!(!place.path("kurabe-runs").exists(), "made for a run that was refused");
    let runs: Vec<Running> = (0..3).map(|_| Running::start(&mut run("map"))).collect();
    for run in runs {
        assert_eq!(run.finish().status, 0);
    }
    assert_eq!(entries(&place.path("kurabe-runs")).len(), 3);
}

#[test]
fn a_read_only_file_system_is_told() {
    let place = Place::new();
    let Some(_mount) = Mount::tmpfs(&place.path("fixed"), "size=1m,ro") else { return };
    let study = place.file("tiny.toml", TINY);
    let run = |dir: &Path, out: &Path| {
        finish(
            place.kurabe(["run", &study, "--stores", "map", "--rounds", "1", "--dir"]).arg(dir).arg("--out").arg(out),
        )
    };
    assert_mistake(&run(&place.data(), &place.path("fixed").join("out")), &["Read-only file system", "--out"]);
    assert_mistake(&run(&place.path("fixed"), &place.out()), &["Read-only file system", "--dir"]);
    assert!(!place.out().exists());
    place.assert_nothing_is_left();
}

#[test]
fn a_folder_that_a_servers_user_cannot_enter_is_refused_before_the_start() {
    if !rustix::process::geteuid().is_root() || !here(&["redis"]) {
        println!("skipped: only root starts servers as other users");
        return;
    }
    let place = Place::new();
    let closed = place.path("closed");
    std::fs::create_dir_all(closed.join("inner")).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    let study = place.file("tiny.toml", TINY);
    for verb in ["plan", "run"] {
        let mut command = place.kurabe([verb, &study, "--stores", "sqlite,redis", "--dir"]);
        let said = finish(command.arg(closed.join("inner")));
        assert_mistake(&said, &["'redis'", closed.to_str().unwrap(), "cannot enter", "--dir"]);
    }
    // An embedded store has no such user.
    let mut command = place.kurabe(["run", &study, "--stores", "sqlite", "--rounds", "1", "--dir"]);
    let said = finish(command.arg(closed.join("inner")).arg("--out").arg(place.out()));
    assert_eq!(said.status, 0, "{said:?}");
}

/// A finished run of `sqlite` and `map`, three rounds each.
fn finished() -> Place {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,map"]));
    assert_eq!(said.status, 0, "{said:?}");
    place
}

#[test]
fn a_last_line_that_was_cut_off_is_told_and_its_job_runs_again() {
    let place = finished();
    let whole = place.loaded();
    let path = place.out().join("jobs.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Five jobs, and a half of the sixth.
    std::fs::write(&path, format!("{}\n{}", lines[..5].join("\n"), &lines[5][..lines[5].len() / 2])).unwrap();
    let shown = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.err.contains("line 6") && shown.err.contains("--resume"), "{}", shown.err);
    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    let again = place.loaded();
    assert_eq!(again.jobs[..5], whole.jobs[..5]);
    assert_eq!((again.jobs.len(), &again.jobs[5].candidate), (6, &whole.jobs[5].candidate));
    let damaged = std::fs::read_to_string(place.out().join("damaged.jsonl")).unwrap();
    assert!(lines[5].starts_with(damaged.trim_end()), "the damaged line is kept");
}

#[test]
fn a_damaged_line_in_the_middle_is_told_and_nothing_is_changed() {
    let place = finished();
    let path = place.out().join("jobs.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let damaged = text.replacen("\"round\":0", "\"round\":9", 1);
    assert_ne!(text, damaged);
    std::fs::write(&path, &damaged).unwrap();
    for verb in [&["show"][..], &["report"], &["run", "--resume"]] {
        assert_failed(&finish(place.kurabe(verb).arg(place.out())), &["jobs.jsonl", "damaged in line 1", "checksum"]);
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
}

#[test]
fn a_run_of_a_later_format_is_not_guessed_at() {
    let place = finished();
    let path = place.out().join("run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let later = text.replacen(&format!("\"format\": {}", kurabe_record::FORMAT), "\"format\": 99", 1);
    assert_ne!(text, later);
    std::fs::write(&path, later).unwrap();
    for verb in [&["show"][..], &["run", "--resume"]] {
        assert_failed(&finish(place.kurabe(verb).arg(place.out())), &["has format 99", "use the kurabe that wrote it"]);
    }
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let place = Place::new();
    let mut first = Running::start(&mut place.run(LONG, &["--stores", "map,sqlite"]));
    first.hear("1 round: map, sqlite");
    let said = finish(&mut place.run(LONG, &[]));
    assert_mistake(&said, &["another kurabe is working in", "--out"]);
    assert!(!said.err.contains("--resume"), "{}", said.err);
    assert_mistake(&finish(&mut place.resume()), &["another kurabe is working in", "--out"]);
    first.signal(rustix::process::Signal::INT);
    assert_eq!(first.finish().status, 130);
    assert_mistake(&finish(&mut place.run(LONG, &[])), &["exists already", "--resume"]);
}

#[test]
fn a_run_that_is_not_the_same_any_more_does_not_go_on() {
    let place = finished();
    let said = finish(place.resume().args(["--stores", "sqlite,lmdb"]));
    assert_mistake(&said, &["cannot resume", "candidates"]);
    assert_eq!(place.loaded().jobs.len(), 6);
}

#[test]
fn a_run_does_not_go_on_on_another_file_system_and_does_in_another_folder_of_the_same() {
    if !Path::new("/dev/shm").exists() {
        println!("skipped: no '/dev/shm' here");
        return;
    }
    let place = finished();
    let resume = |dir: &Path| finish(place.kurabe(["run", "--resume"]).arg(place.out()).arg("--dir").arg(dir));
    let text = std::fs::read_to_string(place.out().join("jobs.jsonl")).unwrap();
    assert_mistake(
        &resume(Path::new("/dev/shm")),
        &["cannot resume this run here", "the file system was ", "is now tmpfs", "--dir"],
    );
    assert_eq!(std::fs::read_to_string(place.out().join("jobs.jsonl")).unwrap(), text, "nothing was mixed");
    let other = place.path("other");
    std::fs::create_dir(&other).unwrap();
    assert_eq!(resume(&other).status, 0);
}

#[test]
fn a_run_does_not_go_on_on_another_machine() {
    let place = finished();
    let path = place.out().join("run.json");
    let mut run: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    run["machine"]["cpu_model"] = "Abacus 9".into();
    run["machine"]["kernel_release"] = "0.01".into();
    std::fs::write(&path, run.to_string()).unwrap();
    let said = finish(&mut place.resume());
    assert_mistake(&said, &["the processor was 'Abacus 9' and is now '", "the kernel was '0.01' and is now '"]);
}

/// A run of two stores that meets some harm of the environment after its second job: it ends at once, blames no store, shows
/// what it has, and goes on later.
#[track_caller]
fn assert_ends_unrecorded(stores: &str, words: &[&str], harm: impl FnOnce(&Place, u32)) {
    let place = Place::new();
    let mut run = Running::start(&mut place.run(TINY, &["--stores", stores, "--rounds", "200"]));
    run.hear_jobs(2);
    harm(&place, run.pid());
    let said = run.finish();
    assert_failed(&said, words);
    assert_failed(&said, &["No store is to blame", "kurabe run --resume"]);
    assert!(said.out.contains("op/s"), "what was measured is shown: {}", said.out);
    place.assert_nothing_is_left();
    let before = place.loaded();
    assert!((2..400).contains(&before.jobs.len()) && before.jobs.iter().all(|job| job.error.is_none()));
    let end = before.end.unwrap();
    assert_eq!(end.status, EndStatus::Failed);
    let message = end.message.unwrap();
    assert!(!message.to_string().contains(place.path("").to_str().unwrap()), "a path of the machine: {message}");

    let mut run = Running::start(&mut place.resume());
    run.hear_jobs(2);
    run.signal(rustix::process::Signal::INT);
    assert_eq!(run.finish().status, 130);
    assert_eq!(place.loaded().jobs[..before.jobs.len()], before.jobs[..]);
}

#[test]
fn a_guardian_that_is_killed_ends_the_run_and_is_no_fault_of_a_store() {
    assert_ends_unrecorded("sqlite,map", &["the guardian", "has ended"], |_, pid| {
        let guardian = census::child_with(pid, "kurabe guardian").unwrap();
        census::signal(guardian.pid, rustix::process::Signal::KILL);
    });
}

#[test]
fn a_data_folder_that_is_removed_ends_the_run_and_is_no_fault_of_a_store() {
    assert_ends_unrecorded("sqlite,file", &["is gone", "No store is to blame"], |place, _| {
        // Moved away first, all of it at once: what a store meets in a folder of which a half is gone is its own error.
        let (data, away) = (place.data(), place.path("away"));
        std::fs::create_dir(&away).unwrap();
        for name in entries(&data) {
            std::fs::rename(data.join(&name), away.join(&name)).unwrap();
        }
        // A store may make a file in it while it is being removed.
        assert!(comes_true(PATIENCE, || remove(&away)));
    });
}

fn remove(folder: &Path) -> bool {
    std::fs::remove_dir_all(folder).is_ok()
}

#[test]
fn a_folder_for_logs_that_is_removed_ends_the_run_and_is_no_fault_of_a_store() {
    assert_ends_unrecorded("sqlite,map", &["the folder for logs", "is gone"], |place, _| {
        std::fs::remove_dir_all(place.out().join("logs")).unwrap();
    });
}

#[test]
fn descriptors_that_are_used_up_end_the_run_and_are_no_fault_of_a_store() {
    let stores = if here(&["redis"]) { "redis,map" } else { "sqlite,map" };
    assert_ends_unrecorded(stores, &["Too many open files"], |_, pid| {
        let limit = rustix::process::Rlimit { current: Some(3), maximum: Some(3) };
        let pid = rustix::process::Pid::from_raw(pid as i32);
        rustix::process::prlimit(pid, rustix::process::Resource::Nofile, limit).unwrap();
    });
}

#[test]
fn a_results_folder_that_is_removed_leaves_the_answer_on_the_terminal() {
    let place = Place::new();
    let mut run = Running::start(&mut place.run(TINY, &["--stores", "sqlite,map", "--rounds", "200"]));
    run.hear_jobs(2);
    let is_gone = || remove(&place.out()) || !place.out().exists();
    assert!(comes_true(PATIENCE, is_gone));
    let said = run.finish();
    assert_failed(&said, &["is gone"]);
    assert!(!said.err.contains("--resume"), "there is nothing to go on with: {}", said.err);
    assert!(said.out.contains("op/s") && !said.out.contains("records  "), "{}", said.out);
    place.assert_nothing_is_left();
}

#[test]
fn a_run_in_which_a_store_failed_ends_as_failed_in_whichever_round_it_was() {
    let script = "case \"$1\" in --version) echo fake 1.0; exit 0;; esac\nexit 1";
    for rounds in ["1", "2"] {
        let place = Place::new();
        let path = fake_server(&place, "redis-server", script);
        let said = finish(place.run(TINY, &["--stores", "redis,map", "--rounds", rounds]).env("PATH", path));
        assert_eq!(said.status, 1, "{said:?}");
        assert_eq!(place.loaded().end.map(|end| end.status), Some(EndStatus::Failed), "{rounds} rounds");
    }
}

#[test]
fn a_server_that_does_not_start_is_a_failed_row_with_its_last_words() {
    let place = Place::new();
    let script = "case \"$1\" in --version) echo fake 1.0; exit 0;; esac\necho reading settings\necho 'no luck: the moon is full' >&2\nexit 1";
    let path = fake_server(&place, "redis-server", script);
    let said = finish(place.run(TINY, &["--stores", "redis,sqlite,map"]).env("PATH", path));
    assert_failed(&said, &["redis  failed: ", "no luck: the moon is full", "reading settings"]);
    let jobs = place.loaded().jobs;
    assert_eq!(jobs.iter().filter(|job| job.error.is_some()).count(), 1);
    assert_eq!(jobs.iter().filter(|job| job.error.is_none()).count(), 6, "the others went on");
    assert!(said.out.contains("the moon is full"), "{}", said.out);
    place.assert_nothing_is_left();
}

#[test]
fn an_interrupt_while_a_server_starts_records_no_fault() {
    let place = Place::new();
    let script = "case \"$1\" in --version) echo fake 1.0; exit 0;; esac\nsleep 2\nexit 1";
    let path = fake_server(&place, "redis-server", script);
    let run = Running::start(place.run(TINY, &["--stores", "redis"]).env("PATH", path));
    let started = || census::of(&place).into_iter().find(|seen| seen.cmdline.contains("--port"));
    wait_for("the server", started);
    run.signal(rustix::process::Signal::INT);
    assert_eq!(run.finish().status, 130);
    assert_eq!(place.loaded().jobs, []);
    place.assert_nothing_is_left();
}

#[test]
fn a_server_that_does_not_tell_its_version_is_told() {
    let place = Place::new();
    let path = fake_server(&place, "redis-server", "exit 3");
    let said = finish(place.run(TINY, &["--stores", "redis,sqlite"]).env("PATH", path));
    assert_mistake(&said, &["'redis'", "redis-server", "does not tell its version"]);
    assert!(!place.out().exists());
    place.assert_nothing_is_left();
}

#[test]
fn a_server_that_is_ended_by_a_signal_is_told_and_the_others_are_measured() {
    let sigill = "was ended by signal 4 (SIGILL): this build needs processor instructions";
    for script in ["kill -ILL $$", "case \"$1\" in --version) echo fake 1.0; exit 0;; esac\nkill -ILL $$"] {
        let place = Place::new();
        let path = fake_server(&place, "redis-server", script);
        let said = finish(place.run(TINY, &["--stores", "redis,sqlite"]).env("PATH", path));
        assert!(format!("{}{}", said.out, said.err).contains(sigill), "{said:?}");
        let loaded = place.loaded();
        let good = loaded.jobs.iter().filter(|job| job.candidate == "sqlite" && job.error.is_none()).count();
        assert_eq!(good, 3, "{said:?}");
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_server_whose_folder_does_not_fit_fails_alone() {
    let place = Place::new();
    let Some(_mount) = Mount::tmpfs(&place.path("small"), "size=24m") else { return };
    // Initialised it takes half of the room, so a copy does not fit beside it.
    let script = "case \"$*\" in *--version*) echo 'postgres (PostgreSQL) 15.0'; exit 0;; esac\n\
                  while [ $# -gt 0 ]; do [ \"$1\" = -D ] && folder=$2; shift; done\n\
                  dd if=/dev/zero of=\"$folder/large\" bs=1M count=14 2>/dev/null";
    let path = fake_server(&place, "postgres", script);
    std::fs::copy(place.path("bin").join("postgres"), place.path("bin").join("initdb")).unwrap();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["run", &study, "--stores", "postgres,sqlite", "--dir"]);
    command.arg(place.path("small")).arg("--out").arg(place.out()).env("PATH", path);
    // A server in the cache is looked for before those in PATH.
    let said = finish(command.env("XDG_CACHE_HOME", place.path("cache")));
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("the initialised data folder of 14.0 MiB does not fit in"), "{said:?}");
    let jobs = place.loaded().jobs;
    let of =
        |name: &str| jobs.iter().filter(|job| job.candidate == name).map(|job| job.error.is_none()).collect::<Vec<_>>();
    assert_eq!((of("postgres"), of("sqlite").contains(&false)), (vec![false], false), "{said:?}");
    assert!(of("sqlite").len() > 1);
    place.assert_nothing_is_left();
}
