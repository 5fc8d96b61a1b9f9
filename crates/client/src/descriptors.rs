//! The cause that a library keeps to itself: SQLite "cannot open" a file also where this process may not open any more.

use crate::adapter::StoreError;

/// Files that one connection opens at a time, at the most that is tried.
const TRIED: usize = 8;

/// The error of a connection that could not be made; where this process can open no more files at this moment, that is
/// told beside it.
pub(crate) fn with_cause(error: StoreError) -> StoreError {
    let opened: Result<Vec<_>, std::io::Error> = (0..TRIED).map(|_| std::fs::File::open("/dev/null")).collect();
    match opened {
        Err(cause) if matches!(cause.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
            StoreError::store(format!("{error}: {cause}"))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_stays_as_it_is_where_files_can_be_opened() {
        let error = StoreError::Disconnected("refused".into());
        assert_eq!(with_cause(error.clone()), error);
    }
}
