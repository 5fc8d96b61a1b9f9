//! `kurabe serve`: what is typed for a bulletin board over one store. `kurabe-servers` serves it.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use http::uri::Authority;
use kurabe_messages::{Message, message};
use kurabe_record::MinimumDurability;
use kurabe_study::parse_minimum;

use super::place::PlaceArgs;

/// What is served, and where.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The store: STORE, STORE:VARIANT, or either with @URL
    #[arg(long, value_name = "NAME", required_unless_present = "job")]
    pub store: Option<String>,
    /// Folder in which the posts stay, made where it is not there; without it they go when the service ends
    #[arg(long, value_name = "DIR", conflicts_with = "job")]
    pub data: Option<PathBuf>,
    /// Where it listens; for others than this machine give an address of this machine, such as 0.0.0.0:8080
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Short for --listen 127.0.0.1:N
    #[arg(long, value_name = "N", conflicts_with = "listen")]
    pub port: Option<u16>,
    /// Threads, each with a connection to the store [default: 8, or as many as the store allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Minimum durability: power, consistent, window=1s, window=100commits, kill, cache; or default (as the store is
    /// shipped)
    #[arg(long, value_name = "LEVEL", value_parser = parse_minimum, default_value = "power")]
    pub durability: MinimumDurability,
    /// Another name under which the service may be asked, such as board.example or board.example:80; again for each
    #[arg(long = "host", value_name = "NAME[:PORT]", value_parser = host)]
    pub hosts: Vec<Authority>,
    /// Where a server has its data.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// A job whose rows are served, for measurements
    #[arg(long, value_name = "FILE", hide = true)]
    pub job: Option<PathBuf>,
}

/// Reads a name under which a service is known.
fn host(text: &str) -> Result<Authority, Message> {
    let host: Authority = text.parse().map_err(|_| message!(cli_host_value))?;
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    let has_port = host.as_str().strip_prefix(host.host()).is_some_and(|rest| match rest.strip_prefix(':') {
        Some(port) => is_port(port),
        None => rest.is_empty(),
    });
    if host.host().is_empty() || !has_port {
        return Err(message!(cli_host_value));
    }
    match host.host().parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => {
            Err(message!(cli_host_unspecified, address, port = u32::from(host.port_u16().unwrap_or(8080))))
        }
        _ => Ok(host),
    }
}
