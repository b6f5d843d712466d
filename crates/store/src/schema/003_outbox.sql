-- Results that another place has not acknowledged yet. A run that stands here is not removed.
CREATE TABLE outbox (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES run (run_id) ON DELETE RESTRICT,
    about  TEXT NOT NULL -- what the receiver is told beside the run, JSON
) STRICT, WITHOUT ROWID;

-- What an agent must remember when it starts again.
CREATE TABLE note (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
