-- The words of src/domain/submissions/loss-explanation.ts, which also reports bounds that contradict each other.
CREATE FUNCTION reporting.missing_in_words(count bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE count WHEN 1 THEN '1 submission is missing' ELSE count || ' submissions are missing' END;
COMMENT ON FUNCTION reporting.missing_in_words IS 'How many submissions are missing, for people.';

CREATE OR REPLACE FUNCTION reporting.explain_loss(
  node text, kind text, after_sequence bigint, min_lost bigint, max_lost bigint, likely_lost bigint, from_at timestamptz, to_at timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ',
    CASE kind
      WHEN 'OVERFLOW' THEN span || ' more submissions entered the list of ' || node || ' than it holds: some may be missing ' || place || '.'
      WHEN 'RESET' THEN 'At ' || reporting.time_in_words(to_at) || ' the list of ' || node
        || ' was empty or had started over, as after a restart or a change of leader. Submissions that entered it after the previous poll'
        || coalesce(' at ' || reporting.time_in_words(from_at) || ' (' || length || ' earlier)', '') || ' may be missing ' || place || '.'
      WHEN 'AMBIGUOUS' THEN span || ' the list of ' || node
        || ' moved on, and no submission in both polls has a time of its own that proves how far: some may be missing ' || place || '.'
      ELSE 'The list of ' || node || ' was first polled at ' || reporting.time_in_words(to_at)
        || ': submissions that had left it before are not on record.'
    END,
    CASE
      WHEN min_lost > max_lost THEN 'Contradiction: blocks prove that at least ' || reporting.missing_in_words(min_lost)
        || ', but the list allows at most ' || max_lost || '.'
      WHEN max_lost = 0 THEN 'Proven: none is missing.'
      WHEN min_lost = max_lost THEN 'Proven: ' || reporting.missing_in_words(min_lost) || '.'
      ELSE CASE min_lost WHEN 0 THEN 'No missing submission is proven so far'
                         ELSE 'Blocks prove that at least ' || reporting.missing_in_words(min_lost) END
        || coalesce(', at most ' || max_lost || '.', ', and there is no upper bound.')
    END,
    CASE WHEN likely_lost IS NOT NULL AND min_lost IS DISTINCT FROM max_lost
         THEN 'Estimated from the rate around the gap: ' || reporting.missing_in_words(likely_lost) || '.' END)
  FROM (SELECT reporting.length_in_words(floor(extract(epoch FROM to_at - from_at) * 1000)::bigint) AS length) measured
 CROSS JOIN LATERAL (
    SELECT coalesce('Between ' || reporting.time_in_words(from_at) || ' and ' || reporting.time_in_words(to_at) || ' (' || length || ')',
                    'Before ' || reporting.time_in_words(to_at)) AS span,
           CASE after_sequence WHEN 0 THEN 'before the first recorded row' ELSE 'after row ' || after_sequence END AS place) told
$$;

CREATE OR REPLACE FUNCTION reporting.explain_open_loss(node text, after_sequence bigint, from_at timestamptz, to_at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN 'The list of ' || node || ' has been out of sight since ' || reporting.time_in_words(from_at) || '; the latest poll was at ' || reporting.time_in_words(to_at)
    || '. Submissions may be missing' || CASE after_sequence WHEN 0 THEN '' ELSE ' after row ' || after_sequence END
    || '. If the list is seen again unchanged, none is missing and this entry disappears.';

DROP FUNCTION reporting.rows_in_words(bigint);

CREATE OR REPLACE VIEW reporting.health_intervals AS
WITH present AS (
  SELECT i.*, coalesce((t.thresholds ->> 'notWatchedAfterMs')::numeric, 30000) AS after_ms,
         CASE WHEN i.component = 'NODE' THEN greatest(n.last_seen_at, n.list_looked_at)
              ELSE coalesce(n.list_looked_at, n.last_seen_at) END AS seen_at
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
    LEFT JOIN health_fold f ON f.node = i.node AND i.to_at IS NULL
    LEFT JOIN health_threshold t ON t.chain = f.chain
   WHERE i.to_position IS NULL
), known AS (
  SELECT *, CASE WHEN to_at IS NULL AND rule NOT IN ('not-watched', 'retired')
                           AND now() - seen_at >= interval '1 ms' * (65000 + after_ms)::double precision
                 THEN greatest(from_at, seen_at + interval '1 ms' * after_ms::double precision) END AS unknown_from
    FROM present
), line AS (
  SELECT node, component, from_at, coalesce(unknown_from, to_at) AS to_at, state, rule, reason, claim, claim_differs, setting, limit_value
    FROM known WHERE unknown_from IS DISTINCT FROM from_at
  UNION ALL
  SELECT node, component, unknown_from AS from_at, NULL AS to_at, 'UNKNOWN' AS state, 'not-watched' AS rule,
         'Not monitored: ' || CASE component WHEN 'DA' THEN 'the submissions list' ELSE 'the node' END
           || ' was last polled at ' || to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '.' AS reason,
         NULL AS claim, NULL AS claim_differs, 'notWatchedAfter' AS setting, after_ms::double precision AS limit_value
    FROM known WHERE unknown_from IS NOT NULL
)
SELECT node, component, from_at, to_at, state, rule, reason, claim, claim_differs, from_at AS time, from_at AS "from", to_at AS "to",
       (SELECT n.chain_id FROM node n WHERE n.id = line.node) AS chain, setting, limit_value AS "limit"
  FROM line;
