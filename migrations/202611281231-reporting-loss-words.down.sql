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
