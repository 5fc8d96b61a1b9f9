//! Kurabe's tables and the HTML report.
