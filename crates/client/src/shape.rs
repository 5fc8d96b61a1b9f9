//! What a loop is to a store, whatever its shape.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::Layout;

use crate::adapter::{Store, StoreError};
use crate::outcome::Outcome;
use crate::phase::{Gate, PhaseContext};
use crate::served::Window;

/// A loop that can drive a store of type `S`.
pub trait LoopShape<S: Store> {
    /// Connects, warms up, waits at the gate and works. Returns what each worker gave, or the error
    /// that kept the phase from starting.
    fn run(store: &S, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError>;

    /// Threads that work in this shape. Where there is one, `run` does not start it: the caller is it.
    fn threads(context: &PhaseContext<'_>) -> u32;

    /// A connection for one thread of a service; `limit` is that of one operation where the adapter keeps none.
    fn window(_store: &Arc<S>, _layout: &Arc<Layout>, _limit: Duration) -> Result<Box<dyn Window>, StoreError> {
        Err(StoreError::Unsupported)
    }
}
