//! Kurabe's processes: find, initialise, start, await and stop a service; every process starts through one spawn.
