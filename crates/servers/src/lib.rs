//! Kurabe's Rust client for stores that are servers: one folder for each protocol, over the contract of `kurabe-client`. Adding
//! one means its folder and two lines here.

mod cassandra;
mod common;
mod http;
mod memcached;
mod mongodb;
mod mysql_family;
mod postgres;
mod redis;
mod tokyotyrant;

use kurabe_client::Entry;

/// Every protocol of this crate, by the name that stores give as their wire.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of::<cassandra::Cassandra>("cassandra"),
        Entry::of::<mysql_family::Server>("mysql").fetching(mysql_family::cursor),
        Entry::of_bytes_in_flight::<memcached::Memcached>("memcached"),
        // Whatever store stands behind it: an app's client.
        Entry::of::<http::Http>("http").by_tools::<http::Http>(),
        Entry::of::<http::Url>("url").by_tools::<http::Url>(),
        Entry::of::<mongodb::Mongodb>("mongodb"),
        Entry::of::<postgres::Postgres<postgres::Sequential>>("postgres")
            .by("blocking")
            .by_tools::<postgres::Postgres<postgres::Sequential>>(),
        Entry::of::<postgres::Postgres<postgres::Pipelined>>("postgres").by("pipelined"),
        Entry::of_bytes_in_flight::<redis::Redis>("redis"),
        Entry::of_bytes::<tokyotyrant::TokyoTyrant>("tokyotyrant"),
    ]
}
