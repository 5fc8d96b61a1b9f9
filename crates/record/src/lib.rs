//! Kurabe's results on disk: one folder a run, appended and synced after every job.
