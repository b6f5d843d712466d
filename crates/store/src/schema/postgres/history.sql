-- $1 host, $2 command, $3 tag, $4 target, $5 since, $6 limit (null: none)
SELECT run_id, started, finished, command, arguments, host, tag, tool_version, targets,
       octet_length(body)::bigint AS stored_bytes,
       EXISTS (SELECT 1 FROM baseline_run WHERE baseline_run.run_id = run.run_id) AS baseline
FROM run
WHERE ($1::text IS NULL OR host = $1)
  AND ($2::text IS NULL OR command = $2)
  AND ($3::text IS NULL OR tag = $3)
  AND ($4::text IS NULL OR $4 = ANY (targets))
  AND ($5::timestamptz IS NULL OR started >= $5)
ORDER BY started DESC, run_id DESC
LIMIT $6::bigint
