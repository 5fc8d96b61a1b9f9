//! Kurabe's statistics: pure functions, no clock, no input or output.
