-- Columns that GraphQL has and the views had not. They come at the end, so nothing that reads a view notices.

CREATE OR REPLACE FUNCTION reporting.time_in_words(at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') || ' UTC';
COMMENT ON FUNCTION reporting.time_in_words IS 'A time to milliseconds, for people.';

CREATE OR REPLACE FUNCTION reporting.length_in_words(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ms < 60000 THEN trim_scale(round(ms / 100.0) / 10) || ' s' ELSE (
    SELECT string_agg(count || ' ' || unit, ' ' ORDER BY n) FROM (
      SELECT *, min(n) FILTER (WHERE count > 0) OVER () AS first
        FROM (SELECT round(ms / 1000.0)::bigint AS s) whole
       CROSS JOIN LATERAL (VALUES (1, s / 86400, 'd'), (2, s / 3600 % 24, 'h'), (3, s / 60 % 60, 'min'), (4, s % 60, 's')) part (n, count, unit)) parts
     WHERE count > 0 AND n <= first + 1) END
$$;
COMMENT ON FUNCTION reporting.length_in_words IS 'A length of time in two units at most, for people.';

CREATE OR REPLACE FUNCTION reporting.rows_in_words(count bigint) RETURNS text LANGUAGE sql IMMUTABLE
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
COMMENT ON FUNCTION reporting.explain_loss IS 'What happened, what is proven and what is a guess: the words of src/domain/submissions/loss-explanation.ts.';

DO $do$
DECLARE
  of record;
  definition text;
  begin_of_from CONSTANT text := E'\n   FROM ';
BEGIN
  FOR of IN SELECT * FROM (VALUES
      ('chains', 'undecided_since', $$(SELECT min(m.at) FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
           WHERE known.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS undecided_since,
         (SELECT count(*)::int FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
           WHERE known.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS undecided_steps$$),
      ('submissions', 'updated_at', $$(SELECT c.at FROM record_change c WHERE c.change = s.change) AS updated_at, s.to_position IS NOT NULL AS withdrawn$$),
      ('blocks', 'updated_at', $$(SELECT c.at FROM record_change c WHERE c.change = b.change) AS updated_at, false AS withdrawn$$),
      ('losses', 'updated_at', $$l.to_at AS time, l.from_at AS "from", l.to_at AS "to",
         reporting.explain_loss(n.id, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost, l.from_at, l.to_at) AS explanation,
         (SELECT c.at FROM record_change c WHERE c.change = l.change) AS updated_at, l.to_position IS NOT NULL AS withdrawn$$),
      ('events', 'schema', $$schema, observed_at AS time$$)
    ) AS more (view, first, columns)
    UNION ALL
    SELECT prefix || figure || size, CASE figure WHEN 'statistics_' THEN 'success_rate' ELSE 'decided' END,
           CASE figure WHEN 'statistics_' THEN $$CASE WHEN s.attempts > 0 THEN (CASE s.status WHEN 0 THEN 1 ELSE 0 END)::double precision END AS success_rate, $$
                       ELSE '' END || $$NOT EXISTS (
             SELECT FROM record_mark m LEFT JOIN lineage l USING (lineage_key) LEFT JOIN node n ON n.node_key = m.node_key
              WHERE s.chain IN (coalesce(l.chain_id, n.chain_id), m.chain_id)) AS decided$$
      FROM unnest('{"",node_}'::text[]) AS prefix, unnest('{statistics_,cost_}'::text[]) AS figure, unnest('{hourly,daily}'::text[]) AS size
  LOOP
    -- A view that somebody has dropped or made anew stays as it is.
    BEGIN
      CONTINUE WHEN EXISTS (SELECT FROM pg_attribute
                             WHERE attrelid = ('reporting.' || of.view)::regclass AND attname = of.first);
      definition := rtrim(pg_get_viewdef(('reporting.' || of.view)::regclass), ';');
      -- That of the view itself: those of what is nested in it stand further in.
      EXECUTE format('CREATE OR REPLACE VIEW reporting.%I AS %s', of.view, overlay(
        definition PLACING ', ' || of.columns || begin_of_from FROM strpos(definition, begin_of_from) FOR length(begin_of_from)));
    EXCEPTION WHEN undefined_table OR undefined_column OR duplicate_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
      RAISE WARNING 'The view reporting.% is not ours any more and gets no new columns: %', of.view, SQLERRM;
    END;
  END LOOP;

  BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'reporting.health_intervals'::regclass AND attname = 'time') THEN
      EXECUTE format('CREATE OR REPLACE VIEW reporting.health_intervals AS SELECT i.*, i.from_at AS time, i.from_at AS "from", i.to_at AS "to" FROM (%s) i',
        rtrim(pg_get_viewdef('reporting.health_intervals'::regclass), ';'));
    END IF;
  EXCEPTION WHEN undefined_table OR undefined_column OR duplicate_column OR ambiguous_column OR syntax_error OR invalid_table_definition THEN
    RAISE WARNING 'The view reporting.health_intervals is not ours any more and gets no new columns: %', SQLERRM;
  END;

  FOR of IN SELECT c.relname AS view, a.attname AS name, told.text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    JOIN (VALUES
      ('chains', 'undecided_since', 'Time of an event that touches so much that it is decided in pages: until then evidence, kinds and losses may change by it. Null: all is decided.'),
      ('chains', 'undecided_steps', 'Steps that are left of it; 0 for none.'),
      ('', 'updated_at', 'When what is known of it last changed, by the clock of the database; null for what was last written by an early release.'),
      ('', 'withdrawn', 'It was proven once and is no more: false here, as the views have what stands.'),
      ('', 'explanation', 'What happened, what is proven and what is a guess.'),
      ('losses', 'time', 'As to_at, under the name that charts look for.'),
      ('losses', 'from', 'As from_at, under the name that GraphQL has.'),
      ('losses', 'to', 'As to_at, under the name that GraphQL has.'),
      ('health_intervals', 'time', 'As from_at, under the name that charts look for.'),
      ('health_intervals', 'from', 'As from_at, under the name that GraphQL has.'),
      ('health_intervals', 'to', 'As to_at, under the name that GraphQL has.'),
      ('events', 'schema', 'Version of the form of the body of its type.'),
      ('events', 'time', 'As observed_at, under the name that charts look for.'),
      ('', 'success_rate', 'Successes of attempts, 0 or 1 in a row of one status; null without attempts. Over several rows: sum(successes) / sum(attempts).'),
      ('', 'decided', 'False while an event is decided in pages that touches very much of the chain: the figures may be of a part of it.')
    ) AS told (view, name, text) ON told.name = a.attname AND told.view IN (c.relname, '')
   WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v'
  LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.%I IS %L', of.view, of.name, of.text);
  END LOOP;
END $do$;
