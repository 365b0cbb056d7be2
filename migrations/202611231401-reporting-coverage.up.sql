-- Coverage in figures by list: a chain is covered where every node of it that counts is. And holes that are open still.
DO $do$
DECLARE
  of record;
  definition text;
  bucket_end text;
BEGIN
  FOR of IN SELECT prefix || figure || size AS view, size,
                   CASE prefix WHEN '' THEN '(n.chain_id = s.chain OR n.node_key = s.node_key)' ELSE 'n.node_key = s.node_key' END AS member
              FROM unnest('{"",node_}'::text[]) AS prefix, unnest('{statistics_,cost_}'::text[]) AS figure, unnest('{hourly,daily}'::text[]) AS size
  LOOP
    bucket_end := CASE of.size WHEN 'hourly' THEN $$s.bucket_at + interval '1 hour'$$ ELSE $$reporting.day_end(s.bucket_at,
      coalesce((SELECT z.reporting_time_zone FROM chain_setting z WHERE z.chain = s.chain), 'UTC'))$$ END;
    -- A view that somebody has dropped or made anew stays as it is.
    BEGIN
      definition := rtrim(pg_get_viewdef(('reporting.' || of.view)::regclass), ';');
      EXECUTE format('CREATE OR REPLACE VIEW reporting.%I AS %s', of.view, regexp_replace(definition, 'FROM \( SELECT unnest\(range_agg\(tstzrange\(GREATEST.* covered\) /', format(
        $$FROM (SELECT unnest((range_agg(r.good) - range_agg(r.bad)) * tstzmultirange(tstzrange(s.bucket_at, greatest(least(%1$s, now()), s.bucket_at)))) AS part
                FROM (SELECT coalesce(range_agg(tstzrange(c.from_at, c.to_at)) FILTER (WHERE c.kind = 'LIST'), '{}') AS good,
                             range_agg(tstzrange(c.to_at, c.until_at)) - range_agg(tstzrange(c.from_at, c.to_at)) AS bad
                        FROM node n JOIN coverage_interval c ON c.node = n.id
                       WHERE %2$s AND c.from_at < least(%1$s, now()) AND (c.until_at IS NULL OR c.until_at > s.bucket_at)
                       GROUP BY c.ring) r) covered) /$$, bucket_end, of.member)));
    EXCEPTION WHEN undefined_table OR undefined_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
      RAISE WARNING 'The view reporting.% is not ours any more and stays as it is: %', of.view, SQLERRM;
    END;
  END LOOP;
END $do$;

CREATE FUNCTION reporting.explain_open_loss(node text, after_sequence bigint, from_at timestamptz, to_at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN 'A list of ' || node || ' has not been seen since ' || reporting.time_in_words(from_at) || '; the last look was at ' || reporting.time_in_words(to_at)
    || '. Rows may be missing' || CASE after_sequence WHEN 0 THEN '' ELSE ' after row ' || after_sequence END
    || ': if the list is seen again as it was, none is, and this entry goes.';
COMMENT ON FUNCTION reporting.explain_open_loss IS 'What an open hole is: the words of src/domain/submissions/loss-explanation.ts.';

DO $do$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('reporting.losses') AND attname = 'withdrawn') THEN
    RAISE WARNING 'The view reporting.losses is not ours any more and stays as it is.';
    RETURN;
  END IF;
  CREATE OR REPLACE VIEW reporting.losses AS
  SELECT l.loss_position AS id, n.id AS node, n.chain_id AS chain, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost,
         l.from_at, l.to_at, l.to_at AS "time", l.from_at AS "from", l.to_at AS "to",
         reporting.explain_loss(n.id, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost, l.from_at, l.to_at) AS explanation,
         (SELECT c.at FROM record_change c WHERE c.change = l.change) AS updated_at, l.to_position IS NOT NULL AS withdrawn, false AS open
    FROM loss l JOIN node n ON n.node_key = l.node_key WHERE l.to_position IS NULL
   UNION ALL
  SELECT CASE WHEN c.until_at IS NULL THEN 6917529027641081856 ELSE 4611686018427387904 END + (n.node_key::bigint << 30) + c.number, n.id, n.chain_id, 'RESET', c.after_sequence, 0, NULL, NULL,
         c.to_at, h.to_at, h.to_at, c.to_at, h.to_at, CASE WHEN c.until_at IS NULL THEN reporting.explain_open_loss(n.id, c.after_sequence, c.to_at, h.to_at)
              ELSE reporting.explain_loss(n.id, 'RESET', c.after_sequence, 0, NULL, NULL, c.to_at, h.to_at) END, NULL, false, c.until_at IS NULL
    FROM coverage_interval c JOIN coverage_fold f ON f.node = c.node JOIN node n ON n.id = c.node
   CROSS JOIN LATERAL (SELECT coalesce(c.until_at, f.looked_at) AS to_at) h
   WHERE c.unstated AND c.kind = 'LIST' AND coalesce(c.until_at, f.looked_at - interval '5 seconds') > c.to_at;
  COMMENT ON COLUMN reporting.losses.open IS 'The list is out of sight: the hole ends when it is seen again, when another list takes its place, or when the node is retired.';
EXCEPTION WHEN invalid_table_definition THEN
  RAISE WARNING 'The view reporting.losses is not ours any more and stays as it is: %', SQLERRM;
END $do$;
