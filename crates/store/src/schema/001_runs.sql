-- Kept runs. The columns beside the body exist to be searched; the body alone is the truth.
CREATE TABLE run (
    run_id       TEXT    NOT NULL PRIMARY KEY,
    started_us   INTEGER NOT NULL, -- since the Unix epoch
    finished_us  INTEGER NOT NULL,
    command      TEXT    NOT NULL,
    arguments    TEXT    NOT NULL, -- JSON array
    host         TEXT    NOT NULL,
    tag          TEXT,
    tool_version TEXT    NOT NULL,
    body         BLOB    NOT NULL  -- the run as JSON, zstd with checksum
) STRICT;
CREATE INDEX run_started ON run (started_us);

-- What a run measured, in the order of its results.
CREATE TABLE target (
    run_id   TEXT    NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

-- The run that later ones are compared with, one for each host.
CREATE TABLE baseline (
    host   TEXT NOT NULL PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
