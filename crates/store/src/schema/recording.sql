-- A recording (application_id "fwrr"): samples as key frames and differences, events that explain its holes.
-- Times are CLOCK_BOOTTIME in ns and the wall clock in µs since 1970 (UTC).
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The host's settings and topology, again whenever they changed; a sample names the row that holds for it.
CREATE TABLE host (
    id      INTEGER PRIMARY KEY,
    boot_id TEXT NOT NULL,
    from_us INTEGER NOT NULL,
    body    BLOB NOT NULL
) STRICT;

-- `key` is the number of the key frame that the sample's difference leads back to; a key frame names itself.
CREATE TABLE sample (
    seq         INTEGER PRIMARY KEY,
    host        INTEGER NOT NULL REFERENCES host (id),
    boottime_ns INTEGER NOT NULL,
    wall_us     INTEGER NOT NULL,
    took_ns     INTEGER NOT NULL,
    key         INTEGER NOT NULL,
    body        BLOB NOT NULL
) STRICT;
CREATE INDEX sample_wall ON sample (wall_us);
CREATE INDEX sample_keys ON sample (wall_us) WHERE key = seq;

CREATE TABLE event (
    id          INTEGER PRIMARY KEY,
    boottime_ns INTEGER NOT NULL,
    wall_us     INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    detail      TEXT NOT NULL
) STRICT;
CREATE INDEX event_wall ON event (wall_us);
