//! How a connection begins: the handshake, the authentication, and statements that are prepared, all while it still blocks.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html>

use std::io::ErrorKind;

use mysql::consts::{CapabilityFlags, Command};
use mysql_common::constants::MariadbCapabilities;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, Column, HandshakePacket, HandshakeResponse, StmtPacket};
use mysql_common::proto::MySerialize;

use super::key;
use super::packet::{self, END, ERROR, MORE_DATA, OK, Packet, Refusal};
use crate::adapter::StoreError;
use crate::stores::common::lanes::socket::Stream;

/// The protocol's version since MySQL 3.21.
const VERSION: u8 = 10;
/// Length of what a password is mixed with.
const NONCE_BYTES: usize = 20;
/// Longest packet that is announced as welcome.
const MOST_PACKET_BYTES: u32 = 64 << 20;
/// Most packets of an authentication; no method that is known here takes half of them.
const MOST_TURNS: usize = 8;
/// Bytes that are read at a time.
const READ_BYTES: usize = 4 << 10;

/// What a server says in an authentication with `caching_sha2_password`.
const FAST_PATH: u8 = 3;
const FULL_PATH: u8 = 4;
/// What it is asked for its public key with.
const KEY_PLEASE: u8 = 2;

/// Who signs in, and where to.
#[derive(Clone, Debug)]
pub(super) struct Who {
    pub(super) user: String,
    pub(super) password: String,
    pub(super) database: Option<String>,
    /// Whether nobody else can read what is sent: a unix socket.
    pub(super) is_private: bool,
}

/// What both sides can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) capabilities: CapabilityFlags,
    /// Whether columns are described again only where they changed.
    pub(super) caches_columns: bool,
}

impl Session {
    /// Whether descriptions of columns are followed by a packet that says that they end.
    pub(super) fn marks_ends(self) -> bool {
        !self.capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF)
    }
}

/// Why the server did not do what was asked.
pub(super) enum Trouble {
    /// It says why.
    Refused(Refusal),
    Other(StoreError),
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> StoreError {
        match trouble {
            Trouble::Refused(refusal) => refusal.told(),
            Trouble::Other(error) => error,
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Other(error)
    }
}

/// A connection that blocks, a packet at a time.
pub(super) struct Wire<'a> {
    stream: &'a mut dyn Stream,
    bytes: Vec<u8>,
    number: u8,
}

fn lost(why: impl std::fmt::Display) -> StoreError {
    StoreError::Disconnected(why.to_string())
}

fn unreadable(what: &str) -> impl Fn(std::io::Error) -> StoreError {
    move |error| lost(format!("the server's {what} cannot be read: {error}"))
}

impl<'a> Wire<'a> {
    pub(super) fn new(stream: &'a mut dyn Stream) -> Wire<'a> {
        Wire { stream, bytes: Vec::new(), number: 0 }
    }

    /// The next packet. One that says that something failed is trouble.
    fn packet(&mut self) -> Result<Vec<u8>, Trouble> {
        let mut chunk = [0; READ_BYTES];
        loop {
            if let Some(packet) = packet::first(&self.bytes, self.number).map_err(lost)? {
                let Packet { payload, len, next } = packet;
                let payload = payload.into_owned();
                self.number = next;
                self.bytes.drain(..len);
                return match payload.first() {
                    Some(&ERROR) => Err(Trouble::Refused(Refusal::of(&payload).map_err(lost)?)),
                    Some(_) => Ok(payload),
                    None => Err(lost("the server sent an empty packet").into()),
                };
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(lost("the server closed the connection").into()),
                Ok(len) => self.bytes.extend_from_slice(&chunk[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Err(StoreError::Timeout.into());
                }
                Err(error) => return Err(lost(error).into()),
            }
        }
    }

    fn send(&mut self, payload: &[u8]) -> Result<(), StoreError> {
        let mut out = Vec::new();
        self.number = packet::packet(&mut out, self.number, |out| out.extend_from_slice(payload));
        self.stream.write_all(&out).map_err(lost)
    }

    fn command(&mut self, command: Command, text: &str) -> Result<(), StoreError> {
        self.number = 0;
        self.send(&[&[command as u8], text.as_bytes()].concat())
    }

    /// Runs a statement that gives no rows.
    pub(super) fn run(&mut self, statement: &str) -> Result<(), Trouble> {
        self.command(Command::COM_QUERY, statement)?;
        match self.packet()?.first() {
            Some(&OK) => Ok(()),
            _ => Err(lost(format!("the server's answer to '{statement}' is no end of it")).into()),
        }
    }

    /// Prepares a statement; its number and the types of what it gives.
    pub(super) fn prepare(&mut self, session: Session, statement: &str) -> Result<(u32, Vec<Column>), StoreError> {
        self.command(Command::COM_STMT_PREPARE, statement)?;
        let answer = self.packet()?;
        let prepared: StmtPacket = ParseBuf(&answer).parse(()).map_err(unreadable("answer to a statement"))?;
        self.columns(session, prepared.num_params())?;
        let columns = self.columns(session, prepared.num_columns())?;
        Ok((prepared.statement_id(), columns))
    }

    fn columns(&mut self, session: Session, count: u16) -> Result<Vec<Column>, StoreError> {
        let mut columns = Vec::new();
        for _ in 0..count {
            let packet = self.packet()?;
            columns.push(ParseBuf(&packet).parse(()).map_err(unreadable("description of a column"))?);
        }
        if count > 0 && session.marks_ends() && self.packet()?.first() != Some(&END) {
            return Err(lost("the descriptions of columns do not end"));
        }
        Ok(columns)
    }

    /// Signs in.
    pub(super) fn sign_in(&mut self, who: &Who) -> Result<Session, StoreError> {
        let first = self.packet()?;
        if first[0] != VERSION {
            let version = first[0];
            return Err(lost(format!(
                "the server speaks version {version} of the protocol, or another one; version {VERSION} is known here"
            )));
        }
        let handshake: HandshakePacket<'_> = ParseBuf(&first).parse(()).map_err(unreadable("greeting"))?;
        let session = session(&handshake)?;
        let mut nonce = [handshake.scramble_1_ref(), handshake.scramble_2_ref().unwrap_or_default()].concat();
        nonce.resize(NONCE_BYTES, 0);
        // Any other one is asked for by name, after an answer by the oldest that is known.
        let plugin = match handshake.auth_plugin() {
            Some(AuthPlugin::CachingSha2Password) => AuthPlugin::CachingSha2Password,
            _ => AuthPlugin::MysqlNativePassword,
        };
        let secret = plugin.gen_data(Some(who.password.as_str()), &nonce);
        let response = HandshakeResponse::new(
            secret.as_deref(),
            handshake.server_version_parsed().unwrap_or_default(),
            Some(who.user.as_bytes()),
            who.database.as_deref().map(str::as_bytes),
            Some(plugin.clone()),
            session.capabilities,
            None,
            MOST_PACKET_BYTES,
        );
        let cached = if session.caches_columns {
            MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA
        } else {
            MariadbCapabilities::empty()
        };
        let mut payload = Vec::new();
        response.with_mariadb_ext_capabilities(cached).serialize(&mut payload);
        self.send(&payload)?;
        self.authenticate(who, plugin, nonce)?;
        Ok(session)
    }

    /// Goes on until the server lets us in.
    fn authenticate(
        &mut self,
        who: &Who,
        mut plugin: AuthPlugin<'static>,
        mut nonce: Vec<u8>,
    ) -> Result<(), StoreError> {
        for _ in 0..MOST_TURNS {
            let packet = self.packet()?;
            match (packet[0], packet.get(1), &plugin) {
                (OK, ..) => return Ok(()),
                (END, None, _) => return Err(lacked("mysql_old_password")),
                (END, Some(_), _) => {
                    let asked: AuthSwitchRequest<'_> =
                        ParseBuf(&packet).parse(()).map_err(unreadable("request for a password"))?;
                    plugin = known(&asked)?;
                    nonce = asked.plugin_data().to_vec();
                    let secret = plugin.gen_data(Some(who.password.as_str()), &nonce);
                    self.send(secret.as_deref().unwrap_or_default())?;
                }
                (MORE_DATA, Some(&FAST_PATH), AuthPlugin::CachingSha2Password) => {}
                (MORE_DATA, Some(&FULL_PATH), AuthPlugin::CachingSha2Password) => self.tell_password(who, &nonce)?,
                _ => return Err(lost("the server's authentication cannot be followed")),
            }
        }
        Err(lost("the server's authentication does not end"))
    }

    /// The full path of `caching_sha2_password`: the password itself, in a way that nobody else can read.
    fn tell_password(&mut self, who: &Who, nonce: &[u8]) -> Result<(), StoreError> {
        let mut secret = [who.password.as_bytes(), &[0]].concat();
        if who.is_private {
            return self.send(&secret);
        }
        self.send(&[KEY_PLEASE])?;
        let answer = self.packet()?;
        let Some((&MORE_DATA, pem)) = answer.split_first() else {
            return Err(lost("the server gave no public key"));
        };
        secret.iter_mut().zip(nonce.iter().cycle()).for_each(|(byte, nonce)| *byte ^= nonce);
        self.send(&key::encrypt(&secret, pem).map_err(lost)?)
    }
}

/// What both sides can do, of what is wanted here.
fn session(handshake: &HandshakePacket<'_>) -> Result<Session, StoreError> {
    let needed = CapabilityFlags::CLIENT_PROTOCOL_41
        | CapabilityFlags::CLIENT_SECURE_CONNECTION
        | CapabilityFlags::CLIENT_PLUGIN_AUTH
        | CapabilityFlags::CLIENT_FOUND_ROWS;
    let wanted = needed
        | CapabilityFlags::CLIENT_LONG_PASSWORD
        | CapabilityFlags::CLIENT_LONG_FLAG
        | CapabilityFlags::CLIENT_TRANSACTIONS
        | CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
        | CapabilityFlags::CLIENT_DEPRECATE_EOF;
    let theirs = handshake.capabilities();
    if !theirs.contains(needed) {
        let lacks = needed - theirs;
        return Err(lost(format!("the server is too old: it lacks {lacks:?}")));
    }
    // MariaDB says by leaving this bit out that its own ones follow.
    let is_extended = !theirs.contains(CapabilityFlags::CLIENT_LONG_PASSWORD);
    let extended = handshake.mariadb_ext_capabilities();
    Ok(Session {
        capabilities: theirs & wanted,
        caches_columns: is_extended && extended.contains(MariadbCapabilities::MARIADB_CLIENT_CACHE_METADATA),
    })
}

/// The method that a server asks for, where it is known here.
fn known(asked: &AuthSwitchRequest<'_>) -> Result<AuthPlugin<'static>, StoreError> {
    match asked.auth_plugin() {
        AuthPlugin::MysqlNativePassword => Ok(AuthPlugin::MysqlNativePassword),
        AuthPlugin::CachingSha2Password => Ok(AuthPlugin::CachingSha2Password),
        other => Err(lacked(&String::from_utf8_lossy(other.as_bytes()))),
    }
}

#[cold]
fn lacked(method: &str) -> StoreError {
    StoreError::store(format!(
        "the server asks for the authentication '{method}', which is not known here; give the user \
         mysql_native_password or caching_sha2_password"
    ))
}
