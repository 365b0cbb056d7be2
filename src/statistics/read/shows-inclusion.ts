/**
 * Whether blocks of a node `n` that are not shown as included wait for the DA layer. They do where it submits, or was
 * seen to show inclusion move on. A node that syncs by P2P alone never shows it.
 */
export const SHOWS_INCLUSION = `(coalesce(n.aggregator, n.submission_count > 0 OR n.last_submitted_header IS NOT NULL)
  OR coalesce((SELECT f.inclusion_shown FROM health_fold f WHERE f.node = n.id), false))`;
