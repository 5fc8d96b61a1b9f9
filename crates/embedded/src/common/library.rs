//! Libraries that are opened when the client starts: what is not compiled in is found on the machine.
//!
//! A store lists the functions that it calls, with their C types, in [`functions!`]; all are looked up once, so that
//! a call costs what it costs a program that was linked.

use std::ffi::{CStr, c_char};

use kurabe_protocol::Job;
use libloading::Library;

use kurabe_client::adapter::StoreError;

/// An open library. It stays open as long as the process: pointers into it are never checked again.
#[derive(Clone, Copy)]
pub(crate) struct OpenLibrary {
    library: &'static Library,
    name: &'static str,
    /// What to do where it is too old.
    remedy: &'static str,
}

/// What the linker said; the error itself only tells that it failed.
fn cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).unwrap_or(error).to_string()
}

impl OpenLibrary {
    /// Opens the library that the job's setting `library` names, else `usual`. `remedy` tells which version has all
    /// that is asked for.
    pub(crate) fn open(job: &Job, usual: &str, remedy: &'static str) -> Result<OpenLibrary, StoreError> {
        let name = job.settings.get("library").map_or(usual, String::as_str);
        // SAFETY: opening a library runs its initialisers. It is the one that the user named, or the store's own,
        // which programs that are linked with it open in the same way.
        let library = unsafe { Library::new(name) }.map_err(|error| {
            StoreError::store(format!("cannot open the library '{name}': {}; {remedy}", cause(&error)))
        })?;
        // A process works on one job and opens its store's library once.
        let (library, name) = (Box::leak(Box::new(library)), String::leak(name.to_string()));
        Ok(OpenLibrary { library, name, remedy })
    }

    /// The function `name`.
    ///
    /// # Safety
    /// `F` must be the type of that function's pointer.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, StoreError> {
        // SAFETY: promised by the caller; the library is never closed.
        let found = unsafe { self.library.get::<F>(name.as_bytes()) };
        found.map(|function| *function).map_err(|_| self.lacks(name))
    }

    /// The text that the global variable `const char *name` holds.
    pub(crate) fn text(&self, name: &str) -> Result<String, StoreError> {
        // SAFETY: the headers declare it as a pointer to a constant string, which the library never changes.
        unsafe {
            let variable = self.library.get::<*const *const c_char>(name.as_bytes()).map_err(|_| self.lacks(name))?;
            Ok(CStr::from_ptr(**variable).to_string_lossy().into_owned())
        }
    }

    /// The value of the global variable `name`.
    ///
    /// # Safety
    /// `T` must be the type of that variable, which nobody changes.
    pub(crate) unsafe fn variable<T: Copy>(&self, name: &str) -> Result<T, StoreError> {
        // SAFETY: promised by the caller; the library is never closed.
        unsafe {
            let found = self.library.get::<*const T>(name.as_bytes()).map_err(|_| self.lacks(name))?;
            Ok(**found)
        }
    }

    fn lacks(&self, name: &str) -> StoreError {
        let (library, remedy) = (self.name, self.remedy);
        StoreError::store(format!("{library}: the library lacks '{name}'; it is too old or another library; {remedy}"))
    }
}

/// A structure of a library's functions. A prefix is put before each name, for families of functions that differ in
/// nothing else; it may be empty.
macro_rules! functions {
    ($(#[$doc:meta])* $structure:ident { $($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $structure {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $structure {
            pub(crate) fn find(
                library: &$crate::common::library::OpenLibrary,
                prefix: &str,
            ) -> Result<$structure, kurabe_client::adapter::StoreError> {
                Ok($structure {
                    // SAFETY: the type is that of the library's header.
                    $($name: unsafe { library.function(&format!("{prefix}{}", stringify!($name))) }?,)*
                })
            }
        }
    };
}
pub(crate) use functions;

/// Declares types of a library that are only ever behind a pointer.
macro_rules! opaque {
    ($($name:ident),*) => {
        $(
            /// A thing of the library, only ever behind a pointer.
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}
pub(crate) use opaque;

/// The first setting of a job that is none of `known`, as an error; `library` is known to all.
pub(crate) fn refuse_unknown(job: &Job, store: &str, known: &[&str]) -> Result<(), StoreError> {
    match job.settings.keys().find(|name| *name != "library" && !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let known = known.join(", ");
            Err(StoreError::store(format!("{store} has no setting '{unknown}' here; it has {known}")))
        }
    }
}
