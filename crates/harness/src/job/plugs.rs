//! Work that is done around the phases of a job, or in the place of one. Each kind is a file of its own and a line of
//! [`PLUGS`]; the job knows none of them by name.

use kurabe_messages::Message;
use kurabe_protocol::{Job, Phase};
use kurabe_record::PhaseRecord;

use super::Work;
use super::program::Programs;
use super::rows_from::FetchedRows;
use crate::fault::Fault;

/// All of them.
pub(super) const PLUGS: [&dyn Plug; 2] = [&Programs, &FetchedRows];

/// One kind of such work, which does nothing where a job does not need it.
pub(super) trait Plug {
    /// What a phase needs of it that the candidate or its clients lack.
    fn lacks(&self, work: &Work<'_>, phase: &Phase) -> Option<Message>;

    /// Starts what must be there before the store.
    fn before_store(&self, _work: &mut Work<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// Does what must be done before there are clients.
    fn before_clients(&self, _work: &Work<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// Adds what clients need to know of it.
    fn tell(&self, _work: &Work<'_>, _job: &mut Job) {}

    /// Does a phase in the place of the clients; nothing where it is theirs.
    fn instead(&self, _work: &mut Work<'_>, _phase: &Phase) -> Result<Option<PhaseRecord>, Fault> {
        Ok(None)
    }
}
