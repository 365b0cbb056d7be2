/**
 * SQL: whether blocks of a node `n` that are not shown as included wait for the DA layer. They do if the node submits, or was
 * observed to show progress of inclusion. A node that syncs by P2P alone never shows inclusion.
 */
export const SHOWS_INCLUSION = `(coalesce(n.aggregator, n.submission_count > 0 OR n.last_submitted_header IS NOT NULL)
  OR coalesce((SELECT f.inclusion_shown FROM health_fold f WHERE f.node = n.id), false))`;
