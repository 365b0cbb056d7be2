/**
 * SQL of a query with the columns `unit` and `covered`. `covered` is a multirange: the times of which it is proven that
 * no row of any list of the unit was missed.
 *
 * A unit is covered where some list of it is, and none of its lists may lack a row. Each list is proven from one look
 * to the next, or is one with a list of another node that is proven. A node that says that it is no aggregator has
 * nothing to miss, and so covers nothing. One that was never reached is not there yet, and one that is retired no
 * longer.
 *
 * @param members SQL of a FROM item with the columns `unit`, `node` and `known_to`: the last look that is known, null
 * for all
 * @param from SQL of a time; what lies before is left out
 * @param to the same of what lies behind
 */
export function coveredTimes(members: string, from: string, to: string): string {
  const proven = 'tstzrange(from_at, least(to_at, known_to))';
  // What ended it after the last look that is known had not ended it by then.
  const unproven =
    'tstzrange(least(to_at, known_to), CASE WHEN until_at > known_to THEN NULL ELSE until_at END)';
  return `SELECT unit, (range_agg(good) - range_agg(bad)) * tstzmultirange(tstzrange(${from}, ${to})) AS covered
    FROM (SELECT unit, coalesce(range_agg(${proven}) FILTER (WHERE kind = 'LIST'), '{}') AS good,
                 range_agg(${unproven}) - range_agg(${proven}) AS bad
            FROM ${members} JOIN coverage_interval USING (node)
           WHERE from_at < ${to} AND (until_at IS NULL OR until_at > ${from} OR until_at > known_to)
             AND (known_to IS NULL OR from_at <= known_to)
           GROUP BY unit, ring) of_ring
   GROUP BY unit`;
}
