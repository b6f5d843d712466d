-- The store that many hosts share. Columns beside a body exist to be searched; the body alone is the truth.
-- What was concluded from a run is never kept.
CREATE TABLE host (
    name       text        NOT NULL PRIMARY KEY,
    version    text        NOT NULL DEFAULT '',
    addresses  text        NOT NULL DEFAULT '{}', -- JSON: network to address
    first_seen timestamptz,
    last_seen  timestamptz,
    unsent     bigint      NOT NULL DEFAULT 0,    -- results that the host still keeps
    detail     text        NOT NULL DEFAULT ''
);

CREATE TABLE run (
    run_id       text        NOT NULL,
    started      timestamptz NOT NULL,
    finished     timestamptz NOT NULL,
    command      text        NOT NULL,
    arguments    text        NOT NULL, -- JSON array
    host         text        NOT NULL, -- as the run has it
    agent        text        NOT NULL DEFAULT '', -- the host whose credential brought it; empty: kept by hand
    tag          text,
    tool_version text        NOT NULL,
    targets      text[]      NOT NULL,
    received     timestamptz NOT NULL DEFAULT now(),
    body         bytea       NOT NULL, -- the run as JSON, zstd with checksum
    PRIMARY KEY (run_id, started)
) PARTITION BY RANGE (started);
-- It is compressed already.
ALTER TABLE run ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX run_started ON run (started DESC, run_id DESC);
CREATE INDEX run_tag ON run (tag, started DESC) WHERE tag IS NOT NULL;
CREATE INDEX run_host ON run (host, started DESC);
-- Strays: a clock that is wrong by years must not stop anybody.
CREATE TABLE run_default PARTITION OF run DEFAULT;

CREATE TABLE baseline_run (
    host   text NOT NULL,
    name   text NOT NULL,
    run_id text NOT NULL,
    PRIMARY KEY (host, name, run_id)
);

-- Who schedules. A term is higher than all before it: what an older coordinator still wants to write is refused.
CREATE SEQUENCE term;
CREATE TABLE coordinator (
    one   boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
    term  bigint      NOT NULL,
    name  text        NOT NULL,
    since timestamptz NOT NULL
);

CREATE TABLE round (
    round_id text        NOT NULL PRIMARY KEY,
    term     bigint      NOT NULL,
    kind     text        NOT NULL,
    started  timestamptz NOT NULL,
    ended    timestamptz,
    state    text        NOT NULL, -- running, done, interrupted
    body     bytea -- the mesh as JSON, zstd with checksum, once it is over
);
CREATE INDEX round_started ON round (started DESC);

-- One point of one ordered pair. `stream`: bytes a second; `light`: the median round trip in ns.
CREATE TABLE path (
    src       text        NOT NULL,
    dst       text        NOT NULL,
    network   text        NOT NULL,
    kind      text        NOT NULL,
    at        timestamptz NOT NULL,
    state     text        NOT NULL,
    value     float8,
    ceiling   float8,
    p99_ns    bigint,
    mtu_bytes bigint,
    black_hole boolean    NOT NULL DEFAULT false,
    round_id  text        NOT NULL,
    run_id    text        NOT NULL DEFAULT '',
    PRIMARY KEY (src, dst, network, kind, at)
) PARTITION BY RANGE (at);
CREATE INDEX path_at ON path USING brin (at);
CREATE TABLE path_default PARTITION OF path DEFAULT;
