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
         'Nobody has looked since ' || to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '.' AS reason,
         NULL AS claim, NULL AS claim_differs, 'notWatchedAfter' AS setting, after_ms::double precision AS limit_value
    FROM known WHERE unknown_from IS NOT NULL
)
SELECT node, component, from_at, to_at, state, rule, reason, claim, claim_differs, from_at AS time, from_at AS "from", to_at AS "to",
       (SELECT n.chain_id FROM node n WHERE n.id = line.node) AS chain, setting, limit_value AS "limit"
  FROM line;

CREATE FUNCTION reporting.rows_in_words(count bigint) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE count WHEN 1 THEN '1 row was' ELSE count || ' rows were' END;
COMMENT ON FUNCTION reporting.rows_in_words IS 'How many rows were something, for people.';

CREATE OR REPLACE FUNCTION reporting.explain_loss(
  node text, kind text, after_sequence bigint, min_lost bigint, max_lost bigint, likely_lost bigint, from_at timestamptz, to_at timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ',
    CASE kind
      WHEN 'OVERFLOW' THEN span || ' more rows entered the list of ' || node || ' than it holds, so some may have left it unseen ' || place || '.'
      WHEN 'RESET' THEN 'At ' || reporting.time_in_words(to_at) || ' the list of ' || node
        || ' was empty or had begun anew, as after a restart or a change of leader. Rows that entered it after our look before'
        || coalesce(' at ' || reporting.time_in_words(from_at) || ' (' || length || ' earlier)', '') || ' went with the old one, ' || place || '.'
      WHEN 'AMBIGUOUS' THEN span || ' the list of ' || node
        || ' moved on, and no row that both looks show has a time of its own to prove by how far: rows may be missing ' || place || '.'
      ELSE 'We first saw the list of ' || node || ' at ' || reporting.time_in_words(to_at) || '; rows that had left it by then were never seen.'
    END,
    CASE
      WHEN max_lost = 0 THEN 'It is proven that none was lost.'
      WHEN min_lost = max_lost THEN 'It is proven that ' || reporting.rows_in_words(min_lost) || ' lost.'
      ELSE CASE min_lost WHEN 0 THEN 'No lost row is proven so far'
                         ELSE 'Proven by blocks: at least ' || reporting.rows_in_words(min_lost) || ' lost' END
        || coalesce(', and more than ' || max_lost || ' it cannot have been.', ', and nothing proves an upper limit.')
    END,
    CASE WHEN likely_lost IS NOT NULL AND min_lost IS DISTINCT FROM max_lost
         THEN 'From the rate around it, about ' || reporting.rows_in_words(likely_lost) || ' lost: that is a guess.' END)
  FROM (SELECT reporting.length_in_words(floor(extract(epoch FROM to_at - from_at) * 1000)::bigint) AS length) measured
 CROSS JOIN LATERAL (
    SELECT coalesce('Between ' || reporting.time_in_words(from_at) || ' and ' || reporting.time_in_words(to_at) || ' (' || length || ')',
                    'Before ' || reporting.time_in_words(to_at)) AS span,
           CASE after_sequence WHEN 0 THEN 'before the first row that we recorded' ELSE 'after row ' || after_sequence END AS place) told
$$;

CREATE OR REPLACE FUNCTION reporting.explain_open_loss(node text, after_sequence bigint, from_at timestamptz, to_at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN 'A list of ' || node || ' has not been seen since ' || reporting.time_in_words(from_at) || '; the last look was at ' || reporting.time_in_words(to_at)
    || '. Rows may be missing' || CASE after_sequence WHEN 0 THEN '' ELSE ' after row ' || after_sequence END
    || ': if the list is seen again as it was, none is, and this entry goes.';

DROP FUNCTION reporting.missing_in_words(bigint);
