use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{Gid, Uid};

use crate::cause::is_full;
use crate::error::ServiceError;
use crate::owned::{check_way, make_owned_folder, own_tmpdir, text};
use crate::run_log::run_log;
use crate::shared_memory::SharedWatch;
use crate::spawn::short_name;
use crate::spec::substitute_all;
use crate::{Account, Blueprint, FolderAccess, Process, Scope, Stream, make_folder, service_account, spawn};

/// How often a wait looks whether the user has interrupted or shared memory was made.
const NEWS_POLL: Duration = Duration::from_millis(2);
/// How often it looks for shared memory also where nobody tells of any.
const SHARED_POLL: Duration = Duration::from_millis(50);
/// So long one command of the initialisation may take, on a slow disk too.
const INIT_LIMIT: Duration = Duration::from_secs(180);
/// Where the commands of an initialisation print, in the folder of its template.
const INIT_LOG: &str = "init.log";

/// A data folder, initialised once and copied for every start. Removed when dropped.
#[derive(Debug)]
pub struct Template {
    folder: PathBuf,
}

impl Template {
    /// What an initialised folder depends on: its user and the commands that make it, with the programs that were found.
    /// Two services of one key can start from copies of one folder.
    pub fn key(blueprint: &Blueprint<'_>) -> Result<String, ServiceError> {
        let values = blueprint.placeholders(&[("data", "{data}".into()), ("log", "{log}".into())]);
        let commands = blueprint.spec.init.iter().map(|command| substitute_all(command, &values));
        let commands = commands.collect::<Result<Vec<Vec<String>>, _>>()?;
        Ok(format!("{:?} {commands:?}", blueprint.spec.user))
    }

    /// Makes a data folder inside `dir` and runs the service's `init` commands on it, as the service's user.
    ///
    /// Fails where that user cannot enter `dir`, a command cannot be started, fails, or takes longer than three minutes.
    pub fn initialise(blueprint: &Blueprint<'_>, dir: &Path) -> Result<Template, ServiceError> {
        let account = service_account(blueprint.spec.user.as_deref())?;
        check_way(dir, account.as_ref())?;
        let folder = dir.join(format!("template-{:08x}", rand::random::<u32>()));
        make_folder(&folder, FolderAccess::Everybody).map_err(|source| ServiceError::io("make", &folder, source))?;
        let template = Template { folder };
        make_owned_folder(&template.data(), 0o700, account.as_ref())?;
        let log = text(&template.folder.join(INIT_LOG));
        let values = blueprint.placeholders(&[("data", text(&template.data())), ("log", log)]);
        for command in &blueprint.spec.init {
            let words = substitute_all(command, &values)?;
            run_init(blueprint, &words, &template.folder, account.as_ref())?;
        }
        Ok(template)
    }

    /// Makes `dest`, which must not exist, a fresh copy: same modes, same owners; sockets and pid files are left out.
    pub fn copy_to(&self, dest: &Path) -> Result<(), ServiceError> {
        self.copy_unless(dest, &AtomicBool::new(false))
    }

    /// As [`Template::copy_to`]; once `interrupt` is set no further file is copied.
    pub fn copy_unless(&self, dest: &Path, interrupt: &AtomicBool) -> Result<(), ServiceError> {
        let mut pending = vec![(self.data(), dest.to_path_buf())];
        while let Some((from, to)) = pending.pop() {
            if interrupt.load(Ordering::Relaxed) {
                return Err(ServiceError::Interrupted);
            }
            let data = fs::symlink_metadata(&from).map_err(|source| ServiceError::io("read", &from, source))?;
            copy_one(&from, &to, &data).map_err(|source| match is_full(&source) {
                true => {
                    ServiceError::NoRoom { size_bytes: allocated_bytes(&self.data()), folder: folder(dest), source }
                }
                false => ServiceError::io("copy", &to, source),
            })?;
            if data.is_dir() {
                let entries = fs::read_dir(&from).and_then(Iterator::collect::<io::Result<Vec<_>>>);
                let entries = entries.map_err(|source| ServiceError::io("read", &from, source))?;
                pending.extend(entries.iter().map(|entry| (entry.path(), to.join(entry.file_name()))));
            }
        }
        Ok(())
    }

    /// The initialised folder itself, for looking only.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        // What remains goes with the folder of the run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn run_init(
    blueprint: &Blueprint<'_>,
    words: &[String],
    folder: &Path,
    account: Option<&Account>,
) -> Result<(), ServiceError> {
    let Some((program, args)) = words.split_first() else { return Err(ServiceError::EmptyCommand { key: "init" }) };
    let log = run_log(&folder.join(INIT_LOG), account)?;
    let scope = Scope {
        env: vec![own_tmpdir(folder, account)?],
        cwd: Some(folder.to_path_buf()),
        stdout: Stream::File(log.path.clone()),
        stderr: Stream::File(log.path.clone()),
        user: account.cloned(),
        ..Scope::new(program).args(args)
    };
    let mut process = spawn(blueprint.guardian, scope)?;
    let status = await_end(&mut process, blueprint).map_err(|source| ServiceError::wait(program, source))?;
    let program = short_name(Path::new(program));
    let tail = log.tail(&blueprint.variables);
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(ServiceError::InitFailed { program, status, log: tail }),
        None if blueprint.interrupted() => Err(ServiceError::Interrupted),
        None => Err(ServiceError::InitSlow { program, limit: INIT_LIMIT, log: tail }),
    }
}

/// Waits for the end of a command; `None` where it takes too long or the user interrupts.
fn await_end(process: &mut Process, blueprint: &Blueprint<'_>) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + INIT_LIMIT;
    // A server that it starts for itself may crash, on a full disk say, and leaves what it shared.
    let mut watch = SharedWatch::new(SHARED_POLL);
    loop {
        let status = process.wait_timeout(NEWS_POLL)?;
        if status.is_some() || blueprint.interrupted() || Instant::now() >= deadline {
            process.clear(&watch);
            return Ok(status);
        }
        process.look_for_shared(&mut watch);
    }
}

/// Where `dest` should lie.
fn folder(dest: &Path) -> PathBuf {
    dest.parent().unwrap_or(dest).to_path_buf()
}

/// Disk space of a folder with all that is in it; what cannot be read counts as nothing.
fn allocated_bytes(folder: &Path) -> u64 {
    // The unit of st_blocks, inode(7).
    const BLOCK_BYTES: u64 = 512;
    let own = fs::symlink_metadata(folder).map_or(0, |data| data.blocks() * BLOCK_BYTES);
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| allocated_bytes(&entry.path()));
    own + inside.sum::<u64>()
}

fn copy_one(from: &Path, to: &Path, data: &fs::Metadata) -> io::Result<()> {
    let kind = data.file_type();
    if kind.is_dir() {
        fs::create_dir(to)?;
    } else if kind.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
    } else if kind.is_file() && from.extension().is_none_or(|extension| extension != "pid") {
        fs::copy(from, to)?;
    } else {
        // Sockets and pid files belong to a running service, and nothing else than files makes data.
        return Ok(());
    }
    if rustix::process::geteuid().is_root() {
        let (uid, gid) = (Uid::from_raw(data.uid()), Gid::from_raw(data.gid()));
        rustix::fs::chownat(rustix::fs::CWD, to, Some(uid), Some(gid), rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
    }
    if !kind.is_symlink() {
        // After the change of owner, which clears some bits.
        fs::set_permissions(to, data.permissions())?;
    }
    Ok(())
}
