/** An open incident, as far as it decides what follows from what. */
export interface Following {
  readonly id: string;
  readonly chain: string | null;
  readonly component: string;
  readonly severity: string;
  readonly from: string;
  readonly lastSignAt: string | null;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/** A follower notices after some time that no blocks come; it never notices before. */
const NOTICED_WITHIN_MS = 30 * 60_000;

/**
 * Groups open incidents by cause, worst first and then oldest first: a follower that receives no blocks since the only leader of
 * its chain is down follows from the leader's incident. Where that is not certain, an incident is listed by itself.
 * @param roleOf whether a node is its chain's leader, false for a follower, null when unknown
 */
export function groupByCause<Incident extends Following>(
  incidents: readonly Incident[],
  roleOf: (nodeId: string) => boolean | null,
): { readonly incident: Incident; readonly following: readonly Incident[] }[] {
  const ordered = incidents.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.from < b.from ? -1 : 1));
  const causeOf = (incident: Incident): Incident | undefined => {
    if (!isOf(incident, roleOf, false)) return undefined;
    const causes = ordered.filter((cause) => isCause(cause, incident) && isOf(cause, roleOf, true));
    return causes.length === 1 ? causes[0] : undefined;
  };
  const causes = new Map(ordered.map((incident) => [incident, causeOf(incident)]));
  return ordered
    .filter((incident) => causes.get(incident) === undefined)
    .map((incident) => ({
      incident,
      following: ordered.filter((other) => causes.get(other) === incident),
    }));
}

/** Lasting trouble before trouble that only waits for calm; critical before warning. */
function rankOf({ severity, lastSignAt }: Following): number {
  return (lastSignAt === null ? 0 : 2) + (severity === 'CRITICAL' ? 0 : 1);
}

function isOf({ nodes }: Following, roleOf: (nodeId: string) => boolean | null, role: boolean): boolean {
  return nodes.every(({ nodeId }) => roleOf(nodeId) === role);
}

function isCause(cause: Following, effect: Following): boolean {
  const afterMs = Date.parse(effect.from) - Date.parse(cause.from);
  return (
    cause.component === 'NODE' &&
    cause.severity === 'CRITICAL' &&
    cause.chain !== null &&
    cause.chain === effect.chain &&
    effect.component === 'NODE' &&
    afterMs >= 0 &&
    afterMs <= NOTICED_WITHIN_MS
  );
}
