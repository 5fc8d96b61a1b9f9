//! Kurabe's Rust client: the measuring loops and one adapter a store.
