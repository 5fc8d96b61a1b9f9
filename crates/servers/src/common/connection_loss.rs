//! For drivers that connect again by themselves: a connection that is gone stays gone here, so that what its loss cost
//! is seen.

use kurabe_client::adapter::StoreError;

/// Why a connection is gone, where it is.
#[derive(Debug, Default)]
pub(crate) struct ConnectionLoss(Option<String>);

impl ConnectionLoss {
    /// Nothing is tried on a connection that is gone.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match &self.0 {
            None => Ok(()),
            Some(why) => Err(StoreError::Disconnected(why.clone())),
        }
    }

    /// Notes whether the connection went with `outcome`, which it hands on.
    #[inline]
    pub(crate) fn note<T>(&mut self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Disconnected(why)) = &outcome {
            self.0 = Some(why.clone());
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_is_gone_stays_gone() {
        let mut lost = ConnectionLoss::default();
        assert_eq!(lost.note(Ok(1)), Ok(1));
        let other = StoreError::store("busy");
        assert_eq!(lost.note::<()>(Err(other.clone())), Err(other));
        assert_eq!(lost.check(), Ok(()));
        let gone = StoreError::Disconnected("reset".into());
        assert_eq!(lost.note::<()>(Err(gone.clone())), Err(gone.clone()));
        assert_eq!(lost.check(), Err(gone));
    }
}
