//! Statistics against published figures, laws and simulations.
//!
//! One binary for all of them, since each has to be linked.

mod golden;
mod moderated;
mod properties;
mod simulation;
