//! Tests of the catalogues, of the checks that a build makes, and of messages as others see them.

#[path = "../../build/check.rs"]
mod check;

mod catalogues;
mod checks;
mod messages;
