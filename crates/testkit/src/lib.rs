//! Kurabe's test kit: lying stores, a fake client and golden files.
