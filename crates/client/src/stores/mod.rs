//! The stores of this client, one file each. Adding one means its file and one line here.

pub mod echo;
mod file;
#[cfg(any(feature = "memcached", feature = "redis"))]
mod keys;
#[cfg(any(feature = "memcached", feature = "redis"))]
mod lanes;
#[cfg(feature = "lmdb")]
mod lmdb;
#[cfg(any(feature = "mariadb", feature = "memcached", feature = "postgres", feature = "redis"))]
mod locked;
pub mod map;
#[cfg(feature = "mariadb")]
mod mariadb;
#[cfg(feature = "memcached")]
mod memcached;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "mariadb", feature = "postgres"))]
mod transaction;

use crate::session::Entry;

/// Every store that this client was built with.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of::<echo::Echo>("echo"),
        Entry::of::<map::Map>("map"),
        Entry::of::<file::TextFile>("file"),
        #[cfg(feature = "lmdb")]
        Entry::of::<lmdb::Lmdb>("lmdb"),
        #[cfg(feature = "sqlite")]
        Entry::of::<sqlite::Sqlite>("sqlite"),
        #[cfg(feature = "mariadb")]
        Entry::of::<mariadb::Mariadb>("mariadb"),
        #[cfg(feature = "memcached")]
        Entry::of::<memcached::Memcached>("memcached"),
        #[cfg(feature = "postgres")]
        Entry::of::<postgres::Postgres>("postgres"),
        #[cfg(feature = "redis")]
        Entry::of::<redis::Redis>("redis"),
        #[cfg(feature = "redis")]
        Entry::of::<redis::Redis>("valkey"),
    ]
}
