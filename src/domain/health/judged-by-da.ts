/** The facts of a node that say whether the state of its DA layer counts for its own. */
export interface DaJudged {
  /** Whether the node submits; null while unknown. */
  readonly aggregator: boolean | null;
  readonly da: { readonly state: string; readonly rule: string } | null;
  /** Its newest height; null while unknown. */
  readonly head: unknown;
  /** Blocks that wait for the DA layer; null if it shows no inclusion. */
  readonly pending: unknown;
}

/**
 * Whether a node is as well as its DA layer. A follower submits nothing: its DA health stays unknown, and nobody can act on that. The
 * same holds for a node that shows no list, does not say that it submits, and was never seen to show inclusion: its blocks are not known
 * to wait.
 */
export function isJudgedByDa({ aggregator, da, head, pending }: DaJudged): boolean {
  if (da !== null && da.state !== 'UNKNOWN') return true;
  const isQuiet = aggregator === null && da?.rule === 'disabled' && head !== null && pending === null;
  return aggregator !== false && !isQuiet;
}
