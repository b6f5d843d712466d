-- ?1 host, ?2 command, ?3 tag, ?4 target, ?5 since (µs), ?6 limit (-1: none), ?7 separator of targets
SELECT run_id, started_us, finished_us, command, arguments, host, tag, tool_version,
       length(body) AS stored_bytes,
       EXISTS (SELECT 1 FROM baseline_run WHERE baseline_run.run_id = run.run_id) AS baseline,
       (SELECT group_concat(name, ?7 ORDER BY position) FROM target WHERE target.run_id = run.run_id) AS targets
FROM run
WHERE (?1 IS NULL OR host = ?1)
  AND (?2 IS NULL OR command = ?2)
  AND (?3 IS NULL OR tag = ?3)
  AND (?4 IS NULL OR EXISTS (SELECT 1 FROM target WHERE target.run_id = run.run_id AND name = ?4))
  AND (?5 IS NULL OR started_us >= ?5)
ORDER BY started_us DESC, rowid DESC
LIMIT ?6
