-- The coordinator is who holds this lease, by the server's clock. An advisory lock could be held by any login.
ALTER TABLE coordinator ADD COLUMN until timestamptz NOT NULL DEFAULT '-infinity';
