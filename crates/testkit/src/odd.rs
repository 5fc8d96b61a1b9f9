//! Stores that misbehave towards the client, not towards the data.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kurabe_client::adapter::Texts;
use kurabe_client::baselines::map::{Map, MapConnection};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::{Blocking, Store, StoreError};
use kurabe_protocol::{Capabilities, Job, Layout, Phase};

/// `noisy` prints to stdout, `unreachable` refuses every connection but the first, `panicking`
/// panics at every connection but the first.
pub struct Odd {
    map: Map,
    name: String,
    connections: AtomicU32,
}

impl Store for Odd {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Odd, StoreError> {
        Ok(Odd { map: Map::open(job, layout)?, name: job.candidate.store.clone(), connections: AtomicU32::new(0) })
    }

    fn capabilities(&self) -> Capabilities {
        self.map.capabilities()
    }

    fn libraries(&self) -> Texts {
        self.map.libraries()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.map.create()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.map.reset()
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.map.count()
    }
}

impl Blocking for Odd {
    type Connection = MapConnection;

    fn connect(&self, phase: &Phase) -> Result<MapConnection, StoreError> {
        let earlier = self.connections.fetch_add(1, Ordering::Relaxed);
        match self.name.as_str() {
            "noisy" => println!("NOTICE: connected for '{}'", phase.name),
            "unreachable" if earlier > 0 => return Err(StoreError::Disconnected("connection refused".into())),
            "panicking" if earlier > 0 => panic!("index out of bounds in a driver"),
            _ => {}
        }
        self.map.connect(phase)
    }
}
