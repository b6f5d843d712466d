-- Who writes (the coordinator) and who only reads (dashboards). Both are groups: a login is made a member of one. What
-- comes from hosts is kept as fullwire_ingest, which adds and reads nothing but the ids of runs; the page is read as
-- fullwire_read, which changes nothing. Who writes may act as both, and the coordinator does.
-- A role without the right to make roles leaves it to somebody who has it.
DO $$
DECLARE
    able boolean := (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user);
BEGIN
    IF able AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_write') THEN
        CREATE ROLE fullwire_write NOLOGIN;
    END IF;
    IF able AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_read') THEN
        CREATE ROLE fullwire_read NOLOGIN;
    END IF;
    IF able AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_ingest') THEN
        CREATE ROLE fullwire_ingest NOLOGIN;
    END IF;
    IF able THEN
        GRANT fullwire_read, fullwire_ingest TO fullwire_write;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_ingest') THEN
        GRANT USAGE ON SCHEMA fullwire TO fullwire_ingest;
        GRANT INSERT ON run, path TO fullwire_ingest;
        GRANT SELECT (run_id, agent) ON run TO fullwire_ingest;
        GRANT SELECT ON migration TO fullwire_ingest;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_write') THEN
        GRANT USAGE ON SCHEMA fullwire TO fullwire_write;
        GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA fullwire TO fullwire_write;
        GRANT DELETE ON run, baseline_run, host TO fullwire_write;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA fullwire TO fullwire_write;
        REVOKE INSERT, UPDATE ON migration FROM fullwire_write;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'fullwire_read') THEN
        GRANT USAGE ON SCHEMA fullwire TO fullwire_read;
        GRANT SELECT ON ALL TABLES IN SCHEMA fullwire TO fullwire_read;
    END IF;
END
$$
