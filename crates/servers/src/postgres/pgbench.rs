//! pgbench on the table that a load made: the statements of the other drivers, prepared, one in each transaction.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use kurabe_client::adapter::StoreError;
use kurabe_client::load_tool::{Tool, ToolReport, ToolWork, Tooled, connects_each, number};
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{Distribution, Operation, Pool};
use tokio_postgres::config::Host;

use super::{Postgres, SESSION_SETTING, Sequential};

/// Bytes of all values that its arguments hold: Linux takes 128 KiB in one.
const MOST_VALUE_BYTES: usize = 100_000;

impl Tooled for Postgres<Sequential> {
    const TOOLS: &'static [Tool<Self>] = &[Tool {
        name: "pgbench",
        version: "--version",
        operations: &[Operation::Read, Operation::Update],
        distributions: &[Distribution::Uniform, Distribution::One],
        connects_each: true,
        ask,
        parse_report,
    }];
}

fn ask(store: &Postgres<Sequential>, work: &ToolWork<'_>, command: &mut Command) -> Result<(), StoreError> {
    let path = work.folder.join("pgbench.sql");
    std::fs::write(&path, store.script(work))
        .map_err(|error| StoreError::store(format!("cannot write '{}': {error}", path.display())))?;
    if connects_each(work.phase) {
        command.arg("-C");
    }
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &work.phase.connections.to_string()]);
    command.args(["-T", &work.seconds.to_string(), "-f"]).arg(path);
    if work.phase.does(Operation::Update) {
        for (number, value) in store.values(work)?.into_iter().enumerate() {
            command.arg("-D").arg(format!("v{}={value}", number + 2));
        }
    }
    store.tell_where(command)
}

impl Postgres<Sequential> {
    /// What pgbench does in one transaction: the statement of the other drivers.
    fn script(&self, work: &ToolWork<'_>) -> String {
        let (rows, table) = (work.job.rows, &self.table.rows);
        let row = match work.phase.distribution {
            Distribution::One => format!("\\set v1 {}", rows / 2),
            _ => format!("\\set v1 random(0, {})", rows - 1),
        };
        let statement = if work.phase.does(Operation::Update) { table.update() } else { table.select() };
        format!("{row}\n{};\n", statement.replace('$', ":v"))
    }

    /// What its updates write to the columns after the key: one row as Kurabe would write it, over and over.
    fn values(&self, work: &ToolWork<'_>) -> Result<Vec<String>, StoreError> {
        let bytes = std::fs::read(&work.job.pool).map_err(StoreError::store)?;
        let pool = Pool::new(&bytes, &self.layout).ok_or_else(|| StoreError::store("the pool has a wrong size"))?;
        let mut raw = vec![0; self.layout.room_bytes()];
        self.layout.write(&pool, 0, 1, &mut raw);
        if raw.len() > MOST_VALUE_BYTES {
            let problem = format!("pgbench takes values as arguments, which hold {MOST_VALUE_BYTES} bytes");
            return Err(StoreError::store(problem));
        }
        let text = |value: FieldValue<'_>| match value {
            FieldValue::Int(number) => Ok(number.to_string()),
            FieldValue::Text(text) => Ok(text.to_string()),
            FieldValue::Bytes(_) => Err(StoreError::store("pgbench writes no fields of bytes")),
        };
        self.layout.fields(&raw).map(text).collect()
    }

    /// Tells a program of PostgreSQL's where the server is, and how a session is set: in its environment, where nobody
    /// else reads a password.
    fn tell_where(&self, command: &mut Command) -> Result<(), StoreError> {
        if self.tls.is_some() {
            return Err(StoreError::store("pgbench is not told of TLS; take it out of the address"));
        }
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        let ports = self.config.get_ports().iter().map(u16::to_string);
        command.env("PGHOST", hosts.collect::<Vec<_>>().join(",")).env("PGPORT", ports.collect::<Vec<_>>().join(","));
        command.env("PGSSLMODE", "disable").env("PGAPPNAME", "kurabe");
        let own = [("PGUSER", self.config.get_user()), ("PGDATABASE", self.config.get_dbname())];
        command.envs(own.into_iter().filter_map(|(name, value)| Some((name, value?))));
        if let Some(password) = self.config.get_password() {
            command.env("PGPASSWORD", OsStr::from_bytes(password));
        }
        let setting = self.setting.as_ref().map(|value| format!("-c {SESSION_SETTING}={value}"));
        let options: Vec<String> = self.config.get_options().map(str::to_string).into_iter().chain(setting).collect();
        command.env("PGOPTIONS", options.join(" "));
        Ok(())
    }
}

/// What pgbench told. Transactions that were tried again and given up are counted by it since version 15.
fn parse_report(said: &str) -> Option<ToolReport> {
    Some(ToolReport {
        operations: number(said, "number of transactions actually processed")? as u64,
        failed: number(said, "number of failed transactions").unwrap_or(0.0) as u64,
        // Without the time of connecting, unless each transaction connects.
        rate: number(said, "\ntps = ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As pgbench 15.18 printed it.
    const REPORT: &str = include_str!("pgbench.txt");

    #[test]
    fn a_report_is_read_and_nothing_else_is_one() {
        assert_eq!(parse_report(REPORT), Some(ToolReport { operations: 63927, failed: 0, rate: 64472.891976 }));
        let failed = REPORT.replace("failed transactions: 0 (", "failed transactions: 7 (");
        assert_eq!(parse_report(&failed).map(|told| told.failed), Some(7));
        for other in ["", "pgbench: error: connection to server failed", "tps = 5"] {
            assert_eq!(parse_report(other), None, "{other}");
        }
    }
}
