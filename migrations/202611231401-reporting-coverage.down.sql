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
      EXECUTE format('CREATE OR REPLACE VIEW reporting.%I AS %s', of.view, regexp_replace(definition, 'FROM \( SELECT unnest\(\(\(range_agg\(.* covered\) /', format(
        $$FROM (SELECT unnest(range_agg(tstzrange(greatest(c.from_at, s.bucket_at), least(c.to_at, %1$s, now())))) AS part
                FROM node n JOIN coverage_interval c ON c.node = n.id
               WHERE %2$s AND c.to_at > s.bucket_at AND c.from_at < least(%1$s, now()) AND c.from_at < c.to_at) covered) /$$, bucket_end, of.member)));
    EXCEPTION WHEN undefined_table OR undefined_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
      RAISE WARNING 'The view reporting.% is not ours any more and stays as it is: %', of.view, SQLERRM;
    END;
  END LOOP;
END $do$;

DO $do$
BEGIN
  -- A view keeps its columns: undone, it is always false.
  CREATE OR REPLACE VIEW reporting.losses AS
  SELECT l.loss_position AS id, n.id AS node, n.chain_id AS chain, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost,
         l.from_at, l.to_at, l.to_at AS "time", l.from_at AS "from", l.to_at AS "to",
         reporting.explain_loss(n.id, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost, l.from_at, l.to_at) AS explanation,
         (SELECT c.at FROM record_change c WHERE c.change = l.change) AS updated_at, l.to_position IS NOT NULL AS withdrawn, false AS open
    FROM loss l JOIN node n ON n.node_key = l.node_key WHERE l.to_position IS NULL;
  DROP FUNCTION reporting.explain_open_loss;
EXCEPTION WHEN invalid_table_definition OR undefined_table THEN
  RAISE WARNING 'The view reporting.losses is not ours any more and stays as it is: %', SQLERRM;
END $do$;
