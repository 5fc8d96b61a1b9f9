//! Kurabe's derived values: rankings, ratios and percentiles computed from records.
