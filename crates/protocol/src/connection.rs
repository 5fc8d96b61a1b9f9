//! What a client tells about its way to the store among the settings, beside those of the store itself.

/// Name of the setting that tells how the server's certificate was checked; absent without TLS.
pub const TLS: &str = "tls";

/// Its value where any certificate was taken.
pub const NOT_CHECKED: &str = "certificate not checked";
