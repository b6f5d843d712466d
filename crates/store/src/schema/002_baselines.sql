-- A baseline is one or several runs of a host under a name; the first schema had one run and no name.
CREATE TABLE baseline_run (
    host   TEXT NOT NULL,
    name   TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES run (run_id) ON DELETE CASCADE,
    PRIMARY KEY (host, name, run_id)
) STRICT, WITHOUT ROWID;
INSERT INTO baseline_run SELECT host, 'golden', run_id FROM baseline;
DROP TABLE baseline;
