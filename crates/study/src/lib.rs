//! Kurabe's studies and store descriptors: TOML in, checked types out.
